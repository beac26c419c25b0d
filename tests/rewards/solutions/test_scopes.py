"""What is asserted, and where it holds: limits, bars, conditions, asides, letters, ranges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculus_harness.rewards import Judgement, verify_solution

ROWS = json.loads((Path(__file__).parents[1] / "cases" / "step_scopes.json").read_text("utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_scopes(row: dict[str, str]) -> None:
    solution = verify_solution(row["text"], row["problem"])
    found = {claim.judgement for claim in solution.claims if claim.kind != "final"}
    if row["want"] == "nothing wrong":
        assert Judgement.INCORRECT not in found
    elif row["want"] == "something wrong":
        assert Judgement.INCORRECT in found
    else:  # nothing correct, no progress
        assert Judgement.CORRECT not in found
        assert solution.progress == 0


@pytest.mark.parametrize(
    ("text", "problem", "expected"),
    [
        (r"$\sqrt{x^2} = x$", r"\int_0^1 x\,dx", "C"),
        (r"$\sqrt{x^2} = x$", r"\int_{-1}^1 x\,dx", "U"),
        (r"$\sqrt{x^2} = -x$", r"\int_0^1 x\,dx", "I"),
        (r"Let $x = 2\sin t$. $\sqrt{4 - x^2} = 2\cos t$", r"\int_{0}^{2} \sqrt{4-x^2}\,dx", "C"),
        (r"For $x > 0$ we have $|x| = x$.", "x", "C"),
        (r"For $x > 0$ we have $|x| = -x$.", "x", "I"),
        (r"$\pi \approx 3.14$, $\pi \approx 3.24$", "x", "CI"),
        (r"$\frac{\pi}{4} = 0.785\ldots$ and $\frac{\pi}{4} = 0.735$", "x", "CI"),
        (r"Let $u = x^2$. When $x = 3$, $u = 8$.", "x", "I"),
        (r"Let $u = x^2$. Then $u(3) = 9$ and $u(u + 1) = x^4 + x^2$.", "x", "CC"),
        (r"Let $F(s) = s^3$. $F(2a) = 8a^3$, $F(2a) = 2a^3$", "x", "CU"),
        (r"\[ x^2 - x = 2 \implies x = 2 \]", "x", "U"),
        (r"\[ x^2 - x = 2 \implies x = 3 \]", "x", "I"),
        (r"\begin{align*} x + 1 &= 1 + x \\ -2x &= -x - x \end{align*}", "x", "CC"),
        (r"$\int f(x)\,dx = x^2$ and $g(x) = 1$", "x", "U"),
        (r"$\int_0^1 x\,dx = \left(\frac{x^2}{2}\right)_0^1 = \frac12$", "x", "CC"),
        (r"$\int_0^1 \cos x\,dx = \sin(x)_0^1$", "x", "U"),
        (r"First put $u = x$, then put $u = x^2$. $\int x\,dx = \int u\,du$", "x", "C"),
        (r"At $x = 2$ we have $x^2 = 4$ and $x^3 = 9$.", "x", "CU"),
        (r"\begin{align*} \text{Area} &= 2\cdot 3 \\ &= 6 \end{align*}", "x", "C"),
        (r"$1 = 1$. The sum from 3 to 5 $= 12$.", "x", "C"),
    ],
)
def test_where_claims_hold(text: str, problem: str, expected: str) -> None:
    claims = [one for one in verify_solution(text, problem).claims if one.kind != "final"]
    assert "".join(str(one.judgement)[0].upper() for one in claims) == expected


def test_a_try_that_is_given_up_is_not_asserted_but_has_failed() -> None:
    text = (
        r"$\int xe^x\,dx = xe^x + C$. Wait, that is wrong. "
        r"$\int xe^x\,dx = xe^x - \int e^x\,dx = \boxed{xe^x - e^x + C}$"
    )
    solution = verify_solution(text, "xe^x")
    assert [claim.withdrawn for claim in solution.claims][:2] == [True, False]
    assert solution.outcome == "right"
    assert solution.first_wrong is None
    assert solution.progress == 0


def test_thoughts_are_read_on_request_only() -> None:
    text = (
        r"<think>$\int xe^x\,dx = xe^x + C$. Wait, no. "
        r"$\int xe^x\,dx = xe^x - \int e^x\,dx$.</think>"
        r" So $\boxed{xe^x - e^x + C}$."
    )
    assert [claim.kind for claim in verify_solution(text, "xe^x").claims] == ["final"]
    read = verify_solution(text, "xe^x", thoughts=True).claims
    assert [claim.kind for claim in read] == ["integral", "parts", "final"]
    assert [claim.withdrawn for claim in read] == [True, False, False]
    assert text[read[0].start : read[0].end] == r"\int xe^x\,dx = xe^x + C"
