"""Rewriting of expressions: substitute, expand, differentiate, integrate.

Substitution finds parts of sums, products and powers, as SymPy's ``subs`` does: x + y in x + y + z,
x y in 2 x y, x^2 in x^4. Integration is by a table, linearity, substitution and parts. This decides
the integrals that occur in derivations, with bounded work and no time limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import product

from .printing import plain
from .terms import (
    ADD,
    APPLY,
    COS,
    DERIVATIVE,
    EXP,
    INTEGRAL,
    LOG,
    MINUS_ONE,
    MUL,
    NUMBER,
    ONE,
    POW,
    SIN,
    SYMBOL,
    ZERO,
    Rational,
    Term,
    add,
    apply,
    base_and_exponent,
    coefficient,
    cos,
    derivative,
    divide,
    exp,
    factors_of,
    has,
    integral,
    log,
    mul,
    negative,
    number,
    power,
    rebuild,
    sin,
    symbol,
    terms_of,
    walk,
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


def substitute(term: Term, old: Term, new: Term) -> Term:
    """``term`` with ``new`` for ``old``; raises `BoundVariableError`."""
    if term == old:
        return new
    if not term.args:
        return term
    if term.head in (DERIVATIVE, INTEGRAL) and old in term.args[1:] and new.head != SYMBOL:
        raise BoundVariableError(f"{plain(new)} for a bound variable")
    if term.head == INTEGRAL and not _reaches_into(term, old, new):
        return term
    part = _PARTS.get(term.head)
    changed = part(term, old, new) if part else None
    if changed is not None:
        return changed
    args = tuple([substitute(arg, old, new) for arg in term.args])
    return rebuild(term, args)


def _reaches_into(term: Term, old: Term, new: Term) -> bool:
    """Whether SymPy substitutes in the integrand: it does not for formulas in its variable."""
    variables = {variable.value for variable in term.args[1:]}
    if old.head == APPLY:
        if not variables & new.free <= old.free:
            raise BoundVariableError("a variable would be captured")
        return True
    return old.head == SYMBOL or not variables & old.free


def _in_sum(term: Term, old: Term, new: Term) -> Term | None:
    if old.head != ADD:
        return None
    mine = set(term.args)
    for sign, wanted in ((ONE, old), (MINUS_ONE, negative(old))):
        parts = set(terms_of(wanted))
        numbers = {part for part in parts if part.head == NUMBER}
        core = parts - numbers
        if len(core) > 1 and core <= mine:
            rest = [substitute(one, old, new) for one in term.args if one not in core]
            return add(mul(sign, new), *rest, *map(negative, numbers))
    return None


def _in_product(term: Term, old: Term, new: Term) -> Term | None:
    if old.head != MUL:
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


def _powers(term: Term) -> tuple[Rational, dict[tuple[Term, Term], Rational]]:
    value, core = coefficient(term)
    powers: dict[tuple[Term, Term], Rational] = {}
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


def _in_power(term: Term, old: Term, new: Term) -> Term | None:
    base, exponent = base_and_exponent(term)
    old_base, old_exponent = base_and_exponent(old)
    if base != old_base or old.head not in (POW, EXP):
        return None
    (e, kind), (f, old_kind) = coefficient(exponent), coefficient(old_exponent)
    ratio = e / f if kind == old_kind and e % f == 0 else 0
    return power(new, number(int(ratio))) if ratio else None


_PARTS: dict[str, Callable[[Term, Term, Term], Term | None]] = {
    ADD: _in_sum,
    MUL: _in_product,
    POW: _in_power,
    EXP: _in_power,
}


def rename(term: Term, names: Mapping[str, str]) -> Term:
    """``term`` with other names of symbols and functions; names not in ``names`` stay."""
    if term.head == SYMBOL:
        return symbol(names.get(term.value, term.value))
    args = tuple([rename(arg, names) for arg in term.args])
    if term.head == APPLY:
        return apply(names.get(term.value, term.value), args)
    return rebuild(term, args)


# --- expansion ---


def expand(term: Term) -> Term:
    """``term`` with products and integer powers of sums expanded, and e^(x + y) as e^x e^y."""
    if not term.args:
        return term
    if term.head == DERIVATIVE:
        return rebuild(term, (expand(term.args[0]), *term.args[1:]))
    if term.head == INTEGRAL:
        parts = terms_of(expand(term.args[0]))
        return add(*(integral_of(part, term.args[1:]) for part in parts))
    term = rebuild(term, tuple(map(expand, term.args)))
    if term.head == EXP and term.args[0].head == ADD:
        return mul(*map(exp, term.args[0].args))
    if term.head == POW:
        return _expanded_power(term)
    if term.head == MUL:
        return _expanded_product(term.args)
    if term.head == LOG and term.args[0].head == MUL:
        value, rest = coefficient(term.args[0])
        return add(log(number(value)), log(rest)) if value > 0 and value != 1 else term
    if term.head == ADD:
        return add(*term.args)
    return term


def _expanded_power(term: Term) -> Term:
    base, exponent = term.args
    value, rest = coefficient(base)
    if value > 0 and value != 1 and rest is not ONE:
        return mul(power(number(value), exponent), power(rest, exponent))
    if exponent.head == ADD and base.head == NUMBER:
        return mul(*(power(base, part) for part in exponent.args))
    if base.head == ADD and exponent.head == NUMBER and isinstance(exponent.value, int):
        times = abs(exponent.value)
        if times > 1 and len(base.args) ** times <= MAX_TERMS:
            whole = _expanded_product((base,) * times)
            return whole if exponent.value > 0 else power(whole, MINUS_ONE)
    return term


def _expanded_product(factors: tuple[Term, ...]) -> Term:
    below = [f for f in factors if f.head == POW and base_and_exponent(f)[1] == MINUS_ONE]
    if len(below) > 1:  # 1/(x (x + 1)) is stored as 1/x 1/(x + 1)
        product_ = _expanded_product(tuple(power(f, MINUS_ONE) for f in below))
        rest = [f for f in factors if f not in below]
        return _expanded_product((*rest, power(product_, MINUS_ONE)))
    sums = [terms_of(factor) for factor in factors]
    count = 1
    for one in sums:
        count *= len(one)
    if count == 1 or count > MAX_TERMS:
        return mul(*factors)
    return add(*(expand(mul(*choice)) for choice in product(*sums)))


# --- differentiation ---


def differentiate(term: Term, x: Term) -> Term:
    """The derivative of an expression in the symbol x, as SymPy writes it."""
    if term == x:
        return ONE
    if x.value not in term.free:
        return ZERO
    head, args = term.head, term.args
    if head == ADD:
        return add(*(differentiate(arg, x) for arg in args))
    if head == MUL:
        return add(
            *(mul(*args[:i], differentiate(arg, x), *args[i + 1 :]) for i, arg in enumerate(args))
        )
    if head == POW:
        base, exponent = args
        of_base, of_exponent = differentiate(base, x), differentiate(exponent, x)
        slope = divide(mul(exponent, of_base), base)
        if of_exponent != ZERO:
            slope = add(mul(of_exponent, log(base)), slope)
        return mul(term, slope)
    if head == EXP:
        return mul(differentiate(args[0], x), term)
    if head == LOG:
        return divide(differentiate(args[0], x), args[0])
    if head == SIN:
        return mul(differentiate(args[0], x), cos(args[0]))
    if head == COS:
        return negative(mul(differentiate(args[0], x), sin(args[0])))
    if head == INTEGRAL and args[-1] == x:
        return integral_of(args[0], args[1:-1])
    if head == INTEGRAL and x not in args[1:]:
        return integral_of(differentiate(args[0], x), args[1:])
    if head == DERIVATIVE and (inner := evaluated(term)) != term:
        return differentiate(inner, x)
    return derivative(term, x)


def integral_of(term: Term, variables: tuple[Term, ...]) -> Term:
    """An unevaluated integral over several variables."""
    for variable in variables:
        term = integral(term, variable)
    return term


def evaluated(term: Term) -> Term:
    """``term`` with its derivatives evaluated where possible."""
    if not term.args:
        return term
    term = rebuild(term, tuple(map(evaluated, term.args)))
    if term.head == DERIVATIVE:
        inner, *variables = term.args
        for variable in variables:
            inner = differentiate(inner, variable)
        return inner
    return term


def evaluate_derivatives(term: Term) -> Term:
    """``term`` with derivatives without integrals evaluated, where `substitute` finds them."""
    for node in tuple(dict.fromkeys(walk(term))):
        if node.head == DERIVATIVE and not has(node, INTEGRAL):
            term = substitute(term, node, evaluated(node))
    return term


# --- integration ---


@lru_cache(maxsize=4096)
def antiderivative(term: Term, x: Term) -> Term | None:
    """An antiderivative of a term with respect to the symbol x, or None if none is found.

    Raises:
        CasesError: if it needs a case distinction.

    """
    term = evaluated(term)
    if has(term, INTEGRAL):
        return None
    result = _antiderivative(term, x, MAX_DEPTH)
    if result is None:
        expanded = expand(term)
        if expanded != term:
            result = _antiderivative(expanded, x, MAX_DEPTH)
    return result


def _antiderivative(term: Term, x: Term, depth: int) -> Term | None:
    if x.value not in term.free:
        return mul(term, x)
    if term.head == ADD:
        parts = [_antiderivative(part, x, depth) for part in term.args]
        return None if None in parts else add(*parts)  # type: ignore[arg-type]
    constant = [factor for factor in factors_of(term) if x.value not in factor.free]
    if constant:
        varying = [factor for factor in factors_of(term) if x.value in factor.free]
        result = _antiderivative(mul(*varying), x, depth)
        if result is None:
            return None
        return add(*(mul(*constant, part) for part in terms_of(result)))
    result = _by_table(term, x)
    if result is None and depth:
        result = _by_substitution(term, x, depth) or _by_parts(term, x, depth)
    return result


def _slope(term: Term, x: Term) -> Term | None:
    """``a`` if the term is a x + b with a free of x."""
    slope = differentiate(term, x)
    return slope if slope != ZERO and x.value not in slope.free else None


def _needs_cases(slope: Term) -> None:
    """Raise `CasesError` for a slope that may be zero, for which SymPy distinguishes cases."""
    if slope.free:
        raise CasesError("the coefficient may vanish")


def _by_table(term: Term, x: Term) -> Term | None:
    head = term.head
    if head == DERIVATIVE:
        inner, *variables = term.args
        if x in variables:
            variables.remove(x)
            for variable in variables:
                inner = derivative(inner, variable)
            return inner
        return None
    if head == APPLY or head not in (SYMBOL, POW, EXP, LOG, SIN, COS):
        return None
    base, exponent = base_and_exponent(term)
    if head in (SYMBOL, POW) and x.value not in exponent.free:
        slope = _slope(base, x)
        if slope is None:
            return None
        if exponent == MINUS_ONE:
            return divide(log(base), slope)
        if exponent.head != NUMBER:
            raise CasesError("the exponent may be -1")
        raised = add(exponent, ONE)
        if base == x:
            return divide(power(base, raised), raised)
        return divide(power(base, raised), mul(raised, slope))
    if head == POW and x.value not in base.free and _slope(exponent, x) is not None:
        raise CasesError("the logarithm of the base may vanish")
    if head not in (EXP, LOG, SIN, COS):
        return None
    inner = term.args[0]
    slope = _slope(inner, x)
    if slope is None:
        return None
    if head == LOG:
        # log(a x + b): (x + b/a) log(a x + b) - x, in separate terms.
        shift = divide(substitute(inner, x, ZERO), slope)
        return add(mul(x, term), mul(shift, term), negative(x))
    _needs_cases(slope)
    made = {EXP: exp, SIN: lambda u: negative(cos(u)), COS: sin}[head](inner)
    return divide(made, slope)


def _by_substitution(term: Term, x: Term, depth: int) -> Term | None:
    """Substitute u for a function in the integrand whose derivative is a factor."""
    new = symbol(f"\0{depth}")  # a new variable for each substitution
    tried: set[Term] = set()
    for node in walk(term):
        if node in tried or node == x or node.head in (NUMBER, SYMBOL, ADD, MUL):
            candidates = [node] if node.head == ADD else []
        else:
            candidates = [node, *node.args[:1]]
        tried.add(node)
        for u in candidates:
            if x.value not in u.free or u in (x, term) or u.head == DERIVATIVE:
                continue
            rest = divide(term, differentiate(u, x))
            try:
                rest = substitute(rest, u, new)
            except BoundVariableError:
                continue
            if x.value in rest.free:
                continue
            result = _antiderivative(rest, new, depth - 1)
            if result is not None:
                return substitute(result, new, u)
    return None


def _by_parts(term: Term, x: Term, depth: int) -> Term | None:
    """Integrate a power of x or of a logarithm times what the table has, by parts."""
    factors = factors_of(term)
    for i, factor in enumerate(factors):
        base, exponent = base_and_exponent(factor)
        whole = exponent.head == NUMBER and isinstance(exponent.value, int) and exponent.value > 0
        rest = mul(*factors[:i], *factors[i + 1 :])
        polynomial = base == x and whole and has(rest, EXP, SIN, COS) and not has(rest, LOG)
        logarithm = base.head == LOG and whole and not has(rest, LOG, EXP, SIN, COS, APPLY)
        if not polynomial and not logarithm:
            continue
        inner = _antiderivative(rest, x, 0) if rest != ONE else x
        if inner is None:
            return None
        remaining = _antiderivative(expand(mul(differentiate(factor, x), inner)), x, depth - 1)
        if remaining is None:
            return None
        return add(mul(factor, inner), negative(remaining))
    return None
