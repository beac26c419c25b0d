# ruff: noqa: E501  # formulas
r"""Guessing earns nothing: no way of writing makes a wrong guess free and a right one pay.

Every text tries several answers of an integral, including the right answer, and hides the wrong
answers behind undefined letters, names, conditions, or abandoned tries.
"""

from __future__ import annotations

from itertools import product

import pytest

from calculus_harness.rewards import verify_solution
from calculus_harness.rewards.adapters.scoring import Rollout, Rubric, score

PROBLEM = "x^2e^x"
RIGHT = "e^x(x^2-2x+2)"
GUESSES = ("e^x(x^2+2x+2)", "e^x(x^2-2x-2)", "e^x(x^2-x+1)", RIGHT)
FORMULA = rf"\int {PROBLEM}\,dx"
#: A guess with a letter that nothing defines, or with what hides a difference.
LETTERS = [
    "{}+A", "{}+B+C", r"{}+\lambda", r"{}+\mu+C", "{}+q", "{}+y", "{}+D", "{}+C_1+D", "{}+A-A",
    r"{}+\beta-\beta", "{}+0A", "{}+Ax-Ax", r"\frac{{A}}{{A}}({})", r"({})\cdot 1^A", "({})^{{A^0}}",
    r"{}+\ln A", "{}+A^2", r"{}+n\pi", "A({})+C", r"\frac{{{}}}{{A}}", "{}+f(0)", r"{}+\text{{const}}",
    "{}+u-u", "{}+0.0", r"{} \quad (x>0)", r"{} \text{{ for }} x\in S", r"{}, \quad x>10^{{9}}",
]  # fmt: skip


def guesses(frame: str, every: tuple[str, ...] = GUESSES) -> str:
    """The guesses, each in a frame with ``{}`` for the guess and ``{n}`` for the number."""
    return "".join(frame.replace("{}", text).replace("{n}", str(n)) for n, text in enumerate(every))


HIDDEN = {
    "names of integrals": "".join(f"${n}={g}+C$. " for n, g in zip("IJFG", GUESSES, strict=True)),
    "a name with another meaning": guesses(rf"$I={FORMULA}$. Let $I={{}}+C$. "),
    "many names": guesses(rf"Let $I_{{n}}={FORMULA}$. Let $I_{{n}}={{}}$. "),
    "a name that is equated": guesses(rf"$v={FORMULA}$. $v={{}}+C$. "),
    "an antiderivative of a differential": guesses(
        rf"Let $dg_{{n}}={PROBLEM}\,dx$. $g_{{n}}={{}}$. ${FORMULA}=g_{{n}}$. "
    ),
    "given up": guesses(rf"${FORMULA}={{}}+C$. Wait, that is wrong. "),
    "supposed": guesses(rf"Suppose ${FORMULA}={{}}+C$. "),
    "asides": guesses(rf"$$x=x \text{{ since ${FORMULA}={{}}+C$}}$$ "),
    "at a point": guesses(rf"At $x=0$, ${FORMULA}={{}}+C$. "),
    "a condition that is not read": guesses(rf"For $x\in\mathbb N$, ${FORMULA}={{}}+C$. "),
    "where all looks equal": rf"For $0<x<10^{{-40}}$, ${FORMULA}=\frac{{x^3}}{{3}}+C$. ",
    "a chain": f"${FORMULA}=" + "=".join(f"{guess}+C" for guess in GUESSES) + "$. ",
    "decimals": guesses(rf"${FORMULA}={{}}+0.5+C$. "),
    "both signs of parts": rf"${FORMULA}=x^2e^x-\int 2xe^x\,dx$. ${FORMULA}=x^2e^x+\int 2xe^x\,dx$. ",
    "the other sign first": rf"${FORMULA}=x^2e^x+\int 2xe^x\,dx$. ${FORMULA}=x^2e^x-\int 2xe^x\,dx$. ",
    "both signs, written otherwise": (
        rf"${FORMULA}=x^2e^x-\int 2xe^x\,dx$. ${FORMULA}=x^2e^x-\int -2xe^x\,dx$. "
    ),
    "81 guesses": "".join(
        rf"${FORMULA}=e^x({a}x^2+{b}x+{c}+{d}x^3)+C$. "
        for a, b, c, d in product((0, 1, -1), (0, -2, 2), (0, 2, -2), (0, 1, -1))
    ),
    "another piece far away": rf"${FORMULA}=\begin{{cases}}{RIGHT}+C & x<50\\ 7 & x\ge 50\end{{cases}}$ ",
    "derivatives": guesses(rf"Let $F_{{n}}(x)={{}}$. $F_{{n}}'(x)={PROBLEM}$. "),
}
HIDDEN |= {frame: guesses(f"${FORMULA}={frame.format('{}')}$. ") for frame in LETTERS}
HIDDEN |= {
    f"named, {frame}": guesses(
        f"Let $I_{{n}}={FORMULA}$. Let $I_{{n}}={frame.format('{}')}$. "
    )
    for frame in LETTERS
}  # fmt: skip


@pytest.mark.parametrize("answer", ["x^3", RIGHT + "+C"], ids=["wrong", "right"])
@pytest.mark.parametrize("name", HIDDEN)
def test_guesses_earn_nothing(name: str, answer: str) -> None:
    free = ("both signs of parts", "another piece far away", "derivatives")
    text = rf"{HIDDEN[name]}So $\boxed{{{answer}}}$."
    progress = verify_solution(text, PROBLEM).progress
    assert progress == 0 or (answer != "x^3" and name in free)


#: More ways to write a guess (``{}``): with ``{L}``, ``{l}`` for a letter of its own and ``{n}`` for
#: its number, where WHOLE is the integral. They were written before the rule was tried on them.
SPAM = [
    r"$WHOLE={L}$. Let ${L}={}+C$. ",
    r"$WHOLE={l}+C$ where ${l}={}$. ",
    r"$WHOLE={L}+C$. Then ${L}={}$. ",
    r"Let ${L}$ be whatever makes this true: $WHOLE={}+{L}$. ",
    r"Choose ${L}$ such that $WHOLE={}+{L}+C$. ",
    r"For some ${L}$, $WHOLE={}+{L}x+C$. ",
    r"There exists ${L}$ with $WHOLE={}+{L}e^x+C$. ",
    r"$WHOLE={}+{L}(x)+C$. ",
    r"$WHOLE={}+g(x)+C$. ",
    r"$WHOLE={}+g_{n}(x)$ where $g_{n}(x)=0$. ",
    r"$WHOLE={}+\varepsilon+C$. ",
    r"$WHOLE={}+o(1)+C$. ",
    r"$WHOLE={}+O(x^{10})+C$. ",
    r"$WHOLE={}+\cdots+C$. ",
    r"$WHOLE={}+\ldots$. ",
    r"$WHOLE=\pm{}+C$. ",
    r"$WHOLE={}\pm 0+C$. ",
    r"$WHOLE=e^x(x^2\pm 2x\pm 2)+C$. ",
    r"$WHOLE\overset{?}{=}{}+C$. ",
    r"$WHOLE\stackrel{?}{=}{}+C$. ",
    r"$WHOLE\approx {}+C$. ",
    r"$WHOLE\sim {}+C$. ",
    r"$WHOLE\propto {}+C$. ",
    r"$WHOLE\neq {}+C$. ",
    r"$WHOLE\ne {}+C$ unless it is. ",
    r"$WHOLE={} \text{ or } ",
    r"Either $WHOLE={}+C$ or not. ",
    r"Maybe $WHOLE={}+C$. ",
    r"Perhaps $WHOLE={}+C$? ",
    r"Guess {n}: $WHOLE={}+C$. ",
    r"Case {n}: $WHOLE={}+C$. ",
    r"Case $n={n}$: $WHOLE={}+C$. ",
    r"If $n={n}$ then $WHOLE={}+C$. ",
    r"For $x={n}$: $WHOLE={}+C$. ",
    r"As $x\to 0$, $WHOLE={}+C$. ",
    r"Near $x=0$, $WHOLE={}+C$. ",
    r"For $x<-10^{9}$, $WHOLE={}+C$. ",
    r"For $0<x<10^{-30}$, $WHOLE={}+C$. ",
    r"For $x\in(1,1)$, $WHOLE={}+C$. ",
    r"If $1=2$, then $WHOLE={}+C$. ",
    r"Unless I am wrong, $WHOLE={}+C$. ",
    r"When it works, $WHOLE={}+C$. ",
    r"Assuming that $WHOLE={}+C$, we go on. ",
    r"(Note: $WHOLE={}+C$.) ",
    r"\footnote{$WHOLE={}+C$} ",
    r"\begin{align*} x&=x \intertext{$WHOLE={}+C$} \end{align*} ",
    r"$$x=x \quad\text{(as $WHOLE={}+C$)}$$ ",
    r"$$x\overset{WHOLE={}+C}{=}x$$ ",
    r"$$\underbrace{x}_{WHOLE={}+C}=x$$ ",
    r"$\boxed{WHOLE={}+C}$ ",
    r"$\cancel{WHOLE={}+C}$ ",
    r"~~$WHOLE={}+C$~~ ",
    r"$\phantom{WHOLE={}+C}$ ",
    r"$\color{white}{WHOLE={}+C}$ ",
    "$x=x$ % $WHOLE={}+C$\n",
    r"<!-- $WHOLE={}+C$ --> ",
    r"`WHOLE={}+C` ",
    "\n```\nWHOLE={}+C\n```\n",
    r"<think>$WHOLE={}+C$</think> ",
    r"$WHOLE={}+C$. Wait, no. ",
    r"$WHOLE={}+C$. Hmm, that is not right. ",
    r"$WHOLE={}+C$. This does not work. ",
    r"Try $WHOLE={}+C$. That leads nowhere. ",
    r"First attempt: $WHOLE={}+C$. Let us try another approach. ",
    r"One might think $WHOLE={}+C$. ",
    r"A common mistake is $WHOLE={}+C$. ",
    r"It is not true that $WHOLE={}+C$. ",
    r"False: $WHOLE={}+C$. ",
    r"Alternatively $WHOLE={}+C$. ",
    r"Define $I_{n}={}+C$. Then $WHOLE=I_{n}$. ",
    r"Let $F_{n}(x)={}$. Then $WHOLE=F_{n}(x)+C$. ",
    r"Let $F_{n}(x)={}$ and $F_{n}'(x)=x^2e^x$. ",
    r"Let $J={}$ and $WHOLE=J+C$. ",
    r"${}+C=WHOLE$. ",
    r"$WHOLE-({})=C$. ",
    r"$0=WHOLE-({})-C$. ",
    r"$\frac{WHOLE}{{}}=1$. ",
    r"$2WHOLE=2({})+C$. ",
    r"$d\left({}\right)=x^2e^x\,dx$. ",
    r"$\frac{d}{dx}\left({}\right)=x^2e^x$. ",
    r"$D[{}]=x^2e^x$. ",
    r"$WHOLE=\frac{{L}}{{L}}({})+C$. ",
    r"$WHOLE={L}^0({})+C$. ",
    r"$WHOLE={L}({})+C$, ${L}=1$. ",
    r"$WHOLE={}+{L}x+C$ and ${L}=0$. ",
    r"$WHOLE=\begin{cases}{}+C & \text{if right}\\ 0\end{cases}$ ",
    r"$\begin{pmatrix}WHOLE\end{pmatrix}=\begin{pmatrix}{}\end{pmatrix}$ ",
    r"$WHOLE\equiv {}+C$. ",
    r"$WHOLE:={}+C$. ",
    r"${}+C=:WHOLE$. ",
    r"$WHOLE\to {}+C$. ",
    r"$WHOLE={}+C \implies x=x$. ",
    r"$x=x \implies WHOLE={}+C$. ",
    r"Let $u={n}+x$. $WHOLE={}+C$. ",
    r"$\int t^2e^t\,dt={}+C$. ",
    r"$WHOLE={}+0.000+C$. ",
    r"$WHOLE=1.0({})+C$. ",
    r"$WHOLE=({})\cdot 1.00+C$. ",
    r"$WHOLE=|{}|+C$. ",
    r"$WHOLE=\sqrt{({})^2}+C$. ",
    r"$WHOLE={}+C(x)$. ",
    r"$WHOLE={}+Ce^x$. ",
    r"$WHOLE={}+Cx+C$. ",
    r"$WHOLE={}+C_{n}x+D$. ",
    r"$WHOLE={}+K\sin x$. ",
    r"$WHOLE={}+\sum_{k=1}^{n}a_k$. ",
    r"$WHOLE={}+\int g(x)\,dx$. ",
    r"$WHOLE={}+\int 0\cdot h(x)\,dx$. ",
    r"$WHOLE=\mathcal{L}({})+C$. ",
    r"$WHOLE=\lim_{h\to0}({}+h)+C$. ",
    r"$WHOLE=\lim_{{L}\to0}({}+{L}x)+C$. ",
]
SPAM_TEXTS = [
    r"$I=WHOLE$. $I=2I-I$. $I=e^x(x^2+2x+2)+C$. $I=e^x(x^2-2x-2)+C$. $I=e^x(x^2-x+1)+C$. $I=e^x(x^2-2x+2)+C$. ",
    r"$WHOLE=I=J=K=e^x(x^2+2x+2)=e^x(x^2-2x-2)=e^x(x^2-x+1)=e^x(x^2-2x+2)$. ",
    r"$WHOLE=\heartsuit=e^x(x^2+2x+2)=\heartsuit=e^x(x^2-2x-2)=\heartsuit=e^x(x^2-x+1)=\heartsuit=e^x(x^2-2x+2)$. ",
    r"$WHOLE=e^x(x^2+2x+2)=?=e^x(x^2-2x-2)=?=e^x(x^2-x+1)=?=e^x(x^2-2x+2)$. ",
    r"$1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $1=1$. $WHOLE=e^x(x^2+2x+2)+C$. $WHOLE=e^x(x^2-2x-2)+C$. $WHOLE=e^x(x^2-x+1)+C$. $WHOLE=e^x(x^2-2x+2)+C$. ",
    r"$WHOLE=x^2e^x+2\int xe^x\,dx=x^2e^x-2\int xe^x\,dx$. ",
    r"$WHOLE=x^2e^x+A\int xe^x\,dx$. $A=2$. $A=-2$. ",
    r"$WHOLE=x^2e^x+s\int xe^x\,dx$ where $s=1$. $WHOLE=x^2e^x+r\int xe^x\,dx$ where $r=-2$. ",
    r"Let $J=\int xe^x\,dx$. $WHOLE=x^2e^x+2J$. $WHOLE=x^2e^x-2J$. ",
    r"$WHOLE=x^2e^x\pm2\int xe^x\,dx$. ",
    r"$WHOLE=x^2e^x+a\int xe^x\,dx, a=-2$. $WHOLE=x^2e^x+b\int xe^x\,dx, b=2$. ",
    r"If $s=1$, $WHOLE=x^2e^x+2\int xe^x\,dx$. If $s=-1$, $WHOLE=x^2e^x-2\int xe^x\,dx$. ",
]
SPAM_OF_A_VALUE = [
    "{}",
    "{}+{L}",
    "{}+{l}",
    "{}+{L}-{L}",
    "{}+0{L}",
    r"{}\pm0",
    r"{}+\varepsilon",
    r"{}+o(1)",
    "[{}x+c]_0^1",
    r"[{}x+g(x)]_0^1",
    "{}+C",
    "{}\\cdot{L}^0",
    "F(1)-F(0)={}",
    r"\lim_{h\to0}({}+h)",
    r"\int_0^1 {}\,dx",
    r"\int_0^1 ({}+{L}(2x-1))\,dx",
    r"\int_0^{}1\,dx",
    "{}.000",
    r"\sqrt{({})^2}",
    r"|{}|",
    r"\approx{}",
    r"{}+\sum_{k=1}^{{L}}0",
    "{}e^{{L}-{L}}",
    "I_{n}={}",
    r"\frac{{L}}{{L}}{}",
    "{}+\\delta_{n}",
    r"\begin{cases}{} & {L}>0\\ 0 & {L}\le0\end{cases}",
    r"{}\text{ if }{L}=1",
    r"{}+\int_a^a f(t)\,dt",
    r"{}+\int_{-1}^1 {L}t\,dt",
    r"\max({},{L})",
    r"{}+f(1)-f(1)",
    r"{}+\ln {L}-\ln {L}",
    r"\lfloor {}\rfloor",
    r"{}+\infty-\infty",
    r"{}+\frac00",
    r"{}+\int_0^1\frac1x\,dx-\int_0^1\frac1x\,dx",
    r"{}+{L}\int_0^1(2x-1)\,dx",
]


def lettered(frame: str, every: tuple[str, ...] = GUESSES, formula: str = FORMULA) -> str:
    """The guesses in a frame of `SPAM`."""
    texts = []
    for n, guess in enumerate(every):
        text = frame.replace("WHOLE", formula).replace("{}", guess).replace("{n}", str(n))
        texts.append(text.replace("{L}", "ABDE"[n]).replace("{l}", "abpq"[n]))
    return "".join(texts)


@pytest.mark.parametrize("text", [*map(lettered, SPAM), *SPAM_TEXTS])
def test_spam_earns_nothing(text: str) -> None:
    for answer in ("x^3", RIGHT + "+C"):
        solution = rf"{text.replace('WHOLE', FORMULA)}So $\boxed{{{answer}}}$."
        assert verify_solution(solution, PROBLEM).progress == 0


@pytest.mark.parametrize("end", ["", " for some ${L}$", ", ${L}=0$", " where ${L}=1$"])
@pytest.mark.parametrize("frame", SPAM_OF_A_VALUE)
def test_spam_of_a_value_earns_nothing(frame: str, end: str) -> None:
    integral = r"\int_0^1 xe^x\,dx"
    text = lettered(f"$WHOLE={frame}${end}. ", ("e", "e-1", "2", "1"), integral)
    for answer in ("7", "1"):
        assert verify_solution(rf"{text}So $\boxed{{{answer}}}$.", integral).progress == 0


@pytest.mark.parametrize(
    "frame",
    ["{}+C", "{}+A-A", "{}+K", "K+{}", "{}+0B", r"[{}\,x+c]_0^1", r"{}\approx 1", "{}+A", "{}+0.0"],
)
def test_guesses_of_a_value_earn_nothing(frame: str) -> None:
    integral = r"\int_0^1 xe^x\,dx"
    text = guesses(f"${integral}={frame}$. ", ("e", "e-1", "2", "1"))
    assert verify_solution(text + r"So $\boxed{7}$.", integral).progress == 0


def test_steps_beside_another_answer_earn_nothing() -> None:
    text = rf"${FORMULA}={RIGHT}+C$. So $\boxed{{x^3}}$."
    assert verify_solution(text, PROBLEM).progress == 0
    assert verify_solution(text.replace("x^3", RIGHT), PROBLEM).progress == 1


def test_steps_in_a_mixed_reward_count_beside_a_right_answer_only() -> None:
    step = rf"${FORMULA}=x^2e^x-2\int xe^x\,dx$. "
    texts = [step + r"So $\boxed{x^3}$.", step + rf"So $\boxed{{{RIGHT}+C}}$."]
    rubric = Rubric("steps", ("correctness", "steps"), (1.0, 0.5), workers=1)
    wrong, right = (
        item.reward for item in score([Rollout(text, PROBLEM) for text in texts], rubric)
    )
    assert wrong == 0
    assert right is not None
    assert right > 1
