"""Smaller cases that show the same fault: delta debugging on the trees of a case.

An edit replaces a subtree by a simpler tree, in the answer alone or in the integrand as well. An
edit is kept only if `numeric` confirms the label again and the fault remains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from ....rewards.reading.expression.build import ONE, add, neg, number
from ....rewards.reading.expression.traversal import nodes_of, symbols_of
from ....rewards.reading.expression.tree import Call, Expression, Number, Symbol
from .case import BOXED, Case, DiscardedError, Formulas
from .numeric import confirmed, refuted

#: The digits to try in turn for the label of an edited case.
_LADDER = (40, 250, 1200)


def size(case: Case) -> int:
    """The size of a case: the number of nodes plus the number of digits in its trees.

    The size of a case without trees is the length of its texts.
    """
    if case.formulas is None:
        return len(case.integrand) + len(case.completion)
    formulas = case.formulas
    trees = (formulas.truth, formulas.answer, formulas.added, formulas.factor)
    return sum(_weight(node) for tree in trees for node in nodes_of(tree)) + (case.voice != BOXED)


def _weight(node: Expression) -> int:
    if isinstance(node, Number):
        return len(str(abs(node.numerator))) + len(str(node.denominator))
    return 1


def minimise(
    case: Case, still: Callable[[Case], bool], *, runs: int = 150, edits: int = 3000
) -> Case:
    """Search for a smaller case with the same fault, by greedy edits.

    Args:
        case: the case. A case without trees is returned unchanged.
        still: a function that returns whether a case still has the fault.
        runs: the largest number of calls of ``still``.
        edits: the largest number of edits.

    Returns:
        A case with the same label and the same fault. It is at most as large as ``case``.

    """
    changed = True
    while changed and case.formulas is not None:
        changed = False
        for smaller in _smaller(case):
            edits -= 1
            if edits < 0 or runs <= 0:
                return case
            # Labels are cheap to check, the verifier is not: only smaller cases with a certain
            # label run.
            if size(smaller) >= size(case) or not label_holds(smaller):
                continue
            runs -= 1
            if still(smaller):
                case, changed = smaller, True
                break
    return case


def label_holds(case: Case) -> bool:
    """Whether mpmath confirms the label of a case with trees."""
    formulas = case.formulas
    if formulas is None:
        return False
    trees = formulas.integrand, formulas.answer
    if formulas.factor != ONE:
        return not case.wanted and refuted(*trees, case.assumptions, ladder=_LADDER)
    # Terms common to answer and truth cancel exactly, and could hide a small term by rounding.
    answer, truth = _unshared(formulas)
    if case.wanted:
        unshared = replace(formulas, truth=truth, answer=answer).integrand, answer
        return all(confirmed(*trees, case.assumptions) for trees in (trees, unshared))
    return refuted(formulas.added, add(answer, neg(truth)), case.assumptions, ladder=_LADDER)


def _unshared(formulas: Formulas) -> tuple[Expression, Expression]:
    """The terms of the answer and of the right antiderivative, without their common terms."""
    answer, truth = (
        Counter(tree.args if isinstance(tree, Call) and tree.function == "add" else (tree,))
        for tree in (formulas.answer, formulas.truth)
    )
    return add(*(answer - truth).elements()), add(*(truth - answer).elements())


def _smaller(case: Case) -> Iterator[Case]:
    formulas = case.formulas
    assert formulas is not None
    if case.voice != BOXED:
        yield replace(case, voice=BOXED, completion=Case.of(formulas, case.wanted, "").completion)
    for edited in _edited(formulas):
        if "x" in symbols_of(edited.answer) | symbols_of(edited.truth):
            with suppress(DiscardedError):
                yield Case.of(edited, case.wanted, case.note, case.voice, case.assumptions)


def _edited(formulas: Formulas) -> Iterator[Formulas]:
    trees = (formulas.truth, formulas.answer, formulas.added, formulas.factor)
    for node in dict.fromkeys(node for tree in trees for node in nodes_of(tree)):
        for simple in _simpler(node):
            everywhere = Formulas(*(_replaced(tree, node, simple) for tree in trees))
            yield everywhere
            if everywhere.answer != formulas.answer and everywhere.truth != formulas.truth:
                yield replace(formulas, answer=everywhere.answer)


def _simpler(node: Expression) -> Iterator[Expression]:
    if isinstance(node, Symbol):
        return
    if isinstance(node, Number):
        n = abs(node.numerator)
        # Numbers shrink in large steps first.
        steps = (1, 2, 10, n // 2, 10 ** (len(str(n)) - 1))
        yield from (number(step) for step in steps if step < n or node.denominator > 1)
        return
    if node.args:
        yield ONE
    yield from node.args
    if node.function in ("add", "mul") and len(node.args) > 2:
        for index in range(len(node.args)):
            yield Call(node.function, node.args[:index] + node.args[index + 1 :])


def _replaced(tree: Expression, old: Expression, new: Expression) -> Expression:
    if tree == old:
        return new
    if not isinstance(tree, Call):
        return tree
    return Call(tree.function, tuple(_replaced(arg, old, new) for arg in tree.args))
