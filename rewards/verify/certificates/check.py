"""An independent checker of certificates, which uses no reader, no prover and no python-flint.

There are two kinds of certificates.

An ``identity`` shows that F' - f is zero. F and f are rational functions of generators: symbols,
exponentials, sines, cosines, logarithms, arc tangents, roots and other functions. A certificate may
distinguish cases, such as the two signs of u in ``|u|``. In each case, the checker verifies two
statements. First, the derivatives of the generators obey the rules of differentiation. The checker
has no rules for the other functions, and trusts the derivatives that the certificate states for
them. Second, the numerator of F' - f is a sum of multiples of relations, plus a remainder. A
relation is a polynomial in generators whose value is zero. For a sine s and a cosine c, an example
is s^2 + c^2 - 1. The coefficients of the remainder must be numbers whose intervals contain zero.
The checker does not verify that the coefficients are exactly zero. The checker verifies neither
that the cases cover all points, nor that the generators are the functions in F and f. A human
reader can check both from the generators' stated meanings.

A logarithm ln|u| has the derivative u'/u for real u only. A u with the number i is therefore
refused. The checker treats the roots and logarithms that occur in f as real, because F' and f are
compared only where they are real. If u contains functions that may be complex, the checker trusts
the stated derivative of ln|u|.

A ``witness`` is a point at which F' and f differ. The certificate states bounds of F' and of f at
this point. The two pairs of bounds must be disjoint. mpmath also computes an interval for F' and an
interval for f (`intervals`). These intervals must be disjoint, and each must meet the stated
bounds. If mpmath lacks a function or enough precision, only the bounds are checked.
"""

from __future__ import annotations

from fractions import Fraction as Q
from typing import Any

from .intervals import MAX_BITS, UnknownError, interval, jet

Powers = tuple[tuple[int, int], ...]
Poly = dict[Powers, Q]
Ratio = tuple[Poly, Poly]
UNIT: Poly = {(): Q(1)}
#: Generators that are real for real arguments, and those that are not.
REAL = frozenset(
    (
        "variable",
        "symbol",
        "pi",
        "euler_gamma",
        "catalan",
        "exp",
        "sin",
        "cos",
        "ln_abs",
        "atan",
        "asinh",
        "root",
        "odd root",
        "base",
        "erf",
        "erfi",
        "si",
        "shi",
        "fresnel_s",
        "fresnel_c",
    )
)
UNREAL = frozenset(("i", "either root"))
#: Generators that are real where they occur in f, unless their arguments hold unreal numbers.
REAL_IN_F = frozenset(("even root", "ln", "asin", "acosh", "atanh", "exp"))


class CertificateError(ValueError):
    """The certificate does not prove its statement. The message names the part that fails."""


def check(certificate: dict[str, Any]) -> list[str]:
    """Check a certificate. Return the names of the facts that the check takes on trust.

    Examples of such facts are the derivatives of some functions, and the bounds of a witness. The
    function `rewards.certify` makes certificates. If the certificate is not valid,
    `CertificateError` is raised.
    """
    try:
        if certificate["kind"] == "witness":
            return _witness(certificate)
        if certificate["kind"] != "identity" or not certificate["cases"]:
            raise CertificateError("kind must be witness, or identity with cases")
        return sorted({name for case in certificate["cases"] for name in _identity(case)})
    except (LookupError, TypeError, ArithmeticError, AttributeError) as error:
        raise CertificateError(f"malformed: {type(error).__name__}: {error}") from error


def _poly(rows: list[Any]) -> Poly:
    """Read a polynomial. Each product of powers has one coefficient, and each generator one power.

    A human reader could otherwise understand another polynomial than the checker.
    """
    poly: Poly = {}
    for c, powers in rows:
        product = tuple((g, e) for g, e in powers)
        generators = [g for g, _ in product]
        whole = all(type(number) is int for power in product for number in power)
        if not (isinstance(c, str) and whole and generators == sorted({*generators})):
            raise CertificateError("a polynomial that is not written in order")
        if product in poly or any(g < 0 for g in generators):
            raise CertificateError("a polynomial with a term twice, or an unknown generator")
        poly[product] = Q(c)
    return {product: c for product, c in poly.items() if c}


def _ratio(row: list[Any]) -> Ratio:
    if den := _poly(row[1]):
        return _poly(row[0]), den
    raise CertificateError("a denominator is zero")


def _add(a: dict[Any, Any], b: dict[Any, Any], c: int = 1) -> dict[Any, Any]:
    """Compute a + c b for two polynomials, or for the exponents of two products of powers."""
    total = dict(a)
    for key, value in b.items():
        total[key] = total.get(key, 0) + c * value
    return {key: value for key, value in total.items() if value}


def _shift(a: Powers, b: Powers, sign: int = 1) -> Powers:
    return tuple(sorted(_add(dict(a), dict(b), sign).items()))


def _mul(a: Poly, b: Poly) -> Poly:
    total: Poly = {}
    for p, c in a.items():
        for q, d in b.items():
            powers = _shift(p, q)
            total[powers] = total.get(powers, Q(0)) + c * d
    return {powers: c for powers, c in total.items() if c}


def _times(a: Ratio, b: Ratio) -> Ratio:
    return _mul(a[0], b[0]), _mul(a[1], b[1])


def _total(summands: list[Ratio]) -> Ratio:
    num, den = Poly(), UNIT
    for a, b in summands:
        num, den = _add(_mul(num, b), _mul(a, den)), _mul(den, b)
    return num, den


def _partial(p: Poly, g: int) -> Poly:
    return {_shift(m, ((g, 1),), -1): c * dict(m)[g] for m, c in p.items() if g in dict(m)}


def _derivative(r: Ratio, slopes: list[Any]) -> list[Ratio]:
    """The summands of the derivative of a fraction, at most one for each symbol or function."""
    num, den = r
    summands = []
    for g in sorted({g for p in r for powers in p for g, _ in powers}):
        upper, lower = _partial(num, g), _partial(den, g)
        top = _add(_mul(upper, den), _mul(num, lower), -1) if lower else upper
        summands.append(_times((top, _mul(den, den) if lower else den), slopes[g]))
    return [s for s in summands if s[0]]


def _leading(p: Poly) -> Powers:
    return max(p, key=lambda powers: [(-g, e) for g, e in powers])  # in lexicographic order


def _quotient(a: Poly, b: Poly) -> Poly:
    """Divide a by b, which must divide a. Leading terms are divided repeatedly."""
    lead, quotient = _leading(b), Poly()
    while a:
        top = _leading(a)
        powers = _shift(top, lead, -1)
        if any(e < 0 for _, e in powers):
            raise CertificateError("the denominator is no common one")
        term = {powers: a[top] / b[lead]}
        quotient, a = _add(quotient, term), _add(a, _mul(term, b), -1)
    return quotient


def _identity(case: dict[str, Any]) -> set[str]:
    # First, the stated derivatives: a generator with a rule must obey the rule, and the derivative
    # of a relation must be zero. Derivatives without a rule are taken on trust.
    generators, stated = case["generators"], set()
    slopes = [_ratio(g["derivative"]) if g["derivative"] else None for g in generators]
    relations = [_relation(i, generators) for i in range(len(generators))]
    for i, (slope, relation) in enumerate(zip(slopes, relations, strict=True)):
        if slope:
            rule = _rule(i, generators, slopes)
            if (relation and _total(_derivative((relation, UNIT), slopes))[0]) or (
                rule and _mul(slope[0], rule[1]) != _mul(rule[0], slope[1])
            ):
                raise CertificateError(f"the derivative of generator {i} breaks its rule")
            stated |= set() if rule else {generators[i]["function"]}
    denominator, f = _poly(case["denominator"]), _ratio(case["integrand"])
    # Second, ln|u| has the derivative u'/u for a real u only.
    in_f = {g for p in f for m in p for g, _ in m if generators[g]["function"] in REAL_IN_F}
    in_f -= {g for g in in_f if _functions(generators[g], generators, set()) & UNREAL}
    for i in (i for i, g in enumerate(generators) if slopes[i] and g["function"] == "ln_abs"):
        inner = _functions(generators[i], generators, in_f)
        if inner & UNREAL:
            raise CertificateError(f"generator {i} is ln|u| of a u that is not real")
        stated |= set() if inner <= REAL else {"ln_abs"}
    # Third, F' - f over the common denominator, minus the multiples of relations, is the remainder.
    summands = [s for term in case["terms"] for s in _derivative(_ratio(term), slopes)]
    total = _mul(_mul(f[0], {(): Q(-1)}), _quotient(denominator, f[1]))
    for num, den in summands:
        total = _add(total, _mul(num, _quotient(denominator, den)))
    for relation, cofactor in zip(filter(None, relations), case["cofactors"], strict=True):
        total = _add(total, _mul(relation, _poly(cofactor)), -1)
    remainder = _poly(case.get("remainder", []))
    if _add(total, remainder, -1) or not denominator:
        raise CertificateError("F' - f is not the sum of cofactors times relations")
    return stated | _zeros(remainder, generators)


def _zeros(remainder: Poly, generators: list[Any]) -> set[str]:
    """Check that the coefficients of a remainder are numbers whose intervals contain zero.

    The remainder is a sum of products of generators that are not constant. The coefficients are
    polynomials in the constant generators. An interval around zero does not prove that a
    coefficient is zero. If there is a remainder, the result is therefore {"constants"}: the check
    takes on trust that these coefficients are zero.
    """
    numbers = {
        i
        for i, g in enumerate(generators)
        if not ({g["function"]} | _functions(g, generators, set())) & {"variable", "symbol"}
    }
    by_core: dict[Powers, Poly] = {}
    for powers, c in remainder.items():
        core = tuple(e for e in powers if e[0] not in numbers)
        by_core.setdefault(core, {})[tuple(e for e in powers if e[0] in numbers)] = c
    for coefficient in by_core.values():
        try:
            value = jet(_tree(coefficient, generators), "x", {})[0]
        except UnknownError:  # with i, say
            continue
        if value > 0 or value < 0:
            raise CertificateError("a coefficient of the remainder is not zero")
    return {"constants"} if remainder else set()


def _tree(poly: Poly, generators: list[Any]) -> Any:
    """Convert a polynomial in constants (generators) to an expression."""
    return [
        "add",
        "0",
        *(
            ["mul", str(c), *(["pow", _number(generators[g], generators), str(e)] for g, e in m)]
            for m, c in poly.items()
        ),
    ]


def _number(g: dict[str, Any], generators: list[Any]) -> Any:
    name, args = g["function"], [_ratio(arg) for arg in g["args"]]
    if not args:
        return [name]
    num, den = (_tree(p, generators) for p in args[0])
    quotient = ["div", num, den]
    if "root" in name:
        return ["mul", den, ["pow", quotient, g["unit"]]]
    return [name, quotient if name in ("ln", "atan") else ["mul", g["unit"], quotient]]


def _functions(g: dict[str, Any], generators: list[Any], real: set[int]) -> set[str]:
    """The names of the functions inside a generator. Generators in ``real`` are skipped."""
    inner = {h for arg in g["args"] for p in _ratio(arg) for m in p for h, _ in m} - real
    names = {generators[h]["function"] for h in inner}
    return names.union(*(_functions(generators[h], generators, real) for h in inner))


def _partner(i: int, generators: list[Any]) -> int:
    """The number of the cosine of a sine's argument, or of the sine of a cosine's argument."""
    partner = int(generators[i]["partner"])
    pair = generators[i], generators[partner]
    if {g["function"] for g in pair} != {"sin", "cos"}:
        raise CertificateError(f"generator {i} has no sine or cosine as a partner")
    if any(pair[0][key] != pair[1][key] for key in ("args", "unit")):
        raise CertificateError(f"generator {i} has another argument than its partner")
    return partner


def _relation(i: int, generators: list[Any]) -> Poly:
    """The polynomial that is zero by the definition of a generator, such as s^2 + c^2 - 1.

    Its leading term is a power of the generator. The result is empty if there is none.
    """
    g = generators[i]
    name = g["function"]
    if name == "i":
        return {((i, 2),): Q(1), (): Q(1)}
    if name == "sin":
        return {((i, 2),): Q(1), ((_partner(i, generators), 2),): Q(1), (): Q(-1)}
    if name not in ("root", "even root", "odd root", "either root", "base"):
        return {}
    order, (num, den) = 1 / Q(g["unit"]), _ratio(g["args"][0])
    if (
        order.denominator != 1
        or order < 1
        or any(h >= i for p in (num, den) for m in p for h, _ in m)
    ):
        raise CertificateError(f"generator {i} is no root")
    for _ in range(int(order) - 1):
        num = _mul(num, den)
    return _add({((i, int(order)),): Q(1)}, num, -1)


def _rule(i: int, generators: list[Any], slopes: list[Any]) -> Ratio | None:
    """The derivative of a generator (a function) by the rule of the function, if there is one."""
    g = generators[i]
    name, unit, args = g["function"], Q(g["unit"]), [_ratio(arg) for arg in g["args"]]
    if name == "variable":
        return UNIT, UNIT
    if not any(_derivative(arg, slopes) for arg in args):
        return {}, UNIT
    if name != "sin" and _relation(i, generators):
        return tuple(slopes[i])  # algebraic: the relation determines the derivative
    u, inner = args[0], _total(_derivative(args[0], slopes))
    if name in ("exp", "sin", "cos"):
        partner = i if name == "exp" else _partner(i, generators)
        return _times(({((partner, 1),): -unit if name == "cos" else unit}, UNIT), inner)
    if name in ("ln", "ln_abs"):
        return _times((u[1], u[0]), inner)
    if name in ("atan", "atanh"):
        square, sign = _mul(u[1], u[1]), 1 if name == "atan" else -1
        return _times((square, _add(square, _mul(u[0], u[0]), sign)), inner)
    return None


def _witness(data: dict[str, Any]) -> list[str]:
    slopes, values = ([(Q(a), Q(b)) for a, b in data[name]] for name in ("derivative", "f"))
    if not any(a[1] < b[0] or b[1] < a[0] for a, b in zip(slopes, values, strict=True)):
        raise CertificateError("the bounds of F' and f are not apart")
    point = {name: Q(value) for name, value in data["point"].items()}
    try:
        if int(data["bits"]) > MAX_BITS:
            raise UnknownError
        slope = jet(data["answer"], data["variable"], point)[1]
        value = jet(data["integrand"], data["variable"], point)[0]
    except UnknownError:
        return ["derivative", "f"]
    if not (slope < value or value < slope):
        raise CertificateError("F' and f are not seen to differ")
    for enclosed, stated in ((slope, interval(*slopes[0])), (value, interval(*values[0]))):
        if enclosed < stated or stated < enclosed:
            raise CertificateError("stated bounds are not those of the expressions")
    return []
