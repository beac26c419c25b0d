"""Expression trees to LaTeX that reads back to the same tree, in one reading."""

from __future__ import annotations

from typing import Final

from ..expression import Call, Expression, Number, Symbol
from .functions import GREEK
from .special import LETTERS

_SUM, _PRODUCT, _POWER, _ATOM = range(1, 5)

_COMMANDS: Final = frozenset(
    ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "ln", "exp")
)
_RAISED: Final = _COMMANDS - {"exp"}
_ARCS: Final = frozenset(("asin", "acos", "atan"))
_NAMES: Final = {
    "acot": "arccot", "asec": "arcsec", "acsc": "arccsc", "asinh": "arsinh", "acosh": "arcosh",
    "atanh": "artanh", "acoth": "arcoth", "asech": "arsech", "acsch": "arcsch", "ei": "Ei",
    "si": "Si", "ci": "Ci", "shi": "Shi", "chi": "Chi", "li_offset": "Li", "fresnel_s": "S",
    "fresnel_c": "C", "airy_ai": "Ai", "airy_bi": "Bi", "gudermannian": "gd", "frac": "fracpart",
    "elliptic_ec": "elliptice", "elliptic_pic": "ellipticpi", "heaviside": "Heaviside",
    "lerch_phi": "LerchPhi", "gamma_lower": "lowergamma", "lambertw": "LambertW",
}  # fmt: skip
_LETTERS: Final = {"gamma": r"\Gamma", "gamma_upper": r"\Gamma", "digamma": r"\psi",
                   "zeta": r"\zeta", "beta": "B"}  # fmt: skip
#: Functions printed with their first argument as a subscript.
_ORDERED: Final = {
    "polylog": r"\operatorname{Li}", "expint": r"\operatorname{E}", "bessel_j": "J",
    "bessel_y": "Y", "bessel_i": "I", "bessel_k": "K", "legendre_p": "P", "chebyshev_t": "T",
    "chebyshev_u": "U", "hermite_h": "H", "laguerre_l": "L",
}  # fmt: skip
_CONSTANTS: Final = {
    "catalan": r"\mathrm{Catalan}",
    "pi": r"\pi",
    "e": "e",
    "i": "i",
    "euler_gamma": r"\gamma",
}
_RELATIONS: Final = {"lt": "<", "gt": ">", "le": r"\le", "ge": r"\ge", "eq": "=", "ne": r"\ne"}


def to_latex(expression: Expression) -> str:
    """`expression` as plain LaTeX.

    Functions are printed with parentheses and quotients as fractions, so that the text has one
    reading: the tree that was printed.
    """
    return _print(expression)[0]


def _print(node: Expression) -> tuple[str, int]:
    """The LaTeX of a tree and how tightly it binds."""
    if isinstance(node, Number):
        return _number(node)
    if isinstance(node, Symbol):
        return symbol(node.name), _ATOM
    name, args = node.function, node.args
    if name in _CONSTANTS and not args:
        return _CONSTANTS[name], _ATOM
    if name == "add":
        return _sum(args), _SUM
    if name == "neg":
        return "-" + _within(args[0], _PRODUCT, sign=True), _SUM
    if name == "mul":
        return _product(args), _PRODUCT
    if name == "div":
        return rf"\frac{{{to_latex(args[0])}}}{{{to_latex(args[1])}}}", _PRODUCT
    if name == "pow":
        return _power(*args), _POWER
    if name == "exp":
        return f"e^{{{to_latex(args[0])}}}", _POWER
    return _call(name, args)


def _number(node: Number) -> tuple[str, int]:
    sign = "-" if node.numerator < 0 else ""
    if node.denominator == 1:
        return str(node.numerator), _SUM if sign else _ATOM
    text = rf"{sign}\frac{{{abs(node.numerator)}}}{{{node.denominator}}}"
    return text, _SUM if sign else _PRODUCT


def symbol(name: str) -> str:
    r"""The LaTeX of a symbol's name: ``C_1`` is ``C_{1}``, ``alpha`` is ``\alpha``."""
    accent, space, letter = name.partition(" ")
    if space:
        return rf"\{accent}{{{symbol(letter)}}}"
    stem, mark, subscript = name.partition("_")
    if stem in GREEK:
        stem = "\\" + stem
    elif stem == "constant":
        stem = r"\text{constant}"
    elif len(stem.rstrip("'")) > 1:
        stem = rf"\mathrm{{{stem}}}"
    return f"{stem}_{{{subscript}}}" if mark else stem


def _parenthesised(text: str) -> str:
    return rf"\left({text}\right)"


def _within(node: Expression, level: int, *, sign: bool = False) -> str:
    text, binding = _print(node)
    # A signed number needs no parentheses after a sign only where the sign is its own.
    if binding < level or (sign and isinstance(node, Number)):
        return _parenthesised(text)
    return text


def _power(base: Expression, exponent: Expression) -> str:
    raised = f"^{{{to_latex(exponent)}}}"
    # As people write it. With other exponents the function might be taken for an inverse.
    whole = isinstance(exponent, Number) and exponent.denominator == 1 and exponent.numerator > 1
    if whole and isinstance(base, Call) and base.function in _RAISED:
        return rf"\{base.function}{raised}\left({to_latex(base.args[0])}\right)"
    return _base(base) + raised


def _base(node: Expression) -> str:
    text, binding = _print(node)
    # The text e^{..} is the exponential function, so a power of e itself is set apart.
    if binding < _ATOM or node == Call("e"):
        return _parenthesised(text)
    return text


def _sum(args: tuple[Expression, ...]) -> str:
    parts = [_within(args[0], _SUM) if not _is_sum(args[0]) else _parenthesised(to_latex(args[0]))]
    for arg in args[1:]:
        text = to_latex(arg)
        if _is_sum(arg):
            text = _parenthesised(text)
        parts.append(f" - {text[1:]}" if text.startswith("-") else f" + {text}")
    return "".join(parts)


def _is_sum(node: Expression) -> bool:
    return isinstance(node, Call) and node.function == "add"


def _product(args: tuple[Expression, ...]) -> str:
    parts: list[str] = []
    before = ""
    for arg in args:
        text, binding = _print(arg)
        is_product = isinstance(arg, Call) and arg.function == "mul"
        if binding < _PRODUCT or is_product:
            text = _parenthesised(text)
        if before:
            names_function = before in LETTERS and text.startswith((r"\left(", "_"))
            plain = not text[0].isdigit() and not names_function
            whole_times_fraction = before.isdigit() and text.startswith(r"\frac")
            parts.append(" " if plain and not whole_times_fraction else r" \cdot ")
        parts.append(text)
        before = text
    return "".join(parts)


def _call(name: str, args: tuple[Expression, ...]) -> tuple[str, int]:
    inner = ", ".join(map(to_latex, args))
    if name == "sqrt":
        return rf"\sqrt{{{inner}}}", _ATOM
    if name == "root":
        return rf"\sqrt[{{{to_latex(args[1])}}}]{{{to_latex(args[0])}}}", _ATOM
    if name == "abs":
        return rf"\left|{inner}\right|", _ATOM
    if name == "floor":
        return rf"\left\lfloor {inner}\right\rfloor", _ATOM
    if name == "ceil":
        return rf"\left\lceil {inner}\right\rceil", _ATOM
    if name == "log":
        return rf"\log_{{{to_latex(args[1])}}}\left({to_latex(args[0])}\right)", _POWER
    if name in ("factorial", "double_factorial"):
        marks = "!" if name == "factorial" else "!!"
        return _base(args[0]) + marks, _POWER
    if name == "binomial":
        return rf"\binom{{{to_latex(args[0])}}}{{{to_latex(args[1])}}}", _ATOM
    if name in ("max", "min"):
        return rf"\{name}\left({inner}\right)", _ATOM
    if name == "piecewise":
        return _cases(args), _ATOM
    if name in _RELATIONS or name in ("and", "or"):
        return _condition(Call(name, args)), _SUM
    return _special(name, args, inner), _POWER


def _special(name: str, args: tuple[Expression, ...], inner: str) -> str:
    if name in _ORDERED:
        rest = ", ".join(map(to_latex, args[1:]))
        return rf"{_ORDERED[name]}_{{{to_latex(args[0])}}}\left({rest}\right)"
    if name == "polygamma":
        return rf"\psi^{{({to_latex(args[0])})}}\left({to_latex(args[1])}\right)"
    if name == "lambertw" and len(args) == 2:
        return rf"W_{{{to_latex(args[1])}}}\left({to_latex(args[0])}\right)"
    if name == "beta_lower":
        return rf"B_{{{to_latex(args[2])}}}\left({to_latex(args[0])}, {to_latex(args[1])}\right)"
    if name == "hypgeom":
        return _hypergeometric(args)
    if name in _LETTERS:
        head = _LETTERS[name]
    elif name in _COMMANDS:
        head = "\\" + name
    elif name in _ARCS:
        head = r"\arc" + name[1:]
    else:
        head = rf"\operatorname{{{_NAMES.get(name, name.replace('_', ''))}}}"
    return rf"{head}\left({inner}\right)"


def _hypergeometric(args: tuple[Expression, ...]) -> str:
    upper, lower = (arg.numerator if isinstance(arg, Number) else 0 for arg in args[:2])
    first = ", ".join(map(to_latex, args[2 : 2 + upper]))
    second = ", ".join(map(to_latex, args[2 + upper : 2 + upper + lower]))
    return rf"{{}}_{{{upper}}}F_{{{lower}}}\left({first}; {second}; {to_latex(args[-1])}\right)"


def _cases(args: tuple[Expression, ...]) -> str:
    rows = []
    for place in range(0, len(args), 2):
        value = to_latex(args[place])
        if place + 1 < len(args):
            rows.append(rf"{value} & \text{{if }} {_condition(args[place + 1])}")
        else:
            rows.append(rf"{value} & \text{{otherwise}}")
    return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"


def _condition(node: Expression) -> str:
    if isinstance(node, Call) and node.function in _RELATIONS:
        return f"{to_latex(node.args[0])} {_RELATIONS[node.function]} {to_latex(node.args[1])}"
    if isinstance(node, Call) and node.function in ("and", "or"):
        joiner = r" \wedge " if node.function == "and" else r" \vee "
        return joiner.join(map(_condition, node.args))
    return to_latex(node)
