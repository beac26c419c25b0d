"""The embeddings of handwritten symbols in the plane, by t-SNE (Li et al. 2023, figure A4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ....benchmarks.hint.images import Pictures
from ....benchmarks.hint.pools import folder_of, pools_of
from ....benchmarks.hint.semantics import DIGITS, OPERATORS, PARENTHESES
from ...core.errors import UserError, install
from ...models.seq2seq.model import Seq2Seq
from ...report.figures.bars import WIDTH
from ...report.figures.colours import series_class
from ...report.figures.figure import Figure, Shape, key, text
from ...report.sections import Section

#: The roles of symbols in the syntax, which have a colour each.
ROLES = {"digit": DIGITS, "operator": OPERATORS, "parenthesis": PARENTHESES}


@dataclass(frozen=True, slots=True)
class Placed:
    """A picture of a symbol, with coordinates in the plane."""

    symbol: str
    x: float
    y: float

    @property
    def role(self) -> str:
        """The symbol's role: digit, operator or parenthesis."""
        return next(role for role, symbols in ROLES.items() if self.symbol in symbols)


def embedded(model: Seq2Seq, per_symbol: int, seed: int = 0) -> tuple[list[str], list[list[float]]]:
    """The embeddings of test pictures, and the symbol in each picture.

    Args:
        model: a baseline that reads pictures.
        per_symbol: the number of pictures of each symbol.
        seed: the seed that divides the pictures into pools for training and testing.

    Raises:
        UserError: the model reads symbols instead of pictures.

    """
    if model.sizes.inputs != "pictures":
        raise UserError(f"{model.spec} reads symbols, not pictures")
    import torch

    networks, network = model._loaded
    root = Path(model.pictures) if model.pictures else None
    pictures, pools = Pictures(root, seed), pools_of(root, seed)
    symbols, paths = [], []
    for symbol in "".join(ROLES.values()):
        folder = folder_of(symbol)
        for name in pools.names["test"][folder][:per_symbol]:
            symbols.append(symbol)
            paths.append(f"{folder}/{name}")
    device = next(network.parameters()).device
    with torch.inference_mode():
        vectors = network.pictures(networks.windows_of(map(pictures.symbol, paths), device))
    return symbols, vectors.cpu().tolist()


def placed(symbols: Sequence[str], vectors: Sequence[Sequence[float]], seed: int) -> list[Placed]:
    """Place the pictures in the plane by t-SNE."""
    try:
        import numpy as np
        from sklearn.manifold import TSNE
    except ImportError:
        raise UserError(f"t-SNE needs the extra 'images': {install('images')}") from None
    # scikit-learn wants a perplexity below the number of points; its default is 30.
    perplexity = min(30.0, (len(symbols) - 1) / 3)
    plane = TSNE(perplexity=perplexity, random_state=seed).fit_transform(np.array(vectors))
    return [Placed(s, float(x), float(y)) for s, (x, y) in zip(symbols, plane, strict=True)]


def purity(symbols: Sequence[str], vectors: Sequence[Sequence[float]]) -> float:
    """The share of pictures whose nearest neighbour is a picture of the same symbol."""
    import numpy as np

    matrix = np.array(vectors)
    distances = ((matrix[:, None] - matrix[None]) ** 2).sum(-1)
    np.fill_diagonal(distances, np.inf)
    nearest = distances.argmin(1)
    return float(np.mean([symbols[at] == symbols[near] for at, near in enumerate(nearest)]))


def figure_a4(model: Seq2Seq, per_symbol: int, seed: int = 0) -> Section:
    """Make Figure A4 of Li et al. 2023 for a model. Each picture is shown as its symbol."""
    symbols, vectors = embedded(model, per_symbol, seed)
    points = placed(symbols, vectors, seed)
    share = purity(symbols, vectors)
    return Section(
        "Embeddings of handwritten symbols (Figure A4)",
        remarks=(
            f"{len(points)} test pictures by t-SNE. Of {100 * share:.1f} % the nearest other "
            "picture, by the embedding itself, is of the same symbol.",
        ),
        figures=(_drawn(points),),
    )


def _drawn(points: Sequence[Placed]) -> Figure:
    size = WIDTH - 40
    left, right = min(p.x for p in points), max(p.x for p in points)
    low, high = min(p.y for p in points), max(p.y for p in points)
    entries = [(f"share {series_class(at)}", role, 1.0) for at, role in enumerate(ROLES)]
    shapes, top = key(entries, 20, 6, size)
    marks: list[Shape] = list(shapes)
    for point in points:
        x = 20 + size * (point.x - left) / ((right - left) or 1)
        y = top + 20 + size * (high - point.y) / ((high - low) or 1)
        style = f"end {series_class(list(ROLES).index(point.role))}"
        marks.append(text(style, x, y, point.symbol, "middle"))
    label = "Embeddings of handwritten symbols in the plane"
    return Figure("figure_a4", label, WIDTH, top + size + 40, tuple(marks))
