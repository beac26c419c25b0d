"""Derivatives in texts: quotients of differentials, primes, dots and subscripts."""

from .formulas import DERIVATIVE as DERIVATIVE
from .formulas import DOTTED as DOTTED
from .formulas import EXPONENT as EXPONENT
from .formulas import LARGEST as LARGEST
from .formulas import POWER_MINUS_ONE as POWER_MINUS_ONE
from .formulas import SYMBOL as SYMBOL
from .formulas import VALUE_AT as VALUE_AT
from .formulas import Jet as Jet
from .formulas import Jets as Jets
from .formulas import arguments_at as arguments_at
from .formulas import bounded as bounded
from .formulas import normal as normal
from .formulas import read_tree as read_tree
from .quotients import LETTER as LETTER
from .quotients import name_of as name_of
from .quotients import operand as operand
from .quotients import operators as operators
