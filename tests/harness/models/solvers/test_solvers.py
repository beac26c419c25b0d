"""Computer algebra systems as models: limits, failures, and real answers."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from calculus_harness.benchmarks import Problem
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.core.requests import (
    Completion,
    FinishReason,
    Request,
    Sampling,
    request_hash,
)
from calculus_harness.harness.models import Model, create
from calculus_harness.harness.models.solvers import _worker, sympy_operations
from calculus_harness.harness.models.solvers._worker import Reply, run_program, sympy_question
from calculus_harness.harness.models.solvers.base import ProgramSolver
from calculus_harness.harness.models.solvers.infix import Dialect
from calculus_harness.harness.models.solvers.maxima import MAXIMA
from calculus_harness.harness.models.solvers.sympy import SympySolver
from calculus_harness.harness.tasks import default_prompt
from calculus_harness.rewards import verify_antiderivative, verify_definite_integral

SYSTEMS = ("sympy", "maxima", "fricas", "alkahest")
#: It takes each system far longer than a test may.
HARD = r"\frac{x^2 \sqrt{\tan x} \ln(1+\sin^3 x)}{\sqrt{1+x^7}\,(e^{x}+\cos x)}"
ENDLESS = "while :; do :; done"


def problem(integrand: str, name: str = "p", **assumptions: str) -> Problem:
    inputs = {"integrand": integrand, "variable": "x"}
    return Problem(name, "integration", "toy", "s", inputs, inputs, assumptions)


async def stream(requests: Iterable[Request]) -> AsyncIterator[Request]:
    for item in requests:
        yield item


def request(problem: Problem, model: Model) -> Request:
    prompt, sampling = default_prompt(problem.task).render(problem), Sampling()
    hashed = request_hash(problem, prompt, sampling)
    return Request(model.hash, problem, prompt, sampling, hashed)


def answers(model: Model, *problems: Problem) -> dict[str, Completion]:
    async def collect() -> dict[str, Completion]:
        answered = model.complete(stream(request(item, model) for item in problems))
        return {reply.problem.rpartition("/")[2]: reply async for reply in answered}

    return asyncio.run(collect())


@pytest.fixture(
    params=["sympy", *(pytest.param(name, marks=pytest.mark.slow) for name in SYSTEMS[1:])]
)
def solver(request: pytest.FixtureRequest) -> Callable[..., Model]:
    """A maker of a system's model. Without the system the test is skipped."""

    def make(**options: str) -> Model:
        try:
            return create(f"solver/{request.param}", options)
        except ModelError as error:
            pytest.skip(str(error))

    return make


def maxima(**options: str) -> Model:
    try:
        return create("solver/maxima", options)
    except ModelError as error:
        pytest.skip(str(error))


# --- every system ------------------------------------------------------------------------------

INTEGRALS = {
    "parts": "x e^x",
    "logarithm": r"\frac{1}{x^2-2}",
    "roots": r"\sqrt[3]{x}\,(1+\sqrt{x})",
    "special": r"e^{-x^2}+\frac{\sin x}{x}",
    "parameter": r"\frac{1}{a^2+x^2}",
}
#: What version 3.12 of Alkahest says that it has not implemented.
BEYOND_ALKAHEST = ("roots", "parameter")


def test_answers_are_in_a_box_and_right(solver: Callable[..., Model]) -> None:
    model = solver()
    completions = answers(model, *(problem(text, name) for name, text in INTEGRALS.items()))
    for name, text in INTEGRALS.items():
        completion = completions[name]
        assert completion.finish_reason is FinishReason.STOP
        if model.spec == "solver/alkahest" and name in BEYOND_ALKAHEST:
            assert completion.text == ""
            assert "not implemented" in completion.detail
            continue
        assert completion.text.startswith(r"\boxed{")
        assert 0 < completion.latency < 10
        verdict = verify_antiderivative(completion.text, text, variable="x")
        assert verdict.correct, (name, completion.text, verdict)


def test_an_unevaluated_integral_is_shown_as_such(solver: Callable[..., Model]) -> None:
    model = solver()
    completion = answers(model, problem("x^x"))["p"]
    if model.spec == "solver/alkahest":  # it says that it cannot, and leaves nothing standing
        assert (completion.text, completion.finish_reason) == ("", FinishReason.STOP)
        assert "not implemented" in completion.detail
        return
    assert r"\int" in completion.text
    assert verify_antiderivative(completion.text, "x^x").status == "not_closed_form"


def test_the_clock_ends_what_takes_too_long(solver: Callable[..., Model]) -> None:
    model = solver(**{"time-limit": "0.05"})
    completion = answers(model, problem(HARD))["p"]
    assert completion.finish_reason is FinishReason.TIME_LIMIT
    assert (completion.text, completion.latency) == ("", 0.05)
    assert completion.detail == "no result in 0.05 s of processor time"


def test_a_machine_that_is_too_busy_is_no_failure_of_the_system(
    solver: Callable[..., Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = solver()
    monkeypatch.setattr("calculus_harness.harness.models.solvers.base.START_SECONDS", 0.0)
    monkeypatch.setattr("calculus_harness.harness.models.solvers.base.WALL_CLOCK_FACTOR", 0.002)
    completion = answers(model, problem(HARD))["p"]
    assert completion.finish_reason is FinishReason.UNREACHABLE  # so that it is asked again


def test_what_cannot_be_read_is_an_error_of_that_problem(solver: Callable[..., Model]) -> None:
    completions = answers(solver(), problem(r"\frac{", "broken"), problem("2x", "whole"))
    assert completions["broken"].finish_reason is FinishReason.ERROR
    assert "ReadError" in completions["broken"].detail
    assert completions["whole"].text.startswith(r"\boxed{")


@pytest.mark.slow
def test_the_command_line_asks_them(
    solver: Callable[..., Model], cli: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    spec = solver().spec
    arguments = ("--model", spec, "-M", "time-limit=1", "--benchmark", "bee/qualifier")
    result = cli("sweep", *arguments, "--limit", "3", "--out", "run")
    assert result.returncode == 0, result.stderr
    rows = [line for line in result.stdout.splitlines() if "bee/qualifier" in line]
    assert "3" in rows[-1].split()


DEFINITE = {
    "arctan": (r"\int_0^1 \frac{dx}{1+x^2}", {"sympy", "maxima", "fricas"}),
    "gauss": (r"\int_{-\infty}^{\infty} e^{-x^2}\,dx", {"sympy", "maxima", "fricas"}),
    "parameter": (r"\int_0^{\infty} x e^{-a x}\,dx", {"sympy", "maxima"}),
    "limit": (r"\int_0^{b} \sqrt{x}\,dx", {"sympy", "maxima"}),
    "to infinity": (r"\int_1^{\infty} \frac{dx}{x}", {"sympy", "maxima", "fricas"}),
    "pole": (r"\int_{-1}^1 \frac{dx}{x}", {"sympy", "maxima", "fricas"}),
    "infinite and complex": (r"\int_0^{\pi/2} \sec x\,dx", {"sympy", "maxima"}),
    "oscillating": (r"\int_0^{\infty} \sin x\,dx", {"sympy"}),
    "principal value": (r"\mathrm{PV}\int_{-1}^2 \frac{dx}{x}", {"sympy", "maxima"}),
}


def definite(integral: str, name: str) -> Problem:
    inputs = {"integral": integral}
    return Problem(name, "definite_integral", "toy", "s", inputs, inputs)


@pytest.mark.slow
def test_definite_integrals_are_in_a_box_and_right(solver: Callable[..., Model]) -> None:
    model = solver()
    if model.spec == "solver/alkahest":
        with pytest.raises(ModelError, match="cannot do the task 'definite_integral'"):
            answers(model, definite(r"\int_0^1 x\,dx", "p"))
        return
    completions = answers(model, *(definite(text, name) for name, (text, _) in DEFINITE.items()))
    system = model.spec.partition("/")[2]
    for name, (text, solved) in DEFINITE.items():
        assert completions[name].finish_reason is FinishReason.STOP
        verdict = verify_definite_integral(completions[name].text, text)
        assert verdict.correct == (system in solved), (name, completions[name])


@pytest.mark.slow
def test_a_definite_integral_that_a_system_does_not_find(solver: Callable[..., Model]) -> None:
    model = solver()
    if model.spec == "solver/alkahest":
        pytest.skip("Alkahest is not asked for definite integrals")
    completions = answers(model, definite(r"\int_0^1 x^x\,dx", "p"), definite(r"\int x\,dx", "q"))
    assert not verify_definite_integral(completions["p"].text, r"\int_0^1 x^x\,dx").correct
    if model.spec == "solver/fricas":
        assert (completions["p"].text, completions["p"].detail) == ("", "no answer: potentialPole")
    else:
        assert r"\int" in completions["p"].text
    assert completions["q"].finish_reason is FinishReason.ERROR
    assert "no lower and no upper limit" in completions["q"].detail


# --- one system --------------------------------------------------------------------------------


def test_a_question_of_maximas_is_no_answer() -> None:
    undetermined = problem(r"\frac{1}{x^2+a}", a="real")
    negative = problem(r"\frac{1}{x^2+a}", "told", a="negative")
    completions = answers(maxima(), undetermined, negative)
    assert completions["p"].text == ""
    assert completions["p"].finish_reason is FinishReason.STOP
    assert completions["p"].detail == "no answer: asked: Is p1 positive or negative?"
    assert verify_antiderivative(
        completions["told"].text, r"\frac{1}{x^2+a}", variable="x", assumptions={"a": "negative"}
    ).correct


def test_maxima_without_its_library_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    maxima()
    monkeypatch.setattr(
        "calculus_harness.harness.models.solvers.maxima._has_share", lambda program: False
    )
    with pytest.raises(ModelError, match="apt install maxima-share"):
        create("solver/maxima")


@pytest.mark.parametrize("system", ["maxima", "fricas"])
def test_what_is_not_installed_is_one_line_with_the_package(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: None)
    with pytest.raises(ModelError, match=f"solver/{system} needs .* apt install {system}"):
        create(f"solver/{system}")


def test_a_library_that_is_not_installed_is_one_line_with_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"solver/alkahest needs the extra .*\[alkahest\]"):
        create("solver/alkahest")


@pytest.mark.alkahest
def test_what_alkahest_answers_with_is_read() -> None:
    integrals = {
        "dilogarithm": (r"\frac{\ln x}{1+x}", r"\operatorname{Li}"),
        "elliptic": (r"\frac{1}{\sqrt{1-x^4}}", "elliptic"),
        "exponential": (r"\frac{e^x}{x}", "Ei"),
        "fresnel": (r"\sin(x^2)", "S"),
    }
    problems = [problem(text, name) for name, (text, _) in integrals.items()]
    texts = answers(create("solver/alkahest"), *problems)
    for name, (text, function) in integrals.items():
        assert function in texts[name].text, name
        assert verify_antiderivative(texts[name].text, text).status in ("correct", "undecided"), (
            name
        )
    roots = answers(create("solver/alkahest"), problem(r"\frac{x}{x^5-x-1}"))["p"]
    assert roots.text == ""  # a sum over the roots of a polynomial, in its own notation


def test_what_fricas_cannot_do_or_lacks_a_word_for_is_no_answer() -> None:
    if shutil.which("fricas") is None:
        pytest.skip("needs the program 'fricas'; on Debian or Ubuntu: apt install fricas")
    lacking = problem(r"\lfloor x\rfloor", "lacking")
    beyond = problem(r"\frac{xe^x}{\sqrt{1+e^x}}", "beyond")
    completions = answers(create("solver/fricas"), lacking, beyond)
    for completion in completions.values():
        assert (completion.text, completion.finish_reason) == ("", FinishReason.STOP)
    assert completions["lacking"].detail == "FriCAS has no function for 'floor'"
    assert "implementation incomplete" in completions["beyond"].detail


@pytest.mark.parametrize("system", ["maxima", "fricas"])
def test_the_version_is_the_programs_own(system: str) -> None:
    if shutil.which(system) is None:
        pytest.skip(f"needs the program {system!r}")
    assert re.match(rf"{system} \d+\.\d", create(f"solver/{system}").fingerprint()["version"], re.I)


def test_sympy_is_told_of_parameters() -> None:
    model = create("solver/sympy")
    completions = answers(model, problem(r"\frac{1}{x^2+a}"), problem("x^n", "n", n="positive"))
    assert r"\begin{cases}" not in completions["p"].text
    assert r"\begin{cases}" not in completions["n"].text


# --- a program that does what the test wants ---------------------------------------------------


def shell(script: str, seconds: float, folder: Path) -> Reply:
    return run_program(["/bin/sh", "script"], script, str(folder), seconds)


def test_a_program_is_heard_and_leaves_nothing(tmp_path: Path) -> None:
    reply = shell("echo warning; echo 'x^2/2' > answer; pwd > answer2", 5, tmp_path)
    assert (reply["outcome"], reply["text"], reply["output"]) == ("answer", "x^2/2", "warning")
    assert reply["seconds"] < 1
    assert list(tmp_path.iterdir()) == []


def test_only_processor_time_counts(tmp_path: Path) -> None:
    start = time.monotonic()
    asleep = shell("sleep 0.6; echo 1 > answer", 0.3, tmp_path)
    assert (asleep["outcome"], asleep["text"]) == ("answer", "1")
    assert time.monotonic() - start >= 0.6
    busy = shell(ENDLESS, 0.3, tmp_path)
    assert busy["outcome"] == "time"
    assert 0.25 < busy["seconds"] < 0.5


def test_a_program_that_waits_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working program is not at fault, however little time the machine has."""
    monkeypatch.setattr(_worker, "IDLE_SECONDS", 0.2)
    reply = shell("echo asking; sleep 60; echo 1 > answer", 5, tmp_path)
    assert (reply["outcome"], reply["detail"]) == (
        "failure",
        "no work in 0.4 s: the program waits for something",
    )
    busy = shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo 1 > answer", 60, tmp_path)
    assert (busy["outcome"], busy["text"]) == ("answer", "1")


def test_a_program_cannot_fill_the_disk(tmp_path: Path) -> None:
    reply = shell("while :; do echo is a positive or negative; done", 60, tmp_path)
    assert reply["outcome"] in ("answer", "failure")
    assert reply["text"] == ""
    assert len(reply["output"]) <= 4000


def test_a_program_that_crashes_is_a_failure(tmp_path: Path) -> None:
    reply = shell("kill -SEGV $$", 5, tmp_path)
    assert (reply["outcome"], reply["detail"]) == ("failure", "ended by SIGSEGV")


@dataclass(frozen=True, kw_only=True)
class Shell(ProgramSolver):
    """A shell that runs `text` for every question."""

    text: str = ""
    dialect: ClassVar[Dialect] = MAXIMA
    program: ClassVar[str] = "sh"
    package: ClassVar[str] = "dash"

    def command(self, program: str) -> list[str]:
        return [program, "script"]

    def script(self, text: str, domains: Mapping[str, str], functions: Sequence[str] = ()) -> str:
        integrand = re.sub(r"integrate\((.*),x\)", r"\1", text)
        return self.text.replace("INTEGRAND", integrand)

    def error_message(self, output: str) -> str:
        return output


@pytest.mark.slow
def test_what_a_program_says_becomes_a_completion() -> None:
    def answer(script: str, integrand: str = "t") -> Completion:
        inputs = {"integrand": integrand, "variable": "t"}
        question = Problem("p", "integration", "toy", "s", inputs, inputs)
        return answers(Shell(spec="solver/shell", text=script), question)["p"]

    assert answer("echo '(INTEGRAND)^2/2' > answer").text == r"\boxed{\frac{t^{2}}{2} + C}"
    several = answer("echo '[x,2*x,3]' > answer")
    assert (several.text, several.detail) == (r"\boxed{t + C}", "the first of 3 answers")
    foreign = answer("echo 'rootOf(x^2,x)' > answer")
    assert foreign.detail == "uses rootOf"
    assert verify_antiderivative(foreign.text, "t", variable="t").status == "unparseable"
    unknown = answer('echo "\'integrate(x^x+1,x)" > answer')
    assert unknown.text == r"\boxed{\int \left(t^{t} + 1\right) \, dt + C}"
    assert answer("echo 'x; quit' > answer").detail.startswith("not in Maxima's notation")
    assert answer("echo no idea >&2").detail == "no answer: no idea"
    assert answer("kill -9 $$").finish_reason is FinishReason.ERROR


def test_closing_the_stream_ends_the_programs(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    model = Shell(spec="solver/shell", text=f"echo $$ > {note}; {ENDLESS}")

    async def conduct() -> int:
        completions = model.complete(stream([request(problem("x"), model)]))
        waiting = asyncio.ensure_future(anext(completions))
        await asyncio.to_thread(appear, note)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await completions.aclose()
        return int(note.read_text())

    pid = asyncio.run(asyncio.wait_for(conduct(), 30))
    for _ in range(200):
        if not alive(pid):
            break
        time.sleep(0.02)
    assert not alive(pid)


def appear(note: Path) -> None:
    while not (note.exists() and note.read_text().strip()):
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")  # a process that nobody has waited for is no more
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def test_memory_is_limited() -> None:
    hog = f"{sys.executable} -c 'x = bytearray(900 << 20)' || echo gone > answer"
    model = Shell(spec="solver/shell", text=hog, memory_mb=300)
    # The program's own failure is seen, and nothing else suffers.
    assert answers(model, problem("x"))["p"].text == r"\boxed{\mathrm{gone} + C}"


def test_sympys_exception_is_its_way_to_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise NotImplementedError("algebraic case")

    monkeypatch.setitem(sympy_operations._OPERATIONS, "integral", fail)  # type: ignore[arg-type]
    reply = sympy_question("integration", "x", "x", {}, 5.0)
    assert (reply["outcome"], reply["text"]) == ("answer", "")
    assert reply["detail"] == "SymPy raised NotImplementedError: algebraic case"


def test_an_installation_that_cannot_be_read_is_no_missing_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Cut-off problems counted as unsolved; now a resumed run asks the problems again."""

    def fail(*args: object) -> None:
        raise OSError(40, "Too many levels of symbolic links")

    monkeypatch.setitem(sympy_operations._OPERATIONS, "integral", fail)  # type: ignore[arg-type]
    reply = sympy_question("integration", "x", "x", {}, 5.0)
    assert reply["outcome"] == "machine"
    model = SympySolver(spec="solver/sympy")
    completion = model._completion(request(problem("x"), model), reply)
    assert completion.finish_reason is FinishReason.UNREACHABLE
    assert "Too many levels" in completion.detail


def test_sympys_memory_error_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise MemoryError

    monkeypatch.setitem(sympy_operations._OPERATIONS, "integral", fail)  # type: ignore[arg-type]
    assert sympy_question("integration", "x", "x", {}, 5.0)["outcome"] == "memory"
