"""The integrator: pairs and settings; and, with the extra 'train', a small model, killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from calculus_harness.benchmarks.lample_charton.codec.released import CountedPair, read, write
from calculus_harness.benchmarks.registry import load as load_problems
from calculus_harness.harness.cli.main import cli
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.store.run import Run
from calculus_harness.harness.training.config import read as read_settings
from calculus_harness.harness.training.integrator import (
    IntegratorConfig,
    MethodSection,
    PairsSection,
    make_pairs,
    training_pairs,
)
from calculus_harness.rewards import verify_differential_equation

ROOT = Path(__file__).parents[3]
DATA = PairsSection(
    methods={
        "bwd": MethodSection(draws=150, held_out=10),
        "ibp": MethodSection(draws=20, held_out=3),
    },
    grammar="elementary",
    max_operators=3,
    max_length=24,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("data")
    for name in DATA.methods:
        make_pairs(name, DATA, out)
    return out


@pytest.mark.slow
def test_held_out_integrands_are_not_trained_on(folder: Path) -> None:
    pairs, valid = training_pairs(DATA, folder)
    trained = {pair.integrand for pair in pairs}
    held_out = [
        pair.integrand
        for name in DATA.methods
        for split in ("valid", "test")
        for pair in read(folder / name / f"{name}.{split}")
    ]
    assert len(held_out) >= 20
    assert trained.isdisjoint(held_out)
    assert len(trained) > 50
    assert {pair.integrand for pair in valid} <= set(held_out)
    lengths = [len(side) for pair in pairs for side in (pair.integrand, pair.antiderivative)]
    assert max(lengths) + 2 <= 24


def test_pairs_are_of_the_grammar(folder: Path) -> None:
    pairs, _ = training_pairs(DATA, folder)
    tokens = {token for pair in pairs for token in (*pair.integrand, *pair.antiderivative)}
    functions = {"ln", "exp", "sin", "cos"}
    fractions = {"div", "pow", "INT-", "0"}
    assert functions <= tokens
    assert tokens <= functions | fractions | {"add", "mul", "x", "INT+", *"123456789"}


def test_an_integrand_that_another_method_holds_out_is_not_trained_on(
    folder: Path, tmp_path: Path
) -> None:
    (test,) = list(read(folder / "ibp/ibp.test"))[:1]
    forward = tmp_path / "more"
    long = ("add", "x", *("add", "x") * 12, "x")
    new = ("sin", "mul", "INT+", "4", "2", "x")
    write([test, CountedPair(1, long, ("x",)), CountedPair(1, new, ("x",))], forward)
    pairs, _ = training_pairs(_with_files(forward), folder)
    integrands = [pair.integrand for pair in pairs]
    assert new in integrands
    assert long not in integrands
    assert test.integrand not in integrands


def _with_files(*files: Path) -> PairsSection:
    return replace(DATA, files=tuple(map(str, files)))


def test_a_file_that_is_not_of_pairs_is_named(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "pairs"
    with pytest.raises(UserError, match="cannot read"):
        training_pairs(_with_files(path), folder)
    path.write_text("1|x\n")
    with pytest.raises(UserError, match="line 1"):
        training_pairs(_with_files(path), folder)


def test_the_held_out_problems_are_a_benchmark(folder: Path) -> None:
    problems = load_problems(f"lample_charton/{folder}/bwd/bwd.test")
    assert len(problems) == len(list(read(folder / "bwd/bwd.test")))
    assert {problem.subset for problem in problems} == {"bwd.test"}


def test_more_workers_make_the_same_pairs(folder: Path, tmp_path: Path) -> None:
    make_pairs("bwd", DATA, tmp_path, workers=2)
    for split in ("train", "valid", "test"):
        name = f"bwd/bwd.{split}"
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


ODES = PairsSection(methods={"ode1": MethodSection(draws=40, held_out=4)}, max_length=120)


def test_pairs_of_equations_are_a_benchmark_of_equations(tmp_path: Path) -> None:
    make_pairs("ode1", ODES, tmp_path)
    pairs, valid = training_pairs(ODES, tmp_path)
    assert len(pairs) > 20
    assert all("Y'" in pair.integrand and "a8" in pair.antiderivative for pair in (*pairs, *valid))
    assert str(pairs[0]).partition("|")[2].split("\t")[0] == " ".join(pairs[0].integrand)
    problems = load_problems(f"lample_charton/{tmp_path}/ode1/ode1.test")
    assert {problem.task for problem in problems} == {"differential_equation"}
    for problem in problems:
        answer = rf"\boxed{{{problem.target.answer}}}"
        assert verify_differential_equation(answer, problem.target.judged).correct, problem


def test_more_is_held_out_than_there_is(tmp_path: Path) -> None:
    few = MethodSection(draws=60, held_out=30)
    data = PairsSection(methods={"bwd": few}, grammar="elementary", max_operators=1, max_length=12)
    with pytest.raises(UserError, match="data: bwd: of 60 draws"):
        make_pairs("bwd", data, tmp_path)


GOOD = """
network: { layers: 1, width: 16, heads: 2, positions: 64 }
data:
  methods: { bwd: { draws: 200, held_out: 4 } }
  grammar: elementary
  max_operators: 3
  max_length: 24
training: { max_steps: 12, per_device_train_batch_size: 16, save_steps: 2, logging_steps: 2 }
evaluation: { beams: 2, max_tokens: 12 }
"""


def settings(directory: Path, text: str = GOOD) -> IntegratorConfig:
    path = directory / "config.yaml"
    path.write_text(text)
    return read_settings(path, IntegratorConfig)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bwd:", "forward:", "unknown method 'forward'"),
        ("{ bwd:", "{ ode1: { draws: 20, held_out: 4 }, bwd:", "not both"),
        ("grammar: elementary", "grammar: mine", "unknown grammar 'mine'"),
        ("held_out: 4", "held_out: 101", "bwd: draws must be twice held_out"),
        ("heads: 2", "heads: 3", "width must be divisible by heads"),
        ("positions: 64", "positions: 25", "positions must be max_length"),
        ("beams: 2", "beams: 0", "must be positive"),
        ("methods: { bwd: { draws: 200, held_out: 4 } }", "methods: {}", "nothing to train on"),
        (
            "methods: { bwd: { draws: 200, held_out: 4 } }",
            "files: [pairs]",
            "files have no held-out problems",
        ),
        ("max_operators: 3", "max_operator: 3", "max_operators"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    pytest.importorskip("yaml", reason="needs the extra 'train'")
    assert old in GOOD
    with pytest.raises(UserError, match=message):
        settings(tmp_path, GOOD.replace(old, new))


def test_the_command_reads_its_configuration_first(tmp_path: Path) -> None:
    pytest.importorskip("trl", reason="needs the extra 'train'")
    (tmp_path / "config.yaml").write_text("data: {}\n")
    words = ["--config", str(tmp_path / "config.yaml"), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(cli, ["train", "integrator", *words])
    assert done.exit_code == 2
    assert "`training`" in done.output
    assert not (tmp_path / "out").exists()


def test_the_examples_are_configurations() -> None:
    pytest.importorskip("yaml", reason="needs the extra 'train'")
    paths = sorted((ROOT / "examples").glob("integrator*.yaml"))
    configs = [read_settings(path, IntegratorConfig) for path in paths]
    methods = [set(config.data.methods) for config in configs]
    assert methods == [{"bwd", "fwd", "ibp"}, {"bwd", "fwd", "ibp"}, {"ode1", "ode2"}]


def start(directory: Path, out: str) -> subprocess.Popen[str]:
    words = [
        "train",
        "integrator",
        "--config",
        str(directory / "config.yaml"),
        "--out",
        str(directory / out),
    ]
    return subprocess.Popen(
        [sys.executable, "run.py", *words],
        cwd=ROOT,
        env=os.environ
        | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str], code: int = 0) -> str:
    output, errors = process.communicate(timeout=300)
    assert process.returncode == code, errors[-3000:]
    return output + errors


def kill_when(process: subprocess.Popen[str], ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 200
    while not ready():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()


@pytest.mark.train
@pytest.mark.slow
def test_a_killed_training_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs the extra 'train'")
    settings(tmp_path)
    output = finish(start(tmp_path, "whole"))
    assert "training on" in output
    assert "lample_charton/bwd.test" in output
    killed = tmp_path / "killed"
    checkpoint = killed / "checkpoints/checkpoint-4/trainer_state.json"
    kill_when(start(tmp_path, "killed"), checkpoint.exists)
    assert not (killed / "model").exists()
    output = finish(start(tmp_path, "killed"))
    assert "making pairs" not in output
    for name in ("model/model.safetensors", "data/bwd/bwd.train"):
        assert (tmp_path / "whole" / name).read_bytes() == (killed / name).read_bytes(), name
    assert (killed / "evaluation/report.html").exists()
    again = finish(start(tmp_path, "killed"))
    assert "training on" not in again
    settings(tmp_path, GOOD.replace("max_steps: 12", "max_steps: 13"))
    assert "begun with other settings" in finish(start(tmp_path, "killed"), code=2)
    assert "the model is" in again


@pytest.mark.train
@pytest.mark.slow
def test_a_model_of_equations_is_trained_and_asked(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs the extra 'train'")
    text = GOOD.replace("bwd: { draws: 200", "ode1: { draws: 40").replace("24", "120")
    settings(tmp_path, text.replace("positions: 64", "positions: 160"))
    output = finish(start(tmp_path, "odes"))
    assert "lample_charton/ode1.test" in output
    run = Run(tmp_path / "odes/evaluation")
    statuses = {row["status"] for row in run.verdicts().rows()}
    assert statuses
    assert statuses <= {"correct", "incorrect", "unparseable", "undecided", "no_answer"}
    assert {problem.task for problem in run.problems.values()} == {"differential_equation"}
