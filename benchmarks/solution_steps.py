r"""Steps of solutions of integrals, right and wrong: problems of the task ``derivation_step``.

The problems 2n and 2n + 1 show the same step of the same solution, right and with a planted error.
Both labels are confirmed by the verifier of steps (`rewards.verify.solution_steps`). `problems_of`
makes such problems from the solutions of models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..rewards.verify.solution_steps import Judgement, Solution, verify_solution
from .errors import BenchmarkError
from .hashed_random import HashedRandom
from .payloads import JSON, DerivationInputs, LabelTarget
from .problem import Problem
from .registry import benchmark

SOURCE = "this project, docs/steps.md"
NAME, TASK = "solution_steps", "derivation_step"
#: The largest number of solutions that are drawn for a step with confirmed labels.
DRAWS = 20
LABELS = {Judgement.CORRECT: 1, Judgement.INCORRECT: 0}


@dataclass(frozen=True)
class _Step:
    """A step of a solution: the kind, the right equation, and an equation with an error."""

    kind: str
    right: str
    wrong: str = ""


#: Functions of u: an integrand, the antiderivative, and a wrong antiderivative.
_OUTER = (
    (r"\cos u", r"\sin u", r"-\sin u"),
    (r"\sin u", r"-\cos u", r"\cos u"),
    (r"e^{u}", r"e^{u}", r"u e^{u - 1}"),
    (r"\frac{1}{1 + u^{2}}", r"\arctan u", r"\ln(1 + u^{2})"),
    (r"u^{4}", r"\frac{u^{5}}{5}", r"\frac{u^{5}}{4}"),
)
#: Functions of x: the value of u, and its derivative.
_INNER = (
    ("x^{{2}} + {a}", "2x"),
    (r"\ln x + {a}", r"\frac{{1}}{{x}}"),
    ("e^{{{a}x}}", "{a}e^{{{a}x}}"),
    (r"\sin {a}x", r"{a}\cos {a}x"),
    (r"\sqrt{{x}} + {a}", r"\frac{{1}}{{2\sqrt{{x}}}}"),
)


@benchmark("solution_steps/substitution", task=TASK, source=SOURCE, size=200)
def substitution(seed: int, index: int) -> Problem:
    """A step of a solution by substitution."""
    return _problem("substitution", seed, index)


@benchmark("solution_steps/parts", task=TASK, source=SOURCE, size=200)
def parts(seed: int, index: int) -> Problem:
    """A step of a solution by parts."""
    return _problem("parts", seed, index)


@benchmark("solution_steps/fractions", task=TASK, source=SOURCE, size=200)
def fractions(seed: int, index: int) -> Problem:
    """A step of a solution by partial fractions."""
    return _problem("fractions", seed, index)


def _substitution(rng: HashedRandom) -> tuple[str, list[_Step]]:
    h, antiderivative, wrong = rng.choice(_OUTER)
    a, k = rng.integer(2, 9), rng.integer(2, 9)
    inner, derivative = (text.format(a=a) for text in rng.choice(_INNER))
    f = rf"{k} \left({derivative}\right) {_at(h, inner)}"
    integral, in_u = rf"\int {f} \, dx", rf"{k} \int {h} \, du"
    return f, [
        _Step("definition", f"u = {inner}"),
        _Step("differential", rf"du = {derivative} \, dx", rf"dx = {derivative} \, du"),
        _Step("substitution", f"{integral} = {in_u}", rf"{integral} = \int {h} \, du"),
        _Step("integral", _result(in_u, k, antiderivative), _result(in_u, k, wrong)),
        _Step(
            "back-substitution",
            _result(integral, k, _at(antiderivative, inner)),
            _result(integral, k, _at(antiderivative, derivative)),
        ),
    ]


def _at(latex: str, inner: str) -> str:
    """A formula in u with the value of u inserted."""
    return latex.replace("u", rf"\left({inner}\right)")


def _result(left_side: str, factor: int, antiderivative: str) -> str:
    return rf"{left_side} = {factor} \left({antiderivative}\right) + C"


def _parts(rng: HashedRandom) -> tuple[str, list[_Step]]:
    a, k = rng.integer(2, 9), rng.integer(2, 9)
    # v and w are the first and the second antiderivative of g, so both steps by parts are known.
    g, v, w = rng.choice(
        (
            (f"e^{{{a}x}}", rf"\frac{{e^{{{a}x}}}}{{{a}}}", rf"\frac{{e^{{{a}x}}}}{{{a * a}}}"),
            (rf"\cos {a}x", rf"\frac{{\sin {a}x}}{{{a}}}", rf"-\frac{{\cos {a}x}}{{{a * a}}}"),
            (rf"\sin {a}x", rf"-\frac{{\cos {a}x}}{{{a}}}", rf"-\frac{{\sin {a}x}}{{{a * a}}}"),
        )
    )
    f = f"{k}x {g}"
    integral, remaining = rf"\int {f} \, dx", rf"{k} \int \left({v}\right) dx"
    product = rf"{k}x \left({v}\right)"
    return f, [
        _Step("definition", f"u = {k}x"),
        _Step("definition", rf"dv = {g} \, dx"),
        _Step("parts", f"v = {v}", f"v = {a} {g}"),
        _Step(
            "parts",
            f"{integral} = {product} - {remaining}",
            f"{integral} = {product} + {remaining}",
        ),
        _Step(
            "integral", _result(remaining, k, w), _result(remaining, k, f"{a} \\left({w}\\right)")
        ),
        _Step(
            "integral",
            rf"{integral} = {product} - {k} \left({w}\right) + C",
            rf"{integral} = {product} + {k} \left({w}\right) + C",
        ),
    ]


def _fractions(rng: HashedRandom) -> tuple[str, list[_Step]]:
    a, b = rng.shuffled(range(1, 9))[:2]
    p, q = rng.integer(2, 9), rng.integer(2, 9)
    f = rf"\frac{{{p + q}x + {p * b + q * a}}}{{(x + {a})(x + {b})}}"

    def sum_of(over_a: int, over_b: int) -> str:
        return rf"\frac{{{over_a}}}{{x + {a}}} + \frac{{{over_b}}}{{x + {b}}}"

    def logarithms(at_a: int, at_b: int) -> str:
        return rf"\int {f} \, dx = {at_a} \ln|x + {a}| + {at_b} \ln|x + {b}| + C"

    top = f"{p + q}x + {p * b + q * a}"
    return f, [
        _Step(
            "partial fractions",
            rf"{top} = {p} (x + {b}) + {q} (x + {a})",
            rf"{top} = {p} (x + {a}) + {q} (x + {b} + 1)",
        ),
        _Step("partial fractions", f"{f} = {sum_of(p, q)}", f"{f} = {sum_of(p + 1, q)}"),
        _Step("integral", logarithms(p, q), logarithms(p, -q).replace("+ -", "- ")),
    ]


TECHNIQUES = {"substitution": _substitution, "parts": _parts, "fractions": _fractions}


def _problem(technique: str, seed: int, index: int) -> Problem:
    number, wrong = divmod(index, 2)
    for draw in range(DRAWS):
        rng = HashedRandom(NAME, technique, seed, number, draw)
        integrand, steps = TECHNIQUES[technique](rng)
        chosen = rng.choice([at for at, step in enumerate(steps) if step.wrong])
        earlier, step = steps[:chosen], steps[chosen]
        if all(
            _label(integrand, earlier, equation) == label
            for equation, label in ((step.right, 1), (step.wrong, 0))
        ):
            break
    else:
        raise BenchmarkError(f"no step of {technique} for seed {seed} and index {index}")
    earlier_steps = [(earlier_step.kind, earlier_step.right) for earlier_step in earlier]
    return _step_problem(
        f"{technique}-s{seed}-{index}",
        technique,
        rf"\int {integrand} \, dx",
        earlier_steps,
        (step.kind, step.wrong if wrong else step.right),
        1 - wrong,
        {"group": f"{technique}-s{seed}-{number}", "seed": seed},
    )


def _label(integrand: str, earlier: Sequence[_Step], equation: str) -> int | None:
    """The verifier's label of an equation after earlier steps."""
    text = "".join(f"${earlier_step.right}$, so\n" for earlier_step in earlier) + f"${equation}$"
    end = len(text) - 1
    claims = verify_solution(text, integrand, variable="x").claims
    judged = [claim for claim in claims if claim.end == end and claim.kind != "final"]
    return LABELS.get(judged[-1].judgement) if judged else None


def problems_of(
    key: str, problem: str, solution: Solution, *, metadata: Mapping[str, JSON] | None = None
) -> Iterator[Problem]:
    r"""The judged steps of a solution as problems, up to the first wrong step.

    Args:
        key: identifies the solution.
        problem: the solved problem, an integral.
        solution: the result of `rewards.verify.solution_steps.verify_solution`.
        metadata: the metadata of every problem.

    >>> from calculus_harness.rewards import verify_solution
    >>> text = r"Let $u = x^2$, $du = 2x\,dx$: $\int 2xe^{x^2}\,dx = \int e^u\,du = ue^u$."
    >>> made = list(problems_of("a", r"\int 2xe^{x^2}\,dx", verify_solution(text, "2xe^{x^2}")))
    >>> [problem.target.label for problem in made], made[1].inputs.annotation
    ([1, 1, 0], 'substitution')

    """
    lines = [
        (definition.start, "definition", f"{definition.name} = {definition.value}")
        for definition in solution.definitions
    ]
    wrong_claim = solution.first_wrong
    for number, claim in enumerate(
        solution.claims[: None if wrong_claim is None else wrong_claim + 1]
    ):
        step = (claim.kind, f"{claim.left} = {claim.right}")
        label = LABELS.get(claim.judgement)
        if claim.kind != "final" and label is not None:
            earlier = [line[1:] for line in sorted(lines) if line[0] < claim.end]
            step_problem = _step_problem(
                f"{key}-{number}", "solutions", problem, earlier, step, label, metadata or {}
            )
            yield step_problem
        lines.append((claim.start, *step))


def _step_problem(
    name: str,
    subset: str,
    problem: str,
    earlier: Sequence[tuple[str, str]],
    step: tuple[str, str],
    label: int,
    metadata: Mapping[str, JSON],
) -> Problem:
    """A problem with the inputs for prompts of the task ``derivation_step``."""
    annotation, equation = step
    earlier = [("problem", problem), *earlier]
    listed = ", ".join(f"[{annotation}, {latex}]" for annotation, latex in earlier)
    sequence = f"{listed} [SEP] [{annotation}] [SEP] {equation}"
    return Problem(
        id=name,
        task=TASK,
        benchmark=NAME,
        subset=subset,
        inputs=DerivationInputs(
            sequence, sequence, tuple(earlier), annotation, equation, annotation
        ),
        target=LabelTarget(label),
        metadata={"operator": annotation, "steps": len(earlier) - 1, **metadata},
    )
