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
from .base import ProgramSolver
from .infix import INTEGRAL, Dialect, atan2
from .question import DIVERGES


def _psi(args: Sequence[Expression]) -> Expression:
    order, x = args
    return Call("digamma", (x,)) if order == Number(0) else Call("polygamma", (order, x))


def _indexed_hypergeometric(args: Sequence[Expression]) -> Expression:
    """``%f[p,q]([a, ...], [b, ...], x)``, as written by `simplify_sum`."""
    return _hypergeometric(args[2:])


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
        "%f": _indexed_hypergeometric,
        "zeta": lambda args: Call("zeta", (args[0],)),
    },
    operations={
        "integral": "integrate({0},{1})",
        "definite_integral": "integrate({0},{1},{2},{3})",
        "principal_value": "integrate({0},{1},{2},{3})",
        "limit": "limit({0},{1},{2})",
        "limit_right": "limit({0},{1},{2},plus)",
        "limit_left": "limit({0},{1},{2},minus)",
        "sum": "(load(simplify_sum),simplify_sum(sum({0},{1},{2},{3})))",
        "infinite_sum": "(load(simplify_sum),({4})*simplify_sum(sum({0},{1},{2},{3}))+({5}))",
        "sum_over_integers": "(load(simplify_sum),simplify_sum(sum({0},{1},{2},{3})))",
        "polynomial": "ratdisrep(taylor({0},{1},{2},{3}))",
        "coefficient": "coeff(ratdisrep(taylor(subst({1}+({2}),{1},{0}),{1},0,{3})),{1},{3})",
        "derivative": "diff({0},{1})",
        "value_at": "subst({2},{1},{0})",
        "ode_1": "pairs(ode2({0},{1},{2}))",
        "ode_2": "pairs(ode2({0},{1},{2}))",
        "ode_initial_1": "pairs(ic1(ode2({0},{1},{2}),{2}={3},{1}={5}))",
        "ode_initial_2": "pairs(ic2(ode2({0},{1},{2}),{2}={3},{1}={5},'diff({1},{2})={6}))",
        "ode_boundary": "pairs(bc2(ode2({0},{1},{2}),{2}={3},{1}={4},{2}={5},{1}={6}))",
        "ode_laplace": "laplace_solution({0},{1},{2},{3})",
        "equation": "({0}={1})",
        "unknown": "{0}",
        "slope": "'diff({0},{1},{2})",
        "plus_infinity": "inf",
        "minus_infinity": "minf",
    },
    constants={"%c": "", "%k1": "_1", "%k2": "_2", "%r1": "_1", "%r2": "_2"},
)

#: Maxima's declarations of parameters.
_DOMAINS = {
    "positive": "assume({0}>0)",
    "negative": "assume({0}<0)",
    "nonnegative": "assume({0}>=0)",
    "nonzero": "assume(notequal({0},0))",
}

#: When Maxima asks a question ("Is p1 equal to -1?"), its function `retrieve` raises an error: at
#: the end of the input the question would repeat forever. Maxima echoes each statement on a line,
#: which `error_message` removes.
_SCRIPT = """\
display2d:false$
linel:100000$
:lisp (defun retrieve (msg flag) (declare (ignore flag)) (merror "asked: ~M" msg))
{settings}
r:errcatch({asked})$
if r=[] then with_stdout("complaint",errormsg()) else with_stdout("answer",print(string(first(r))))$
"""
#: Solutions of differential equations as pairs of sides: the result of `ode2`, and the result of
#: `desolve`, whose functions have arguments and values at 0.
_SOLUTIONS = """\
pairs(solution):=if solution=false then error("no solution")
  else map(lambda([e],[lhs(e),rhs(e)]),if listp(solution) then solution else [solution])$
laplace_solution(equations,unknowns,x,starts):=block([solved,applied],
  applied:map(lambda([f],funmake(f,[x])),unknowns),
  map(lambda([f,start],for k:1 thru length(start) do
    atvalue(diff(f,x,k-1),x=0,start[k])),applied,starts),
  solved:desolve(subst(map("=",unknowns,applied),equations),applied),
  map(lambda([f,e],[f,rhs(e)]),unknowns,if listp(solved) then solved else [solved]))$"""


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
    infinite_values: ClassVar[Mapping[str, str]] = {
        "inf": r"\infty",
        "minf": r"-\infty",
        "infinity": DIVERGES,
        "und": DIVERGES,
        "ind": DIVERGES,
    }
    diverges: ClassVar[re.Pattern[str]] = re.compile("integral is divergent|Sum is divergent")
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

    def script(self, text: str, domains: Mapping[str, str], functions: Sequence[str] = ()) -> str:
        settings = [f"logabs:{str(self.logabs).lower()}$"]
        settings += [
            _DOMAINS.get(domain, f"declare({{0}},{domain})").format(name) + "$"
            for name, domain in domains.items()
        ]
        settings += [_SOLUTIONS] if functions else []
        return _SCRIPT.format(settings="\n".join(settings), asked=text)

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
    "pairs(",
    "laplace_solution(",
    "if r = []",
    "else with_stdout",
    '"',
    "done",
    # A package without its help files says so when it is loaded.
    "Warning: SIMPLE-WARNING: Maxima is unable to set up the help system",
    "(Details: CL-INFO::",
)
