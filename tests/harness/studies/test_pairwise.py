"""The pairwise analysis: small runs by hand, laws on random runs, the published tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness import prompts
from calculus_harness.benchmarks import load
from calculus_harness.benchmarks.problem import Problem
from calculus_harness.benchmarks.registry import resolve
from calculus_harness.harness import sweep
from calculus_harness.harness.cli.main import cli
from calculus_harness.harness.cli.options import preset_file
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.run.spec import read_settings
from calculus_harness.harness.stats.metrics.labels import Labels
from calculus_harness.harness.store.run import Run
from calculus_harness.harness.studies.derivations import tables as report
from calculus_harness.harness.studies.derivations.intersections import intersections
from calculus_harness.harness.studies.derivations.items import (
    JudgedLabel,
    PerturbedItem,
    items,
    items_of,
    majority,
    pooled,
)
from calculus_harness.harness.studies.derivations.pairwise import (
    ALL,
    NONE,
    NOT_P,
    STATIC_PM,
    G,
    S,
    analyse,
    drop,
    family,
    pairs_of,
    ranked,
    scores,
)


def item(
    key: str, right: bool, twins: Sequence[bool], *, label: int = 1, operator: str = "add"
) -> PerturbedItem:
    """An item of the example with the key's beginning; twins are called A, B, ..."""

    def judged(truth: int, is_right: bool) -> JudgedLabel:
        return JudgedLabel(truth, truth if is_right else 1 - truth)

    return PerturbedItem(
        key=key,
        example=key[:-1],
        operator=operator,
        static=judged(label, right),
        twins={chr(65 + n): judged(label, answer) for n, answer in enumerate(twins)},
    )


ENCODERS = ("step2", "step3", "step4", "diff", "int")
#: Five positives and three negatives, of examples 1 to 5.
BY_HAND = [
    item("1+", True, [False, False], operator="cos"),  # S, G; Not P
    item("1-", True, [True, True], label=0, operator="cos"),  # S, All
    item("2+", True, [True, True], operator="add"),  # S, All
    item("2-", True, [True, True], label=0, operator="add"),  # S, All
    item("3+", True, [False, True], operator="add"),  # S
    item("3-", False, [False, False], label=0, operator="add"),  # None
    item("4+", False, [True, False], operator="exp"),
    item("5+", True, [False, False], operator="exp"),  # S, G, alone: no pair
]


def test_the_categories_by_hand() -> None:
    by_hand = family("derivations", "step2", ("A", "B"), BY_HAND)
    shares = {category.name: (category.count, category.of) for category in by_hand.categories}
    assert shares == {S: (6, 8), G: (2, 8), NONE: (1, 8), ALL: (3, 8)}
    pairs = {category.name: (category.count, category.of) for category in by_hand.pair_categories}
    assert pairs == {STATIC_PM: (2, 3), ALL: (1, 3), NOT_P: (1, 3)}
    assert by_hand.static.accuracy == pytest.approx(6 / 8)
    assert {drop.name: drop.accuracy for drop in by_hand.drops} == {
        "A": pytest.approx(-2 / 8),
        "B": pytest.approx(-2 / 8),
    }


def test_operators_are_ranked_by_how_often_they_are_in_the_category_when_they_occur() -> None:
    counted = family("derivations", "step2", ("A", "B"), BY_HAND)
    names = [(operator.name, operator.count, operator.of) for operator in counted.by_rank]
    assert names == [("exp", 1, 2), ("cos", 1, 2), ("add", 0, 4)] or names == [
        ("cos", 1, 2),
        ("exp", 1, 2),
        ("add", 0, 4),
    ]
    assert [operator.name for operator in counted.category(ALL).operators] == ["add", "cos", "exp"]


def test_equal_frequencies_are_ordered_by_how_often_the_operator_occurs() -> None:
    holds = [True, True, True, False]
    ranking = ranked(holds, ["rare", "common", "common", "never"])
    assert [operator.name for operator in ranking] == ["common", "rare", "never"]


def test_the_label_of_most_samples_counts() -> None:
    assert majority(1, {"correct": 2, "incorrect": 1, "no_answer": 5}) == 1
    assert majority(1, {"correct": 1, "incorrect": 2}) == 0
    assert majority(0, {"correct": 1, "incorrect": 2}) == 1
    assert majority(1, {"correct": 2, "incorrect": 2}) is None
    assert majority(1, {"no_answer": 3}) is None
    assert not JudgedLabel(1, None).right


booleans = st.booleans()
some_items = st.lists(
    st.tuples(booleans, booleans, booleans, booleans, st.sampled_from("abc")),
    min_size=1,
    max_size=30,
)


@given(some_items)
def test_laws_of_the_categories(drawn: list[tuple[bool, bool, bool, bool, str]]) -> None:
    judged_items = [
        item(f"{n // 2}{'+-'[n % 2]}", s, [a, b, c], label=1 - n % 2, operator=operator)
        for n, (s, a, b, c, operator) in enumerate(drawn)
    ]
    counted = family("derivations", "step2", ("A", "B", "C"), judged_items)
    share = {category.name: category.count for category in counted.categories}
    assert share[G] + share[ALL] <= share[S]
    assert share[S] + share[NONE] <= len(judged_items)
    for category in counted.categories:
        assert sum(row.count for row in category.operators) == category.count
        assert sum(row.of for row in category.operators) == category.of
        frequencies = [row.frequency for row in category.operators]
        assert frequencies == sorted(frequencies, reverse=True)
        assert category.interval[0] <= category.share <= category.interval[1]
    pairs = {category.name: category.count for category in counted.pair_categories}
    if pairs:
        assert pairs[ALL] <= pairs[STATIC_PM] <= counted.pairs == len(judged_items) // 2
    for row in counted.drops:
        perturbed = next(score for score in counted.perturbed if score.name == row.name)
        assert row.accuracy == pytest.approx(perturbed.accuracy - counted.static.accuracy)
        assert row.f1 == pytest.approx(perturbed.f1 - counted.static.f1)
        assert 0 <= row.p <= 1


labels = st.tuples(st.integers(0, 1), st.sampled_from([0, 1, None]))


@given(st.lists(labels, min_size=1, max_size=40))
def test_scores_are_those_of_the_label_metrics(drawn: list[tuple[int, int | None]]) -> None:
    judged = [JudgedLabel(*label) for label in drawn]
    measured = scores("static", judged, list(map(str, range(len(judged)))))
    plain = Labels.of([label.truth for label in judged], [label.given for label in judged])
    assert (measured.accuracy, measured.f1) == (plain.accuracy, plain.f1(1))
    assert measured.f1_interval is None or measured.f1_interval[0] <= measured.f1_interval[1]


def test_a_drop_of_many_items_is_sure_and_one_of_none_is_not() -> None:
    clusters = [str(n // 2) for n in range(200)]
    good = [JudgedLabel(n % 2, n % 2) for n in range(200)]
    bad = [JudgedLabel(n % 2, 0) for n in range(200)]  # wrong on all positives
    lost = drop("VR", good, bad, clusters)
    assert lost.accuracy == -0.5
    assert lost.f1 == -1.0
    assert lost.p < 1e-20
    same = drop("VR", good, good, clusters)
    assert (same.accuracy, same.f1, same.p) == (0.0, 0.0, 1.0)
    low, high = same.accuracy_interval
    assert low < 0 < high


# --- runs --------------------------------------------------------------------------------------


def problem(number: int, perturbation: str | None = None, **changes: str) -> Problem:
    """Two items of every example; the label is in the inputs, for models to read."""
    static = f"step2-s0-{number}"
    wrong = number % 2
    label = wrong if perturbation == "AR" else 1 - wrong
    suffix = f"_{perturbation.lower()}" if perturbation else ""
    return Problem(
        id=static + suffix.replace("_", "-"),
        task="derivation_step",
        benchmark="derivations",
        subset=changes.get("subset", f"step2{suffix}"),
        inputs={"sequence": f"{number} {perturbation}"},
        target={"label": label},
        pair_parent=static if perturbation else None,
        perturbation=perturbation,
        metadata={"group": f"g{number // 2}", "operator": changes.get("operator", "add")},
    )


def all_judged(problems: Mapping[str, Problem]) -> dict[str, JudgedLabel]:
    return {key: JudgedLabel(int(str(p.target.label)), 1) for key, p in problems.items()}


def keyed(*problems: Problem) -> dict[str, Problem]:
    return {f"{p.name}/{p.id}": p for p in problems}


def test_items_without_all_twins_are_left_out_and_counted() -> None:
    problems = keyed(
        *(problem(n) for n in range(4)),
        *(problem(n, "VR") for n in range(4)),
        *(problem(n, "AR") for n in range(3)),
    )
    rows, perturbations, left_out = items(problems, all_judged(problems))["derivations", "step2"]
    assert perturbations == ("VR", "AR")
    assert [row.key[-1] for row in rows] == ["0", "1", "2"]
    assert left_out == 1
    assert len(pairs_of(rows)) == 1
    judged = all_judged(problems)
    del judged["derivations/step2_vr/step2-s0-0-vr"]
    rows, _, left_out = items(problems, judged)["derivations", "step2"]
    assert ([row.key[-1] for row in rows], left_out) == (["1", "2"], 2)


def test_the_label_of_a_twin_may_be_the_other_one() -> None:
    problems = keyed(problem(0), problem(0, "AR"))
    (twin,) = items(problems, all_judged(problems))["derivations", "step2"][0]
    assert twin.positive
    assert twin.static.right
    assert not twin.twins["AR"].right


SWEEP = ["derivations/step2", "derivations/step2_vr", "derivations/step2_ar"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A model that answers 1 for a text without Greek letters."""
    folder = tmp_path_factory.mktemp("pairwise")
    script = folder / "model.py"
    script.write_text(
        "GREEK = '\\\\alpha \\\\beta \\\\gamma \\\\delta \\\\pi \\\\xi \\\\chi \\\\sigma \\\\psi "
        "\\\\omega'.split()\n"
        "def answer(messages, seed):\n"
        "    text = messages[-1]['content']\n"
        "    return r'\\boxed{0}' if any(g in text for g in GREEK) else r'\\boxed{1}'\n"
    )
    return sweep(
        [f"python/{script}:answer"],
        [*SWEEP, "derivations/step3_minus1"],
        prompt="derivation-step-zero-shot",
        limit=32,
        out=folder / "run",
    )


def test_a_run_from_end_to_end(run: Run) -> None:
    (analysed,) = analyse(items_of([run]))
    (step2,) = analysed.families
    assert (step2.subset, step2.perturbations, step2.items) == ("step2", ("VR", "AR"), 8)
    by_name = {category.name: category for category in step2.perturbed}
    # 1 to all of the unperturbed and of AR, 0 to all of VR: half are right everywhere.
    assert step2.static.accuracy == by_name["VR"].accuracy == by_name["AR"].accuracy == 0.5
    assert step2.static.f1 == pytest.approx(2 / 3)
    assert by_name["VR"].f1 == 0
    # A positive is right; its VR is wrong, and so is its AR, which is negative.
    assert step2.category(G).count == 4
    assert {category.name: category.count for category in step2.pair_categories} == {
        STATIC_PM: 0,
        ALL: 0,
        NOT_P: 4,
    }
    assert all(category.adjusted >= category.p for category in step2.drops)


def test_the_command_prints_tables_and_writes_a_page_with_a_figure(run: Run) -> None:
    done = CliRunner().invoke(cli, ["pairwise", str(run.path)])
    assert done.exit_code == 0, done.output
    for text in ("accuracy and F1", "Static±", "N_P by rank", "published: Meadows"):
        assert text in done.output
    page = (run.path / "pairwise.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "table 1, step2" in page


def test_other_formats(run: Run) -> None:
    def printed(form: str) -> str:
        done = CliRunner().invoke(cli, ["pairwise", str(run.path), f"--{form}"])
        assert done.exit_code == 0, done.output
        return done.stdout

    (analysis,) = json.loads(printed("json"))
    (step2,) = analysis["families"]
    assert [category["name"] for category in step2["categories"]] == [S, G, NONE, ALL]
    rows = list(csv.DictReader(io.StringIO(printed("csv"))))
    g = next(row for row in rows if (row["measure"], row["of"]) == (G, ""))
    assert (g["value"], g["count"], g["total"]) == ("0.500000", "4", "8")
    assert "\\toprule" in printed("latex")
    assert "| static |" in printed("markdown")


def test_a_run_without_perturbations_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "model.py"
    script.write_text("def answer(messages, seed):\n    return r'\\boxed{1}'\n")
    out = tmp_path / "run"
    sweep(
        [f"python/{script}:answer"],
        ["derivations/step2"],
        limit=2,
        out=out,
        prompt="derivation-step-zero-shot",
    )
    with pytest.raises(UserError, match="no problems with perturbed twins"):
        items_of([Run(out)])


def answering(folder: Path, name: str, right: str) -> str:
    """A model with knowledge of the labels, right where a Python expression of the prompt holds."""
    script = folder / f"{name}.py"
    script.write_text(
        "import json\n"
        f"LABELS = json.load(open({str(folder / 'labels.json')!r}))\n"
        "def answer(messages, seed):\n"
        "    text = messages[-1]['content']\n"
        "    label, subset = LABELS[text]\n"
        f"    return r'\\boxed{{%d}}' % (label if {right} else 1 - label)\n"
    )
    return f"python/{script}:answer"


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run]:
    """Models that are right on step2 and on step3; the second model is never right on twins."""
    folder = tmp_path_factory.mktemp("pairwise-two")
    prompt = prompts.load("derivation-step-zero-shot")
    labels = {}
    names = [f"derivations/step{s}{name}" for s in (2, 3) for name in ("", "_vr")]
    for row in (row for name in names for row in load(name, limit=4)):
        labels[prompt.render(row).messages[-1].content] = (row.target.label, row.subset)
    (folder / "labels.json").write_text(json.dumps(labels))
    first = answering(folder, "first", "True")
    second = answering(folder, "second", "'_' not in subset")
    settings = {"prompt": "derivation-step-zero-shot", "limit": 8}
    return (
        sweep([first, second], names[:2], out=folder / "step2", **settings),  # type: ignore[arg-type]
        sweep([second], names[2:], out=folder / "step3", **settings),  # type: ignore[arg-type]
    )


def test_a_model_of_several_runs_is_one(two_runs: tuple[Run, Run]) -> None:
    first, second = analyse(items_of(two_runs))
    assert [group.subset for group in first.families] == ["step2"]
    assert [(group.subset, group.items) for group in second.families] == [
        ("step2", 4),
        ("step3", 4),
        ("all", 8),
    ]
    assert second.families[-1].category(G).count == 8


def test_pooled_models_are_one_and_an_item_of_two_counts_twice(two_runs: tuple[Run, Run]) -> None:
    (both,) = analyse([pooled(items_of(two_runs), "both")])
    assert both.label == "both"
    together = both.families[-1]
    assert (together.subset, together.items, together.pairs) == ("all", 12, 6)
    counts = {category.name: category.count for category in together.categories}
    assert counts == {S: 12, G: 8, NONE: 0, ALL: 4}
    assert {category.name: category.count for category in together.pair_categories} == {
        STATIC_PM: 6,
        ALL: 2,
        NOT_P: 4,
    }


def test_what_models_have_in_common(two_runs: tuple[Run, Run], tmp_path: Path) -> None:
    """Both models are right on unperturbed problems; only the second fails to generalise."""
    (common,) = intersections(items_of(two_runs))
    assert (common.subset, common.items, common.fail_to_generalise) == ("step2", 4, ())
    assert {row.name: row.count for row in common.categories} == {S: 4, G: 0, NONE: 0, ALL: 0}
    second = items_of(two_runs)[1]
    third = replace(second, model="other", label="other")
    row, step3 = intersections([second, third])
    assert (len(row.fail_to_generalise), step3.subset) == (4, "step3")
    assert {c.name: c.count for c in row.categories} == {S: 4, G: 4, NONE: 0, ALL: 0}


def test_the_command_merges_runs(two_runs: tuple[Run, Run]) -> None:
    paths = [str(run.path) for run in two_runs]
    done = CliRunner().invoke(cli, ["pairwise", *paths, "--markdown"])
    assert done.exit_code == 0, done.output
    assert "on derivations/step2: in common" in done.output
    done = CliRunner().invoke(cli, ["pairwise", *paths, "--pool", "encoders", "--json"])
    assert [row["label"] for row in json.loads(done.stdout)] == ["encoders"]
    done = CliRunner().invoke(cli, ["pairwise", *paths, "--csv"])
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert any(row["model"].count("answer") == 2 and row["measure"] == S for row in rows)


def test_the_prompts_of_table_4(tmp_path: Path) -> None:
    """Runs without twins are enough; 1 to all has an F1 of 66.7."""
    script = tmp_path / "model.py"
    script.write_text("def answer(messages, seed):\n    return '1'\n")
    model, paths = f"python/{script}:answer", []
    for prompt, shots in (("derivation-step-random", None), ("derivation-step", 6)):
        out = tmp_path / prompt
        sweep([model], ["derivations/step2"], prompt=prompt, num_fewshot=shots, limit=4, out=out)
        paths.append(str(out))
    done = CliRunner().invoke(cli, ["pairwise", *paths, "--markdown"])
    assert done.exit_code == 0, done.output
    cells = [line.split("|")[1:-1] for line in done.stdout.splitlines() if "step2: " in line]
    assert [[cell.strip()[:4] for cell in row[1:]] for row in cells] == [
        ["61", "83", "66.7"],
        ["50", "83", ""],
        ["68", "90", ""],
        ["68", "87", "66.7"],
    ]
    done = CliRunner().invoke(cli, ["pairwise", *paths, "--csv"])
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [
        (row["subset"], row["of"], row["value"][:5], row["total"])
        for row in rows
        if row["measure"] == "F1"
    ] == [
        ("step2", "no description; random examples 2+2", "0.666", "4"),
        ("step2", "no description; same final operation 3+3", "0.666", "4"),
    ]
    assert {row["value"] for row in rows if row["measure"] == "accuracy"} == {"0.500000"}
    refused = CliRunner().invoke(cli, ["pairwise", *paths, "--pool", "both"])
    assert refused.exit_code == 2, refused.output


def test_the_presets_ask_the_sets_of_the_tables() -> None:
    """23 sets of 200 of language models; sets of 4,000 of each encoder."""
    meadows = read_settings(preset_file("meadows"))
    sizes = [subset.size() for name in meadows["benchmark"] for subset in resolve(name)]
    assert sizes == [200] * 23
    encoders = [preset_file(f"meadows-encoders/{name}") for name in ENCODERS]
    sets = [read_settings(path) for path in encoders]
    assert sorted(name for row in sets for name in row["benchmark"]) == sorted(meadows["benchmark"])
    assert [row["limit"] for row in sets] == [4000 * len(row["benchmark"]) for row in sets]
    with pytest.raises(UserError, match="did you mean 'meadows-encoders/step3'"):
        preset_file("meadows-encoders/steps3")


# --- what was published ------------------------------------------------------------------------


def value(table: str, model: str, subset: str, measure: str) -> float:
    return float(report.published()[table, model, subset, measure])


def test_the_published_averages_recompute() -> None:
    """Over the five encoders of tables 1 and 2, without the two cells with an error."""
    encoders = [
        "bert-base-uncased",
        "bert-base-cased",
        "mathbert",
        "scibert-uncased",
        "scibert-cased",
    ]
    checked = 0
    for table, model, subset, measure in report.published():
        off = (table, subset) == ("table 2", "int") and measure in ("static F1", "EC F1")
        if model == "encoder-average" and not off:
            mean = sum(value(table, name, subset, measure) for name in encoders) / len(encoders)
            assert value(table, model, subset, measure) == pytest.approx(mean, abs=0.11), (
                table,
                subset,
                measure,
            )
            checked += 1
    assert checked == 3 * 8 + 2 * 8 - 2
    for gpt in ("gpt-3.5", "gpt-4"):
        steps = [value("table 1", gpt, f"step{s}", "static accuracy") for s in (2, 3, 4)]
        assert value("table 1", gpt, "all", "static accuracy") == pytest.approx(
            sum(steps) / 3, abs=0.1
        )


def test_published_operators_are_ours() -> None:
    from calculus_harness.benchmarks.derivations.steps import OPERATORS

    lists = {key: text for key, text in report.published().items() if key[3].endswith("operators")}
    assert len(lists) == 5 * 4 + 3 * 3
    for (table, *_), text in lists.items():
        assert len(text.split()) == (5 if table == "table 3" else 3)
        assert set(text.split()) <= set(OPERATORS)
