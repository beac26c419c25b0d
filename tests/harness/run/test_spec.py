"""`SweepSpec`: the same from Python, TOML and flags, and clear errors."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.benchmarks import Problem
from calculus_harness.benchmarks.payloads import ArithmeticInputs, ArithmeticTarget
from calculus_harness.harness import Policy, Run, Sampling, SweepSpec, UserError, plan, sweep
from calculus_harness.harness.run import spec as module
from tests.harness.conftest import Command

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
SHARE = st.floats(0, 1, exclude_min=True)
SAMPLING = st.one_of(
    st.builds(
        Sampling,
        temperature=st.floats(0, 9),
        top_p=SHARE,
        top_k=st.integers(0, 99),
        min_p=SHARE,
        max_tokens=st.integers(1, 10**6),
        stop=st.lists(TEXT, max_size=3).map(tuple),
        logprobs=st.booleans(),
        grouped=st.booleans(),
    ),
    st.builds(Sampling, beams=st.integers(1, 9)),
)
COUNT = st.integers(1, 10**9)
SCALAR = st.one_of(TEXT, st.integers(-9, 9), st.booleans(), st.floats(-9, 9))
SPECS = st.builds(
    SweepSpec,
    st.lists(TEXT, min_size=1, max_size=3).map(tuple),
    st.lists(TEXT, min_size=1, max_size=3).map(tuple),
    phases=st.none() | TEXT,
    prompt=st.none() | TEXT,
    num_fewshot=st.none() | st.integers(0, 9),
    samples=COUNT,
    limit=st.none() | COUNT,
    seed=st.integers(-(2**63), 2**63 - 1),
    sampling=SAMPLING,
    model_option=st.dictionaries(TEXT, SCALAR, max_size=3),
    out=st.none() | TEXT,
    primary_k=st.none() | COUNT,
    policy=st.builds(
        Policy,
        strict=st.booleans(),
        strict_domain=st.booleans(),
        require_continuous=st.booleans(),
    )
    | st.builds(Policy, method=st.sampled_from(["published", "welleck"]), strict=st.booleans()),
)


@given(SPECS)
def test_toml_says_the_same(spec: SweepSpec) -> None:
    assert SweepSpec.of(**tomllib.loads(spec.to_toml())) == spec


def test_a_saved_file_is_read_back_by_the_command_line(
    cli: Command, tmp_path: Path, model: str, bench: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # as the command line's
    flags = ["--model", model, "--benchmark", bench, "--limit", "3", "-n", "2", "--top-p", "0.5"]
    flags += ["--stop", "a\nb", "--stop", "é", "--strict", "-M", "concurrency=3", "--out", "run"]
    saved = cli("sweep", *flags, "--save-config", "one.toml", "--dry-run", "--json")
    assert saved.returncode == 0, saved.stderr
    again = cli("sweep", "--config", "one.toml", "--save-config", "two.toml", "--dry-run", "--json")
    assert again.stdout == saved.stdout
    given_spec, read_spec = (SweepSpec.read(tmp_path / name) for name in ("one.toml", "two.toml"))
    assert given_spec == read_spec
    assert (given_spec.samples, given_spec.limit, given_spec.policy) == (2, 3, Policy(strict=True))
    assert given_spec.sampling == Sampling(top_p=0.5, stop=("a\nb", "é"))
    assert given_spec.model_option == {"concurrency": "3"}
    run = sweep(given_spec, problems=plan(given_spec).problems)
    assert cli("sweep", "--config", "two.toml").returncode == 0
    assert len(list(Run(tmp_path / "run").completions.rows())) == len(run.problems) * 2


def test_flags_win_over_a_file_and_a_file_over_a_preset(
    cli: Command, tmp_path: Path, model: str, bench: str
) -> None:
    path = tmp_path / "file.toml"
    path.write_text("samples = 3\ntemperature = 0.25\nstop = ['x']\n")
    words = ["--model", model, "--benchmark", bench, "--temperature", "0.5"]
    done = cli(
        *f"sweep --preset antiderivbench --config {path}".split(),
        *words,
        "--dry-run",
        "--save-config",
        "all.toml",
    )
    assert done.returncode == 0, done.stderr
    spec = SweepSpec.read(tmp_path / "all.toml")
    assert (spec.prompt, spec.samples, spec.sampling.temperature) == ("antiderivbench", 3, 0.5)
    assert (spec.benchmark, spec.sampling.stop) == ((bench,), ("x",))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": [3]}, "model must be a text, not 3"),
        ({"model": []}, "at least one model"),
        ({"samples": "8x"}, "samples must be a whole number, not '8x'"),
        ({"samples": 0}, "samples must be a whole number >= 1, not 0"),
        ({"samples": True}, "samples must be a whole number"),
        ({"num-fewshot": -1}, "num-fewshot must be a whole number >= 0"),
        ({"dry_run": True}, "say --dry-run on the command line"),
        ({"temperature": "hot"}, "temperature must be a number"),
        ({"top-p": 1.5}, "0 < top_p <= 1"),
        ({"beams": 2, "top-k": 3}, "a beam search takes no"),
        ({"method": "bals"}, "no choice 'bals'; did you mean 'balls'"),
        ({"strict": "no"}, "strict must be true or false"),
        ({"model-option": ["a=1"]}, "model-option must be a table"),
        ({"columns": ["a=b"]}, r"are for files \(file:PATH\)"),
        ({"benchmark": ["file:x.csv"], "skip-broken": "x"}, "skip-broken must be true or false"),
    ],
)
def test_mistakes_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        SweepSpec.of(**({"model": ["solver/sympy"], "benchmark": ["bee"]} | settings))


def test_mistakes_in_python_are_named_as_in_python() -> None:
    with pytest.raises(UserError, match="samples must be a whole number, not '8x'"):
        sweep(["solver/sympy"], ["bee"], samples="8x")
    with pytest.raises(UserError, match="unknown setting 'sample'; did you mean 'samples'"):
        sweep(["solver/sympy"], ["bee"], sample=3)
    with pytest.raises(UserError, match="model must be a list"):
        plan(SweepSpec("solver/sympy", ("bee",)))  # type: ignore[arg-type]
    with pytest.raises(UserError, match="at least one model and one benchmark"):
        sweep(["solver/sympy"], [])
    with pytest.raises(UserError, match="phase-filter is for the problems of phases"):
        sweep(["solver/sympy"], ["bee"], phase_filter="published")
    with pytest.raises(UserError, match="named_phases"):
        sweep(SweepSpec(("solver/sympy",), ("bee",), phases="brittleness"))


def test_options_of_files_become_part_of_their_names() -> None:
    spec = SweepSpec.of(
        model="m",
        benchmark=["bee", "file:mine.csv"],
        columns="integrand=q,antiderivative=a",
        syntax="sympy",
        skip_broken=True,
    )
    name = "file:mine.csv?integrand=q&antiderivative=a&syntax=sympy&skip-broken=yes"
    assert spec.benchmark == ("bee", name)


def test_every_setting_is_a_flag(cli: Command) -> None:
    help_text = cli("sweep", "--help").stdout
    for name in (*map(module.flag_of, module.SETTINGS), *module.COMMAND_LINE_ONLY):
        assert f"--{name}" in help_text


def test_flags_files_and_python_take_the_same_words(
    cli: Command, tmp_path: Path, model: str, bench: str
) -> None:
    """A single text stands for a list, and underscores for hyphens."""
    (tmp_path / "file.toml").write_text(
        f"model = {model!r}\nbenchmark = {bench!r}\nsamples = 2\ntop_p = 0.5\nlimit = 3\n"
        "strict = true\ndry_run = true\n[model_option]\nconcurrency = 3\n"
    )
    done = cli("sweep", "--config", "file.toml", "--save-config", "all.toml", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert "x 3 problems" in done.stdout
    assert not (tmp_path / "run").exists()  # asked for nothing
    flags = ["--model", model, "--benchmark", bench, "-n", "2", "--top-p", "0.5", "--limit", "3"]
    flags += ["--strict", "-M", "concurrency=3", "--out", "run", "--dry-run"]
    assert cli("sweep", *flags, "--save-config", "flags.toml").returncode == 0
    spec = SweepSpec.read(tmp_path / "all.toml")
    options = {"concurrency": 3}
    words: dict[str, Any] = {"samples": 2, "top_p": 0.5, "limit": 3, "strict": True, "out": "run"}
    assert SweepSpec.of(model=model, benchmark=bench, model_option=options, **words) == spec
    again = SweepSpec.read(tmp_path / "flags.toml")
    assert (again.samples, again.sampling, again.policy) == (2, spec.sampling, spec.policy)
    own: dict[str, Any] = {"sampling": Sampling(top_k=3), "top_p": 0.5}
    assert SweepSpec.of(model="m", benchmark="b", **own).sampling == Sampling(top_p=0.5, top_k=3)


def test_a_setting_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    path.write_text("top-p = 0.5\ntop_p = 0.6\n")
    with pytest.raises(UserError, match="top-p is there twice"):
        SweepSpec.read(path)
    path.write_text("samples = 2\nfoo = 3\n")
    with pytest.raises(UserError, match="unknown setting 'foo'"):
        SweepSpec.read(path)


def test_only_integrals_need_the_packages_of_a_method(
    monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    def check_method(method: str) -> None:
        raise UserError(f"method {method!r} needs an extra")

    monkeypatch.setattr("calculus_harness.harness.run.plan.check_method", check_method)
    spec = SweepSpec.of(model=[model], benchmark=["drills"], method="published", limit=1)
    with pytest.raises(UserError, match="needs an extra"):
        plan(spec)
    arithmetic = Problem(
        "p", "arithmetic", "hint", "s", ArithmeticInputs("1+1"), ArithmeticTarget(2)
    )
    assert plan(spec, problems=[arithmetic]).size == 1
