"""Random trees, printed in many hands, read back to the same function."""

from __future__ import annotations

from random import Random

import mpmath
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards.reading.expression.tree import Call, Number, Symbol
from calculus_harness.rewards.reading.latex import read, to_latex
from tests.examples import examples
from tests.rewards.reading.latex.support import spelled, value

UNARY = (
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "asin",
    "atan",
    "asinh",
    "ln",
    "sqrt",
    "abs",
    "exp",
    "erf",
    "sec",
    "csch",
)
X, A = Symbol("x"), Symbol("a")

atoms = st.one_of(
    st.just(X), st.just(X), st.just(A), st.just(Call("pi")), st.integers(1, 12).map(Number)
)


def _compound(children: st.SearchStrategy) -> st.SearchStrategy:
    several = st.lists(children, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(lambda args: Call("add", args), several),
        st.builds(lambda args: Call("mul", args), several),
        st.builds(lambda a, b: Call("div", (a, b)), children, children).filter(_no_plain_ratio),
        st.builds(lambda a: Call("neg", (a,)), children).filter(
            lambda node: not isinstance(node.args[0], Number)
        ),
        st.builds(lambda a, n: Call("pow", (a, Number(n))), children, st.integers(2, 5)).filter(
            lambda node: node.args[0] != Call("e")
        ),
        st.builds(lambda name, a: Call(name, (a,)), st.sampled_from(UNARY), children),
        st.builds(lambda a, n: Call("root", (a, Number(n))), children, st.integers(3, 7)),
        st.builds(lambda a: Call("log", (a, Number(2))), children),
    )


def _no_plain_ratio(node: Call) -> bool:
    return not all(isinstance(arg, Number) for arg in node.args)


trees = st.recursive(atoms, _compound, max_leaves=12)


@examples(400)
@given(trees)
def test_our_own_print_reads_back_to_the_same_tree(tree):
    text = to_latex(tree)
    results = read(text, symbols=("x", "a"))
    assert len(results) == 1, text
    assert spelled(results[0].expression) == spelled(tree), text


@examples(400)
@given(trees, st.integers(0, 2**32))
def test_any_hand_reads_back_to_the_same_function(tree, seed):
    text = Hand(Random(seed)).write(tree)
    read_tree = read(text, symbols=("x", "a"))[0].expression
    for x, a in ((0.37, 1.3), (2.6, 0.41)):
        assert _same(tree, read_tree, {"x": mpmath.mpf(x), "a": mpmath.mpf(a)}), text


@examples(200)
@given(trees)
def test_reading_is_deterministic(tree):
    text = to_latex(tree)
    assert read(text, symbols="xa") == read(text, symbols="xa")


def _same(f, g, names) -> bool:
    try:
        expected = value(f, names)
    except (ZeroDivisionError, OverflowError, ValueError):
        return True
    if not mpmath.isfinite(expected) or abs(expected) > 1e12:
        return True
    with mpmath.workdps(40):
        expected, got = value(f, names), value(g, names)
    return abs(expected - got) <= 1e-9 * (1 + abs(expected))


class Hand:
    """Writes a tree in the style of a random writer, always with the customary meaning."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def space(self) -> str:
        return self.pick("", "", " ", r"\,", r"\;", "  ", "~")

    def brackets(self, text: str) -> str:
        return self.pick(
            f"({text})",
            rf"\left({text}\right)",
            rf"\left[ {text} \right]",
            rf"\bigl({text}\bigr)",
            rf"\Big[{text}\Big]",
            rf"\left\{{{text}\right\}}",
            f"[{text}]",
            rf"{{\left({text} \right)}}",
            rf"\left ({text}\right )",
        )

    def write(self, node) -> str:
        """At the level of a sum."""
        if isinstance(node, Call):
            if node.function == "add":
                text = self.write(node.args[0])
                for term in node.args[1:]:
                    if isinstance(term, Call) and term.function == "neg":
                        text += f"{self.space()}-{self.space()}{self.factor(term.args[0])}"
                    elif isinstance(term, Call) and term.function == "add":
                        text += f" + {self.brackets(self.write(term))}"
                    else:
                        text += f"{self.space()}+{self.space()}{self.term(term)}"
                return text
            if node.function == "neg":
                return f"-{self.space()}{self.factor(node.args[0])}"
        return self.term(node)

    def term(self, node) -> str:
        """At the level of a product."""
        if isinstance(node, Call) and node.function == "mul":
            if self.random.random() < 0.2:
                return r"\,".join(self.brackets(self.write(arg)) for arg in node.args)
            text = self.factor(node.args[0])
            for arg in node.args[1:]:
                following = self.factor(arg)
                # Two operands may stand side by side where neither takes in the other.
                closed = text[-1] in ")]}" or text.isdigit() or text in ("x", "a")
                if closed and not following[0].isdigit() and self.random.random() < 0.7:
                    text += self.space() + following
                else:
                    text += self.pick(r" \cdot ", r" \times ", "*") + following
            return text
        if isinstance(node, Call) and node.function == "div" and self.random.random() < 0.3:
            top, bottom = (self.brackets(self.write(arg)) for arg in node.args)
            return f"{top}{self.space()}/{self.space()}{bottom}"
        return self.factor(node)

    def factor(self, node) -> str:
        """A single operand, with brackets if needed."""
        if isinstance(node, Number):
            return str(node.numerator)
        if isinstance(node, Symbol):
            return self.pick(node.name, f"{{{node.name}}}", rf"\mathit{{{node.name}}}")
        name, args = node.function, node.args
        if name == "pi":
            return self.pick(r"\pi ", r"{\pi}", "π")
        if name in ("add", "neg", "mul"):
            return self.brackets(self.write(node))
        if name == "div":
            top, bottom = map(self.write, args)
            command = self.pick(r"\frac", r"\dfrac", r"\tfrac", r"\cfrac")
            return self.pick(
                f"{command}{{{top}}}{{{bottom}}}",
                f"{command} {{ {top} }} {{ {bottom} }}",
                rf"{{{top} \over {bottom}}}",
            )
        if name == "pow":
            return self.power(*args)
        if name == "root":
            return rf"\sqrt[{args[1].numerator}]{{{self.write(args[0])}}}"
        if name == "log":
            return rf"\log_{self.pick('2', '{2}')}{self.brackets(self.write(args[0]))}"
        return self.unary(name, args[0])

    def power(self, base, exponent) -> str:
        digits = str(exponent.numerator)
        written = self.pick(digits, f"{{{digits}}}", f"{{{digits}}}")
        takes_power = isinstance(base, Call) and base.function in ("sin", "cos", "tan", "ln", "sec")
        if takes_power and self.random.random() < 0.6:
            return rf"\{base.function}^{written}{self.brackets(self.write(base.args[0]))}"
        if isinstance(base, Symbol):
            return f"{base.name}^{written}"
        return f"{self.brackets(self.write(base))}^{written}"

    def unary(self, name: str, arg) -> str:
        inner = self.write(arg)
        if name == "sqrt":
            return rf"\sqrt{{{inner}}}"
        if name == "abs":
            return self.pick(
                rf"\left|{inner}\right|",
                rf"\lvert {inner} \rvert",
                rf"\bigl|{inner}\bigr|",
                rf"\left\vert {inner} \right\vert",
                f"|{inner}|" if "|" not in inner and "vert" not in inner else f"abs({inner})",
            )
        if name == "exp":
            return self.pick(
                f"e^{{{inner}}}", rf"\exp{self.brackets(inner)}", rf"\mathrm{{e}}^{{{inner}}}"
            )
        spelling = self.spelling(name)
        if isinstance(arg, Symbol):
            return spelling + self.pick(f" {arg.name}", f"({arg.name})", f"{{{arg.name}}}") + " "
        return spelling + self.brackets(inner)

    def spelling(self, name: str) -> str:
        if name in ("asin", "atan"):
            return self.pick(
                rf"\arc{name[1:]}", rf"\{name[1:]}^{{-1}}", rf"\operatorname{{{name}}}"
            )
        if name == "asinh":
            return self.pick(
                r"\operatorname{arcsinh}", r"\text{arsinh}", r"\sinh^{-1}", r"\arcsinh"
            )
        if name in ("erf", "csch"):
            return self.pick(
                rf"\operatorname{{{name}}}", rf"\text{{{name}}}", rf"\mathrm{{{name}}}"
            )
        if name == "ln":
            return self.pick(r"\ln", r"\log", r"\operatorname{ln}")
        return "\\" + name
