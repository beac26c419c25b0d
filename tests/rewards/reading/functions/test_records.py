"""The records of functions are complete, and true of the values in ball arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from flint import acb, arb

from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.numeric.ball_arithmetic.functions import RULES
from calculus_harness.rewards.numeric.ball_arithmetic.jets import CONSTANTS
from calculus_harness.rewards.numeric.ball_arithmetic.ranges import may_have_pole
from calculus_harness.rewards.numeric.quadrature import evaluate, prepare_definite
from calculus_harness.rewards.proof.prover.tower import FORMS
from calculus_harness.rewards.proof.prover.tower import RULES as PROVER_RULES
from calculus_harness.rewards.reading.expression.formulas import definition_of, slope_of, template
from calculus_harness.rewards.reading.expression.traversal import nodes_of
from calculus_harness.rewards.reading.expression.tree import Call, Expression, Number, Symbol
from calculus_harness.rewards.reading.functions import (
    COMPARISONS,
    COMPLEX,
    CONNECTIVES,
    ELEMENTARY,
    PIECEWISE,
    RECORDS,
    Function,
    spellings,
)
from calculus_harness.rewards.reading.functions import CONSTANTS as NAMED
from calculus_harness.rewards.reading.latex import read, to_latex

#: Parameters of functions of several arguments: none has a special value.
PARAMETERS = {"n": (1, 4), "s": (4, 3), "b": (7, 2), "m": (2, 7), "c": (3, 8), "k": (5, 4)}
PARAMETERS |= {"a": (9, 7), "v": (5, 3)}
POINTS = (-7.3125, -2.625, -1.4375, -0.71875, -0.28125, 0.34375, 0.8125, 1.5625, 2.6875, 6.40625)
#: Functions without a derivative among functions, and why.
NO_SLOPE = {
    "double_factorial": "of whole numbers only",
    "hypgeom": "raises all parameters by one; of any number of them",
    "add": "a rule of sums", "mul": "a rule of products", "neg": "a rule of sums",
}  # fmt: skip
STEPPING = {f.name for f in (*COMPLEX, *PIECEWISE)} - {"abs"}
WITHOUT_VALUES = {f.name for f in (*COMPARISONS, *CONNECTIVES)} | {"piecewise", "hypgeom", "i"}
EVALUATED = [f for f in RECORDS.values() if f.name not in WITHOUT_VALUES and f.arity[0]]


def call_of(function: Function, u: Expression = Symbol("x")) -> Call:  # noqa: B008
    """The function of u, with the other arguments as in `PARAMETERS`."""
    names = function.arguments.split()
    if function.arity[1] is None:
        return Call(function.name, (u, Number(1, 3)))
    return Call(function.name, tuple(u if n == "u" else Number(*PARAMETERS[n]) for n in names))


@pytest.fixture(autouse=True)
def _bits() -> Iterator[None]:
    with precision(400):
        yield


def value(tree: Expression, x: float | acb = 0.0) -> acb:
    """The value of a tree at x."""
    tape = compile_tape(tree, "x")
    return tape.run(acb(x), {}, derivative=False)[tape.root][0]


def real_points(function: Function) -> Iterator[tuple[float, acb]]:
    """Points of the domain with their values."""
    for x in POINTS:
        if not function.domain or holds(function.domain, x):
            y = value(call_of(function), x)
            if y.is_finite():
                yield x, y


def holds(condition: str, u: float) -> bool:
    return bool(eval(condition, {"exp": math.exp}, {"u": u}))  # a record, not a text of a model


def agree(a: acb, b: acb, digits: int = 30) -> bool:
    return bool(a.is_finite() and abs(a - b) < arb(10) ** -digits * (1 + abs(b)))


@pytest.mark.parametrize("function", RECORDS.values(), ids=lambda f: f.name)
def test_a_record_lacks_nothing(function: Function) -> None:
    assert function.source
    least, largest = function.arity
    if largest is not None and least and function.name not in ("zeta", "lambertw"):
        assert least == largest == len(function.arguments.split())
    smooth = function.arity[0] and not function.breaks and function.name not in WITHOUT_VALUES
    if smooth and function.name not in NO_SLOPE and function.name not in STEPPING:
        assert function.derivative
    for formula in (function.derivative, function.definition):
        for node in nodes_of(template(formula)) if formula else ():
            assert node.function in RECORDS or node.function in ("number", "symbol")
    # A rule of ball arithmetic, a constant, or other functions that the function is made of.
    rules = RULES.keys() | CONSTANTS.keys() | WITHOUT_VALUES | {"pow", "root", "log"}
    assert function.name in rules or function.definition


@pytest.mark.parametrize("function", [f for f in EVALUATED if f.derivative], ids=lambda f: f.name)
def test_derivative(function: Function) -> None:
    """The difference quotient at 400 bits, and the rule of ball arithmetic, are the derivative."""
    call = call_of(function)
    slope = slope_of(call)
    assert slope is not None
    points = [(x, v) for x, v in real_points(function) if v.imag.is_zero() or not v.imag > 0]
    assert len(points) >= 2 or function.name == "acosh"
    for x, _ in points:
        step = acb(2) ** -100
        high, low = (value(call, acb(x) + sign * step) for sign in (1, -1))
        quotient = (high - low) / (2 * step)
        stated = value(slope[1], x)
        assert agree(quotient, stated, 20), (x, quotient, stated)
        tape = compile_tape(call, "x")
        jet = tape.run(acb(x), {}, derivative=True)[tape.root][1]
        assert jet is not None
        assert agree(jet, stated) or not jet.is_finite()


@pytest.mark.parametrize("function", [f for f in EVALUATED if f.definition], ids=lambda f: f.name)
def test_definition(function: Function) -> None:
    definition = definition_of(call_of(function))
    assert definition is not None
    for x, own in real_points(function):
        assert agree(value(definition, x), own), x


@pytest.mark.parametrize("function", EVALUATED, ids=lambda f: f.name)
def test_domain(function: Function) -> None:
    """Values are real inside the domain and not real outside."""
    if function.name in ("re", "im", "arg") or function.arity[1] is None:
        return
    for x in POINTS:
        y = value(call_of(function), x)
        if not y.is_finite():
            continue
        in_domain = not function.domain or holds(function.domain, x)
        if in_domain:
            assert y.imag.contains(0), x
        elif function.name not in (
            "pow",
            "root",
        ):  # real roots of odd order are a convention of the verifier
            assert not y.imag.contains(0), x


@pytest.mark.parametrize("function", EVALUATED, ids=lambda f: f.name)
def test_parity_and_range(function: Function) -> None:
    points = list(real_points(function))
    if function.arguments == "u" and function.arity[1]:
        # Without parity in its record, a function has none; zeros show nothing.
        both = [(v, value(call_of(function), -x)) for x, v in points if not v.is_zero()]
        for name, sign in (("odd", -1), ("even", 1)):
            seen = len(both) > 1 and all(agree(mirrored, sign * v) for v, mirrored in both)
            assert seen == (function.parity == name) or not both, name
    for x, v in points:
        if function.range is not None:
            low, high = map(arb, function.range)
            assert not v.real < low, x
            assert not v.real > high, x
        if function.steepest:
            slope = slope_of(call_of(function))
            assert slope is not None
            assert not abs(value(slope[1], x / 64)) > function.steepest
            assert not abs(value(slope[1], 0.0)) > math.nextafter(function.steepest, math.inf)


@pytest.mark.parametrize("function", EVALUATED, ids=lambda f: f.name)
def test_poles(function: Function) -> None:
    for k in (0, 1, 3):
        if function.poles:
            pole = template(function.poles.replace("k", str(k)))
            near = value(Call("add", (pole, Number(1, 10**30))))
            assert abs(value(call_of(function), near)) > 10, k
    assert may_have_pole(call_of(function), "u") == bool(function.poles)


@pytest.mark.parametrize("function", EVALUATED, ids=lambda f: f.name)
def test_special_values(function: Function) -> None:
    for item in function.values.split(" ") if ":" in function.values else ():
        argument, _, expected = item.partition(":")
        call = Call(function.name, (template(argument),))
        assert agree(value(call), value(template(expected))), item


@pytest.mark.parametrize("function", EVALUATED, ids=lambda f: f.name)
def test_inverse(function: Function) -> None:
    if function.inverse:
        inverse = RECORDS[function.inverse]
        assert inverse.inverse == function.name
        for x, y in real_points(inverse):
            assert function.branch or agree(value(call_of(function), y), acb(x)), x


def test_constants_lie_in_their_range() -> None:
    for constant in NAMED:
        if constant.range:
            low, high = map(arb, constant.range)
            assert low < value(Call(constant.name)).real < high < low + 1e-15


def test_rules_are_of_functions_with_a_record() -> None:
    assert RULES.keys() - RECORDS.keys() == {"hurwitz_zeta"}  # zeta of two arguments
    assert not (PROVER_RULES.keys() | FORMS.keys()) - RECORDS.keys()


@pytest.mark.parametrize("function", EVALUATED, ids=lambda f: f.name)
def test_what_is_printed_reads_back(function: Function) -> None:
    call = call_of(function)
    if function.name == "hermite_h":  # of an order that is not whole, H is read as another function
        call = Call("hermite_h", (Number(3), Symbol("x")))
    assert call in [reading.expression for reading in read(to_latex(call))] or (
        function.name == "im"  # is read as a real part
    )


@pytest.mark.parametrize("function", EVALUATED, ids=lambda f: f.name)
def test_every_spelling_is_read(function: Function) -> None:
    """Each spelling is read as the function, or in one reading for names of elliptic integrals."""
    arguments = ", ".join(to_latex(arg) for arg in call_of(function).args)
    base = "_{7/2}" if function.name == "log" else ""
    for name in (*function.bare.split(), *function.called.split()):
        text = rf"\operatorname{{{name}}}{base}({'x' if base else arguments})"
        names = [reading.expression.function for reading in read(text)]
        assert {"im": "re"}.get(function.name, function.name) in names, name


def test_names_in_sympy_exist() -> None:
    sympy = pytest.importorskip("sympy")
    for name, spelling in spellings("sympy").items():
        assert hasattr(sympy, spelling), name


def test_systems_are_known() -> None:
    systems = {"sympy", "python", "maxima", "fricas", "alkahest"}
    for function in RECORDS.values():
        assert {item.partition("=")[0] for item in function.systems.split()} <= systems


@pytest.mark.parametrize(
    "function", [f for f in PIECEWISE if f.name != "piecewise"], ids=lambda f: f.name
)
def test_an_integral_is_cut_where_the_function_breaks(function: Function) -> None:
    call = call_of(function)
    problem = prepare_definite(rf"\int_{{-7/4}}^{{9/4}} {to_latex(call)}\,dx")
    points = [-1.75 + (k + 0.5) / 250 for k in range(1000)]
    mean = sum((value(call, x).real for x in points), arb(0)) / 250
    assert abs(evaluate(problem, {}, 15).ball - mean) < 0.02


def test_special_functions_whose_cost_is_bounded() -> None:
    """All other functions run in a worker (docs/verifier.md)."""
    ordinary = {f.name for f in (*ELEMENTARY, *NAMED, *COMPLEX, *PIECEWISE)} | WITHOUT_VALUES
    bounded = {f.name for f in RECORDS.values() if f.cost != "worker"} - ordinary
    assert bounded == set("gamma factorial double_factorial binomial erf erfc erfi".split())
