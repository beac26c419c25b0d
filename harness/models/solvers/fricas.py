"""FriCAS's `integrate`, the most complete free implementation of Risch's algorithm."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ....rewards.reading.expression.infix import NotationError
from ....rewards.reading.expression.tree import Call, Expression, Number
from .base import ProgramSolver
from .infix import INTEGRAL, Dialect, product

#: The largest exponent of a floating-point number in an answer.
_MAX_EXPONENT = 4096


def _float(args: Sequence[Expression]) -> Expression:
    """``float(mantissa, exponent, base)``."""
    mantissa, exponent, base = (int(str(arg.numerator)) for arg in args if isinstance(arg, Number))
    if abs(exponent) > _MAX_EXPONENT or not 2 <= base <= 16:
        raise ValueError("out of range")
    value = mantissa * Fraction(base) ** exponent
    return Number(value.numerator, value.denominator)


def _complex(args: Sequence[Expression]) -> Expression:
    real, imaginary = args
    if imaginary == Number(0):
        return real
    imaginary_part = product(imaginary, Call("i"))
    return imaginary_part if real == Number(0) else Call("add", (real, imaginary_part))


def _dilog(args: Sequence[Expression]) -> Expression:
    (x,) = args  # FriCAS's dilog(x) is Li_2(1 - x)
    return Call("polylog", (Number(2), Call("add", (Number(1), Call("neg", (x,))))))


def _elliptic(name: str, complete: str) -> Callable[[Sequence[Expression]], Expression]:
    """Legendre's integrals, whose argument is the sine of the amplitude in FriCAS."""

    def reader(args: Sequence[Expression]) -> Expression:
        if len(args) == 1:
            return Call(complete, tuple(args))
        sine, parameter = args
        return Call(name, (Call("asin", (sine,)), parameter))

    return reader


def _elliptic_pi(args: Sequence[Expression]) -> Expression:
    sine, characteristic, parameter = args
    return Call("elliptic_pi", (characteristic, Call("asin", (sine,)), parameter))


FRICAS = Dialect(
    system="FriCAS",
    readers={
        "integral": lambda args: Call(INTEGRAL, tuple(args)),
        "pi": lambda args: Call("pi"),
        "lambertW": lambda args: Call("lambertw", tuple(args)),
        "nthRoot": lambda args: Call("root", tuple(args)),
        "float": _float,
        "complex": _complex,
        "dilog": _dilog,
        "ellipticF": _elliptic("elliptic_f", "elliptic_k"),
        "ellipticE": _elliptic("elliptic_e", "elliptic_ec"),
        "ellipticPi": _elliptic_pi,
    },
)

#: An `InputForm` is printed on one line with all multiplication signs. (The script gives the answer
#: no name: after an error, FriCAS would print the name as a symbol.)
_SCRIPT = """\
)set message prompt none
)set messages type off
)set messages autoload off
)set output algebra off
o := open("answer"::FileName,"output")$TextFile;
writeLine!(o, unparse({call}::InputForm));
close! o;
)quit
"""


@dataclass(frozen=True, kw_only=True)
class FricasSolver(ProgramSolver):
    """FriCAS's `integrate`. Of several answers (for signs of parameters) the first counts.

    A definite integral may "fail" or have a "potential pole" between the limits: no answer.
    ``no_pole`` tells FriCAS that there is no pole.
    """

    no_pole: bool = False

    dialect: ClassVar[Dialect] = FRICAS
    program: ClassVar[str] = "fricas"
    package: ClassVar[str] = "fricas"
    example: ClassVar[str] = "run.py sweep --model solver/fricas --benchmark bee"
    problem_tasks: ClassVar[tuple[str, ...]] = ("integration", "definite_integral", "limit", "sum")
    infinities: ClassVar[tuple[str, str]] = ("%minusInfinity", "%plusInfinity")
    infinite_values: ClassVar[Mapping[str, str]] = {
        "plusInfinity()": r"\infty",
        "minusInfinity()": r"-\infty",
    }
    diverges: ClassVar[re.Pattern[str]] = re.compile("pole in path of integration")
    two_sided: ClassVar[re.Pattern[str] | None] = re.compile(r"Record\(leftHandLimit")

    def command(self, program: str) -> list[str]:
        return [program, "-nosman"]

    def script(self, integrand: str, assumptions: dict[str, str], limits: tuple[str, ...]) -> str:
        """The script; FriCAS takes no assumptions."""
        between = f"={'..'.join(limits)}" if limits else ""
        if limits and self.no_pole:
            between += ',"noPole"'
        return _SCRIPT.format(call=f"integrate({integrand},x{between})")

    def limit_script(
        self, function: str, assumptions: dict[str, str], point: str, side: int
    ) -> str:
        direction = {1: ',"right"', -1: ',"left"', 0: ""}[side]
        return _SCRIPT.format(call=f"limit({function},x={point}{direction})")

    def sum_script(
        self, term: str, assumptions: dict[str, str], limits: tuple[str, ...], factor: str
    ) -> str:
        """The script; FriCAS has sums up to a symbol, whose limit is that of the partial sums."""
        lower, upper = limits
        if lower in self.infinities:
            raise NotationError("FriCAS has no sums from minus infinity")
        if upper not in self.infinities:
            return _SCRIPT.format(call=f"({factor})*sum({term},x={lower}..{upper})")
        partial_sums = f"sum({term},x={lower}..upperlimit)"
        return _SCRIPT.format(call=f"limit(({factor})*{partial_sums},upperlimit={upper})")

    def error_message(self, output: str) -> str:
        message = output.rpartition("-----\n")[2].partition("Perhaps you should use")[0]
        reason = _REASON.search(message)
        return reason[1] if reason else re.sub(r"\s+", " ", message.replace("(1) ->", "")).strip()


#: FriCAS's result in place of an unknown value.
_REASON = re.compile("value from type (failed|potentialPole) to InputForm")
