"""Maxima's `integrate` and `limit`."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from ....rewards.reading.expression.tree import Call, Expression, Number
from ...core.errors import ModelError
from .base import DIVERGES, ProgramSolver
from .infix import INTEGRAL, Dialect, atan2


def _psi(args: Sequence[Expression]) -> Expression:
    order, x = args
    return Call("digamma", (x,)) if order == Number(0) else Call("polygamma", (order, x))


def _hypergeometric(args: Sequence[Expression]) -> Expression:
    upper, lower, x = args
    if not (isinstance(upper, Call) and isinstance(lower, Call)):
        raise ValueError("lists are expected")
    counts = Number(len(upper.args)), Number(len(lower.args))
    return Call("hypgeom", (*counts, *upper.args, *lower.args, x))


MAXIMA = Dialect(
    system="Maxima",
    readers={
        "integrate": lambda args: Call(INTEGRAL, tuple(args)),
        "li": lambda args: Call("polylog", tuple(args)),
        "psi": _psi,
        "atan2": atan2,
        "hypergeometric": _hypergeometric,
        "zeta": lambda args: Call("zeta", (args[0],)),
    },
)

#: Maxima's declarations of parameters.
_ASSUME = {"positive": "assume({0}>0)", "negative": "assume({0}<0)"}
_DECLARE = {"integer", "even", "odd", "real"}

#: When Maxima asks a question ("Is p1 equal to -1?"), its function `retrieve` raises an error: at
#: the end of the input the question would repeat forever. Maxima echoes each statement on a line,
#: which `error_message` removes.
_SCRIPT = """\
display2d:false$
linel:100000$
:lisp (defun retrieve (msg flag) (declare (ignore flag)) (merror "asked: ~M" msg))
{settings}
r:errcatch({call})$
if r=[] then with_stdout("complaint",errormsg()) else with_stdout("answer",print(string(first(r))))$
"""


@dataclass(frozen=True, kw_only=True)
class MaximaSolver(ProgramSolver):
    """Maxima's `integrate`, with default settings and the problem's assumptions.

    A question of Maxima counts as no answer. A message about a principal value means divergence,
    unless the problem asks for a principal value. ``logabs`` gives logarithms of absolute values.
    """

    logabs: bool = False

    dialect: ClassVar[Dialect] = MAXIMA
    program: ClassVar[str] = "maxima"
    package: ClassVar[str] = "maxima maxima-share"
    example: ClassVar[str] = "run.py sweep --model solver/maxima --benchmark bee"
    problem_tasks: ClassVar[tuple[str, ...]] = ("integration", "definite_integral", "limit", "sum")
    infinities: ClassVar[tuple[str, str]] = ("minf", "inf")
    infinite_values: ClassVar[Mapping[str, str]] = {
        "inf": r"\infty",
        "minf": r"-\infty",
        "infinity": DIVERGES,
        "und": DIVERGES,
        "ind": DIVERGES,
    }
    diverges: ClassVar[re.Pattern[str]] = re.compile("integral is divergent")
    principal_value: ClassVar[re.Pattern[str] | None] = re.compile("Principal Value")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _has_share(self._program):
            raise ModelError(
                f"{self.spec} needs Maxima's share library, without which `integrate` breaks off; "
                "on Debian or Ubuntu: apt install maxima-share"
            )

    def command(self, program: str) -> list[str]:
        return [program, "--very-quiet", "--batch=script"]

    def script(self, integrand: str, assumptions: dict[str, str], limits: tuple[str, ...]) -> str:
        return self._script(f"integrate({','.join((integrand, 'x', *limits))})", assumptions)

    def limit_script(
        self, function: str, assumptions: dict[str, str], point: str, side: int
    ) -> str:
        direction = {1: ",plus", -1: ",minus", 0: ""}[side]
        return self._script(f"limit({function},x,{point}{direction})", assumptions)

    def sum_script(
        self, term: str, assumptions: dict[str, str], limits: tuple[str, ...], factor: str
    ) -> str:
        call = f"({factor})*simplify_sum(sum({','.join((term, 'x', *limits))}))"
        return "load(simplify_sum)$\n" + self._script(call, assumptions)

    def _script(self, call: str, assumptions: dict[str, str]) -> str:
        settings = [f"logabs:{str(self.logabs).lower()}$"]
        settings += [
            f"declare({name},{assumption})$"
            if assumption in _DECLARE
            else _ASSUME[assumption].format(name) + "$"
            for name, assumption in assumptions.items()
        ]
        return _SCRIPT.format(settings="\n".join(settings), call=call)

    def error_message(self, output: str) -> str:
        lines = [line.strip() for line in output.splitlines()]
        return " ".join(line for line in lines if line and not line.startswith(_ECHOES))


@cache
def _has_share(program: str) -> bool:
    """Whether the share library is installed, a separate package in Debian."""
    try:
        process = subprocess.run(
            [program, "-d"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    output = process.stdout.decode(errors="replace")
    folder = re.search(r"^maxima-sharedir=(.+)$", output, re.MULTILINE)
    return folder is not None and Path(folder[1], "simplification", "facexp.mac").exists()


#: The beginnings of lines without messages: echoes of the script and of the start.
_ECHOES = (
    "batch(",
    "read and interpret",
    "display2d",
    "linel",
    "logabs",
    "RETRIEVE",
    "assume(",
    "declare(",
    "r:errcatch(",
    "if r = []",
    "else with_stdout",
    '"',
    "done",
)
