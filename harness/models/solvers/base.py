"""The base classes of solvers: a worker pool, limits of time and memory, and failures."""

from __future__ import annotations

import re
import shutil
import subprocess
from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, TypeAlias

from ....benchmarks.problem import Problem
from ....rewards.errors import ProblemError
from ....rewards.questions import COURSE
from ....rewards.reading.expression.infix import LIST, NotationError, unknown_functions
from ....rewards.reading.expression.tree import Call, Expression, Symbol
from ....rewards.reading.latex import ReadError, to_latex
from ....rewards.workers.errors import WorkerCutOff, WorkerError
from ....rewards.workers.pool import make_pool
from ...core.errors import ModelError
from ...core.requests import Completion, FinishReason, Request, digest
from ..base import Model, ask_each, operational
from .infix import INTEGRAL, Dialect, read, write
from .question import NO_LIMIT, SolverQuestion

#: Seconds of processor time for the worker's own work: reading a problem and importing SymPy.
WORKER_DEADLINE = 30.0
#: Seconds of wall clock for each second of processor time. Only a stalled machine reaches the
#: limit, with a hundred processes on a core; a waiting program is ended before (`_worker`).
WALL_CLOCK_FACTOR = 100.0
#: Seconds of wall clock for the worker's own work.
START_SECONDS = 300.0

#: A reply of `_worker`.
Reply: TypeAlias = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Solver(Model):
    """A computer algebra system, asked for one answer at a time (`question.OPERATIONS`).

    ``time_limit`` is in seconds of the system's processor time: other load on the machine and
    ``concurrency`` do not change the results. A timeout is a completion like any other and is not
    repeated. On a stalled machine, the problem is asked once more when the pool is idle, and else
    is ``unreachable``: the next sweep asks again. Prompt and sampling are ignored.
    """

    time_limit: float = 10.0
    memory_mb: int = 4096
    concurrency: int = operational(0)  # 0: as many as there are cores

    #: The function of `_worker` that runs the system.
    task: ClassVar[str]
    #: The tasks of the problems that the system can solve.
    problem_tasks: ClassVar[tuple[str, ...]] = ("integration", "definite_integral", *COURSE)

    def __post_init__(self) -> None:
        if self.time_limit <= 0 or self.memory_mb <= 0 or self.concurrency < 0:
            raise ValueError("time-limit and memory-mb must be positive, concurrency not negative")

    @property
    def deterministic(self) -> bool:
        return True

    def fingerprint(self) -> dict[str, Any]:
        return {"clock": "processor"}

    @abstractmethod
    def task_arguments(self, problem: Problem, folder: str) -> Sequence[Any]:
        """Return the task's arguments without the time limit; ``folder`` is for its files.

        Raises:
            NotationError: The system has no notation for the problem.

        """

    @abstractmethod
    def parse_reply(self, problem: Problem, reply: Reply) -> tuple[str, str]:
        """Return the answer in LaTeX (empty if the system gave up) and a remark."""

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        wall_clock = START_SECONDS + WALL_CLOCK_FACTOR * self.time_limit

        async def ask(request: Request) -> Completion:
            problem = request.problem
            if problem.task not in self.problem_tasks:
                supported = ", ".join(self.problem_tasks)
                raise ModelError(
                    f"{self.spec} cannot do the task {problem.task!r}, only {supported}"
                )
            try:
                arguments = [*self.task_arguments(problem, folder), self.time_limit]
            except NotationError as error:
                return Completion.to(request, "", detail=str(error))
            except (ReadError, ProblemError) as error:
                return _failure(request, f"{type(error).__name__}: {error}")
            (reply,) = await pool.amap(
                self.task, [arguments], deadline=WORKER_DEADLINE, wall_clock=wall_clock
            )
            if isinstance(reply, WorkerCutOff):  # the machine's fault, not the system's
                return _failure(request, str(reply), reason=FinishReason.UNREACHABLE)
            if isinstance(reply, WorkerError):
                return _failure(request, str(reply))
            return self._completion(request, reply)

        tasks = {self.task: f"{__package__}._worker:{self.task}"}
        with (
            TemporaryDirectory(prefix="calculus-harness-", ignore_cleanup_errors=True) as folder,
            make_pool(self.concurrency or None, self.memory_mb, tasks=tasks) as pool,
        ):
            size = self.concurrency or pool.size
            async with aclosing(ask_each(requests, ask, size)) as completions:
                async for completion in completions:
                    yield completion

    def _completion(self, request: Request, reply: Reply) -> Completion:
        seconds: float = reply["seconds"]
        if reply["outcome"] == "time":
            return Completion.to(
                request,
                "",
                finish_reason=FinishReason.TIME_LIMIT,
                detail=f"no result in {self.time_limit:g} s of processor time",
                latency=self.time_limit,
            )
        if reply["outcome"] == "memory":
            return _failure(request, f"out of memory ({self.memory_mb} MB)", seconds)
        if reply["outcome"] == "machine":
            return _failure(request, reply["detail"], seconds, reason=FinishReason.UNREACHABLE)
        if reply["outcome"] != "answer":
            return _failure(request, reply["detail"], seconds)
        latex, remark = self.parse_reply(request.problem, reply)
        constant = " + C" if request.problem.task == "integration" else ""
        text = rf"\boxed{{{latex}{constant}}}" if latex else ""
        return Completion.to(request, text, detail=remark[:500], latency=seconds)


def _failure(
    request: Request,
    detail: str,
    seconds: float = 0.0,
    *,
    reason: FinishReason = FinishReason.ERROR,
) -> Completion:
    return Completion.to(request, "", finish_reason=reason, detail=detail[:500], latency=seconds)


@dataclass(frozen=True, kw_only=True)
class ProgramSolver(Solver):
    """A system as a program: a script writes the answer to a file, in a single line.

    A subclass has the system's ``dialect``, `command` and `script`. Integrands are printed from
    parsed expressions, never passed on as text; answers are parsed, never evaluated.

    A subclass also has the program's infinite values, the messages of an integral that ``diverges``
    or has only a ``principal_value`` (None: no such message), and the message of different limits
    from two sides (``two_sided``).
    """

    task: ClassVar[str] = "run_program"
    dialect: ClassVar[Dialect]
    program: ClassVar[str]
    #: The Debian package with the program.
    package: ClassVar[str]
    infinite_values: ClassVar[Mapping[str, str]] = {}
    diverges: ClassVar[re.Pattern[str]]
    principal_value: ClassVar[re.Pattern[str] | None] = None
    two_sided: ClassVar[re.Pattern[str] | None] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self._program

    @property
    def _program(self) -> str:
        path = shutil.which(self.program)
        if path is None:
            raise ModelError(
                f"{self.spec} needs the program {self.program!r}, which is not installed; "
                f"on Debian or Ubuntu: apt install {self.package}"
            )
        return path

    def fingerprint(self) -> dict[str, Any]:
        spelled = dict(sorted(self.spelling.operations.items()))
        script = self.script("ASKED", {"PARAMETER": "positive"})
        return super().fingerprint() | {
            "version": _version(self._program),
            "script": digest({"script": script, "operations": spelled}),
        }

    @property
    def spelling(self) -> Dialect:
        """The notation of the system with the model's options."""
        return self.dialect

    @abstractmethod
    def command(self, program: str) -> list[str]:
        """Return the command line, for a folder with the file ``script``."""

    @abstractmethod
    def script(self, text: str, domains: Mapping[str, str], functions: Sequence[str] = ()) -> str:
        """Return a script that writes the value of a formula to the file ``answer``.

        Args:
            text: The formula in the system's notation.
            domains: The domains of the parameters (``positive``, ``integer``, ...).
            functions: The names of unknown functions of differential equations.

        """

    @abstractmethod
    def error_message(self, output: str) -> str:
        """Return the reason for a missing answer, from the program's output."""

    def task_arguments(self, problem: Problem, folder: str) -> Sequence[Any]:
        question = _question_of(problem)
        try:
            tree = question.spelled_with(self.spelling.operations)
        except NotationError as error:
            raise NotationError(f"{self.dialect.system} has {error}") from None
        names = question.names
        domains = {names[name]: word for name, word in question.domains.items() if name in names}
        functions = [names[name] for name in question.functions]
        script = self.script(write(tree, self.spelling, names), domains, functions)
        return self.command(self._program), script, folder

    def parse_reply(self, problem: Problem, reply: Reply) -> tuple[str, str]:
        question = _question_of(problem)
        # Messages come first: a program may print a value beside the message that the limit does
        # not exist.
        if problem.task == "limit" and self.two_sided is not None:
            differing = self.two_sided.search(reply["output"])
            if differing:
                return NO_LIMIT, differing[0]
        if question.undefined and (divergence := self._divergence(question, reply)) is not None:
            return divergence
        if not reply["text"]:
            message = self.error_message(reply["output"])
            return "", f"no answer: {message}" if message else "no answer"
        # Back from the system's names to the problem's symbols, functions and constants.
        symbols = {name: symbol for symbol, name in question.names.items()}
        symbols |= {plain(question.names[name]): name for name in question.functions}
        symbols |= {
            name: f"{question.constant}{index}" for name, index in self.dialect.constants.items()
        }
        try:
            answer = read(reply["text"], self.dialect, symbols)
        except NotationError as error:
            return "", str(error)
        if question.functions:
            return _solutions(answer, len(question.functions) > 1)
        # Of several answers the first counts; functions unknown to the verifier are named in the
        # remark.
        remark = ""
        if isinstance(answer, Call) and answer.function == LIST:
            if not answer.args:
                return "", "an empty list of answers"
            remark, answer = f"the first of {len(answer.args)} answers", answer.args[0]
        unknown = sorted(unknown_functions(answer) - {INTEGRAL})
        if unknown:
            remark = "; ".join(filter(None, [remark, f"uses {', '.join(unknown)}"]))
        return _latex(answer), remark

    def _divergence(self, question: SolverQuestion, reply: Reply) -> tuple[str, str] | None:
        """The answer "diverges" with a remark, if the program reports divergence; else None."""
        remark = self.diverges.search(reply["output"])
        if self.principal_value is not None and not question.is_principal_value:
            remark = remark or self.principal_value.search(reply["output"])
        if remark:
            return question.undefined, remark[0]
        infinite = self.infinite_values.get(reply["text"])
        return None if infinite is None else (infinite, "")


def plain(function: str) -> str:
    """The name of a symbol for the values of an unknown function."""
    return f"{function}plain"


def _question_of(problem: Problem) -> SolverQuestion:
    target = problem.target
    return SolverQuestion.of(
        problem.task, str(target.judged), target.integrated_over, problem.assumptions
    )


def _solutions(answer: Expression, is_system: bool) -> tuple[str, str]:
    """Solutions of differential equations, a list of pairs of sides, in LaTeX with a remark."""
    pairs = answer.args if isinstance(answer, Call) and answer.function == LIST else ()
    equations = []
    for pair in pairs:
        if not isinstance(pair, Call) or pair.function != LIST or len(pair.args) != 2:
            return "", "no answer: not a list of equations"
        equations.append(" = ".join(map(_latex, pair.args)))
    unknown = sorted(unknown_functions(answer) - {INTEGRAL, LIST})
    remark = f"uses {', '.join(unknown)}" if unknown else ""
    return (r",\ " if is_system else r"\text{ or }").join(equations), remark


def _latex(answer: Expression) -> str:
    """Return an answer in LaTeX, with unevaluated integrals."""
    if isinstance(answer, Call) and answer.function == INTEGRAL and len(answer.args) in (2, 4):
        integrand, variable, *limits = answer.args
        if isinstance(variable, Symbol):
            text = to_latex(integrand)
            if isinstance(integrand, Call) and integrand.function == "add":
                text = rf"\left({text}\right)"
            marks = zip("_^", limits, strict=False)
            range_ = "".join(rf"{mark}{{{to_latex(limit)}}}" for mark, limit in marks)
            return rf"\int{range_} {text} \, d{to_latex(variable)}"
    return to_latex(answer)


@cache
def _version(program: str) -> str:
    """Return the first line of a program's ``--version`` with a number.

    FriCAS prints lines about missing parts before.
    """
    try:
        process = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelError(f"cannot run {program}: {error}") from None
    lines = process.stdout.decode(errors="replace").split("\n")
    return next((line.strip() for line in lines if re.search(r"\d", line)), "unknown")
