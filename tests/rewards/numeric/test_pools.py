"""Sample points: without a real domain the search for points is bounded or skipped."""

from __future__ import annotations

import pytest

from calculus_harness.rewards.numeric.ball_arithmetic.balls import USUAL
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.numeric.ball_arithmetic.domain import search
from calculus_harness.rewards.numeric.ball_arithmetic.jets import Ball
from calculus_harness.rewards.numeric.sampling import pool as pools
from calculus_harness.rewards.numeric.sampling.integrand import prepare
from calculus_harness.rewards.reading.latex import read


def _spent(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, int]:
    """The tier of a function's points, and the evaluations in the searches for a real domain."""
    total = 0

    def counted(*args: object) -> tuple[list[float], int]:
        nonlocal total
        points, spent = search(*args)  # type: ignore[arg-type]
        total += spent
        return points, spent

    monkeypatch.setattr(pools, "search", counted)
    pool = prepare(text, "x", {"a": "real"}).pool(USUAL, 0)
    assert len(pool.take(pools.MIN_POINTS)) == pools.MIN_POINTS
    return pool.tier, total


@pytest.mark.parametrize("text", ["ax + e^{ix}", r"\frac{a + ix}{x^2 + 1}", r"x\sqrt{-1-a^2}"])
def test_a_meromorphic_function_that_is_not_real_at_a_point_has_no_real_domain(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _spent(text, monkeypatch) == ("complex", 0)


def test_no_domain_is_sought_where_only_rounding_hides_that_values_are_real(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = r"\left(\frac{-1+\sqrt{3}i}{2}\right)^3\sqrt{x^2+a^2}"
    assert _spent(text, monkeypatch) == ("value", 0)


def test_all_draws_of_the_parameters_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    tier, spent = _spent(r"\ln(\sin(ax) - 1)", monkeypatch)
    assert tier == "complex"
    assert pools.SEARCH_BUDGET <= spent <= pools.SEARCH_BUDGET + 2


@pytest.mark.parametrize(
    ("text", "draws"),
    [
        (r"\ln(\sin(x) - 1) + ax", 1),
        (r"\ln(\cos(ax) - 1)", pools.DRAWS),
        (
            r"\begin{cases} \ln(\sin(x) - 1) & a > 9 \\ \ln(\cos(x) - 1) & a \le 9 \end{cases}",
            pools.DRAWS,
        ),
    ],
)
def test_parameters_are_drawn_again_only_if_the_domain_depends_on_them(
    text: str, draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = set()

    def counted(*args: object) -> dict[str, Ball]:
        attempts.add(args[-1])
        return draw(*args)  # type: ignore[arg-type]

    draw = pools.draw
    monkeypatch.setattr(pools, "draw", counted)
    assert _spent(text, monkeypatch)[0] == "complex"
    assert len(attempts) == draws


@pytest.mark.parametrize("text", [r"\sqrt{(x-7)(8-x)}", r"\frac{a}{\sqrt{(x-100)(101-x)}}"])
def test_a_narrow_domain_is_found(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tier, spent = _spent(text, monkeypatch)
    assert tier == "real"
    assert 0 < spent < pools.SEARCH_BUDGET


@pytest.mark.parametrize(
    ("text", "analytic", "meromorphic"),
    [
        (r"\tan x + \sqrt{a} + |a|", True, True),
        (r"\operatorname{Re}(x)", True, False),
        (r"\arctan x", True, False),
        (r"\ln|x|", True, False),
        (r"|x - a|", False, False),
        (r"\begin{cases} x & a > 2 \\ x^2 & a \le 2 \end{cases}", True, False),
        (r"\begin{cases} x & x > a \\ x^2 & x \le a \end{cases}", False, False),
    ],
)
def test_breakpoints_and_branches_in_parameters_are_none_of_the_variable(
    text: str, analytic: bool, meromorphic: bool
) -> None:
    tape = compile_tape(read(text)[0].expression, "x")
    assert (tape.is_analytic, tape.is_meromorphic) == (analytic, meromorphic)
