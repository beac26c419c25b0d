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

from ....benchmarks.payloads import DefiniteTarget, IntegrationTarget, QuestionTarget
from ....benchmarks.problem import Problem
from ....rewards.errors import ProblemError
from ....rewards.numeric.quadrature import Limit, prepare_definite
from ....rewards.proof.limit_questions import limit_readings
from ....rewards.reading.expression.infix import LIST, NotationError, unknown_functions
from ....rewards.reading.expression.traversal import symbols_of
from ....rewards.reading.expression.tree import Call, Expression, Symbol
from ....rewards.reading.latex import ReadError, to_latex
from ....rewards.reading.latex import read as read_latex
from ....rewards.reading.problem.power_series import asks_of_series
from ....rewards.reading.problem.sums import read_sum
from ....rewards.workers.errors import WorkerCutOff, WorkerError
from ....rewards.workers.pool import make_pool
from ...core.errors import ModelError
from ...core.requests import Completion, FinishReason, Request, digest
from ..base import Model, ask_each, operational
from .infix import INTEGRAL, Dialect, read, write

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
    """A computer algebra system, asked for one integral, limit or sum at a time.

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
    problem_tasks: ClassVar[tuple[str, ...]] = ("integration",)

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


#: The answer to a divergent integral.
DIVERGES = r"\text{diverges}"


@dataclass(frozen=True)
class SolverQuestion:
    """The integral, limit or sum that a system is question for, as trees.

    Attributes:
        integrand: The integrand.
        variable: The variable of integration.
        limits: The limits of a definite integral; +1 and -1 are plus and minus infinity.
        principal_value: Cauchy's principal value is question for.
        point: Where the variable of a limit tends to; None for an integral.
        side: 1 for a limit from the right, -1 for one from the left.
        factor: What a sum is multiplied by; None for no sum.

    """

    integrand: Expression
    variable: str
    limits: tuple[Limit, ...] = ()
    principal_value: bool = False
    point: Limit | None = None
    side: int = 0
    factor: Expression | None = None

    @classmethod
    def of(cls, problem: Problem) -> SolverQuestion:
        """Read a problem.

        Raises:
            ReadError: The integrand cannot be read.
            ProblemError: The definite integral cannot be read.

        """
        if isinstance(target := problem.target, DefiniteTarget):
            definite = prepare_definite(target.integral, problem.assumptions)
            limits = definite.lower, definite.upper
            integrand = definite.integrand
            return cls(integrand.expression, integrand.variable, limits, definite.principal_value)
        if isinstance(target, QuestionTarget) and problem.task == "sum":
            if asks_of_series(target.question):
                raise NotationError("the system is question for sums, not for power series")
            total = read_sum(target.question)[0]
            limits = total.lower, total.upper
            return cls(total.term, total.counter, limits, factor=total.factor)
        if isinstance(target, QuestionTarget):
            sought = limit_readings(target.question, problem.assumptions)[0]
            return cls(sought.expression, sought.variable, point=sought.at, side=sought.side)
        integral = problem.target_as(IntegrationTarget)
        tree = read_latex(integral.integrand, symbols=[integral.variable])[0].expression
        return cls(tree, integral.variable)

    @property
    def names(self) -> dict[str, str]:
        """Names for the symbols without meaning in any system."""
        points = (*self.limits, *(() if self.point is None else (self.point,)))
        factors = () if self.factor is None else (self.factor,)
        written = (point for point in points if not isinstance(point, int))
        parts = (self.integrand, *factors, *written)
        others = sorted(set().union(*map(symbols_of, parts)) - {self.variable})
        return {self.variable: "x"} | {name: f"p{number}" for number, name in enumerate(others, 1)}


@dataclass(frozen=True, kw_only=True)
class ProgramSolver(Solver):
    """A system that is a program: a script writes the answer to a file, in one line.

    A subclass has the system's ``dialect``, `command` and `script`. Integrands are printed from
    parsed expressions, never passed on as text; answers are parsed, never evaluated.

    For definite integrals a subclass has the names of ``infinities``, minus infinity first, the
    program's infinite values, and the messages of an integral that ``diverges`` or has only a
    ``principal_value`` (None: the system has none). For limits a subclass has `limit_script` and
    the message of limits from two sides that differ (``two_sided``).
    """

    task: ClassVar[str] = "run_program"
    dialect: ClassVar[Dialect]
    program: ClassVar[str]
    #: The Debian package with the program.
    package: ClassVar[str]
    infinities: ClassVar[tuple[str, str]] = ("", "")
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
        example = ("INTEGRAND", {"PARAMETER": "positive"})
        scripts = {"script": digest(self.script(*example, ()))}
        if "definite_integral" in self.problem_tasks:
            scripts["definite_script"] = digest(self.script(*example, ("LOWER", "UPPER")))
        if "limit" in self.problem_tasks:
            scripts["limit_script"] = digest(self.limit_script(*example, "POINT", 1))
        if "sum" in self.problem_tasks:
            scripts["sum_script"] = digest(self.sum_script(*example, ("LOWER", "UPPER"), "FACTOR"))
        return super().fingerprint() | {"version": _version(self._program)} | scripts

    @abstractmethod
    def command(self, program: str) -> list[str]:
        """Return the command line, for a folder with the file ``script``."""

    @abstractmethod
    def script(self, integrand: str, assumptions: dict[str, str], limits: tuple[str, ...]) -> str:
        """Return a script that writes an integral in x to the file ``answer``.

        Args:
            integrand: The integrand in the system's notation.
            assumptions: The parameter_kinds of the parameters (``positive``, ``integer``, ...).
            limits: The limits of a definite integral, in the system's notation; empty for an
                antiderivative.

        """

    def limit_script(
        self, function: str, assumptions: dict[str, str], point: str, side: int
    ) -> str:
        """Return a script that writes a limit as x tends to a point to the file ``answer``.

        Args:
            function: In the system's notation.
            assumptions: The parameter_kinds of the other symbols.
            point: In the system's notation, infinities too.
            side: 1 from the right, -1 from the left, 0 from both sides.

        """
        raise NotationError(f"{self.dialect.system} is not asked for limits")

    def sum_script(
        self, term: str, assumptions: dict[str, str], limits: tuple[str, ...], factor: str
    ) -> str:
        """Return a script that writes a sum over x to the file ``answer``.

        Args:
            term: In the system's notation.
            assumptions: The parameter_kinds of the other symbols.
            limits: In the system's notation, infinities too.
            factor: What the sum is multiplied by.

        """
        raise NotationError(f"{self.dialect.system} is not asked for sums")

    @abstractmethod
    def error_message(self, output: str) -> str:
        """Return the reason for a missing answer, from the program's output."""

    def task_arguments(self, problem: Problem, folder: str) -> Sequence[Any]:
        question = SolverQuestion.of(problem)
        if question.principal_value and self.principal_value is None:
            raise NotationError(f"{self.dialect.system} has no principal values")
        parameter_kinds = {
            name: problem.assumptions.get(symbol, "positive")
            for symbol, name in question.names.items()
            if symbol != question.variable
        }
        written = write(question.integrand, self.dialect, question.names)
        if question.point is not None:
            point = self._written_limit(question, question.point)
            script = self.limit_script(written, parameter_kinds, point, question.side)
            return self.command(self._program), script, folder
        limits = tuple(self._written_limit(question, limit) for limit in question.limits)
        if question.factor is not None:
            factor = write(question.factor, self.dialect, question.names)
            script = self.sum_script(written, parameter_kinds, limits, factor)
        else:
            script = self.script(written, parameter_kinds, limits)
        return self.command(self._program), script, folder

    def _written_limit(self, question: SolverQuestion, limit: Limit) -> str:
        if isinstance(limit, int):
            return self.infinities[limit > 0]
        return write(limit, self.dialect, question.names)

    def parse_reply(self, problem: Problem, reply: Reply) -> tuple[str, str]:
        question = SolverQuestion.of(problem)
        if question.point is not None and self.two_sided is not None:
            differing = self.two_sided.search(reply["output"])
            if differing:
                return DIVERGES, differing[0]
        has_infinity = question.limits or question.point is not None
        if has_infinity and (divergence := self._divergence(question, reply)) is not None:
            return divergence
        if not reply["text"]:
            message = self.error_message(reply["output"])
            return "", f"no answer: {message}" if message else "no answer"
        symbols = {name: symbol for symbol, name in question.names.items()}
        try:
            answer = read(reply["text"], self.dialect, symbols)
        except NotationError as error:
            return "", str(error)
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
        if self.principal_value is not None and not question.principal_value:
            remark = remark or self.principal_value.search(reply["output"])
        if remark:
            return DIVERGES, remark[0]
        infinite = self.infinite_values.get(reply["text"])
        return None if infinite is None else (infinite, "")


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
