"""Rewriting of expressions: substitute, expand, differentiate, integrate.

Substitution matches within sums, products and powers, as SymPy's ``subs`` does: x + y in x + y + z,
x y in 2 x y, x^2 in x^4. Integration is by a table, linearity, substitution and parts, which
suffices for the integrals in derivations, with bounded work and no time limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from typing import Any

from ....rewards.reading.expression.traversal import is_written_with, nodes_of
from ....rewards.reading.expression.tree import Expression, Symbol
from ...algebra.normal_form import factors_of, is_whole, terms_of
from . import terms as t


class BoundVariableError(ValueError):
    """A substitution of a formula for the variable of a derivative or an integral."""


class CasesError(ValueError):
    """An integral needs a case distinction, as the integral of x^n at n = -1."""


#: The largest depth of substitutions and integrations by parts for an integral.
MAX_DEPTH = 3


# --- substitution ---


def substitute(term: Expression, old: Expression, new: Expression) -> Expression:
    """``term`` with ``new`` for ``old``; raises `BoundVariableError`."""
    if term == old:
        return new
    bound = term.args[1:] if term.function in ("derivative", "integral") else ()
    if old in bound and not isinstance(new, Symbol):
        raise BoundVariableError("a formula for a bound variable")
    if term.function == "integral" and not _reaches_into(term, old, new):
        return term
    if term.function == old.function in _MATCHERS:
        changed = _MATCHERS[term.function](term, old, new)
        if changed is not None:
            return changed
    return t.rebuild(term, lambda arg: substitute(arg, old, new))


def _reaches_into(term: Expression, old: Expression, new: Expression) -> bool:
    """Whether SymPy substitutes in the integrand: not formulas in the integration variable."""
    variables = {t.name_of(variable) for variable in term.args[1:]}
    if t.is_applied(old) and not variables & t.free(new) <= t.free(old):
        raise BoundVariableError("a variable would be captured")
    return t.is_applied(old) or old.function == "symbol" or not variables & t.free(old)


def _in_sum(term: Expression, old: Expression, new: Expression) -> Expression | None:
    mine = set(term.args)
    for sign, pattern in ((t.ONE, old), (t.MINUS_ONE, t.negative(old))):
        pattern_terms = set(terms_of(pattern))
        numbers = {
            term_of_pattern
            for term_of_pattern in pattern_terms
            if term_of_pattern.function == "number"
        }
        core = pattern_terms - numbers
        if len(core) > 1 and core <= mine:
            remaining = [
                substitute(term_of_sum, old, new)
                for term_of_sum in term.args
                if term_of_sum not in core
            ]
            return t.add(t.mul(sign, new), *remaining, *map(t.negative, numbers))
    return None


def _in_product(term: Expression, old: Expression, new: Expression) -> Expression | None:
    value, mine = _powers(term)
    wanted_value, pattern = _powers(old)
    times = min((int((mine.get(key, 0) / e).floor()) for key, e in pattern.items()), default=0)
    if times < 1 or wanted_value not in (1, value) or (wanted_value != 1 and times > 1):
        return None
    remaining = [
        t.power(base, t.mul(t.number(e - times * pattern.get((base, core), 0)), core))
        for (base, core), e in mine.items()
    ]
    leftover = t.mul(t.number(value if wanted_value == 1 else 1), *remaining)
    return t.mul(substitute(leftover, old, new), t.power(new, t.number(times)))


def _powers(term: Expression) -> tuple[Any, dict[tuple[Expression, Expression], Any]]:
    value, core = t.coefficient(term)
    powers = map(t.base_and_exponent, factors_of(core))
    split = ((base, t.coefficient(exponent)) for base, exponent in powers)
    return value, {(base, core_exponent): times for base, (times, core_exponent) in split}


def _in_power(term: Expression, old: Expression, new: Expression) -> Expression | None:
    base, exponent = t.base_and_exponent(term)
    old_base, old_exponent = t.base_and_exponent(old)
    (e, core), (f, old_kind) = t.coefficient(exponent), t.coefficient(old_exponent)
    fits = (base, core) == (old_base, old_kind) and (e / f).q == 1
    return t.power(new, t.number(e / f)) if fits else None


_MATCHERS: dict[str, Callable[[Expression, Expression, Expression], Expression | None]] = {
    "add": _in_sum,
    "mul": _in_product,
    "pow": _in_power,
    "exp": _in_power,
}
#: Functions with matches of a part of a node.
COMPOSED = frozenset(_MATCHERS)


def rename(term: Expression, names: Mapping[str, str]) -> Expression:
    """``term`` with other names of symbols and functions; names outside ``names`` stay."""
    if isinstance(term, Symbol):
        return t.symbol(names.get(term.name, term.name))
    term = t.rebuild(term, lambda arg: rename(arg, names))
    if t.is_applied(term):
        return t.apply(names.get(term.function, term.function), *term.args)
    return term


# --- expansion ---


def expand(term: Expression) -> Expression:
    """``term`` with products and integer powers of sums expanded, and e^(x + y) as e^x e^y."""
    # Arguments first: expanded arguments may make new products and powers of sums.
    term = t.rebuild(term, expand)
    if not term.args:
        return term
    head, (argument, *variables) = term.function, term.args
    if head == "integral":
        return t.add(*(t.integral(addend, *variables) for addend in terms_of(argument)))
    if head == "exp" and argument.function == "add":
        return t.mul(*map(t.exp, argument.args))
    if head == "pow":
        return _expanded_power(term)
    if head == "mul":
        return _expanded_product(term)
    if head == "ln" and argument.function == "mul":
        value, core = t.coefficient(argument)
        return t.add(t.log(t.number(value)), t.log(core)) if value > 0 and value != 1 else term
    return term


def _expanded_power(term: Expression) -> Expression:
    base, exponent = term.args
    value, core = t.coefficient(base)
    if value > 0 and value != 1 and core != t.ONE:
        return t.mul(t.power(t.number(value), exponent), t.power(core, exponent))
    if exponent.function == "add" and base.function == "number":
        return t.mul(*(t.power(base, addend) for addend in exponent.args))
    if is_whole(exponent) and exponent.numerator < -1:
        return t.power(t.TERMS.expand(t.power(base, t.negative(exponent))), t.MINUS_ONE)
    return t.TERMS.expand(term)


def _expanded_product(term: Expression) -> Expression:
    reciprocals = [f for f in term.args if f.function == "pow" and f.args[1] == t.MINUS_ONE]
    if len(reciprocals) > 1:  # 1/(x (x + 1)) is stored as 1/x 1/(x + 1)
        denominator = t.TERMS.expand(t.mul(*(f.args[0] for f in reciprocals)))
        term = t.mul(
            *(f for f in term.args if f not in reciprocals), t.power(denominator, t.MINUS_ONE)
        )
    return t.TERMS.expand(term)


# --- derivatives ---


def evaluated(term: Expression) -> Expression:
    """``term`` with evaluated derivatives, where possible."""
    term = t.rebuild(term, evaluated)
    return reduce(t.differentiate, term.args) if term.function == "derivative" else term


def evaluate_derivatives(term: Expression) -> Expression:
    """``term`` with evaluated derivatives without integrals, where `substitute` finds them."""
    for node in tuple(dict.fromkeys(nodes_of(term))):
        if node.function == "derivative" and not is_written_with(node, "integral"):
            term = substitute(term, node, evaluated(node))
    return term


# --- integration ---


@lru_cache(maxsize=4096)
def antiderivative(term: Expression, x: Expression) -> Expression | None:
    """An antiderivative of a term with respect to the symbol x, or None.

    Raises:
        CasesError: the antiderivative needs a case distinction.

    """
    term = evaluated(term)
    if is_written_with(term, "integral"):
        return None
    return _antiderivative(term, x, MAX_DEPTH) or _antiderivative(expand(term), x, MAX_DEPTH)


def _antiderivative(term: Expression, x: Expression, depth: int) -> Expression | None:
    if not t.varies(term, x):
        return t.mul(term, x)
    if term.function == "add":
        integrals = [_antiderivative(addend, x, depth) for addend in term.args]
        return None if None in integrals else t.add(*integrals)  # type: ignore[arg-type]
    constant = [factor for factor in factors_of(term) if not t.varies(factor, x)]
    if constant:
        result = _antiderivative(t.divide(term, t.mul(*constant)), x, depth)
        return result and t.add(*(t.mul(*constant, addend) for addend in terms_of(result)))
    result = _by_table(term, x)
    if result is None and depth:
        result = _by_substitution(term, x, depth) or _by_parts(term, x, depth)
    return result


def _slope(term: Expression, x: Expression) -> Expression | None:
    """``a`` if the term is a x + b with a free of x."""
    slope = t.differentiate(term, x)
    return slope if slope != t.ZERO and not t.varies(slope, x) else None


def _by_table(term: Expression, x: Expression) -> Expression | None:
    head, args = term.function, term.args
    if head == "derivative" and x in args[1:]:
        index = args.index(x, 1)
        return t.derivative(*args[:index], *args[index + 1 :])
    if head == "pow" and t.varies(args[1], x):
        if not t.varies(args[0], x) and _slope(args[1], x) is not None:
            raise CasesError("the logarithm of the base may vanish")
        return None
    argument = args[0] if args else term
    slope = _slope(argument, x) if head in ("symbol", "pow", "exp", "ln", "sin", "cos") else None
    if slope is None:
        return None
    if head in ("symbol", "pow"):
        _, exponent = t.base_and_exponent(term)
        if exponent == t.MINUS_ONE:
            return t.divide(t.log(argument), slope)
        if exponent.function != "number":
            raise CasesError("the exponent may be -1")
        raised = t.add(exponent, t.ONE)
        return t.divide(t.power(argument, raised), t.mul(raised, slope))
    if head == "ln":
        # log(a x + b): (x + b/a) log(a x + b) - x, in separate terms.
        shift = t.divide(substitute(argument, x, t.ZERO), slope)
        return t.add(t.mul(x, term), t.mul(shift, term), t.negative(x))
    if t.free(slope):  # for which SymPy distinguishes cases
        raise CasesError("the coefficient may vanish")
    by_argument = {"exp": t.exp, "sin": t.cos, "cos": t.sin}[head](argument)
    return t.divide(t.negative(by_argument) if head == "sin" else by_argument, slope)


def _by_substitution(term: Expression, x: Expression, depth: int) -> Expression | None:
    """Substitute u for a function in the integrand whose derivative is a factor."""
    new = t.symbol(f"\0{depth}")  # a new variable for each substitution
    for u in dict.fromkeys(nodes_of(term)):
        if not t.varies(u, x) or u in (x, term) or u.function == "derivative":
            continue
        in_u = substitute(t.divide(term, t.differentiate(u, x)), u, new)
        result = None if t.varies(in_u, x) else _antiderivative(in_u, new, depth - 1)
        if result is not None:
            return substitute(result, new, u)
    return None


def _by_parts(term: Expression, x: Expression, depth: int) -> Expression | None:
    """Integrate a power of x or of a logarithm times a function of the table, by parts."""
    for factor in factors_of(term):
        base, exponent = t.base_and_exponent(factor)
        cofactor = t.divide(term, factor)
        fits = base.function == "ln" or (
            base == x and is_written_with(cofactor, "exp", "sin", "cos")
        )
        if fits and is_whole(exponent) and exponent.numerator > 0:
            inner = _antiderivative(cofactor, x, 0)
            if inner is None:
                return None
            remaining = expand(t.mul(t.differentiate(factor, x), inner))
            remaining_integral = _antiderivative(remaining, x, depth - 1)
            return remaining_integral and t.add(
                t.mul(factor, inner), t.negative(remaining_integral)
            )
    return None
