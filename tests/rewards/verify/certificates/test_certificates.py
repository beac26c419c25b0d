"""Certificates of proofs and of witnesses; the independent checker sees forgeries."""

from __future__ import annotations

import ast
import json
import math
import random
from contextlib import suppress
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import flint
import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards import NoCertificateError, ProblemError, certify
from calculus_harness.rewards.verify.certificates import check as checker
from calculus_harness.rewards.verify.certificates import intervals
from calculus_harness.rewards.verify.certificates.check import CertificateError, check

CASES = Path(__file__).parents[2] / "cases"
CORPORA = "antiderivatives integral_table redteam responses special_integrals verdicts".split()
PROVED = [
    (r"2x\cos(x^2)", r"\sin(x^2)+C"),
    (r"\frac{5}{\sqrt{25-5x^2}}", r"\sqrt5\arcsin\frac{x}{\sqrt5}"),
    (r"\frac{1}{x\ln x\ln\ln x}", r"\ln|\ln|\ln x||"),
    (r"|x|", r"\frac{x|x|}{2}"),
    (r"x^n", r"\frac{x^{n+1}}{n+1}"),
    (r"\sec x", r"\ln|\sec x+\tan x|"),
    (r"\frac{1}{x^{1/2}+x^{1/3}}", r"2\sqrt x-3\sqrt[3]x+6\sqrt[6]x-6\ln|1+x^{1/6}|"),
    (r"e^{-x^2}", r"\frac{\sqrt\pi}{2}\operatorname{erf}(x)"),
    (r"(1+x)^{2019}", r"\frac{(1+x)^{2020}}{2020}"),
]
REFUTED = [
    ("2x", "x^3"),
    (r"\cos x", r"\frac{\sin 2x}{2}"),
    (r"\sqrt{1+x^2}", r"\frac x2\sqrt{1+x^2}"),
    (r"\arctan x", r"x\arctan x+\frac12\ln(1+x^2)"),
    (r"a e^{ax}", r"e^{ax}+\ln|x|"),
    # Right for x > 0 only: the witness is a point at which it is not.
    (r"\sqrt{x^2+1}", r"\frac{|x|}{2x}\left(x\sqrt{x^2+1}+\ln(x+\sqrt{x^2+1})\right)"),
]


def certificate_of(integrand: str, answer: str) -> Any:
    return json.loads(json.dumps(certify(answer, integrand)))


@pytest.mark.parametrize(("integrand", "answer"), PROVED)
def test_proofs_are_certified(integrand: str, answer: str) -> None:
    data = certificate_of(integrand, answer)
    assert data["kind"] == "identity"
    assert set(check(data)) <= {"asin", "erf"}  # derivatives that are taken as stated


@pytest.mark.parametrize(("integrand", "answer"), REFUTED)
def test_witnesses_are_certified(integrand: str, answer: str) -> None:
    data = certificate_of(integrand, answer)
    assert (data["kind"], check(data)) == ("witness", [])


def test_the_checker_stands_alone() -> None:
    for module in (checker, intervals):
        tree = ast.parse(Path(str(module.__file__)).read_text())
        froms = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not any(isinstance(node, ast.Import) for node in ast.walk(tree))
        standard = {"__future__", "collections.abc", "fractions", "functools", "operator", "typing"}
        foreign = {name for name in froms - standard if (name or "").partition(".")[0] != "mpmath"}
        assert foreign <= {"intervals"}


def _numbers(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to the coefficients of a case's polynomials."""
    if isinstance(data, list) and len(data) == 2 and isinstance(data[0], str):
        return [path]
    items = data.items() if isinstance(data, dict) else enumerate(data)
    return [
        path_below
        for key, item in items
        if isinstance(item, list | dict) and key != "conditions"
        for path_below in _numbers(item, (*path, key))
    ]


@pytest.mark.parametrize(
    ("integrand", "answer", "why"),
    [
        ("2x", "I do not know", "no_answer"),
        (r"\sqrt{\csc x-\sin x}", r"2\sqrt{\sin x}", "agreement at"),
        ("|x|", r"\frac{x^2}{2}\operatorname{sgn}x+\operatorname{sgn}x", "jumps"),
        ("2x", r"x^3\text{ or }x^2", "does not rest on a proof"),
    ],
)
def test_other_verdicts_have_none(integrand: str, answer: str, why: str) -> None:
    with pytest.raises(NoCertificateError, match=why):
        certify(answer, integrand)


def test_the_verdict_s_options_hold() -> None:
    with pytest.raises(NoCertificateError, match="no_answer"):
        certify("$x^2$", "2x", strict=True)
    assert certify("t^2", "2t", variable="t")["variable"] == "t"
    assert certify("t^2", "2t")["variable"] == "t"


def test_slow_functions_are_refuted_in_a_worker() -> None:
    data = certificate_of(r"\operatorname{Li}_2(x)", r"\operatorname{Li}_2(x)")
    assert (data["kind"], check(data)) == ("witness", ["derivative", "f"])


@pytest.mark.parametrize(("integrand", "answer"), PROVED[:7])
def test_a_changed_coefficient_is_seen(integrand: str, answer: str) -> None:
    data, source = certificate_of(integrand, answer), random.Random(1)
    for _ in range(40):
        forged = deepcopy(data)
        case = source.choice(forged["cases"])
        *path, index = source.choice(_numbers(case))
        function = case["generators"][path[1]]["function"] if path[0] == "generators" else ""
        derivative = path[0] == "generators" and path[2:4] == ["derivative", 0]
        if not (
            path[:2] == ["integrand", 0]
            or path[0] == "cofactors"
            or (derivative and function != "symbol")
        ):
            continue  # a constant term of F, say, or a factor of a logarithm's argument
        row = case
        for key in path:
            row = row[key]
        row[index][0] = str(Fraction(row[index][0]) + 1)
        with pytest.raises(CertificateError):
            check(forged)


def test_forged_witnesses_are_seen() -> None:
    data = certificate_of("2x", "x^3")
    for change in (
        {"answer": ["pow", ["symbol", "x"], "2"]},
        {"derivative": data["f"]},
        {"point": {"x": "0"}},
        {"point": {}},
    ):
        with pytest.raises(CertificateError):
            check({**data, **change})


ONE: Any = [["1", []]]


def _forged(integrand: Any, *functions: Any, terms: Any = (), cofactors: Any = ()) -> Any:
    """A certificate of x and of functions, each a name, a fraction, a unit and a partner."""
    x = {"function": "variable", "args": [], "unit": "1", "partner": None, "derivative": [ONE, ONE]}
    keys = "function", "args", "unit", "partner"
    others = [dict(zip(keys, row, strict=True), derivative=None) for row in functions]
    case = {"generators": [x, *others], "terms": [[term, ONE] for term in terms]}
    case |= {"integrand": [integrand, ONE], "denominator": ONE, "cofactors": list(cofactors)}
    return {"kind": "identity", "cases": [case]}


#: The square of a sine and of a cosine, less 1.
SQUARES: Any = [["1", [[1, 2]]], ["1", [[2, 2]]], ["-1", []]]
MINUS_ONE: Any = [["-1", []]]
SINE, COSINE = ("sin", [[ONE, ONE]], "1", 2), ("cos", [[ONE, ONE]], "1", 1)


def test_a_relation_without_the_variable_holds() -> None:
    assert check(_forged(SQUARES, SINE, COSINE, cofactors=[MINUS_ONE])) == []


@pytest.mark.parametrize(
    "forged",
    [
        # sin(1)^2 + cos(2)^2 - 1 is not 0.
        _forged(SQUARES, SINE, ("cos", [[[["2", []]], ONE]], "1", 1), cofactors=[MINUS_ONE]),
        # A sine is not the partner of a sine: sin(1)^2 - 1 is not 0.
        _forged(
            [["1", [[1, 2]]], *MINUS_ONE],
            ("sin", [[ONE, ONE]], "1", 1),
            cofactors=[MINUS_ONE],
        ),
        _forged(SQUARES, SINE, ("sin", [[ONE, ONE]], "1", 1), cofactors=[MINUS_ONE, []]),
        # (4/9)^(-1/2) is no root of a polynomial with the stated relation.
        _forged(
            [["1", [[1, -2]]], ["-4", []]],
            ("root", [[[["4", []]], [["9", []]]]], "-1/2", None),
            cofactors=[MINUS_ONE],
        ),
        # Terms that a reader adds, multiplies or rounds otherwise.
        _forged([["1", [[0, 1]]], ["2", [[0, 1]]]], terms=[[["1", [[0, 2]]]]]),
        _forged([["2", [[0, 1], [0, 1]]]], terms=[[["1", [[0, 2]]]]]),
        _forged([["2", [[0, 1.5]]]], terms=[[["1", [[0, 2]]]]]),
        _forged([["2", [[-1, 1]]]], terms=[[["1", [[0, 2]]]]]),
        _forged([[2.5, [[0, 1]]]], terms=[[["5/4", [[0, 2]]]]]),
    ],
)
def test_forged_relations_and_terms_are_seen(forged: Any) -> None:
    with pytest.raises(CertificateError):
        check(forged)


def test_malformed_certificates_are_refused() -> None:
    for data in (
        {},
        {"kind": "identity", "cases": []},
        {"kind": "identity", "cases": [{}]},
        {"kind": "rumour"},
        {"kind": "witness"},
    ):
        with pytest.raises(CertificateError):
            check(data)


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA)
def test_certificates_of_the_corpora(corpus: str) -> None:
    count = 0
    for row in json.loads((CASES / f"{corpus}.json").read_text()):
        text = next(row[name] for name in ("completion", "response", "answer") if name in row)
        if isinstance(text, str):
            with suppress(NoCertificateError, ProblemError):
                check(json.loads(json.dumps(certify(text, row["integrand"]))))
                count += 1
    assert count


def test_numbers_too_long_for_fractions_have_no_certificate() -> None:
    for integrand, answer in (
        ("2x", "x^{10^{100}}"),
        ("2024!", "2023!x"),
        ("x", "(10^{400})^{20}x"),
    ):
        with pytest.raises(NoCertificateError, match="too many digits"):
            certify(answer, integrand)


TREES = st.recursive(
    st.sampled_from([["symbol", "x"], "2", "-3/7", "5/2"]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["add", "mul", "div"]), inner, inner).map(list),
        st.tuples(
            st.sampled_from("neg sqrt exp ln sin cos tan sinh tanh atan asin acos abs".split()),
            inner,
        ).map(list),
        st.tuples(st.just("pow"), inner, st.sampled_from(["2", "-3", "1/2", "2/3"])).map(list),
    ),
    max_leaves=5,
)
NAMES = {"neg": lambda u: -u, "ln": lambda u: u.log(), "abs": lambda u: abs(u)}


def _value(tree: Any, x: Any) -> Any:
    """The value by python-flint, or NaN."""
    if isinstance(tree, str):
        return flint.arb(flint.fmpq(*map(int, tree.split("/"))))
    name, *children = tree
    if name == "symbol":
        return x
    if name == "pow":
        exponent = Fraction(children[1])
        base = _value(children[0], x)
        return base ** flint.arb(flint.fmpq(exponent.numerator, exponent.denominator))
    args = [_value(child, x) for child in children]
    if name in ("add", "mul", "div"):
        a, b = args
        return a + b if name == "add" else a * b if name == "mul" else a / b
    return NAMES[name](args[0]) if name in NAMES else getattr(args[0], name)()


@given(TREES, st.fractions(-4, 4, max_denominator=100))
def test_intervals_hold_the_value(tree: Any, x: Fraction) -> None:
    try:
        jet = intervals.jet(tree, "x", {"x": x})
    except intervals.UnknownError:
        return
    value = _value(tree, flint.arb(flint.fmpq(x.numerator, x.denominator)))
    if value.is_finite():
        low, high = (
            flint.arb((-1) ** sign * int(mantissa)) * flint.arb(2) ** exponent
            for sign, mantissa, exponent, _ in jet[0]._mpi_
        )
        assert not low > value
        assert not high < value


@pytest.mark.parametrize("name", sorted(intervals._FUNCTIONS))
def test_intervals_hold_the_derivative(name: str) -> None:
    inner = ["div", ["add", ["pow", ["symbol", "x"], "3"], "2"], "5"]
    function = {"neg": lambda u: -u, "abs": abs}.get(name) or getattr(mpmath, name)
    x = Fraction(3, 7)
    with mpmath.workdps(50):
        slope = mpmath.diff(lambda t: function((t**3 + 2) / 5), mpmath.mpf(3) / 7)
    derivative = intervals.jet([name, inner], "x", {"x": x})[1]
    assert float(derivative.mid) == pytest.approx(float(slope), rel=1e-12)


def test_intervals_hold_the_derivative_of_powers() -> None:
    x, point = ["symbol", "x"], {"x": Fraction(2)}
    for tree, slope in (
        (["pow", x, "-3"], -3 / 16),
        (["pow", x, "1/2"], 1 / 8**0.5),
        (["pow", "3", x], 9 * math.log(3)),
        (["pow", x, x], 4 * (math.log(2) + 1)),
        (["div", "1", ["mul", x, x, x]], -3 / 16),
    ):
        assert float(intervals.jet(tree, "x", point)[1].mid) == pytest.approx(slope, rel=1e-12)
