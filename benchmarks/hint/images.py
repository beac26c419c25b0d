"""Expressions as pictures: symbols of 45 x 45 pixels, pasted from left to right without a gap.

Li et al. 2023, section 3. Pictures come from a user's folder, such as the handwritten symbols of
the release, or are drawn by the module: digits from scikit-learn's digits set (real handwriting, 8
x 8), all other symbols with random strokes, which differ from the paper's handwriting. Symbols are
dark on white, as in the release.
"""

from __future__ import annotations

import io
import struct
import zlib
from functools import lru_cache
from hashlib import shake_128
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...rewards.errors import install
from ..payloads import ArithmeticInputs
from ..problem import Problem
from .pools import DRAWN, VOCABULARY, ExpressionPoolError, folder_of, pools_of
from .semantics import DIGITS

SIZE = 45
#: Strokes in a square of side 1, y downwards.
STROKES: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "+": (((0.5, 0.1), (0.5, 0.9)), ((0.1, 0.5), (0.9, 0.5))),
    "-": (((0.1, 0.5), (0.9, 0.5)),),
    "*": (((0.15, 0.15), (0.85, 0.85)), ((0.85, 0.15), (0.15, 0.85))),
    "/": (((0.1, 0.5), (0.9, 0.5)), ((0.5, 0.14), (0.52, 0.2)), ((0.5, 0.8), (0.52, 0.86))),
    "(": (((0.65, 0.02), (0.4, 0.25), (0.33, 0.5), (0.4, 0.75), (0.65, 0.98)),),
    ")": (((0.35, 0.02), (0.6, 0.25), (0.67, 0.5), (0.6, 0.75), (0.35, 0.98)),),
    "x": (
        ((0.2, 0.2), (0.4, 0.3), (0.6, 0.75), (0.85, 0.8)),
        ((0.85, 0.2), (0.6, 0.3), (0.4, 0.75), (0.15, 0.8)),
    ),
    "y": (
        ((0.2, 0.1), (0.25, 0.4), (0.5, 0.5), (0.75, 0.35), (0.8, 0.1)),
        ((0.8, 0.1), (0.75, 0.6), (0.6, 0.95), (0.3, 0.9)),
    ),
    "a": (
        ((0.75, 0.35), (0.45, 0.2), (0.2, 0.5), (0.35, 0.85), (0.65, 0.75), (0.75, 0.35)),
        ((0.75, 0.25), (0.72, 0.75), (0.95, 0.85)),
    ),
    "b": (
        ((0.25, 0.0), (0.25, 0.9)),
        ((0.25, 0.55), (0.55, 0.4), (0.8, 0.65), (0.6, 0.95), (0.25, 0.85)),
    ),
    "c": (((0.8, 0.3), (0.5, 0.15), (0.2, 0.4), (0.2, 0.7), (0.5, 0.9), (0.85, 0.75)),),
    "d": (
        ((0.75, 0.55), (0.45, 0.4), (0.2, 0.65), (0.4, 0.95), (0.75, 0.8)),
        ((0.78, 0.0), (0.75, 0.7), (0.9, 0.92)),
    ),
}

Pixels: TypeAlias = npt.NDArray[np.uint8]


class Pictures:
    """Pictures of symbols by the paths in records.

    Args:
        folder: A folder with a subfolder for each symbol; None for drawn pictures.
        seed: The seed of the drawn strokes.

    """

    def __init__(self, folder: Path | None = None, seed: int = 0) -> None:
        self.folder, self.seed = folder, seed
        self.symbol = lru_cache(maxsize=None)(self._symbol)

    def expression(self, paths: list[str] | tuple[str, ...]) -> Pixels:
        """The picture of an expression, 45 pixels high and 45 wide for each token.

        Raises:
            PoolError: If a picture is missing, cannot be read or has another size; it is named.

        """
        return np.concatenate([self.symbol(path) for path in paths], axis=1)

    def _symbol(self, path: str) -> Pixels:
        if self.folder is not None:
            return _read(self.folder, path)
        folder, _, name = path.partition("/")
        symbol, number = _SYMBOLS.get(folder), name.removesuffix(".png")
        if symbol is None or not number.isdecimal() or int(number) >= DRAWN[symbol]:
            raise ExpressionPoolError(
                f"{path[:60]!r} is not drawn here; name the folder that it is in"
            )
        if symbol in DIGITS:
            return _digits()[symbol][int(number)]
        return draw_symbol(symbol, int(number), self.seed)


class ProblemPictures:
    """Pictures of problems: the pictures of a released row, otherwise pictures of the split's pool.

    Args:
        folder: As of `Pictures`.

    """

    def __init__(self, folder: Path | None = None) -> None:
        self.pictures, self.pools = Pictures(folder), pools_of(folder)

    def paths(self, problem: Problem) -> tuple[str, ...]:
        """The paths of the symbols' pictures; raises `PoolError` for a symbol without pictures."""
        named = problem.metadata.get("img_paths")
        if isinstance(named, list | tuple):
            return tuple(map(str, named))
        split = "train" if problem.subset.endswith("train") else "test"
        if not isinstance(inputs := problem.inputs, ArithmeticInputs) or not inputs.expression:
            raise ExpressionPoolError("there is no expression to show")
        return self.pools.chosen(split, inputs.expression, problem.id)

    def symbols(self, problem: Problem) -> list[Pixels]:
        """The symbols in turn; raises `PoolError` for an unreadable picture."""
        return [self.pictures.symbol(path) for path in self.paths(problem)]

    def png(self, problem: Problem) -> bytes:
        """The whole expression as a PNG file; raises `PoolError` as `symbols`."""
        return png(self.pictures.expression(self.paths(problem)))


@lru_cache(maxsize=8)
def problem_pictures(folder: str = "") -> ProblemPictures:
    """The pictures in a folder; drawn pictures for ""."""
    return ProblemPictures(Path(folder) if folder else None)


_SYMBOLS = {folder_of(symbol): symbol for symbol in VOCABULARY}


def _read(folder: Path, path: str) -> Pixels:
    image = _pillow()
    if ".." in Path(path).parts or Path(path).is_absolute():
        raise ExpressionPoolError(f"{path[:60]!r} is outside the folder of pictures")
    try:
        with image.open(folder / path) as opened:
            if opened.size != (SIZE, SIZE):
                raise ExpressionPoolError(f"{folder / path} is not of {SIZE} x {SIZE} pixels")
            return np.asarray(opened.convert("L"), np.uint8)
    except (OSError, SyntaxError, ValueError, struct.error, zlib.error) as error:  # torn files
        raise ExpressionPoolError(f"cannot read {folder / path}: {error}") from None


def draw_symbol(symbol: str, number: int, seed: int = 0) -> Pixels:
    """An operator, parenthesis or concept in random strokes.

    Args:
        symbol: One of ``+-*/()xyabcd``.
        number: The number of the drawing.
        seed: The same seed draws the same picture.

    >>> draw_symbol("+", 3).shape
    (45, 45)

    """
    drawn = shake_128(repr(("hint", "strokes", seed, symbol, number)).encode()).digest(4 * 256)
    random = iter((np.frombuffer(drawn, "<u4") / 2.0**31 - 1).tolist())  # in [-1, 1)
    width, height = 32 + 5 * next(random), 34 + 5 * next(random)
    slant, turn = 0.15 * next(random), 0.1 * next(random)
    right, down = 22 + 2 * next(random), 22 + 2 * next(random)
    pen = 1.4 + 0.5 * next(random)
    ink = np.zeros((SIZE, SIZE))
    for stroke in STROKES[symbol]:
        points = []
        for x, y in stroke:
            u = (x - 0.5 + 0.03 * next(random)) * width
            v = (y - 0.5 + 0.03 * next(random)) * height
            points.append((right + u - (slant + turn) * v, down + v + turn * u))
        ink = np.maximum(ink, np.clip(pen + 0.5 - _distance(_smoothed(points)), 0, 1))
    return (255 - np.rint(255 * ink)).astype(np.uint8)


def _smoothed(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Corners cut twice (Chaikin), the ends kept."""
    for _ in range(2):
        cut = [points[0]]
        for (x, y), (u, v) in pairwise(points):
            cut += [(0.75 * x + 0.25 * u, 0.75 * y + 0.25 * v)]
            cut += [(0.25 * x + 0.75 * u, 0.25 * y + 0.75 * v)]
        points = [*cut, points[-1]]
    return points


def _distance(points: list[tuple[float, float]]) -> npt.NDArray[np.float64]:
    """How far each pixel is from a polyline."""
    down, right = np.mgrid[0:SIZE, 0:SIZE].astype(np.float64)
    nearest = np.full((SIZE, SIZE), np.inf)
    for (x, y), (u, v) in pairwise(points):
        square = max((u - x) * (u - x) + (v - y) * (v - y), 1e-9)
        along = np.clip(((right - x) * (u - x) + (down - y) * (v - y)) / square, 0, 1)
        dx, dy = right - x - along * (u - x), down - y - along * (v - y)
        nearest = np.minimum(nearest, dx * dx + dy * dy)
    distance: npt.NDArray[np.float64] = np.sqrt(nearest)
    return distance


@lru_cache(maxsize=1)
def _digits() -> dict[str, list[Pixels]]:
    """scikit-learn's digits, enlarged linearly to 40 x 40 in the middle of the picture."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise ExpressionPoolError(
            f"the digits are scikit-learn's: {install('images')}, or name a folder of pictures"
        ) from None
    data = load_digits()
    pictures: dict[str, list[Pixels]] = {digit: [] for digit in DIGITS}
    for image, label in zip(data.images, data.target.tolist(), strict=True):
        pictures[str(label)].append(_enlarged(image))
    return pictures


def _enlarged(image: npt.NDArray[np.float64]) -> Pixels:
    side, margin = 40, 2
    at = np.clip((np.arange(side) + 0.5) * 8 / side - 0.5, 0, 7)
    low = np.minimum(at.astype(int), 6)
    fraction = at - low
    rows = image[low] * (1 - fraction)[:, None] + image[low + 1] * fraction[:, None]
    large = rows[:, low] * (1 - fraction) + rows[:, low + 1] * fraction
    ink = np.clip((large - 5) / 6, 0, 1)  # 0 to 16 in the set; the blur at the edges taken off
    canvas = np.full((SIZE, SIZE), 255, np.uint8)
    canvas[margin : margin + side, margin : margin + side] = 255 - np.rint(255 * ink)
    return canvas


def png(pixels: Pixels) -> bytes:
    """A picture as a PNG file."""
    buffer = io.BytesIO()
    _pillow().fromarray(pixels).save(buffer, format="PNG")
    return buffer.getvalue()


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise ExpressionPoolError(f"this needs Pillow: {install('images')}") from None
    return Image
