"""Print the table of docs/results/step_rewards.md: the outcome as reward, and outcome and steps.

python docs/results/step_rewards.py DIR [SEED ...]

Both arms have the settings of examples/steps_cpu.yaml and start from the same model; a seed is that
of the training and of the problems. What is finished in DIR is not done again.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import msgspec

from calculus_harness.harness.stats.summary import summarise
from calculus_harness.harness.store.run import Run
from calculus_harness.harness.training.config import Config, ModelSection, RewardSection, load
from calculus_harness.harness.training.pipeline import train
from calculus_harness.harness.training.training_run import TrainingRun

CONFIG = Path(__file__).resolve().parents[2] / "examples" / "steps_cpu.yaml"


def main(folder: Path, seeds: list[int]) -> None:
    config = load(CONFIG)
    start = folder / "start"
    trained(msgspec.structs.replace(config, grpo=None), start)
    model = ModelSection(path=str(start / "sft/model"))
    config = msgspec.structs.replace(config, model=model, sft=None)
    arms = {"outcome": RewardSection(strict=config.reward.strict), "outcome + steps": config.reward}
    for seed in seeds:
        for arm, reward in arms.items():
            out = folder / f"{arm.replace(' + ', '-')}-{seed}"
            minutes = trained(msgspec.structs.replace(config, reward=reward, seed=seed), out)
            print("|", " | ".join((arm, str(seed), *scores(out), minutes)), "|", flush=True)


def trained(config: Config, out: Path) -> str:
    """Train, and the minutes of processor time that it took, as this was first done."""
    times = out / "minutes.json"
    if not times.exists():
        start = time.process_time()
        train(config, TrainingRun(out, lambda text: print(text, file=sys.stderr, flush=True)))
        times.write_text(json.dumps((time.process_time() - start) / 60))
    return f"{json.loads(times.read_text()):.1f}"


def scores(out: Path) -> tuple[str, str]:
    """pass@1 before and after, in percent."""
    run = Run(out / "evaluation")
    summary = summarise(run, run.policy)
    rows = [row for row in summary.rows if row.subset == "all"] or list(summary.rows)
    before, after = (row.passes[0].value for row in rows)
    return f"{100 * before:.1f}", f"{100 * after:.1f}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(seed) for seed in sys.argv[2:]] or [0, 1, 2])
