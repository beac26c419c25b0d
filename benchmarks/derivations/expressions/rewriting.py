"""Rewriting of expressions: substitute, expand, differentiate, integrate.

Substitution finds parts of sums, products and powers, as SymPy's ``subs`` does: x + y in x + y + z,
x y in 2 x y, x^2 in x^4. Integration is by a table, linearity, substitution and parts. This decides
the integrals that occur in derivations, with bounded work and no time limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from itertools import product
from math import prod

from ....rewards.expression.traversal import nodes_of
from ....rewards.expression.tree import Expression, Number, Symbol
from .terms import (
    MINUS_ONE,
    ONE,
    ZERO,
    Rational,
    add,
    apply,
    base_and_exponent,
    coefficient,
    cos,
    derivative,
    divide,
    exp,
    factors_of,
    free,
    has,
    has_applied,
    integral,
    is_applied,
    is_negative,
    is_whole,
    log,
    mul,
    name_of,
    negative,
    number,
    power,
    rebuild,
    sin,
    symbol,
    terms_of,
)


class BoundVariableError(ValueError):
    """A substitution of a formula for the variable of a derivative or an integral."""


class CasesError(ValueError):
    """An integral that needs a case distinction, as that of x^n does at n = -1."""


#: The most terms of an expansion.
MAX_TERMS = 200
#: The most substitutions and integrations by parts for one integral.
MAX_DEPTH = 3


# --- substitution ---


def substitute(term: Expression, old: Expression, new: Expression) -> Expression:
    """``term`` with ``new`` for ``old``; raises `BoundVariableError`."""
    if term == old:
        return new
    if not term.args:
        return term
    bound = term.args[1:] if term.function in ("derivative", "integral") else ()
    if old in bound and not isinstance(new, Symbol):
        raise BoundVariableError("a formula for a bound variable")
    if term.function == "integral" and not _reaches_into(term, old, new):
        return term
    part = _PARTS.get(term.function)
    changed = part(term, old, new) if part else None
    if changed is not None:
        return changed
    args = tuple([substitute(arg, old, new) for arg in term.args])
    return rebuild(term, args)


def _reaches_into(term: Expression, old: Expression, new: Expression) -> bool:
    """Whether SymPy substitutes in the integrand: it does not for formulas in its variable."""
    variables = {name_of(variable) for variable in term.args[1:]}
    if is_applied(old):
        if not variables & free(new) <= free(old):
            raise BoundVariableError("a variable would be captured")
        return True
    return old.function == "symbol" or not variables & free(old)


def _in_sum(term: Expression, old: Expression, new: Expression) -> Expression | None:
    if old.function != "add":
        return None
    mine = set(term.args)
    for sign, wanted in ((ONE, old), (MINUS_ONE, negative(old))):
        parts = set(terms_of(wanted))
        numbers = {part for part in parts if part.function == "number"}
        core = parts - numbers
        if len(core) > 1 and core <= mine:
            rest = [substitute(one, old, new) for one in term.args if one not in core]
            return add(mul(sign, new), *rest, *map(negative, numbers))
    return None


def _in_product(term: Expression, old: Expression, new: Expression) -> Expression | None:
    if old.function != "mul":
        return None
    value, mine = _powers(term)
    wanted_value, wanted = _powers(old)
    times = min((_times(mine.get(key), e) for key, e in wanted.items()), default=0)
    if times < 1 or wanted_value not in (1, value) or (wanted_value != 1 and times > 1):
        return None
    rest = [
        power(base, mul(number(e - times * wanted.get((base, kind), 0)), kind))
        for (base, kind), e in mine.items()
    ]
    left = mul(number(value if wanted_value == 1 else 1), *rest)
    return mul(substitute(left, old, new), power(new, number(times)))


def _powers(term: Expression) -> tuple[Rational, dict[tuple[Expression, Expression], Rational]]:
    value, core = coefficient(term)
    powers: dict[tuple[Expression, Expression], Rational] = {}
    for factor in factors_of(core):
        base, exponent = base_and_exponent(factor)
        times, kind = coefficient(exponent)
        powers[base, kind] = times
    return value, powers


def _times(exponent: Rational | None, wanted: Rational) -> int:
    """How often an exponent contains another of the same sign."""
    if not exponent or (exponent > 0) != (wanted > 0):
        return 0
    return int(exponent / wanted)


def _in_power(term: Expression, old: Expression, new: Expression) -> Expression | None:
    base, exponent = base_and_exponent(term)
    old_base, old_exponent = base_and_exponent(old)
    if base != old_base or old.function not in ("pow", "exp"):
        return None
    (e, kind), (f, old_kind) = coefficient(exponent), coefficient(old_exponent)
    ratio = e / f if kind == old_kind and e % f == 0 else 0
    return power(new, number(int(ratio))) if ratio else None


_PARTS: dict[str, Callable[[Expression, Expression, Expression], Expression | None]] = {
    "add": _in_sum,
    "mul": _in_product,
    "pow": _in_power,
    "exp": _in_power,
}
#: Functions of which a part is found where no node equals it.
COMPOSED = frozenset(_PARTS)


def rename(term: Expression, names: Mapping[str, str]) -> Expression:
    """``term`` with other names of symbols and functions; names not in ``names`` stay."""
    if isinstance(term, Symbol):
        return symbol(names.get(term.name, term.name))
    args = tuple([rename(arg, names) for arg in term.args])
    if is_applied(term):
        return apply(names.get(term.function, term.function), args)
    return rebuild(term, args)


# --- expansion ---


def expand(term: Expression) -> Expression:
    """``term`` with products and integer powers of sums expanded, and e^(x + y) as e^x e^y."""
    if not term.args:
        return term
    if term.function == "derivative":
        return rebuild(term, (expand(term.args[0]), *term.args[1:]))
    if term.function == "integral":
        parts = terms_of(expand(term.args[0]))
        return add(*(integral(part, *term.args[1:]) for part in parts))
    term = rebuild(term, tuple(map(expand, term.args)))
    if term.function == "exp" and term.args[0].function == "add":
        return mul(*map(exp, term.args[0].args))
    if term.function == "pow":
        return _expanded_power(term)
    if term.function == "mul":
        return _expanded_product(term.args)
    if term.function == "ln" and term.args[0].function == "mul":
        value, rest = coefficient(term.args[0])
        return add(log(number(value)), log(rest)) if value > 0 and value != 1 else term
    return term


def _expanded_power(term: Expression) -> Expression:
    base, exponent = term.args
    value, rest = coefficient(base)
    if value > 0 and value != 1 and rest is not ONE:
        return mul(power(number(value), exponent), power(rest, exponent))
    if exponent.function == "add" and base.function == "number":
        return mul(*(power(base, part) for part in exponent.args))
    if base.function == "add" and isinstance(exponent, Number) and exponent.denominator == 1:
        times = abs(exponent.numerator)
        if times > 1 and len(base.args) ** times <= MAX_TERMS:
            whole = _expanded_product((base,) * times)
            return whole if exponent.numerator > 0 else power(whole, MINUS_ONE)
    return term


def _expanded_product(factors: tuple[Expression, ...]) -> Expression:
    below = [f for f in factors if f.function == "pow" and base_and_exponent(f)[1] == MINUS_ONE]
    if len(below) > 1:  # 1/(x (x + 1)) is stored as 1/x 1/(x + 1)
        product_ = _expanded_product(tuple(power(f, MINUS_ONE) for f in below))
        rest = [f for f in factors if f not in below]
        return _expanded_product((*rest, power(product_, MINUS_ONE)))
    sums = [terms_of(factor) for factor in factors]
    count = prod(map(len, sums))
    if count == 1 or count > MAX_TERMS:
        return mul(*factors)
    return add(*(expand(mul(*choice)) for choice in product(*sums)))


# --- differentiation ---


def differentiate(term: Expression, x: Expression) -> Expression:
    """The derivative of an expression in the symbol x, as SymPy writes it."""
    if term == x:
        return ONE
    if name_of(x) not in free(term):
        return ZERO
    head, args = term.function, term.args
    if head == "add":
        return add(*(differentiate(arg, x) for arg in args))
    if head == "mul":
        return add(
            *(mul(*args[:i], differentiate(arg, x), *args[i + 1 :]) for i, arg in enumerate(args))
        )
    if head == "pow":
        base, exponent = args
        of_base, of_exponent = differentiate(base, x), differentiate(exponent, x)
        slope = divide(mul(exponent, of_base), base)
        if of_exponent != ZERO:
            slope = add(mul(of_exponent, log(base)), slope)
        return mul(term, slope)
    if head in _SLOPES:
        return mul(differentiate(args[0], x), _SLOPES[head](args[0]))
    if head == "integral" and args[-1] == x:
        return integral(*args[:-1])
    if head == "integral" and x not in args[1:]:
        return integral(differentiate(args[0], x), *args[1:])
    if head == "derivative" and (inner := evaluated(term)) != term:
        return differentiate(inner, x)
    return derivative(term, x)


_SLOPES: dict[str, Callable[[Expression], Expression]] = {
    "exp": exp,
    "ln": lambda u: power(u, MINUS_ONE),
    "sin": cos,
    "cos": lambda u: negative(sin(u)),
}


def evaluated(term: Expression) -> Expression:
    """``term`` with its derivatives evaluated where possible."""
    if not term.args:
        return term
    term = rebuild(term, tuple(map(evaluated, term.args)))
    if term.function == "derivative":
        return reduce(differentiate, term.args)
    return term


def evaluate_derivatives(term: Expression) -> Expression:
    """``term`` with derivatives without integrals evaluated, where `substitute` finds them."""
    for node in tuple(dict.fromkeys(nodes_of(term))):
        if node.function == "derivative" and not has(node, "integral"):
            term = substitute(term, node, evaluated(node))
    return term


# --- integration ---


@lru_cache(maxsize=4096)
def antiderivative(term: Expression, x: Expression) -> Expression | None:
    """An antiderivative of a term with respect to the symbol x, or None if none is found.

    Raises:
        CasesError: if it needs a case distinction.

    """
    term = evaluated(term)
    if has(term, "integral"):
        return None
    result = _antiderivative(term, x, MAX_DEPTH)
    if result is None:
        expanded = expand(term)
        if expanded != term:
            result = _antiderivative(expanded, x, MAX_DEPTH)
    return result


def _antiderivative(term: Expression, x: Expression, depth: int) -> Expression | None:
    if name_of(x) not in free(term):
        return mul(term, x)
    if term.function == "add":
        parts = [_antiderivative(part, x, depth) for part in term.args]
        return None if None in parts else add(*parts)  # type: ignore[arg-type]
    constant = [factor for factor in factors_of(term) if name_of(x) not in free(factor)]
    if constant:
        varying = [factor for factor in factors_of(term) if name_of(x) in free(factor)]
        result = _antiderivative(mul(*varying), x, depth)
        if result is None:
            return None
        return add(*(mul(*constant, part) for part in terms_of(result)))
    result = _by_table(term, x)
    if result is None and depth:
        result = _by_substitution(term, x, depth) or _by_parts(term, x, depth)
    return result


def _slope(term: Expression, x: Expression) -> Expression | None:
    """``a`` if the term is a x + b with a free of x."""
    slope = differentiate(term, x)
    return slope if slope != ZERO and name_of(x) not in free(slope) else None


def _needs_cases(slope: Expression) -> None:
    """Raise `CasesError` for a slope that may be zero, for which SymPy distinguishes cases."""
    if free(slope):
        raise CasesError("the coefficient may vanish")


def _by_table(term: Expression, x: Expression) -> Expression | None:
    head = term.function
    if head == "derivative":
        inner, *variables = term.args
        if x in variables:
            variables.remove(x)
            return derivative(inner, *variables)
        return None
    if head not in ("symbol", "pow", "exp", "ln", "sin", "cos"):
        return None
    base, exponent = base_and_exponent(term)
    if head in ("symbol", "pow") and name_of(x) not in free(exponent):
        slope = _slope(base, x)
        if slope is None:
            return None
        if exponent == MINUS_ONE:
            return divide(log(base), slope)
        if exponent.function != "number":
            raise CasesError("the exponent may be -1")
        raised = add(exponent, ONE)
        if base == x:
            return divide(power(base, raised), raised)
        return divide(power(base, raised), mul(raised, slope))
    if head == "pow" and name_of(x) not in free(base) and _slope(exponent, x) is not None:
        raise CasesError("the logarithm of the base may vanish")
    if head not in ("exp", "ln", "sin", "cos"):
        return None
    inner = term.args[0]
    slope = _slope(inner, x)
    if slope is None:
        return None
    if head == "ln":
        # log(a x + b): (x + b/a) log(a x + b) - x, in separate terms.
        shift = divide(substitute(inner, x, ZERO), slope)
        return add(mul(x, term), mul(shift, term), negative(x))
    _needs_cases(slope)
    made = {"exp": exp, "sin": lambda u: negative(cos(u)), "cos": sin}[head](inner)
    return divide(made, slope)


def _by_substitution(term: Expression, x: Expression, depth: int) -> Expression | None:
    """Substitute u for a function in the integrand whose derivative is a factor."""
    new = symbol(f"\0{depth}")  # a new variable for each substitution
    tried: set[Expression] = set()
    for node in nodes_of(term):
        if node in tried or node == x or node.function in ("number", "symbol", "add", "mul"):
            candidates = [node] if node.function == "add" else []
        else:
            candidates = [node, *node.args[:1]]
        tried.add(node)
        for u in candidates:
            if name_of(x) not in free(u) or u in (x, term) or u.function == "derivative":
                continue
            rest = divide(term, differentiate(u, x))
            try:
                rest = substitute(rest, u, new)
            except BoundVariableError:
                continue
            if name_of(x) in free(rest):
                continue
            result = _antiderivative(rest, new, depth - 1)
            if result is not None:
                return substitute(result, new, u)
    return None


def _by_parts(term: Expression, x: Expression, depth: int) -> Expression | None:
    """Integrate a power of x or of a logarithm times what the table has, by parts."""
    factors = factors_of(term)
    for i, factor in enumerate(factors):
        base, exponent = base_and_exponent(factor)
        whole = is_whole(exponent) and not is_negative(exponent)
        rest = mul(*factors[:i], *factors[i + 1 :])
        polynomial = base == x and whole and has(rest, "exp", "sin", "cos") and not has(rest, "ln")
        logarithm = base.function == "ln" and whole and not has(rest, "ln", "exp", "sin", "cos")
        if not polynomial and (not logarithm or has_applied(rest)):
            continue
        inner = _antiderivative(rest, x, 0) if rest != ONE else x
        if inner is None:
            return None
        remaining = _antiderivative(expand(mul(differentiate(factor, x), inner)), x, depth - 1)
        if remaining is None:
            return None
        return add(mul(factor, inner), negative(remaining))
    return None
