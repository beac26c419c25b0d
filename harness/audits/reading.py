"""Reads the texts of tables: LaTeX and SymPy's notation, formulas within prose, conditions."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from ...rewards.errors import ProblemError
from ...rewards.reading.expression.sympy_text import read_sympy
from ...rewards.reading.expression.traversal import substitute, symbols_of
from ...rewards.reading.expression.tree import Expression, Symbol
from ...rewards.reading.latex import ReadError, read, to_latex
from ...rewards.reading.problem import Conditions, limits_of
from ...rewards.reading.problem.conditions import conditions_of

#: Signs of LaTeX, and of Python's notation.
_LATEX = re.compile(r"[\\$]|\^\s*\{|_\s*\{")
_PYTHON = re.compile(r"\*\*")
_SIGN = re.compile(r"\\i*int(?:op)?(?![a-zA-Z])|∫")
#: Formulas in prose.
_SPAN = re.compile(r"\$\$([^$]+)\$\$|\$([^$]+)\$|\\\[(.*?)\\\]|\\\((.*?)\\\)", re.DOTALL)
_REQUEST = re.compile(
    r"\b(?:integral|anti-?derivative|primitive) of\b|\bIntegrate(?=[\s:$])", re.IGNORECASE
)
#: The differential at the end of an integral.
_VARIABLE = re.compile(r"d\s*(?P<name>[a-zA-Z])\s*=?\s*$")
#: The beginning of a limit of integration in parentheses, which LaTeX would have in braces.
_BARE_LIMIT = re.compile(r"\\i*int(?:\s*_(?:\{[^{}]*\}|\\?\w+))?\s*[_^]\(")
#: Clauses of prose that may state conditions; a clause ends with its sentence.
_CONDITION = re.compile(
    r"\b(?:assum(?:e|ing)|where|for|if|when|with|suppose|provided|given|let)\b[^\n]*?"
    r"(?=\.(?!\d)|\n|$)",
    re.IGNORECASE,
)
#: Words that add nothing to the condition beside them.
_IDLE = re.compile(
    r"\breal\s+and\s+(?=positive|negative)"
    r"|\b(?:the\s+)?(?:following\s+)?(?:parameter|constant)s?\s*:?\s+(?=\$?\\?[A-Za-z]\b)"
)
#: A call such as ``integrate(f, x)`` or ``Integral(f, (x, a, b))``.
_CALL = re.compile(r"\s*[iI]ntegra(?:te|l)\((?P<inside>.*)\)\s*", re.DOTALL)


class UnreadError(ValueError):
    """A text cannot be read; ``offset`` is the position of the fault, if known."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.offset = offset


def tree_of(text: str, symbols: Collection[str] = ()) -> Expression:
    """The likeliest reading of a formula in either notation.

    Args:
        text: the formula.
        symbols: names to read as symbols.

    Raises:
        UnreadError: the text is a formula in neither notation.

    >>> tree_of("x**2") == tree_of("x^{2}")
    True

    """
    latex = as_latex(text)
    try:
        return read(latex, symbols=symbols)[0].expression
    except ReadError as error:
        raise UnreadError(str(error), error.offset) from None


def as_latex(text: str, neighbour: str = "") -> str:
    """A formula in LaTeX, from either notation.

    Args:
        text: the formula.
        neighbour: the problem; the problem's notation decides if both notations are possible.

    A text with ``**`` and without signs of LaTeX is in SymPy's notation, as is a text rejected by
    the reader of LaTeX.

    Raises:
        UnreadError: the text is in SymPy's notation, and unreadable.

    """
    text = re.sub(r"(?<!\\)\bPi\b", "pi", text.strip())  # as Mathematica and FriCAS write it
    if _LATEX.search(text):
        return text
    if not _PYTHON.search(text) and not _CALL.fullmatch(neighbour):
        try:
            read(text)
        except ReadError:
            pass
        else:
            return text
    try:
        return to_latex(read_sympy(text))
    except ValueError as error:
        if _PYTHON.search(text):
            raise UnreadError(str(error)) from None
        return text


@dataclass(frozen=True, slots=True)
class Posed:
    """A problem without prose.

    Attributes:
        formula: the problem in LaTeX.
        factor: the factor before the integral sign, a divisor of the reference.
        conditions: the conditions on symbols in the prose.

    """

    formula: str
    factor: str = ""
    conditions: Conditions = field(default_factory=Conditions)


def posed(text: str) -> Posed:
    r"""The problem in a text: the formula without surrounding prose, in LaTeX.

    Raises:
        UnreadError: a part of the problem is unreadable.

    >>> posed(r"Assume a is negative. Find $-2 \cdot \int x^a dx$").factor
    '-2 \\cdot'
    >>> posed("integrate(x**2, (x, 0, oo))").formula
    '\\int_{0}^{\\infty} x^{2} \\, d x'

    """
    formula = _formula(text)
    conditions = conditions_in(_prose(text, formula)) if formula != text else Conditions()
    sign = _SIGN.search(formula)
    if sign is None:
        return Posed(_of_call(formula), "", conditions)
    factor, tail = formula[: sign.start()].strip(), formula[sign.start() :]
    factor = factor.rpartition("=")[2].strip()
    while (bare := _BARE_LIMIT.search(tail)) is not None:
        end = _closing(tail, bare.end() - 1)
        tail = f"{tail[: bare.end() - 1]}{{{tail[bare.end() : end]}}}{tail[end + 1 :]}"
    # No factor: decoration, words, or the sign of a principal value.
    if re.search(r"\\displaystyle|\{$|[a-z]{2} |\b[Pp]\.?\s?[Vv]\b", factor):
        return Posed(formula, "", conditions)
    return Posed(_with_free_limits(tail), factor, conditions)


def answer_in(text: str) -> str:
    r"""The formula of a reference without prose; of an equation with an integral, the right side.

    Raises:
        UnreadError: a part of it cannot be read.

    >>> answer_in(r"$\quad \int 2x\,dx = x^2 + C$.")
    'x^2 + C'

    """
    if "$$" not in text:  # a formula that goes on, or whose dollar signs are not balanced
        text = re.sub(r"\$\s*\$", " ", text)
        text = text if text.count("$") % 2 == 0 else text.replace("$", " ").strip(" .,\n")
    spans = [str(next(filter(None, span.groups()))).strip() for span in _SPAN.finditer(text)]
    formula = text if "$" not in text else spans[0] if len(spans) == 1 else posed(text).formula
    question, equals, answer = formula.rpartition("=")
    return answer.strip() if equals and _SIGN.search(question.partition("=")[0]) else formula


def _with_free_limits(formula: str) -> str:
    r"""A definite integral with another letter for the letter of the variable in the limits.

    In the limits the letter is a free symbol, as in a limit ``\cos^2 x + \sin^2 x`` of an integral
    over x. A reference in the letter is not judged, as the meaning is unclear.
    """
    signs, variable = list(_SIGN.finditer(formula)), _VARIABLE.search(formula)
    if len(signs) != 1 or variable is None:
        return formula
    start, name = signs[0].end(), variable["name"]
    marks, tail = limits_of(formula[start:])
    renamed = {}
    for mark, text in marks.items():
        try:
            limit = read(text[1:-1] if text.startswith("{") else text)[0].expression
        except ReadError:  # an infinity, or what the reader of integrals will complain of
            continue
        if name in symbols_of(limit):
            free = substitute(limit, name, Symbol(f"{name}_0"))
            renamed[mark] = f"{{{to_latex(free)}}}"
    if not renamed:
        return formula
    return formula[:start] + "".join(m + t for m, t in (marks | renamed).items()) + " " + tail


def _formula(text: str) -> str:
    """The formula of the problem in a text: the formula with an integral sign, if present."""
    spans = [str(next(filter(None, span.groups()))).strip() for span in _SPAN.finditer(text)]
    signed = [span for span in spans if _SIGN.search(span)]
    if signed:
        return signed[0]
    sign = _SIGN.search(text)
    if sign is not None:  # the sentence with the sign, up to the end of its paragraph
        start = max(text.rfind(end, 0, sign.start()) + 1 for end in (". ", ":", "\n", ".\n"))
        return str(re.split(r"\n\s*\n|\.\s+[A-Z]", text[start:])[0]).strip()
    request = _REQUEST.search(text)
    if request is not None:
        sentence = re.split(r"\n|\.\s+[A-Z]|\.\s*$", text[request.end() :].strip())[0]
        return spans[0] if spans else str(sentence).strip()
    if len(spans) == 1 and re.search(r"[A-Za-z]{3}", _SPAN.sub("", text)):
        return spans[0]
    return text


def conditions_in(text: str) -> Conditions:
    """The conditions on symbols in a text; unknown clauses are skipped.

    Args:
        text: a row's note, or prose around a problem.

    Raises:
        UnreadError: contradictory conditions.

    >>> conditions_in("For $x > 0$. Assume A, B are real and positive and so on.").assumptions
    (('A', 'positive'), ('B', 'positive'), ('x', 'positive'))

    """
    assumptions: dict[str, str] = {}
    comparisons: list[Expression] = []
    for clause in (text, *(match[0] for match in _CONDITION.finditer(text))):
        words = _IDLE.sub("", clause).split(" and ")
        for count in range(len(words), 0, -1):  # a clause that is not understood ends the list
            try:
                conditions = conditions_of(" and ".join(words[:count]))
            except ProblemError as error:
                raise UnreadError(str(error)) from None
            if conditions is not None:
                assumptions |= dict(conditions.assumptions)
                comparisons += conditions.comparisons
                break
    return Conditions(tuple(assumptions.items()), tuple(dict.fromkeys(comparisons)))


def _prose(text: str, formula: str) -> str:
    """The text around the formula."""
    return text.replace(formula, " ; ", 1)


def asks_for_an_integral(text: str) -> bool:
    """Whether prose asks for the integral of a formula without an integral sign."""
    return _REQUEST.search(text) is not None


def _of_call(text: str) -> str:
    """The integral in ``integrate(f, (x, a, b))``; any other formula in LaTeX."""
    call = _CALL.fullmatch(text)
    if call is None:
        return as_latex(text)
    arguments = _arguments(call["inside"])
    if len(arguments) != 2:
        raise UnreadError(f"an integral over {len(arguments) - 1} variables")
    try:  # the call is SymPy's notation, and so is what stands in it
        integrand, over = to_latex(read_sympy(arguments[0])), arguments[1].strip()
    except ValueError as error:
        raise UnreadError(str(error)) from None
    limits = _arguments(over[1:-1]) if over.startswith("(") else [over]
    if len(limits) not in (1, 3):
        raise UnreadError("a range of integration has a variable and two ends")
    sign = r"\int"
    if len(limits) == 3:
        lower, upper = map(_end, limits[1:])
        sign += f"_{{{lower}}}^{{{upper}}}"
    return f"{sign} {integrand} \\, d {as_latex(limits[0])}"


def _end(text: str) -> str:
    text = text.strip()
    if text.lstrip("-") in ("oo", "inf", "infinity"):
        return ("-" if text.startswith("-") else "") + r"\infty"
    return as_latex(text)


def _closing(text: str, opened: int) -> int:
    """The offset of the closing parenthesis; else the length of the text."""
    depth = 0
    for at in range(opened, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return len(text)


def _arguments(text: str) -> list[str]:
    """The arguments of a call, at commas outside all brackets."""
    arguments, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            arguments.append(text[start:at])
            start = at + 1
    return [*arguments, text[start:]]


def boxed(reference: str) -> str:
    """A reference as a completion in a box.

    Raises:
        UnreadError: the braces of the reference are unbalanced and would end the box early.

    """
    depth = 0
    for at, character in enumerate(reference.replace(r"\{", "..").replace(r"\}", "..")):
        depth += (character == "{") - (character == "}")
        if depth < 0:
            raise UnreadError(f"reference: at offset {at}: expected no closing brace", at)
    if depth:
        end = len(reference)
        raise UnreadError(f"reference: at offset {end}: expected a closing brace", end)
    return rf"\boxed{{{reference}}}"
