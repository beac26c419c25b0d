r"""Group the equal answers to a problem, to take majority votes and to count different answers.

Two antiderivatives are the same answer if their derivatives agree. A constant of integration makes
no difference. For example, ``\sin^2 x`` and ``-\cos^2 x`` are the same answer, and so are
``\ln|3x|`` and ``\ln x``. The derivative of each answer is evaluated with error bounds (ball
arithmetic) at fixed real and complex points. The values are rounded. Two answers are candidates for
the same group if their rounded values agree at `SHARED` or more points. The verifier then decides
whether the candidates are equal (`rewards.verify_equivalent`). All correct answers have the
integrand f as their derivative. The correct answers form group 0 without a comparison.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flint import acb, arb

from ...benchmarks.payloads import IntegrationTarget
from ...benchmarks.problem import Problem
from ...rewards import ProblemError, Status, verify_equivalent
from ...rewards.numeric.ball_arithmetic.balls import UnusableError, precision
from ...rewards.numeric.ball_arithmetic.compiler import compile_tape
from ...rewards.reading.expression.traversal import additive_terms, is_constant, needs_worker
from ...rewards.reading.expression.tree import Call, Expression
from ...rewards.reading.latex import ReadError, read, to_latex
from ..store.run import Run
from .clusters import clusters_of
from .metrics.majority_at_k import majority_at_k
from .tallies import Estimate, estimate_mean, keys_by_subset, ks_up_to

#: Rounded values that two derivatives must share to be compared by the verifier. Two ways to write
#: a root or a logarithm may differ at points where f is not real, so that fewer than all points
#: suffice.
SHARED = 3
_BITS = 192
#: Generic points, positive ones first; no pole or branch cut of a textbook formula is near.
_POINTS = (
    ("0.2360679", "0"),
    ("0.7390851", "0"),
    ("0.8346268", "0"),
    ("1.4513692", "0"),
    ("2.2247448", "0"),
    ("3.7320508", "0"),
    ("-0.5671432", "0"),
    ("-1.3247179", "0"),
    ("-2.7320508", "0"),
    ("0.36787", "0.41421"),
    ("1.27323", "0.57721"),
    ("-0.69314", "0.91596"),
    ("2.50662", "0.33467"),
    ("-1.64493", "0.26149"),
)
#: Samples with one of these statuses have no mathematics to compare and do not vote.
_MUTE = frozenset({Status.NO_ANSWER, Status.UNPARSEABLE, Status.NOT_CLOSED_FORM})


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    answer: str | None
    status: str


@dataclass(frozen=True, slots=True)
class _AnswerGroup:
    group: int
    marks: frozenset[str]
    tree: Expression


def group(problem: Problem, samples: Sequence[JudgedAnswer]) -> list[int | None]:
    """Group equal answers. Return each answer's group number, in the order of the samples.

    All correct answers are in group 0. A sample without a readable answer has the number None.
    """
    seen: list[_AnswerGroup] = []
    texts: dict[str, int | None] = {}
    groups: list[int | None] = []
    for sample in samples:
        # Correct answers are equal by definition; unreadable answers have no vote.
        if sample.status == Status.CORRECT:
            groups.append(0)
        elif sample.answer is None or sample.status in _MUTE:
            groups.append(None)
        else:
            # Equal texts are compared once.
            text = " ".join(sample.answer.split())
            if text not in texts:
                texts[text] = _find(problem, text, seen, len(texts) + 1)
            groups.append(texts[text])
    return groups


def _find(problem: Problem, text: str, seen: list[_AnswerGroup], new: int) -> int | None:
    """Find the number of the group in ``seen`` whose answer is equal to the answer ``text``.

    Without such a group, a group with the number ``new`` is added to ``seen``. The result is None
    for an unreadable ``text``.
    """
    if not isinstance(problem.target, IntegrationTarget):
        return new
    variable = problem.target.variable
    try:
        tree = read(text, symbols=[variable, *problem.assumptions])[0].expression
    except ReadError:
        return None
    # Fingerprints at points select candidates; only candidates with enough equal marks are compared
    # in earnest.
    marks = _marks(tree, variable)
    for candidate in seen:
        if len(candidate.marks & marks) >= SHARED and _same(problem, text, tree, candidate, marks):
            return candidate.group
    seen.append(_AnswerGroup(new, marks, tree))
    return new


def _same(
    problem: Problem, text: str, tree: Expression, answer_group: _AnswerGroup, marks: frozenset[str]
) -> bool:
    if tree == answer_group.tree:
        return True
    if needs_worker(tree):  # its marks are its text
        return False
    try:
        verdict = verify_equivalent(
            rf"\boxed{{{text}}}",
            to_latex(answer_group.tree),
            variable=problem.target.integrated_over,
            up_to_constant=True,
            assumptions=problem.assumptions,
        )
    except ProblemError:
        return False
    if verdict.status is Status.UNDECIDED:
        return answer_group.marks == marks
    return verdict.correct


def _marks(tree: Expression, variable: str) -> frozenset[str]:
    """Rounded values of the answer's derivative at fixed points, as strings.

    Equal answers have strings in common. If the derivative cannot be computed, the only string is
    the answer's text.
    """
    if not needs_worker(tree):
        try:
            tape = compile_tape(tree, variable)
        except UnusableError:
            pass
        else:
            with precision(_BITS):
                names = sorted(tape.symbols)
                values = {name: acb(arb(3 + 2 * i) / 7) for i, name in enumerate(names)}
                slopes = [
                    tape.run(acb(arb(re), arb(im)), values)[tape.root][1] for re, im in _POINTS
                ]
            return frozenset(
                f"{at} {rounded}"
                for at, slope in enumerate(slopes)
                if (rounded := _rounded(slope)) is not None
            )
    return frozenset(f"{i} {to_latex(tree)}" for i in range(SHARED))


def _rounded(value: Any) -> str | None:
    """The midpoint of a complex ball, rounded to ten digits, as a string.

    A ball is a midpoint with an error bound. The result is None if the error is too large for ten
    digits. A ``value`` of None means 0.
    """
    if value is None:
        return "0"
    if not value.is_finite():
        return None
    size = float(abs(value).mid())
    if not math.isfinite(size) or float(value.real.rad() + value.imag.rad()) > 1e-20 * (1 + size):
        return None
    unit = 10.0 ** (math.floor(math.log10(size)) - 10) if size > 1e-300 else 1.0
    # The offset of 1/pi units keeps the values of textbook formulas away from the steps of floor.
    coordinates = (
        math.floor(float(coordinate.mid()) / unit + 0.318)
        for coordinate in (value.real, value.imag)
    )
    return f"{'/'.join(map(str, coordinates))} {unit:.0e}"


def distinct_forms(problem: Problem, samples: Iterable[JudgedAnswer]) -> int:
    r"""The number of different forms in which the correct answers are written.

    Spelling, the order of terms and additive constants make no difference. For example, ``\sin^2
    x`` and ``-\cos^2 x`` are two forms.
    """
    forms = set()
    for sample in samples:
        if sample.status != Status.CORRECT or sample.answer is None:
            continue
        form: Any = " ".join(sample.answer.split())
        if isinstance(problem.target, IntegrationTarget):
            variable = problem.target.variable
            try:
                tree = read(form, symbols=[variable, *problem.assumptions])[0].expression
            except ReadError:
                pass
            else:
                # Order of terms and factors, and constants of integration, make no other form.
                terms = additive_terms(tree, variable)
                form = frozenset(_sorted(term) for term in terms if not is_constant(term, variable))
        forms.add(form)
    return len(forms)


def _sorted(tree: Expression) -> str:
    """Write a tree as text, with the operands of sums and products in a fixed order."""
    if not isinstance(tree, Call):
        return repr(tree)
    args = [_sorted(arg) for arg in tree.args]
    if tree.function in ("add", "mul"):
        args.sort()
    return f"{tree.function}({', '.join(args)})"


# --- a whole run -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Votes:
    """Majority votes of a model on a subset of problems, and the variety of correct answers.

    ``groups`` is the mean number of groups of equal answers per problem. ``forms`` is the mean
    number of different forms (`distinct_forms`) of the correct answers to a solved problem. It is
    None if no problem is solved.
    """

    model: str
    label: str
    subset: str
    problems: int
    majority: tuple[Estimate, ...]
    groups: float
    forms: float | None


def votes(run: Run, policy: str | None = None, ks: Iterable[int] = ()) -> list[Votes]:
    """Compute the `Votes` of each model and subset of a run."""
    samples: dict[tuple[str, str], list[JudgedAnswer]] = {}
    for row in run.verdicts(policy).rows():
        sample = JudgedAnswer(row.get("answer"), row["status"])
        samples.setdefault((row["model"], row["problem"]), []).append(sample)
    clusters = clusters_of(run.problems)
    chosen_ks = list(ks)
    return [
        _votes(run, model, subset, answered, clusters, chosen_ks)
        for model in run.models
        for subset, keys in keys_by_subset(run).items()
        if subset != "all"
        if (answered := {key: samples[model, key] for key in keys if (model, key) in samples})
    ]


def _votes(
    run: Run,
    model: str,
    subset: str,
    samples: Mapping[str, Sequence[JudgedAnswer]],
    clusters: Mapping[str, str],
    chosen_ks: Sequence[int],
) -> Votes:
    problems = {key: run.problem(key) for key in samples}
    groups = {key: group(problems[key], answers) for key, answers in samples.items()}
    right = {
        key: [answer.status == Status.CORRECT for answer in answers]
        for key, answers in samples.items()
    }
    alike = [clusters[key] for key in samples]
    forms = [n for key, answers in samples.items() if (n := distinct_forms(problems[key], answers))]
    sizes = [len(set(answers) - {None}) for answers in groups.values()]
    return Votes(
        model=model,
        label=run.models[model]["label"],
        subset=subset,
        problems=len(samples),
        majority=tuple(
            estimate_mean(
                alike, [majority_at_k(groups[key], right[key], k) for key in samples], k=k
            )
            for k in ks_up_to(min(map(len, samples.values())), chosen_ks)
        ),
        groups=math.fsum(sizes) / len(sizes),
        forms=math.fsum(forms) / len(forms) if forms else None,
    )
