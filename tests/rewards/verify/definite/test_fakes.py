"""Nearly right answers: decimals, near misses, and numbers fitted to the digits."""

import json
from pathlib import Path

import mpmath
import pytest
from flint import arb

from calculus_harness import benchmarks
from calculus_harness.benchmarks.hashed_random import HashedRandom
from calculus_harness.rewards import verify_definite_integral
from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.quadrature import evaluate, prepare_definite

FILE = Path(benchmarks.__file__).parent / "definite" / "bank.jsonl"
BANK = [json.loads(line) for line in FILE.read_text().splitlines()]
CONVERGENT = [row for row in BANK if row["value"] != "diverges"]


def near_misses(row, random):
    """Wrong values with the digits, or the form, of the right value."""
    value = row["value"]
    integral = prepare_definite(row["integral"])
    small = random.integer(1, 9)
    yield rf"{value}+{small}\cdot 10^{{-{random.integer(8, 30)}}}"
    yield rf"\left({value}\right)\left(1+10^{{-{random.integer(12, 40)}}}\right)+10^{{-45}}"
    yield rf"{value}+\frac{{{small}}}{{{random.integer(10**11, 10**12)}}}\pi"
    if value != "0":
        yield rf"2\left({value}\right)"
        yield rf"-\left({value}\right)"
    if not integral.parameters:
        digits = evaluate(integral, {}, 60).ball.str(random.integer(12, 40), radius=False)
        if value != "0":
            yield digits.replace("e", r"\cdot 10^") + "1"


def assert_none_is_accepted(rows, seed):
    tried = 0
    for row in rows:
        for wrong in near_misses(row, HashedRandom("near misses", seed, row["id"])):
            verdict = verify_definite_integral(rf"\boxed{{{wrong}}}", row["integral"])
            assert not verdict.correct, (row["integral"], wrong)
            tried += 1
    return tried


def test_near_misses_are_not_accepted():
    assert assert_none_is_accepted(CONVERGENT[::18], seed=0) > 40


@pytest.mark.slow
def test_two_thousand_near_misses_are_not_accepted():
    assert sum(assert_none_is_accepted(CONVERGENT, seed) for seed in range(3)) > 2000


FITTED = [r"\int_0^1 x^x dx", r"\int_0^1 e^{-x^4} dx", r"\int_0^1 \frac{\sin x}{1+x^3} dx"]


@pytest.mark.parametrize("problem", FITTED)
@pytest.mark.parametrize("digits", [16, 24, 34, 44])
def test_integer_relations_fitted_to_the_digits_are_not_accepted(problem, digits):
    """PSLQ finds "closed forms" for any number, which agree to as many digits as they encode."""
    value = evaluate(prepare_definite(problem), {}, 80).ball
    with mpmath.workdps(digits), precision(400):
        x = mpmath.mpf(value.str(digits + 5, radius=False))
        basis = [x, 1, mpmath.pi, mpmath.log(2), mpmath.sqrt(2), mpmath.pi**2]
        relation = mpmath.pslq(basis, maxcoeff=10**12, maxsteps=100_000)
        assert relation is not None
        assert relation[0] != 0
    names = ["1", r"\pi", r"\ln 2", r"\sqrt{2}", r"\pi^2"]
    terms = "".join(f"{-c:+d}\\cdot {name}" for c, name in zip(relation[1:], names, strict=True))
    fake = rf"\frac{{{terms}}}{{{relation[0]}}}"
    with precision(400):
        fitted = (
            -sum(
                c * b
                for c, b in zip(
                    relation[1:],
                    (arb(1), arb.pi(), arb(2).log(), arb(2).sqrt(), arb.pi() ** 2),
                    strict=True,
                )
            )
            / relation[0]
        )
        assert abs(fitted - value) < arb(10) ** (8 - digits)  # a good fit it is
    assert not verify_definite_integral(rf"\boxed{{{fake}}}", problem).correct
