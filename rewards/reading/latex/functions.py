r"""The names that functions, constants and symbols go by in print.

A *canonical token* is what the lexer hands to the parser: ``\asin`` for every spelling of arcsine.
"""

from __future__ import annotations

from typing import Final

#: Functions of one argument that may stand without parentheses -> their other spellings.
UNARY: Final[dict[str, tuple[str, ...]]] = {
    "sin": ("sen",),
    "cos": (),
    "tan": ("tg",),
    "cot": ("ctg", "cotg", "cotan"),
    "sec": (),
    "csc": ("cosec",),
    "asin": ("arcsin", "arsin", "arcsen", "invsin"),
    "acos": ("arccos", "arcos"),
    "atan": ("arctan", "arctg", "atg", "artan", "invtan"),
    "acot": ("arccot", "arcctg", "arcot", "arccotan", "arccotg"),
    "asec": ("arcsec", "arsec"),
    "acsc": ("arccsc", "arccosec", "arcosec", "acosec", "arcsc"),
    "sinh": ("sh", "senh"),
    "cosh": ("ch",),
    "tanh": ("th", "tgh"),
    "coth": ("cth", "ctgh", "cotanh"),
    "sech": (),
    "csch": ("cosech",),
    "asinh": ("arcsinh", "arsinh", "arsh", "argsinh", "argsh", "arcsh", "arcsenh", "arsenh"),
    "acosh": ("arccosh", "arcosh", "arch", "argcosh", "argch", "arcch"),
    "atanh": ("arctanh", "artanh", "arth", "argtanh", "argth", "arcth", "artgh", "arctgh"),
    "acoth": ("arccoth", "arcoth", "argcoth", "arccth", "arcctgh"),
    "asech": ("arcsech", "arsech", "argsech"),
    "acsch": ("arccsch", "arcsch", "argcsch", "arccosech", "arcosech"),
    "ln": (),
    "log": (),
    "lg": (),
    "exp": (),
    "abs": (),
    "realpart": ("Re",),
    "imaginarypart": ("Im",),
    "arg": (),
    "sgn": ("sign", "signum"),
    "floor": ("integerpart",),
    "ceil": ("ceiling",),
    "fracpart": ("fractionalpart",),
    "erf": (),
    "erfc": (),
    "erfi": (),
    "dawson": ("dawsonf", "daw"),
    "sinc": (),
    "gudermannian": ("gd",),
    "fact": ("factorial",),
}

#: Functions of one argument whose names also act bare only when the whole word is theirs.
INTEGRALS: Final[dict[str, str]] = {
    "Ei": "ei",
    "li": "li",
    "Si": "si",
    "Ci": "ci",
    "Shi": "shi",
    "Chi": "chi",
    "shi": "shi",
    "ExpIntegralEi": "ei",
    "LogIntegral": "li",
    "SinIntegral": "si",
    "CosIntegral": "ci",
    "SinhIntegral": "shi",
    "CoshIntegral": "chi",
    "expintegralei": "ei",
}

#: Functions that need parentheses -> canonical name; `rewards.reading.latex.calls` says what they
#: build.
NAMED: Final[dict[str, str]] = {
    "Li": "Li",
    "polylog": "polylog",
    "PolyLog": "polylog",
    "dilog": "dilog",
    "FresnelS": "fresnels",
    "fresnels": "fresnels",
    "FresnelC": "fresnelc",
    "fresnelc": "fresnelc",
    "EllipticF": "ellipticf",
    "EllipticE": "elliptice",
    "EllipticK": "elliptick",
    "ellipticf": "ellipf",
    "elliptice": "ellipe",
    "elliptick": "ellipk",
    "ellipticpi": "ellippi",
    "ellipf": "ellipf",
    "ellipe": "ellipe",
    "ellipk": "ellipk",
    "ellippi": "ellippi",
    "EllipticPi": "ellipticpi",
    "elliptic_f": "ellipf",
    "elliptic_e": "ellipe",
    "elliptic_k": "ellipk",
    "elliptic_pi": "ellippi",
    "gammafunction": "gammafunction",
    "uppergamma": "gammafunction",
    "lowergamma": "lowergamma",
    "LambertW": "lambertw",
    "lambertw": "lambertw",
    "ProductLog": "lambertw",
    "digamma": "digamma",
    "polygamma": "polygamma",
    "PolyGamma": "polygamma",
    "loggamma": "lgamma",
    "lgamma": "lgamma",
    "LogGamma": "lgamma",
    "expint": "expint",
    "ExpIntegralE": "expint",
    "BetaFunction": "betafunction",
    "Heaviside": "heaviside",
    "UnitStep": "heaviside",
    "Ai": "airyai",
    "Bi": "airybi",
    "airyai": "airyai",
    "airybi": "airybi",
    "besselj": "besselj",
    "bessely": "bessely",
    "besseli": "besseli",
    "besselk": "besselk",
    "BesselJ": "besselj",
    "BesselY": "bessely",
    "BesselI": "besseli",
    "BesselK": "besselk",
    "hyper": "hyper",
    "hypergeom": "hyper",
    "HypergeometricPFQ": "hyper",
    "hyp1f1": "hyp1f1",
    "Hypergeometric1F1": "hyp1f1",
    "hyp2f1": "hyp2f1",
    "Hypergeometric2F1": "hyp2f1",
    "Piecewise": "piecewise",
    "piecewise": "piecewise",
    "Cl": "clausen",
    "GammaRegularized": "gamma_q",
    "max": "max",
    "min": "min",
    "binomial": "binomial",
    "atan2": "atan2",
    "arctan2": "atan2",
    "sqrt": "sqrt",
    "cbrt": "cbrt",
    "root": "root",
    "lerchphi": "lerchphi",
    "LerchPhi": "lerchphi",
    "Ti": "Ti",
    "Cin": "Cin",
    "Ein": "Ein",
    "erfcx": "erfcx",
    "legendre": "legendre",
    "chebyshevt": "chebyshevt",
    "chebyshevu": "chebyshevu",
    "hermite": "hermite",
    "laguerre": "laguerre",
}

#: ``f^{-1}`` is the inverse function for these alone.
INVERSES: Final[dict[str, str]] = {
    "sin": "asin",
    "cos": "acos",
    "tan": "atan",
    "cot": "acot",
    "sec": "asec",
    "csc": "acsc",
    "sinh": "asinh",
    "cosh": "acosh",
    "tanh": "atanh",
    "coth": "acoth",
    "sech": "asech",
    "csch": "acsch",
}

GREEK: Final[dict[str, str]] = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ϵε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θϑ",
    "iota": "ι",
    "kappa": "κϰ",
    "lambda": "λ",
    "mu": "μµ",
    "nu": "ν",
    "xi": "ξ",
    "omicron": "ο",
    "rho": "ρϱ",
    "sigma": "σς",
    "tau": "τ",
    "upsilon": "υ",
    "phi": "φϕ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ∆",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Xi": "Ξ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Upsilon": "Υ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
    "ell": "ℓ",
    "hbar": "ℏ",
}

#: Printed variants of one letter are one symbol.
GREEK_VARIANTS: Final[dict[str, str]] = {
    "varepsilon": "epsilon",
    "vartheta": "theta",
    "varphi": "phi",
    "varrho": "rho",
    "varsigma": "sigma",
    "varkappa": "kappa",
    "varGamma": "Gamma",
    "varDelta": "Delta",
    "varTheta": "Theta",
    "varLambda": "Lambda",
    "varPhi": "Phi",
    "varPsi": "Psi",
    "varOmega": "Omega",
    "imath": "i",
    "jmath": "j",
}

#: Words of plain text or of ``\text{...}`` that stand for a constant.
CONSTANT_WORDS: Final = ("constant", "const", "Constant", "Const")

#: Names too short to be looked for inside a longer run of letters: only whole words count.
_SHORT: Final = frozenset(
    (
        "sh ch th tg lg gd arch arth arsh cth sen fact sign root max min Ai Bi Li Cl Re Im arg daw "
        "Piecewise piecewise Ti Ei Si Ci li Shi Chi shi Cin Ein hyper int integral Integral "
        "integrate "
        "lim limit Limit diff Derivative derivative infinity oo antiderivative Catalan"
    ).split()
)


def _names() -> dict[str, str]:
    names = {}
    for canonical, spellings in UNARY.items():
        for spelling in (canonical, *spellings):
            names[spelling] = "\\" + canonical
    for table in (INTEGRALS, NAMED):
        for spelling, canonical in table.items():
            names[spelling] = "\\fn " + canonical
    for letter in GREEK:
        if len(letter) > 2:
            names[letter] = "\\" + letter
    for word in ("int", "integral", "Integral", "integrate", "antiderivative"):
        names[word] = "\\int"
    for word in ("lim", "limit", "Limit"):
        names[word] = "\\lim"
    for word in ("diff", "Derivative", "derivative"):
        names[word] = "\\partial"
    names["Catalan"] = "\\catalan"
    names["infinity"] = names["oo"] = "\\infty"
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
