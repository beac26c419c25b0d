"""Examples and their perturbations: proven, paired, reversible, equal on every machine."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from calculus_harness.benchmarks import load
from calculus_harness.benchmarks.derivations import examples
from calculus_harness.benchmarks.derivations.examples import (
    NoExampleError,
    example,
    exchanged,
    greek_names,
    holds,
    perturbed,
    reannotated,
    renamed,
    with_names,
)
from calculus_harness.benchmarks.derivations.expressions.terms import (
    apply,
    cos,
    derivative,
    sin,
    symbol,
)
from calculus_harness.benchmarks.derivations.options import CODE, GREEK, ORIGINAL, PAPER
from calculus_harness.benchmarks.derivations.proof import is_result
from calculus_harness.benchmarks.derivations.sequences import (
    CLEAN,
    PUBLISHED,
    annotation_text,
    sequence,
)
from calculus_harness.benchmarks.derivations.steps import (
    EVALUATE_INTEGRALS,
    LEFT_FOR_RIGHT,
    PREMISE,
    PREMISES,
    Annotation,
    Constant,
    DerivationEquation,
    Step,
)
from calculus_harness.benchmarks.hashed_random import HashedRandom

CASES = list(itertools.product((2, 3, 4), range(5)))
x, capital_h = symbol("x"), symbol("H")


@pytest.mark.parametrize(("steps", "index"), CASES)
def test_every_example_holds_before_and_after(steps: int, index: int) -> None:
    drawn = example(steps, 3, index)
    assert len(drawn.before) == steps - 1
    assert holds(drawn)
    for name in ("VR", "EE", "AR"):
        assert holds(perturbed(drawn, name, index)), name


@pytest.mark.parametrize(("steps", "index"), CASES)
def test_perturbations_can_be_undone(steps: int, index: int) -> None:
    drawn = example(steps, 3, index)
    assert exchanged(exchanged(drawn)) == drawn
    assert reannotated(reannotated(drawn)) == drawn
    names = greek_names(drawn, HashedRandom("VR", index))
    assert set(names) == set(drawn.names)
    assert set(names.values()) <= set(GREEK)
    greek = renamed(drawn, HashedRandom("VR", index))
    assert not set(greek.names) & set(drawn.names)
    assert with_names(greek, {new: old for old, new in names.items()}) == drawn


def test_negatives_are_from_another_annotation() -> None:
    for steps, index in CASES:
        drawn = example(steps, 3, index)
        assert drawn.negative.annotation != drawn.positive.annotation
        assert drawn.negative.annotation.operator not in PREMISES
        assert drawn.operator != PREMISE
        assert not is_result(drawn.negative.equation, drawn.positive, drawn.negative.constants)


def test_an_example_is_the_same_whatever_else_is_made() -> None:
    late = example(3, 11, 7)
    example.cache_clear()
    assert example(3, 11, 7) == late
    assert len({example(3, 11, index) for index in range(12)}) == 12
    assert example(3, 12, 7) != late
    with pytest.raises(ValueError, match="a step to judge"):
        example(1, 0, 0)


def test_the_original_recipe_makes_right_negatives() -> None:
    """The trap: another constant of integration passes for a wrong result."""
    seen = 0
    for index in range(60):
        drawn = example(3, 1, index, ORIGINAL)
        if drawn.positive.annotation == drawn.negative.annotation:
            assert drawn.operator == EVALUATE_INTEGRALS
            assert is_result(drawn.negative.equation, drawn.positive, drawn.negative.constants)
            seen += 1
    assert seen > 0


def test_the_papers_variant_and_own_options(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = example(3, 1, 0, PAPER)
    assert holds(drawn)
    assert all(len(s.equation.latex) < 250 for s in (*drawn.before, drawn.positive, drawn.negative))
    monkeypatch.setattr(examples, "MAX_DRAWS", 3)
    tiny = replace(CODE, name="tiny", max_length=9)
    with pytest.raises(NoExampleError):
        example(4, 0, 0, tiny)


# --- text ---


def by_hand() -> tuple[Step, Step, Step]:
    f = apply("f", capital_h)
    note = Annotation("differentiate", (1,), capital_h)
    return (
        Step(DerivationEquation(f, sin(capital_h)), Annotation(PREMISE)),
        Step(
            DerivationEquation(derivative(f, capital_h), derivative(sin(capital_h), capital_h)),
            note,
        ),
        Step(
            DerivationEquation(derivative(f, capital_h), cos(capital_h)),
            Annotation("evaluate_derivatives", (2,)),
        ),
    )


def test_sequences() -> None:
    from calculus_harness.benchmarks.derivations.examples import StepExample

    first_step, second_step, last_step = by_hand()
    longer = StepExample((first_step, second_step), last_step, last_step)
    assert sequence(longer, 1, PUBLISHED) == (
        r"[premise, f{(H )} = \sin{(H )}], "
        r"[differentiate, 1, H], \frac{d}{d H} f{(H )} = \frac{d}{d H} \sin{(H )}] [SEP] "
        r"[evaluate_derivatives, 2] [SEP] \frac{d}{d H} f{(H )} = \cos{(H )}"
    )
    assert sequence(longer, 1, CLEAN) == (
        r"[premise, f{\left(H \right)} = \sin{\left(H \right)}], [[differentiate, 1, H], "
        r"\frac{d}{d H} f{\left(H \right)} = \frac{d}{d H} \sin{\left(H \right)}] [SEP] "
        r"[evaluate_derivatives, 2] [SEP] \frac{d}{d H} f{\left(H \right)} = \cos{\left(H \right)}"
    )
    with pytest.raises(ValueError, match="unknown style"):
        sequence(longer, 1, "other")
    shorter = StepExample((first_step,), second_step, second_step)
    assert sequence(shorter, 0, PUBLISHED).startswith(
        r"[premise, f{(H )} = \sin{(H )}] [SEP] [diff"
    )


def test_annotations() -> None:
    assert annotation_text(Annotation(PREMISE)) == "premise"
    assert annotation_text(Annotation("cos", (3,))) == "[cos, 3]"
    assert annotation_text(Annotation(LEFT_FOR_RIGHT, (4, 2))) == "[substitute_LHS_for_RHS, 4, 2]"
    assert (
        annotation_text(Annotation("minus", (1,), sin(x))) == r"[minus, 1, \sin{\left(x \right)}]"
    )


def test_exchange_swaps_the_names_of_substitutions() -> None:
    f = apply("f", x)
    step = Step(
        DerivationEquation(f, x), Annotation(LEFT_FOR_RIGHT, (1, 2)), (Constant("c", x, x),)
    )
    from calculus_harness.benchmarks.derivations.examples import StepExample

    swapped = exchanged(StepExample((), step, step)).positive
    assert swapped.annotation.operator == "substitute_RHS_for_LHS"
    assert swapped.equation == DerivationEquation(x, f)
    assert swapped.constants == step.constants


# --- as problems ---


@pytest.mark.parametrize("steps", [2, 3, 4])
def test_twins(steps: int) -> None:
    static = {p.id: p for p in load(f"derivations/step{steps}", limit=8)}
    assert [p.target.label for p in static.values()] == [1, 0] * 4
    for name in ("vr", "ee", "ar"):
        for twin in load(f"derivations/step{steps}_{name}", limit=8):
            origin = static[str(twin.pair_parent)]
            assert twin.perturbation == name.upper()
            assert twin.inputs.operator == origin.inputs.operator
            assert twin.inputs.sequence != origin.inputs.sequence
            flipped = twin.target.label != origin.target.label
            assert flipped == (name == "ar")
            if name == "ar":
                assert twin.inputs.equation == origin.inputs.equation
                assert twin.inputs.annotation != origin.inputs.annotation
            if name == "ee":
                left, right = origin.inputs.equation.split(" = ")
                assert twin.inputs.equation == f"{right} = {left}"
            if name == "vr":
                assert "\\" in twin.inputs.equation


def test_fewer_steps_are_the_same_problems_with_other_examples() -> None:
    for plain, less in zip(
        load("derivations/step2", limit=4), load("derivations/step4_minus2", limit=4), strict=True
    ):
        assert less.target == plain.target
        assert less.inputs == replace(plain.inputs, shots_from=4)
