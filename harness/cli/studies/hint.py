"""`run.py hint`: HINT's data, properties behind answers, and the embeddings of pictures."""

from __future__ import annotations

from pathlib import Path

import click

from ...core.errors import UserError
from ...models import create
from ...models.seq2seq.model import Seq2Seq
from ...report.figures.files import write_svg
from ...report.sections import Section, print_sections, write_sections
from ...store.run import Run
from ...studies.hint import properties, statistics
from ...studies.hint.embeddings import figure_a4
from ..options import Decorator


@click.group()
def hint() -> None:
    """Figures of HINT as tables, a page and SVG files."""


def out_option(name: str) -> Decorator:
    """The folder of a page with its figures."""
    return click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("runs") / name,
        show_default=True,
        help="Folder of the page and the figures.",
    )


pictures_option = click.option(
    "--pictures", default="", metavar="FOLDER", help="The original handwriting; else our drawings."
)
seed_option = click.option("--seed", default=0, show_default=True, help="Of the data.")


@hint.command()
@click.option(
    "--per-length",
    default=statistics.PER_LENGTH,
    show_default=True,
    type=click.IntRange(1),
    help="Training expressions of each number of operators that are counted.",
)
@pictures_option
@seed_option
@out_option("hint-data")
def data(per_length: int, pictures: str, seed: int, out: Path) -> None:
    """Print the distributions of the data: Figures A1 and A2, and the quota of results."""
    sections = [
        statistics.figure_a1(pictures, seed),
        *statistics.figure_a2(statistics.drawn(seed, per_length)),
        statistics.quota(seed),
    ]
    write(sections, out, "HINT: the data", f"seed {seed}")


@hint.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--model", help="The end of the model's name, where the run has several.")
@seed_option
@out_option("hint-properties")
def accuracy(run: Path, model: str | None, seed: int, out: Path) -> None:
    """Print a model's accuracy by properties of expressions: Figures A5 and A6."""
    opened = Run(run)
    labels = {key: str(entry["label"]) for key, entry in opened.models.items()}
    chosen = [key for key, label in labels.items() if label.endswith(model or "")]
    if len(chosen) != 1:
        raise UserError(f"{run} has {', '.join(labels.values())}: name one with --model")
    rows = properties.answered(opened, chosen[0])
    label = Path(labels[chosen[0]]).name
    sections = [*properties.figure_a5(label, rows), properties.figure_a6(label, rows, seed)]
    write(sections, out, "HINT: properties of expressions", labels[chosen[0]])


@hint.command()
@click.argument("model", metavar="seq2seq/FOLDER")
@click.option("--per-symbol", default=20, show_default=True, type=click.IntRange(2))
@pictures_option
@seed_option
@out_option("hint-embeddings")
def embeddings(model: str, per_symbol: int, pictures: str, seed: int, out: Path) -> None:
    """Draw the embeddings of test pictures of a vision model: Figure A4."""
    created = create(model, {"pictures": pictures} if pictures else {})
    if not isinstance(created, Seq2Seq):
        raise UserError(f"{model} is not of the kind seq2seq")
    write([figure_a4(created, per_symbol, seed)], out, "HINT: embeddings of symbols", model)


def write(sections: list[Section], out: Path, title: str, subtitle: str) -> None:
    """Print sections, and write a page with the sections and SVG files of the figures."""
    print_sections(sections)
    files = write_svg((figure for section in sections for figure in section.figures), out)
    page = write_sections(out / "index.html", title, subtitle, sections)
    click.echo(f"wrote {page} and {len(files)} figures", err=True)
