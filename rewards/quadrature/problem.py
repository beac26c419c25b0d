r"""Definite integrals as papers print them: ``\int_0^\infty \frac{\ln x}{1+x^2}\,dx``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ..decision.integrand import Integrand, prepare
from ..errors import ProblemError
from ..expression.sympy_bridge import from_sympy
from ..expression.traversal import symbols_of
from ..expression.tree import Expression
from ..latex import ReadError, read, to_latex

if TYPE_CHECKING:
    import sympy

#: A limit of integration: an expression, or +1 or -1 for plus or minus infinity.
Limit = Expression | int


@dataclass(frozen=True, slots=True)
class DefiniteIntegral:
    r"""A readable definite integral.

    Attributes:
        integrand: f, its variable and its parameters.
        lower: the lower limit.
        upper: the upper limit.
        principal_value: Cauchy's principal value is asked for.
        text: the problem as it was given, which identifies it.

    Example:
        >>> prepare_definite(r"\int_0^\infty e^{-x} \, dx").upper
        1

    """

    integrand: Integrand
    lower: Limit
    upper: Limit
    principal_value: bool
    text: str

    @property
    def parameters(self) -> tuple[str, ...]:
        """The symbols of f and of the limits but the variable of integration."""
        names = set(self.integrand.parameters)
        for limit in (self.lower, self.upper):
            if not isinstance(limit, int):
                names |= symbols_of(limit)
        return tuple(sorted(names))


def prepare_definite(
    problem: str | sympy.Integral, assumptions: Mapping[str, str] | None = None
) -> DefiniteIntegral:
    r"""Read a definite integral.

    Args:
        problem: LaTeX with an integral sign, both limits and a differential, alone or after
            ``I =`` or ``\mathrm{PV}``; or a SymPy ``Integral`` over one range.
        assumptions: kinds of parameters, as in `rewards.decision.integrand.ASSUMPTIONS`.

    Returns:
        The integral as trees.

    Raises:
        ProblemError: it is unreadable, lacks a limit or is a multiple integral.

    Example:
        >>> prepare_definite(r"\int_0^1 x^a \, dx").parameters
        ('a',)

    """
    if isinstance(problem, str):
        return _prepare_text(problem, tuple(sorted((assumptions or {}).items())))
    if len(problem.limits) != 1 or len(problem.limits[0]) != 3:
        raise ProblemError(f"{problem} is not an integral over one range")
    variable, lower, upper = problem.limits[0]
    integrand = prepare(problem.function, str(variable), assumptions)
    limits = [_sympy_limit(limit) for limit in (lower, upper)]
    return DefiniteIntegral(integrand, limits[0], limits[1], False, str(problem))


def _sympy_limit(limit: sympy.Expr) -> Limit:
    if limit.is_infinite:
        return 1 if limit.is_extended_positive else -1
    return from_sympy(limit)


_SPACES = r"(?:\\[,;:! ]|\\quad|\\qquad|~|\s)*"
_DELIMITERS = re.compile(r"^\s*(?:\$\$?|\\\(|\\\[)\s*|\s*(?:\$\$?|\\\)|\\\])\s*[.,]?\s*$")
_LEAD = re.compile(r"^\s*(?:\\displaystyle|\\textstyle)?\s*(?:[A-Z](?:_\w)?\s*:?=\s*)?")
_PRINCIPAL = re.compile(
    r"^\s*(?:\\(?:operatorname|mathrm|text|textrm|mathcal|rm)\s*\{\s*)?"
    r"(?:P\.?\s*V\.?|p\.?\s*v\.?)\s*\}?" + _SPACES
)
_SIGN = re.compile(
    r"\s*(?:(?P<barred>\\fint|\\dashint|⨍)|\\int(?![a-zA-Z])|∫)"
    r"\s*(?:\\(?:no)?limits(?![a-zA-Z]))?\s*"
)
_SEVERAL = re.compile(r"\\(?:int|iint|iiint|oint|idotsint)(?![a-zA-Z])|∫|∬|∭|∮")
_INFINITY = re.compile(r"^\{?\s*(?P<sign>[+-]?)\s*(?:\\infty|\\infinity|∞|\\infin|oo|\\inf)\s*\}?$")


@lru_cache(maxsize=4096)
def _prepare_text(text: str, kinds: tuple[tuple[str, str], ...]) -> DefiniteIntegral:
    body = _DELIMITERS.sub("", text.strip()).rstrip().removesuffix(".")
    body = body[_match_end(_LEAD, body) :]
    principal = _PRINCIPAL.match(body)
    body = body[principal.end() :] if principal else body
    sign = _SIGN.match(body)
    if sign is None:
        raise ProblemError(f"{text!r} does not begin with an integral sign")
    marks, rest = limits_of(body[sign.end() :])
    missing = [name for name, mark in (("lower", "_"), ("upper", "^")) if mark not in marks]
    if missing:
        raise ProblemError(f"{text!r} has no {' and no '.join(missing)} limit")
    if _SEVERAL.search(rest):
        raise ProblemError(f"{text!r} has more than one integral")
    integrand = prepare(_differential_last(rest), None, dict(kinds))
    lower, upper = (limit_of(marks[mark], text, integrand.variable) for mark in "_^")
    return DefiniteIntegral(integrand, lower, upper, bool(principal or sign["barred"]), text)


def _match_end(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0


def limits_of(text: str) -> tuple[dict[str, str], str]:
    r"""The subscript and superscript that ``text`` begins with, and the rest."""
    marks: dict[str, str] = {}
    while text[:1] in ("_", "^") and text[0] not in marks:
        mark, text = text[0], text[1:].lstrip()
        end = _argument_end(text)
        marks[mark], text = text[:end], text[end:].lstrip()
        text = text.removeprefix("\\limits").lstrip()
    return marks, text


def _argument_end(text: str) -> int:
    """Where the TeX argument that ``text`` begins with ends."""
    if text[:1] == "{":
        level = 0
        for at, character in enumerate(text):
            level += (character == "{") - (character == "}")
            if level == 0:
                return at + 1
        return len(text)
    command = re.match(r"[+-]?(?:\\[A-Za-z]+|.)", text, re.DOTALL)
    end = command.end() if command else 0
    # \frac12 and \frac{1}{2} without braces around them
    if command and command[0].endswith(("\\frac", "\\dfrac", "\\tfrac")):
        for _ in range(2):
            end += _argument_end(text[end:])
    elif command and command[0].endswith("\\sqrt"):
        end += _argument_end(text[end:])
    return end


_IN_FRONT = re.compile(
    rf"^{_SPACES}(?P<d>(?:\\mathrm\s*\{{\s*d\s*\}}|d)\s*(?:\\[A-Za-z]+|[A-Za-z]))"
    rf"(?:{_SPACES}(?:\\,|\\;|\s|(?=[\\({{])))"
)


def _differential_last(text: str) -> str:
    """The integrand behind an integral sign, with a differential in front moved to its end."""
    front = _IN_FRONT.match(text)
    if front:
        text = f"{text[front.end() :]} \\, {front['d']}"
    return f"\\int {text}"


def limit_of(mark: str, text: str, variable: str) -> Limit:
    infinite = _INFINITY.match(mark.strip())
    if infinite:
        return -1 if infinite["sign"] == "-" else 1
    inner = mark.strip()
    if inner.startswith("{") and inner.endswith("}"):
        inner = inner[1:-1]
    inner = inner.rpartition("=")[2] if inner.lstrip().startswith(variable) else inner
    try:
        limit = read(inner, symbols=())[0].expression
    except ReadError as error:
        raise ProblemError(f"unreadable limit {mark!r} of {text!r}: {error}") from None
    if variable in symbols_of(limit):
        raise ProblemError(f"the limit {to_latex(limit)} of {text!r} holds the variable {variable}")
    return limit
