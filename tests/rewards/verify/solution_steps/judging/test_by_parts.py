r"""Choices of ``u`` and ``dv``: wrong only where the text itself states the meaning."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import Claim, Judgement, verify_solution


def wrong(problem: str, text: str) -> list[Claim]:
    claims = verify_solution(text, problem).claims
    return [c for c in claims if c.judgement is Judgement.INCORRECT and c.kind != "final"]


RIGHT = [
    (
        r"x^2e^x",
        r"First: $u = x^2$, $dv = e^x\,dx$. Second: $u = 2x$, $dv = e^x\,dx$. So $\int "
        r"x^2e^x\,dx = x^2e^x - 2xe^x + 2e^x + C$.",
    ),
    (
        r"x e^x + \ln x",
        r"For the first term take $u = x$, $dv = e^x\,dx$; for the second $u = \ln x$, $dv = "
        r"dx$. $$\int (x e^x+\ln x)\,dx = xe^x - e^x + x\ln x - x + C$$",
    ),
    (
        r"x(e^x+\cos x)",
        r"Expand: for $\int xe^x\,dx$ let $u = x$, $dv = e^x\,dx$, $v = e^x$. For the other, "
        r"$u=x$, $dv=\cos x\,dx$, $v=\sin x$. $\int x e^x\,dx = xe^x-e^x$, $\int x\cos x\,dx = "
        r"x\sin x+\cos x$.",
    ),
    (
        r"e^{\sqrt x}",
        r"Let $t = \sqrt x$, $x = t^2$, $dx = 2t\,dt$. By parts with $u = t$ and $dv = "
        r"e^t\,dt$: $\int e^{\sqrt x}\,dx = 2te^t - 2e^t + C$.",
    ),
    (
        r"e^{\sqrt x}",
        r"Let $u = \sqrt x$, so $dx = 2u\,du$. $\int e^{\sqrt x}\,dx = 2\int u e^u\,du$. Now $w "
        r"= u$, $dv = e^u\,du$, $v = e^u$: $= 2ue^u - 2e^u + C$",
    ),
    (
        r"\sec^3 x",
        r"With $u=\sec x$, $dv=\sec^2x\,dx$, $v = \tan x$: $\int\sec^3x\,dx=\sec x\tan "
        r"x-\int\sec x\tan^2x\,dx$",
    ),
    (
        r"x^3e^{x^2}",
        r"$u = x^2$, $dv = xe^{x^2}\,dx$, $du = 2x\,dx$, $v = \frac12e^{x^2}$. $\int "
        r"x^3e^{x^2}\,dx = \frac12x^2e^{x^2} - \int xe^{x^2}\,dx$",
    ),
    (
        r"x^3 e^x",
        r"In general, with $u = x^n$, $dv = e^x\,dx$ we have $\int x^n e^x\,dx = x^ne^x - n\int "
        r"x^{n-1}e^x\,dx$. Thus $\int x^3e^x\,dx = x^3e^x-3x^2e^x+6xe^x-6e^x+C$.",
    ),
    (
        r"x^3 e^x",
        r"In general, take $u = x^n$ and $dv = e^x\,dx$. Thus $\int x^3e^x\,dx = "
        r"x^3e^x-3x^2e^x+6xe^x-6e^x+C$.",
    ),
    (
        r"e^x\sin x",
        r"Option 1: $u = e^x$, $dv = \sin x\,dx$. Option 2: $u = \sin x$, $dv = e^x\,dx$. "
        r"Either works. $\int e^x\sin x\,dx = \frac{e^x}{2}(\sin x-\cos x)+C$",
    ),
    (
        r"\ln(x+1)",
        r"$u = \ln(x+1)$, $dv = dx$; choose $v = x+1$: $\int\ln(x+1)\,dx = (x+1)\ln(x+1) - \int "
        r"1\,dx = (x+1)\ln(x+1)-x+C$",
    ),
    (
        r"(\ln x)^2",
        r"$u = (\ln x)^2$, $dv = dx$, $du = \frac{2\ln x}{x}dx$, $v = x$. Then $\int (\ln "
        r"x)^2dx = x(\ln x)^2 - 2\int\ln x\,dx$; $u = \ln x$, $dv = dx$ again.",
    ),
    (
        r"\int_0^1 x e^{-x}\,dx",
        r"Let $u=x$, $dv=e^{-x}\,dx$, so $v=-e^{-x}$. $\int_0^1xe^{-x}\,dx = "
        r"-xe^{-x}\Big|_0^1+\int_0^1e^{-x}\,dx = 1-2/e$",
    ),
    (
        r"\frac{x e^x}{(x+1)^2}",
        r"$u = xe^x$, $dv = \frac{dx}{(x+1)^2}$, $du = (x+1)e^x\,dx$, $v = -\frac1{x+1}$. "
        r"$\int\frac{xe^x}{(x+1)^2}dx = -\frac{xe^x}{x+1}+e^x+C$",
    ),
    (
        r"\sin\sqrt{x}",
        r"Put $x = t^2$, $dx = 2t\,dt$. $u = 2t$, $dv = \sin t\,dt$, $du = 2\,dt$, $v = -\cos t$.",
    ),
    (
        r"x\sin^2x",
        r"$\sin^2x = \frac{1-\cos2x}{2}$, so we need $\int x\cos 2x$: $u=x$, $dv=\cos2x\,dx$, "
        r"$v=\frac12\sin2x$.",
    ),
    (
        r"x\sin^2x",
        r"Since $\sin^2x = \frac{1-\cos2x}{2}$ we only have to integrate the second part: "
        r"$u=x$, $dv=\cos2x\,dx$, $v=\frac12\sin2x$. $\int "
        r"x\sin^2x\,dx=\frac{x^2}{4}-\frac{x}{4}\sin2x-\frac18\cos2x+C$",
    ),
    (
        r"\arctan\sqrt{x}",
        r"With $s=\sqrt x$: $u=\arctan s$, $dv = 2s\,ds$, $v = s^2+1$. So $\int = "
        r"(x+1)\arctan\sqrt x-\sqrt x+C$",
    ),
    (
        r"x^2\cos x",
        r"Set $u = x^2$ and $dv=\cos x\,dx$. This needs $\int x\sin x\,dx$, for which $u=x$ and "
        r"$dv = \sin x\,dx$.",
    ),
    (
        r"x^2\cos x",
        r"$u_1 = x^2$, $dv_1=\cos x\,dx$, $v_1 = \sin x$; $u_2=2x$, $dv_2=\sin x\,dx$. $\int "
        r"x^2\cos x\,dx = x^2\sin x+2x\cos x-2\sin x+C$",
    ),
    (r"x^2\cos x", r"U = x^2, dV = cos x dx. After one step U = x, dV = sin x dx remains."),
    (
        r"x\ln x",
        r"One might choose $u = x$, $dv = \ln x\,dx$; $u=\ln x$, $dv = x\,dx$ is better. "
        r"Compare $\int x e^x\,dx$, where $u = x$ and $dv=e^x\,dx$.",
    ),
    (
        r"x\ln x",
        r"Choose $u=\ln x$, $dv = x\,dx$. (For a similar problem one would use $u = x$ and $dv "
        r"= e^x\,dx$.)",
    ),
]


@pytest.mark.parametrize(("problem", "text"), RIGHT)
def test_unusual_choices_are_no_claims(problem: str, text: str) -> None:
    assert wrong(problem, text) == []


WRONG = [
    # The dv of a table that is filled in later, of the table that is filled in, and of neither.
    (
        r"x\cos x",
        r"""\[\begin{aligned} u &= x & dv &= \sin x\,dx \\ du &= \text{?} & v &= \text{?}
        \end{aligned}\] becomes
        \[\begin{aligned} u &= x & dv &= \cos x\,dx \\ du &= dx & v &= \sin x\end{aligned}\]
        $$\int x\cos x\,dx = x\sin x - \int\sin x\,dx$$""",
        r"\sin x\,dx",
    ),
    (
        r"x\cos x",
        r"""\[\begin{aligned} u &= x & dv &= \cos x\,dx \\ du &= \text{?} & v &= \text{?}
        \end{aligned}\] becomes
        \[\begin{aligned} u &= x & dv &= \sin x\,dx \\ du &= dx & v &= \sin x\end{aligned}\]
        $$\int x\cos x\,dx = x\sin x - \int\sin x\,dx$$""",
        r"\sin x\,dx",
    ),
    (
        r"x\cos x",
        r"Let $u = x$ and $dv = \cos 2x\,dx$. Then $v = \sin x$, so $\int x\cos x\,dx = x\sin x "
        r"- \int\sin x\,dx$.",
        r"\cos 2x\,dx",
    ),
    # The u of a table that is filled in.
    (
        r"\ln x",
        r"Set $u = \ln x$, $dv = dx$. \[\begin{aligned} u &= e^x & dv &= dx \\ du &= dx/x & v "
        r"&= x\end{aligned}\]",
        "e^x",
    ),
    (
        r"xe^{2x}",
        r"Take $u = x$ and $dv = e^{3x}\,dx$, so that $v = \frac12e^{2x}$.",
        r"e^{3x}\,dx",
    ),
]


@pytest.mark.parametrize(("problem", "text", "right"), WRONG)
def test_a_choice_that_fits_no_integral_is_wrong(problem: str, text: str, right: str) -> None:
    claim, *_ = wrong(problem, text)
    assert (claim.right, claim.gain) == (right, 0.0)
    assert text[claim.start : claim.end].endswith(right)


def test_nothing_behind_a_wrong_choice_earns() -> None:
    text = (
        r"Let $u = x$ and $dv = \sin x\,dx$, $v = \sin x$. $\int x\cos x\,dx = x\sin x + \cos x "
        r"+ C$"
    )
    solution = verify_solution(text, r"x\cos x")
    assert solution.progress == 0
    assert [claim.gain for claim in solution.claims] == [0.0] * len(solution.claims)


def test_a_choice_that_the_text_gives_up_is_not_wrong() -> None:
    text = (
        r"Let $u = x$, $dv = \sin x\,dx$. Then $v = \sin x$. Wait, that's wrong. $\int x\cos "
        r"x\,dx = x\sin x+\cos x$"
    )
    assert wrong(r"x\cos x", text) == []
