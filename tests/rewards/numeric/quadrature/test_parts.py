"""Parts of the quadratures: each part keeps the premises of the enclosure."""

from __future__ import annotations

import pytest
from flint import acb, arb

from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.numeric.quadrature import line
from calculus_harness.rewards.numeric.quadrature.agreed import piece
from calculus_harness.rewards.numeric.quadrature.agreed.ends import End
from calculus_harness.rewards.numeric.quadrature.analytic import integrate_where_large
from calculus_harness.rewards.numeric.quadrature.enclosed.tails import _Bounds, _Tail
from calculus_harness.rewards.numeric.quadrature.kinks import _isolated
from calculus_harness.rewards.reading.latex import read


def test_an_isolated_kink_lies_in_its_enclosure() -> None:
    """sin x = x/2 between 1 and 2 has no name."""
    with precision(256):
        tape = compile_tape(read(r"\sin x-\frac x2")[0].expression, "x")
        enclosure = _isolated(tape, tape.root, arb(0), {}, arb(1), arb(2))
        assert enclosure is not None
        low, high = (
            tape.at(tape.root, acb(end), {})[0].real
            for end in (enclosure.lower(), enclosure.upper())
        )
        assert bool(low > 0)
        assert bool(high < 0)


@pytest.mark.parametrize(
    ("low", "high"),
    [(arb(0), arb(1) / 2), (arb("-inf"), arb(-3)), (arb(5), arb("inf")), (arb("-inf"), arb("inf"))],
)
def test_the_middle_is_inside(low: arb, high: arb) -> None:
    middle = line.inner_point(low, high)
    assert bool(low < middle)
    assert bool(middle < high)


def test_the_nodes_of_a_finite_piece_are_inside() -> None:
    with precision(192):
        left, right = End(arb(2), 1), End(arb(5), -1)
        nodes = piece._points(piece.Piece(left, right, 1.0), 64)
        points = nodes(2)
        assert all(bool(x > 2) and bool(x < 5) for x, _ in points)
        assert len({str(x) for x, _ in points}) == len(points)


def test_a_power_is_bounded_below_by_a_tangent_only_where_its_base_is_positive() -> None:
    line = arb(-1), arb(2)  # -1 + 2 t is negative at first
    bounds = _Bounds(lower_line=line)
    assert not bounds.positive
    assert _Tail._raised(bounds, arb(2)).lower_line is None


def test_a_bound_where_an_integrand_is_negligible_needs_no_analytic_form() -> None:
    flags: list[bool] = []

    def function(x: acb, analytic: bool) -> acb:
        flags.append(analytic)
        return acb("nan") if analytic and not x.imag.is_zero() else (-x * x * 10**6).exp()

    with precision(128):
        integrate_where_large(function, arb(1), arb(2), 64, 100)
    assert flags
    assert not any(flags)
