"""AntiderivBench's evaluator: the six steps, the blind spots, and the containment."""

from __future__ import annotations

import builtins
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flint import acb

from calculus_harness.benchmarks import load
from calculus_harness.harness.cli.main import cli
from calculus_harness.rewards import verify_antiderivative, verify_many
from calculus_harness.rewards.verdict import Status
from calculus_harness.rewards.verify.baselines import antiderivbench
from calculus_harness.rewards.verify.baselines.antiderivbench import (
    MissingReaderError,
    ResidualSize,
    evaluate,
    points,
)

pytestmark = [pytest.mark.published, pytest.mark.slow]
pytest.importorskip("latex2sympy2_extended", reason="needs the extra `published`")

CORRECT, INCORRECT = Status.CORRECT, Status.INCORRECT

CASES = [
    # answer, integrand, status, step
    (r"\sin(x^2)+C", r"2x\cos(x^2)", CORRECT, 2),
    (r"-\cos^2 x", r"2\sin x\cos x", CORRECT, 2),
    (r"\log x", r"\frac1x", CORRECT, 2),
    (r"\mathrm{e}^{x}", r"e^x", CORRECT, 2),
    (r"F(x) = \frac{x^2}{2}", r"x", CORRECT, 2),
    (r"\frac{\sqrt{\pi}}{2}\operatorname{erf}(x)", r"e^{-x^2}", CORRECT, 2),
    (r"\operatorname{sech} x", r"-\operatorname{sech}(x)\tanh(x)", CORRECT, 2),
    (r"\ln|x|+C", r"\frac{1}{x}", CORRECT, 6),
    (r"x^2", r"2x+1", INCORRECT, 4),
    (r"x^2+\sqrt{(x-1)^2}-(x-1)", r"2x", INCORRECT, 4),
    (r"2\sqrt{\sin x}", r"\sqrt{\csc x-\sin x}", INCORRECT, 4),
    (r"\foo{", r"x", Status.UNPARSEABLE, 1),
    (r"x^2", r"\foo{", Status.ERROR, 0),
    # Known blind spots of the method, kept as they are.
    (r"\int 2x\,dx", r"2x", CORRECT, 2),
    (r"Ce^x", r"e^x", CORRECT, 6),
    (r"x^2+10^{-20}x", r"2x", CORRECT, 6),
    # A function without brackets is not a symbol, which would not cancel.
    (r"\operatorname{artanh}\frac{x}{2}", r"\frac{2}{4-x^2}", CORRECT, 6),
    (r"\operatorname{artanh}\frac{x}{3}", r"\frac{2}{4-x^2}", INCORRECT, 4),
    (r"\ln\tan\left(x+\frac\pi4\right)", r"\frac{2}{\cos 2x}", CORRECT, 6),
]


@pytest.mark.parametrize(("answer", "integrand", "status", "step"), CASES)
def test_steps(answer: str, integrand: str, status: Status, step: int) -> None:
    finding = evaluate(answer, integrand)
    assert (finding.status, finding.step) == (status, step), finding


def test_points_are_those_of_the_paper() -> None:
    values = [numerator / denominator for numerator, denominator in points()]
    assert len(values) == len(set(values)) == 3998
    assert {1, -1, 1000, -1000, 1 / 1000, -1 / 1000} < set(values)


def test_nothing_evaluated_is_said() -> None:
    assert evaluate("Ce^x", "e^x").flags == ("nothing_evaluated",)


def test_large_values_are_no_rejection() -> None:
    finding = evaluate(r"e^{x^2}(1+10^{-9})-10^{-9}e^{x^2}", r"2xe^{x^2}")
    assert finding.status is CORRECT


def test_an_absolute_value_of_a_root_is_evaluated() -> None:
    """SymPy's derivative has atan2, sign and DiracDelta."""
    finding = evaluate(r"\ln\left|x+\sqrt{x^2-1}\right|", r"\frac{1}{\sqrt{x^2-1}}")
    assert (finding.status, finding.flags) == (CORRECT, ())
    assert finding.points > 1000


def test_rounding_errors_that_agree_are_no_residual() -> None:
    """5^{-x} e^x at x = -458 is over 1e120, and e^{-458} is lost beside 1 with 60 digits."""
    import sympy

    x = sympy.Symbol("x", real=True)
    zero = 5 ** (-x) * ((1 + sympy.exp(x)) ** 2 - 1 - 2 * sympy.exp(x) - sympy.exp(2 * x))
    size = ResidualSize(zero, x, x)(acb(-458))
    assert size is not None
    assert size <= 1e-8
    value = ResidualSize(zero + 1, x, x)(acb(-458))
    assert value == pytest.approx(1)


def test_points_where_the_integrand_is_not_real_are_passed_over() -> None:
    """F' - f may be real at such a point by chance."""
    import sympy

    x = sympy.Symbol("x", real=True)
    size = ResidualSize(sympy.Integer(3), sympy.sqrt(x), x)
    assert size(acb(2)) == 3
    assert size(acb(-2)) is None
    small = ResidualSize(sympy.Integer(3), sympy.sqrt(x) / 10**12, x)  # not real, however small
    assert small(acb(2)) == 3
    assert small(acb(-2)) is None


def test_an_answer_that_no_point_refutes_needs_no_simplification(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(antiderivbench, "_vanishes", pytest.fail)
    monkeypatch.setattr(antiderivbench, "_integral", pytest.fail)
    assert evaluate(r"\ln|x|", r"\frac1x").status is CORRECT


def test_a_wrong_answer_that_is_not_decided_in_time_is_no_rejection() -> None:
    """SymPy takes minutes for the integral; the decision of the points is kept."""
    verdict = verify_antiderivative(
        r"x", r"\frac{\sqrt{x^4+\sin x+1}}{\ln(x^2+2)+e^{\cos x}}", method="published", deadline=3
    )
    assert verdict.status is Status.TIMEOUT
    assert "step 4 would reject: |F' - f| = " in verdict.evidence.detail


def test_the_deadline_is_processor_time_and_the_worker_lives_on() -> None:
    """With a wall clock, the time of another program would count."""
    tower = r"x^{x^{x^{x^{\sin(x^{x^x})}}}}"
    first, second = verify_many(
        [tower, r"\sin x"], [tower, r"\cos x"], method="published", deadline=1, workers=1
    )
    assert first.status is Status.TIMEOUT
    assert "processor time" in first.evidence.detail
    assert second.correct


def test_a_timeout_is_a_rate_of_its_own_and_widens_the_bounds(tmp_path: Path) -> None:
    """pass@1 is 0 with the answer, and might be 1: the table reports both; no verdict is wrong."""
    problems = tmp_path / "hard.jsonl"
    integrand = r"\frac{\sqrt{x^4+\sin x+1}}{\ln(x^2+2)+e^{\cos x}}"
    problems.write_text(json.dumps({"integrand": integrand}) + "\n")
    model = tmp_path / "model.py"
    model.write_text("def answer(messages, seed):\n    return r'\\boxed{x}'\n")
    out = str(tmp_path / "run")
    arguments = ["--method", "published", "--deadline", "1"]
    common = ["--model", f"python/{model}:answer", "--benchmark", str(problems), "--out", out]
    done = CliRunner().invoke(cli, ["sweep", *common, *arguments, "--json"])
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)["rows"]
    assert (row["rates"]["timeout"], row["rates"]["incorrect"]) == (1, 0)
    done = CliRunner().invoke(cli, ["report", out, "--all"])
    assert "pass@1 between 0.0 and 100.0" in " ".join(done.output.split())


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "lin_comb/bee-c-048-3-lin_comb-s0",
        "subst_poly/bee-c-001-1-subst_poly-s0",
        "subst_hard/bee-c-001-1-subst_hard-s0",
    ],
)
def test_references_that_simplification_does_not_end_on(name: str) -> None:
    subset, _, key = name.partition("/")
    (problem,) = (item for item in load(f"bee/{subset}") if item.id == key)
    integrand, reference = problem.target.integrand, problem.target.antiderivative
    assert verify_antiderivative(reference, integrand, method="published").correct


def test_another_variable() -> None:
    assert evaluate(r"\sin t", r"\cos t", "t").status is CORRECT


MARK = "zzzmark"
HOSTILE = [
    f"__import__('{MARK}').system('false')",
    rf"\operatorname{{{MARK}}}(x)",
    rf"\mathrm{{{MARK}}}(x)",
    rf"\text{{{MARK}}}(x)",
    rf"f_{{{MARK}}}(x)",
    rf"x_{{{MARK}}}+x",
    rf"\lambda_{{{MARK}}}(x)",
    rf"\{MARK}(x)",
    rf"x.{MARK}",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_never_reaches_eval(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for name in ("eval", "exec", "compile", "__import__"):
        original = getattr(builtins, name)

        def spy(source: object, *args: Any, _original: Any = original, **named: Any) -> Any:
            seen.append(str(source))
            return _original(source, *args, **named)

        monkeypatch.setattr(builtins, name, spy)
    evaluate(text, "2x")
    monkeypatch.undo()
    assert not [source for source in seen if MARK in source]


def test_in_a_worker_with_a_deadline() -> None:
    verdict = verify_antiderivative(r"\sin(x^2)+C", r"2x\cos(x^2)", method="published")
    assert verdict.correct
    assert verdict.evidence.method == "published"
    assert verdict.evidence.detail.startswith("step 2")
    begin = time.monotonic()
    tower = r"x^{x^{x^{x^{\sin(x^{x^x})}}}}"
    verdict = verify_antiderivative(tower, tower, method="published", deadline=0.5)
    assert verdict.status is Status.TIMEOUT
    assert time.monotonic() - begin < 20  # SymPy is imported outside the deadline


def test_the_missing_extra_is_named() -> None:
    program = (
        "import sys; sys.modules['latex2sympy2_extended'] = None\n"
        "from calculus_harness.rewards.verify.baselines.antiderivbench import evaluate\n"
        "evaluate('x', '1')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "[published]'" in done.stderr.splitlines()[-1]
    assert issubclass(MissingReaderError, ImportError)
