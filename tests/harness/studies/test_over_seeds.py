"""Trained classifiers over the seeds of the training."""

from __future__ import annotations

import random
from statistics import mean

import pytest

from calculus_harness.harness.stats.intervals import t_interval
from calculus_harness.harness.studies.derivations.items import (
    ItemGroup,
    JudgedLabel,
    ModelItems,
    PerturbedItem,
)
from calculus_harness.harness.studies.derivations.over_seeds import (
    FLOOR,
    analyses_over_seeds,
    seed_sections,
)

KEY = ("derivations", "step2", ("VR", "EE"))


def model(seed: int, accuracy: float, perturbed: float, examples: int = 60) -> ModelItems:
    """Answers with given probabilities of being right."""
    drawn = random.Random(seed)

    def answer(truth: int, share: float) -> JudgedLabel:
        return JudgedLabel(truth, truth if drawn.random() < share else 1 - truth)

    items = tuple(
        PerturbedItem(
            key=f"{number}-{truth}",
            example=f"example {number}",
            operator="add",
            static=answer(truth, accuracy),
            twins={name: answer(truth, perturbed) for name in KEY[2]},
            model=f"seed {seed}",
        )
        for number in range(examples)
        for truth in (1, 0)
    )
    return ModelItems(f"seed {seed}", f"seed {seed}", 1, {KEY: ItemGroup(items, 0, {})})


def test_means_and_their_two_intervals() -> None:
    models = [model(seed, 0.9, 0.7) for seed in range(5)]
    [analysis] = analyses_over_seeds({"a": models})[KEY]
    accuracies = [mean(item.static.right for item in m.groups[KEY].items) for m in models]
    measure = analysis.measure(lambda of: (of.static.accuracy, of.static.accuracy_interval))
    assert measure.value == pytest.approx(mean(accuracies))
    assert measure.over_seeds == pytest.approx(t_interval(accuracies))
    # 600 answers, 5 to each problem: the pooled accuracy is the mean of equally many answers.
    assert analysis.together.items == 600
    assert analysis.together.static.accuracy == pytest.approx(measure.value)
    assert measure.over_examples is not None
    low, high = measure.over_examples
    assert low < measure.value < high
    assert not analysis.at_floor


def test_the_same_answers_of_every_seed_are_no_more_examples() -> None:
    """Equal results of all seeds leave the interval over examples as wide as for a single seed."""
    same = [model(0, 0.8, 0.8)] * 5
    [once] = analyses_over_seeds({"a": same[:1]})[KEY]
    [often] = analyses_over_seeds({"a": same})[KEY]
    width = [
        high - low
        for low, high in (group.together.static.accuracy_interval for group in (once, often))
    ]
    assert width[1] == pytest.approx(width[0], rel=0.05)


def test_a_single_seed_has_no_interval_over_seeds() -> None:
    [section, _] = seed_sections({"a": [model(0, 0.9, 0.7)]})
    [row] = section.rows
    assert row[:3] == ("step2", "a", "1")
    assert row[3].count("[") == 1


def test_guesses_are_marked_as_a_floor() -> None:
    sections = seed_sections(
        {
            "guesses": [model(seed, 0.5, 0.5) for seed in range(3)],
            "learnt": [model(seed, 0.9, 0.7) for seed in range(3)],
        }
    )
    assert [section.title.partition(":")[0] for section in sections] == ["derivations"] * 2
    for section in sections:
        assert [row[1] for row in section.rows] == [f"guesses{FLOOR}", "learnt"]
    assert sections[0].headings == ("subset", "encoder", "seeds", "accuracy", "F1", "VR", "EE")
    assert all(cell.count("[") == 2 for row in sections[0].rows for cell in row[3:])
