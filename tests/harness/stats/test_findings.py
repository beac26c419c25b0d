"""The sentences on top of reports, and the standing of models."""

from __future__ import annotations

import io
import random
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest
from rich.console import Console

from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.report import print_comparison, print_summary
from calculus_harness.harness.report.figures.differences import difference_figure
from calculus_harness.harness.stats.compare import compare
from calculus_harness.harness.stats.findings import Failure, failure_of, sentences
from calculus_harness.harness.stats.paired.wording import digits_for
from calculus_harness.harness.stats.summary import summarise
from tests.harness.scripted_run import (
    CUT,
    ERROR,
    FILTERED,
    MISSING,
    NO_BOX,
    REFUSED,
    RIGHT,
    SIGN,
    Outcome,
    Script,
    make,
    problems,
)

EVERY = [
    *problems("plain", 40),
    *problems("twins", 40, "plain"),
    *problems("scaled", 40, "plain"),
]


def skill(
    share: float,
    drops: Mapping[str, float] | None = None,
    wrong: tuple[Outcome, ...] = (SIGN, MISSING, NO_BOX, CUT),
) -> Script:
    """A model that solves a share of the problems, the easier problems first; less of some."""

    def outcome(subset: str, number: int, sample: int) -> Outcome:
        chance = random.Random(f"{share} {subset} {number} {sample}")
        hard = random.Random(str(number)).random()
        solved = (chance.random() + hard) / 2 < share - (drops or {}).get(subset, 0)
        return RIGHT if solved else chance.choice(wrong)

    return outcome


def only(outcome: Outcome) -> Script:
    return lambda *_: outcome


def test_which_where_and_how(tmp_path: Path) -> None:
    models = {"strong": skill(0.9, {"twins": 0.3, "scaled": 0.2}), "weak": skill(0.4)}
    findings = sentences(make(tmp_path / "run", models, EVERY, samples=4))
    assert re.fullmatch(
        r"strong solves 5\d \[\d+, \d+\] points more than weak on the 120 problems that both were "
        r"asked \(p < 0\.001\)\.",
        findings.which,
    )
    assert findings.where.startswith("strong breaks most under bench/twins: ")
    assert "so does bench/scaled (−" in findings.where
    assert "wrong sign" in findings.how
    assert "missing term" in findings.how
    assert [standing.model for standing in findings.standings] == ["strong", "weak"]
    assert [standing.rank for standing in findings.standings] == [1, 2]
    assert str(findings) == "\n".join((findings.which, findings.where, findings.how))


def test_models_that_were_asked_different_problems_have_no_order(tmp_path: Path) -> None:
    strong = make(tmp_path / "a", {"strong": skill(0.75, {"twins": 0.2, "scaled": 0.2})}, EVERY)
    think = make(tmp_path / "b", {"think": skill(0.78)}, problems("plain", 40))
    assert summarise(think).rows[-1].passes[0].value > summarise(strong).rows[-1].passes[0].value
    findings = sentences(strong, think)
    assert findings.which.startswith("The models were asked different problems and have no common")
    assert "think solves" not in findings.which
    assert "on the 40 problems" in findings.which
    # Both are ranked on the 40 that both were asked, and their own scores are no rank.
    assert findings.common == 40
    values = [standing.common.value for standing in findings.standings if standing.common]
    assert values == sorted(values, reverse=True)


def test_a_model_with_nothing_but_errors_has_no_score(tmp_path: Path) -> None:
    run = make(tmp_path / "run", {"good": skill(0.9), "broken": only(ERROR)}, problems("plain", 40))
    findings = sentences(run)
    assert "broken: nothing but errors, so no score." in findings.which
    standing = {item.model: item for item in findings.standings}
    assert standing["broken"].own is None
    assert standing["broken"].rank is None
    assert standing["broken"].failures == {Failure.ERROR: 1.0}
    rows = {row.label: row for row in summarise(run).rows}
    assert rows["broken"].passes == ()
    assert rows["broken"].reward is None
    assert rows["broken"].rates["failed"] == 1.0
    with pytest.raises(UserError, match="broken: every answer is an error"):
        compare(run)
    alone = make(tmp_path / "alone", {"broken": only(ERROR)}, problems("plain", 5))
    assert sentences(alone).which == "broken: nothing but errors, so no score."


def test_refusals_and_filters_are_rates_of_their_own(tmp_path: Path) -> None:
    models = {"shy": only(REFUSED), "safe": only(FILTERED), "cut": only(CUT)}
    run = make(tmp_path / "run", models, problems("plain", 6))
    rows = {row.label: row.rates for row in summarise(run).rows}
    assert rows["shy"]["refused"] == rows["safe"]["filtered"] == rows["cut"]["truncated"] == 1.0
    assert rows["shy"]["filtered"] == rows["safe"]["refused"] == rows["shy"]["failed"] == 0.0
    standing = {item.model: item.failures for item in sentences(run).standings}
    assert standing["shy"] == {Failure.REFUSED: 1.0}
    assert standing["cut"] == {Failure.TRUNCATED: 1.0}


@pytest.mark.parametrize(
    ("integrand", "answer", "failure"),
    [
        ("x e^x", "x e^x + e^x", Failure.SIGN),
        (r"\sin x", r"\cos x", Failure.SIGN),
        (r"\cos x + x", r"\sin x - x^2/2", Failure.SIGN),
        (r"\cos x + x", r"\sin x", Failure.MISSING),
        (r"\cos x + x", r"\sin x + x^2", Failure.COEFFICIENT),
        (r"\sin 2x", r"-\cos 2x", Failure.COEFFICIENT),
        ("a x", "a x^2", Failure.COEFFICIENT),
        ("x^2", "x^3/3 + x", Failure.EXTRA),
        (r"\frac{1}{1+x^2}", r"\ln(1+x^2)", Failure.OTHER),
        (r"\sec x", r"\tan x", Failure.OTHER),
        ("2x", "((((", Failure.OTHER),
        ("2x", "0", Failure.MISSING),
    ],
)
def test_slips_of_antiderivatives(integrand: str, answer: str, failure: Failure) -> None:
    problem = problems("plain", 1)[0]
    target = {"integrand": integrand, "variable": "x"}
    problem = type(problem).from_dict(
        problem.to_dict() | {"target": target, "assumptions": {"a": "positive"}}
    )
    row = {"status": "incorrect", "finish_reason": "stop", "answer": answer}
    assert failure_of(problem, row) is failure


def test_a_term_of_the_reference_is_missing() -> None:
    data = problems("plain", 1)[0].to_dict()
    data["target"] = {"integrand": r"\ln x", "variable": "x", "antiderivative": r"x\ln x - x"}
    problem = type(problems("plain", 1)[0]).from_dict(data)
    row = {"status": "incorrect", "finish_reason": "stop", "answer": r"x\ln x"}
    assert failure_of(problem, row) is Failure.MISSING


@pytest.mark.parametrize(
    ("low", "high", "digits"), [(0.34, 0.42, 0), (0.004, 0.12, 1), (0.0004, 0.01, 2)]
)
def test_no_digits_hide_zero(low: float, high: float, digits: int) -> None:
    assert digits_for(low, high) == digits


@pytest.mark.parametrize("count", [1, 2, 6])
def test_the_answer_is_one_screen_of_80_x_24(tmp_path: Path, count: int) -> None:
    subsets = ("twins", "scaled", "shifted", "renamed", "sums", "products")
    originals = [*problems("plain", 12)]
    for subset in subsets:
        originals += problems(subset, 12, "plain")
    skills = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4)
    models = {
        f"openai/a-model-{name}": skill(share, {"twins": 0.3})
        for name, share in zip("abcdef"[:count], skills, strict=False)
    }
    run = make(tmp_path / "r", models, originals, samples=2)
    file = io.StringIO()
    console = Console(file=file, width=80, force_terminal=True, color_system=None)
    print_summary(run, console)
    lines = [
        line for text in file.getvalue().splitlines() for line in textwrap.wrap(text, 80) or [""]
    ]
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 24
    screen = " ".join(" ".join(lines).split())
    assert "a-model-a solves" in screen or "No difference between a-model-a and a-model-b" in screen
    assert "under bench/twins" in screen or "No drop under perturbation" in screen
    assert "wrong sign" in screen
    assert "bench/renamed" in screen or count > 1  # names stay whole
    if count > 1:
        for by in ("model", "perturbation"):
            file = io.StringIO()
            console.file = file
            print_comparison(compare(run, by=by), console)  # type: ignore[arg-type]
            printed = file.getvalue().splitlines()
            assert sum(-(-max(1, len(line)) // 80) for line in printed) <= 24
            assert max(len(line) for line in printed if line.startswith(" ")) <= 80


def test_a_perturbation_that_breaks_nothing_is_not_said_to(tmp_path: Path) -> None:
    run = make(tmp_path / "run", {"even": skill(0.6), "other": skill(0.62)}, EVERY, samples=2)
    findings = sentences(run)
    assert findings.which.startswith("No difference between ")
    assert re.search(r"these 40 groups of problems a true one of \d+ points would", findings.which)
    assert findings.where.startswith("No drop under perturbation was found in 4 comparisons")


def test_short_names_and_prepared_comparisons(tmp_path: Path) -> None:
    run = make(tmp_path / "run", {"api/strong": skill(0.9), "api/weak": skill(0.3)}, EVERY)
    names = {"api/strong": "strong", "api/weak": "weak"}
    comparisons = {"model": compare(run), "perturbation": None}
    findings = sentences(run, names=names, comparisons=comparisons)  # type: ignore[arg-type]
    assert findings.which.startswith("strong solves ")
    assert findings.where == ""
    assert "api/" not in findings.how


def test_subsets_do_not_hide_who_is_better(tmp_path: Path) -> None:
    """The lines on all common problems are a family apart from the 105 of the subsets."""
    subsets = [f"s{i}" for i in range(7)]
    all_problems = [problem for subset in subsets for problem in problems(subset, 4)]

    def solves(share: int) -> Script:
        return lambda subset, number, sample: (
            RIGHT if (number * 7 + len(subset)) % 4 < share else SIGN
        )

    models = {f"m{i}": solves(4 if i == 0 else 2) for i in range(6)}
    comparison = compare(make(tmp_path / "run", models, all_problems))
    overall = [row for row in comparison.contrasts if row.group == "all"]
    assert len(overall) == 15
    assert len(comparison.contrasts) == 15 * 8
    best = [row.at(1) for row in overall if "m0" in (row.first, row.second)]
    assert all(pair is not None and pair.adjusted is not None for pair in best)
    assert all(pair.adjusted <= 15 * pair.p for pair in best if pair and pair.adjusted is not None)


def test_a_report_does_not_depend_on_the_order_in_which_answers_arrive(tmp_path: Path) -> None:
    """Lines and figures are in the order of the plan, also after an interrupted sweep."""
    models = {"strong": skill(0.8), "weak": skill(0.5)}
    written = []
    for name, arrived in (("once", None), ("again", range(len(EVERY) - 1, -1, -1))):
        (tmp_path / name).mkdir()
        run = make(tmp_path / name / "run", models, EVERY, samples=2, arrived=arrived)
        comparison = compare(run)
        figure = difference_figure(comparison, {model: model for model in models})
        written.append((figure, comparison.contrasts, sentences(run), summarise(run).rows))
    assert [row.group for row in written[0][1]] == [
        *("bench/plain", "bench/twins", "bench/scaled", "all")
    ]
    assert written[0] == written[1]
