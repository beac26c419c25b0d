"""A table of notations with two readings.

The parser first takes the likelier reading of every ambiguity, and records the ambiguities of the
text. Then `rewards.reading.latex.readings` parses the text again with second readings.
"""

from __future__ import annotations

from enum import Enum
from typing import Final


class Ambiguity(Enum):
    r"""An ambiguity of notation.

    Attributes:
        bit: the bit of the ambiguity in the parser's masks.
        name: the name of the ambiguity in `Reading.ambiguities`.
        first: the likelier reading.
        second: the other reading.

    >>> Ambiguity.argument_slash.name, Ambiguity.argument_slash.second
    ('argument_slash', '\\sin(x/2)')

    """

    def __init__(self, first: str, second: str) -> None:
        self.bit = 1 << len(type(self).__members__)
        self.first = first
        self.second = second

    # name = first reading, second reading
    call_power = (r"\log(2x)^2 is (\log(2x))^2; \ln|x|^2 is \ln(|x|^2)", "the other of the two")
    slash_product = (
        r"1/2x is (1/2)x, but x/2a is x/(2a): a symbol after the denominator joins it "
        "unless a number is divided by a number",
        "the other of the two",
    )
    argument_slash = (r"\sin x/2 is (\sin x)/2", r"\sin(x/2)")
    argument_extent = (
        r"\sin x(x+1) is (\sin x)(x+1); after a number, \sin 2(x+1) is \sin(2(x+1)) and "
        r"\arctan 2\tan x is \arctan(2\tan x), but \ln 2\sin x is (\ln 2)\sin x",
        "the other of the two",
    )
    argument_times = (
        r"\sin 2\cdot x is \sin(2x), but \ln 2\cdot x is (\ln 2)x",
        "the other of the two",
    )
    unbraced_digits = (r"x^10 is x^{10}, \sqrt12 is \sqrt{12}", r"as TeX prints: x^1 0, \sqrt1 2")
    exponent_product = ("e^2x is (e^2)x", "e^{2x}")
    unit_exponent = ("x^1/2 is x^{1/2}", "(x^1)/2")
    mixed_number = (
        r"2\frac13x is 2 times x/3",
        r"2x + x/3, as 1\frac13x and a lone 2\frac13 always are",
    )
    scientific = ("2e-3 is 2e minus 3", "a decimal, as 1e-3 always is")
    nested_bars = ("|x|y|z| is |x| y |z|", "| x |y| z |")
    elliptic_modulus = (
        r"F(\phi|m), K(m) hold the parameter; F(\phi,k) the modulus",
        "the other of the two",
    )
    elliptic_jacobi = (r"in F(u;k) u is the amplitude", "u is its sine")
    letter_function = (
        r"S(x), and C(x), D(x) with a symbol of the problem, are functions, and so are \beta(2), "
        r"\eta(2) without one; C(a), D(a), \theta(x), H(x) are products",
        "the other of the two",
    )
    fresnel_scale = (r"S(x) integrates \sin(\pi t^2/2)", r"\sin t^2")
    binomial_letter = ("C_5^2 is the square of a constant", r"\binom{5}{2}")
    struve = ("H_n(x), L_n(x) are Hermite's and Laguerre's polynomials", "Struve's functions")
    elliptic_d = ("D(k) is Dawson's integral", "the complete elliptic integral (DLMF 19.2.8)")
    upper_index = ("L_n^a(x) is a power", "an associated Laguerre polynomial (DLMF 18.5.12)")
    braces = (r"\{x\} is x in parentheses", "the fractional part")
    dilogarithm = (r"\operatorname{dilog}(x) is Li_2(x)", "Li_2(1-x), as in Maple")
    a_inverse = ("asin x is \\arcsin x where a is a symbol too", r"a\sin x")


AMBIGUITIES: Final = tuple(Ambiguity)


def names(consulted: int, flipped: int) -> tuple[str, ...]:
    """The names of the ambiguities in two bit masks.

    ``consulted`` has the ambiguities that the parser met. ``flipped`` has the ambiguities for which
    the parser chose the second reading; the names of these ambiguities end in ``:second``.
    """
    if not consulted | flipped:
        return ()
    return tuple(
        ambiguity.name + (":second" if flipped & ambiguity.bit else "")
        for ambiguity in AMBIGUITIES
        if (consulted | flipped) & ambiguity.bit
    )
