"""Error functions, Fresnel, exponential, logarithmic and elliptic integrals.

Fresnel integrals are normalised. Elliptic integrals take the parameter m = k^2.
"""

from __future__ import annotations

import math

from .record import COSTLY, ODD, PLANE, WORKER, Function, family

# Tables: a function takes a few lines.
# fmt: off
ERROR_FUNCTIONS = family(
    Function("erf", "7.2.1", derivative="2/sqrt(pi)*exp(-u**2)", parity=ODD, range=(-1.0, 1.0),
             steepest=2 / math.sqrt(math.pi), nears=(-1, 1), continuous=PLANE, cost=COSTLY,
             values="0:0", bare="erf",
             systems="sympy maxima fricas alkahest"),
    Function("erfc", "7.2.2", derivative="-2/sqrt(pi)*exp(-u**2)", definition="1 - erf(u)",
             range=(0.0, 2.0), nears=(0, 2), continuous=PLANE, cost=COSTLY, values="0:1",
             bare="erfc", systems="sympy maxima fricas=(1-erf({0})) alkahest"),
    Function("erfi", "7.2(i)", derivative="2/sqrt(pi)*exp(u**2)", parity=ODD, continuous=PLANE,
             cost=COSTLY, values="0:0", bare="erfi", systems="sympy maxima fricas"),
    Function("dawson", "7.2.5", derivative="1 - 2*u*dawson(u)",
             definition="sqrt(pi)/2*exp(-u**2)*erfi(u)", parity=ODD, continuous=PLANE, cost=WORKER,
             values="0:0", bare="dawson dawsonf daw"),
    Function("fresnel_s", "7.2.8", derivative="sin(pi*u*u/2)", parity=ODD, continuous=PLANE,
             cost=WORKER, values="0:0", printed=r"\operatorname{S}", called="fresnels FresnelS",
             systems="sympy=fresnels maxima fricas=fresnelS alkahest=fresnels"),
    Function("fresnel_c", "7.2.7", derivative="cos(pi*u*u/2)", parity=ODD, continuous=PLANE,
             cost=WORKER, values="0:0", printed=r"\operatorname{C}", called="fresnelc FresnelC",
             systems="sympy=fresnelc maxima fricas=fresnelC alkahest=fresnelc"),
)
EXPONENTIAL_INTEGRALS = family(
    Function("ei", "6.2.5", derivative="exp(u)/u", cost=WORKER, printed=r"\operatorname{Ei}",
             called="Ei ExpIntegralEi expintegralei",
             systems="sympy=Ei maxima=expintegral_ei fricas=Ei alkahest=Ei"),
    Function("expint", "8.19", (2, 2), "n u", "-expint(n - 1, u)", domain="u > 0", cost=WORKER,
             printed=r"\operatorname{E}", called="expint ExpIntegralE", ordered=True,
             systems="sympy maxima=expintegral_e"),
    Function("li", "6.2.8", derivative="1/log(u)", definition="Ei(log(u))", domain="u > 0",
             poles="1", cost=WORKER, called="li LogIntegral",
             systems="sympy maxima=expintegral_li fricas alkahest"),
    Function("li_offset", "6.2.8", derivative="1/log(u)", definition="li(u) - li(2)",
             domain="u > 0", poles="1", cost=WORKER, values="2:0", printed=r"\operatorname{Li}",
             systems="sympy=Li"),
    Function("si", "6.2.9", derivative="sin(u)/u", parity=ODD, continuous=PLANE, cost=WORKER,
             values="0:0", printed=r"\operatorname{Si}", called="Si SinIntegral",
             systems="sympy=Si maxima=expintegral_si fricas=Si alkahest=Si"),
    Function("ci", "6.2.11", derivative="cos(u)/u", domain="u > 0", cost=WORKER,
             printed=r"\operatorname{Ci}", called="Ci CosIntegral",
             systems="sympy=Ci maxima=expintegral_ci fricas=Ci alkahest=Ci"),
    Function("shi", "6.2.15", derivative="sinh(u)/u", parity=ODD, continuous=PLANE, cost=WORKER,
             values="0:0", printed=r"\operatorname{Shi}", called="shi Shi SinhIntegral",
             systems="sympy=Shi maxima=expintegral_shi fricas=Shi alkahest=Shi"),
    Function("chi", "6.2.16", derivative="cosh(u)/u", domain="u > 0", cost=WORKER,
             printed=r"\operatorname{Chi}", called="Chi CoshIntegral",
             systems="sympy=Chi maxima=expintegral_chi fricas=Chi alkahest=Chi"),
)
ELLIPTIC = family(
    Function("elliptic_f", "19.2.4", (2, 2), "u m", "1/sqrt(1 - m*sin(u)**2)", cost=WORKER,
             called="EllipticF",
             systems="sympy maxima fricas=ellipticF(sin({0}),{1}) alkahest=EllipticF"),
    Function("elliptic_e", "19.2.5", (2, 2), "u m", "sqrt(1 - m*sin(u)**2)", cost=WORKER,
             called="EllipticE",
             systems="sympy maxima fricas=ellipticE(sin({0}),{1}) alkahest=EllipticE"),
    Function("elliptic_k", "19.2.8",
             derivative="(elliptic_e(u) - (1 - u)*elliptic_k(u))/(2*u*(1 - u))", domain="u < 1",
             poles="1", cost=WORKER, values="0:pi/2", called="EllipticK",
             systems="sympy maxima=elliptic_kc fricas=ellipticK alkahest=EllipticK"),
    Function("elliptic_ec", "19.2.8", derivative="(elliptic_e(u) - elliptic_k(u))/(2*u)",
             domain="u <= 1", cost=WORKER, values="0:pi/2 1:1", printed=r"\operatorname{elliptice}",
             systems="sympy=elliptic_e maxima fricas=ellipticE alkahest=EllipticE"),
    Function("elliptic_pi", "19.2.7", (3, 3), "c u m",
             "1/((1 - c*sin(u)**2)*sqrt(1 - m*sin(u)**2))", cost=WORKER, called="EllipticPi",
             systems="sympy maxima fricas=ellipticPi(sin({1}),{0},{2}) alkahest=EllipticPi"),
    Function("elliptic_pic", "19.2.8", (2, 2), "c u",
             "(elliptic_e(u)/(u - 1) + elliptic_pi(c, u))/(2*(c - u))", domain="u < 1", cost=WORKER,
             printed=r"\operatorname{ellipticpi}", systems="sympy=elliptic_pi"),
)
