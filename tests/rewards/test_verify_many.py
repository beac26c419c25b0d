"""Batches of verdicts: equal to single verdicts, in order, and robust against any item."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.rewards import (
    ProblemError,
    Status,
    Verdict,
    Witness,
    verify_antiderivative,
)
from calculus_harness.rewards.batch import averify_many, verify_many
from calculus_harness.rewards.verdict import Evidence
from calculus_harness.rewards.workers import pool as worker_pool
from calculus_harness.rewards.workers import verdicts
from calculus_harness.rewards.workers.pool import WorkerPool
from calculus_harness.rewards.workers.verdicts import pack, unpack

FILE = Path(__file__).parent / "workers" / "tasks.py"
CASES = json.loads((Path(__file__).parent / "cases" / "verdicts.json").read_text())
PLAIN = [
    case
    for case in CASES
    if case.keys().isdisjoint(("options", "variable")) and isinstance(case["completion"], str)
][::3]


@pytest.fixture
def mischief(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Workers that obey a completion such as ``do segfault``."""
    with WorkerPool(2, 256, tasks={"verify": f"{FILE}:judge"}) as pool:
        monkeypatch.setattr(verdicts, "shared_pool", lambda *_: pool)
        yield


def alone(case: dict[str, Any]) -> Verdict | None:
    try:
        return verify_antiderivative(case["completion"], case["integrand"])
    except ProblemError:
        return None


def test_the_same_as_one_by_one() -> None:
    verdicts = verify_many(
        [case["completion"] for case in PLAIN], [case["integrand"] for case in PLAIN], workers=2
    )
    assert len(verdicts) == len(PLAIN)
    for case, verdict in zip(PLAIN, verdicts, strict=True):
        expected = alone(case)
        if expected is None:
            assert verdict.status is Status.ERROR
            assert verdict.evidence.flags == ("problem_error",)
            continue
        assert verdict.status is expected.status, case
        assert verdict.reward == expected.reward
        assert verdict.answer == expected.answer
        assert verdict.evidence.witness == expected.evidence.witness
        assert verdict.evidence.flags == expected.evidence.flags


def test_one_integrand_for_all() -> None:
    verdicts = verify_many([r"\boxed{x^2}", r"\boxed{x^3}", r"x^2+C"], "2x", workers=2)
    assert [verdict.correct for verdict in verdicts] == [True, False, True]


def test_options_for_all_and_for_each() -> None:
    verdicts = verify_many(
        [r"\sin t", r"\sin x", "no box, x^2"],
        [r"\cos t", r"\cos x", "2x"],
        variable=["t", "x", "x"],
        truncated=[False, False, True],
        stop=("Question:",),
        workers=2,
    )
    assert [verdict.correct for verdict in verdicts[:2]] == [True, True]
    verdicts = verify_many(["x^2", r"\boxed{x^2}"], "2x", strict=True, workers=2)
    assert [verdict.status for verdict in verdicts] == [Status.NO_ANSWER, Status.CORRECT]


def test_misuse_is_loud() -> None:
    with pytest.raises(TypeError, match="no such option: stirct"):
        verify_many(["x"], "1", stirct=True)
    with pytest.raises(TypeError, match="sequence of strings"):
        verify_many("x", "1")
    with pytest.raises(ValueError, match="2 completions but 1 integrands"):
        verify_many(["x", "x"], ["1"])
    with pytest.raises(ValueError, match="1 completions but 2 variable"):
        verify_many(["x"], "1", variable=["x", "y"])
    assert verify_many([], []) == []


def test_sympy_integrands() -> None:
    sympy = pytest.importorskip("sympy")
    pytest.importorskip("calculus_harness.rewards.reading.expression.sympy_bridge")
    x = sympy.Symbol("x")
    verdicts = verify_many([r"\sin(x^2)", r"\sin x"], 2 * x * sympy.cos(x**2), workers=2)
    assert [verdict.correct for verdict in verdicts] == [True, False]


@pytest.mark.usefixtures("mischief")
@pytest.mark.parametrize(
    ("what", "status", "flags"),
    [
        ("sleep", Status.TIMEOUT, ("wall_clock",)),
        ("spin", Status.TIMEOUT, ("processor_time",)),
        ("python_memory", Status.ERROR, ("memory_limit",)),
        ("segfault", Status.ERROR, ("worker_crash",)),
        ("raise", Status.ERROR, ("internal_error",)),
        ("problem", Status.ERROR, ("problem_error",)),
    ],
)
def test_what_happens_to_a_worker_becomes_a_verdict(
    monkeypatch: pytest.MonkeyPatch, what: str, status: Status, flags: tuple[str, ...]
) -> None:
    if what == "sleep":
        monkeypatch.setattr(worker_pool, "WALL_CLOCK_FACTOR", 1)
    deadline = 1 if status is Status.TIMEOUT else 20
    completions = [r"x^2", f"do {what}", r"x^2"]
    good, bad, also_good = verify_many(completions, "2x", deadline=deadline)
    assert good.correct
    assert also_good.correct
    assert (bad.status, bad.evidence.flags, bad.reward) == (status, flags, 0.0)
    assert bad.evidence.detail
    assert bad.evidence.seconds > (0.99 if status is Status.TIMEOUT else 0)


@pytest.mark.slow
@pytest.mark.usefixtures("mischief")
def test_five_per_cent_of_hostile_items() -> None:
    faults = ["sleep", "segfault", "python_memory", "exit", "spin"]
    completions = [r"so \boxed{x^2 + C}"] * 200
    for number in range(10):
        completions[number * 20 + 3] = f"do {faults[number % 5]}"
    verdicts = verify_many(completions, "2x", deadline=1.5)
    for completion, verdict in zip(completions, verdicts, strict=True):
        if completion.startswith("do "):
            assert verdict.status in (Status.TIMEOUT, Status.ERROR)
        else:
            assert verdict.correct


NINES = "9" * 3000
HOSTILE = [
    "9^{9^{9^9}}",
    "x^{" * 200 + "x" + "}" * 200,
    "(" * 100_000 + "x",
    r"\frac{1}{" * 5000 + "x" + "}" * 5000,
    r"\sqrt{" * 300 + "x" + "}" * 300,
    "x+" * 500_000 + "x",
    "10^{10^{10}}!",
    f"{NINES}^{{{NINES}}}",
    f"x^{{{NINES}}}",
    r"\operatorname{Li}_{1000000}(x)",
    r"\operatorname{Li}_{" + NINES + "}(x^x)",
    r"\Pi(x, x^{100000}, 10^{100000})",
    r"\Gamma(10^{100}x, 10^{100})",
    r"\Gamma(" * 60 + "x" + ")" * 60,
    r"\zeta(10^{30}x)",
    r"{}_2F_1(10^{9}, 10^{9}; 1; x)",
    r"\sum_{k=1}^{1000000000} x^k",
    r"J_{10^{20}}(10^{20}x)",
    "\\" * 50_000,
    "\x00\ud800\U0010ffff" * 1000,
    "x!!!!!!!!!!!!",
    r"\boxed{" * 10_000,
    "{" * 100_000 + "}" * 100_000,
]


@pytest.mark.slow
def test_hostile_text_against_the_real_verifier() -> None:
    completions: list[str] = []
    for text in HOSTILE:
        completions += [text, rf"\boxed{{{text}}}", *[r"\boxed{\tfrac{x^2}{2}+C}"] * 10]
    begin = time.monotonic()
    verdicts = verify_many(completions, "x", deadline=3, memory_mb=512, workers=2)
    assert time.monotonic() - begin < 3 * 2 * len(HOSTILE) / 2 + 30
    for number, verdict in enumerate(verdicts):
        hostile = number % 12 < 2
        assert verdict.correct is not hostile, (completions[number][:80], verdict)


def test_long_calls_into_c_are_bounded() -> None:
    """A special function with minutes of work is killed at the deadline."""
    begin = time.monotonic()
    for text in (r"\operatorname{Li}_{10^{9}}(x)", r"\Gamma(10^{40}x, 10^{40})"):
        verdict = verify_antiderivative(text, "x", deadline=1)
        assert not verdict.correct
        assert verdict.status is not Status.CORRECT
    assert time.monotonic() - begin < 15


def test_special_functions_go_through_a_worker() -> None:
    verdict = verify_antiderivative(r"\operatorname{Li}_2(x)+C", r"-\frac{\ln(1-x)}{x}")
    assert verdict.correct
    verdict = verify_antiderivative(r"\operatorname{Li}_2(x)+x", r"-\frac{\ln(1-x)}{x}")
    assert verdict.status is Status.INCORRECT
    assert isinstance(verdict.evidence.witness, Witness)


def test_asyncio() -> None:
    async def scene() -> list[list[Verdict]]:
        return await asyncio.gather(
            *(averify_many([r"x^2", rf"x^{n}"], "2x", workers=2) for n in range(2, 6))
        )

    batches = asyncio.run(scene())
    assert [[verdict.correct for verdict in batch] for batch in batches] == [
        [True, True],
        [True, False],
        [True, False],
        [True, False],
    ]


def test_published_method_in_a_batch() -> None:
    pytest.importorskip("latex2sympy2_extended", reason="needs the extra `published`")
    verdicts = verify_many(
        [r"\boxed{\sin(x^2)+C}", r"\boxed{x}"], r"2x\cos(x^2)", method="published", workers=2
    )
    assert [verdict.status for verdict in verdicts] == [Status.CORRECT, Status.INCORRECT]
    assert {verdict.evidence.method for verdict in verdicts} == {"published"}


def test_verdicts_travel_whole() -> None:
    evidence = Evidence(
        "balls", "x", 5, 37.6, 0.5, Witness("1", "2", "3"), ("a", "b"), "why", 3, "boxed", 0.1
    )
    for verdict in (
        Verdict(Status.CORRECT, 1.0, "x\ud800", evidence),
        Verdict(Status.NO_ANSWER, 0.0),
    ):
        assert unpack(json.loads(json.dumps(pack(verdict)))) == verdict
