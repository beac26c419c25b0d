"""FriCAS's `integrate`, the most complete free implementation of Risch's algorithm."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from ....rewards.reading.expression.tree import Call, Expression, Number
from .base import ProgramSolver, plain
from .infix import INTEGRAL, Dialect, product

#: The largest exponent of a floating-point number in an answer.
_MAX_EXPONENT = 4096

#: The most constants of integration: equations of the ninth order are rare.
MOST_CONSTANTS = 9


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
    operations={
        "integral": "integrate({0},{1})",
        "definite_integral": "integrate({0},{1}={2}..{3})",
        "limit": "limit({0},{1}={2})",
        "limit_right": 'limit({0},{1}={2},"right")',
        "limit_left": 'limit({0},{1}={2},"left")',
        "sum": "sum({0},{1}={2}..{3})",
        "infinite_sum": "limit(({4})*sum({0},{1}={2}..upperlimit)+({5}),upperlimit={3})",
        "polynomial": "reduce(+,[coefficient(taylor({0},{1}=({2}))::UTS(EXPR INT,'{1},{2}),k)"
        "*({1}-({2}))^k for k in 0..{3}])",
        "coefficient": "coefficient(taylor({0},{1}=({2}))::UTS(EXPR INT,'{1},{2}),{3})",
        "derivative": "D({0},{1})",
        "value_at": "eval({0},{1}={2})",
        "ode": "general(solve({0},{1},{2}),{1}({2}),plain.1)",
        "ode_initial": "initial(([solve({0},{1},{2}={3},{4})]::List F).1,{1}({2}),plain.1)",
        "ode_system": "system(solve({0},{1},{2}),plain)",
        "equation": "({0}={1})",
        "unknown": "{0}({1})",
        "slope": "D({0}({1}),{1},{2})",
        "plus_infinity": "%plusInfinity",
        "minus_infinity": "%minusInfinity",
    },
    constants={f"c{index}": f"_{index}" for index in range(1, MOST_CONSTANTS + 1)},
)

#: Solutions of differential equations as pairs of sides. A linear equation has a particular
#: solution and a basis; another has a formula that is constant on each solution, and zero on the
#: solution with an initial value.
_SOLUTIONS = f"""\
F := Expression Integer
V := Vector Expression Integer
Linear := Record(particular: F, basis: List F)
constants := [{",".join(f"c{index}" for index in range(1, MOST_CONSTANTS + 1))}];
combined(r: Linear): F == \
r.particular + reduce(+, [(constants.i)::F*r.basis.i for i in 1..#r.basis], 0)
general(r: Union(Linear, F, "failed"), y: F, plain: F): List List F == \
(if r case "failed" then error "no solution" else \
(if r case F then [[eval(r::F, y = plain), c1::F]] else [[plain, combined(r::Linear)]]))
initial(r: F, y: F, plain: F): List List F == \
(s := eval(r, y = plain); if r = s then [[plain, r]] else [[s, 0]])
system(r: Record(particular: V, basis: List V), functions: List F): List List F == \
(w := r.particular; for i in 1..#r.basis repeat w := w + (constants.i)::F*r.basis.i; \
[[functions.i, w.i] for i in 1..#functions])
"""
#: An `InputForm` is printed on one line with all multiplication signs. (The script gives the answer
#: no name: after an error, FriCAS would print the name as a symbol.)
_SCRIPT = """\
)set message prompt none
)set messages type off
)set messages autoload off
)set output algebra off
{settings}\
o := open("answer"::FileName,"output")$TextFile;
writeLine!(o, unparse(({asked})::InputForm));
close! o;
)quit
"""


@dataclass(frozen=True, kw_only=True)
class FricasSolver(ProgramSolver):
    """FriCAS's `integrate`. Of several answers (for signs of parameters) the first counts.

    A definite integral may "fail" or have a "potential pole" between the limits: no answer.
    ``no_pole`` tells FriCAS to assume no pole.
    """

    no_pole: bool = False

    dialect: ClassVar[Dialect] = FRICAS
    program: ClassVar[str] = "fricas"
    package: ClassVar[str] = "fricas"
    example: ClassVar[str] = "run.py sweep --model solver/fricas --benchmark bee"
    infinite_values: ClassVar[Mapping[str, str]] = {
        "plusInfinity()": r"\infty",
        "minusInfinity()": r"-\infty",
    }
    diverges: ClassVar[re.Pattern[str]] = re.compile("pole in path of integration")
    two_sided: ClassVar[re.Pattern[str] | None] = re.compile(r"Record\(leftHandLimit")

    @property
    def spelling(self) -> Dialect:
        if not self.no_pole:
            return FRICAS
        operations = {"definite_integral": 'integrate({0},{1}={2}..{3},"noPole")'}
        return replace(FRICAS, operations={**FRICAS.operations, **operations})

    def command(self, program: str) -> list[str]:
        return [program, "-nosman"]

    def script(self, text: str, domains: Mapping[str, str], functions: Sequence[str] = ()) -> str:
        """The script; FriCAS takes no assumptions."""
        settings = _SOLUTIONS if functions else ""
        settings += "".join(f"{name} := operator '{name}\n" for name in functions)
        if functions:
            settings += f"plain := [{','.join(map(plain, functions))}]::List F\n"
            settings += 'output("-----")$OutputPackage\n'  # messages before this line are no errors
        return _SCRIPT.format(asked=text, settings=settings)

    def error_message(self, output: str) -> str:
        message = output.rpartition("-----\n")[2].partition("Perhaps you should use")[0]
        reason = _REASON.search(message)
        return reason[1] if reason else re.sub(r"\s+", " ", message.replace("(1) ->", "")).strip()


#: FriCAS's result in place of an unknown value.
_REASON = re.compile("value from type (failed|potentialPole) to InputForm")
