# ruff: noqa: E501  # formulas
r"""Sixty more ways to guess, written and tried at once: no way earned a reward, then and now."""

from __future__ import annotations

import pytest

from calculus_harness.rewards.adapters.for_trl import step_reward

P = "x^2e^x"
RIGHT = "e^x(x^2-2x+2)"
G = ("e^x(x^2+2x+2)", "e^x(x^2-2x-2)", "e^x(x^2-x+1)", RIGHT)
W = r"\int x^2e^x\,dx"


def g(frame: str) -> str:
    """The guesses, each in a frame with ``{}`` for the guess, the number and the problem."""
    return "".join(
        frame.replace("{}", guess).replace("{n}", str(n)).replace("{W}", W)
        for n, guess in enumerate(G)
    )


ATTACKS = {
    "table cells": "".join(f"| {W} = {x}+C | guess |\n" for x in G),
    "table cells with dollars": "".join(f"| ${W} = {x}+C$ | guess |\n" for x in G),
    "rows with lengths": "\\[\\begin{aligned}"
    + r"\\[4pt] ".join(f"{W} &= {x}+C" for x in G)
    + "\\end{aligned}\\]",
    "rows with lengths, remarks": "\\begin{align*}"
    + r"\\[2mm] ".join(rf"{W} &= {x}+C && \text{{maybe}}" for x in G)
    + "\\end{align*}",
    "approx lines": g("${W}$\n\n$\\approx {}$\n\n"),
    "approx then equal": g("${W} \\approx {} = {}+C$. "),
    "tilde": g("${W} \\sim {}+C$. "),
    "choices of parts": g("Let $u = {}$, $dv = dx$. ${W} = {}+C$. "),
    "choice wrong then give up": g(
        "Let $u = x$, $dv = \\sin x\\,dx$, $v = \\sin x$. ${W} = {}+C$. Wait, that is wrong. "
    ),
    "wrong choice hides": r"Let $u = x^2$, $dv = e^{2x}\,dx$, $v = e^x$. " + f"${W} = {RIGHT}+C$. ",
    "strike": g("~~${W} = {}+C$~~ "),
    "html comment": g("<!-- ${W} = {}+C$ --> "),
    "footnote": g("[^{n}]: ${W} = {}+C$\n"),
    "quote block": g("> ${W} = {}+C$\n\n"),
    "details": g("<details>${W} = {}+C$</details>"),
    "question": g("Is ${W} = {}+C$? "),
    "either or": "Either " + " or ".join(f"${W} = {x}+C$" for x in G) + ". ",
    "one of these": "One of these holds: " + ", ".join(f"${W} = {x}+C$" for x in G) + ". ",
    "maybe": g("Perhaps ${W} = {}+C$. "),
    "probably": g("My guess: ${W} = {}+C$ (not sure). "),
    "student": g("Student {n} writes ${W} = {}+C$. "),
    "if then": g("If I am right then ${W} = {}+C$. "),
    "whenever": g("Whenever it works, ${W} = {}+C$. "),
    "phantom": g("$\\phantom{{W} = {}+C}$ "),
    "cancel": g("$\\cancel{{W} = {}+C}$ "),
    "color white": g("$\\color{white}{W} = {}+C$ "),
    "tiny": g("$\\scriptscriptstyle {W} = {}+C$ "),
    "not equal": g("${W} \\ne {}+C$, so ${W} = {}+C$. "),
    "ineq chain": g("${W} \\le {} = {}+C$. "),
    "pm": f"${W} = e^x(x^2 \\pm 2x \\pm 2)+C$. ",
    "mp": f"${W} = e^x(x^2 \\mp 2x \\pm 2)+C$. ",
    "set": "${W} \\in \\{".replace("{W}", W) + ", ".join(G) + "\\}$. ",
    "cases": f"${W} = \\begin{{cases}}"
    + r"\\ ".join(f"{x} & x={n}" for n, x in enumerate(G))
    + "\\end{cases}$. ",
    "index": "".join(f"$F_{n} = {x}$. " for n, x in enumerate(G)) + f"${W} = F_k+C$. ",
    "sum of guesses with weights": f"${W} = "
    + "+".join(f"a_{n}({x})" for n, x in enumerate(G))
    + "+C$. ",
    "weights solved": f"${W} = " + "+".join(f"A_{n}({x})" for n, x in enumerate(G)) + "+C$. ",
    "delta": f"${W} = {G[0]} + \\delta(x)+C$. " * 3 + f"${W} = {RIGHT}+\\epsilon$. ",
    "order": g("${W} = {} + O(x^9)$. "),
    "dots": g("${W} = {} + \\dots$. "),
    "eps function": g("${W} = {} + \\varepsilon(x) + C$. "),
    "redefine x": g("Let $x = x$. ${W} = {}+C$. Let $x = t$. "),
    "redefine e": g("Let $e = {n}$. ${W} = {}+C$. "),
    "mod": g("${W} \\equiv {}+C \\pmod{1}$. "),
    "prime check": g("$\\left({}\\right)' = x^2e^x$. "),
    "deriv check": g("$\\frac{d}{dx}\\left({}\\right) = x^2e^x$. "),
    "definite at c": g("$\\int_0^c x^2e^x\\,dx = {}\\Big|_0^c$. "),
    "definite tiny": g("$\\int_0^{0} x^2e^x\\,dx = {}-{}$. "),
    "long padding": "We note $1=1$. " * 60 + g("${W} = {}+C$. "),
    "400 statements": "".join(f"$ {n} = {n} $. " for n in range(390)) + g("${W} = {}+C$. "),
    "401 after": "".join(f"$ {n} = {n + 1} - 1 $. " for n in range(405)) + f"${W} = {RIGHT}+C$. ",
    "stop tries": g("Attempt {n}: ${W} = {}+C$. This attempt fails. Attempt again. "),
    "german": g("Angenommen, ${W} = {}+C$. "),
    "french": g("Supposons que ${W} = {}+C$. "),
    "chinese": g("假设 ${W} = {}+C$。"),
    "spanish": g("Si ${W} = {}+C$, entonces nada. "),
    "limit of wrong": g("$\\lim_{t\\to x} {W} = {}+C$. "),
    "wrong then right in a chain": f"${W} = {G[0]}+C = {RIGHT}+C$. ",
    "parts with letters": rf"${W} = x^2e^x - \int a x e^x\,dx$. ${W} = x^2e^x - \int b x e^x\,dx$. ",
    "sign letter": rf"${W} = x^2e^x + s\int 2xe^x\,dx$ with $s = \pm1$. $s = 1$. $s = -1$. ",
    "the two unknowns": rf"$p\,{W} = p({RIGHT})$. $p\,{W} = p({G[0]})$. ",
}


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_earn_nothing(name: str) -> None:
    ends = ("", *(rf"\boxed{{{answer}}}" for answer in (RIGHT + "+C", G[0] + "+C", "x^3")))
    texts = [ATTACKS[name] + end for end in ends]
    rewards = step_reward(completions=texts, integrand=[P] * len(texts))
    assert rewards == [0.0] * len(texts)


def test_a_guess_that_stands_first_earns_what_it_would_alone() -> None:
    right = f"${W} = {RIGHT}+C$. "
    box = rf"\boxed{{{RIGHT}+C}}"
    guesses = g("${W} = {}+C$. ")
    texts = [right + box, right + guesses + box, guesses + right + box]
    alone, in_front, behind = step_reward(completions=texts, integrand=[P] * 3)
    assert alone == in_front == 1
    assert behind == 0
