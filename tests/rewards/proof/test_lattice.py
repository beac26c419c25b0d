"""Units of exponents and angles, and identities of angles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest
from flint import acb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards import certify, verify_antiderivative
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.proof.prover import tower
from calculus_harness.rewards.proof.prover.field import Field
from calculus_harness.rewards.proof.prover.lattice import Lattice, Vector
from calculus_harness.rewards.proof.prover.rules.trigonometry import sin_cos
from calculus_harness.rewards.proof.prover.tower import Tower
from calculus_harness.rewards.reading.expression.traversal import symbols_of
from calculus_harness.rewards.verify.certificates.check import check
from tests.rewards.proof.random_expressions import proof_of

rationals = st.builds(fmpq, st.integers(-9, 9), st.integers(1, 6)).filter(bool)
vectors = st.dictionaries(st.integers(0, 2), rationals, min_size=1)


def is_combination(lattice: Lattice, vector: Vector) -> bool:
    """Whether a vector is the lattice's integer combination of units."""
    total: Vector = {}
    multiples = lattice.add(vector) or []
    for at, n in multiples:
        for key, c in lattice.units[at].items():
            total[key] = total.get(key, fmpq(0)) + n * c
    return all(n.q == 1 for _, n in multiples) and vector == {k: c for k, c in total.items() if c}


@given(st.lists(vectors, max_size=6))
def test_vectors_are_whole_combinations_of_units(given_vectors: list[Vector]) -> None:
    lattice = settled(*given_vectors, size=10**9)
    assert len(lattice.units) <= 3
    assert all(is_combination(lattice, vector) for vector in given_vectors)
    assert len(lattice.units) <= 3


def settled(*given_vectors: Mapping[int, fmpq | int], size: int = 128) -> Lattice:
    """The lattice of a second tower, after a first tower has read the vectors."""
    lattice = Lattice(size)
    for vector in given_vectors:
        lattice.add({k: fmpq(c) for k, c in vector.items()})
    second = Lattice(size)
    for unit in lattice.basis():
        second.add(unit)
    return second


def test_units_are_as_coarse_as_can_be() -> None:
    lattice = settled({0: 1, 1: 1}, {0: 1, 1: -1})
    assert lattice.add({0: fmpq(2)}) == [(0, 1), (1, 1)]
    assert len(settled({0: 1}, {0: 1, 1: 1}, {0: 1, 1: -1}).units) == 2
    constants = settled({0: 6, 1: 4}, {0: 3, 1: 1}, {0: 9, 1: 5}, {0: 3, 1: 3})
    assert len(constants.units) == 2
    assert is_combination(constants, {0: fmpq(6), 1: fmpq(2)})


def test_vectors_with_too_high_multiples_are_no_combinations() -> None:
    lattice = settled({0: 1}, {0: 999})
    assert lattice.units == [{0: 1}]
    assert lattice.add({0: fmpq(999)}) is None
    assert lattice.add({0: fmpq(128)}) == [(0, 128)]
    assert len(lattice.vectors) == len(lattice.units)


def test_the_zero_vector_is_no_unit() -> None:
    """A unit of a first tower may be zero in the second tower, whose rules compute all addends."""
    lattice = Lattice(128)
    assert lattice.add({}) == []
    assert lattice.units == []
    assert lattice.add({0: fmpq(1)}) == [(0, 1)]
    assert lattice.add({1: fmpq(1)}) == [(1, 1)]


def test_a_vector_that_needs_a_finer_unit_is_no_combination_in_the_first_tower() -> None:
    lattice = Lattice(128)
    assert lattice.add({0: fmpq(1)}) == [(0, 1)]
    assert lattice.add({0: fmpq(1, 2)}) is None
    assert len(lattice.vectors) > len(lattice.units)
    second = Lattice(128)
    assert [second.add(unit) for unit in lattice.basis()] == [[(0, 1)]]
    assert second.add({0: fmpq(1)}) == [(0, 2)]
    assert len(second.vectors) == len(second.units)


@pytest.mark.parametrize(
    ("integrand", "answer"),
    [
        (r"e^{x/2}+e^{x/3}+e^{x/5}", r"2e^{x/2}+3(e^{x/12})^4+5(e^{x/20})^4"),
        (r"\sin(6x)+\cos(2x)+\sin(3x)", r"-\frac{\cos^2(3x)}{3}+\sin x\cos x-\frac{\cos(3x)}{3}"),
        (r"4e^{4x}\cos(e^{4x})+e^{x}", r"2\sin(e^{4x}/2)\cos(e^{4x}/2)+(e^{x/2})^2"),
    ],
)
def test_two_towers_suffice(integrand: str, answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second tower has the units of all exponents read by the first tower."""
    assert len(towers_of(integrand, answer, monkeypatch)) == 2


def test_a_full_ring_is_followed_by_a_larger_one(monkeypatch: pytest.MonkeyPatch) -> None:
    degrees = range(2, 15)
    slopes = "".join(rf"+{n}x^{{{n - 1}}}e^{{x^{{{n}}}}}" for n in degrees)
    terms = "".join(rf"+e^{{x^{{{n}}}}}" for n in degrees)
    small, large = towers_of(f"e^x{slopes}", f"e^x{terms}", monkeypatch)
    assert len(small.field.generators) == small.field.ring.size < len(large.field.generators)
    # The second tower is the first that reads all exponents, and a third has finer units.
    halves = rf"{slopes[1:]}+\frac{{e^x}}{{1+e^{{x/2}}}}", rf"2e^{{x/2}}-2\ln(1+e^{{x/2}}){terms}"
    assert len(towers_of(*halves, monkeypatch)) == 3


@pytest.mark.parametrize(
    ("integrand", "answer"),
    [
        (r"\sqrt x+\sqrt[3]x+\sqrt[5]x", r"\frac23x\sqrt x+\frac34x^{8/6}+\frac56(x^{1/10})^{12}"),
        (r"\frac{1}{6x\sqrt x}", r"-\frac13x^{-1/2}+\ln(\sqrt[3]x)-2\ln(\sqrt[6]x)"),
        (r"\frac{1}{2\sqrt x(\sqrt x+1)}+\frac13x^{-2/3}", r"\ln(\sqrt x+1)+\sqrt[3]x"),
    ],
)
def test_roots_of_several_orders_need_one_tower(
    integrand: str, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(towers_of(integrand, answer, monkeypatch)) == 1


def towers_of(integrand: str, answer: str, monkeypatch: pytest.MonkeyPatch) -> list[Tower]:
    """The towers of a proof without cases of signs."""
    towers: list[Tower] = []

    def counted(*args: Any, **state: Any) -> Tower:
        towers.append(Tower(*args, **state))
        return towers[-1]

    monkeypatch.setattr(tower, "Tower", counted)
    assert proof_of(answer, integrand) is not None
    return towers


PROVED = [
    (
        r"\frac{2(27x^2-4x-9)}{\cos(18x^3-4x^2-18x+5)+\cos 1}",
        r"\frac{1}{\sin 1}\ln\left|\frac{\cos(9x^3-2x^2-9x+2)}{\cos(9x^3-2x^2-9x+3)}\right|",
    ),
    (r"\sin(6x+4)\cos(3x+1)", r"-\frac{\cos(9x+5)}{18}-\frac{\cos(3x+3)}{6}"),
    (
        r"2x\cos x\cos x^2-\sin x\sin x^2",
        r"\frac12\sin(x^2+x)+\frac12\sin(x^2-x)",
    ),
    (r"(3x^2+1)\sec(x^3+x+4)", r"\ln|\sec(x^3+x+4)+\tan(x^3+x+4)|"),
    (
        r"(2x+3)\sin^4(x^2+3x+1)\cos^3(x^2+3x+1)",
        r"\frac{\sin^5(x^2+3x+1)}{5}-\frac{\sin^7(x^2+3x+1)}{7}",
    ),
    (r"\cos(x+a)", r"\sin x\cos a+\cos x\sin a"),
    (r"\frac{2x+5}{1+\cos(x^2+5x-7)}", r"\tan\frac{x^2+5x-7}{2}"),
    # Their angles are independent vectors, with constants.
    (
        r"(-12x^2+10x-8)\sin(20x^3-25x^2+40x+19)\sin(24x^3-30x^2+48x+28)",
        r"\frac{6}{11}\sin(20x^3-25x^2+40x+19)\cos(24x^3-30x^2+48x+28)"
        r"-\frac{5}{11}\sin(24x^3-30x^2+48x+28)\cos(20x^3-25x^2+40x+19)",
    ),
    # Powers of sums that are not expanded.
    (r"\frac{x^{99}}{(1+x)^{101}}", r"\frac{1}{100}\left(\frac{x}{1+x}\right)^{100}"),
    (
        r"\frac{x^2}{(x-1)^{100}}",
        r"-\frac{1}{97(x-1)^{97}}-\frac{1}{49(x-1)^{98}}-\frac{1}{99(x-1)^{99}}",
    ),
]


@pytest.mark.parametrize(("integrand", "answer"), PROVED)
def test_sums_in_angles_are_proved_and_certified(integrand: str, answer: str) -> None:
    verdict = verify_antiderivative(rf"\boxed{{{answer}}}", integrand)
    assert verdict.evidence.proof == "identity"
    assert check(certify(answer, integrand)) == []


@pytest.mark.parametrize(
    ("integrand", "answer"),
    [
        (r"\sin(6x+4)\cos(3x+1)", r"-\frac{\cos(9x+5)}{18}-\frac{\cos(3x+4)}{6}"),
        (r"\sin(6x+4)", r"-\frac{\cos(6x+5)}{6}"),
        (r"\cos(x+a)", r"\sin x\cos a-\cos x\sin a"),
        (r"\frac{2x+5}{1+\cos(x^2+5x-7)}", r"\tan\frac{x^2+5x-8}{2}"),
        (r"2x\cos x\cos x^2-\sin x\sin x^2", r"\frac12\sin(x^2+x)+\frac12\sin(x^2-x+1)"),
        (r"\frac{x^{99}}{(1+x)^{101}}", r"\frac{1}{100}\left(\frac{x}{1+x}\right)^{99}"),
    ],
)
def test_another_phase_or_power_is_refuted(integrand: str, answer: str) -> None:
    assert verify_antiderivative(rf"\boxed{{{answer}}}", integrand).status.value == "incorrect"


@pytest.mark.parametrize("n", [8, 12])
def test_known_sines_and_cosines_have_their_values(n: int) -> None:
    """Eighths and twelfths of pi are polynomials in square roots with mutual relations."""
    of_numbers = Tower(Field(), "x", {})
    for k in range(-2 * n, 2 * n + 1):
        sine, cosine = (
            of_numbers.field.tree(of_numbers.field.normal(value))
            for value in sin_cos(of_numbers, of_numbers.named("pi") * k / n)
        )
        for tree, expected in (
            (sine, math.sin(k * math.pi / n)),
            (cosine, math.cos(k * math.pi / n)),
        ):
            tape = compile_tape(tree, "x")
            value = tape.run(acb(0), {}, derivative=False)[tape.root][0]
            assert abs(float(value.real) - expected) < 1e-12
            assert not symbols_of(tree)


@pytest.mark.parametrize(
    ("integrand", "answer"),
    [
        (r"\cos(x+\frac{3\pi}{8})", r"\frac{\sqrt{2-\sqrt2}\sin x+\sqrt{2+\sqrt2}\cos x}{2}"),
        (r"\cos(x+\frac{\pi}{12})", r"\frac{\sqrt6+\sqrt2}{4}\sin x+\frac{\sqrt6-\sqrt2}{4}\cos x"),
        (
            r"\frac{1}{\sin x+\cos x}",
            r"\frac{1}{\sqrt2}\ln\left|\tan(\frac x2+\frac{\pi}{8})\right|",
        ),
    ],
)
def test_eighths_and_twelfths_of_pi_are_related(integrand: str, answer: str) -> None:
    assert verify_antiderivative(rf"\boxed{{{answer}}}", integrand).evidence.proof == "identity"
