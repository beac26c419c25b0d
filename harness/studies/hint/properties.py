"""The dependence of accuracy on properties of the problems (Li et al. 2023, figures A5 and A6).

Figure A5 shows accuracy by ranges of a property. `compare --breakdown` and the page of a run use
the same ranges. Figure A6 shows the importance of the properties, normalised to the sum 1. A
classifier predicts from the three nearest neighbours of a problem whether the model is right. The
importance of a property is the loss of the classifier's accuracy when the values of the property
are permuted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...core.errors import UserError, install
from ...report.figures.bars import count_bars
from ...report.figures.curves import category_chart
from ...report.sections import Section
from ...stats.compare import Breakdown, labels_of, range_names
from ...stats.intervals import interval
from ...stats.tallies import tally_samples
from ...store.run import Run

#: The properties of figures A5 and A6.
PROPERTIES: tuple[Breakdown, ...] = ("length", "depth", "dependency", "operators", "result")
#: The neighbours of the classifier (figure A6), and how often a property is permuted.
NEIGHBOURS, REPEATS = 3, 10
#: Problems below which nothing is said: a half for training, a half for the importance.
MIN_PROBLEMS = 40


@dataclass(frozen=True, slots=True)
class AnsweredExpression:
    """A problem with a model's answers, and properties of the problem.

    Attributes:
        properties: the values of `PROPERTIES`.
        ranges: by property, the name of the range that contains the value.
        share: the share of correct samples.

    """

    properties: tuple[float, ...]
    ranges: Mapping[Breakdown, str]
    share: float


def answered(run: Run, model: str) -> list[AnsweredExpression]:
    """The answered problems of a model, in the order of the run's problems."""
    tallies = tally_samples(run)[model]
    rows = []
    for key, problem in run.problems.items():
        values = [problem.metadata.get(name) for name in PROPERTIES]
        if key in tallies and all(isinstance(value, int) for value in values):
            numbers = tuple(float(str(value)) for value in values)
            ranges = {name: labels_of(problem, name)[0] for name in PROPERTIES}
            tally = tallies[key]
            rows.append(AnsweredExpression(numbers, ranges, tally.correct / tally.samples))
    return rows


def importance(rows: Sequence[AnsweredExpression], seed: int = 0) -> dict[str, tuple[float, float]]:
    """Compute each property's share of the total importance, and the share's standard deviation.

    A classifier predicts from the properties whether the model is right. The classifier is fitted
    on every second problem. The permutation importance of the properties is measured on the
    remaining problems.

    Raises:
        UserError: there are too few problems, or the model is right on all problems, or it is wrong
            on all problems.

    """
    try:
        from sklearn.inspection import permutation_importance
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ImportError:
        raise UserError(f"the importance needs the extra 'images': {install('images')}") from None
    right = [row.share > 0.5 for row in rows]
    if len(rows) < MIN_PROBLEMS or len(set(right)) < 2:
        raise UserError(f"the importance needs {MIN_PROBLEMS} problems, right and wrong answers")
    values = [row.properties for row in rows]
    # Distances compare properties of unlike scales, so each is standardised.
    classifier = make_pipeline(StandardScaler(), KNeighborsClassifier(NEIGHBOURS))
    classifier.fit(values[::2], right[::2])
    permuted = permutation_importance(
        classifier, values[1::2], right[1::2], n_repeats=REPEATS, random_state=seed
    )
    means = [max(0.0, float(value)) for value in permuted.importances_mean]
    total = sum(means) or 1.0
    spreads = (float(value) / total for value in permuted.importances_std)
    return {
        name: (value / total, spread)
        for name, value, spread in zip(PROPERTIES, means, spreads, strict=True)
    }


def figure_a5(name: str, rows: Sequence[AnsweredExpression]) -> list[Section]:
    """Make Figure A5 of Li et al. 2023: accuracy by ranges of each property, with intervals."""
    return [_by_range(name, rows, of) for of in PROPERTIES]


def _by_range(name: str, rows: Sequence[AnsweredExpression], of: Breakdown) -> Section:
    shares = {
        label: [row.share for row in rows if row.ranges[of] == label] for label in range_names(of)
    }
    shares = {label: values for label, values in shares.items() if values}
    cells = []
    for label, values in shares.items():
        low, high = interval(values, range(len(values)))
        value = 100 * sum(values) / len(values)
        cells.append((label, str(len(values)), f"{value:.1f} [{100 * low:.1f}, {100 * high:.1f}]"))
    series = {name: [sum(values) / len(values) for values in shares.values()]}
    label = f"Accuracy in percent by {of}"
    return Section(
        f"Accuracy by {of} (Figure A5), in percent",
        (of, "problems", name),
        tuple(cells),
        figures=(category_chart(f"figure_a5_{of}", label, list(shares), series, ordered=True),),
    )


def figure_a6(name: str, rows: Sequence[AnsweredExpression], seed: int = 0) -> Section:
    """Make Figure A6 of Li et al. 2023: the importance of each property."""
    shares = importance(rows, seed)
    bars = {name: {of: round(100 * share) for of, (share, _) in shares.items()}}
    label = "Share of each property in the importance, in percent"
    return Section(
        "Importance of the properties (Figure A6), in percent",
        ("property", name),
        tuple(
            (of, f"{100 * share:.1f} ± {100 * spread:.1f}")
            for of, (share, spread) in shares.items()
        ),
        (
            f"Permutation importance for {NEIGHBOURS} nearest neighbours, of {len(rows)} problems, "
            f"± the standard deviation of {REPEATS} permutations.",
        ),
        figures=(count_bars("figure_a6", label, bars),),
    )
