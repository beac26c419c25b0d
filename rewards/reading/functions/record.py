"""The record of a function: names and mathematical properties, immutable."""

from __future__ import annotations

from dataclasses import dataclass

#: Time that ball arithmetic takes for a value: that of a few products, of an elementary function,
#: of ten (with many bits a hundred) elementary functions. `WORKER` has no bound that depends on the
#: precision alone (measured), so that only the end of a process stops it.
PRODUCT, ELEMENTARY, COSTLY, WORKER = "product", "elementary", "costly", "worker"
#: Kinds of branch. `ROOT` and `LOGARITHM` branch at zeros of the argument, `TWO_LOGARITHMS` where
#: it is 1 or -1; `TURNING` ones turn back where it touches 1 or -1, and their slopes have a
#: radical; `RADICAL_SLOPE` ones have only that; `JUMPING` ones jump where it has a pole.
ROOT, LOGARITHM, TWO_LOGARITHMS = "root", "logarithm", "two logarithms"
TURNING, RADICAL_SLOPE, JUMPING = "turning", "radical slope", "jumping"
#: Where a function that is not analytic breaks: where its argument is zero or whole, where two of
#: its arguments are equal, where a condition changes.
ZERO, AT_INTEGERS, EQUAL, CONDITION = "zero", "whole", "equal", "condition"
#: Where a function is continuous: on the complex plane, on the real line (each with real values
#: there), on its closed real domain.
PLANE, LINE, CLOSED = "plane", "line", "closed"
ODD, EVEN = "odd", "even"


@dataclass(frozen=True, slots=True)
class Function:
    r"""A function or a named constant. Formulas are in SymPy's notation, with the argument ``u``.

    Attributes:
        name: the function's name in expression trees.
        source: a section of the *Digital Library of Mathematical Functions*, or another source.
        arity: the least and the largest number of arguments. None means an unlimited number.
        arguments: names of the arguments in the formulas below.
        derivative: the derivative with respect to ``u``. Empty for a function with jumps.
        definition: an equal formula in other functions, or empty.
        domain: the real ``u`` for which values are real, unless a parameter has a special value.
            Empty means the whole line except poles.
        branch: the kind of branch in the complex plane. Empty means no branches.
        breaks: the arguments at which the function is not analytic.
        poles: the real poles, as a formula in a whole number k.
        parity: `ODD`, `EVEN` or empty.
        range: bounds of the values for all real arguments, if a bound is finite.
        steepest: a bound of the absolute slope for all real arguments. Given only if needed by
            the verifier.
        nears: whole numbers that values approach exponentially and never reach.
        continuous: the arguments at which the function is continuous. Given only if needed by
            the verifier.
        oscillates: whether the function oscillates as the argument grows.
        inverse: the inverse function.
        cost: how long the evaluation takes.
        values: arguments with values, as in ``"0:0 pi/2:1"``.
        printed: LaTeX with the arguments ``#1``, ``#2``, or the LaTeX of the name alone. Empty
            means ``\operatorname`` of the name without underscores.
        bare: names with optional parentheses, as in ``\sin x``.
        called: names that need parentheses, including names of Mathematica and Maple.
        ordered: whether the first argument may be a subscript. The printer always prints such an
            argument as a subscript.
        systems: names in other systems, as in ``"maxima=log fricas"``. A system without ``=`` uses
            ``name``. ``{0}`` and ``{1}`` in a longer notation are the arguments.

    >>> from calculus_harness.rewards.reading.functions import RECORDS
    >>> RECORDS["ln"].derivative, RECORDS["ln"].spelling("sympy")
    ('1/u', 'log')

    """

    name: str
    source: str
    arity: tuple[int, int | None] = (1, 1)
    arguments: str = "u"
    derivative: str = ""
    definition: str = ""
    domain: str = ""
    branch: str = ""
    breaks: str = ""
    poles: str = ""
    parity: str = ""
    range: tuple[float, float] | None = None
    steepest: float = 0.0
    nears: tuple[int, ...] = ()
    continuous: str = ""
    oscillates: bool = False
    inverse: str = ""
    cost: str = ELEMENTARY
    values: str = ""
    printed: str = ""
    bare: str = ""
    called: str = ""
    ordered: bool = False
    systems: str = ""

    def spelling(self, system: str) -> str:
        """The function's name in a computer algebra system.

        Args:
            system: the system's name in lower case.

        Returns:
            The name, or a template of the notation. The text is empty if the system lacks the
            function.

        """
        for item in self.systems.split():
            key, _, name = item.partition("=")
            if key == system:
                return name or self.name
        return ""

    @property
    def token(self) -> str:
        """The token of the LaTeX reader for all spellings of the function.

        If the first name in the record is in lower case, the name is the token. If not, the token
        is the name in expression trees, without underscores.
        """
        first_name = (self.bare or self.called).partition(" ")[0]
        return first_name if first_name.islower() else self.name.replace("_", "")


#: All functions and named constants, by their names.
RECORDS: dict[str, Function] = {}


def family(*functions: Function) -> tuple[Function, ...]:
    """Register the records of a group of functions.

    Raises:
        ValueError: another function has the same name.

    """
    for function in functions:
        if RECORDS.setdefault(function.name, function) is not function:
            raise ValueError(f"two functions are called {function.name}")
    return functions
