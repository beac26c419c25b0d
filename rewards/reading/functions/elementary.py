"""Trigonometric and hyperbolic functions and their inverses (DLMF, chapter 4).

The inverse functions are defined as in python-flint and SymPy. For example, acot u is atan(1/u).
"""

from __future__ import annotations

import math

from .record import (
    CLOSED,
    EVEN,
    JUMPING,
    LINE,
    ODD,
    PLANE,
    RADICAL_SLOPE,
    TURNING,
    TWO_LOGARITHMS,
    Function,
    family,
)

INF = math.inf
#: An upper bound of pi/2: the nearest float is less, and a proof would compare numbers with it.
QUARTER = math.nextafter(math.pi / 2, INF)
BEYOND_ONE = "u <= -1 or u >= 1"
SOLVERS = "sympy maxima fricas alkahest"

# Tables: a function takes a few lines.
# fmt: off
TRIGONOMETRIC = family(
    Function("sin", "4.14.1", derivative="cos(u)", parity=ODD, range=(-1.0, 1.0), steepest=1.0,
             continuous=PLANE, oscillates=True, inverse="asin", values="0:0 pi/6:1/2 pi/2:1",
             printed=r"\sin", bare="sin sen", systems=SOLVERS),
    Function("cos", "4.14.2", derivative="-sin(u)", parity=EVEN, range=(-1.0, 1.0),
             continuous=PLANE, oscillates=True, inverse="acos", values="0:1 pi/3:1/2 pi:-1",
             printed=r"\cos", bare="cos", systems=SOLVERS),
    Function("tan", "4.14.4", derivative="sec(u)**2", definition="sin(u)/cos(u)",
             poles="pi/2 + k*pi", parity=ODD, oscillates=True, inverse="atan", values="0:0 pi/4:1",
             printed=r"\tan", bare="tan tg", systems=SOLVERS),
    Function("cot", "4.14.7", derivative="-csc(u)**2", definition="cos(u)/sin(u)", poles="k*pi",
             parity=ODD, oscillates=True, inverse="acot", values="pi/4:1 pi/2:0", printed=r"\cot",
             bare="cot ctg cotg cotan", systems=SOLVERS),
    Function("sec", "4.14.6", derivative="sec(u)*tan(u)", definition="1/cos(u)",
             poles="pi/2 + k*pi", parity=EVEN, oscillates=True, inverse="asec", values="0:1 pi/3:2",
             printed=r"\sec", bare="sec", systems=SOLVERS),
    Function("csc", "4.14.5", derivative="-(csc(u)*cot(u))", definition="1/sin(u)", poles="k*pi",
             parity=ODD, oscillates=True, inverse="acsc", values="pi/2:1 pi/6:2", printed=r"\csc",
             bare="csc cosec", systems=SOLVERS),
)
INVERSE_TRIGONOMETRIC = family(
    Function("asin", "4.23(ii)", derivative="1/sqrt(1 - u**2)", domain="-1 <= u <= 1",
             branch=TURNING, parity=ODD, continuous=CLOSED, inverse="sin", values="0:0 1:pi/2",
             printed=r"\arcsin", bare="asin arcsin arsin arcsen invsin",
             systems=f"{SOLVERS} python=arcsin"),
    Function("acos", "4.23(ii)", derivative="-(1/sqrt(1 - u**2))", domain="-1 <= u <= 1",
             branch=TURNING, continuous=CLOSED, inverse="cos", values="0:pi/2 1:0 -1:pi",
             printed=r"\arccos", bare="acos arccos arcos", systems=f"{SOLVERS} python=arccos"),
    Function("atan", "4.23(ii)", derivative="1/(1 + u**2)", branch=JUMPING, parity=ODD,
             range=(-QUARTER, QUARTER), steepest=1.0, continuous=LINE, inverse="tan",
             values="0:0 1:pi/4", printed=r"\arctan", bare="atan arctan arctg atg artan invtan",
             systems=f"{SOLVERS} python=arctan"),
    Function("acot", "4.23.9", derivative="-(1/(1 + u**2))", definition="atan(1/u)", branch=JUMPING,
             parity=ODD, inverse="cot", values="1:pi/4", printed=r"\operatorname{arccot}",
             bare="acot arccot arcctg arcot arccotan arccotg", systems="sympy maxima fricas"),
    Function("asec", "4.23.8", derivative="1/(u**2*sqrt(1 - 1/u**2))", definition="acos(1/u)",
             domain=BEYOND_ONE, branch=TURNING, inverse="sec", values="1:0 2:pi/3",
             printed=r"\operatorname{arcsec}", bare="asec arcsec arsec",
             systems="sympy maxima fricas"),
    Function("acsc", "4.23.7", derivative="-(1/(u**2*sqrt(1 - 1/u**2)))", definition="asin(1/u)",
             domain=BEYOND_ONE, branch=TURNING, parity=ODD, inverse="csc", values="1:pi/2 2:pi/6",
             printed=r"\operatorname{arccsc}", bare="acsc arccsc arccosec arcosec acosec arcsc",
             systems="sympy maxima fricas"),
)
HYPERBOLIC = family(
    Function("sinh", "4.28.1", derivative="cosh(u)", parity=ODD, continuous=PLANE, inverse="asinh",
             values="0:0", printed=r"\sinh", bare="sinh sh senh", systems=SOLVERS),
    Function("cosh", "4.28.2", derivative="sinh(u)", parity=EVEN, range=(1.0, INF),
             continuous=PLANE, inverse="acosh", values="0:1", printed=r"\cosh", bare="cosh ch",
             systems=SOLVERS),
    Function("tanh", "4.28.4", derivative="sech(u)**2", definition="sinh(u)/cosh(u)", parity=ODD,
             range=(-1.0, 1.0), steepest=1.0, nears=(-1, 1), continuous=LINE, inverse="atanh",
             values="0:0", printed=r"\tanh", bare="tanh th tgh", systems=SOLVERS),
    Function("coth", "4.28.7", derivative="-csch(u)**2", definition="cosh(u)/sinh(u)", poles="0",
             parity=ODD, nears=(-1, 1), inverse="acoth", values="log(3)/2:2", printed=r"\coth",
             bare="coth cth ctgh cotanh", systems=SOLVERS),
    Function("sech", "4.28.6", derivative="-(sech(u)*tanh(u))", definition="1/cosh(u)", parity=EVEN,
             range=(0.0, 1.0), continuous=LINE, inverse="asech", values="0:1", bare="sech",
             systems=SOLVERS),
    Function("csch", "4.28.5", derivative="-(csch(u)*coth(u))", definition="1/sinh(u)", poles="0",
             parity=ODD, inverse="acsch", values="log(1+sqrt(2)):1", bare="csch cosech",
             systems=SOLVERS),
    Function("gudermannian", "4.23(viii)", derivative="sech(u)", definition="2*atan(tanh(u/2))",
             branch=JUMPING, parity=ODD, continuous=LINE, values="0:0",
             printed=r"\operatorname{gd}", bare="gudermannian gd"),
)
INVERSE_HYPERBOLIC = family(
    Function("asinh", "4.37(ii)", derivative="1/sqrt(u**2 + 1)", branch=RADICAL_SLOPE, parity=ODD,
             continuous=LINE, inverse="sinh", values="0:0 1:log(1+sqrt(2))",
             printed=r"\operatorname{arsinh}",
             bare="asinh arcsinh arsinh arsh argsinh argsh arcsh arcsenh arsenh settsinh settsenh",
             systems=f"{SOLVERS} python=arcsinh"),
    Function("acosh", "4.37(ii)", derivative="1/(sqrt(u + -1)*sqrt(u + 1))", domain="u >= 1",
             branch=TURNING, continuous=CLOSED, inverse="cosh", values="1:0",
             printed=r"\operatorname{arcosh}",
             bare="acosh arccosh arcosh arch argcosh argch arcch settcosh",
             systems=f"{SOLVERS} python=arccosh"),
    Function("atanh", "4.37(ii)", derivative="1/(1 - u**2)", domain="-1 < u and u < 1",
             branch=TWO_LOGARITHMS, parity=ODD, inverse="tanh", values="0:0 1/2:log(3)/2",
             printed=r"\operatorname{artanh}",
             bare="atanh arctanh artanh arth argtanh argth arcth artgh arctgh settanh",
             systems=f"{SOLVERS} python=arctanh"),
    Function("acoth", "4.37.9", derivative="1/(1 - u**2)", definition="atanh(1/u)",
             domain="u < -1 or u > 1", branch=TWO_LOGARITHMS, parity=ODD, inverse="coth",
             values="2:log(3)/2", printed=r"\operatorname{arcoth}",
             bare="acoth arccoth arcoth argcoth arccth arcctgh", systems="sympy maxima fricas"),
    Function("asech", "4.37.8", derivative="-(1/(u*sqrt(1 - u**2)))", definition="acosh(1/u)",
             domain="0 < u and u <= 1", branch=TURNING, inverse="sech", values="1:0",
             printed=r"\operatorname{arsech}", bare="asech arcsech arsech argsech",
             systems="sympy maxima fricas"),
    Function("acsch", "4.37.7", derivative="-(1/(u**2*sqrt(1 + 1/u**2)))", definition="asinh(1/u)",
             branch=RADICAL_SLOPE, parity=ODD, inverse="csch", values="1:log(1+sqrt(2))",
             printed=r"\operatorname{arcsch}",
             bare="acsch arccsch arcsch argcsch arccosech arcosech", systems="sympy maxima fricas"),
)
