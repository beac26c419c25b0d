"""Paired comparisons: their numbers (`comparison`), and what these say in words (`wording`)."""

from .comparison import FEWEST as FEWEST
from .comparison import POWER as POWER
from .comparison import Comparison as Comparison
from .comparison import Contrast as Contrast
from .comparison import Design as Design
from .comparison import Difference as Difference
from .comparison import Transfer as Transfer
from .comparison import break_down as break_down
from .comparison import contrast as contrast
from .comparison import with_family as with_family
