"""Problems with a model's answers, the answers' derivatives, and the derivatives' errors.

Published examples are from Welleck et al., Symbolic Brittleness in Sequence Models (2022), Tables
4, 6, 16, 17 and 18. The examples are in SymPy's notation, as printed.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources

from .....benchmarks import brittleness
from .....benchmarks.algebra.formulas import parse
from .....benchmarks.problem import Problem
from .....rewards.reading.expression.build import add, neg
from .....rewards.reading.expression.derivative import differentiate
from .....rewards.reading.expression.tree import Expression
from .....rewards.verdict import Status
from ....core.requests import problem_key
from ....report.search.tables import StoredSearch
from ..embedding import Floats, embedding
from ..formulas import NormalForms, read, text


@dataclass(frozen=True, slots=True)
class Example:
    """A problem and an answer, in SymPy's notation. Unknown fields are empty.

    Attributes:
        problem: the integrand.
        solved: whether the model solves the problem. Otherwise the problem is a failure.
        prediction: the answer in normal form, or verbatim if it cannot be read.
        derivative: the derivative of the answer.
        difference: the derivative minus the integrand.
        exploit: the reason why the model could not have been right.
        integral: the problem's integral by a computer algebra system.

    """

    problem: str
    solved: bool = False
    prediction: str = ""
    derivative: str = ""
    difference: str = ""
    exploit: str = ""
    integral: str = ""


@cache
def published(table: str) -> Mapping[str, Sequence[Example]]:
    """Read the examples of a table of Welleck et al. by group, such as the cluster ``poly 1``.

    >>> [one.problem for one in published("table 4")["poly 1"]]
    ['-104', '-136', '-33']
    """
    file = resources.files(brittleness) / "published_searches.csv"
    groups: dict[str, list[Example]] = {}
    for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines()):
        where, group, solved = row.pop("place"), row.pop("group"), row.pop("solved")
        if where == table:
            groups.setdefault(group, []).append(Example(solved=bool(solved), **row))
    return groups


def with_answer(formula: str, answer: str, *, solved: bool) -> Example:
    r"""Make an example from a formula and a model's answer, which is in LaTeX.

    If the answer can be read, the example has the answer's derivative. The example of an unsolved
    problem then also has the difference of this derivative and the formula.

    >>> with_answer("13*cos(19*x)", r"\sin(19x)", solved=False).difference
    '6*cos(19*x)'
    """
    example = Example(formula, solved, answer, difference="0" if solved else "")
    forms = NormalForms()
    try:
        tree = parse(answer)
        prediction, slope = text(forms.of(tree)), forms.of(differentiate(tree))
        example = replace(example, prediction=prediction, derivative=text(slope))
        if not solved:
            off = text(forms.of(add(slope, neg(read(formula)))))
            example = replace(example, difference=off)
    except ValueError:  # it cannot be read, or its normal form is too large
        pass
    return example


def formula_of(problem: Problem) -> str:
    """A problem's formula in SymPy's notation."""
    return str(problem.metadata["formula"])


def tree_of(problem: Problem) -> Expression:
    """A problem's formula as a tree."""
    return read(formula_of(problem))


def _vectors(problems: Sequence[Problem]) -> Floats:
    return embedding("ngrams")[0](list(map(tree_of, problems)))


class AnsweredSearch:
    """The problems of a search, with the model's answers.

    If a problem has several answers, the first correct answer is shown. If no answer is correct,
    the first answer is shown.
    """

    def __init__(self, stored: StoredSearch) -> None:
        self.stored = stored
        self._answers: dict[str, tuple[bool, str]] = {}
        for row in stored.run.verdicts(stored.record.policy).rows():
            correct, stored_answer = (
                row["status"] == Status.CORRECT,
                self._answers.get(row["problem"]),
            )
            if row["model"] != stored.record.model or (stored_answer and stored_answer[0]):
                continue
            if correct or not row["sample"]:
                answer = str(row.get("answer") or f"({row['status']})")
                self._answers[row["problem"]] = (correct, answer)
        problems = stored.run.problems.values()
        self._solved = [problem for problem in problems if self.solves(problem)]
        self.seeds = [problem for problem in problems if problem.metadata.get("generation") == 0]
        self._made = {formula_of(problem): problem for problem in (*stored.archive, *self.seeds)}

    def solves(self, problem: Problem) -> bool:
        """Whether any answer to a problem of the search is correct."""
        return self._answers.get(problem_key(problem), (False, ""))[0]

    def example(self, problem: Problem) -> Example:
        """A problem of the search with the model's answer."""
        solved, answer = self._answers.get(problem_key(problem), (False, ""))
        return with_answer(formula_of(problem), answer, solved=solved)

    @cached_property
    def _vectors(self) -> Floats:
        return _vectors(self._solved)

    def nearest_solved(self, problems: Sequence[Problem]) -> Example | None:
        """The solved problem of the search that is most similar to the given problems."""
        if not self._solved:
            return None
        likeness = self._vectors @ _vectors(problems).T
        return self.example(self._solved[int(likeness.sum(axis=1).argmax())])

    def seed_of(self, problem: Problem) -> Problem | None:
        """The original seed of a failed problem, found through the chain of parents."""
        at: Problem | None = problem
        while at is not None and (parent := at.metadata.get("parent")):
            at = self._made.get(str(parent))
        return at
