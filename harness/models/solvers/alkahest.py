"""Alkahest's `integrate`: Risch's algorithm, with rules and special functions."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any, ClassVar

from ....rewards.reading.expression.tree import Call, Expression, Number
from ...core.errors import ModelError, install
from .base import ProgramSolver
from .infix import Dialect, atan2


def _dilog(args: Sequence[Expression]) -> Expression:
    (x,) = args  # Alkahest's dilog(x) is Li_2(x)
    return Call("polylog", (Number(2), x))


ALKAHEST = Dialect(
    system="Alkahest",
    readers={"dilog": _dilog, "atan2": atan2},
    operations={"integral": "{0}"},
)

#: Alkahest's parser reads the integrand; ``simplify`` folds 1/2, which is a product otherwise.
_SCRIPT = """\
import alkahest

pool = alkahest.ExprPool()
symbols = {{name: pool.symbol(name, domain) for name, domain in {assumptions!r}.items()}}
try:
    integrand = alkahest.simplify(alkahest.parse({integrand!r}, pool, symbols)).value
    answer = alkahest.integrate(integrand, symbols["x"]).value
except alkahest.AlkahestError as error:
    print(str(error).partition("Remediation")[0])
else:
    with open("answer", "w", encoding="utf-8") as file:
        file.write(str(answer))
"""
#: The domains of Alkahest's symbols; any other assumption becomes ``real``.
_DOMAINS = ("positive", "negative", "nonnegative", "nonzero", "integer")


@dataclass(frozen=True, kw_only=True)
class AlkahestSolver(ProgramSolver):
    """Alkahest's `integrate`, in a Python process for each problem."""

    dialect: ClassVar[Dialect] = ALKAHEST
    problem_tasks: ClassVar[tuple[str, ...]] = ("integration",)
    example: ClassVar[str] = "run.py sweep --model solver/alkahest --benchmark bee"

    @property
    def _program(self) -> str:
        if importlib.util.find_spec("alkahest") is None:
            raise ModelError(f"{self.spec} needs the extra `alkahest`: {install('alkahest')}")
        return sys.executable

    def fingerprint(self) -> dict[str, Any]:
        return super().fingerprint() | {"version": metadata.version("alkahest")}

    def command(self, program: str) -> list[str]:
        return [program, "-I", "script"]

    def script(self, text: str, domains: Mapping[str, str], functions: Sequence[str] = ()) -> str:
        supported = {name: word if word in _DOMAINS else "real" for name, word in domains.items()}
        return _SCRIPT.format(integrand=text, assumptions={"x": "real"} | supported)

    def error_message(self, output: str) -> str:
        return " ".join(output.split())
