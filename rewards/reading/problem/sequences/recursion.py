r"""Reads recursions, such as ``u_1 = 1, u_{n+1} = \sqrt{2 + u_n}``, whose limit is asked for."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ....errors import ProblemError
from ...expression.traversal import fold, symbols_of
from ...expression.tree import Expression
from .. import prose
from ..conditions import INDEX_LETTERS, RELATION, conditions_of
from ..layout import cut_at, only_reading, pieces_of
from ..marks import LONGEST, SPACING
from ..question.limit import ARROW, INDEX, NOUNS, SEQUENCE, SIGN
from ..question.parts import Target, taken_apart
from ..question.surroundings import formula_of_question

#: The next term of a sequence, as a formula in the term before: u_{n+1} = 2u_n, u_n = 2u_{n-1}.
_RECURSION: Final = re.compile(
    rf"(?P<letter>[A-Za-z])_(?:\{{\s*(?P<index>[{INDEX_LETTERS}])\s*\+\s*1\s*\}}\s*="
    r"(?=.{0,200}(?P=letter)_(?:(?P=index)(?![A-Za-z])|\{\s*(?P=index)\s*\}))"
    rf"|\{{?\s*(?P<previous>[{INDEX_LETTERS}])\s*\}}?\s*="
    r"(?=.{0,200}(?P=letter)_\{\s*(?P=previous)\s*-\s*1\s*\}))"
    r"(?P<value>.*)",
    re.DOTALL,
)
_FIRST_TERM: Final = re.compile(r"(?P<letter>[A-Za-z])_\{?\s*[01]\s*\}?\s*=(?P<value>[^=]*)")
#: What may be formed of the terms of a sequence, whose limit is then asked for.
_OF_TERMS: Final = re.compile(r"\b(?:differences?|products?|ratios?|series|sums?)\b")
#: A formula that restricts the index, such as "n = 5"; `_is_of_index` allows "n >= 1".
_INDEX_BOUND: Final = re.compile(rf"\s*[{INDEX_LETTERS}]\s*(?:{RELATION.pattern}|{ARROW.pattern})")
#: Stands for the term before, in a formula of the next term.
_PREVIOUS: Final = r"\xi"


class Recursion(NamedTuple):
    r"""A sequence defined by a recursion, such as ``u_1 = 1, u_{n+1} = \sqrt{2 + u_n}``.

    Attributes:
        first: the first term.
        step: the next term as a function of a term.
        name: the symbol of the term in ``step``.

    """

    first: Expression
    step: Expression
    name: str


def read_recursion(text: str) -> Recursion | None:
    """Read a question for the limit of a sequence defined by a recursion.

    The result is None for another question.

    Raises:
        ProblemError: the question has more than a recursion and a first term.

    """
    if len(text) > LONGEST or _RECURSION.search(text) is None:
        return None
    question_parts = taken_apart(text)
    if question_parts is None:
        raise ProblemError(f"{text!r}: a recursion without words")
    marked_prose, formulas = question_parts
    asks = "limit" in marked_prose.lower() or prose.says(marked_prose, "goal")
    # Each formula has to have a role: the name of the sequence, a first term, a step, or a range of
    # the index. Formulas without a role are judged with the prose, as for other limits.
    first_values: list[str] = []
    steps: list[re.Match[str]] = []
    letters: set[str] = set()
    numbers: set[int] = set()
    for at, formula in enumerate(formulas):
        if _is_of_index(formula):
            numbers.add(at)
            continue
        for piece in (piece.strip(" .;:?") for piece in pieces_of(SPACING.sub(" ", formula), ",")):
            cut = cut_at(SIGN, piece)
            name = SEQUENCE.fullmatch(piece if cut is None else cut[3])
            if cut is not None and name is not None:
                subscript = cut[2].get("_", name["name"]).strip("{} ")
                asks, name = True, None if cut[0] or not INDEX.fullmatch(subscript) else name
            first_term, step = _FIRST_TERM.fullmatch(piece), _RECURSION.fullmatch(piece)
            if first_term is not None:
                first_values.append(first_term["value"])
            elif step is not None:
                steps.append(step)
            matched_letters = [
                match["letter"] for match in (name, first_term, step) if match is not None
            ]
            letters.update(matched_letters)
            if matched_letters or INDEX.fullmatch(piece) or _is_of_index(piece):
                numbers.add(at)
    unused_formulas = [formula for at, formula in enumerate(formulas) if at not in numbers]
    if _OF_TERMS.search(marked_prose) or any(map(_INDEX_BOUND.match, unused_formulas)):
        raise ProblemError(f"{text!r}: the limit of something else is asked for")
    if not (asks and len(letters) == len(first_values) == len(steps) == 1) or _PREVIOUS in text:
        raise ProblemError(f"{text!r}: one recursion with a first term is expected")
    written = steps[0].string
    # With no variable, a statement about the index is refused: "for odd n", "n = 5".
    target = Target(
        written, frozenset(numbers), written, "", is_bound=True, nouns=NOUNS, kind="limit in words"
    )
    formula_of_question(question_parts, target)
    # The preceding term becomes a symbol, so that the step is a function of one variable.
    index = steps[0]["index"] or rf"{steps[0]['previous']}\s*-\s*1"
    term = rf"(?<![A-Za-z\\]){steps[0]['letter']}_(?:\{{\s*{index}\s*\}}|{index}(?![A-Za-z0-9]))"
    step_text = re.sub(term, rf"{{{_PREVIOUS}}}".replace("\\", r"\\"), steps[0]["value"])
    first_tree, step_tree = (
        only_reading(formula, text) for formula in (first_values[0], step_text)
    )
    name_of_term = _PREVIOUS.lstrip("\\")
    if symbols_of(first_tree) or symbols_of(step_tree) != {name_of_term}:
        raise ProblemError(f"{text!r}: a recursion with other symbols is not read")
    return Recursion(first_tree, step_tree, name_of_term)


def _is_of_index(formula: str) -> bool:
    r"""Whether a formula says where an index begins: ``n \ge 1``, ``n = 1, 2, 3, \dots``."""
    stated = conditions_of(formula)
    if stated is None or not {name for name, _ in stated.assumptions} <= {*INDEX_LETTERS}:
        return False
    numbers = (fold(side) for comparison in stated.comparisons for side in comparison.args)
    is_whole = {kind for _, kind in stated.assumptions} <= {"integer", "positive"}
    return is_whole and all(number is None or number <= 2 for number in numbers)
