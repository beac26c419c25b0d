"""Rewriting of expressions: substitute, expand, differentiate, integrate.

Substitution finds parts of sums, products and powers, as SymPy's ``subs`` does: x + y in x + y + z,
x y in 2 x y, x^2 in x^4. Integration is by a table, linearity, substitution and parts. This decides
the integrals that occur in derivations, with bounded work and no time limit.
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
    """An integral that needs a case distinction, as that of x^n does at n = -1."""


#: The most substitutions and integrations by parts for one integral.
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
    if term.function == old.function in _PARTS:
        changed = _PARTS[term.function](term, old, new)
        if changed is not None:
            return changed
    return t.rebuild(term, lambda arg: substitute(arg, old, new))


def _reaches_into(term: Expression, old: Expression, new: Expression) -> bool:
    """Whether SymPy substitutes in the integrand: it does not for formulas in its variable."""
    variables = {t.name_of(variable) for variable in term.args[1:]}
    if t.is_applied(old) and not variables & t.free(new) <= t.free(old):
        raise BoundVariableError("a variable would be captured")
    return t.is_applied(old) or old.function == "symbol" or not variables & t.free(old)


def _in_sum(term: Expression, old: Expression, new: Expression) -> Expression | None:
    mine = set(term.args)
    for sign, wanted in ((t.ONE, old), (t.MINUS_ONE, t.negative(old))):
        parts = set(terms_of(wanted))
        numbers = {part for part in parts if part.function == "number"}
        core = parts - numbers
        if len(core) > 1 and core <= mine:
            rest = [substitute(one, old, new) for one in term.args if one not in core]
            return t.add(t.mul(sign, new), *rest, *map(t.negative, numbers))
    return None


def _in_product(term: Expression, old: Expression, new: Expression) -> Expression | None:
    value, mine = _powers(term)
    wanted_value, wanted = _powers(old)
    times = min((int((mine.get(key, 0) / e).floor()) for key, e in wanted.items()), default=0)
    if times < 1 or wanted_value not in (1, value) or (wanted_value != 1 and times > 1):
        return None
    rest = [
        t.power(base, t.mul(t.number(e - times * wanted.get((base, kind), 0)), kind))
        for (base, kind), e in mine.items()
    ]
    left = t.mul(t.number(value if wanted_value == 1 else 1), *rest)
    return t.mul(substitute(left, old, new), t.power(new, t.number(times)))


def _powers(term: Expression) -> tuple[Any, dict[tuple[Expression, Expression], Any]]:
    value, core = t.coefficient(term)
    powers = map(t.base_and_exponent, factors_of(core))
    split = ((base, t.coefficient(exponent)) for base, exponent in powers)
    return value, {(base, kind): times for base, (times, kind) in split}


def _in_power(term: Expression, old: Expression, new: Expression) -> Expression | None:
    base, exponent = t.base_and_exponent(term)
    old_base, old_exponent = t.base_and_exponent(old)
    (e, kind), (f, old_kind) = t.coefficient(exponent), t.coefficient(old_exponent)
    fits = (base, kind) == (old_base, old_kind) and (e / f).q == 1
    return t.power(new, t.number(e / f)) if fits else None


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
        return t.symbol(names.get(term.name, term.name))
    term = t.rebuild(term, lambda arg: rename(arg, names))
    if t.is_applied(term):
        return t.apply(names.get(term.function, term.function), *term.args)
    return term


# --- expansion ---


def expand(term: Expression) -> Expression:
    """``term`` with products and integer powers of sums expanded, and e^(x + y) as e^x e^y."""
    term = t.rebuild(term, expand)
    if not term.args:
        return term
    head, (first, *others) = term.function, term.args
    if head == "integral":
        return t.add(*(t.integral(part, *others) for part in terms_of(first)))
    if head == "exp" and first.function == "add":
        return t.mul(*map(t.exp, first.args))
    if head == "pow":
        return _expanded_power(term)
    if head == "mul":
        return _expanded_product(term)
    if head == "ln" and first.function == "mul":
        value, rest = t.coefficient(first)
        return t.add(t.log(t.number(value)), t.log(rest)) if value > 0 and value != 1 else term
    return term


def _expanded_power(term: Expression) -> Expression:
    base, exponent = term.args
    value, rest = t.coefficient(base)
    if value > 0 and value != 1 and rest != t.ONE:
        return t.mul(t.power(t.number(value), exponent), t.power(rest, exponent))
    if exponent.function == "add" and base.function == "number":
        return t.mul(*(t.power(base, part) for part in exponent.args))
    if is_whole(exponent) and exponent.numerator < -1:
        return t.power(t.TERMS.expand(t.power(base, t.negative(exponent))), t.MINUS_ONE)
    return t.TERMS.expand(term)


def _expanded_product(term: Expression) -> Expression:
    below = [f for f in term.args if f.function == "pow" and f.args[1] == t.MINUS_ONE]
    if len(below) > 1:  # 1/(x (x + 1)) is stored as 1/x 1/(x + 1)
        whole = t.TERMS.expand(t.mul(*(f.args[0] for f in below)))
        term = t.mul(*(f for f in term.args if f not in below), t.power(whole, t.MINUS_ONE))
    return t.TERMS.expand(term)


# --- derivatives ---


def evaluated(term: Expression) -> Expression:
    """``term`` with its derivatives evaluated where possible."""
    term = t.rebuild(term, evaluated)
    return reduce(t.differentiate, term.args) if term.function == "derivative" else term


def evaluate_derivatives(term: Expression) -> Expression:
    """``term`` with derivatives without integrals evaluated, where `substitute` finds them."""
    for node in tuple(dict.fromkeys(nodes_of(term))):
        if node.function == "derivative" and not is_written_with(node, "integral"):
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
    if is_written_with(term, "integral"):
        return None
    return _antiderivative(term, x, MAX_DEPTH) or _antiderivative(expand(term), x, MAX_DEPTH)


def _antiderivative(term: Expression, x: Expression, depth: int) -> Expression | None:
    if not t.varies(term, x):
        return t.mul(term, x)
    if term.function == "add":
        parts = [_antiderivative(part, x, depth) for part in term.args]
        return None if None in parts else t.add(*parts)  # type: ignore[arg-type]
    constant = [factor for factor in factors_of(term) if not t.varies(factor, x)]
    if constant:
        result = _antiderivative(t.divide(term, t.mul(*constant)), x, depth)
        return result and t.add(*(t.mul(*constant, part) for part in terms_of(result)))
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
        place = args.index(x, 1)
        return t.derivative(*args[:place], *args[place + 1 :])
    if head == "pow" and t.varies(args[1], x):
        if not t.varies(args[0], x) and _slope(args[1], x) is not None:
            raise CasesError("the logarithm of the base may vanish")
        return None
    inside = args[0] if args else term
    slope = _slope(inside, x) if head in ("symbol", "pow", "exp", "ln", "sin", "cos") else None
    if slope is None:
        return None
    if head in ("symbol", "pow"):
        _, exponent = t.base_and_exponent(term)
        if exponent == t.MINUS_ONE:
            return t.divide(t.log(inside), slope)
        if exponent.function != "number":
            raise CasesError("the exponent may be -1")
        raised = t.add(exponent, t.ONE)
        return t.divide(t.power(inside, raised), t.mul(raised, slope))
    if head == "ln":
        # log(a x + b): (x + b/a) log(a x + b) - x, in separate terms.
        shift = t.divide(substitute(inside, x, t.ZERO), slope)
        return t.add(t.mul(x, term), t.mul(shift, term), t.negative(x))
    if t.free(slope):  # for which SymPy distinguishes cases
        raise CasesError("the coefficient may vanish")
    made = {"exp": t.exp, "sin": t.cos, "cos": t.sin}[head](inside)
    return t.divide(t.negative(made) if head == "sin" else made, slope)


def _by_substitution(term: Expression, x: Expression, depth: int) -> Expression | None:
    """Substitute u for a function in the integrand whose derivative is a factor."""
    new = t.symbol(f"\0{depth}")  # a new variable for each substitution
    for u in dict.fromkeys(nodes_of(term)):
        if not t.varies(u, x) or u in (x, term) or u.function == "derivative":
            continue
        rest = substitute(t.divide(term, t.differentiate(u, x)), u, new)
        result = None if t.varies(rest, x) else _antiderivative(rest, new, depth - 1)
        if result is not None:
            return substitute(result, new, u)
    return None


def _by_parts(term: Expression, x: Expression, depth: int) -> Expression | None:
    """Integrate a power of x or of a logarithm times what the table has, by parts."""
    for factor in factors_of(term):
        base, exponent = t.base_and_exponent(factor)
        rest = t.divide(term, factor)
        fits = base.function == "ln" or (base == x and is_written_with(rest, "exp", "sin", "cos"))
        if fits and is_whole(exponent) and exponent.numerator > 0:
            inner = _antiderivative(rest, x, 0)
            if inner is None:
                return None
            remaining = expand(t.mul(t.differentiate(factor, x), inner))
            last = _antiderivative(remaining, x, depth - 1)
            return last and t.add(t.mul(factor, inner), t.negative(last))
    return None
