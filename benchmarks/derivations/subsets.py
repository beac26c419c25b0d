"""The benchmarks ``derivations`` and ``calculus``: examples as problems, and perturbed problems.

Example n gives the problems 2n (the right last equation, label 1) and 2n + 1 (the wrong equation,
label 0). A perturbed problem is paired with the unperturbed problem of the same index. Under AR
both show the same equation; the annotation and the label differ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product

from ..hashed_random import HashedRandom
from ..payloads import CalculusInputs, DerivationInputs, LabelTarget
from ..problem import Parent, Problem
from ..registry import benchmark
from . import calculus
from .calculus import DIFFERENTIATION, INTEGRATION, CalculusExample, case
from .examples import PERTURBATIONS, VERSION, StepExample, example, perturbed
from .expressions.printing import latex
from .options import CODE, VARIANTS, Options
from .sequences import CLEAN, PUBLISHED, annotation_text, sequence
from .training import digest

STEPS = (2, 3, 4)
#: The number of problems of a subset without a limit, as in the paper's GPT experiments.
SIZE = 200
SOURCE = "Meadows et al. 2023, sections 3 and 4, appendices A to E"
#: Subset of ``calculus`` -> operation.
SHORT = {"diff": DIFFERENTIATION, "int": INTEGRATION}


# --- the step task ---


def step_problem(
    steps: int, seed: int, index: int, *, perturbation: str | None = None, options: Options = CODE
) -> Problem:
    """A problem of the step task, static or under VR, EE or AR."""
    # Indices alternate between the right and the wrong last step of an example; AR exchanges the
    # two.
    number, wrong = divmod(index, 2)
    static = example(steps, seed, number, options)
    variant = _prefix(options)
    name = f"{variant.replace('_', '-')}step{steps}-s{seed}-{index}"
    example_shown, label = static, 1 - wrong
    if perturbation is not None:
        example_shown = perturbed(static, perturbation, (steps, seed, number))
        label = wrong if perturbation == "AR" else label
    return Problem(
        id=name if perturbation is None else f"{name}-{perturbation.lower()}",
        task="derivation_step",
        benchmark="derivations",
        subset=f"{variant}step{steps}" + (f"_{perturbation.lower()}" if perturbation else ""),
        inputs=_step_inputs(example_shown, label, static.operator, steps),
        target=LabelTarget(label),
        parents=(Parent(name, "original"),) if perturbation else (),
        pair_parent=name if perturbation else None,
        perturbation=perturbation,
        metadata={
            "group": f"{variant.replace('_', '-')}step{steps}-s{seed}-{number}",
            "operator": static.operator,
            "shown_operator": example_shown.operator,
            "other_operator": example_shown.negative.annotation.operator,
            "example": digest(sequence(static, 1)),
            "steps": steps,
            "version": VERSION,
            "seed": seed,
            "options": options.name,
        },
    )


def _prefix(options: Options) -> str:
    """The prefix of the subsets of a variant; empty for the default."""
    return "" if options == CODE else f"{options.name}_"


def _step_inputs(
    step_example: StepExample, label: int, operator: str, shots_from: int
) -> DerivationInputs:
    """The inputs of a problem.

    Few-shot examples have the last operator of the unperturbed problem (``operator``), and
    ``shots_from`` steps.
    """
    last_step = step_example.positive if label else step_example.negative
    return DerivationInputs(
        sequence=sequence(step_example, label, PUBLISHED),
        clean_sequence=sequence(step_example, label, CLEAN),
        steps=tuple((annotation_text(s.annotation), s.equation.latex) for s in step_example.before),
        annotation=annotation_text(step_example.positive.annotation),
        equation=last_step.equation.latex,
        operator=operator,
        shots_from=shots_from,
    )


def fewer_steps_problem(
    steps: int, fewer: int, seed: int, index: int, *, options: Options = CODE
) -> Problem:
    """A problem of s - 1 or s - 2 steps with few-shot examples of s (the paper's s-1, s-2)."""
    plain = step_problem(steps - fewer, seed, index, options=options)
    return Problem(
        id=f"{plain.id}-as{steps}",
        task=plain.task,
        benchmark=plain.benchmark,
        subset=f"{_prefix(options)}step{steps}_minus{fewer}",
        inputs=replace(plain.inputs_as(DerivationInputs), shots_from=steps),
        target=plain.target,
        parents=(Parent(plain.id, "original"),),
        metadata=plain.metadata,
    )


# --- the calculus task ---


def calculus_problem(
    short: str, seed: int, index: int, *, variant: str | None = None, options: Options = CODE
) -> Problem:
    """A problem of the calculus task: static, under VR or EC, or Easy (of a single variable)."""
    number, wrong = divmod(index, 2)
    label = 1 - wrong
    easy = variant == "easy"
    static = case(SHORT[short], seed, number, easy=easy, options=options)
    group = f"{short}{'-easy' if easy else ''}-s{seed}-{number}"
    name = f"{short}{'-easy' if easy else ''}-s{seed}-{index}"
    perturbation = None if easy or variant is None else variant.upper()
    example_shown = static
    if perturbation == "VR":
        example_shown = calculus.renamed(
            static, HashedRandom("VR", "calculus", short, seed, number)
        )
    return Problem(
        id=f"{name}-{variant}" if perturbation else name,
        task="calculus_step",
        benchmark="calculus",
        subset=short + (f"_{variant}" if variant else ""),
        inputs=_calculus_inputs(example_shown, label, perturbation, (short, seed, number)),
        target=LabelTarget(label),
        parents=(Parent(name, "original"),) if perturbation else (),
        pair_parent=name if perturbation else None,
        perturbation=perturbation,
        metadata={
            "group": group,
            "operator": SHORT[short],
            "example": digest(calculus.sequence(static, 1)),
            "version": calculus.VERSION,
            "seed": seed,
            "options": options.name,
        },
    )


def _calculus_inputs(
    example: CalculusExample, label: int, perturbation: str | None, key: object
) -> CalculusInputs:
    def text(style: str) -> str:
        if perturbation == "EC":
            return calculus.converted(example, label, HashedRandom("EC", key), style)
        return calculus.sequence(example, label, style)

    return CalculusInputs(
        sequence=text(PUBLISHED),
        clean_sequence=text(CLEAN),
        premise=latex(example.premise),
        variable=latex(example.variable),
        result=latex(example.result(label)),
        operator=example.operation,
    )


# --- the registry ---


def _declare(
    name: str, task: str, make: Callable[..., Problem], summary: str, options: Options = CODE
) -> None:
    def problem(seed: int, index: int) -> Problem:
        return make(seed, index, options=options)

    variant = "" if options == CODE else f", variant {options.name}"
    problem.__doc__ = f"{summary[:-1]}{variant}{summary[-1]}"
    benchmark(name, source=SOURCE, size=SIZE, task=task, endless=True, default=options == CODE)(
        problem
    )


_DESCRIPTIONS = {
    "VR": "with Greek names",
    "EE": "with the sides of all equations exchanged",
    "AR": "with the last annotation replaced and the label changed",
}

for _options, _s in product(VARIANTS.values(), STEPS):
    _subset = f"{_prefix(_options)}step{_s}"
    _declare(
        f"derivations/{_subset}",
        "derivation_step",
        partial(step_problem, _s),
        f"Does the last of {_s} steps follow by its annotation?",
        _options,
    )
    for _name in PERTURBATIONS:
        _declare(
            f"derivations/{_subset}_{_name.lower()}",
            "derivation_step",
            partial(step_problem, _s, perturbation=_name),
            f"The problems of step{_s} {_DESCRIPTIONS[_name]}.",
            _options,
        )
    for _fewer in range(1, _s - 1):
        _declare(
            f"derivations/{_subset}_minus{_fewer}",
            "derivation_step",
            partial(fewer_steps_problem, _s, _fewer),
            f"The problems of step{_s - _fewer}, with examples of {_s} steps.",
            _options,
        )

_CALCULUS_DESCRIPTIONS = {
    "vr": "with Greek names",
    "ec": "as two equations about a function",
    "easy": "that have one variable",
}

for _short, _operation in SHORT.items():
    _what = "the derivative" if _short == "diff" else "an antiderivative"
    _declare(
        f"calculus/{_short}",
        "calculus_step",
        partial(calculus_problem, _short),
        f"Is the last expression {_what} of the first?",
    )
    for _variant, _description in _CALCULUS_DESCRIPTIONS.items():
        _declare(
            f"calculus/{_short}_{_variant}",
            "calculus_step",
            partial(calculus_problem, _short, variant=_variant),
            f"Problems like those of {_short} {_description}."
            if _variant == "easy"
            else f"The problems of {_short} {_description}.",
        )
