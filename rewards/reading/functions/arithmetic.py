"""Arithmetic, constants, comparisons, and functions that are not analytic."""

from __future__ import annotations

import math

from .record import (
    AT_INTEGERS,
    CONDITION,
    EQUAL,
    EVEN,
    LINE,
    LOGARITHM,
    ODD,
    PLANE,
    PRODUCT,
    ROOT,
    ZERO,
    Function,
    family,
)

INF = math.inf
SEVERAL, PAIR, NONE = (2, None), (2, 2), (0, 0)
#: Bounds of pi and e: the nearest floats are less, and a proof would compare numbers with them.
PI_RANGE = (math.pi, math.nextafter(math.pi, INF))
E_RANGE = (math.e, math.nextafter(math.e, INF))

# Tables: a function takes one line or two.
# fmt: off
ARITHMETIC = family(
    Function("add", "1.2", SEVERAL, continuous=PLANE, cost=PRODUCT, systems="sympy=Add"),
    Function("mul", "1.2", SEVERAL, continuous=PLANE, cost=PRODUCT, systems="sympy=Mul"),
    Function("neg", "1.2", derivative="-1", continuous=PLANE, parity=ODD, cost=PRODUCT),
    Function("div", "1.2", PAIR, "u v", "1/v", cost=PRODUCT),
    Function("pow", "4.2(iv)", PAIR, "u v", "v*u**(v - 1)", domain="u > 0", branch=ROOT),
    Function("sqrt", "4.2(iv)", derivative="1/(2*sqrt(u))", domain="u >= 0", branch=ROOT,
             cost=PRODUCT, values="0:0 1:1 4:2", printed=r"\sqrt{#1}", called="sqrt",
             systems="sympy maxima fricas alkahest"),
    Function("root", "4.2(iv)", PAIR, "u n", "root(u, n)/(n*u)", domain="u >= 0", branch=ROOT,
             printed=r"\sqrt[{#2}]{#1}", called="root Surd",
             systems="maxima=({0}^(1/{1})) " "fricas=nthRoot({0},{1}) alkahest=(({0})^(1/({1})))"),
    Function("exp", "4.2(iii)", derivative="exp(u)", continuous=PLANE, inverse="ln", values="0:1",
             printed="e^{#1}", bare="exp", systems="sympy maxima fricas alkahest"),
    Function("ln", "4.2(i)", derivative="1/u", domain="u > 0", branch=LOGARITHM, inverse="exp",
             values="1:0 E:1", printed=r"\ln", bare="ln Ln",
             systems="sympy=log maxima=log fricas=log alkahest=log"),
    Function("log", "4.2(ii)", PAIR, "u b", "1/(u*log(b))", domain="u > 0", branch=LOGARITHM,
             printed=r"\log_{#2}\left(#1\right)", bare="log",
             systems="sympy maxima=(log({0})/log({1})) fricas=(log({0})/log({1})) "
             "alkahest=(log({0})/log({1}))"),
)
CONSTANTS = family(
    Function("pi", "3.12", NONE, range=PI_RANGE, continuous=PLANE, printed=r"\pi",
             systems="sympy maxima=%pi fricas=%pi alkahest"),
    Function("e", "4.2.11", NONE, range=E_RANGE, continuous=PLANE, printed="e",
             systems="sympy=E maxima=%e fricas=%e alkahest=exp(1)"),
    Function("i", "1.9(i)", NONE, printed="i", systems="sympy=I maxima=%i fricas=%i"),
    Function("euler_gamma", "5.2.3", NONE, continuous=PLANE, printed=r"\gamma",
             systems="sympy=EulerGamma maxima=%gamma"),
    Function("catalan", "25.11.40", NONE, continuous=PLANE, printed=r"\mathrm{Catalan}",
             systems="sympy=Catalan maxima=%catalan"),
)
#: Parts of complex numbers.
COMPLEX = family(
    Function("re", "1.9(i)", parity=ODD, cost=PRODUCT, printed=r"\operatorname{Re}",
             bare="realpart Re", systems="sympy"),
    Function("im", "1.9(i)", parity=ODD, cost=PRODUCT, printed=r"\operatorname{Im}",
             bare="imaginarypart Im", systems="sympy"),
    Function("arg", "1.9(i)", breaks=ZERO, bare="arg", systems="sympy"),
)
PIECEWISE = family(
    Function("abs", "1.9(i)", derivative="sign(u)", breaks=ZERO, parity=EVEN, range=(0.0, INF),
             continuous=LINE, cost=PRODUCT, values="0:0 -2:2", printed=r"\left|#1\right|",
             bare="abs", systems="sympy=Abs maxima fricas alkahest"),
    Function("sgn", "Common Notations", breaks=ZERO, parity=ODD, range=(-1.0, 1.0),
             cost=PRODUCT, values="0:0 3:1 -3:-1", bare="sgn sign signum",
             systems="sympy=sign maxima=signum fricas=sign alkahest=sign"),
    Function("floor", "Common Notations", breaks=AT_INTEGERS, cost=PRODUCT, values="5/2:2 -1/2:-1",
             printed=r"\left\lfloor #1\right\rfloor", bare="floor integerpart",
             systems="sympy maxima alkahest"),
    Function("ceil", "Common Notations", breaks=AT_INTEGERS, cost=PRODUCT, values="5/2:3 -1/2:0",
             printed=r"\left\lceil #1\right\rceil", bare="ceil ceiling",
             systems="sympy=ceiling maxima=ceiling alkahest"),
    Function("frac", "Common Notations", definition="u - floor(u)", breaks=AT_INTEGERS,
             range=(0.0, 1.0), cost=PRODUCT, values="5/2:1/2 -1/4:3/4",
             printed=r"\operatorname{fracpart}", bare="fracpart fractionalpart",
             systems="sympy maxima=({0}-floor({0}))"),
    Function("max", "1.4", SEVERAL, breaks=EQUAL, continuous=LINE, cost=PRODUCT, printed=r"\max",
             called="max", systems="sympy=Max maxima"),
    Function("min", "1.4", SEVERAL, breaks=EQUAL, continuous=LINE, cost=PRODUCT, printed=r"\min",
             called="min", systems="sympy=Min maxima"),
    Function("heaviside", "1.16(iv)", breaks=ZERO, range=(0.0, 1.0), cost=PRODUCT,
             values="-1:0 2:1", printed=r"\operatorname{Heaviside}", called="Heaviside UnitStep",
             systems="sympy=Heaviside maxima=unit_step"),
    Function("piecewise", "1.4", SEVERAL, breaks=CONDITION),
)
#: Conditions of ``piecewise``.
COMPARISONS = family(
    Function("lt", "1.4", PAIR, "u v", printed="#1 < #2", systems="sympy=Lt"),
    Function("le", "1.4", PAIR, "u v", printed=r"#1 \le #2", systems="sympy=Le"),
    Function("gt", "1.4", PAIR, "u v", printed="#1 > #2", systems="sympy=Gt"),
    Function("ge", "1.4", PAIR, "u v", printed=r"#1 \ge #2", systems="sympy=Ge"),
    Function("eq", "1.4", PAIR, "u v", printed="#1 = #2", systems="sympy=Eq"),
    Function("ne", "1.4", PAIR, "u v", printed=r"#1 \ne #2", systems="sympy=Ne"),
)
CONNECTIVES = family(
    Function("and", "1.4", SEVERAL, printed=r"#1 \wedge #2", systems="sympy=And"),
    Function("or", "1.4", SEVERAL, printed=r"#1 \vee #2", systems="sympy=Or"),
)
