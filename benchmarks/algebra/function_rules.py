"""The rules of the normal form for single functions: derivatives and values, as templates in u.

The forms are SymPy's: ``tan(u)`` has the derivative ``1 + tan(u)**2``.
"""

from __future__ import annotations

from ...rewards.reading.functions import ELEMENTARY, PIECEWISE
from ...rewards.reading.functions.record import EVEN, ODD

#: Functions of one argument in SymPy. Rounding functions are left out, and so are functions with a
#: jump and without parity.
_FUNCTIONS = [
    function
    for function in (*ELEMENTARY, *PIECEWISE)
    if function.spelling("sympy")
    and function.arguments == "u"
    and (function.parity or not function.breaks)
]
ODD_FUNCTIONS = frozenset(function.name for function in _FUNCTIONS if function.parity == ODD)
EVEN_FUNCTIONS = frozenset(function.name for function in _FUNCTIONS if function.parity == EVEN)
#: Derivatives whose form in SymPy differs from `rewards.reading.expression.derivative`.
SLOPES = {
    **{f.name: f.derivative for f in _FUNCTIONS if f.derivative},
    "sgn": "0",
    "tan": "1 + tan(u)**2",
    "cot": "-1 - cot(u)**2",
    "tanh": "1 - tanh(u)**2",
    "coth": "-1/sinh(u)**2",
}
#: Values -> groups of functions and an integer: "acos asec -1" is acos(-1) and asec(-1).
#: Negative arguments of odd and even functions are not listed.
_VALUES = {
    "0": "sin tan sinh tanh asin atan asinh atanh abs sgn 0, acos asec acosh asech ln 1",
    "1": "cos sec cosh sech exp 0",
    "E": "exp 1",
    "pi/2": "acos 0, asin acsc 1",
    "pi/4": "atan acot 1",
    "pi": "acos asec -1",
    "log(1 + sqrt(2))": "asinh 1",
    "pole": "cot csc coth csch acsch asech 0, atanh acoth 1",
}
#: A function and its argument, an integer or an inverse function of u -> the value.
VALUES_AT: dict[tuple[str, int | str], str] = {
    **{
        (name, int(names[-1])): special_value
        for special_value, groups in _VALUES.items()
        for names in map(str.split, groups.split(","))
        for name in names[:-1]
    },
    ("sin", "acos"): "sqrt(1 - u**2)",
    ("cos", "asin"): "sqrt(1 - u**2)",
    ("tan", "asin"): "u/sqrt(1 - u**2)",
    ("tan", "acos"): "sqrt(1 - u**2)/u",
    ("sin", "atan"): "u/sqrt(1 + u**2)",
    ("cos", "atan"): "1/sqrt(1 + u**2)",
    ("sinh", "acosh"): "sqrt(u - 1)*sqrt(u + 1)",  # not sqrt(u^2 - 1), below -1
    ("cosh", "asinh"): "sqrt(1 + u**2)",
    ("sinh", "atanh"): "u/sqrt(1 - u**2)",
    ("cosh", "atanh"): "1/sqrt(1 - u**2)",
    ("tanh", "asinh"): "u/sqrt(1 + u**2)",
    ("tanh", "acosh"): "sqrt(u - 1)*sqrt(u + 1)/u",
}
