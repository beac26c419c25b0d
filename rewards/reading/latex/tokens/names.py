r"""The names of functions, constants and symbols in print.

A *canonical token* is the token that the lexer passes to the parser. For example, every spelling
of arcsine becomes ``\asin``.
"""

from __future__ import annotations

from typing import Final

from ...functions import HYPERBOLIC, RECORDS, TRIGONOMETRIC

#: Functions of one argument that are written with others -> formulas in SymPy's notation.
DERIVED: Final[dict[str, str]] = {
    "coversin": "1 - sin(u)",
    "excsc": "-1 + csc(u)",
    "exsec": "-1 + sec(u)",
    "expm1": "exp(u) + -1",
    "hacoversin": "(1 - sin(u))/2",
    "haversin": "(1 - cos(u))/2",
    # as a real part, whose slope along the real line shows its parts
    "imaginarypart": "re(-(I*u))",
    "lg": "log(u, 10)",
    "log10": "log(u, 10)",
    "log1p": "log(1 + u)",
    "log2": "log(u, 2)",
    "sinc": "sin(u)/u",
    "vercosin": "1 + cos(u)",
    "versin": "1 - cos(u)",
}
#: Functions of one argument that may stand without parentheses -> their other spellings.
UNARY: Final[dict[str, tuple[str, ...]]] = dict.fromkeys(DERIVED, ()) | {
    f.token: tuple(f.bare.split()[1:]) for f in RECORDS.values() if f.bare
}

#: What stands before the kind in names of elliptic integrals that take the parameter.
_ELLIPTIC: Final = ("elliptic", "ellip", "elliptic_")
#: Functions that need parentheses -> canonical name; `rewards.reading.latex.builders` says what
#: they build. What follows the functions of records is made from several of them.
NAMED: Final[dict[str, str]] = {
    **{name: f.token for f in RECORDS.values() for name in f.called.split()},
    **{
        f"{stem}{suffix}": f"ellip{suffix}"
        for stem in _ELLIPTIC
        for suffix in ("f", "e", "k", "pi")
    },
    **{name: name for name in "Li dilog hyper hyp1f1 hyp2f1 piecewise cbrt".split()},
    **{name: name for name in "gammafunction atan2 pow Ti Cin Ein erfcx harmonic".split()},
    "uppergamma": "gammafunction",
    "BetaFunction": "betafunction",
    "hypergeom": "hyper",
    "HypergeometricPFQ": "hyper",
    "Hypergeometric1F1": "hyp1f1",
    "Hypergeometric2F1": "hyp2f1",
    "Piecewise": "piecewise",
    "cuberoot": "cbrt",
    "logarithm": "logarithm",
    "Logarithm": "Logarithm",
    "Cl": "clausen",
    "GammaRegularized": "gamma_q",
    "arctan2": "atan2",
    "HarmonicNumber": "harmonic",
}

#: ``f^{-1}`` is the inverse function for these alone.
INVERSES: Final[dict[str, str]] = {
    f.name: f.inverse for f in (*TRIGONOMETRIC, *HYPERBOLIC) if f.inverse
}

#: Greek letters and the like -> their characters.
GREEK: Final[dict[str, str]] = dict(
    letter.split(":")
    for letter in """
        alpha:α beta:β gamma:γ delta:δ epsilon:ϵε zeta:ζ eta:η theta:θϑ iota:ι kappa:κϰ
        lambda:λ mu:μµ nu:ν xi:ξ omicron:ο rho:ρϱ sigma:σς tau:τ upsilon:υ phi:φϕ chi:χ psi:ψ
        omega:ω Gamma:Γ Delta:Δ∆ Theta:Θ Lambda:Λ Xi:Ξ Pi:Π Sigma:Σ Upsilon:Υ Phi:Φ Psi:Ψ
        Omega:Ω ell:ℓ hbar:ℏ
    """.split()
)

#: Characters -> the names of the letters.
GREEK_CHARACTERS: Final[dict[str, str]] = {
    character: name for name, characters in GREEK.items() for character in characters
}

#: Printed variants of one letter are one symbol.
GREEK_VARIANTS: Final[dict[str, str]] = {"imath": "i", "jmath": "j"} | {
    f"var{name}": name
    for name in ("epsilon theta phi rho sigma kappa Gamma Delta Theta Lambda Phi Psi Omega".split())
}

#: Words of plain text or of ``\text{...}`` that stand for a constant.
CONSTANT_WORDS: Final = ("constant", "const", "Constant", "Const")

#: Words that are no functions -> tokens.
_NOTATION: Final = {
    "\\int": "int integral Integral integrate antiderivative",
    "\\lim": "lim limit Limit",
    "\\partial": "diff Derivative derivative",
    "\\infty": "infinity oo",
    "\\catalan": "Catalan",
}
#: Names too short to be looked for inside a longer run of letters: only whole words count.
_SHORT: Final = frozenset(
    (
        "sh ch th tg lg gd arch arth arsh cth sen fact sign root max min Ai Bi Li Cl Re Im arg daw "
        "Piecewise piecewise Ti Ei Si Ci li Shi Chi shi Cin Ein hyper"
    ).split()
).union(*map(str.split, _NOTATION.values()))


def _names() -> dict[str, str]:
    names = {}
    for canonical, spellings in UNARY.items():
        for spelling in (canonical, *spellings):
            names[spelling] = "\\" + canonical
    for spelling, canonical in NAMED.items():
        names[spelling] = "\\fn " + canonical
    for letter in GREEK:
        if len(letter) > 2:
            names[letter] = "\\" + letter
    for token, words in _NOTATION.items():
        names |= dict.fromkeys(words.split(), token)
    names["pi"] = "\\pi"
    for word in CONSTANT_WORDS:
        names[word] = "constant"
    return names


#: A word, as in plain text or inside ``\operatorname{...}`` -> canonical token.
NAMES: Final[dict[str, str]] = _names()

#: The words looked for inside a run of letters such as ``xsinx``.
SPLITTABLE: Final = frozenset(
    name for name in NAMES if name not in _SHORT and (name not in GREEK or len(name) > 4)
)
LONGEST_NAME: Final = max(map(len, SPLITTABLE))
