"""TRL's real trainers with the real reward, on a tiny model, killed and resumed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from calculus_harness.harness.training.trainers import reward_share

pytest.importorskip("trl", reason="needs the extra 'train'")
pytestmark = [pytest.mark.train, pytest.mark.slow]

ROOT = Path(__file__).parents[3]
CONFIG = """
model: { scratch: { hidden_size: 32, layers: 1, heads: 2, context: 80 } }
data: { benchmarks: [drills/monomials_train], prompt: bare, answer: " {antiderivative}" }
sft: { max_steps: 12, per_device_train_batch_size: 16, learning_rate: 0.003, save_steps: 6 }
reward: { strict: false, components: [correctness, format], weights: [1.0, 0.1] }
grpo:
  max_steps: 4
  per_device_train_batch_size: 8
  num_generations: 4
  max_completion_length: 8
  learning_rate: 0.001
  save_steps: 1
evaluation: { benchmarks: [drills/monomials, drills/negated], samples: 1, max_tokens: 8 }
"""


def command(tmp_path: Path, out: str) -> list[str]:
    config = tmp_path / "config.yaml"
    config.write_text(CONFIG)
    return [sys.executable, *f"run.py train grpo --config {config} --out {tmp_path / out}".split()]


def environment() -> dict[str, str]:
    return os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}


def train(tmp_path: Path, out: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(tmp_path, out),
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_a_training_run_goes_on_after_a_kill(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with subprocess.Popen(
        command(tmp_path, "run"),
        cwd=ROOT,
        env=environment(),
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    ) as process:
        deadline = time.monotonic() + 200
        while not (out / "grpo/checkpoints/checkpoint-2/trainer_state.json").exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    warm = (out / "sft/model/model.safetensors").read_bytes()
    result = train(tmp_path, "run")
    assert result.returncode == 0, result.stderr[-3000:]
    assert (out / "sft/model/model.safetensors").read_bytes() == warm
    log = [json.loads(line) for line in (out / "grpo/log.jsonl").read_text().splitlines()]
    assert max(entry["step"] for entry in log) == 4
    share = reward_share(out / "grpo/log.jsonl")
    assert share is not None
    assert 0 < share < 1
    assert f"{share:.1%} of that time was spent in the reward" in result.stderr
    assert "drills/negated" in result.stdout
    assert (out / "evaluation/report.html").exists()
    # The same command once more has nothing to do, and other settings are refused.
    again = train(tmp_path, "run")
    assert again.returncode == 0
    assert "reinforcing" not in again.stderr
    shutil.move(out, tmp_path / "other")
    (tmp_path / "other/config.json").write_text("{}")
    refused = train(tmp_path, "other")
    assert refused.returncode == 2
    assert "begun with other settings" in refused.stderr


SHORT = """
model: { scratch: { hidden_size: 32, layers: 1, heads: 2, context: 80 } }
data: { benchmarks: [drills/monomials_train], prompt: bare, answer: " {antiderivative}" }
sft: { max_steps: 2, per_device_train_batch_size: 8, logging_steps: 1 }
grpo:
  max_steps: 2
  per_device_train_batch_size: 8
  num_generations: 4
  max_completion_length: 8
  logging_steps: 1
report_to: trackio
evaluation: { benchmarks: [drills/monomials], samples: 1, max_tokens: 8, limit: 1 }
"""


def train_logged(folder: Path, tracker: str) -> None:
    """A short training whose tracker, named on the command line, wins over the file's."""
    (folder / "short.yaml").write_text(SHORT)
    words = ["train", "grpo", "--config", "short.yaml", "--out", "out", "--report-to", tracker]
    done = subprocess.run(
        [sys.executable, str(ROOT / "run.py"), *words],
        cwd=folder,
        env=environment() | {"WANDB_MODE": "offline"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr


def test_training_is_logged_by_the_trainer_s_own_callbacks(tmp_path: Path) -> None:
    events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    train_logged(tmp_path, "tensorboard")
    for stage, name in (("sft", "loss"), ("grpo", "reward"), ("grpo", "step_time")):
        folder = tmp_path / "out" / stage / "tensorboard"
        logged = events.EventAccumulator(str(folder)).Reload()
        assert len(logged.Scalars(f"train/{name}")) == 2


def test_each_part_is_a_run_of_its_own_at_wandb(tmp_path: Path) -> None:
    pytest.importorskip("wandb")
    train_logged(tmp_path, "wandb")
    logged = [path.read_bytes() for path in (tmp_path / "wandb").glob("offline-run-*/*.wandb")]
    assert sorted(b"out/grpo" in data for data in logged) == [False, True]
