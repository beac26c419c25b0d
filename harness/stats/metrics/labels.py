"""Accuracy, F1 and macro F1 of labels as answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from ....benchmarks.payloads import LabelTarget
from ....rewards.verdict import Status
from ..tallies import Group
from .registry import metric


@dataclass(frozen=True)
class Labels:
    """Counts of predicted and true labels. A prediction of None (no answer) is always wrong.

    ``confusion[truth][prediction]`` is a number of samples. The precision of a label without
    predictions is 0. The recall of a label without true instances is 0. scikit-learn does the same.
    """

    confusion: Mapping[Hashable, Mapping[Hashable | None, int]]

    @classmethod
    def of(cls, truths: Sequence[Hashable], predictions: Sequence[Hashable | None]) -> Labels:
        confusion: dict[Hashable, Counter[Hashable | None]] = {}
        for truth, prediction in zip(truths, predictions, strict=True):
            confusion.setdefault(truth, Counter())[prediction] += 1
        if not confusion:
            raise ValueError("labels of no samples")
        return cls(confusion)

    @property
    def samples(self) -> int:
        return sum(sum(row.values()) for row in self.confusion.values())

    @property
    def accuracy(self) -> float:
        return sum(row.get(truth, 0) for truth, row in self.confusion.items()) / self.samples

    def f1(self, label: Hashable = 1) -> float:
        """The harmonic mean of precision and recall of a label."""
        hits = self.confusion.get(label, {}).get(label, 0)
        predicted = sum(row.get(label, 0) for row in self.confusion.values())
        true = sum(self.confusion.get(label, {}).values())
        return 2 * hits / (predicted + true) if predicted + true else 0.0

    @property
    def macro_f1(self) -> float:
        """The mean F1 of all labels, in truths or predictions."""
        predicted = {label for row in self.confusion.values() for label in row}
        labels = (set(self.confusion) | predicted) - {None}
        return math.fsum(self.f1(label) for label in labels) / len(labels)


@dataclass(frozen=True)
class Classification:
    """Accuracy, F1 and the confusion matrix. Answers without a label are in the column ``none``."""

    accuracy: float
    f1: float
    macro_f1: float
    confusion: Mapping[str, Mapping[str, int]]


def classification(group: Group) -> Classification | None:
    """Accuracy, F1 and confusion matrix on the problems whose answer is the label 0 or 1.

    The result is None without labelled problems.
    """
    confusion: dict[Hashable, dict[Hashable | None, int]] = {}
    for problem, sums in zip(group.problems, group.verdicts, strict=True):
        if not isinstance(target := problem.target, LabelTarget) or target.label not in (0, 1):
            continue
        truth = int(target.label)
        row = confusion.setdefault(truth, {0: 0, 1: 0, None: 0})
        right, wrong = int(sums.get(Status.CORRECT, 0)), int(sums.get(Status.INCORRECT, 0))
        row[truth] += right
        row[1 - truth] += wrong
        row[None] += int(sums["samples"]) - right - wrong
    if not confusion:
        return None
    labels = Labels(confusion)
    return Classification(
        accuracy=labels.accuracy,
        f1=labels.f1(1),
        macro_f1=labels.macro_f1,
        confusion={
            str(truth): {"none" if label is None else str(label): n for label, n in row.items()}
            for truth, row in sorted(confusion.items(), key=str)
        },
    )


@metric("accuracy", shown="never")
def accuracy(group: Group) -> float | None:
    """The share of samples whose predicted label is the true label."""
    labels = classification(group)
    return labels.accuracy if labels else None


@metric("F1")
def f1(group: Group) -> float | None:
    """The F1 of label 1 over samples."""
    labels = classification(group)
    return labels.f1 if labels else None


@metric("macro F1")
def macro_f1(group: Group) -> float | None:
    """The mean F1 of the labels over samples."""
    labels = classification(group)
    return labels.macro_f1 if labels else None
