"""The kinds of questions for the verifier, with a record for each kind.

`QUESTIONS` has the records. Several lists are derived from the records: the tasks of workers,
rubrics and benchmarks, the columns of data sets, and the choices of the command line. To add a kind
of question of the calculus course, write its judging function in `rewards.verify`, and a record
here (docs/extensions.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Final

from .verdict import Verdict


@dataclass(frozen=True, slots=True)
class Question:
    r"""A kind of question: the names, and the function that judges answers.

    Attributes:
        name: the name for trainers (`rewards.adapters.scoring.Rubric.task`) and `run.py verify`.
        judge: the function that judges a completion, as ``.module:function`` of this package. The
            function takes the completion and the target, and options by keyword.
        column: the usual column of the targets in data sets.
        task: the name for benchmarks (`Problem.task`). Empty if no benchmark has questions of the
            kind.
        summary: a summary of the question, in a line.
        worker: the name of the worker task; by default ``name``.
        has_text: whether the target must be a text. If not, the target may also be a whole number.
        shows_witness: whether feedback may show a witness (a point that refutes the
            answer). A witness has two numbers. Both must follow from the problem and the answer.
        is_of_course: whether the question belongs to the calculus course. The target is then the
            text of the question, in the column ``question``.

    >>> QUESTIONS["derivative"].judge
    '.verify.derivative:verify_derivative'

    """

    name: str
    judge: str
    column: str
    task: str = ""
    summary: str = ""
    worker: str = ""
    has_text: bool = True
    shows_witness: bool = False
    is_of_course: bool = False

    @property
    def worker_task(self) -> str:
        """The name of the worker task for the question."""
        return self.worker or self.name

    @property
    def verify(self) -> Callable[..., Verdict]:
        """The function that judges a completion."""
        return _resolved(self.judge)


@cache
def _resolved(judge: str) -> Callable[..., Verdict]:
    module, _, name = judge.partition(":")
    function: Callable[..., Verdict] = getattr(import_module(module, __package__), name)
    return function


def _of_course(name: str, summary: str, *, shows_witness: bool = False) -> Question:
    """Make a kind of question whose target is the question's own text.

    The function ``verify_NAME`` in the module ``NAME`` judges the answer.
    """
    return Question(
        name,
        f".verify.{name}:verify_{name}",
        "question",
        name,
        summary,
        shows_witness=shows_witness,
        is_of_course=True,
    )


_ALL: Final = (
    Question(
        "antiderivative",
        ".verify.antiderivative:verify_antiderivative",
        "integrand",
        "integration",
        "Find an antiderivative.",
        "verify",
        shows_witness=True,
    ),
    Question(
        "definite",
        ".verify.definite:verify_definite_integral",
        "problem",
        "definite_integral",
        "Find the value of a definite integral in closed form.",
    ),
    Question(
        "steps",
        ".verify.solution_steps.reward:verify_steps",
        "integrand",
        summary="Solve an integral in steps.",
        shows_witness=True,
    ),
    Question("value", ".verify.values:verify_value", "target"),
    Question("equivalent", ".verify.values:verify_equivalent", "target"),
    Question("label", ".verify.labels:verify_label", "target", has_text=False),
    Question(
        "integer", ".verify.arithmetic:verify_integer", "target", "arithmetic", has_text=False
    ),
    _of_course("derivative", "Find a derivative."),
    _of_course("differential_equation", "Solve a differential equation.", shows_witness=True),
    _of_course("limit", "Find a limit."),
    _of_course(
        "sum", "Find the value of a sum, or what is asked of a power series.", shows_witness=True
    ),
)
#: By name.
QUESTIONS: Final[Mapping[str, Question]] = {question.name: question for question in _ALL}
#: Those of the course by name, which is also the name of their benchmarks' task.
COURSE: Final[Mapping[str, Question]] = {
    name: question for name, question in QUESTIONS.items() if question.is_of_course
}
#: What rows and benchmarks may call a question -> its name.
NAMES: Final[Mapping[str, str]] = {
    **{name: name for name in QUESTIONS},
    **{question.task: name for name, question in QUESTIONS.items() if question.task},
    "derivation_step": "label",
    "calculus_step": "label",
}
