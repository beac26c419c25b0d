"""Sweeps in phases: solved problems are perturbed, after any kills; and the report."""

from __future__ import annotations

import json
import os
import random
import sys
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.benchmarks import Problem, load
from calculus_harness.harness import Policy, Run, Sampling, UserError, summarise
from calculus_harness.harness.cli.options import preset_file
from calculus_harness.harness.core.requests import problem_key
from calculus_harness.harness.models.base import Capability, Continuation, Model, Scored
from calculus_harness.harness.models.python_function import PythonFunction
from calculus_harness.harness.report.sections import (
    as_markdown,
    print_sections,
    write_sections,
)
from calculus_harness.harness.run.job import Job
from calculus_harness.harness.run.phases import Phase, PhaseResults, run_phases
from calculus_harness.harness.run.scoring import score
from calculus_harness.harness.run.spec import PhaseFilter, read_settings
from calculus_harness.harness.stats.compare import compare
from calculus_harness.harness.studies import named_phases
from calculus_harness.harness.studies.brittleness import tables as report
from calculus_harness.harness.studies.brittleness.answers import answers_of
from calculus_harness.harness.studies.brittleness.budgets import decoding
from calculus_harness.harness.studies.brittleness.phases import PLANS, derive
from calculus_harness.harness.studies.brittleness.teacher_forcing import (
    ScoringResult,
    ranked_candidates,
    score_texts,
)
from calculus_harness.rewards.verdict import VERSION
from tests.harness.conftest import run_with_kills
from tests.harness.jobs import job_of

ROOT = Path(__file__).parents[3]
BENCHMARKS = ("brittleness/primitive_sin", "brittleness/primitive_x42", "brittleness/powers")
#: So many problems of each subset of the first phase, and of each phase.
LIMIT = 42

#: Knows single terms by heart: the answer is the first candidate or the third, by the text. Of sums
#: it is the third or nowhere. With ASKED in the environment it notes every request there.
MODEL = r"""
import hashlib, os, re, time

def antiderivative(term):
    if "sin" in term:
        c, k = re.fullmatch(r"(\d*) ?\\sin\\left\((\d*) ?x\\right\)", term).groups()
        return rf"-\frac{{{c or 1}}}{{{k or 1}}}\cos({k} x)"
    power = re.fullmatch(r"(\d*) ?x(?:\^\{(\d+)\})?", term)
    if power is None:
        return "0"  # unknown
    c, power = power.groups()
    n = int(power or 1) + 1
    return rf"\frac{{{c or 1}}}{{{n}}} x^{{{n}}}"

def answer(messages, seed, count):
    integrand = messages[-1]["content"].split("\n\n")[1]
    if "ASKED" in os.environ:
        with open(os.environ["ASKED"], "a") as file:
            file.write(integrand + "\n")
    time.sleep(float(os.environ.get("SLOW", "0")))
    terms = integrand.split(" + ")
    heads = hashlib.sha256(integrand.encode()).digest()[0] % 2
    if len(terms) == 1:
        place = 0 if heads else 2
    else:
        place = 2 if heads else 99
    said = [rf"\boxed{{x^{{{3 + i}}}}}" for i in range(count)]
    if place < count:
        said[place] = rf"\boxed{{{' + '.join(map(antiderivative, terms))}}}"
    return said
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "heart.py"
    path.write_text(MODEL, encoding="utf-8")
    return f"python/{path}:answer"


def job(model: str | Model, out: Path, **changes: Any) -> Job:
    arguments: dict[str, Any] = {
        "samples": 4,
        "sampling": Sampling(beams=4),
        "limit": LIMIT,
        "out": out,
    } | changes
    return job_of([model], list(BENCHMARKS), **arguments)


def problems(run: Run, name: str) -> list[Problem]:
    return [problem for problem in run.problems.values() if problem.name == f"brittleness/{name}"]


def solved_first(run: Run) -> set[str]:
    """The ids of the problems whose first answer is correct."""
    return {
        run.problem(row["problem"]).id
        for _, row in run.verdicts().heads()
        if row["status"] == "correct" and row["sample"] == 0
    }


def test_exactly_what_was_solved_is_perturbed(tmp_path: Path, model: str) -> None:
    run = run_phases(job(model, tmp_path / "run"), named_phases("brittleness"))
    originals = [p for p in run.problems.values() if f"{p.name}" in BENCHMARKS]
    assert len(originals) == LIMIT
    by_heart = solved_first(run)
    coeff = {p.id for p in originals if "primitive" in p.subset} & by_heart
    powers = {p.id for p in originals if p.subset == "powers"} & by_heart
    assert 0 < len(coeff) < 28
    for pool, members in (("coeff", coeff), ("exp", powers)):
        for terms in (2, 3, 4):
            sums = problems(run, f"{pool}_sum{terms}")
            assert len(sums) == 4  # the limit, spread over the thirteen subsets
            assert {parent.id for child in sums for parent in child.parents} <= members
    # Nothing of other benchmarks was asked, so that no problem is next to one.
    assert not problems(run, "over_k")
    assert not problems(run, "valid_sum2")
    assert summarise(run).missing == summarise(run).unscored == 0
    contrasts = compare(run, by="perturbation").contrasts
    assert {row.group for row in contrasts} >= {"brittleness/coeff_sum2", "brittleness/exp_sum4"}
    for row in contrasts:
        at_one = row.at(1)
        assert row.unpaired == 0
        assert at_one is not None
        # Sums of like terms are one term, which it may know.
        assert at_one.first == 1.0
        assert at_one.second <= 0.5


@pytest.mark.slow
def test_problems_of_ones_own_are_paired_with_their_neighbours(tmp_path: Path, model: str) -> None:
    rows = [
        {"integrand": f"{n} x", "antiderivative": f"{n}x^2/2", "id": f"t{n}"} for n in range(2, 14)
    ]
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    own = job_of([model], [str(path)], samples=4, sampling=Sampling(beams=4), out=tmp_path / "run")
    run = run_phases(own, named_phases("brittleness"))
    by_heart = {problem.id for problem in run.problems.values() if problem.benchmark == "own"}
    children = problems(run, "times_k")
    assert {child.pair_parent for child in children} == by_heart  # at the third rank at least
    assert len(children) == 10 * len(by_heart)
    assert len(problems(run, "plus_exp")) == len(by_heart)
    assert len(problems(run, "valid_sum2")) == len(by_heart) ** 2
    contrasts = {row.group: row for row in compare(run, by="perturbation").contrasts}
    paired = contrasts["brittleness/times_k"]
    assert (paired.pairs, paired.unpaired) == (len(by_heart), 0)
    at_four = paired.at(4)
    assert at_four is not None
    assert (at_four.first, at_four.second) == (1.0, 1.0)


def test_the_same_call_again_asks_nothing(
    tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "asked"
    monkeypatch.setenv("ASKED", str(log))
    run = run_phases(job(model, tmp_path / "run"), named_phases("brittleness"))
    rows = sorted(run.completions.rows(), key=lambda row: row["key"])
    assert len(log.read_text().splitlines()) == len(run.problems)
    again = run_phases(job(model, tmp_path / "run"), named_phases("brittleness"))
    assert sorted(again.completions.rows(), key=lambda row: row["key"]) == rows
    assert len(log.read_text().splitlines()) == len(run.problems)


@pytest.mark.slow
def test_killed_at_any_time_it_ends_with_the_same(tmp_path: Path, model: str) -> None:
    undisturbed = run_phases(job(model, tmp_path / "whole"), named_phases("brittleness"))
    log, out = tmp_path / "asked", tmp_path / "killed"
    command = [
        sys.executable,
        str(ROOT / "run.py"),
        *(
            f"sweep --model {model} --phases brittleness --beams 4 -n 4 --limit {LIMIT} --out {out}"
        ).split(),
        *(word for name in BENCHMARKS for word in ("--benchmark", name)),
    ]
    environment = os.environ | {"SLOW": "0.2", "ASKED": str(log)}
    # In the first phase (42 problems), about its end, and in the second (24).
    kills = (random.Random(1).randrange(1, 30), 38, 41, 43, 55)
    run_with_kills(command, log, kills, environment, cwd=tmp_path)
    run = Run(out)
    assert list(run.problems) == list(undisturbed.problems)
    texts = {(row["key"], row["text"]) for row in run.completions.rows()}
    assert texts == {(row["key"], row["text"]) for row in undisturbed.completions.rows()}
    assert summarise(run).missing == summarise(run).unscored == 0
    # Only what was under way, or had come and was not yet written, was asked again.
    repeats = Counter(log.read_text().splitlines())
    assert sum(repeats.values()) - len(run.problems) <= 12 * len(kills) < sum(kills)


@pytest.mark.parametrize(("limit", "count"), [(None, 72 + 6), (4, 4 + 4)])
def test_a_limit_is_spread_over_the_lists_of_a_phase(
    tmp_path: Path, limit: int | None, count: int
) -> None:
    (tmp_path / "zero.py").write_text('def answer(messages, seed):\n    return "0"\n')
    before_phases = job_of(
        [f"python/{tmp_path}/zero.py:answer"], ["drills/negated"], limit=limit, out=tmp_path / "run"
    )
    added = load("drills/monomials", limit=6)
    run = run_phases(before_phases, [Phase("more", lambda results: (added[:4], added[3:]))])
    assert len(run.problems) == count
    assert {problem.subset for problem in run.problems.values()} == {"negated", "monomials"}


def test_other_settings_are_refused_once_problems_were_derived(tmp_path: Path, model: str) -> None:
    out = tmp_path / "run"
    run_phases(job(model, out), named_phases("brittleness"))
    with pytest.raises(UserError, match="derived with limit 42, not 60"):
        run_phases(job(model, out, limit=60), named_phases("brittleness"))
    with pytest.raises(UserError, match="derived with phase-filter none, not published"):
        run_phases(job(model, out), named_phases("brittleness", "published"))
    with pytest.raises(UserError, match="derived with phases brittleness, not brittleness-paper"):
        run_phases(job(model, out), named_phases("brittleness-paper"))
    with pytest.raises(UserError, match="derived with policy balls"):
        run_phases(job(model, out), named_phases("brittleness"), policy=Policy(strict=True))
    wider = run_phases(job(model, out, samples=3), named_phases("brittleness"))
    assert summarise(wider).missing == 0
    path = out / "phases" / "derived.json"
    path.write_text(path.read_text()[:-9])
    with pytest.raises(UserError, match="is damaged"):
        run_phases(job(model, out), named_phases("brittleness"))


def test_one_model_and_known_phases_only(tmp_path: Path, model: str) -> None:
    both = job_of([model, "solver/sympy"], [BENCHMARKS[0]], limit=2, out=tmp_path / "run")
    with pytest.raises(UserError, match="one model for each run, not 2"):
        run_phases(both, named_phases("brittleness"))
    with pytest.raises(UserError, match="did you mean"):
        named_phases("britleness")


def _results(sampled: bool, solved: dict[str, int], limit: int | None = 130) -> PhaseResults:
    inputs = {"integrand": "2 x", "variable": "x", "antiderivative": "x^2"}
    listed = [
        Problem(f"p{i}", "integration", *name.split("/"), inputs=inputs, target=inputs)
        for i, name in enumerate(solved)
    ]
    rank = {problem_key(p): r for p, r in zip(listed, solved.values(), strict=True) if r}
    return PhaseResults(tuple(listed), rank, 10, 0, sampled, limit)


def test_pools_by_where_a_problem_comes_from_and_at_which_rank() -> None:
    results = _results(
        True,
        {
            "brittleness/primitive_sin": 1,
            "brittleness/primitive_cos": 2,
            "brittleness/roots": 1,
            "brittleness/powers_paper": 1,
            "bee/qualifier": 7,
            "bee/competition": 0,
            "brittleness/integers_1": 1,
        },
    )
    pools: dict[str, set[str]] = {}
    for child in (child for group in derive("code", "none", results) for child in group):
        pools.setdefault(child.subset, set()).update(parent.id for parent in child.parents)
    assert pools["coeff_sum1"] == pools["coeff_sum3"] == {"p0"}
    assert pools["exp_sum2"] == {"p2", "p3"}
    assert pools["valid_sum4"] == pools["over_k"] == pools["plus_ln"] == {"p4"}
    assert len(pools) == 16
    # A deterministic model would fail none of its solved problems again: sums of one term are left
    # out.
    steady = _results(False, {"bee/qualifier": 1})
    names = {child.subset for group in derive("paper", "none", steady) for child in group}
    assert not {name for name in names if name.endswith("1")}
    assert set(PLANS) == {"brittleness", "brittleness-paper"}


@pytest.mark.parametrize("benchmark", ["lample_charton", "bee", "mine"])
def test_the_filters_are_an_option_whatever_the_benchmark_is_called(benchmark: str) -> None:
    sides = [("2 x", "x^2"), (r"\cosh x", r"\sinh x"), ("11 x^{10} + 12 x^{11} + 13 x^{12}", "")]
    rows = [{"integrand": f, "variable": "x", "antiderivative": big_f} for f, big_f in sides]
    rows[2]["antiderivative"] = "x^{11} + x^{12} + x^{13}"
    listed = [
        Problem(f"p{i}", "integration", benchmark, "valid", inputs=row, target=row)
        for i, row in enumerate(rows)
    ]
    rank = {problem_key(problem): 1 for problem in listed}
    results = PhaseResults(tuple(listed), rank, 10, 0, False)

    def used(phase_filter: PhaseFilter, subset: str) -> set[str]:
        children = (child for group in derive("code", phase_filter, results) for child in group)
        return {
            parent.id for child in children if child.subset == subset for parent in child.parents
        }

    assert used("none", "times_k") == used("none", "valid_sum2") == {"p0", "p1", "p2"}
    assert used("published", "times_k") == {"p0", "p2"}
    assert used("published", "valid_sum2") == {"p0"}  # the other is longer than 20 characters
    assert read_settings(preset_file("brittleness"))["phase-filter"] == "published"


# --- whose fault, and the report ---------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Scoring(PythonFunction):
    """The toy model, with a lower likelihood for longer texts."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        return super().capabilities | {Capability.SCORING}

    async def score(self, texts: AsyncIterator[Continuation]) -> AsyncGenerator[Scored, None]:
        async for text in texts:
            yield Scored(text.key, tuple(-0.1 for _ in text.text), ended=True)


def cells(sections: list[Any], title: str) -> dict[str, tuple[str, ...]]:
    (section,) = [section for section in sections if title in section.title]
    assert all(len(row) == len(section.headings) for row in section.rows)
    return {row[0]: row[1:] for row in section.rows}


def test_table_14_counts_sums_of_two_terms_and_more(tmp_path: Path, model: str) -> None:
    sampled = job(model, tmp_path / "run", samples=2, sampling=Sampling(temperature=1.0))
    run = run_phases(sampled, named_phases("brittleness"))
    (source,) = answers_of([Run(run.path)])
    counted = cells(report.sections(source), "Table 14")["1"][0]
    sums = [len(problems(run, f"exp_sum{terms}")) for terms in (1, 2, 3, 4)]
    assert sums[0] > 0
    assert int(counted) == sum(sums[1:])


def test_the_report_says_what_was_measured_and_what_was_published(
    tmp_path: Path, model: str
) -> None:
    scoring = Scoring(spec=model)
    run = run_phases(job(scoring, tmp_path / "run"), named_phases("brittleness"))
    scored = score_texts(run.path, scoring, candidates=3, written=r"\boxed{%s}")
    assert scored.scored > len(run.problems)
    assert scored.remarks == ()
    assert score_texts(run.path, scoring, candidates=3) == ScoringResult(
        0
    )  # nothing is scored twice
    (source,) = answers_of([Run(run.path)])
    assert source.missing == 0
    sections = report.sections(source)
    sin = problems(run, "primitive_sin")
    solved = len(solved_first(run) & {p.id for p in sin})
    fail = 100 * (1 - solved / len(sin))
    table = cells(sections, "Table 2")
    row = table["k1*sin(k2*x)"]
    assert row[0] == "14"
    assert row[1].startswith(f"{fail:.1f} [")
    assert row[2].startswith("0.0 [")  # the third candidate is correct, and four were kept
    assert row[-3:] == ("29.7", "19.6", "6.6")
    assert table["f+ln(x)"][:3] == ("0", "not run", "not run")
    sums = cells(sections, "Table 8")
    assert sums["coeff, 2 terms"][-3:] == ("29.2", "16.2", "8.60")
    assert sums["exp, 3 terms"][1].startswith("100.0 [")
    assert cells(sections, "Table 9")["35 operators"][-2:] == ("49.0", "59.2")[::-1]
    assert cells(sections, "Table 14")["50"][-2:] == ("2.250", "41.667")
    # The reference and the wrong candidates have the probabilities that their lengths say.
    lists = ranked_candidates(Run(run.path), scoring.hash)
    for problem in sin:
        ranked = lists[problem_key(problem)]
        text = rf"\boxed{{{problem.target.antiderivative}}}"
        assert ranked.reference == pytest.approx(-0.1 * len(text))
        assert ranked.candidates[0].logprob == pytest.approx(-0.1 * len(ranked.candidates[0].text))
        assert ranked.candidates[3].logprob is None
    causes = cells(sections, "Search errors")
    failing = [lists[problem_key(p)] for p in problems(run, "coeff_sum4")]
    failing = [ranked for ranked in failing if ranked.fails(4)]
    assert causes.get("brittleness/coeff_sum4") in (
        None,
        (  # the fourth candidate is not known
            str(len(failing)),
            "0",
            "0",
            str(len(failing)),
        ),
    )
    page = write_sections(tmp_path / "page.html", "T", "S", [*sections, decoding([source])])
    html = page.read_text()
    assert html.count("<h2") == len(sections) + 1
    assert "<svg" in html
    assert "//" not in html.replace("http://www.w3.org/2000/svg", "").replace(model, "")
    assert as_markdown(sections).count("### ") == len(sections)
    print_sections(sections)


def test_the_papers_scorer_stands_beside_our_verdicts(tmp_path: Path, model: str) -> None:
    small = job_of(
        [model],
        list(BENCHMARKS[1:]),
        limit=13,
        samples=2,
        out=tmp_path / "run",
        sampling=Sampling(beams=3),
    )
    run = run_phases(small, named_phases("brittleness"))
    ours = answers_of([Run(run.path)])[0]
    assert ours.scorer is None
    score(run.path, policy=Policy(method="welleck"))
    (source,) = answers_of([Run(run.path)])
    assert source.policy == ours.policy
    (section,) = [s for s in report.sections(source) if "Table 2" in s.title]
    theirs = section.headings.index("their scorer Fail@1 (width 3)")
    mine = section.headings.index("Fail@1 (width 3)")
    for row in section.rows:
        if row[mine] != "not run":  # on these answers both read the same
            assert row[mine].split()[0] == row[theirs]
    assert source.without_timeouts.keys() == source.scorer_tallies.keys()
    score(run.path, policy=Policy(method="welleck", deadline=10))
    (source,) = answers_of([Run(run.path)], with_decoding=True)
    assert (source.scorer, source.limit) == (f"welleck-{VERSION}.2", 10)
    assert source.protocol_tallies(credit=False) == source.scorer_tallies  # nothing takes so long


def test_the_command_line(tmp_path: Path, model: str, cli: Any) -> None:
    out = tmp_path / "run"
    swept = cli(
        *f"sweep --preset brittleness --model {model} --benchmark {BENCHMARKS[0]}".split(),
        *f"--limit 6 --beams 3 -n 3 --out {out} --json".split(),
    )
    assert swept.returncode == 0, swept.stderr
    assert json.loads(swept.stdout)["missing"] == 0
    result = cli("brittleness", out)
    assert result.returncode == 0, result.stderr
    assert "Robustness (Table 2)" in result.stdout
    assert (out / "brittleness.html").is_file()
    markdown = cli("brittleness", out, "--markdown")
    assert "| k1\\*sin(k2\\*x) | 6 |" in markdown.stdout
    refused = cli("logprobs", out, "--model", model)
    assert refused.returncode == 2
    assert refused.stderr.strip().endswith("has no log-probabilities of a given text")
    assert cli("logprobs", out, "--model", "solver/sympy").returncode == 2
