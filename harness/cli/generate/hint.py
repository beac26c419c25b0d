"""`run.py generate hint-release`: HINT's files, as released or to fine-tune a language model."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ....benchmarks.hint.pools import SPLITS
from ....benchmarks.hint.release import records, write_release
from ....benchmarks.hint.semantics import CONCEPTS
from ...core.errors import UserError
from ...store.problem_files import check_out


@click.command()
@click.option(
    "--style",
    default="records",
    show_default=True,
    type=click.Choice(["records", "completions"]),
    help="The files of the release; prompts with completions to fine-tune on.",
)
@click.option("--concept", type=click.Choice(list(CONCEPTS)), help="Completions with this concept.")
@click.option("--seed", default=0, show_default=True, help="The same seed, the same bytes.")
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1), help="Processes.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A folder.")
@click.option("--force", is_flag=True, help="Replace what is there.")
def generate_release(
    style: str, concept: str | None, seed: int, workers: int, out: Path, force: bool
) -> None:
    """Write HINT's training, validation and test sets.

    Li et al. 2023, section 3: 998,000 expressions to train on, 4,698 and 46,620 others, and with
    the style `records` the few-shot data sets and the names of the pictures.
    """
    if style == "records" and concept is not None:
        raise UserError("--concept is for --style completions; the release has every concept")
    if style == "completions" and workers > 1:
        raise UserError("--workers is for --style records")
    if out.suffix:
        raise UserError(f"--out takes a folder, not {out}")
    check_out(out, force)
    out.mkdir(parents=True, exist_ok=True)
    if style == "records":
        counts = write_release(out, seed, workers=workers)
    else:
        counts = dict.fromkeys(SPLITS, 0)
        for split in SPLITS:
            with (out / f"{split}.jsonl").open("w", encoding="utf-8") as file:
                for record in records(split, seed, concept):
                    file.write(json.dumps(record.to_completion()) + "\n")
                    counts[split] += 1
    sizes = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    click.echo(f"wrote {sizes} to {out}", err=True)
