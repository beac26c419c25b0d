"""Questions of the course in many words: definitions are put in, hints and remarks are left out."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import (
    ProblemError,
    Status,
    verify_antiderivative,
    verify_definite_integral,
)
from calculus_harness.rewards.questions import QUESTIONS

RIGHT = [
    (
        "derivative",
        r"PHYS 2. A bead is at $x(t)=t^3$. Report its velocity $v(t)=\dot x(t)$.",
        "3t^2",
    ),
    (
        "derivative",
        r"Consider $w=xy$ along $y=\ln x$. Find the total derivative $\frac{dw}{dx}$.",
        r"\ln x+1",
    ),
    ("derivative", r"What is $\dfrac{d(\sin x)}{d(\cos x)}$, where $\sin x\neq 0$?", r"-\cot x"),
    (
        "derivative",
        r"Differentiate $\sin^2x$ with respect to $e^{\cos x}$.",
        r"-2\cos x/e^{\cos x}",
    ),
    (
        "derivative",
        r"I have $y=x+\ln x$. Is there a way to get $\frac{dx}{dy}$ in terms of $x$?",
        r"\frac{x}{x+1}",
    ),
    ("derivative", r"Find the slope of the curve $r=1+\sin\theta$ where $\theta=\pi/3$.", "-1"),
    (
        "derivative",
        "x = a(θ − sin θ), y = a(1 − cos θ) with a > 0 a constant. What's d²y/dx²?",
        r"-\frac{1}{a(1-\cos\theta)^2}",
    ),
    (
        "limit",
        r"Let $f(x)=x^3$ and $a$ real. Express $\lim_{h\to0}\frac{f(a+2h)-f(a)}{h}$.",
        "6a^2",
    ),
    (
        "limit",
        r"With $K=(\gamma-1)m$, $\gamma=1/\sqrt{1-v^2}$, find $\lim_{v\to0}\frac{K}{v^2}$.",
        "m/2",
    ),
    (
        "limit",
        r"Find the value that $y=\frac{2x+1}{x}$ approaches as $x\to-\infty$. (3 marks)",
        "2",
    ),
    (
        "limit",
        r"For $u_n=n(\sqrt[n]{5}-1)$, $n\ge1$, determine $\lim u_n$. I got 0, is it ok?",
        r"\ln 5",
    ),
    ("sum", r"Hi! I'm stuck on $\sum_{n=1}^\infty 2^{-n}$ from week 7. Wolfram gives 1?", "1"),
    ("sum", r"Express $0.58\dot{3}$ as a fraction.", r"\frac{7}{12}"),
    (
        "sum",
        r"The sequence has $a_n=(2n-1)3^n$. Find the sum $S_n$ of the first $n$ terms.",
        "(n-1)3^{n+1}+3",
    ),
    ("differential_equation", r"Which curve through $(1,1)$ satisfies $y'=-\frac{y}{x}$?", "y=1/x"),
    (
        "differential_equation",
        r"When $x=0$, $v=6$, and $v\frac{dv}{dx}=-4x$. Relate $v$ and $x$.",
        "v^2=36-4x^2",
    ),
    (
        "differential_equation",
        r"With $D\equiv\frac{d}{dx}$, solve $(D^2-4D+4)y=0$.",
        "y=(a+bx)e^{2x}",
    ),
    (
        "differential_equation",
        r"Solve $\mathbf{x}'=\begin{pmatrix}2&1\\0&2\end{pmatrix}\mathbf{x}$,"
        r" $\mathbf{x}(0)=\begin{pmatrix}1\\3\end{pmatrix}$.",
        r"\mathbf{x}(t)=\begin{pmatrix}(1+3t)e^{2t}\\3e^{2t}\end{pmatrix}",
    ),
    (
        "differential_equation",
        r"Find the curve through $(1,2)$ whose slope is $1+\frac{y}{x}$, $x>0$.",
        r"y=x\ln x+2x",
    ),
    (
        "differential_equation",
        r"A polynomial is a particular solution of $y''-y'-2y=4x^2$. Find it.",
        "y_p=-2x^2+2x-3",
    ),
    (
        "derivative",
        r"Let $x=t^2$, $y=t^3$. Find the second derivative of $y$ with respect to $x$.",
        r"\frac{3}{4t}",
    ),
    ("derivative", r"Find the second-order derivative of $f(x)=x^4$.", "12x^2"),
    ("derivative", r"For $z=x^2+y^2$, find $\partial z/\partial x$ at $(1,2)$.", "2"),
    ("derivative", r"Find the gradient of $s=t^2$ at $t=2$.", "4"),
    (
        "derivative",
        r"The area is $A=\pi r^2$. How fast does it change with $r$? (Find $dA/dr$.)",
        r"2\pi r",
    ),
    ("derivative", r"$y=x^2, \frac{dy}{dx} \text{ at } x=3$", "6"),
    ("differential_equation", r"Solve $y'=y, y=3 \text{ when } x=0$.", "y=3e^x"),
    (
        "differential_equation",
        r"At $x=0$, $y=1$; at $x=\pi/2$, $y=2$. Solve $y''+y=0$.",
        r"y=\cos x+2\sin x",
    ),
    (
        "differential_equation",
        r"Solve $y''=6x$ with $y=1$, $y'=2$ at $x=0$.",
        "y=x^3+2x+1",
    ),
    (
        "differential_equation",
        r"At time $t=0$ the temperature is $T=80$, and $T'=-kT$. Find $T$.",
        "T=80e^{-kt}",
    ),
    (
        "differential_equation",
        r"Solve $y'=2x$ if its curve passes through the point $(\pi/2,1)$.",
        r"y=x^2+1-\frac{\pi^2}{4}",
    ),
    ("differential_equation", r"The resistance is $kv$. Solve $v'=-kv$.", "v=Ce^{-kt}"),
]
REFUSED = [
    ("derivative", r"Find $f'(x)$ and $f''(x)$ for $f(x)=x^3$."),
    ("derivative", r"Calculate the 2023rd derivative of $\sin 2x$."),
    ("derivative", r"Find the gradient of the \underline{normal} to $y=x\ln x$ at $x=e$."),
    ("derivative", r"Constants $a,b$ are chosen so that $f(x)=ax+b$ is smooth. Find $f'(5)$."),
    ("limit", r"Find $k$ if $\lim_{x\to0}\frac{\sin kx}{x}=2$."),
    ("limit", r"Let $a_n=1$ for odd $n$ and $a_n=2$ for even $n$. Find $\lim_{n\to\infty}a_n$."),
    ("sum", r"What is the smallest $N$ for which $\sum_{n=1}^{N}\frac1n$ exceeds $2$?"),
    ("sum", r"Find all real $p$ such that $\sum_{n=1}^\infty n^{-p}$ converges."),
    ("differential_equation", r"A stone sinks from rest; $\dot v=g-kv$. Determine $v(t)$."),
    ("differential_equation", r"$\psi''=9\psi$, $\psi(0)=2$, and $\psi$ stays bounded. Find it."),
    ("differential_equation", r"Find an integrating factor of $y'+2y=x$."),
    ("differential_equation", r"At $t=0$ the depth is 9, and $h'=-2\sqrt h$. Find $h(t)$."),
    ("derivative", r"For $r=\theta$ plotted against $\theta$ find $dy/dx$."),
    ("derivative", r"Compute the derivative of $f(x)g(x)$."),
    (
        "limit",
        r"Let $a_1=1$, $a_{n+1}=\sqrt{2+a_n}$. Consider the sums of its terms. Find their limit.",
    ),
    ("definite", r"Evaluate $\int_0^1 x\,dx$ 3."),
]


@pytest.mark.parametrize(("task", "question", "answer"), RIGHT)
def test_right_answers_are_accepted(task: str, question: str, answer: str) -> None:
    verify = QUESTIONS[task].verify
    assert verify(rf"\boxed{{{answer}}}", question).status is Status.CORRECT
    name, equals, right = answer.rpartition("=")
    doubled = rf"{name}{equals}3({right})+1" if "pmatrix" not in answer else r"\mathbf{x}=0"
    assert verify(rf"\boxed{{{doubled}}}", question).status is not Status.CORRECT


@pytest.mark.parametrize(("task", "question"), REFUSED)
def test_another_question_is_refused(task: str, question: str) -> None:
    with pytest.raises(ProblemError) as raised:
        QUESTIONS[task].verify(r"\boxed{1}", question)
    assert "\n" not in str(raised.value)


def test_a_product_of_two_values_is_not_the_second_value() -> None:
    question = r"Evaluate $\sum_{k=1}^{50}k$ and then $\int_0^1 2t\,dt$; report the product."
    with pytest.raises(ProblemError):
        verify_definite_integral(r"\boxed{1}", question)


def test_words_of_arithmetic_between_formulas_refute_nothing() -> None:
    question = "Find the limit as x tends to infinity of ln(x^3+1) divided by ln(x^5+1)."
    with pytest.raises(ProblemError):
        QUESTIONS["limit"].verify(r"\boxed{3/5}", question)


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        (r"Therefore $f'(x)=\cos x$.", r"Find $f'(x)$ for $f(x)=\sin x$."),
        (r"$f^{(4)}(x)=\sin x$", r"Find $f^{(4)}(x)$ for $f(x)=\sin x$."),
        (r"\boxed{y^{(4)}=\sin x}", r"Find $y^{(4)}$ for $y=\sin x$."),
        ("**f′(x) = (1 − x²)/(1 + x²)²**", r"Find $f'(x)$ if $f(x)=\frac{x}{x^2+1}$."),
        ("so y' = cos x and y'' = −sin x", r"Find $y'$ for $y=\sin x$."),
        (r"\[\frac{d}{dx}\sin x=\cos x\]", r"Find $\frac{d}{dx}\sin x$."),
    ],
)
def test_an_equation_names_the_derivative(answer: str, question: str) -> None:
    assert QUESTIONS["derivative"].verify(answer, question).status is Status.CORRECT
    wrong = (
        answer.replace("cos x", "cos 2x").replace("sin x}", "sin 2x}").replace("1 − x²", "1 + x")
    )
    if wrong != answer:
        assert QUESTIONS["derivative"].verify(wrong, question).status is not Status.CORRECT


def test_a_derivative_has_the_name_that_the_question_gives() -> None:
    question = r"PHYS 201. Its position is $x=t^3$; report $v=\dot x$."
    verify = QUESTIONS["derivative"].verify
    assert verify("So $v(t) = 3t^2$.", question).correct
    assert verify("v = t^2", question).status is Status.INCORRECT


def test_an_answer_that_is_not_evaluated_at_the_point_is_no_value() -> None:
    question = r"Compute the third derivative of $x^5$ at $x=1$."
    assert QUESTIONS["derivative"].verify(r"\boxed{60}", question).correct
    assert not QUESTIONS["derivative"].verify(r"\boxed{60x^2}", question).correct


def test_every_branch_of_a_curve_counts() -> None:
    question = r"Find $\frac{dy}{dx}$ for $x^y=y^x$, $x,y>0$."
    verify = QUESTIONS["derivative"].verify
    assert verify(r"\boxed{\frac{y}{x}}", question).status is Status.INCORRECT
    assert verify(r"\boxed{\frac{y(x\ln y-y)}{x(y\ln x-x)}}", question).correct


#: Questions for something else than the value of the formula.
DIFFERENT_REQUESTS = r"""
What is one third of $G$?
Compute $G$, then subtract it from 5.
Let $A=G$ and $B=3$. Find $AB$.
Let $A=G$. Find $1/A$.
Find the natural logarithm of $G$.
$G=k$. What is $k+1$?
Find the reciprocal of the value of $G$.
How many digits does $G$ have?
Is $G$ larger than 2?
By how much does $G$ exceed $\frac12$?
Find $x$ such that $G=x^3$.
Find $G$ if the integrand is replaced by its square.
If $a=3$, find $a$ times $G$.
Find $G$ and $H$, where $H=2$.
Write $G$ as a percentage.
Find the difference between $G$ and $3$.
Compute $G-3$ given that.. wait, compute $G$ modulo 7.
What must be added to $G$ to get $10$?
Find $2\cdot G$.
Find $\left(G\right)^2$.
Find $\sqrt{G}$.
Evaluate $e^{G}$.
$f(t)=t+1$. Find $f(G)$.
What is the next integer after $G$?
Find the complex conjugate of $i$ times $G$.
Evaluate the negative of $G$.
Let $L=G$. Determine $L^2+L$.
Assume $L=G$; what is $2L$?
Give $3G$.
Find the sum of $G$ and $4$.
Raise $G$ to the power 3.
Find $G$. Square your answer.
Find $G$, and give the result increased by one.
Let $I=G$. Find the value of $I^2$.
Suppose $G=c$. Compute $\cos c$.
""".strip().splitlines()
FORMULAS = [
    ("limit", r"\lim_{x\to0}\frac{\sin x}{x}", "1"),
    ("sum", r"\sum_{n=1}^\infty 2^{-n}", "1"),
    ("definite", r"\int_0^1 2x\,dx", "1"),
    ("antiderivative", r"\int 2x\,dx", "x^2"),
]
#: Questions for something else than the derivative or the solution that is given as an answer.
OTHER_OF_FUNCTIONS = [
    ("derivative", r"Find the reciprocal of $f'(x)$ for $f(x)=x^2$.", r"2x"),
    ("derivative", r"Find $f'(x)$ for $f(x)=x^2$ and double it.", r"2x"),
    ("derivative", r"Find the derivative of the inverse of $f(x)=x^3$.", r"3x^2"),
    ("derivative", r"For $y=x^2$, find the $x$ where $dy/dx=4$.", r"2x"),
    ("derivative", r"The curve $y=x^3$ has a tangent at $x=1$. Find its equation.", r"3"),
    ("derivative", r"Find the maximum slope of $y=\sin x$.", r"\cos x"),
    (
        "derivative",
        r"If $y=x^2$ and $x$ increases at 3 units per second, find $dy/dt$ when $x=2$.",
        r"4",
    ),
    ("derivative", r"Let $f(x)=x^2$. Evaluate $f'(f'(1))$.", r"2"),
    ("derivative", r"Find $\frac{dy}{dx}$ of $y=x^2$ when $x$ is replaced by $3x$.", r"2x"),
    ("derivative", r"Find $y'$ where $y=x^2$ at the point where $y=4$.", r"2x"),
    ("derivative", r"Let $y=u^2$, $u=3x$. Find $dy/du$.", r"18x"),
    ("derivative", r"Let $y=u^2$, $u=3x$. Find $dy/dx$.", r"2u"),
    ("derivative", r"Find the second derivative of $y=x^3$ with respect to $x$.", r"3x^2"),
    ("derivative", r"Find the derivative of $x^3$ with respect to $t$, where $x=t^2$.", r"3x^2"),
    ("derivative", r"Find the average rate of change of $f(x)=x^2$ on $[1,3]$.", r"2x"),
    ("derivative", r"Find $f'(2)$ for $f(x)=x^2$ in degrees.", r"4"),
    ("derivative", r"Find the derivative of the product of $x$ and $\sin x$.", r"\cos x"),
    ("derivative", r"Find the angle of slope of $y=x^2$ at $x=1$.", r"2"),
    ("derivative", r"Differentiate $\sin x$ with $x$ in degrees.", r"\cos x"),
    ("derivative", r"$g(x)=f(2x)$ and $f(x)=x^2$. Find $g'(x)$.", r"2x"),
    ("derivative", r"If $f(x)=x^2$ and $g(x)=x^3$, find $(fg)'(1)$.", r"2"),
    ("derivative", r"Find $f'(x)$ for $f(x)=x^2$. Then find $f'(3)$.", r"2x"),
    ("derivative", r"For $z=x^2y$, $x=t$, $y=t^2$ find $\frac{\partial z}{\partial x}$.", r"4t^3"),
    ("derivative", r"Find the differential $dy$ for $y=x^2$.", r"2x"),
    ("differential_equation", r"Find the time at which $y=2$, where $y'=y$, $y(0)=1$.", r"y=e^x"),
    ("differential_equation", r"Solve $y'=y$ backwards in time.", r"y=Ce^x"),
    ("differential_equation", r"Find $y(1)$ if $y'=y$, $y(0)=1$.", r"y=e^x"),
    (
        "differential_equation",
        r"Solve $y'=y$ with $y(0)=1$ and find the limit of $y$ as $x\to-\infty$.",
        r"y=e^x",
    ),
    ("differential_equation", r"Find the equilibrium of $y'=y(1-y)$.", r"y=1"),
    ("differential_equation", r"Write $y''=y$ as a system.", r"y=C_1e^x+C_2e^{-x}"),
    ("differential_equation", r"Find the Wronskian of $y''=y$.", r"y=C_1e^x+C_2e^{-x}"),
    (
        "differential_equation",
        r"Which differential equation has the solution $y=Ce^x$: $y'=y$ or $y'=2y$?",
        r"y=Ce^x",
    ),
    ("differential_equation", r"Find a second solution of $y''=y$ besides $e^x$.", r"e^{-x}"),
    ("differential_equation", r"Solve $y'=ky$ given that $y$ doubles every 3 hours.", r"y=Ce^{kx}"),
    (
        "differential_equation",
        r"A solution of $y'=y$ passes through the origin. Find it.",
        r"y=Ce^x",
    ),
    ("differential_equation", r"Solve $y'=y$ if $y=3$ initially.", r"y=Ce^x"),
    ("differential_equation", r"Solve $y''=-y$ if $y$ is even.", r"y=A\cos x+B\sin x"),
    ("differential_equation", r"Solve $y'=2y$ with the initial value one.", r"y=Ce^{2x}"),
    ("differential_equation", r"Let $y'=y$ and $z=y^2$. Find $z$.", r"Ce^x"),
    ("differential_equation", r"$y''+y=0$ and its amplitude is 3. Find $y$.", r"y=A\cos x+B\sin x"),
    (
        "differential_equation",
        r"Solve $y'=y$ by Euler's method with step $0.1$ up to $x=1$.",
        r"y=Ce^x",
    ),
    ("differential_equation", r"Solve $xy'=y$ and state its degree.", r"y=Cx"),
    (
        "differential_equation",
        r"Solve $y'=-y$, $y(0)=y_0$, and find when $y=y_0/2$.",
        r"y=y_0e^{-x}",
    ),
    ("differential_equation", r"Find the velocity if $x''=-x$, $x(0)=0$, $x'(0)=1$.", r"x=\sin t"),
    (
        "differential_equation",
        r"Find the orthogonal trajectories of the solutions of $y'=y$.",
        r"y=Ce^x",
    ),
    (
        "differential_equation",
        r"The rate of $N$ is $2N$. $N'=3N$ for another. Find $N$.",
        r"N=Ce^{3t}",
    ),
    ("derivative", r"Find the limit of the derivative of $x^2$ as $x\to3$.", r"2x"),
    ("derivative", r"Find the derivative of $f(x^2)$, where $f$ is differentiable.", r"2xf"),
    ("derivative", r"Find the gradient of $x^2+y^2$.", r"2x"),
    ("derivative", r"Find the gradient of $z=x^2y$.", r"2xy"),
    ("derivative", r"Find the derivative of $x^2y$ with respect to $x$ and then $y$.", r"2xy"),
    ("derivative", r"Let $f(x)=x^2$. Find the derivative of $f$ at $(a,a^2)$.", r"2x"),
    (
        "derivative",
        r"The first derivative of $y=x^4$ is $4x^3$. Find the second derivative of $y$.",
        r"4x^3",
    ),
    ("derivative", r"Given $y=x^3$, what is the rate of change of $y'$?", r"3x^2"),
    ("derivative", r"Let $y=x^2$. Find the logarithmic derivative of $y$.", r"2x"),
    (
        "derivative",
        r"Find the derivative of $\sin x$ from the left at $x=0$ if $x<0$ gives $x^2$.",
        r"1",
    ),
    ("derivative", r"Find the equation of the slope of $y=x^2$ at $x=1$.", r"2"),
    ("differential_equation", r"Solve $y'=ky$ with $k=2$.", r"Ce^{kx}"),
    ("differential_equation", r"Solve $y'=y$ with $y\to0$ as $x\to\infty$.", r"Ce^x"),
    ("differential_equation", r"Solve $y''=y$ with $y(\infty)=0$.", r"Ae^x+Be^{-x}"),
    (
        "differential_equation",
        r"Solve $y''=y$; the solution tends to zero at infinity.",
        r"Ae^x+Be^{-x}",
    ),
    ("differential_equation", r"Solve $y'=y$ such that $y=2$.", r"Ce^x"),
    ("differential_equation", r"Find the integral curve of $y'=y$ with intercept 2.", r"Ce^x"),
    ("differential_equation", r"Solve $y''=4y$ and determine $y'$.", r"Ae^{2x}+Be^{-2x}"),
    (
        "differential_equation",
        r"Find the complementary function of $y''+y=x$.",
        r"A\cos x+B\sin x+x",
    ),
    ("differential_equation", r"Find the steady-state solution of $y'+y=2$.", r"2+Ce^{-x}"),
    ("differential_equation", r"Find the nonconstant solution of $y'=y^2$.", r"y=\frac{-1}{x+C}"),
    (
        "differential_equation",
        r"Find the positive solution of $(y')^2=4y$ with $y(0)=1$.",
        r"y=(x-1)^2",
    ),
    ("differential_equation", r"Find the decreasing solution of $(y')^2=y^2$, $y(0)=1$.", r"y=e^x"),
    ("differential_equation", r"Solve $y'=ay$ with $y(0)=b$, where $a=2$ and $b=3$.", r"be^{ax}"),
    ("differential_equation", r"A tank: $V'=-V$, $V(0)=10$. When is $V=5$?", r"10e^{-t}"),
    ("differential_equation", r"Let $u=y'$. Solve $y''=y'$ for $u$.", r"A+Be^x"),
    ("differential_equation", r"Solve $y'=y$ with $y(x_0)=y_0$.", r"Ce^x"),
    ("derivative", r"Find the volume of $y=x^2$.", r"2x"),
    ("derivative", r"Find the inverse of $y=x^3$.", r"3x^2"),
    ("derivative", r"For what value of $c$ is $y'=c$, where $y=x^2$?", r"2x"),
    ("derivative", r"Find the second derivative of $y=x^4$.", r"4x^3"),
    ("derivative", r"Find the derivative of $y=x^4$ at the point where $y=16$ and $x<0$.", r"4x^3"),
    ("derivative", r"Find the slope of the normal line to $y=x^2$ at $x=1$.", r"2"),
    ("derivative", r"Find the slope of the chord of $y=x^2$ from $x=1$ to $x=3$.", r"2x"),
    ("derivative", r"Find the slope of the line $y=3x+2$ perpendicular.", r"3"),
    ("derivative", r"Find the derivative of $y=x^2$ multiplied by $x$.", r"2x"),
    ("derivative", r"Find the derivative of the integral of $y=x^2$.", r"2x"),
    ("derivative", r"Find the value of $y$ where the slope of $y=x^2$ is $4$.", r"2x"),
    ("derivative", r"Find the critical points of $f(x)=x^2$ using its derivative.", r"2x"),
    ("derivative", r"Find the partial derivative of $x^2y^3$ with respect to $y$.", r"2xy^3"),
    ("derivative", r"Let $x=t^2$ and $y=t^3$. Find the slope of the curve.", r"3t^2"),
    (
        "derivative",
        r"Let $x=t^2$ and $y=t^3$. Find the derivative of $y$ with respect to $x$.",
        r"3t^2",
    ),
    (
        "derivative",
        r"Let $x=t^2$ and $y=t^3$. Find the second derivative of $y$ with respect to $x$.",
        r"\frac32 t",
    ),
    ("derivative", r"Let $f(x)=x^2$ for $x<0$ and $f(x)=x^3$ for $x\ge0$. Find $f'(x)$.", r"2x"),
    ("derivative", r"Let $y=x^2$ and find $dy/dx$ at the point whose ordinate is $9$.", r"2x"),
    ("derivative", r"Find the tangent line to $y=x^2$ at $x=1$ and its slope.", r"2"),
    ("derivative", r"Find the differential of $y=x^2$.", r"2x"),
    (
        "derivative",
        r"Find the derivative of $g$ if $g(x)=f(x)+1$ and $f(x)=x^2$, at $x=f(2)$.",
        r"2x",
    ),
    ("derivative", r"How fast is $A=\pi r^2$ growing when $r=2$ and $dr/dt=3$?", r"2\pi r"),
    (
        "derivative",
        r"$A=\pi r^2$. Find $dA/dt$ when $r=2$ if $r$ grows at $3$ per second.",
        r"4\pi",
    ),
    ("differential_equation", r"Solve $y''=y$ where $\lim_{x\to\infty}y(x)=0$.", r"Ae^x+Be^{-x}"),
    (
        "differential_equation",
        r"Solve $y''=y$ with a horizontal tangent at $x=0$.",
        r"Ae^x+Be^{-x}",
    ),
    ("derivative", r"Find the difference between the derivative of $x^3$ and $x$.", r"3x^2"),
    ("derivative", r"Find the derivative of $x^2$ and of $x^3$.", r"2x"),
    ("derivative", r"Differentiate $x^2$. Also differentiate $x^3$.", r"2x"),
    ("derivative", r"Find the derivative of $x^2$ at infinity.", r"2x"),
    ("derivative", r"Find the derivative of $|x|$ at the origin.", r"x/|x|"),
    ("derivative", r"Find the largest value of the derivative of $\sin x$.", r"\cos x"),
    ("derivative", r"Where does the derivative of $x^2$ vanish?", r"2x"),
    ("derivative", r"Integrate the derivative of $x^2$.", r"2x"),
    ("derivative", r"What function has derivative $x^2$?", r"2x"),
    ("derivative", r"Find the function whose derivative is $x^2$.", r"2x"),
    ("derivative", r"Find the derivative of the even part of $x^2+x$.", r"2x+1"),
    ("derivative", r"Find the third and fourth derivatives of $x^5$.", r"60x^2"),
    ("differential_equation", r"Find the power series of the solution of $y'=y$.", r"Ce^x"),
    ("differential_equation", r"Find the derivative of the solution of $y'=y$, $y(0)=1$.", r"e^x"),
    ("differential_equation", r"Find twice the solution of $y'=y$, $y(0)=1$.", r"e^x"),
    ("differential_equation", r"Solve $y'=y$ given $y=\pi$ somewhere.", r"Ce^x"),
    (
        "differential_equation",
        r"A tank holds 100 L. $Q'=-Q/50$ and it contains 10 kg at first. Find $Q$.",
        r"Ce^{-t/50}",
    ),
    ("differential_equation", r"Solve $y'=ky$, $y(0)=1$, where $k^2=4$, $k>0$.", r"e^{kx}"),
]


@pytest.mark.parametrize(("task", "formula", "answer"), FORMULAS)
@pytest.mark.parametrize("question", DIFFERENT_REQUESTS)
def test_the_value_of_the_formula_alone_is_not_accepted(
    question: str, task: str, formula: str, answer: str
) -> None:
    integrals = {"definite": verify_definite_integral, "antiderivative": verify_antiderivative}
    verify = integrals.get(task) or QUESTIONS[task].verify
    try:
        verdict = verify(rf"\boxed{{{answer}}}", question.replace("G", formula))
    except ProblemError:
        return
    assert verdict.status is Status.INCORRECT  # 2 G is read


@pytest.mark.parametrize(("task", "question", "answer"), OTHER_OF_FUNCTIONS)
def test_another_derivative_or_solution_is_not_accepted(
    task: str, question: str, answer: str
) -> None:
    try:
        verdict = QUESTIONS[task].verify(rf"\boxed{{{answer}}}", question)
    except ProblemError:
        return
    assert verdict.status is Status.INCORRECT
