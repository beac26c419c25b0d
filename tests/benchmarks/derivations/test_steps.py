"""Steps: drawn by the weights of the paper, right by SymPy's account, new and short."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import sympy

from calculus_harness.benchmarks.derivations.chains import grow
from calculus_harness.benchmarks.derivations.expressions.printing import latex
from calculus_harness.benchmarks.derivations.expressions.terms import (
    UNARY,
    add,
    apply,
    exp,
    free,
    is_applied,
    name_of,
    names_of,
    number,
    sin,
    symbol,
)
from calculus_harness.benchmarks.derivations.options import CODE, GREEK, ORIGINAL, VOCABULARY
from calculus_harness.benchmarks.derivations.steps import (
    ARITHMETIC,
    CALCULUS,
    DIFFERENTIATE,
    DIVIDE,
    EVALUATE_DERIVATIVES,
    EVALUATE_INTEGRALS,
    EXPAND,
    LEFT_FOR_RIGHT,
    OPERATORS,
    POWER,
    PREMISES,
    RIGHT_FOR_LEFT,
    SUBSTITUTIONS,
    Annotation,
    Derivation,
    DerivationEquation,
    Step,
    _any_equation,
    is_decided,
    next_step,
    premise,
)
from calculus_harness.benchmarks.hashed_random import HashedRandom
from tests.benchmarks.derivations.as_sympy import as_sympy

x, y = symbol("x"), symbol("y")
f = apply("f", x)


def test_the_vocabulary() -> None:
    assert len(VOCABULARY) == 48
    assert not set("iedO") & set(VOCABULARY)
    assert len(GREEK) == 10
    assert len(OPERATORS) == 18


@cache
def derivations(count: int = 120) -> tuple[Derivation, ...]:
    grown = (grow(6, HashedRandom("steps", number), CODE) for number in range(2 * count))
    return tuple(derivation for derivation in grown if derivation is not None)[:count]


def test_all_operators_occur() -> None:
    seen = Counter(
        step.annotation.operator
        for number in range(400)
        if (derivation := grow(6, HashedRandom("operators", number), CODE))
        for step in derivation.steps
    )
    assert set(seen) == set(OPERATORS)


def test_recent_equations_are_likelier_by_a_cube() -> None:
    steps = [
        Step(DerivationEquation(apply(n, x), add(x, number(i))), Annotation("premise"))
        for i, n in enumerate("abc")
    ]
    derivation, rng = Derivation(steps), HashedRandom("history")
    drawn = Counter(_any_equation(derivation, rng, CODE) for _ in range(8000))
    for index, weight in ((1, 344), (2, 513), (3, 730)):
        assert drawn[index] / 8000 == pytest.approx(weight / 1587, abs=0.02)
    # Beyond the horizon all are alike.
    far = replace(CODE, history=1)
    drawn = Counter(_any_equation(derivation, rng, far) for _ in range(6000))
    assert all(count == pytest.approx(2000, abs=200) for count in drawn.values())


def test_premises() -> None:
    for number_ in range(300):
        drawn = premise(HashedRandom("premise", number_), CODE)
        assert is_applied(drawn.left)
        assert {name_of(arg) for arg in drawn.left.args} == set(free(drawn.right))
        assert drawn.left.function not in names_of(drawn.right)
    names = [premise(HashedRandom("p", i), CODE, used=set("abc")).left.function for i in range(200)]
    assert not set("abc") & set(names)


def test_the_original_lets_a_function_have_the_name_of_its_argument() -> None:
    premises = [premise(HashedRandom("original", i), ORIGINAL) for i in range(1500)]
    assert any(drawn.left.function in names_of(drawn.right) for drawn in premises)


def by_sympy(step: Step, equations: list[Any]) -> Any:
    """A step repeated by SymPy, from the annotation and the earlier equations."""
    note = step.annotation
    source = equations[note.equations[0] - 1]
    m = None if note.operand is None else as_sympy(note.operand)
    if note.operator in UNARY:
        return sympy.Eq(*(getattr(sympy, note.operator)(side) for side in source.args))
    if note.operator in ARITHMETIC:
        rule = {
            "add": lambda a: a + m,
            "minus": lambda a: a - m,
            "times": lambda a: a * m,
            DIVIDE: lambda a: a / m,
            POWER: lambda a: a**m,
        }[note.operator]
        return sympy.Eq(*map(rule, source.args))
    if note.operator in CALCULUS:
        if note.operator == DIFFERENTIATE:
            return sympy.Eq(*(sympy.diff(side, m, evaluate=False) for side in source.args))
        return sympy.Eq(*(sympy.Integral(side, m) for side in source.args))
    if note.operator in SUBSTITUTIONS:
        old, new = equations[note.equations[1] - 1].args
        if note.operator != LEFT_FOR_RIGHT:
            old, new = new, old
        return source.subs(old, new)
    if note.operator == EXPAND:
        return sympy.expand(source)
    if note.operator == EVALUATE_DERIVATIVES:
        nodes = [d for d in source.atoms(sympy.Derivative) if not d.has(sympy.Integral)]
        for node in sorted(nodes, key=lambda d: -d.count_ops()):
            source = source.subs(node, node.doit())
        return source
    assert note.operator == EVALUATE_INTEGRALS
    for constant in step.constants:
        value = as_sympy(constant.closed) + sympy.Symbol(constant.letter)
        source = source.subs(as_sympy(constant.integral), value)
    return source


def test_each_step_is_what_sympy_makes_of_its_annotation() -> None:
    same, different = Counter[str](), []
    for derivation in derivations(60):
        equations: list[Any] = []
        for step in derivation.steps:
            sides = step.equation.left, step.equation.right
            ours = sympy.Eq(*map(as_sympy, sides), evaluate=False)
            if step.annotation.operator not in PREMISES:
                theirs = by_sympy(step, equations)
                if sympy.latex(theirs) == step.equation.latex:
                    same[step.annotation.operator] += 1
                else:
                    different.append((step, theirs))
            equations.append(ours)
    assert same.total() > 150
    # What remains are derivatives whose factors SymPy orders or collects in another way.
    assert len(different) <= 0.02 * same.total(), different


def test_each_step_is_new_and_short() -> None:
    for derivation in derivations():
        seen: set[DerivationEquation] = set()
        for step in derivation.steps:
            assert step.equation not in seen
            seen |= {step.equation, step.equation.swapped}
            if step.annotation.operator not in PREMISES:
                assert len(step.equation.latex) < CODE.max_length
                assert not is_decided(step.equation)


def test_constants_of_integration_are_new_and_differ() -> None:
    seen = 0
    for derivation in derivations():
        names: set[str] = set()
        for step in derivation.steps:
            letters = [constant.letter for constant in step.constants]
            assert len(set(letters)) == len(letters)
            assert not names & set(letters)
            seen += len(letters)
            names |= names_of(step.equation.left) | names_of(step.equation.right)
    assert seen > 10


def test_no_operand_is_a_digit_and_variables_are_symbols() -> None:
    for derivation in derivations():
        for step in derivation.steps:
            note = step.annotation
            if note.operator in CALCULUS:
                assert note.operand is not None
                assert note.operand.function == "symbol"
            elif note.operator in ARITHMETIC and note.operator != POWER:
                assert latex(note.operand) not in "0123456789"  # type: ignore[arg-type]


def test_what_sympy_would_decide_is_no_equation() -> None:
    for left, right in (
        (x, x),
        (add(x, number(1)), x),
        (exp(x), number(0)),
        (number(1), number(0)),
    ):
        assert is_decided(DerivationEquation(left, right))
        assert sympy.Eq(as_sympy(left), as_sympy(right)) in (sympy.true, sympy.false)
    for left, right in ((f, x), (add(x, x), x), (f, number(0))):
        assert not is_decided(DerivationEquation(left, right))
        assert isinstance(sympy.Eq(as_sympy(left), as_sympy(right)), sympy.Eq)


def test_a_substitution_is_listed_when_it_does_something() -> None:
    g = apply("g", x, y)
    steps = [
        Step(DerivationEquation(apply("f", x, y), add(x, y)), Annotation("premise")),
        Step(DerivationEquation(g, sin(add(x, y))), Annotation("premise")),
        Step(DerivationEquation(sin(add(x, y)), g), Annotation("premise")),
    ]
    derivation = Derivation(steps)
    equation = derivation.substituted(RIGHT_FOR_LEFT, 2, 1)
    assert equation == DerivationEquation(g, sin(apply("f", x, y)))
    assert (2, 1) in derivation.substitutions(RIGHT_FOR_LEFT)
    assert (1, 2) not in derivation.substitutions(RIGHT_FOR_LEFT)  # not found in it
    assert (2, 3) not in derivation.substitutions(LEFT_FOR_RIGHT)  # g = g is decided


def test_what_fails_is_none_and_the_derivation_goes_on() -> None:
    derivation = Derivation([Step(DerivationEquation(f, sin(x)), Annotation("premise"))])
    outcomes = [next_step(derivation, HashedRandom("fail", i), CODE) for i in range(200)]
    assert None in outcomes
    drawn = {outcome.annotation.operator for outcome in outcomes if outcome is not None}
    assert not drawn & set(SUBSTITUTIONS)  # they need two equations
    assert not drawn & {EVALUATE_DERIVATIVES, EVALUATE_INTEGRALS}  # there is nothing to evaluate
    assert len(derivation) == 1
