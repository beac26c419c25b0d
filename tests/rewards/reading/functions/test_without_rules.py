"""Functions with a record and without a rule: values by definition, proofs by derivative."""

from __future__ import annotations

import pytest
from flint import acb

from calculus_harness.rewards.numeric.ball_arithmetic.balls import UnusableError
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.proof.prover.prove import prove
from calculus_harness.rewards.reading.expression.sympy_bridge import to_sympy
from calculus_harness.rewards.reading.expression.sympy_text import read_sympy
from calculus_harness.rewards.reading.expression.tree import Call, Number, Symbol
from calculus_harness.rewards.reading.functions import RECORDS, Function
from calculus_harness.rewards.reading.functions.record import family

X = Symbol("x")
BOTH = Function("versine", "4.14", derivative="sin(u)", definition="1 - cos(u)")
DERIVED = Function("versine", "4.14", derivative="sin(u)")
DEFINED = Function("versine", "4.14", definition="1 - cos(u)")
NEITHER = Function("versine", "4.14")


def versine(argument: str = "x") -> Call:
    return Call("versine", (read_sympy(argument),))


@pytest.fixture
def record(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Function:
    monkeypatch.setitem(RECORDS, "versine", request.param)
    chosen: Function = request.param
    return chosen


@pytest.mark.parametrize("record", [BOTH, DEFINED], indirect=True)
def test_a_definition_gives_values_and_slopes(record: Function) -> None:
    for tree, text in ((versine("x**2"), "1 - cos(x**2)"), (versine("3*x"), "1 - cos(3*x)")):
        defined, written = compile_tape(tree, "x"), compile_tape(read_sympy(text), "x")
        jets = [tape.run(acb(0.75), {})[tape.root] for tape in (defined, written)]
        assert str(jets[0]) == str(jets[1])
    assert to_sympy(versine()) == to_sympy(read_sympy("1 - cos(x)"))


@pytest.mark.parametrize("record", [BOTH, DERIVED, DEFINED], indirect=True)
def test_a_derivative_or_a_definition_gives_proofs(record: Function) -> None:
    slope = read_sympy("2*x*sin(x**2)")
    assert prove(versine("x**2"), slope, "x", {}) is not None
    assert prove(versine("x**2"), read_sympy("2*x*cos(x**2)"), "x", {}) is None


@pytest.mark.parametrize("record", [DERIVED, NEITHER], indirect=True)
def test_without_a_definition_there_is_no_value(record: Function) -> None:
    with pytest.raises(UnusableError, match="no rule for versine"):
        compile_tape(versine(), "x")
    with pytest.raises(ValueError, match="versine"):
        to_sympy(versine())


@pytest.mark.parametrize("record", [NEITHER], indirect=True)
def test_without_either_there_is_no_proof(record: Function) -> None:
    assert prove(versine(), read_sympy("sin(x)"), "x", {}) is None


def test_a_parameter_that_varies_has_no_slope(monkeypatch: pytest.MonkeyPatch) -> None:
    """d/dx of (x + n) with n = x is 2, and not the derivative in u, which is 1."""
    shifted = Function("shifted", "4.2", (2, 2), "n u", derivative="1")
    monkeypatch.setitem(RECORDS, "shifted", shifted)
    assert prove(Call("shifted", (Number(3), X)), Number(1), "x", {}) is not None
    assert prove(Call("shifted", (X, X)), Number(1), "x", {}) is None


def test_a_name_is_taken_once() -> None:
    with pytest.raises(ValueError, match="two functions are called sin"):
        family(Function("sin", "4.14"))
