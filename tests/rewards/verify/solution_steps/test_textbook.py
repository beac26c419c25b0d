"""The converter of worked solutions, on a book of our own."""

from __future__ import annotations

from pathlib import Path

from calculus_harness.rewards import verify_solution
from tests.rewards.verify.solution_steps.textbook import expanded, signs, worked

BOOK = r"""
\newcommand{\dx}{\,dx}  % of this book
\newcommand{\absolute}[1]{\left|#1\right|}
\begin{example}[Two integrals]
Evaluate $\displaystyle\int 2x\cos(x^2)\dx$.
\solution
Let $u = x^2$, so $du = 2x\dx$. % = not counted
\begin{align*}
\int 2x\cos(x^2)\dx &= \int \cos u\,du \label{eq=1} \\
&= \sin u + C \\
&= \sin(x^2) + C.
\end{align*}
It is defined at $x = 0$, and
\[ \int_{a=0}^1 \frac{\dx}{x+1} = \ln\absolute{2} \text{ since } 1 > 0 \]
\end{example}
\begin{example} No solution, $\int x\dx$. \end{example}
\begin{example}
Find \begin{enumerate} \item $\int x\dx$ \item $\int x^2\dx$ \end{enumerate}
\solution
\begin{enumerate} \item \[ \int x\dx = \frac{x^2}2 \]
\item \[ \int x^2\dx = \frac{x^3}3 \] \end{enumerate}
\end{example}
"""


def test_worked_solutions_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "book.tex").write_text(BOOK, "utf-8")
    first, *further = worked(tmp_path)
    assert first.problem == r"\int 2x\cos(x^2)\,dx"
    assert [example.problem for example in further] == [r"\int x\,dx", r"\int x^2\,dx"]
    assert [first.text[sign] for sign in first.signs] == ["="] * 4
    assert [len(example.signs) for example in further] == [1, 1]
    assert all(
        verify_solution(example.text, example.problem).first_wrong is None
        for example in worked(tmp_path)
    )


def test_signs_are_those_of_displays() -> None:
    text = r"$a = b$ \[ x_{i=1} = \text{a = b} 2 \] $$ = $$ \begin{equation} 1=1 \end{equation}"
    assert len(list(signs(text))) == 3


def test_macros_are_written_out() -> None:
    assert expanded(r"\two{a}b", {"two": (2, "#2#1"), "a": (0, "x")}) == "ba"
    assert expanded(r"\half x", {"half": (0, r"\frac12")}) == r"\frac12 x"
