"""A proof that F' = f: both as elements of one differential field, in which they are equal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from flint import fmpq

from ...expression.tree import Call, Expression
from . import special  # noqa: F401  (registers the rules of functions)
from .elements import NowhereError, RestartError, Translator
from .field import MAX_GENERATORS, SMALL, Field, NotProvedError, Quotient, TooManyGeneratorsError

#: Most attempts with finer and finer units of angles, exponents and roots; most cases of signs.
MAX_RESTARTS, MAX_CASES = 8, 24

#: Signs of real expressions.
Signs = tuple[tuple[Expression, int], ...]


@dataclass(frozen=True, slots=True)
class Case:
    """F' = f in a differential field, wherever expressions have the signs of ``conditions``.

    Both are defined there; ``terms`` add up to F.
    """

    conditions: Signs
    field: Field
    terms: tuple[Quotient, ...]
    integrand: Quotient


@dataclass(frozen=True, slots=True)
class Proof:
    """F' = f wherever both are defined: in each of ``cases``, which leave no real point out.

    Isolated points are excepted: zeros of the expressions in conditions, breakpoints of what is not
    analytic. ``rules`` names the functions and the rewriting rules that were used.
    """

    rules: tuple[str, ...]
    cases: tuple[Case, ...]


def prove(
    answer: Expression,
    integrand: Expression,
    variable: str,
    kinds: Mapping[str, str],
    *,
    real_parts: bool = True,
) -> Proof | None:
    """Prove that ``answer`` is an antiderivative of ``integrand``, or say nothing.

    Args:
        answer: F.
        integrand: f.
        variable: the variable, which is real.
        kinds: assumptions on the parameters; those without one are merely real.
        real_parts: only points count at which every radical and logarithm of f is real.

    Returns:
        The proof, or None if none was found, which says nothing.

    """
    problem = (answer, integrand, variable, kinds, real_parts)
    whole = _attempt(*problem, split=False, case=())
    if whole.case is not None:
        return Proof(tuple(sorted(whole.rules)), (whole.case,))
    if not whole.splittable:
        return None
    rules: set[str] = set()
    proved: list[Case] = []
    waiting: list[Signs] = [()]
    for _ in range(MAX_CASES):
        if not waiting:
            break
        signs = waiting.pop()
        attempt = _attempt(*problem, split=True, case=signs)
        # Whatever was asked for beyond ``signs`` was positive; these are the cases where it is not.
        new = tuple(each for each in attempt.signs if each not in signs)
        waiting += [(*signs, *new[:i], (tree, -sign)) for i, (tree, sign) in enumerate(new)]
        if attempt.nowhere:
            continue
        if attempt.case is None:
            return None
        proved.append(attempt.case)
        rules |= attempt.rules
    if waiting or not proved:
        return None
    return Proof(tuple(sorted(rules)), tuple(proved))


@dataclass(slots=True)
class _Attempt:
    """What came of one attempt; ``nowhere`` says that f has no real value in its case."""

    case: Case | None
    rules: set[str]
    signs: Signs
    splittable: bool
    nowhere: bool = False


def _attempt(
    answer: Expression,
    integrand: Expression,
    variable: str,
    kinds: Mapping[str, str],
    real_parts: bool,
    *,
    split: bool,
    case: Signs,
) -> _Attempt:
    units: dict[tuple[str, str, str], fmpq] = {}
    size, nowhere, found = SMALL, False, None
    for _ in range(MAX_RESTARTS):
        translator = Translator(Field(size), variable, kinds, units, split, case)
        try:
            found = _equal(translator, answer, integrand, real_parts)
        except RestartError:
            continue
        except TooManyGeneratorsError:
            if size < MAX_GENERATORS:
                size = MAX_GENERATORS
                continue
        except NowhereError:
            nowhere = True
        except NotProvedError:
            pass
        break
    signs = tuple((tree, sign) for _, tree, sign in translator.conditions)
    return _Attempt(found, translator.rules, signs, translator.splittable, nowhere)


def _equal(
    translator: Translator, answer: Expression, integrand: Expression, real_parts: bool
) -> Case | None:
    base = translator.field
    translator.real_parts = real_parts
    f = translator.value(integrand)
    translator.real_parts = False
    terms, total = [], -f
    for term in _terms(answer):
        value = translator.value(term)
        terms.append(value)
        total = total + base.derivative(value)
    if not _vanishes(base, total):
        return None
    conditions = tuple((tree, sign) for _, tree, sign in translator.conditions)
    return Case(conditions, base, tuple(terms), f)


def _vanishes(base: Field, total: Quotient) -> bool:
    if total.is_zero():
        return True
    if base.reduce(total.den).is_zero():
        return False
    # A high power as a common factor need not be expanded.
    return bool(base.reduce(total.num / total.num.term_content()).is_zero())


def _terms(node: Expression) -> Iterator[Expression]:
    if isinstance(node, Call) and node.function == "add":
        for arg in node.args:
            yield from _terms(arg)
    else:
        yield node
