"""The second opinion: a refutation as a short program in mpmath, and what that says.

The program is printed from the expression trees, and it is what a report shows. Nothing of the
verifier takes part in it: values are mpmath's, the derivative of a reference is a numerical one,
an integral is mpmath's quadrature. Text of a table never gets into a program: it is made of numbers
and of the names below.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from mpmath import mp

from ...rewards.reading.expression.formulas import definition_of
from ...rewards.reading.expression.traversal import symbols_of
from ...rewards.reading.expression.tree import Expression, Number, Symbol
from ...rewards.reading.functions import RECORDS
from ...rewards.verdict import Verdict
from .findings import DISPUTED, REFUTED, UNDECIDED, Finding

#: mpmath's notation where it is another than ``mp.NAME(arguments)`` with our name.
_NOTATION: dict[str, str] = {
    "ln": "mp.log({0})",
    "abs": "abs({0})",
    "sgn": "mp.sign({0})",
    "pi": "mp.pi",
    "e": "mp.e",
    "i": "mp.j",
    "euler_gamma": "mp.euler",
    "catalan": "mp.catalan",
    "double_factorial": "mp.fac2({0})",
    "lgamma": "mp.loggamma({0})",
    "polygamma": "mp.psi({0}, {1})",
    "gamma_upper": "mp.gammainc({0}, {1})",
    "gamma_lower": "mp.gammainc({0}, 0, {1})",
    "beta_lower": "mp.betainc({0}, {1}, 0, {2})",
    "lerch_phi": "mp.lerchphi({1}, {0}, {2})",
    "heaviside": "(({0} > 0) + mpf(0))",
    "max": "max({0}, {1})",
    "min": "min({0}, {1})",
    "fresnel_s": "mp.fresnels({0})",
    "fresnel_c": "mp.fresnelc({0})",
    "elliptic_f": "mp.ellipf({0}, {1})",
    "elliptic_e": "mp.ellipe({0}, {1})",
    "elliptic_k": "mp.ellipk({0})",
    "elliptic_ec": "mp.ellipe({0})",
    "elliptic_pi": "mp.ellippi({0}, {1}, {2})",
    "elliptic_pic": "mp.ellippi({0}, {1})",
    "legendre_p": "mp.legendre({0}, {1})",
    "chebyshev_t": "mp.chebyt({0}, {1})",
    "chebyshev_u": "mp.chebyu({0}, {1})",
    "hermite_h": "mp.hermite({0}, {1})",
    "laguerre_l": "mp.laguerre({0}, 0, {1})",
    "bessel_j": "mp.besselj({0}, {1})",
    "bessel_y": "mp.bessely({0}, {1})",
    "bessel_i": "mp.besseli({0}, {1})",
    "bessel_k": "mp.besselk({0}, {1})",
    "airy_ai": "mp.airyai({0})",
    "airy_bi": "mp.airybi({0})",
    "lt": "({0} < {1})",
    "le": "({0} <= {1})",
    "gt": "({0} > {1})",
    "ge": "({0} >= {1})",
    "eq": "({0} == {1})",
    "ne": "({0} != {1})",
    "and": "({0} and {1})",
    "or": "({0} or {1})",
}
#: Functions that mpmath calls by our name.
_SAME = frozenset(
    "sqrt exp log sin cos tan cot sec csc asin acos atan acot asec acsc sinh cosh tanh coth sech "
    "csch asinh acosh atanh acoth asech acsch re im arg floor ceil frac factorial binomial gamma "
    "digamma beta zeta polylog erf erfc erfi expint ei li si ci shi chi".split()
)
#: Binding of what is printed: of a sum, a product, a sign, a power, an atom.
_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(1, 6)
#: Digits of the arithmetic, and of a second run that has to find the same difference.
DIGITS, MORE_DIGITS = 30, 50
#: Relative differences: from which two values are apart, and up to which two are one. Numerical
#: derivatives and quadratures of `DIGITS` digits have errors below 1e-12.
APART, SAME = 1e-8, 1e-10
#: Makes the certificate of a refutation, and says whether it holds; None for what cannot be had.
Certifying: TypeAlias = Callable[[], tuple[dict[str, Any] | None, bool | None]]
_POINT = re.compile(r"(?P<name>[^\s=,]+)\s*=\s*\[?(?P<value>[-+]?\d[\d.]*(?:e[-+]?\d+)?)[^,]*")
_NUMBER = re.compile(r"\[?([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
#: Where a program looks first: points that are short to write. The verifier's own point is next.
_SHORT = tuple(map(Fraction, ("1/2", "3/2", "-1/2", "5/2", "1/4", "3", "-3/2", "1/10", "10")))


class UnprintableError(ValueError):
    """mpmath has no function for a part of the formula."""


def python(tree: Expression, names: Mapping[str, str] | None = None) -> str:
    r"""A formula in Python with mpmath.

    Args:
        tree: the formula.
        names: symbols by their names in Python; by default `names_of` them.

    Raises:
        UnprintableError: mpmath lacks a function.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> python(read(r"\frac{x^2}{3} - \ln x")[0].expression)
    'x**2/3 - mp.log(x)'

    """
    return _printed(tree, names_of(tree) if names is None else names)[0]


def names_of(*trees: Expression) -> dict[str, str]:
    """Names for the symbols of formulas: identifiers that hide nothing of a program."""
    taken = {"mp", "mpf", "f", "F", "slope", "value", "reference", "error"}
    names: dict[str, str] = {}
    for symbol in sorted(set().union(*map(symbols_of, trees))):
        name = re.sub(r"\W", "_", symbol.replace("\\", ""), flags=re.ASCII).strip("_") or "p"
        name = f"p{name}" if name[0].isdigit() else name
        while name in taken or keyword.iskeyword(name):
            name += "_"
        taken.add(name)
        names[symbol] = name
    return names


def _printed(tree: Expression, names: Mapping[str, str]) -> tuple[str, int]:
    """The text of a formula, and how tightly its outermost operation binds."""
    if isinstance(tree, Number):
        if tree.denominator == 1:
            return str(tree.numerator), _ATOM if tree.numerator >= 0 else _SIGN
        return f"mpf({tree.numerator})/{tree.denominator}", _PRODUCT
    if isinstance(tree, Symbol):
        return names[tree.name], _ATOM

    def part(at: int, binding: int) -> str:
        text, own = _printed(tree.args[at], names)
        return text if own >= binding else f"({text})"

    name, count = tree.function, len(tree.args)
    if name == "add":
        text = " + ".join(part(at, _SUM if at == 0 else _PRODUCT) for at in range(count))
        return text.replace("+ -", "- "), _SUM
    if name == "mul":
        return "*".join(part(at, _PRODUCT if at == 0 else _POWER) for at in range(count)), _PRODUCT
    if name == "neg":
        return f"-{part(0, _PRODUCT)}", _SIGN
    if name == "div":  # of integers, Python's quotient would have 16 digits
        above = part(0, _PRODUCT)
        above = f"mpf({above})" if _is_whole(tree.args[0]) else above
        return f"{above}/{part(1, _POWER)}", _PRODUCT
    if name in ("pow", "root"):
        base = part(0, _ATOM)
        base = f"mpf({base})" if _is_whole(tree.args[0]) else base
        exponent = part(1, _ATOM)
        return f"{base}**{exponent if name == 'pow' else f'(mpf(1)/{exponent})'}", _POWER
    args = [_printed(arg, names)[0] for arg in tree.args]
    if name == "piecewise":
        parts = [f"{args[at]} if {args[at + 1]} else " for at in range(0, count - 1, 2)]
        return f"({''.join(parts)}{args[-1] if count % 2 else 'mp.nan'})", _ATOM
    if name == "lambertw":
        return f"mp.lambertw({', '.join(reversed(args))})", _ATOM
    if name == "hypgeom":
        count = 2 + int(args[0])
        upper, lower = ", ".join(args[2:count]), ", ".join(args[count:-1])
        return f"mp.hyper([{upper}], [{lower}], {args[-1]})", _ATOM
    if name in _NOTATION:
        return _NOTATION[name].format(*args), _ATOM
    if name in _SAME:
        return f"mp.{name}({', '.join(args)})", _ATOM
    other = definition_of(tree) if name in RECORDS else None
    if other is None:
        raise UnprintableError(f"mpmath has no function for {name!r}")
    return _printed(other, names)


def _is_whole(tree: Expression) -> bool:
    return isinstance(tree, Number) and tree.denominator == 1


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a program says.

    Attributes:
        source: the program.
        point: where it looks, as ``x = 0.5``; empty for constants.
        expected: the value that the problem has there.
        got: the reference's.
        apart: whether the two differ; if not, they are the same to 10 digits.

    """

    source: str
    point: str
    expected: str
    got: str
    apart: bool


@dataclass(frozen=True, slots=True)
class Question:
    """What a program compares.

    Attributes:
        kind: ``slope`` (a derivative with a function), ``integral`` (of a function, with a value)
            or ``value`` (two formulas).
        first: the function that is differentiated or integrated, or the first formula.
        second: what the result ought to be.
        variable: the variable of the first.
        limits: lower and upper end of an integral, -1 and 1 for infinities.
        reference_first: whether the reference is the first of the two formulas.
        allows: whether a value of the variable is one that the problem is about.

    """

    kind: str
    first: Expression
    second: Expression
    variable: str = ""
    limits: tuple[Expression | int, Expression | int] | None = None
    reference_first: bool = False
    allows: Callable[[float], bool] = lambda value: True


def opinions(question: Question, witness: Mapping[str, Fraction]) -> Iterator[Opinion]:
    """What programs say at one point after the other, the verifier's own point last.

    Args:
        question: what is compared.
        witness: the verifier's point, which has the values of the parameters.

    Yields:
        What was computed without doubt; nothing where mpmath has no value.

    Raises:
        UnprintableError: mpmath lacks a function.

    """
    points: list[Mapping[str, Fraction]] = [witness]
    parameters = {name: Fraction(round(10 * q), 10) or q for name, q in witness.items()}
    if question.kind != "integral" and question.variable in witness:
        near = [at for at in (parameters[question.variable], *_SHORT) if question.allows(float(at))]
        points = [parameters | {question.variable: at} for at in near]
        points += [witness] * question.allows(float(witness[question.variable]))
    elif witness:
        points = [parameters, witness]
    for point in points:
        source = written(question, point)
        try:
            runs = [run(source, digits) for digits in (DIGITS, MORE_DIGITS)]
        except Exception:  # mpmath and the formulas raise errors of many classes
            continue
        opinion = _compared(question, source, point, runs)
        if opinion is not None:
            yield opinion


def _compared(
    question: Question, source: str, point: Mapping[str, Fraction], runs: list[dict[str, Any]]
) -> Opinion | None:
    """What two runs with different digits say; None if they say different things, or nothing."""
    reference, value, again = runs[0]["reference"], runs[0]["value"], runs[1]
    if not all(mp.isfinite(each) and not mp.im(each) for each in (reference, value)):
        return None
    gap, size = reference - value, abs(reference) + abs(value)
    shift = abs((again["reference"] - again["value"]) - gap)
    apart = bool(abs(gap) > APART * size and shift < abs(gap) / 1000)
    if not apart and not (abs(gap) <= SAME * size and shift <= SAME * size):
        return None
    errors = [run.get("error", 0) for run in runs]
    if apart and any(error > abs(gap) / 1000 for error in errors):
        return None
    shown = ", ".join(f"{name} = {_decimal(q)}" for name, q in point.items())
    return Opinion(source, shown, mp.nstr(value, 15), mp.nstr(reference, 15), apart)


def run(source: str, digits: int) -> dict[str, Any]:
    """The names that a program leaves behind, without what it prints and claims.

    Args:
        source: the program.
        digits: the digits of its arithmetic, in place of its own.

    """
    code = "\n".join(
        line for line in source.split("\n") if not line.startswith(("print", "assert"))
    )
    names: dict[str, Any] = {}
    before = mp.dps
    try:
        exec(re.sub(r"mp\.dps = \d+", f"mp.dps = {digits}", code), names)
    finally:
        mp.dps = before
    return names


def _decimal(q: Fraction) -> str:
    """A fraction in decimals: of the verifier's point, 15 digits are all that is known."""
    return f"{float(q):.15g}"


def written(question: Question, point: Mapping[str, Fraction]) -> str:
    """The program that compares at a point, of at most twenty lines.

    Args:
        question: what is compared.
        point: the values of the variable and the parameters.

    Raises:
        UnprintableError: mpmath lacks a function.

    """
    ends = [end for end in question.limits or () if not isinstance(end, int)]
    names = names_of(question.first, question.second, Symbol(question.variable or "x"), *ends)
    x = names[question.variable or "x"]
    first, second = python(question.first, names), python(question.second, names)
    lines = ["from mpmath import mp, mpf", "", f"mp.dps = {DIGITS}"]
    at = {names[name]: _decimal(q) for name, q in point.items() if name in names}
    lines += [f'{name} = mpf("{text}")' for name, text in at.items() if name != x]
    if question.kind == "slope":
        lines += ["", f"def F({x}):", f"    return {first}", ""]
        lines += [f"def f({x}):", f"    return {second}", "", f'{x} = mpf("{at[x]}")']
        ours, theirs = (f"mp.diff(F, {x})", f"f({x}) + mpf(0)")
        lines += [f"reference = {ours}", f"value = {theirs}"]
    elif question.kind == "integral":
        assert question.limits is not None
        lower, upper = (
            ("-mp.inf" if end < 0 else "mp.inf") if isinstance(end, int) else python(end, names)
            for end in question.limits
        )
        lines += ["", f"def f({x}):", f"    return {first}", ""]
        path = _path(lower, upper)
        lines += [
            f"value, error = mp.quad(f, {path}, error=True)",
            f"reference = {second} + mpf(0)",
        ]
    else:
        lines += [f'{x} = mpf("{at[x]}")'] if x in at else []
        lines += [f"value = {first} + mpf(0)", f"reference = {second} + mpf(0)"]
    if question.kind == "slope" and not question.reference_first:
        lines[-2:] = [f"value = {ours}", f"reference = {theirs}"]
    told = {"slope": ("derivative of the reference", "integrand"), "integral": ("", "integral")}
    words = told.get(question.kind, ("", "problem"))
    if question.kind == "slope" and not question.reference_first:
        words = ("reference", "derivative")
    lines += [
        f'print("{words[0] or "reference"}:", mp.nstr(reference, 15))',
        f'print("{words[1]}:", mp.nstr(value, 15))',
        f"assert abs(reference - value) > {APART}*(abs(reference) + abs(value))",
    ]
    return "\n".join(lines) + "\n"


def _path(lower: str, upper: str) -> str:
    """A range with points between, so that the quadrature's nodes are dense in its middle."""
    if "inf" in upper and "inf" in lower:
        return f"[{lower}, -10, -1, 0, 1, 10, {upper}]"
    if "inf" in upper:
        return f"[{lower}, {lower} + 1, {lower} + 10, {upper}]"
    if "inf" in lower:
        return f"[{lower}, {upper} - 10, {upper} - 1, {upper}]"
    return f"mp.linspace({lower}, {upper}, 9)"


# --- refutations, confirmed or not ---


def no_certificate() -> tuple[None, None]:
    """In place of a certificate that is about another place than the problem."""
    return None, None


def witness_of(verdict: Verdict) -> dict[str, Fraction]:
    """The values of the symbols at the witness of a refutation."""
    witness = verdict.evidence.witness
    text = witness.point if witness is not None else ""
    return {m["name"]: Fraction(m["value"]) for m in _POINT.finditer(text)}


def confirmed(
    question: Question,
    verdict: Verdict,
    key: str,
    certificate: Certifying | None = None,
) -> Finding:
    """A refutation if an independent path confirms it; disputed if one contradicts."""
    made, holds = (certificate or no_certificate)()
    witness = verdict.evidence.witness
    assert witness is not None
    said: list[Opinion] = []
    try:
        for opinion in opinions(question, witness_of(verdict)):
            said.append(opinion)
            if opinion.apart:
                break
        why = "mpmath has no value there"
    except UnprintableError as error:
        why = str(error)
    against = holds is False or (said and not said[-1].apart)
    shown = witness.described()
    common: dict[str, Any] = {"key": key, "certificate": made}
    values: dict[str, Any] = {}
    if against and holds is not True:
        last = said[-1] if said else None
        if last is not None:
            values = {"expected": last.expected, "got": last.got, "point": last.point}
        reason = f"the verifier refutes it ({witness}), a second computation does not"
        return Finding(DISPUTED, reason=reason, program=last.source if last else "", **values)
    apart = said[-1] if said and said[-1].apart else None
    if apart is None and holds is not True:
        return Finding(UNDECIDED, reason=f"refuted ({witness}), not confirmed: {why}", key=key)
    by = [*(["certificate"] if holds else []), *(["mpmath"] if apart else [])]
    if apart is not None:
        values = {"point": apart.point, "expected": apart.expected, "got": apart.got}
        common["program"] = apart.source
    else:
        numbers = [_NUMBER.match(text) for text in (witness.expected, witness.got)]
        expected, got = (match[1] if match else "" for match in numbers)
        values = {"point": shown.get("at", ""), "expected": expected, "got": got}
    if holds is False:
        return Finding(DISPUTED, reason="the certificate does not hold", **values, **common)
    return Finding(REFUTED, confirmed_by=tuple(by), **values, **common)
