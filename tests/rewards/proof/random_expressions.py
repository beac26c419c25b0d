"""Random expressions, derivatives by rules independent of the product, and mutations."""

from __future__ import annotations

import json
import random
from pathlib import Path

from flint import acb
from hypothesis import strategies as st

from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.numeric.sampling.integrand import prepare
from calculus_harness.rewards.proof.prover import Proof, prove
from calculus_harness.rewards.reading.expression.tree import Call, Expression, Number, Symbol
from calculus_harness.rewards.reading.latex import read, to_latex

CASES = Path(__file__).parents[1] / "cases"
X = Symbol("x")


def proof_of(answer: str, integrand: str) -> Proof | None:
    problem = prepare(integrand, "x", None)
    assumptions = dict.fromkeys(problem.parameters, "positive")
    trees = [reading.expression for reading in read(answer, symbols=problem.symbols)]
    proofs = (prove(tree, problem.expression, "x", assumptions) for tree in trees)
    return next((proof for proof in proofs if proof), None)


def call(name: str, *args: Expression) -> Expression:
    return Call(name, args)


def diff(e: Expression) -> Expression:
    if isinstance(e, Number):
        return Number(0)
    if isinstance(e, Symbol):
        return Number(int(e.name == "x"))
    name, args = e.function, e.args
    if not args:
        return Number(0)
    u, du = args[0], diff(args[0])
    # Rules written here, as the product's rules are what is tested.
    if name == "add":
        return call("add", *(diff(arg) for arg in args))
    if name == "mul":
        return call("add", call("mul", du, args[1]), call("mul", u, diff(args[1])))
    if name == "div":
        top = call("add", call("mul", du, args[1]), call("neg", call("mul", u, diff(args[1]))))
        return call("div", top, call("pow", args[1], Number(2)))
    if name == "pow":
        assert isinstance(args[1], Number)
        n, d = args[1].numerator, args[1].denominator
        return call("mul", call("mul", args[1], call("pow", u, Number(n - d, d))), du)
    one, two, square = Number(1), Number(2), call("pow", u, Number(2))
    plus, minus = call("add", one, square), call("add", one, call("neg", square))
    slopes = {
        "sin": call("cos", u),
        "cos": call("neg", call("sin", u)),
        "exp": e,
        "tan": call("pow", call("sec", u), two),
        "ln": call("div", one, u),
        "sinh": call("cosh", u),
        "cosh": call("sinh", u),
        "tanh": call("pow", call("sech", u), two),
        "atan": call("div", one, plus),
        "sqrt": call("div", one, call("mul", two, e)),
        "asinh": call("div", one, call("sqrt", plus)),
        "asin": call("div", one, call("sqrt", minus)),
        "atanh": call("div", one, minus),
        "erf": call(
            "mul", call("div", two, call("sqrt", Call("pi"))), call("exp", call("neg", square))
        ),
        "abs": call("sgn", u),
        "ei": call("div", call("exp", u), u),
        "lambertw": call("div", e, call("mul", u, call("add", one, e))),
    }
    return call("mul", slopes[name], du)


FUNCTIONS = """sin cos exp tan ln sinh cosh tanh atan sqrt asinh asin atanh erf abs ei
lambertw""".split()
constants = st.builds(Number, st.integers(-4, 5).filter(bool), st.sampled_from([1, 1, 1, 2, 3]))
leaves = st.one_of(st.just(X), st.just(X), constants, st.just(Symbol("a")), st.just(Call("pi")))
powers = st.sampled_from([Number(2), Number(3), Number(-1), Number(1, 2), Number(1, 3)])
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(call, st.sampled_from(["add", "mul", "add", "mul", "div"]), inner, inner),
        st.builds(call, st.sampled_from(FUNCTIONS), inner),
        st.builds(lambda u, n: call("pow", u, n), inner, powers),
    ),
    max_leaves=6,
)


def refuted(answer: Expression, integrand: Expression, seed: int) -> bool:
    """Whether F' and f are proven to differ at a point where every part of f is real."""
    source = random.Random(seed)
    values = {"a": acb(1.3125), "b": acb(-0.7)}
    with precision(256):
        big_f, small_f = compile_tape(answer, "x"), compile_tape(integrand, "x")
        for _ in range(24):
            x = acb(source.uniform(-4, 4))
            jets = small_f.run(x, values, derivative=False)
            if all(jets[slot][0].imag.is_zero() for slot in small_f.domain):
                slope = big_f.run(x, values)[big_f.root][1] or acb(0)
                difference = slope - jets[small_f.root][0]
                if difference.is_finite() and not difference.contains(0):
                    return True
    return False


def mutate(e: Expression, source: random.Random) -> Expression:
    """An expression with a changed constant, sign, function or argument."""
    if isinstance(e, Number):
        return Number(e.numerator + 1, e.denominator)
    if isinstance(e, Symbol) or not e.args:
        return source.choice([call("neg", e), call("mul", Number(2), e), call("abs", e)])
    if len(e.args) == 1 and source.random() < 0.3:
        return Call(source.choice(FUNCTIONS), e.args)
    at = source.randrange(len(e.args))
    return Call(e.function, (*e.args[:at], mutate(e.args[at], source), *e.args[at + 1 :]))


def compare(answer: Expression, integrand: Expression, count: int, source: random.Random) -> int:
    """The number of random points, of both signs and all scales, with a comparison of F' and f.

    Fails at a point with a proven difference.
    """
    compared = 0
    with precision(192):
        big_f, small_f = compile_tape(answer, "x"), compile_tape(integrand, "x")
        names = (big_f.symbols.keys() | small_f.symbols.keys()) - {"x"}
        for _ in range(count):
            values = {name: acb(source.uniform(0.1, 5)) for name in names}
            x = acb(source.choice((-1, 1)) * 10 ** source.uniform(-3, 1.5))
            jets = small_f.run(x, values, derivative=False)
            value = jets[small_f.root][0]
            real = all(jets[slot][0].imag.is_zero() for slot in (*small_f.domain, small_f.root))
            slope = big_f.run(x, values)[big_f.root][1] or acb(0)
            if real and (slope - value).is_finite():
                compared += 1
                assert (slope - value).contains(0), (to_latex(answer), to_latex(integrand), x)
    return compared


def corpus(*names: str) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = []
    for name in names:
        rows += json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    return rows
