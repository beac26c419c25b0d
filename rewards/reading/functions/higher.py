"""Gamma functions, zeta functions, Bessel functions, orthogonal polynomials and their like."""

from __future__ import annotations

from .record import COSTLY, ELEMENTARY, WORKER, Function, family

PAIR = (2, 2)

# Tables: a function takes a few lines.
# fmt: off
FACTORIALS = family(
    Function("factorial", "5.2(i)", derivative="gamma(u + 1)*digamma(u + 1)",
             definition="gamma(u + 1)", poles="-1 - k", cost=COSTLY, values="0:1 4:24",
             printed="#1!", bare="fact factorial", systems="sympy maxima fricas"),
    Function("double_factorial", "5.4.2", cost=ELEMENTARY, values="-1:1 0:1 5:15 6:48",
             printed="#1!!", systems="sympy=factorial2 maxima"),
    Function("binomial", "1.2(i)", PAIR, "u k",
             "binomial(u, k)*(digamma(u + 1) - digamma(u - k + 1))",
             "gamma(u + 1)/(gamma(k + 1)*gamma(u - k + 1))", cost=COSTLY, printed=r"\binom{#1}{#2}",
             called="binomial", systems="sympy maxima fricas"),
)
GAMMA = family(
    Function("gamma", "5.2.1", derivative="gamma(u)*digamma(u)", poles="-k", cost=COSTLY,
             values="1:1 5:24 1/2:sqrt(pi)", printed=r"\Gamma",
             systems="sympy maxima fricas=Gamma alkahest"),
    Function("lgamma", "5.2(i)", derivative="digamma(u)", domain="u > 0", poles="-k", cost=WORKER,
             values="1:0 2:0", called="lgamma loggamma LogGamma",
             systems="sympy=loggamma maxima=log_gamma"),
    Function("digamma", "5.2.2", derivative="polygamma(1, u)", poles="-k", cost=WORKER,
             values="1:-EulerGamma", printed=r"\psi", called="digamma",
             systems="sympy maxima=psi[0]({0}) fricas alkahest"),
    Function("polygamma", "5.15", PAIR, "n u", "polygamma(n + 1, u)", domain="u > 0", cost=WORKER,
             poles="-k", printed=r"\psi^{(#1)}\left(#2\right)", called="polygamma PolyGamma",
             ordered=True, systems="sympy maxima=psi[{0}]({1}) fricas"),
    Function("gamma_upper", "8.2.2", PAIR, "s u", "-u**(s - 1)*exp(-u)", domain="u > 0",
             cost=WORKER, printed=r"\Gamma",
             systems="sympy=uppergamma maxima=gamma_incomplete fricas=Gamma"),
    Function("gamma_lower", "8.2.1", PAIR, "s u", "u**(s - 1)*exp(-u)",
             "gamma(s) - uppergamma(s, u)", "u > 0", cost=WORKER,
             printed=r"\operatorname{lowergamma}", called="lowergamma",
             systems="sympy=lowergamma maxima=gamma_incomplete_lower"),
    Function("beta", "5.12.1", PAIR, "u b", "beta(u, b)*(digamma(u) - digamma(u + b))",
             "gamma(u)*gamma(b)/gamma(u + b)", poles="-k", cost=WORKER,
             printed="B", systems="sympy maxima fricas=Beta"),
    Function("beta_lower", "8.17.1", (3, 3), "a b u", "u**(a - 1)*(1 - u)**(b - 1)",
             domain="0 <= u and u <= 1", cost=WORKER, printed=r"B_{#3}\left(#1, #2\right)",
             systems="maxima=beta_incomplete"),
)
ZETA = family(
    Function("zeta", "25.2.1", (1, 2), "s u", "-s*zeta(s + 1, u)", domain="u > 0", cost=WORKER,
             poles="-k", values="2:pi**2/6", printed=r"\zeta", systems="sympy maxima=zeta({0})"),
    Function("polylog", "25.12.10", PAIR, "s u", "polylog(s - 1, u)/u", domain="u <= 1",
             cost=WORKER, printed=r"\operatorname{Li}", called="polylog PolyLog", ordered=True,
             systems="sympy maxima=li[{0}]({1}) fricas"),
    Function("lerch_phi", "25.14.1", (3, 3), "u s a",
             "(lerchphi(u, s - 1, a) - a*lerchphi(u, s, a))/u", domain="u < 1", cost=WORKER,
             printed=r"\operatorname{LerchPhi}", called="lerchphi LerchPhi",
             systems="sympy=lerchphi"),
    Function("lambertw", "4.13", (1, 2), derivative="LambertW(u)/(u*(1 + LambertW(u)))",
             domain="u >= -exp(-1)", cost=WORKER, values="0:0 E:1",
             printed=r"\operatorname{LambertW}", called="lambertw LambertW ProductLog",
             systems="sympy=LambertW maxima=lambert_w fricas=lambertW({0}) alkahest=lambert_w"),
    Function("hypgeom", "16.2.1", (3, None), "p q u", cost=WORKER),
)
BESSEL = family(
    Function("bessel_j", "10.2.2", PAIR, "n u", "(besselj(n - 1, u) - besselj(n + 1, u))/2",
             domain="u > 0", oscillates=True, cost=WORKER, printed="J", called="besselj BesselJ",
             ordered=True, systems="sympy=besselj maxima fricas=besselJ"),
    Function("bessel_y", "10.2.3", PAIR, "n u", "(bessely(n - 1, u) - bessely(n + 1, u))/2",
             domain="u > 0", oscillates=True, cost=WORKER, printed="Y", called="bessely BesselY",
             ordered=True, systems="sympy=bessely maxima fricas=besselY"),
    Function("bessel_i", "10.25.2", PAIR, "n u", "(besseli(n - 1, u) + besseli(n + 1, u))/2",
             domain="u > 0", cost=WORKER, printed="I", called="besseli BesselI", ordered=True,
             systems="sympy=besseli maxima fricas=besselI"),
    Function("bessel_k", "10.25.3", PAIR, "n u", "-(besselk(n - 1, u) + besselk(n + 1, u))/2",
             domain="u > 0", cost=WORKER, printed="K", called="besselk BesselK", ordered=True,
             systems="sympy=besselk maxima fricas=besselK"),
    Function("airy_ai", "9.2", derivative="airyaiprime(u)", cost=WORKER,
             printed=r"\operatorname{Ai}", called="airyai Ai",
             systems="sympy=airyai maxima fricas=airyAi"),
    Function("airy_bi", "9.2", derivative="airybiprime(u)", cost=WORKER,
             printed=r"\operatorname{Bi}", called="airybi Bi",
             systems="sympy=airybi maxima fricas=airyBi"),
    Function("airy_ai_prime", "9.2", derivative="u*airyai(u)", cost=WORKER, called="airyaiprime",
             systems="sympy=airyaiprime"),
    Function("airy_bi_prime", "9.2", derivative="u*airybi(u)", cost=WORKER, called="airybiprime",
             systems="sympy=airybiprime"),
)
ORTHOGONAL = family(
    Function("legendre_p", "18.3", PAIR, "n u",
             "n*(u*legendre(n, u) - legendre(n - 1, u))/(u*u - 1)", domain="u > -1", cost=WORKER,
             printed="P", called="legendre", ordered=True, systems="sympy=legendre"),
    Function("chebyshev_t", "18.3", PAIR, "n u", "n*chebyshevu(n - 1, u)", domain="u > -1",
             cost=WORKER, printed="T", called="chebyshevt", ordered=True,
             systems="sympy=chebyshevt"),
    Function("chebyshev_u", "18.3", PAIR, "n u",
             "((n + 1)*chebyshevt(n + 1, u) - u*chebyshevu(n, u))/(u*u - 1)", domain="u > -1",
             cost=WORKER, printed="U", called="chebyshevu", ordered=True,
             systems="sympy=chebyshevu"),
    Function("hermite_h", "18.3", PAIR, "n u", "2*n*hermite(n - 1, u)", cost=WORKER, printed="H",
             called="hermite", ordered=True, systems="sympy=hermite"),
    Function("laguerre_l", "18.3", PAIR, "n u", "n*(laguerre(n, u) - laguerre(n - 1, u))/u",
             cost=WORKER, printed="L", called="laguerre", ordered=True, systems="sympy=laguerre"),
)
