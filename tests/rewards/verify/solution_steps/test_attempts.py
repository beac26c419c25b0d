# ruff: noqa: E501  # formulas
r"""Abandoned tries and quotations: not asserted, and without a reward."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import Judgement, verify_solution

#: The problem, the text, and what is wrong in it; None where nothing is that is asserted.
ROWS: list[
    tuple[str, str, str | None]
] = [  # (problem, text, expected first wrong substring or None)
    (
        "xe^x",
        r"""Try $u=e^x$, $dv=x\,dx$: $$\int xe^x\,dx=\frac{x^2}{2}e^x+\int\frac{x^2}{2}e^x\,dx.$$ The new integral is harder than the old one. $$\int\frac{x^2}{2}e^x\,dx=\frac{x^3}{6}e^x.$$ This approach leads nowhere, so let us start over. With $u=x$, $dv=e^x\,dx$: $$\int xe^x\,dx=xe^x-e^x+C.$$""",
        None,
    ),
    (
        "xe^x",
        r"""First attempt: $\int xe^x\,dx=\frac{x^2}{2}e^x+C$. Differentiating, $\frac{d}{dx}\frac{x^2}{2}e^x=xe^x+\frac{x^2}{2}e^x$. So this does not work. Instead use parts: $\int xe^x\,dx=xe^x-e^x+C$.""",
        None,
    ),
    (
        "xe^x",
        r"""A common mistake is to write $\int xe^x\,dx=\frac{x^2}{2}e^x+C$. The correct computation is $\int xe^x\,dx=xe^x-e^x+C$.""",
        None,
    ),
    (
        "xe^x",
        r"""It is tempting to say that $$\int xe^x\,dx=\int x\,dx\int e^x\,dx=\frac{x^2}2e^x.$$ But products are not integrated factor by factor. Rather, $\int xe^x\,dx=xe^x-e^x+C$.""",
        None,
    ),
    (
        "xe^x",
        r"""One might think that $\int xe^x\,dx=x e^x$. However, that ignores the product rule. We have $\int xe^x\,dx=xe^x-\int e^x\,dx=xe^x-e^x+C$.""",
        None,
    ),
    (
        r"\int_{-1}^1\frac{1}{x^2}\,dx",
        r"""If we ignored the pole, we would get $$\int_{-1}^1\frac1{x^2}\,dx=\left[-\frac1x\right]_{-1}^1=-2,$$ which is absurd, as the integrand is positive. The integral diverges.""",
        None,
    ),
    (
        r"\int_{-1}^1\frac{1}{x^2}\,dx",
        r"""Naively, $$\int_{-1}^1\frac1{x^2}\,dx=-\frac1x\Big|_{-1}^1=-2.$$ This cannot be right. Violating the hypothesis of the theorem led us to an incorrect value. The integral diverges.""",
        None,
    ),
    (
        "xe^x",
        r"""<think>Let me try substitution: $u=e^x$. Then $\int xe^x\,dx=\int \ln u\,du=u\ln u+u$. Hmm, derivative of $u\ln u+u$ is $\ln u+2$, not $\ln u$. I made an error. So $\int\ln u\,du=u\ln u-u$. OK.</think> $\int xe^x\,dx=xe^x-e^x+C$""",
        None,
    ),
    (
        "xe^x",
        r"""<think>$\int xe^x\,dx=xe^x+e^x$. Check: derivative is $e^x+xe^x+e^x$. No, sign is wrong. $\int xe^x\,dx=xe^x-e^x$.</think> $\int xe^x\,dx=xe^x-e^x+C$""",
        None,
    ),
    (
        "xe^x",
        r"""<think>Attempt 1: $\int xe^x\,dx=x^2e^x$. Attempt 2: $\int xe^x\,dx=xe^x-e^x$. Attempt 2 checks out, attempt 1 was wrong.</think> $\int xe^x\,dx=xe^x-e^x+C$""",
        None,
    ),
    (
        "x\\cos x",
        r"""<think>$u=x$, $dv=\cos x\,dx$, $v=-\sin x$. Then $\int x\cos x\,dx=-x\sin x+\int\sin x\,dx=-x\sin x-\cos x$. Differentiate: that gives $-x\cos x$. That's not the integrand! Wait, I think $v=\sin x$. So $\int x\cos x\,dx=x\sin x-\int\sin x\,dx=x\sin x+\cos x$.</think> The answer is $x\sin x+\cos x+C$.""",
        None,
    ),
    (
        "x\\cos x",
        r"""<think>Approach 1. $\int x\cos x\,dx=\frac{x^2}{2}\sin x$. Doesn't look right. Approach 2. $\int x\cos x\,dx=x\sin x+\cos x$.</think> The answer is $x\sin x+\cos x+C$.""",
        None,
    ),
    (
        "x\\cos x",
        r"""Let's see. $$\int x\cos x\,dx=x\sin x+\int\sin x\,dx$$ Oops, sign error: $$\int x\cos x\,dx=x\sin x-\int\sin x\,dx=x\sin x+\cos x+C$$""",
        None,
    ),
    (
        "x\\cos x",
        r"""$$\int x\cos x\,dx=x\sin x+\int\sin x\,dx=x\sin x-\cos x+C$$ Let me double-check by differentiating: $\frac{d}{dx}(x\sin x-\cos x)=\sin x+x\cos x+\sin x$. This is not $x\cos x$, so there is a mistake. Correcting the sign: $$\int x\cos x\,dx=x\sin x+\cos x+C$$""",
        None,
    ),
    (
        "x\\cos x",
        r"""Nehmen wir versuchsweise $\int x\cos x\,dx=\frac{x^2}2\sin x$. Das ist falsch. Richtig ist $\int x\cos x\,dx=x\sin x+\cos x+C$.""",
        None,
    ),
    # What is wrong is asserted.
    (
        "x\\cos x",
        r"""$$\int x\cos x\,dx=x\sin x+\int\sin x\,dx$$ and $\int\sin x\,dx=-\cos x$, so $$x\sin x-\cos x.$$ Wait, we also need the constant: $x\sin x-\cos x+C$.""",
        r"x\sin x+\int",
    ),
    (
        "xe^x",
        r"""$\int xe^x\,dx=\frac{x^2}{2}e^x+C$. This approach leads nowhere, so let us start over. $\int xe^x\,dx=xe^x+e^x+C$.""",
        r"xe^x+e^x+C",
    ),
    (
        "xe^x",
        r"""A common mistake is to forget the constant. $\int xe^x\,dx=xe^x+e^x+C$.""",
        r"xe^x+e^x+C",
    ),
    (
        "xe^x",
        r"""This is not easy at first sight. $\int xe^x\,dx=xe^x+e^x+C$. It is not hard to check.""",
        r"xe^x+e^x+C",
    ),
    (
        "xe^x",
        r"""$\int xe^x\,dx=xe^x+e^x+C$. This does not depend on the choice of $v$. So $e^x(x+1)+C$.""",
        r"xe^x+e^x+C",
    ),
    ("xe^x", r"""One might think this is hard, but $\int xe^x\,dx=xe^x+e^x+C$.""", r"xe^x+e^x+C"),
    (
        "x\\cos x",
        r"""$v=-\sin x$ follows from $dv=\cos x\,dx$. So with $u=x$, $\int x\cos x\,dx=-x\sin x+\int\sin x\,dx$. The wrong sign is a frequent error here. We get $-x\sin x-\cos x+C$.""",
        "dv=\\cos x",
    ),
    (
        "xe^x",
        r"""If we wrote it as a product we would get $\int xe^x\,dx=xe^x-\int e^x\,dx$. Then $\int xe^x\,dx=xe^x+e^x+C$.""",
        r"xe^x+e^x+C",
    ),
    (
        "x^2\\ln x",
        r"""<think>
Okay, I need to integrate x^2 ln x. Let me use parts with u = x^2, dv = \ln x dx. Then v = x\ln x - x. So
\int x^2\ln x dx = x^2(x\ln x - x) - \int 2x(x\ln x - x) dx. That contains the same integral again, so this could work but it's messy. Let me switch: u = \ln x, dv = x^2 dx, v = x^3/3.
\int x^2 \ln x dx = \frac{x^3}{3}\ln x - \int \frac{x^3}{3}\cdot\frac{1}{x} dx = \frac{x^3}{3}\ln x - \frac{x^3}{9}.
</think>
$$\int x^2\ln x\,dx=\frac{x^3}{3}\ln x-\frac{x^3}{9}+C$$""",
        None,
    ),
    (
        "\\sin^2 x\\cos x",
        r"""<think>$u=\sin x$: $\int\sin^2x\cos x\,dx=\int u\,du=\frac{u^2}{2}$. Hmm wait, $\sin^2x=u^2$, so it's $\int u^2\,du=\frac{u^3}{3}$. Good.</think> $\frac{\sin^3x}{3}+C$""",
        None,
    ),
    (
        "\\frac{1}{x^2+4}",
        r"""Maybe $\int\frac{dx}{x^2+4}=\arctan\frac x2+C$? Let me check: $\frac{d}{dx}\arctan\frac x2=\frac{1}{2}\cdot\frac{1}{1+x^2/4}=\frac{2}{4+x^2}$. We're off by a factor of 2. So the answer is $\frac12\arctan\frac x2+C$.""",
        None,
    ),
    (
        "\\frac{1}{x^2+4}",
        r"""I'll first try $x=2\sin t$, which turns $x^2+4$ into $4\sin^2t+4$. No simplification. Scrap that. With $x=2\tan t$, $dx=2\sec^2t\,dt$, $\int\frac{dx}{x^2+4}=\int\frac{2\sec^2t}{4\sec^2t}\,dt=\frac t2+C=\frac12\arctan\frac x2+C$.""",
        None,
    ),
    (
        "\\frac{1}{x^2+4}",
        r"""**Incorrect solution.** $\int\frac{dx}{x^2+4}=\ln(x^2+4)+C$.

**Correct solution.** $\int\frac{dx}{x^2+4}=\frac12\arctan\frac x2+C$.""",
        None,
    ),
    (
        "\\frac{1}{x^2+4}",
        r"""You cannot write $\int\frac{dx}{x^2+4}=\ln(x^2+4)+C$, because the derivative of the right side has an extra factor. Instead, $\int\frac{dx}{x^2+4}=\frac12\arctan\frac x2+C$.""",
        None,
    ),
    (
        "\\frac{1}{x^2+4}",
        r"""Note that $\int\frac{dx}{x^2+4}\ne\ln(x^2+4)+C$. In fact $\int\frac{dx}{x^2+4}=\frac12\arctan\frac x2+C$.""",
        None,
    ),
    (
        "\\frac{1}{x^2+4}",
        r"""Student's answer: $\int\frac{dx}{x^2+4}=\ln(x^2+4)+C$. This answer is wrong. The right one: $\int\frac{dx}{x^2+4}=\frac12\arctan\frac x2+C$.""",
        None,
    ),
    (
        "xe^{2x}",
        r"""$$\int xe^{2x}\,dx=\frac x2e^{2x}-\frac12\int e^{2x}\,dx=\frac x2e^{2x}-\frac12e^{2x}+C.$$ Differentiating: $e^{2x}/2+xe^{2x}-e^{2x}$, which does not equal $xe^{2x}$. I forgot the factor $\frac12$: $$\int xe^{2x}\,dx=\frac x2e^{2x}-\frac14e^{2x}+C.$$""",
        None,
    ),
    (
        "xe^{2x}",
        r"""Suppose for contradiction that $\int xe^{2x}\,dx=Axe^{2x}+C$. Then $A(1+2x)=x$ for all $x$, which is impossible. So take $(Ax+B)e^{2x}$; $A=\frac12$, $B=-\frac14$.""",
        None,
    ),
    # What is wrong is asserted.
    (
        "xe^{2x}",
        r"""$$\int xe^{2x}\,dx=\frac x2e^{2x}-\frac12\int e^{2x}\,dx=\frac x2e^{2x}-\frac12e^{2x}+C.$$ We verify the result by differentiating and it works. There is no mistake.""",
        r"-\frac12e^{2x}+C",
    ),
    ("xe^{2x}", r"""It is not difficult to see that $\int xe^{2x}\,dx=xe^{2x}+C$.""", r"xe^{2x}+C"),
    (
        "xe^{2x}",
        r"""If $u=x$ then it would be natural to choose $dv=e^{2x}\,dx$. We find $\int xe^{2x}\,dx=xe^{2x}+C$.""",
        r"xe^{2x}+C",
    ),
    (
        "xe^{2x}",
        r"""Try as a first approach integration by parts, which leads to $\int xe^{2x}\,dx=xe^{2x}-\int e^{2x}\,dx$ and thus to $xe^{2x}-\frac12e^{2x}+C$.""",
        r"xe^{2x}-\int",
    ),
    (
        "xe^{2x}",
        r"""$\int xe^{2x}\,dx=xe^{2x}+C$. Instead of expanding further, we stop here. The method does not need more.""",
        r"xe^{2x}+C",
    ),
]


@pytest.mark.parametrize(("problem", "text", "wrong"), ROWS)
def test_attempts(problem: str, text: str, wrong: str | None) -> None:
    solution = verify_solution(text, problem, thoughts=True)
    steps = [claim for claim in solution.claims if claim.kind != "final"]
    refuted = [claim for claim in steps if claim.judgement is Judgement.INCORRECT]
    if wrong is None:
        assert refuted == []
    else:
        assert wrong in text[refuted[0].start : refuted[0].end]


@pytest.mark.parametrize("row", [row for row in ROWS if row[2] is None])
def test_a_try_that_is_given_up_earns_no_more_than_none(row: tuple[str, str, str | None]) -> None:
    problem, text, _ = row
    wrong = verify_solution(text, problem, thoughts=True)
    if any(claim.withdrawn for claim in wrong.claims):
        start = next(at for at, claim in enumerate(wrong.claims) if claim.withdrawn)
        assert all(claim.gain == 0 for claim in wrong.claims[start:])
