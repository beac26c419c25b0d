"""A generation of mutants: formulas that a random change (mutation) makes from seed formulas.

Mutants are simplified. The mutants that the code of Welleck et al. would refuse are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....benchmarks.hashed_random import HashedRandom
from ....benchmarks.lample_charton.codec.prefix import PrefixError, from_prefix
from ....rewards.errors import ProblemError
from ....rewards.numeric.sampling.integrand import prepare
from ....rewards.reading.expression.traversal import nodes_of
from ....rewards.reading.expression.tree import Expression, Number
from ....rewards.workers.errors import WorkerError
from ....rewards.workers.pool import shared_pool
from .formulas import NoProblemError, NormalForms, latex, prefix, structure, text
from .mutations import Rules, mutate

#: Bounds of the released code: the length of texts and the size of integers are below.
LONGEST, LARGEST = 100, 10**7
#: Seconds of wall clock for `simplify` of a formula, only in case a worker hangs.
_DEADLINE = 300.0
#: The tasks of workers that use SymPy.
TASKS = {
    name: f"{__package__}._worker:{name}" for name in ("simplified", "integrated", "elementary")
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutated formula that the code of Welleck et al. would accept.

    Attributes:
        tree: the formula.
        text: the formula as SymPy prints it.
        parent: the text of the mutated formula.
        mutation: the name of the mutation.

    """

    tree: Expression
    text: str
    parent: str
    mutation: str


def mutants(
    seeds: Sequence[Expression],
    number: int,
    rules: Rules,
    key: tuple[object, ...],
    simplifier: str = "normal-form",
) -> tuple[list[Mutant], Counter[str]]:
    """Draw mutants of the seeds. Every seed gets the same number of mutants.

    Args:
        seeds: formulas in the form of `formulas.structure`.
        number: the total number of mutants. Each seed has at least one mutant.
        rules: the mutations.
        key: a key for random numbers. Random numbers also depend on the indices of seed and mutant.
        simplifier: ``normal-form``, or ``sympy`` as in the published search.

    Returns:
        The mutants that are not refused (`refusal`), in the order of the seeds. Some mutants may be
        equal. The second value is the number of refused mutants for each reason.

    >>> from .formulas import read
    >>> found, refused = mutants([read("x")], 3, Rules(), ("example",))
    >>> [(mutant.text, mutant.mutation) for mutant in found]
    [('17', 'leaf: constant'), ('874*x', 'leaf: symbol'), ('928*x', 'leaf: symbol')]

    """
    refused: Counter[str] = Counter()
    drawn = list(_drawn(seeds, max(1, number // len(seeds)), rules, key, refused))
    evaluate = _by_sympy if simplifier == "sympy" else _in_normal_form
    valid = []
    for (_, parent, mutation), tree in zip(
        drawn, evaluate([mutant for mutant, _, _ in drawn]), strict=True
    ):
        words = tree if isinstance(tree, str) else text(tree)
        reason = words if isinstance(tree, str) else refusal(tree, words)
        if reason or isinstance(tree, str):
            refused[reason] += 1
        else:
            valid.append(Mutant(tree, words, parent, mutation))
    return valid, refused


def _drawn(
    seeds: Sequence[Expression],
    per_seed: int,
    rules: Rules,
    key: tuple[object, ...],
    refused: Counter[str],
) -> Iterator[tuple[Expression, str, str]]:
    """Yield mutants that are not simplified, with the parent's text and the mutation's name."""
    for index, seed in enumerate(seeds):
        parent = text(seed)
        for number in range(per_seed):
            try:
                mutant, name = mutate(seed, HashedRandom("search", *key, index, number), rules)
            except NoProblemError as error:
                refused[str(error)] += 1
                continue
            yield mutant, parent, name


def refusal(tree: Expression, words: str) -> str:
    """The reason why the code released by Welleck et al. refuses a formula.

    The text is empty if this code accepts the formula.
    """
    if len(words) >= LONGEST:
        return f"{LONGEST} characters or more"
    for node in nodes_of(tree):
        if isinstance(node, Number) and node.denominator == 1 and abs(node.numerator) >= LARGEST:
            return f"a number of {LARGEST} or more"
    return ""


def unusable(tree: Expression) -> str:
    """The reason why answers to a formula cannot be judged.

    The text is empty if answers can be judged.
    """
    try:
        prepare(latex(tree), "x", None)
    except ProblemError as error:
        return str(error)
    return "" if prefix(tree) else "no prefix form"


def _in_normal_form(trees: Sequence[Expression]) -> Iterator[Expression | str]:
    """Yield the normal form of each tree, or the reason why the tree has none."""
    forms = NormalForms()
    for tree in trees:
        try:
            yield forms.of(tree)
        except NoProblemError as error:
            yield str(error)


def _by_sympy(trees: Sequence[Expression]) -> Iterator[Expression | str]:
    """Yield each tree as SymPy simplifies it, or the reason of a failure.

    SymPy runs in worker processes.
    """
    tokens = [prefix(tree) for tree in trees]
    results = shared_pool(tasks=TASKS).map(
        "simplified", [[words] for words in tokens], deadline=_DEADLINE
    )
    for result in results:
        if isinstance(result, WorkerError):
            yield f"SymPy fails: {type(result).__name__}"
        elif result["reason"]:
            yield str(result["reason"])
        else:
            try:
                yield structure(from_prefix(str(result["tokens"]).split()))
            except PrefixError as error:
                yield str(error)
