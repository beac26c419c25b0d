"""The meaning of letters in a text: indices, kinds of numbers, constants or variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import pairwise

from ....errors import ProblemError
from ....reading.problem.conditions import conditions_of
from ..sides import INDEX, symbol_name
from . import prose
from .statements import Statement

#: A letter, which may be said to stand for a kind of numbers.
_LETTER = re.compile(r"\\?[A-Za-z]+(?:_\w)?(?![\w{])")
#: Gamma is a letter beside beta, in a differential, or where the text says what it stands for.
_GAMMA = re.compile(
    r"(?s:\\beta.*\\gamma|β.*γ)|d\s*(?:\\gamma|γ)|\A\s*(?:\\gamma|γ)\s*=(?!\s*(?:0\.57|-|\\lim|\\int))"
)


def letters_of(
    statements: Sequence[Statement],
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The letters of a text with a meaning besides the usual constants, and vanishing letters.

    Returns:
        Three sets. The first contains ``i`` if the text sums over i. The second contains ``gamma``
        if gamma is a letter of the text. The third has the letters set to zero.

    """
    links = [link.latex for statement in statements for link in statement.links]
    sums = any("i" in INDEX.findall(latex) for latex in links if "\\sum" in latex)
    equations = ("=".join(link.latex for link in statement.links) for statement in statements)
    gamma = any(map(_GAMMA.search, equations))
    vanishing = frozenset(
        symbol_name(lhs.latex)
        for statement in statements
        for lhs, rhs in pairwise(statement.links)
        if rhs.latex.strip(" .,;") == "0"
    )
    return frozenset("i" if sums else ""), frozenset(("gamma",) if gamma else ()), vanishing


def assumptions_of(statements: Iterable[Statement]) -> dict[int, dict[str, str] | None]:
    """The kinds of numbers that letters stand for, as in "for every integer N" and "n is odd".

    Returns:
        The assumptions on letters in each sentence, by the number of the sentence. An assumption
        holds in all of the text. An entry is None if a letter has several assumptions, such as even
        and odd, and the sentence does not decide between the assumptions.

    """
    all_statements = list(statements)
    stated: dict[int, dict[str, set[str]]] = {}
    of_text: dict[str, set[str]] = {}
    for statement, following in pairwise(all_statements):
        kinds_in_formula = membership(statement)
        latex = statement.links[0].latex.strip(" .,;")
        letter = _LETTER.match(latex) if len(statement.links) == 1 else None
        if letter and (statement.condition or letter.end() == len(latex)):
            assumption = prose.kind_of_letter(statement.lead, following.lead)
            kinds_in_formula |= {symbol_name(letter[0]): assumption} if assumption else {}
        for name, assumption in kinds_in_formula.items():
            of_text.setdefault(name, set()).add(assumption)
            stated.setdefault(statement.sentence, {}).setdefault(name, set()).add(assumption)
    assumptions: dict[int, dict[str, str] | None] = {}
    for sentence in {statement.sentence for statement in all_statements} if of_text else ():
        kinds_in_sentence = of_text | stated.get(sentence, {})
        clear = all(len(names) == 1 for names in kinds_in_sentence.values())
        assumptions[sentence] = (
            {name: min(names) for name, names in kinds_in_sentence.items()} if clear else None
        )
    return assumptions


def membership(statement: Statement) -> dict[str, str]:
    r"""The assumptions on letters in ``n \in \mathbb{N}`` or ``n = 1, 2, 3, \dots``."""
    latex = "=".join(link.latex for link in statement.links).strip(" .,;")
    counts = statement.condition or latex.endswith(("dots", "...", "…"))
    with suppress(ProblemError):
        read = conditions_of(latex) if counts else None
        return dict(read.assumptions) if read and not read.comparisons else {}
    return {}
