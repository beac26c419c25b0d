"""Prefix tokens: files of released pairs, the prompt, and answers."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path

import pytest

from calculus_harness.benchmarks import Problem, load
from calculus_harness.benchmarks.files.table import BrokenRowsWarning, ProblemFileError
from calculus_harness.benchmarks.lample_charton.codec.prefix import PrefixError, model_input
from calculus_harness.benchmarks.lample_charton.prefix_forms import prefix_form
from calculus_harness.benchmarks.registry import UnknownBenchmarkError, resolve
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.core.policy import Policy
from calculus_harness.harness.core.requests import Completion, FinishReason, problem_key
from calculus_harness.harness.run.plan import plan
from calculus_harness.harness.run.scoring import score
from calculus_harness.harness.run.scoring.grading import grade
from calculus_harness.harness.run.spec import SweepSpec
from calculus_harness.harness.run.sweep import sweep
from calculus_harness.harness.tasks.prefix_answers import as_latex
from calculus_harness.prompts import PromptError
from calculus_harness.prompts import load as load_prompt
from calculus_harness.rewards.verdict import Verdict

PREFIX = Policy(answer_format="prefix")
LINES = "7|sub Y' cos x\tsin x\nsub Y' mul INT+ 2 x\tpow x INT+ 2\n"


def integral(integrand: str, **metadata: str) -> Problem:
    inputs = {"integrand": integrand, "variable": "x"}
    return Problem("p", "integration", "own", "s", inputs, inputs, metadata=metadata)


# --- files ---


@pytest.mark.parametrize("packed", [False, True])
def test_a_released_file_is_a_benchmark(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("prim.test.gz" if packed else "prim.test")
    data = LINES.encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    problems = load(f"lample_charton/{path}")
    assert [problem.name for problem in problems] == [f"lample_charton/{path.name}"] * 2
    assert [problem.metadata["count"] for problem in problems] == [7, 1]
    assert len({problem.id for problem in problems}) == 2
    assert [problem.target.antiderivative for problem in problems] == [
        r"\sin\left(x\right)",
        "x^{2}",
    ]


def test_lines_that_are_no_problem_are_listed_or_left_out(tmp_path: Path) -> None:
    path = tmp_path / "prim.valid"
    path.write_text(LINES + "sub Y' add x\tx\nsub Y' x\n", encoding="utf-8")
    name = f"lample_charton/{path}"
    with pytest.raises(ProblemFileError, match=r"line 3: add lacks .* 1 more rows .* line 4"):
        load(name)
    with pytest.warns(BrokenRowsWarning, match="left out 2"):
        assert len(load(f"{name}?skip-broken=yes")) == 2
    with pytest.raises(ProblemFileError, match="has no integrand="):
        load(f"{name}?integrand=f")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ProblemFileError, match="cannot read"):
        load(f"lample_charton/{tmp_path / 'bytes'}")


def test_subsets_keep_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bwd").write_text(LINES, encoding="utf-8")
    assert [problem.subset for problem in load("lample_charton/./bwd")] == ["bwd", "bwd"]
    assert [subset.name for subset in resolve("lample_charton/bwd")] == ["lample_charton/bwd"]
    with pytest.raises(UnknownBenchmarkError, match=r"no subset 'missing\.valid'.*path of a file"):
        resolve("lample_charton/missing.valid")


# --- prompts ---


def test_a_prompt_of_prefix_tokens() -> None:
    prompt = load_prompt("prefix")
    for problem in load("lample_charton/bwd", limit=3):
        tokens = str(problem.metadata["prefix"]).split()
        assert prompt.render(problem).text == " ".join(model_input(tokens))
    assert prompt.render(integral("3(x+x)+1")).text == "sub Y' add INT+ 1 mul INT+ 6 x"
    with pytest.raises(PromptError, match=r"prefix.*no token"):
        prompt.render(integral(r"b x"))


def test_random_integrals_have_the_forms_that_their_latex_has() -> None:
    """A model gets a problem of any benchmark in the order of the published data."""
    for problem in load("lample_charton/bwd", limit=12):
        plain = Problem("p", "integration", "own", "s", problem.inputs, problem.target)
        for side in ("integrand", "antiderivative"):
            assert len(prefix_form(plain, side).split()) > 0
        assert prefix_form(plain, "antiderivative") == prefix_form(problem, "antiderivative")
    with pytest.raises(PrefixError):
        prefix_form(integral(r"\Gamma(x)"), "integrand")


# --- answers ---


def test_texts_that_are_no_formula_have_a_verdict() -> None:
    assert as_latex("<s> pow x INT+ 3 </s> </s>") == r"\boxed{x^{3}}"
    assert as_latex("sin x\nsub Y' more", stop=["\n"]) == r"\boxed{\sin\left(x\right)}"
    for text, status in (
        ("", "no_answer"),
        ("<s> </s>", "no_answer"),
        ("add x", "unparseable"),
        ("sin x x", "unparseable"),
        (r"\boxed{x^2}", "unparseable"),
        ("add " * 5000 + "x", "unparseable"),
    ):
        verdict = as_latex(text)
        assert isinstance(verdict, Verdict)
        assert verdict.status == status


def test_answers_are_judged_in_their_order() -> None:
    problem = integral("2x")
    texts = ["pow x INT+ 2", "pow x", "x", "add INT+ 7 pow x INT+ 2", "pow x INT+ 2"]
    graded = [
        (
            problem,
            Completion(
                "m",
                problem_key(problem),
                "r",
                sample,
                "answer",
                1,
                text,
                finish_reason=FinishReason.LENGTH if sample == 4 else FinishReason.STOP,
            ),
        )
        for sample, text in enumerate(texts)
    ]
    verdicts = asyncio.run(grade(graded, PREFIX, {}))
    assert [verdict.status for verdict in verdicts] == [
        "correct",
        "unparseable",
        "incorrect",
        "correct",
        "correct",
    ]
    in_latex = asyncio.run(grade(graded[:1], Policy(), {}))
    assert not in_latex[0].correct
    assert PREFIX.name == f"{Policy().name}-prefix"


def test_other_tasks_refuse_prefix_tokens(tmp_path: Path) -> None:
    spec = SweepSpec.of(model="solver/sympy", benchmark="calculus", limit=1, policy=PREFIX)
    with pytest.raises(UserError, match="'calculus_step' cannot be read in the format 'prefix'"):
        plan(spec)
    out = tmp_path / "run"
    code = tmp_path / "model.py"
    code.write_text("def answer(messages, seed):\n    return '4'\n", encoding="utf-8")
    sweep([f"python/{code}:answer"], ["hint/SS"], limit=1, out=out)
    with pytest.raises(UserError, match="'arithmetic' cannot be read"):
        score(out, policy=PREFIX)
