"""Tables 1, 3, 5 and 7 of Welleck et al. for a run, with the first answer to each problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ....benchmarks.brittleness.primitives import RANGES, TEMPLATES
from ....benchmarks.payloads import IntegrationTarget
from ....benchmarks.problem import Problem
from ....rewards.reading.latex import ReadError, read
from ....rewards.verdict import Status
from ...report.figures.figure import shortened
from ...report.sections import Section
from ..search.formulas import NormalForms, text
from ..search.paper.examples import Example, with_answer
from .answers import NOT_RUN, ModelAnswers

#: Examples of a table, and the most characters of a cell; raw answers are longer, as in the paper.
EXAMPLES, LONGEST, LONGEST_RAW = 3, 60, 160
#: The tests of table 3, by subset of the benchmark.
_ROBUST = (
    *(f"primitive_{name.name}" for name in TEMPLATES.values()),
    *("over_k", "times_k", "plus_exp", "plus_ln"),
)
#: The ranges of coefficients beyond most training data (figure 2), and the numbers of operators.
_BEYOND = (
    *(f"integers_{low}" for low, _ in RANGES[1:]),
    *(f"operators_{count}" for count in (20, 25, 30, 35)),
)


@dataclass(frozen=True, slots=True)
class ExampleAnswer:
    """A problem with the first answer of the model.

    Attributes:
        problem: the problem.
        raw: the text that the model wrote.
        read: the extracted answer in LaTeX. The text is empty if no answer was extracted.
        solved: whether the answer is correct.

    """

    problem: Problem
    raw: str
    read: str
    solved: bool

    @property
    def example(self) -> Example:
        """The answer in normal form, and the answer's derivative.

        The result also has the derivative minus the integrand.
        """
        target = self.problem.target_as(IntegrationTarget)
        return with_answer(
            formula(target.integrand, target.variable), self.read, solved=self.solved
        )


@cache
def formula(integrand: str, variable: str) -> str:
    """Write an integrand in normal form, in SymPy's notation.

    If the normal form would be too large, the result is the integrand unchanged.
    """
    try:
        return text(NormalForms().of(read(integrand, symbols=[variable])[0].expression))
    except (ReadError, ValueError):
        return integrand


def answers(source: ModelAnswers) -> dict[str, ExampleAnswer]:
    """The model's first answer to each integral of the run, by the problem's id."""
    raw = {
        row["problem"]: str(row.get("text", ""))
        for row in source.run.completions.rows()
        if row["model"] == source.model and row["sample"] == 0
    }
    by_id = {}
    for row in source.run.verdicts(source.policy).rows():
        if row["model"] == source.model and row["sample"] == 0:
            problem = source.run.problems[row["problem"]]
            if isinstance(problem.target, IntegrationTarget):
                solved = row["status"] == Status.CORRECT
                answer = str(row.get("answer") or "")
                by_id[problem.id] = ExampleAnswer(
                    problem, raw.get(row["problem"], ""), answer, solved
                )
    return by_id


def _of(examples: Iterable[ExampleAnswer], subset: str) -> list[ExampleAnswer]:
    return [answer for answer in examples if answer.problem.name == f"brittleness/{subset}"]


def _pair(examples: Sequence[ExampleAnswer]) -> list[ExampleAnswer]:
    """Choose the first solved and the first failed problem among the answers.

    The result is empty if no problem is solved, or if none is failed.
    """
    solved = [answer for answer in examples if answer.solved][:1]
    failed = [answer for answer in examples if not answer.solved][:1]
    return [*solved, *failed] if solved and failed else []


def _line(answer: ExampleAnswer) -> tuple[str, ...]:
    example = answer.example
    return (
        shortened(example.problem, LONGEST),
        shortened(example.prediction or f"({NOT_RUN})" * (not answer.raw), LONGEST),
        "yes" if answer.solved else "no",
        shortened(example.difference, LONGEST),
    )


_HEADINGS = ("x", "prediction", "correct", "difference")


def table_3(source: ModelAnswers) -> Section:
    """Make Table 3 of Welleck et al.: a solved and a failed problem for each test of robustness."""
    examples = list(answers(source).values())
    rows = [
        (subset if not number else "", *_line(answer))
        for subset in _ROBUST
        for number, answer in enumerate(_pair(_of(examples, subset)))
    ]
    return _section("Robustness: single answers (Table 3)", ("test", *_HEADINGS), rows)


def table_5(source: ModelAnswers) -> Section:
    """Make Table 5 of Welleck et al.: the shortest failed problems, with the answers."""
    failed = [
        answer
        for answer in answers(source).values()
        if not answer.solved and answer.problem.benchmark
    ]
    failed.sort(key=lambda answer: (len(answer.example.problem), answer.problem.id))
    rows = [
        (
            shortened(answer.example.problem, LONGEST),
            shortened(" ".join(answer.raw.split()), LONGEST_RAW),
            shortened(answer.example.prediction, LONGEST),
            shortened(answer.example.derivative, LONGEST),
        )
        for answer in failed[: 2 * EXAMPLES]
    ]
    return _section(
        "Raw answers to simple problems (Table 5)",
        ("x", "raw answer", "simplified", "derivative"),
        rows,
    )


def table_7(source: ModelAnswers) -> Section:
    """Make Table 7 of Welleck et al.: sums that the model fails, with terms that the model solves.

    The terms are listed above each sum.
    """
    by_id = answers(source)
    rows: list[tuple[str, ...]] = []
    for pool in ("exp", "coeff", "valid"):
        for terms, total in list(_failed_sums(by_id, pool))[:EXAMPLES]:
            lines = [*map(_line, terms), _line(total)]
            rows += [(pool if not number else "", *line) for number, line in enumerate(lines)]
    return _section("Sums: single answers (Table 7)", ("pool", *_HEADINGS), rows)


def _failed_sums(
    by_id: dict[str, ExampleAnswer], pool: str
) -> Iterator[tuple[list[ExampleAnswer], ExampleAnswer]]:
    for count in (2, 3, 4):
        for total in _of(by_id.values(), f"{pool}_sum{count}"):
            terms = [by_id[p.id] for p in total.problem.parents if p.id in by_id]
            solved = len(terms) == count and all(term.solved for term in terms)
            if solved and not total.solved:
                yield terms, total


def table_1(source: ModelAnswers) -> Section:
    """Make Table 1 and Figure 1 of Welleck et al.: examples of each deficiency of the model.

    Each example consists of problems that the model solves, and one problem that the model fails.
    """
    by_id = answers(source)
    examples = list(by_id.values())
    sums = next(
        (chosen for pool in ("exp", "coeff", "valid") for chosen in _failed_sums(by_id, pool)), None
    )
    groups: list[tuple[str, Sequence[ExampleAnswer]]] = [
        ("robustness", _any_of(lambda subset: _pair(_of(examples, subset)), _ROBUST)),
        ("compositionality", [*sums[0], sums[1]] if sums else []),
        (
            "out of distribution",
            _any_of(lambda subset: _failed(_of(examples, subset)), _BEYOND),
        ),
    ]
    rows = [
        (name if not number else "", *_line(answer))
        for name, chosen in groups
        for number, answer in enumerate(chosen)
    ]
    return _section("Deficiencies: single answers (Table 1)", ("deficiency", *_HEADINGS), rows)


def _failed(examples: Sequence[ExampleAnswer]) -> list[ExampleAnswer]:
    return [answer for answer in examples if not answer.solved][:1]


def _any_of(
    choose: Callable[[str], Sequence[ExampleAnswer]], subsets: Iterable[str]
) -> Sequence[ExampleAnswer]:
    return next((chosen for subset in subsets if (chosen := choose(subset))), [])


def _section(title: str, headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Section:
    remark = (
        "Formulas in SymPy's notation; a difference is the answer's derivative less the problem."
    )
    return Section(
        title,
        headings,
        tuple(rows) or ((NOT_RUN, *[""] * (len(headings) - 1)),),
        (remark,),
        names=len(headings),
    )
