"""Expression trees to LaTeX that reads back to the same tree, in one reading."""

from __future__ import annotations

from typing import Final

from ..expression.tree import Call, Expression, Number, Symbol
from .functions import GREEK
from .special import LETTERS

_SUM, _PRODUCT, _POWER, _ATOM = range(1, 5)

_Printed = tuple[str, int]

_COMMANDS: Final = frozenset("max min sin cos tan cot sec csc sinh cosh tanh coth ln exp".split())
_RAISED: Final = _COMMANDS - {"exp", "max", "min"}
_ARCS: Final = frozenset(("asin", "acos", "atan"))
_NAMES: Final = {
    "acot": "arccot",
    "asec": "arcsec",
    "acsc": "arccsc",
    "asinh": "arsinh",
    "acosh": "arcosh",
    "atanh": "artanh",
    "acoth": "arcoth",
    "asech": "arsech",
    "acsch": "arcsch",
    "ei": "Ei",
    "si": "Si",
    "ci": "Ci",
    "shi": "Shi",
    "chi": "Chi",
    "li_offset": "Li",
    "fresnel_s": "S",
    "fresnel_c": "C",
    "airy_ai": "Ai",
    "airy_bi": "Bi",
    "gudermannian": "gd",
    "re": "Re",
    "im": "Im",
    "frac": "fracpart",
    "elliptic_ec": "elliptice",
    "elliptic_pic": "ellipticpi",
    "heaviside": "Heaviside",
    "lerch_phi": "LerchPhi",
    "gamma_lower": "lowergamma",
    "lambertw": "LambertW",
}
_LETTERS: Final = {
    "gamma": r"\Gamma",
    "gamma_upper": r"\Gamma",
    "digamma": r"\psi",
    "zeta": r"\zeta",
    "beta": "B",
}
#: Functions printed with their first argument as a subscript.
_ORDERED: Final = {
    "polylog": r"\operatorname{Li}",
    "expint": r"\operatorname{E}",
    "bessel_j": "J",
    "bessel_y": "Y",
    "bessel_i": "I",
    "bessel_k": "K",
    "legendre_p": "P",
    "chebyshev_t": "T",
    "chebyshev_u": "U",
    "hermite_h": "H",
    "laguerre_l": "L",
}
_CONSTANTS: Final = {
    "catalan": r"\mathrm{Catalan}",
    "pi": r"\pi",
    "e": "e",
    "i": "i",
    "euler_gamma": r"\gamma",
}
_JOINERS: Final = {
    "lt": "<",
    "gt": ">",
    "le": r"\le",
    "ge": r"\ge",
    "eq": "=",
    "ne": r"\ne",
    "and": r"\wedge",
    "or": r"\vee",
}


def to_latex(expression: Expression) -> str:
    r"""An expression as plain LaTeX.

    Functions are printed with parentheses and quotients as fractions, so that the text has one
    reading: the tree that was printed.

    Args:
        expression: the tree.

    Returns:
        The LaTeX.

    >>> print(to_latex(Call("sin", (Symbol("x"),))))
    \sin\left(x\right)

    """
    return _print(expression)[0]


def _print(node: Expression) -> _Printed:
    """The LaTeX of a tree and its precedence. Every part is printed once."""
    if isinstance(node, Number):
        return _number(node)
    if isinstance(node, Symbol):
        return symbol(node.name), _ATOM
    name, args = node.function, node.args
    if not args:
        return _CONSTANTS[name], _ATOM
    parts = [_print(arg) for arg in args]
    if name == "add":
        return _sum(args, parts), _SUM
    if name == "neg":
        return "-" + _negated(args[0], parts[0]), _SUM
    if name == "mul":
        return _product(args, parts), _PRODUCT
    if name == "pow":
        return _power(args, parts), _POWER
    if name in ("factorial", "double_factorial"):
        return _base(args[0], parts[0]) + ("!" if name == "factorial" else "!!"), _POWER
    return _call(name, args, [text for text, _ in parts])


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


def _is(node: Expression, function: str) -> bool:
    return isinstance(node, Call) and node.function == function


def _negated(arg: Expression, part: _Printed) -> str:
    text, binding = part
    # A signed number keeps its minus; any other operand with one gets parentheses.
    return _parenthesised(text) if binding < _PRODUCT or isinstance(arg, Number) else text


def _base(arg: Expression, part: _Printed) -> str:
    text, binding = part
    # e^{..} reads as the exponential function, so a power of e gets parentheses.
    return _parenthesised(text) if binding < _ATOM or _is(arg, "e") else text


def _power(args: tuple[Expression, ...], parts: list[_Printed]) -> str:
    (base, exponent), raised = args, f"^{{{parts[1][0]}}}"
    # As usually written. With other exponents it might be read as an inverse function.
    whole = isinstance(exponent, Number) and exponent.denominator == 1 and exponent.numerator > 1
    if whole and isinstance(base, Call) and base.function in _RAISED:
        head = "\\" + base.function
        return head + raised + parts[0][0].removeprefix(head)
    return _base(base, parts[0]) + raised


def _sum(args: tuple[Expression, ...], parts: list[_Printed]) -> str:
    terms: list[str] = []
    for arg, (text, _) in zip(args, parts, strict=True):
        if _is(arg, "add"):
            text = _parenthesised(text)
        if not terms:
            terms.append(text)
        elif text.startswith("-"):
            terms.append(f" - {text[1:]}")
        else:
            terms.append(f" + {text}")
    return "".join(terms)


def _product(args: tuple[Expression, ...], parts: list[_Printed]) -> str:
    factors: list[str] = []
    before = ""
    for arg, (text, binding) in zip(args, parts, strict=True):
        if binding < _PRODUCT or _is(arg, "mul"):
            text = _parenthesised(text)
        if before:
            names_function = before in LETTERS and text.startswith((r"\left(", "_"))
            mixed_number = before.isdigit() and text.startswith(r"\frac")
            dotted = text[0].isdigit() or names_function or mixed_number
            factors.append(r" \cdot " if dotted else " ")
        factors.append(text)
        before = text
    return "".join(factors)


#: Forms that hold their arguments between delimiters of their own.
_CLOSED: Final = {
    "sqrt": r"\sqrt{%s}",
    "root": r"\sqrt[{%s}]{%s}",
    "abs": r"\left|%s\right|",
    "floor": r"\left\lfloor %s\right\rfloor",
    "ceil": r"\left\lceil %s\right\rceil",
    "binomial": r"\binom{%s}{%s}",
}


def _call(name: str, args: tuple[Expression, ...], texts: list[str]) -> _Printed:
    if name == "div":
        return rf"\frac{{{texts[0]}}}{{{texts[1]}}}", _PRODUCT
    if name == "exp":
        return f"e^{{{texts[0]}}}", _POWER
    if name in _CLOSED:
        inside = reversed(texts) if name == "root" else texts
        return _CLOSED[name] % tuple(inside), _ATOM
    if name == "piecewise":
        return _cases(texts), _ATOM
    if name in _JOINERS:
        return f" {_JOINERS[name]} ".join(texts), _SUM
    if name == "hypgeom":
        return _hypergeometric(args, texts), _POWER
    return _special(name, texts), _POWER


def _special(name: str, texts: list[str]) -> str:
    if name in _ORDERED:
        head, texts = f"{_ORDERED[name]}_{{{texts[0]}}}", texts[1:]
    elif name == "log":
        head, texts = rf"\log_{{{texts[1]}}}", texts[:1]
    elif name == "polygamma":
        head, texts = rf"\psi^{{({texts[0]})}}", texts[1:]
    elif name == "lambertw" and len(texts) == 2:
        head, texts = f"W_{{{texts[1]}}}", texts[:1]
    elif name == "beta_lower":
        head, texts = f"B_{{{texts[2]}}}", texts[:2]
    elif name in _LETTERS:
        head = _LETTERS[name]
    elif name in _COMMANDS:
        head = "\\" + name
    elif name in _ARCS:
        head = r"\arc" + name[1:]
    else:
        head = rf"\operatorname{{{_NAMES.get(name, name.replace('_', ''))}}}"
    return rf"{head}\left({', '.join(texts)}\right)"


def _hypergeometric(args: tuple[Expression, ...], texts: list[str]) -> str:
    upper, lower = (arg.numerator if isinstance(arg, Number) else 0 for arg in args[:2])
    first = ", ".join(texts[2 : 2 + upper])
    second = ", ".join(texts[2 + upper : 2 + upper + lower])
    return rf"{{}}_{{{upper}}}F_{{{lower}}}\left({first}; {second}; {texts[-1]}\right)"


def _cases(texts: list[str]) -> str:
    rows = [
        rf"{value} & \text{{if }} {condition}"
        for value, condition in zip(texts[::2], texts[1::2], strict=False)
    ]
    if len(texts) % 2:
        rows.append(rf"{texts[-1]} & \text{{otherwise}}")
    return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"
