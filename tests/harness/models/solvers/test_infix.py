"""The notation of computer algebra systems: writing, reading, and refusals."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from functools import reduce
from operator import add, mul

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from calculus_harness.harness.models.solvers.fricas import FRICAS
from calculus_harness.harness.models.solvers.infix import Dialect, read, write
from calculus_harness.harness.models.solvers.maxima import MAXIMA
from calculus_harness.rewards.reading.expression.infix import NotationError, unknown_functions
from calculus_harness.rewards.reading.expression.tree import Call, Expression, Number, Symbol
from calculus_harness.rewards.reading.latex import read as read_latex
from calculus_harness.rewards.reading.latex import to_latex
from tests.examples import examples

X = Symbol("x")
NAMES = {"x": "x", "alpha": "p1"}
OURS = {theirs: ours for ours, theirs in NAMES.items()}


def tree(latex: str) -> Expression:
    return read_latex(latex, symbols=["x", "alpha"])[0].expression


def latex_of(text: str, dialect: Dialect) -> str:
    return to_latex(read(text, dialect, OURS))


@pytest.mark.parametrize(
    ("latex", "maxima", "fricas"),
    [
        ("2x", "(2*x)", "(2*x)"),
        ("-x^2", "(-(x^2))", "(-(x^2))"),
        (r"\frac{1}{1+x}", "(1/(1+x))", "(1/(1+x))"),
        (r"\ln x", "log(x)", "log(x)"),
        (r"\log_2 x", "(log(x)/log(2))", "(log(x)/log(2))"),
        (r"\sqrt[3]{x}", "(x^(1/3))", "nthRoot(x,3)"),
        (r"\alpha\,\pi", "(p1*%pi)", "(p1*%pi)"),
        (r"e^{x}+e", "(exp(x)+%e)", "(exp(x)+%e)"),
        (r"\operatorname{sgn} x", "signum(x)", "sign(x)"),
        (r"\operatorname{Ei}(x)", "expintegral_ei(x)", "Ei(x)"),
        (r"\operatorname{Li}_2(x)", "li[2](x)", "polylog(2,x)"),
        (r"\psi(x)", "psi[0](x)", "digamma(x)"),
        (r"F(x|\alpha)", "elliptic_f(x,p1)", "ellipticF(sin(x),p1)"),
    ],
)
def test_what_is_written(latex: str, maxima: str, fricas: str) -> None:
    assert write(tree(latex), MAXIMA, NAMES) == maxima
    assert write(tree(latex), FRICAS, NAMES) == fricas


def test_a_function_that_a_system_lacks_is_named() -> None:
    with pytest.raises(NotationError, match="FriCAS has no function for 'floor'"):
        write(tree(r"\lfloor x\rfloor"), FRICAS, NAMES)
    assert write(tree(r"\lfloor x\rfloor"), MAXIMA, NAMES) == "floor(x)"


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("(2*x^(3/2))/3", r"\frac{2 x^{\frac{3}{2}}}{3}"),
        ("-x^2", "-x^{2}"),
        ("2^-x", "2^{-x}"),
        ("2^-x^2*x", "2^{-x^{2}} x"),
        ("%e^-x^2", "e^{-x^{2}}"),
        ("x^2^3", "x^{2^{3}}"),
        ("x-2-3*x", "x - 2 - 3 x"),
        ("x-(2-x)", r"x - \left(2 - x\right)"),
        ("x/2/p1", r"\frac{\frac{x}{2}}{\alpha}"),
        ("-(x/3)", r"-\frac{x}{3}"),
        ("log(abs(x))", r"\ln\left(\left|x\right|\right)"),
        ("1.5*x", r"\frac{3}{2} x"),
        ("li[2](1-x)", r"\operatorname{Li}_{2}\left(1 - x\right)"),
        ("psi[0](x)", r"\psi\left(x\right)"),
        ("hypergeometric([1,2],[3],x)", r"{}_{2}F_{1}\left(1, 2; 3; x\right)"),
        ("x!", "x!"),
        ("sqrt(%i)*%pi", r"\sqrt{i} \pi"),
        ("2*'integrate(x^x,x)", r"2 \operatorname{integral}\left(x^{x}, x\right)"),
    ],
)
def test_what_maxima_says(text: str, latex: str) -> None:
    assert latex_of(text, MAXIMA) == latex


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("(-1)*x+(2*x^2+(-4))", "-x + 2 x^{2} - 4"),
        ("(-1)/(x^2+1)", r"-\frac{1}{x^{2} + 1}"),
        ("x^(1/2)*pi()", r"\sqrt{x} \pi"),
        ("complex(0,1)*x", "i x"),
        ("complex(2,0)*x", "2 x"),
        ("x^complex(2,3)", "x^{2 + 3 i}"),
        ("float(3,-1,2)*x", r"\frac{3}{2} x"),
        ("dilog(x)", r"\operatorname{Li}_{2}\left(1 - x\right)"),
        ("ellipticF(x,p1)", r"\operatorname{ellipticf}\left(\arcsin\left(x\right), \alpha\right)"),
        ("ellipticE(x)", r"\operatorname{elliptice}\left(x\right)"),
        ("integral(x^x,x::Symbol)", r"\operatorname{integral}\left(x^{x}, x\right)"),
        (
            "rootOf(%%F0^2+1,%%F0)",
            r"\operatorname{rootOf}\left(\mathrm{F0}^{2} + 1, \mathrm{F0}\right)",
        ),
    ],
)
def test_what_fricas_says(text: str, latex: str) -> None:
    assert latex_of(text, FRICAS) == latex


def test_the_angle_of_a_point_is_an_arc_tangent() -> None:
    parsed = read("atan2(x,p1)", MAXIMA, OURS)
    for y, x in ((1.0, 2.0), (3.0, -1.0), (-2.0, -5.0), (-0.5, 0.1)):
        assert value(parsed, {"x": y, "alpha": x}) == pytest.approx(cmath.phase(complex(x, y)))


def test_foreign_functions_are_kept_and_known_as_such() -> None:
    parsed = read("rootOf(x^2+1,x)+exp(1)*sin(weird?f(x))", FRICAS, OURS)
    assert unknown_functions(parsed) == {"rootOf", "weirdf"}
    # A name of ours that means something else there must not be taken for ours.
    assert unknown_functions(read("frac(x,2,3)", MAXIMA, OURS)) == {"theirfrac"}


def test_a_sum_nested_a_thousand_deep_is_a_sum() -> None:
    text = "(" * 3000 + "x" + "+x)" * 3000
    parsed = read(text, FRICAS, OURS)
    assert isinstance(parsed, Call)
    assert parsed.args == (X,) * 3001


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "x+",
        "(x",
        "x)",
        "f(x",
        "x]",
        "[x)",
        "x y",
        "f(,x)",
        "f(x,)",
        "x,x",
        "(x,x)",
        "x = 2",
        "if x > 0 then 1 else 2",
        '"x"',
        "$x",
        "x;quit()",
        "9" * 2000,
        "1e99999",
        "2::",
        "sin(" * 200 + "x" + ")" * 200,
        "x+" * 60_000 + "x",
        "'",
        "--",
        "x''",
    ],
)
def test_what_cannot_be_read_is_one_kind_of_error(text: str) -> None:
    for dialect in (MAXIMA, FRICAS):
        with pytest.raises(NotationError):
            read(text, dialect, OURS)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (MAXIMA, "psi[1](x,x,x)"),
        (MAXIMA, "hypergeometric(1,2,x)"),
        (MAXIMA, "atan2(x)"),
        (FRICAS, "float(1,999999,2)"),
        (FRICAS, "float(1,2)"),
        (FRICAS, "complex()"),
    ],
)
def test_a_known_function_of_strange_arguments_is_that_error_too(
    dialect: Dialect, text: str
) -> None:
    with pytest.raises(NotationError, match="makes no sense"):
        read(text, dialect, OURS)


@given(st.text(alphabet="x1%e.()[]+-*/^!',: psiLflogt", max_size=40))
@example("[]")
@examples(300)
def test_any_text_gives_a_tree_or_that_error(text: str) -> None:
    for dialect in (MAXIMA, FRICAS):
        try:
            parsed = read(text, dialect, OURS)
        except NotationError:
            continue
        assert to_latex(parsed)


# --- round trip --------------------------------------------------------------------------------

Values = dict[str, float]

FUNCTIONS: dict[str, Callable[..., complex]] = {
    "sqrt": cmath.sqrt,
    "exp": cmath.exp,
    "ln": cmath.log,
    "sin": cmath.sin,
    "cos": cmath.cos,
    "atan": cmath.atan,
    "asinh": cmath.asinh,
    "neg": lambda x: -x,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: complex(x) ** y,
    "pi": lambda: cmath.pi,
    "e": lambda: cmath.e,
    "add": lambda *args: reduce(add, args),
    "mul": lambda *args: reduce(mul, args),
    "root": lambda x, n: complex(x) ** (1 / n),
    "log": lambda x, base: cmath.log(x) / cmath.log(base),
}


def value(node: Expression, symbols: Values) -> complex:
    if isinstance(node, Number):
        return node.numerator / node.denominator
    if isinstance(node, Symbol):
        return symbols[node.name]
    return FUNCTIONS[node.function](*(value(arg, symbols) for arg in node.args))


def grow(subtrees: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    def call(name: str, *args: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        return st.tuples(*args).map(lambda children: Call(name, children))

    several = st.lists(subtrees, min_size=2, max_size=4).map(tuple)
    exponents = st.integers(2, 5).map(Number)
    return st.one_of(
        several.map(lambda args: Call("add", args)),
        several.map(lambda args: Call("mul", args)),
        *(call(name, subtrees) for name in ("neg", "sqrt", "exp", "ln", "sin", "atan", "asinh")),
        call("div", subtrees, subtrees),
        call("pow", subtrees, subtrees),
        call("root", subtrees, exponents),
        call("log", subtrees, exponents),
    )


NUMBERS = st.builds(Number, st.integers(-12, 12), st.just(1)) | st.sampled_from(
    [Number(1, 2), Number(-3, 4), Number(7, 5)]
)
TREES = st.recursive(
    NUMBERS | st.sampled_from([X, Symbol("alpha"), Call("pi"), Call("e")]), grow, max_leaves=12
)


@given(TREES, st.sampled_from([MAXIMA, FRICAS]))
@examples(200)
def test_what_is_written_reads_back_as_the_same_function(
    expression: Expression, dialect: Dialect
) -> None:
    parsed = read(write(expression, dialect, NAMES), dialect, OURS)
    assert read(write(parsed, dialect, NAMES), dialect, OURS) == parsed
    point = {"x": 0.7312, "alpha": 1.379}
    try:
        expected, size = value(expression, point), magnitude(expression, point)
        got = value(parsed, point)
    except (ZeroDivisionError, ValueError, OverflowError):
        assume(False)
        raise
    assume(size < 1e6)
    assert got == pytest.approx(expected, rel=1e-6, abs=1e-6)


def magnitude(node: Expression, point: Values) -> float:
    """The largest intermediate number, for a bound on rounding in a comparison."""
    size = abs(value(node, point))
    if isinstance(node, Call):
        size = max([size, 1 / size if size else 1e9, *(magnitude(arg, point) for arg in node.args)])
    return size
