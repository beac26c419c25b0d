"""Confirms refutations by short programs in plain mpmath, which reports show.

A program is printed from expression trees, and holds only numbers, identifiers and the functions
below: text of a table never enters a program. The verifier takes no part in a run.
"""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any, TypeAlias

from mpmath import mp

from ....rewards.reading.expression.formulas import definition_of
from ....rewards.reading.expression.traversal import symbols_of
from ....rewards.reading.expression.tree import Expression, Number, Symbol
from ....rewards.reading.functions import RECORDS
from ....rewards.verdict import Verdict
from ..findings import DISPUTED, REFUTED, UNDECIDED, Finding

#: mpmath's notation for functions that are not called ``mp.NAME`` with our name there.
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
    "lt": "({0} < {1})",
    "le": "({0} <= {1})",
    "gt": "({0} > {1})",
    "ge": "({0} >= {1})",
    "eq": "({0} == {1})",
    "ne": "({0} != {1})",
    "and": "({0} and {1})",
    "or": "({0} or {1})",
}
#: Functions that mpmath calls by our name without underscores.
_SAME = frozenset(
    "sqrt exp log sin cos tan cot sec csc asin acos atan acot asec acsc sinh cosh tanh coth sech "
    "csch asinh acosh atanh acoth asech acsch re im arg floor ceil frac factorial binomial gamma "
    "digamma beta zeta polylog erf erfc erfi expint ei li si ci shi chi fresnel_s fresnel_c "
    "bessel_j bessel_y bessel_i bessel_k airy_ai airy_bi".split()
)
#: How tightly a printed formula binds: a sum, a product, a sign, a power, an atom.
_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(1, 6)
#: Digits of the arithmetic. A second run with `EXTRA_DIGITS` more must find the same difference.
DIGITS, EXTRA_DIGITS = 30, 20
#: Relative differences from which two values differ, and up to which they agree. Decimals of twelve
#: digits in references differ from exact values by 1e-13.
APART, SAME = 1e-15, 1e-16
#: Calls of Python functions in a run of a program: a quadrature makes 100,000, in 0.1 s.
MOST_CALLS = 2_000_000
#: Makes and checks the certificate of a refutation; None without a certificate, or a decision.
Certifying: TypeAlias = Callable[[], tuple[dict[str, Any] | None, bool | None]]
_POINT = re.compile(r"(?P<name>[^\s=,]+)\s*=\s*\[?(?P<value>[-+]?\d[\d.]*(?:e[-+]?\d+|/\d+)?)[^,]*")
_NUMBER = re.compile(r"\[?([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
#: Points that are short to write, which are tried before the verifier's own point.
_SHORT = tuple(map(Fraction, ("1/2", "3/2", "-1/2", "5/2", "1/4", "3", "-3/2", "1/10", "10")))


class UnprintableError(ValueError):
    """mpmath has no function for a part of the formula."""


def python(tree: Expression, names: Mapping[str, str] | None = None) -> str:
    r"""A formula in Python with mpmath.

    Args:
        tree: the formula.
        names: symbols by their names in Python; by default `identifiers` them.

    Raises:
        UnprintableError: mpmath lacks a function.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> python(read(r"\frac{x^2}{3} - \ln x")[0].expression)
    'x**2/3 - mp.log(x)'

    """
    return _printed(tree, identifiers(tree) if names is None else names)[0]


def identifiers(*trees: Expression) -> dict[str, str]:
    """Identifiers for the symbols of formulas, distinct from the programs' own names."""
    reserved = {*"mp mpf f F v value values reference error finite terms steps sums grows".split()}
    names: dict[str, str] = {}
    for symbol in sorted(set().union(*map(symbols_of, trees))):
        name = re.sub(r"\W", "_", symbol.replace("\\", ""), flags=re.ASCII).strip("_") or "p"
        name = f"p{name}" if name[0].isdigit() else name
        while name in reserved or keyword.iskeyword(name):
            name += "_"
        reserved.add(name)
        names[symbol] = name
    return names


def _printed(tree: Expression, names: Mapping[str, str]) -> tuple[str, int]:
    """The text of a formula, and the binding strength of the outermost operation."""
    if isinstance(tree, Number):
        if tree.denominator == 1:
            return str(tree.numerator), _ATOM if tree.numerator >= 0 else _SIGN
        return f"mpf({tree.numerator})/{tree.denominator}", _PRODUCT
    if isinstance(tree, Symbol):
        return names[tree.name], _ATOM

    def child(at: int, binding: int) -> str:
        text, own = _printed(tree.args[at], names)
        return text if own >= binding else f"({text})"

    name, count = tree.function, len(tree.args)
    if name == "add":
        text = " + ".join(child(at, _SUM if at == 0 else _PRODUCT) for at in range(count))
        return text.replace("+ -", "- "), _SUM
    if name == "mul":
        return "*".join(child(at, _PRODUCT if at == 0 else _POWER) for at in range(count)), _PRODUCT
    if name == "neg":
        return f"-{child(0, _PRODUCT)}", _SIGN
    if name == "div":  # of integers, Python's quotient would have 16 digits
        numerator = child(0, _PRODUCT)
        numerator = f"mpf({numerator})" if _is_whole(tree.args[0]) else numerator
        return f"{numerator}/{child(1, _POWER)}", _PRODUCT
    if name in ("pow", "root"):
        base = child(0, _ATOM)
        base = f"mpf({base})" if _is_whole(tree.args[0]) else base
        exponent = child(1, _ATOM)
        return f"{base}**{exponent if name == 'pow' else f'(mpf(1)/{exponent})'}", _POWER
    args = [_printed(arg, names)[0] for arg in tree.args]
    if name == "piecewise":
        branches = [f"{args[at]} if {args[at + 1]} else " for at in range(0, count - 1, 2)]
        return f"({''.join(branches)}{args[-1] if count % 2 else 'mp.nan'})", _ATOM
    if name == "lambertw":
        return f"mp.lambertw({', '.join(reversed(args))})", _ATOM
    if name == "hypgeom":
        count = 2 + int(args[0])
        upper, lower = ", ".join(args[2:count]), ", ".join(args[count:-1])
        return f"mp.hyper([{upper}], [{lower}], {args[-1]})", _ATOM
    if name in _NOTATION:
        return _NOTATION[name].format(*args), _ATOM
    if name in _SAME:
        return f"mp.{name.replace('_', '')}({', '.join(args)})", _ATOM
    definition = definition_of(tree) if name in RECORDS else None
    if definition is None:
        raise UnprintableError(f"mpmath has no function for {name!r}")
    return _printed(definition, names)


def _is_whole(tree: Expression) -> bool:
    return isinstance(tree, Number) and tree.denominator == 1


@dataclass(frozen=True, slots=True)
class Program:
    """A comparison of a reference with the problem in plain mpmath.

    Attributes:
        lines: Python code with functions and assignments of ``value`` (from the problem),
            ``reference`` and perhaps ``error``, a bound of the error of either.
        parameters: the symbols with a value in front of the lines: identifier and usual value.
        labels: the names of ``value`` and ``reference`` in the output.
        variable: the symbol for trials at short numbers.
        allows: whether the problem is about a value of the variable.
        digits: the digits of the arithmetic.
        otherwise: the next program in the absence of a value.
        remark: the meaning of the two values, if different from problem and reference.

    """

    lines: tuple[str, ...]
    parameters: Mapping[str, tuple[str, Fraction]]
    labels: tuple[str, str] = ("problem", "reference")
    variable: str = ""
    allows: Callable[[float], bool] = lambda value: True
    digits: int = DIGITS
    otherwise: Program | None = None
    remark: str = ""

    def source(self, point: Mapping[str, Fraction]) -> str:
        """The text of the program at a point, of at most twenty lines for usual formulas."""
        lines = ["from mpmath import mp, mpf", "", f"mp.dps = {self.digits}"]
        for symbol, (identifier, _) in self.parameters.items():
            lines.append(f'{identifier} = mpf("{_decimal(point[symbol])}")')
        lines += ["", *self.lines]
        for name, label in zip(("reference", "value"), reversed(self.labels), strict=True):
            lines.append(f'print("{label}:", mp.nstr({name}, 15))')
        lines.append(f"assert abs(reference - value) > {APART}*(abs(reference) + abs(value))")
        return "\n".join(lines) + "\n"

    def points(self, witness: Mapping[str, Fraction]) -> Iterator[Mapping[str, Fraction]]:
        """Points of comparison: short points first, the verifier's own point last."""
        exact = {name: witness.get(name, usual) for name, (_, usual) in self.parameters.items()}
        short = {name: Fraction(round(10 * q), 10) or q for name, q in exact.items()}
        if self.variable not in exact:
            yield from (short, exact) if exact else (exact,)
            return
        for q in (short[self.variable], *_SHORT):
            if self.allows(float(q)):
                yield short | {self.variable: q}
        if self.allows(float(exact[self.variable])):
            yield exact

    def opinions(self, witness: Mapping[str, Fraction]) -> Iterator[Opinion]:
        """The program's opinion at each point with two agreeing runs."""
        silent = True
        for point in self.points(witness):
            source = self.source(point)
            is_own = point.items() <= witness.items()
            try:
                runs = [run(source, digits) for digits in (self.digits, self.digits + EXTRA_DIGITS)]
                opinion = _compared(source, self.point_text(point), runs, is_own)
            except Exception:  # mpmath and the formulas raise errors of many classes
                continue
            if opinion is not None:
                silent = False
                yield opinion
        if silent and self.otherwise is not None:
            yield from self.otherwise.opinions(witness)

    def point_text(self, point: Mapping[str, Fraction]) -> str:
        """The point in the words of reports."""
        values = [f"{name} = {_decimal(point[name])}" for name in self.parameters]
        return ", ".join([*values, *filter(None, [self.remark])])


@dataclass(frozen=True, slots=True)
class Opinion:
    """A program's opinion at a point.

    Attributes:
        source: the program.
        point: the values of the symbols, as ``x = 0.5``; empty for constants.
        expected: the problem's value.
        got: the reference's value.
        apart: whether the two values differ; otherwise both agree to 10 digits.

    """

    source: str
    point: str
    expected: str
    got: str
    apart: bool


def _compared(
    source: str, point: str, runs: Sequence[Mapping[str, Any]], is_own: bool
) -> Opinion | None:
    """The opinion of two runs with different digits; None if the runs differ, or have no value.

    A non-real reference counts only at the verifier's own point: elsewhere a branch of a right
    antiderivative may be complex.
    """
    reference, value, again = runs[0]["reference"], runs[0]["value"], runs[1]
    if not (mp.isfinite(reference) and mp.isfinite(value)) or mp.im(value):
        return None
    if mp.im(reference) and not is_own:
        return None
    # A difference must be much larger than the change between the two precisions, an agreement must
    # be as exact as the digits.
    gap, size = reference - value, abs(reference) + abs(value)
    shift = abs((again["reference"] - again["value"]) - gap)
    apart = bool(abs(gap) > APART * size and shift < abs(gap) / 1000)
    if not apart and not (abs(gap) <= SAME * size and shift <= SAME * size):
        return None
    if apart and any(result.get("error", 0) > abs(gap) / 1000 for result in runs):
        return None
    return Opinion(source, point, mp.nstr(value, 15), mp.nstr(reference, 15), apart)


class WorkLimitError(ArithmeticError):
    """A program calls more functions than are allowed."""


def run(source: str, digits: int) -> dict[str, Any]:
    """The variables of a program after a run without output and assertion.

    Args:
        source: the program.
        digits: the digits of arithmetic, in place of the program's own digits.

    Raises:
        WorkLimitError: the program makes too many calls.

    """
    lines = (line for line in source.split("\n") if not line.startswith(("print", "assert")))
    code = re.sub(r"mp\.dps = \d+", f"mp.dps = {digits}", "\n".join(lines))
    variables: dict[str, Any] = {}
    calls, digits_before, tracing = count(), mp.dps, sys.gettrace()

    def counted(frame: Any, event: str, argument: Any) -> None:
        if next(calls) > MOST_CALLS:
            raise WorkLimitError

    sys.settrace(counted)  # e^(e^x) at a large x would take hours, for want of digits
    try:
        exec(code, variables)
    finally:
        sys.settrace(tracing)
        mp.dps = digits_before
    return variables


def _decimal(q: Fraction) -> str:
    """A fraction in decimals; the verifier's point has 15 digits."""
    return f"{float(q):.15g}"


# --- confirmation of refutations ---


def no_certificate() -> tuple[None, None]:
    """No certificate: the verifier's point is outside of the conditions of the row."""
    return None, None


def witness_of(verdict: Verdict) -> dict[str, Fraction]:
    """The values of the symbols at the witness of a refutation."""
    witness = verdict.evidence.witness
    text = witness.point if witness is not None else ""
    return {m["name"]: Fraction(m["value"]) for m in _POINT.finditer(text)}


def confirmed(
    programs: Iterable[Program],
    verdict: Verdict,
    key: str = "",
    certificate: Certifying = no_certificate,
) -> Finding:
    """A refutation, if an independent computation confirms; a dispute, if a computation
    contradicts.

    Args:
        programs: comparisons; a wrong reference fails at least one.
        verdict: the refutation.
        key: the problem's fingerprint.
        certificate: makes and checks the certificate.

    """
    # Two independent confirmations are tried: the certificate's checker, and programs in mpmath.
    # The first program with different values ends the search.
    certificate_text, holds = certificate()
    opinions: list[Opinion] = []
    why, silent = "mpmath has no value there", False
    try:
        for program in programs:
            opinion_count = len(opinions)
            for opinion in program.opinions(witness_of(verdict)):
                opinions.append(opinion)
                if opinion.apart:
                    break
            silent |= len(opinions) == opinion_count
            if opinions and opinions[-1].apart:
                break
    except UnprintableError as error:
        why, silent = str(error), True
    # Evidence of the finding: the values of the program that differed, or of the last program.
    latest = opinions[-1] if opinions else None
    apart = latest if latest is not None and latest.apart else None
    claim = verdict.evidence.witness or verdict.evidence.detail
    values: dict[str, Any] = {}
    if latest is not None:
        values = {"point": latest.point, "expected": latest.expected, "got": latest.got}
        values["program"] = latest.source
    # A certificate that does not hold is a fault of the verifier, not of the reference.
    if holds is False:
        reason = "the certificate of the verifier's refutation does not hold"
        return Finding(DISPUTED, reason=reason, key=key, certificate=certificate_text, **values)
    # Without a confirmation the refutation is not reported. Agreement of all programs contradicts
    # the verifier; silence leaves the question open.
    if apart is None and holds is None:
        if latest is None or silent:
            return Finding(UNDECIDED, reason=f"refuted ({claim}), not confirmed: {why}", key=key)
        reason = f"the verifier refutes it ({claim}), a second computation does not"
        return Finding(DISPUTED, reason=reason, key=key, **values)
    # Only the certificate confirms: the values are the verifier's own.
    if apart is None:
        witness = verdict.evidence.witness
        assert witness is not None
        numbers = [_NUMBER.match(text) for text in (witness.expected, witness.got)]
        expected, got = (match[1] if match else "" for match in numbers)
        point = witness.described().get("at", "")
        values = {"point": point, "expected": expected, "got": got}
    by = (*(["certificate"] if holds else []), *(["mpmath"] if apart else []))
    return Finding(REFUTED, confirmed_by=by, key=key, certificate=certificate_text, **values)
