# ruff: noqa: E501  # formulas
r"""Steps without a reward: all steps that bring the problem no nearer to a solution."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import verify_solution
from calculus_harness.rewards.adapters.for_trl import step_reward

#: A right first step of the second problem.
HELPS = r"$\int x^2e^x\,dx = x^2e^x - 2\int xe^x\,dx$. "


def worthless(factor: str) -> dict[str, str]:
    """Worthless steps for the integrand x^2 times a factor."""
    f = f"x^2{factor}"
    in_u = f.replace("x", "u")
    integral = rf"\int {f}\,dx"
    return {
        "the question": f"We want ${integral}$.",
        "the question, equated with itself": f"${integral} = {integral}$",
        "the question with a name": f"Let $I = {integral}$. Then ${integral} = I$ and $2I = I + I$ and $I = 2I - I$.",
        "a new letter": rf"Let $u = x$, $du = dx$. ${integral} = \int {in_u}\,du$",
        "a factor taken out and in": rf"$2{integral} = \int 2{f}\,dx$, $\frac{{a\cdot {integral}}}{{a}} = {integral}$",
        "nothing times it": rf"$0\cdot {integral} = 0$, $(1-1){integral} = 0$, $(\sqrt2\sqrt2 - 2){integral} = 0$",
        "identities": r"$x = x$, $1 + 1 = 2$, $\sin^2 x + \cos^2 x = 1$, $e^{2x} = (e^x)^2$. " * 9,
        "derivatives": r"$\frac{d}{dx}x^2 = 2x$ and $\frac{d}{dx}(e^x\cos x) = e^x\cos x - e^x\sin x$.",
        "other integrals": r"$\int 2x\,dx = x^2 + C$, $\int\cos x\,dx = \sin x + C$. " * 5,
        "definitions": rf"Let $u = x^2$, $dv = {factor}\,dx$, $du = 2x\,dx$, $w = \sin x$.",
        "a name for the integrand": rf"Let $k = {f}$. Then ${integral} = \int k\,dx$.",
        "a function for it": rf"Let $g(x) = {f}$. Then ${integral} = \int g(x)\,dx$.",
        "its differential": rf"Let $dg = {f}\,dx$. Then ${integral} = \int dg = g = g + C$.",
        "an exponential of it": rf"Let $dg = {f}\,dx$, $h = e^g$. ${integral} = \int \frac{{dh}}{{h}}$.",
        "parts without v": rf"Let $u = x^2$, $dv = {factor}\,dx$. ${integral} = \int u\,dv = uv - \int v\,du$.",
        "a term moved": rf"${integral} = \int ({f} - x)\,dx + \frac{{x^2}}{{2}}$",
        "terms moved again and again": "".join(
            rf"$\int ({f} - {n}x)\,dx = \int ({f} - {n + 1}x)\,dx + \frac{{x^2}}{{2}}$. "
            for n in range(20)
        ),
        "a split in two": rf"${integral} = \int \frac{{{f}}}{{2}}\,dx + \int \frac{{{f}}}{{2}}\,dx$",
        "a variable that is constant": rf"Let $x = t - t + 1$. ${integral} = \int 0\,dt = C$",
        "another meaning of e": rf"Let $e = 1$, $e(x) = 0$. ${integral} = \frac{{x^3}}{{3}} + C$",
        "no differential": rf"Let $d = 0$. ${integral} = 0$",
        "an unknown constant": rf"${integral} = A$, ${integral} = A + C$, $A = {integral}$",
    }


@pytest.mark.parametrize("factor", [r"e^x\cos x", "e^x", r"\sin(x)"])
@pytest.mark.parametrize("name", worthless(""))
def test_what_brings_the_problem_no_nearer_earns_nothing(name: str, factor: str) -> None:
    assert verify_solution(worthless(factor)[name], f"x^2{factor}").progress == 0


#: The same for a definite integral; `whole` is that of 0 to 1, `inner` what is under the sign.
WORTHLESS_DEFINITE = {
    "itself": "${whole} = {whole}$, $2{whole} = {whole} + {whole}$",
    "a name": "Let $I = {whole}$. Then ${whole} = I$, $I = \\lim_{{c\\to0}} I$ and $2I = I + I$.",
    "its limits turned": r"${whole} = -\int_1^0 {inner}\,dx$",
    "its range cut": r"${whole} = \int_0^{{1/2}} {inner}\,dx + \int_{{1/2}}^1 {inner}\,dx$",
    "a new letter": r"Let $u = x$. ${whole} = \int_0^1 u^2e^u\,du = \int_0^1 t^2e^t\,dt$",
    "a limit of it": r"${whole} = \lim_{{b\to1}}\int_0^b {inner}\,dx = \lim_{{a\to0^+}}\int_a^1 {inner}\,dx$",
    "another integral around it": r"${whole} = \int_0^1\int_0^1 {inner}\,dx\,dy = \int_0^1 {whole}\,dy$",
    "its function": r"Let $G(x) = \int {inner}\,dx$. Then ${whole} = G(1) - G(0)$ and ${whole} = [G(x)]_0^1$.",
    "its function of the end": r"Let $G(t) = \int_0^t {inner}\,dx$. Then ${whole} = G(1)$.",
    "limits": r"$\lim_{{x\to0}}\frac{{\sin x}}{{x}} = 1$, $\lim_{{x\to\infty}} e^{{-x}} = 0$. " * 9,
    "values": r"$\int_0^1 x\,dx = \frac12$, $\left[x^2\right]_0^1 = 1$, $e^0 = 1$, $\int_0^1 e^x\,dx = e - 1$.",
    "a term moved": r"${whole} = \int_0^1 ({inner} - x)\,dx + \frac12$",
    "a decimal": "${whole} = 0.7182818$",
}


@pytest.mark.parametrize("name", WORTHLESS_DEFINITE)
def test_what_brings_a_definite_problem_no_nearer_earns_nothing(name: str) -> None:
    inner = "x^2e^x"
    integral = rf"\int_0^1 {inner}\,dx"
    text = WORTHLESS_DEFINITE[name].format(whole=integral, inner=inner)
    solution = verify_solution(text, integral)
    assert solution.progress == 0
    steps = [claim for claim in solution.claims if claim.kind != "final"]
    assert steps
    assert not any(claim.judgement == "incorrect" for claim in steps)


def test_right_steps_of_a_definite_problem_earn_what_they_take_off() -> None:
    integral = r"\int_0^1 x^2e^x\,dx"
    by_parts = r"$\int_0^1 x^2e^x\,dx = \left[x^2e^x\right]_0^1 - 2\int_0^1 xe^x\,dx$. "
    then = r"$\int xe^x\,dx = xe^x - e^x + C$. "
    value = r"$\int_0^1 x^2e^x\,dx = e - 2$"
    earned = [
        verify_solution(text, integral).progress
        for text in (by_parts, by_parts + then, by_parts + then + value, value)
    ]
    assert 0 < earned[0] < earned[1] < earned[2] == earned[3] == pytest.approx(1)


@pytest.mark.parametrize("answer", [r"$\boxed{x^3/3}$", "x^3/3 + C"])
def test_an_answer_without_steps_earns_nothing(answer: str) -> None:
    assert verify_solution(answer, "x^2").progress == 0


def test_right_steps_earn_what_they_take_off_and_no_more() -> None:
    solution = verify_solution(HELPS, "x^2e^x")
    assert 0 < solution.progress < 1
    done = HELPS + r"$\int xe^x\,dx = xe^x - \int e^x\,dx = xe^x - e^x + C$."
    assert verify_solution(done, "x^2e^x").progress == 1
    assert verify_solution(done * 20, "x^2e^x").progress == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", worthless(""))
def test_padding_changes_no_reward(name: str) -> None:
    padding = worthless("e^x")[name]
    texts = [HELPS, f"{padding}\n\n{HELPS}{padding}"]
    plain, padded = step_reward(["", ""], texts, integrand=["x^2e^x", "x^2e^x"])
    assert plain
    wrong = verify_solution(padding, "x^2e^x").outcome == "wrong"  # not the answer alone
    assert padded == (0 if wrong else plain)


def test_nothing_is_earned_after_a_step_that_is_seen_to_be_wrong_later() -> None:
    text = r"$\int x\,dx = \int 2u\,du$. " + HELPS + "Here $u = x$."
    assert verify_solution(text, "x^2e^x").progress == 0


def test_nothing_is_earned_after_a_wrong_step() -> None:
    solution = verify_solution(r"$\frac{d}{dx}e^x = xe^{x-1}$. " + HELPS, "x^2e^x")
    assert solution.first_wrong == 0
    assert solution.progress == 0


@pytest.mark.parametrize(
    "text",
    [
        "\\[ x^2 \\]\nLet $I = {whole}$.\n\\[ = x^2 \\]",
        "\\[ x^2 \\]\n${whole} = I$\n\\[ = x^2 \\]",
        "\\[ x^2 = x^2 \\]\n$J = {whole}$\n\\[ = x^2 \\]",
        "Let $k = 2x$.\n\\[ \\int k\\,dx = x^2 \\]\nLet $k = x^2e^x$.\n\\[ = x^2 \\]",
        r"$x^2 = \int 2w\,dw$. Let $I = {whole}$, $w = x$. \[ = x^2 \]",
    ],
)
def test_no_chain_is_joined_to_a_statement_between(text: str) -> None:
    integral = r"\int x^2e^x\,dx"
    assert verify_solution(text.replace("{whole}", integral), "x^2e^x").progress == 0


def test_the_readings_of_a_chain_fit_together() -> None:
    """``\\sin x/2`` has two readings: one is the problem, and the text integrates the other."""
    text = r"$\int \sin x/2\,dx = -2\cos(x/2) + C$ and $\int \sin x/2\,dx = \int\sin x/2\,dx = -2\cos(x/2)$"
    assert verify_solution(text, r"\frac{\sin x}{2}").progress == 0
