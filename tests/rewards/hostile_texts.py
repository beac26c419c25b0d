r"""Completions of a collapsed or hostile model: long, deep, and repetitive.

Every text derives from a seed and a style, to reproduce a slow text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

#: The longest completions; an answer of more characters than `Limits.characters` is not read.
LONGEST = 100_000

#: Forms with one argument, as LaTeX with a hole ``@``.
FORMS: tuple[str, ...] = (
    *(
        rf"\{name}(@)"
        for name in "sin cos tan cot sec csc arcsin arccos arctan sinh cosh coth ln exp".split()
    ),
    *(
        rf"\operatorname{{{name}}}(@)"
        for name in "arccot arcsec arccsc arsinh arcosh artanh arcoth arsech arcsch sech csch sgn"
        " floor frac erf gd".split()
    ),
    r"\sqrt{@}",
    r"\sqrt[3]{@}",
    r"\sqrt[4]{@}",
    r"\sqrt[x]{@}",
    r"\log_2(@)",
    r"\log_{@}(2)",
    r"\left|@\right|",
    r"\lfloor @\rfloor",
    r"\lceil @\rceil",
    r"\ln\left|@\right|",
    r"e^{@}",
    r"2^{@}",
    r"x^{@}",
    r"(@)^{x}",
    r"(@)^2",
    r"(@)^{1/3}",
    r"(@)^{-1/2}",
    r"\sin^2(@)",
    r"\sin^{-1}(@)",
    r"\frac{1}{@}",
    r"\frac{@}{x}",
    r"\frac{1}{1+@}",
    r"\frac{@}{@@}",
    r"x(@)",
    r"(1+@)",
    r"-(@)",
    r"{@}",
    r"\left(@\right)",
    r"\max(@, 0)",
    r"(@)!",
    r"\binom{@}{2}",
    r"\overline{@}",
    r"\mathrm{@}",
    r"\text{@}",
    r"\begin{cases}@ & x>0\\ 0 & x<0\end{cases}",
    r"\Gamma(@)",
)
#: What stands around an argument, so that the arguments of a nested form are no chain of one form.
AROUND: tuple[str, ...] = ("@", "1+@", "x+@", "x@", r"\frac{@}{2}", "2@^2", "x-@", r"\frac1{@}")
LEAVES = ("x", "2", "x^2", "C", "x+C", r"\pi", "a", "0", "1", "-1")


def nested(form: str, around: str, depth: int, leaf: str = "x") -> str:
    """A form nested in itself a number of times."""
    text = leaf
    for _ in range(depth):
        text = form.replace("@@", "1+x").replace("@", around.replace("@", text))
    return text


def random_nesting(random: Random, depth: int) -> str:
    """Random forms, each around the previous form."""
    text = random.choice(LEAVES)
    for _ in range(depth):
        form, around = random.choice(FORMS), random.choice(AROUND)
        text = form.replace("@@", random.choice(LEAVES)).replace("@", around.replace("@", text))
    return text


#: Pieces of texts, repeated or strung together at random.
PIECES: tuple[str, ...] = (
    "\n",
    "\n\n",
    "\t",
    *(
        piece
        for line in r"""
The_answer_is¦The answer is ¦answer¦\boxed{¦\boxed{x}¦\boxed¦{¦}¦(¦)¦[¦]¦\left(¦\right)¦$¦$$
\(¦\)¦\[¦\]¦\¦<think>¦</think>¦<answer>¦</answer>¦**¦*¦`¦```¦#¦\begin{cases}¦\end{cases}
\begin{aligned}¦\end{aligned}¦\\¦&¦x^2¦x¦1¦7¦0.¦,¦, ¦.¦. ¦;¦:¦!¦?¦'¦"¦=¦==¦ = ¦+¦-¦--¦^¦_¦^{
_{¦/¦\frac¦\frac{¦\frac12¦\sqrt¦\sqrt{¦\ln¦\sin¦\sin x¦\int¦\int x dx = ¦\int_0^1¦\sum¦\lim
dx¦d¦\,dx¦+ C¦C¦or¦ or ¦\text{ or }¦\text{¦\text{where }¦\mathrm{¦where ¦where u = x¦u = x
so ¦therefore ¦\implies¦\approx¦\pm¦\infty¦∫¦√¦²¦π¦×¦−¦é¦中¦ ¦  ¦    ¦~¦\,¦\quad¦%¦@¦\n¦\n\n
\t¦- ¦1. ¦the ¦sin¦cos x¦a¦ab¦xx¦{"answer": "¦answer":¦\"¦undefined¦piecewise
Piecewise((x, x > 0), ¦x > 0¦if ¦for x > 0¦diverges¦converges¦does not ¦not ¦no¦Step 1:
\Rightarrow¦\cdot¦\times¦\left¦\right¦\left.¦\right.¦\middle\¦\!¦\;¦\:¦\ ¦\operatorname{
\operatorname{sin}¦i¦e¦E¦1e9¦e^¦10^{10^¦(A)¦A¦\text{A}¦B. ¦option ¦42¦-42¦1,000¦1/2¦½¦\dfrac
\tfrac¦\displaystyle¦\begin{array}{c}¦\end{array}¦\hline¦\label{¦\tag{1}¦\cancel{
\color{red}¦\|
""".strip("\n").split("\n")
        for piece in line.split("¦")
    ),
)


def repeated(piece: str, length: int) -> str:
    return (piece * (length // max(1, len(piece)) + 1))[:length]


def strung(random: Random, length: int) -> str:
    """Random pieces, some very often: alone, in turns, and from a small vocabulary."""
    vocabulary = random.sample(PIECES, random.choice((2, 4, 8, 40)))
    pieces: list[str] = []
    size = 0
    while size < length:
        unit = "".join(random.choice(vocabulary) for _ in range(random.choice((1, 1, 2, 3))))
        pieces.append(unit * random.choice((1, 1, 3, 30, 1000, length)))
        size += max(1, len(pieces[-1]))
        if random.random() < 0.2:
            pieces.append(random.choice(PIECES))
    text = "".join(pieces)[: length - 8]
    return random.choice(("", "x", "$", "a ")) + text + random.choice(("", "}", "x", "$", "=", ")"))


def wide(random: Random, length: int) -> str:
    """A sum, product, quotient or power of very many parts."""
    make: Sequence[Callable[[int], str]] = (
        lambda i: f"+x^{{{i}}}",
        lambda i: f"+{i}x^{{{random.randint(2, 10**6)}}}",
        lambda i: rf"+\sin({i}x)",
        lambda i: rf"+\sqrt{{x+{i}}}",
        lambda i: rf"+\ln|x+{i}|",
        lambda i: rf"+\frac{{1}}{{x+{i}}}",
        lambda i: rf"+\frac{{{i}}}{{{random.randint(2, 10**9)}}}x",
        lambda i: rf"\frac{{x}}{{{i}}}",
        lambda i: f"(x+{i})",
        lambda i: f"(x+{i})^2",
        lambda i: f"(x+{i})(x-{i})+",
        lambda i: f"x^{{x+{i}}}",
        lambda i: rf"\arctan(x+{i})+",
        lambda i: f"|x-{i}|+",
        lambda i: rf"\sin x\cos {i}x",
        lambda i: f"+a_{{{i}}}x",
        lambda i: f"/{random.randint(2, 99)}",
        lambda i: f"^{random.randint(2, 9)}",
        lambda i: rf"\pm {i}",
        lambda i: rf"+e^{{{i}x}}",
        lambda i: rf"+2^{{{random.randint(2, 10**12)}}}",
        lambda i: rf"+{random.randint(1, 10**40)}",
        lambda i: rf"+\lfloor {i}x\rfloor",
        lambda i: rf"+\tan({i}x)",
        lambda i: rf"+\arcsin(\frac{{x}}{{{i + 2}}})",
        lambda i: rf"\sqrt[{i + 2}]{{x}}",
        lambda i: rf"+x^{{\frac{{{i}}}{{{random.randint(10**8, 10**9)}}}}}",
        lambda i: rf"+x^{{{i}/7}}+",
        lambda i: rf"+{i}!",
        lambda i: rf"+i^{{{i}}}x",
    )
    unit = random.choice(make)
    text, at = "x", 0
    while len(text) < length:
        at += 1
        text += unit(at)
    shape = random.choice((r"@", r"@", r"\sqrt{@}", r"x^{@}", r"\frac{1}{@}", r"\ln(@)", "2^{@}"))
    return shape.replace("@", text.rstrip("+"))


WRAPPERS = (
    r"\boxed{@}",
    r"The answer is $\boxed{@ + C}$.",
    "$@$",
    "@",
    "<answer>@</answer>",
    r"$$\int 2x\,dx = @ + C$$",
    r"\boxed{x^2} @",
    r"@ \boxed{x^2}",
    r"$\int 2x\,dx = \boxed{@}$",
    r"<think>@</think> \boxed{x^2}",
)
