"""What is known of a function: one immutable record."""

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
        arity: fewest and most arguments; None means any number.
        arguments: names of the arguments in the formulas below.
        derivative: the derivative in ``u``; nothing for a function with steps.
        definition: an equal formula in other functions, where there is one.
        domain: the ``u`` for which values are real (for parameters without a special value).
            Nothing: the whole line, but for poles.
        branch: kind of branch, on the complex plane; nothing for a function without branches.
        breaks: where the function is not analytic.
        poles: real poles, with any whole k.
        parity: `ODD`, `EVEN` or nothing.
        range: bounds of the values for all real arguments, where both or one are finite.
        steepest: a bound of the size of the slope for all real arguments, if that is used.
        nears: whole numbers that values come exponentially near to without reaching them.
        continuous: where the function is continuous, if that is used.
        oscillates: whether the function oscillates where the argument grows.
        inverse: the inverse function.
        cost: the time that a value takes.
        values: arguments with values, as ``"0:0 pi/2:1"``.
        printed: LaTeX, with arguments ``#1``, ``#2``, or only what stands before the parentheses.
            Nothing: ``\operatorname`` of the name without underscores.
        bare: names of a function that needs no parentheses, as ``\sin x``.
        called: names that need parentheses, also those of Mathematica and Maple.
        ordered: whether the first argument may be, and is printed as, a subscript.
        systems: names in other systems, as ``"maxima=log fricas"``; one without ``=`` has ours.
            ``{0}``, ``{1}`` in it are the arguments of a longer notation.

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
        """The function's name in a system.

        Args:
            system: the system's name in lower case.

        Returns:
            The name, or a template of the notation; empty if the system lacks the function.

        """
        for item in self.systems.split():
            key, _, name = item.partition("=")
            if key == system:
                return name or self.name
        return ""

    @property
    def token(self) -> str:
        """The name by which the reader of LaTeX knows the function: the first in lower case."""
        first_name = (self.bare or self.called).partition(" ")[0]
        return first_name if first_name.islower() else self.name.replace("_", "")


#: All functions and named constants, by their names.
RECORDS: dict[str, Function] = {}


def family(*functions: Function) -> tuple[Function, ...]:
    """Register functions that belong together.

    Raises:
        ValueError: a name is taken.

    """
    for function in functions:
        if RECORDS.setdefault(function.name, function) is not function:
            raise ValueError(f"two functions are called {function.name}")
    return functions
