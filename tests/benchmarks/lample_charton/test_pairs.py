from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

import mpmath
import pytest
import sympy

from calculus_harness.benchmarks.algebra.normal_form import UnusableFormulaError
from calculus_harness.benchmarks.hashed_random import HashedRandom
from calculus_harness.benchmarks.lample_charton import _worker, decisions, parallel, problems
from calculus_harness.benchmarks.lample_charton.algebra.backends import OwnBackend
from calculus_harness.benchmarks.lample_charton.codec.prefix import from_prefix, operator_count
from calculus_harness.benchmarks.lample_charton.codec.vocabulary import IDS
from calculus_harness.benchmarks.lample_charton.generators import (
    GeneratorSettings,
    UnprovenPair,
    backward,
    draw_parts,
)
from calculus_harness.benchmarks.lample_charton.known_integrals import KnownIntegrals
from calculus_harness.benchmarks.lample_charton.pairs import IntegralPair, attempt, make, proven
from calculus_harness.benchmarks.lample_charton.parallel import distinct, pair_at, stream
from calculus_harness.benchmarks.recorded_decisions import cache_file
from calculus_harness.benchmarks.registry import load
from calculus_harness.rewards import verify_antiderivative
from calculus_harness.rewards.reading.expression.sympy_bridge import to_sympy
from calculus_harness.rewards.reading.expression.tree import Expression
from calculus_harness.rewards.reading.latex import to_latex

OWN = GeneratorSettings()
PUBLISHED = GeneratorSettings("published")
METHODS = ("fwd", "bwd", "ibp")
CACHE = "lample-charton-decisions.jsonl"


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of decisions for a single test, with the bytecode of the user's cache."""
    bytecode = cache_file("counted-bytecode")
    bytecode.mkdir(parents=True, exist_ok=True)
    (tmp_path / bytecode.name).symlink_to(bytecode)
    monkeypatch.setenv("CALCULUS_HARNESS_CACHE", str(tmp_path))
    decisions.decisions.cache_clear()
    yield tmp_path
    decisions.decisions.cache_clear()


def some(method: str, number: int) -> list[IntegralPair]:
    return [pair_at(method, 0, index, OWN) for index in range(number)]


# --- what every pair is ---


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_each_pair_is_proven_and_its_latex_reads_back(method: str) -> None:
    for pair in some(method, 12):
        f, big_f = to_latex(pair.integrand_tree), to_latex(pair.antiderivative_tree)
        assert verify_antiderivative(big_f, f).correct
        assert not verify_antiderivative(rf"{big_f}+\frac{{x}}{{7}}", f).correct
        assert set(pair.integrand) | set(pair.antiderivative) <= set(IDS)
        assert IntegralPair.from_row(json.loads(json.dumps(pair.to_row()))) == pair
        for tokens in (pair.integrand, pair.antiderivative):
            assert len(tokens) + 2 <= OWN.max_length
            assert "x" in tokens or tokens is pair.integrand


@pytest.mark.parametrize("method", METHODS)
def test_sympy_says_the_same_of_a_sample(method: str) -> None:
    """An independent check: SymPy's derivative, at points, with 30 digits."""
    x = sympy.Symbol("x")
    for pair in some(method, 6):
        f, big_f = (sympy_tree(tree) for tree in (pair.integrand, pair.antiderivative))
        difference = sympy.lambdify(x, sympy.diff(big_f, x) - f, "mpmath")
        size = sympy.lambdify(x, f, "mpmath")
        compared = 0
        with mpmath.workdps(30):
            for point in (0.31, 0.77, 1.3, 2.6, 4.2, -0.4, -1.7):
                try:
                    value, magnitude = difference(mpmath.mpf(point)), size(mpmath.mpf(point))
                except (ZeroDivisionError, ValueError, OverflowError):
                    continue
                if mpmath.im(magnitude) or not mpmath.isfinite(magnitude):
                    continue  # the pair is about the real domain
                compared += 1
                assert abs(value) <= mpmath.mpf(10) ** -15 * (1 + abs(magnitude)), (pair, point)
        assert compared or method == "bwd"


def sympy_tree(tokens: tuple[str, ...]) -> sympy.Expr:
    return to_sympy(from_prefix(tokens))


def test_filters_of_bwd() -> None:
    backend = OwnBackend()
    refused: set[str] = set()
    for attempt_number in range(60):
        try:
            unproven = backward(
                backend, HashedRandom("filters", attempt_number), GeneratorSettings(max_operators=8)
            )
        except UnusableFormulaError as error:
            refused.add(str(error))
            continue
        assert 2 * operator_count(unproven.antiderivative) >= unproven.operators
        tree = from_prefix(unproven.antiderivative)
        node = backend.node(tree)
        assert node is backend.without_constants(node)
    assert "constant" in refused
    short = GeneratorSettings(max_length=8, operators=12)
    reasons = {attempt("bwd", 0, 0, attempt_number, short) for attempt_number in range(20)}
    assert "too long" in reasons


@pytest.mark.parametrize("recipe", ["own", "published"])
def test_parts_may_have_a_single_operator(recipe: str) -> None:
    settings, drawn = GeneratorSettings(recipe=recipe, max_operators=1), 0
    for index in range(20):
        with suppress(UnusableFormulaError):  # a constant
            drawn += bool(draw_parts(OwnBackend(), HashedRandom("parts", index), settings))
    assert drawn


def test_operator_numbers() -> None:
    drawn = [GeneratorSettings().operator_number(HashedRandom("n", i), 4) for i in range(2000)]
    assert set(drawn) == set(range(16))
    assert abs(sum(n < 4 for n in drawn) / 2000 - 1 / 40) < 0.01
    assert {
        GeneratorSettings(operators=20).operator_number(HashedRandom(i), 4) for i in range(9)
    } == {20}
    few = GeneratorSettings(max_operators=2)
    assert {few.operator_number(HashedRandom(i), 4) for i in range(60)} == {0, 1, 2}
    pair = make("bwd", 0, 0, GeneratorSettings(operators=20))
    assert pair.operators == 20
    assert operator_count(pair.antiderivative) >= 10


@pytest.mark.parametrize(
    ("f", "big_f", "message"),
    [
        ("mul INT+ 2 x", "pow x INT+ 3", "incorrect"),
        ("sqrt add INT- 1 mul INT- 1 pow x INT+ 2", "x", "real nowhere|incorrect|undecided"),
        ("pow x x", "x", "incorrect"),
    ],
)
def test_what_is_not_proven(f: str, big_f: str, message: str) -> None:
    with pytest.raises(UnusableFormulaError, match=message):
        proven(UnprovenPair(tuple(f.split()), tuple(big_f.split()), 1), 0)


# --- addresses ---


@pytest.mark.parametrize("method", ["bwd", "ibp"])
def test_a_pair_depends_on_its_address_alone(method: str) -> None:
    pairs = [pair for _, pair in islice(stream(method, 0, OWN), 8)]
    assert make(method, 0, 5, OWN) == pairs[5]
    assert [make(method, 0, i, OWN) for i in (7, 0)] == [pairs[7], pairs[0]]
    assert len(set(pairs)) > 4


def test_another_seed_makes_other_pairs() -> None:
    assert not set(islice(stream("bwd", 1, OWN), 8)) & set(islice(stream("bwd", 2, OWN), 8))


@pytest.mark.slow
def test_a_store_is_a_function_of_its_seed() -> None:
    """A pair is the same in another process, and after other pairs."""
    pool = parallel._pool(1)
    rows = pool.map("slice", [("ibp", 0, i, i + 1, {}) for i in (3, 1)], deadline=300)
    assert [IntegralPair.from_row(row) for (row,) in rows] == [
        make("ibp", 0, i, OWN) for i in (3, 1)
    ]


def test_any_number_of_workers_makes_the_same_pairs() -> None:
    alone = list(distinct("bwd", 4, 20, OWN))
    assert list(distinct("bwd", 4, 20, OWN, workers=2)) == alone
    assert len({(pair.integrand, pair.antiderivative) for _, pair in alone}) == 20


def test_repeats_are_left_out() -> None:
    small = GeneratorSettings(max_operators=1)
    pairs = list(distinct("bwd", 0, 30, small))
    assert len({pair for _, pair in pairs}) == 30
    assert [index for index, _ in pairs] != list(range(30))


def test_settings_and_methods_that_there_are_not() -> None:
    with pytest.raises(ValueError, match="unknown recipe 'mine'"):
        GeneratorSettings("mine")
    with pytest.raises(ValueError, match="unknown grammar 'mine'"):
        GeneratorSettings(grammar="mine")
    with pytest.raises(ValueError, match="at least one operator"):
        GeneratorSettings(max_operators=0)
    with pytest.raises(ValueError, match="unknown method 'sideways'"):
        attempt("sideways", 0, 0, 0, OWN)
    with pytest.raises(ValueError, match="at least one worker"):
        next(stream("bwd", 0, OWN, workers=0))


# --- integration by parts ---


def test_known_integrals() -> None:
    backend, integrals = OwnBackend(), KnownIntegrals()

    def node(text: str) -> object:
        return backend.node(from_prefix(text.split()))

    assert integrals.integral(backend, node("sin x")) is None
    assert integrals.integral(backend, node("INT+ 3")) is node("mul INT+ 3 x")
    integrals.add(backend, node("mul INT+ 2 sin x"), node("mul INT- 2 cos x"))
    integrals.add(backend, node("sin x"), node("add x sub mul INT- 1 cos x x"))
    integrals.add(backend, node("pow x INT+ 2"), node("div pow x INT+ 3 INT+ 3"))
    assert len(integrals) == 2
    assert integrals.integral(backend, node("mul INT+ 5 sin x")) is node("mul INT- 5 cos x")
    # Term by term, and multiplied out:
    integral = integrals.integral(backend, node("add sin x mul INT+ 3 pow x INT+ 2"))
    assert integral is node("add pow x INT+ 3 mul INT- 1 cos x")
    assert integrals.integral(backend, node("mul x add x pow x INT- 1")) is node(
        "add x div pow x INT+ 3 INT+ 3"
    )


def test_ibp_pairs_have_a_function() -> None:
    algebraic = {"add", "mul", "div", "pow", "sqrt", "x", "INT+", "INT-", *"0123456789"}
    for index in range(12):
        assert not algebraic.issuperset(make("ibp", 0, index, OWN).integrand)


# --- SymPy with a limit of calls ---


# With OWN, workers start and warm SymPy up, which takes seconds.
@pytest.mark.parametrize("settings", [pytest.param(OWN, marks=pytest.mark.slow), PUBLISHED])
def test_decisions_are_recorded_and_not_made_again(
    settings: GeneratorSettings, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = "fwd" if settings is OWN else "bwd"
    settings = replace(settings, max_operators=4)
    pair = pair_at(method, 77, 0, settings)
    (line,) = cache_file(CACHE).read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["pair"] == pair.to_row()
    decisions.decisions.cache_clear()  # another process, with the cache and without a pool
    monkeypatch.setattr(parallel, "_pool", lambda workers: None)
    assert pair_at(method, 77, 0, settings) == pair


@pytest.mark.slow
def test_both_recipes_take_the_same_draws(own_cache: Path) -> None:
    """Where SymPy evaluates to the same form, the antiderivatives are the same tokens."""
    ours = [attempt("bwd", 6, index, 0, GeneratorSettings(max_operators=6)) for index in range(8)]
    pool = parallel._pool(1)
    options = {"recipe": "published", "max_operators": 6}
    rows = pool.map("attempt", [("bwd", 6, i, 0, options) for i in range(8)], deadline=300)
    theirs = [IntegralPair.from_row(row) if isinstance(row, dict) else row for row in rows]
    same = [
        our_pair.antiderivative == their_pair.antiderivative
        for our_pair, their_pair in zip(ours, theirs, strict=True)
        if isinstance(our_pair, IntegralPair) and isinstance(their_pair, IntegralPair)
    ]
    assert len(same) >= 4
    assert sum(same) >= len(same) - 1
    again = pool.map("attempt", [("bwd", 6, i, 0, options) for i in (5, 2)], deadline=300)
    assert again == [rows[5], rows[2]]  # in another order, by a process that has worked before


def test_the_packages_records_are_those_of_fwd(own_cache: Path) -> None:
    pairs = load("lample_charton/fwd")
    assert len(pairs) == len({problem.id for problem in pairs}) >= 6
    assert not list(own_cache.glob("*.jsonl")), "a decision was missing and has been made again"


def test_the_validation_set_is_replayed_without_sympy(own_cache: Path) -> None:
    """The released code's filter: the prefix text of neither side has the name."""
    script = (
        "import hashlib, sys\n"
        "sys.modules['sympy'] = None\n"
        "from calculus_harness.benchmarks.registry import load\n"
        "names = 'lample_charton/fwd_valid', 'lample_charton/fwd'\n"
        "rows = [[p.id, p.inputs, p.target, p.metadata] for name in names for p in load(name)]\n"
        "print(hashlib.sha256(repr(rows).encode()).hexdigest())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    problems = load("lample_charton/fwd_valid")
    assert len(problems) == len({p.metadata["prefix"] for p in problems}) == 1000
    for problem in problems:
        text = f"{problem.metadata['prefix']} {problem.metadata['antiderivative_prefix']}"
        assert not re.search("asin|acos|atan|sinh|cosh|tanh| I ", text)
        assert problem.name == "lample_charton/fwd_valid"
    every = load("lample_charton/fwd")
    assert len(every) > 1300
    rows = [[p.id, p.inputs, p.target, p.metadata] for p in (*problems, *every)]
    assert hashlib.sha256(repr(rows).encode()).hexdigest() == done.stdout.strip()
    assert not list(own_cache.glob("*.jsonl")), "a decision was missing and has been made again"
    assert [p.id for p in load("lample_charton/fwd_valid", limit=7)] == [p.id for p in problems[:7]]


@pytest.mark.slow
def test_the_packages_records_can_be_made_again() -> None:
    """SymPy repeats the recorded pairs if the installed version is the recorded version."""
    pool = parallel._pool(1)
    recorded = [pair_at("fwd", 0, index, OWN) for index in range(4)]
    items = [("fwd", 0, index, pair.attempt_number, {}) for index, pair in enumerate(recorded)]
    assert [
        IntegralPair.from_row(row) for row in pool.map("attempt", items, deadline=300)
    ] == recorded


def test_a_torn_record_is_left_out(own_cache: Path) -> None:
    pair = make("bwd", 0, 0, OWN)
    line = decisions.decisions().to_line((("fwd", OWN, 5, 1), pair))
    decisions.decisions.cache_clear()
    cache_file(CACHE).write_text(line + line[:40], encoding="utf-8")
    assert decisions.recorded_pair(("fwd", OWN, 5, 1)) == pair
    assert decisions.recorded_pair(("fwd", OWN, 5, 2)) is None


def test_what_workers_say_is_json() -> None:
    (row,) = json.loads(json.dumps(_worker.slice_of("bwd", 0, 3, 4, {})))
    assert IntegralPair.from_row(row) == make("bwd", 0, 3, OWN)


def test_problems() -> None:
    (problem,) = problems.random_integrals("bwd", 0, 1, GeneratorSettings(operators=6))
    assert problem.id == "bwd-o6-s0-0"
    assert problem.metadata["operators"]["drawn"] == 6  # type: ignore[index,call-overload]
    tree: Expression = from_prefix(str(problem.metadata["prefix"]).split())
    backend = OwnBackend()
    assert backend.varies(backend.node(tree))
    assert (
        problems.name_of("fwd", GeneratorSettings("published", 4, None, 100))
        == "fwd-published-m4-l100"
    )
    few = GeneratorSettings(grammar="elementary")
    assert problems.name_of("ibp", few) == "ibp-elementary"
