"""Paired comparisons: numbers (`comparison`, `power`) and sentences (`wording`)."""

from .comparison import MIN_PAIRS as MIN_PAIRS
from .comparison import Comparison as Comparison
from .comparison import Contrast as Contrast
from .comparison import Difference as Difference
from .comparison import Transfer as Transfer
from .comparison import break_down as break_down
from .comparison import contrast as contrast
from .comparison import with_family as with_family
from .power import POWER as POWER
from .power import Design as Design
