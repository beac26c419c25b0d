from __future__ import annotations

import io
import sys
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from calculus_harness.benchmarks.hint.images import (
    SIZE,
    STROKES,
    Pictures,
    ProblemPictures,
    draw_symbol,
    png,
    problem_pictures,
)
from calculus_harness.benchmarks.hint.pools import (
    DRAWN,
    SPLITS,
    ExpressionPoolError,
    drawn_pools,
    folder_of,
)
from calculus_harness.benchmarks.hint.semantics import DIGITS
from calculus_harness.benchmarks.registry import load


@pytest.mark.parametrize("symbol", STROKES)
def test_drawings_of_a_symbol_differ_and_stay_in_the_picture(symbol: str) -> None:
    drawings = [draw_symbol(symbol, number) for number in range(DRAWN[symbol])]
    assert {drawing.shape for drawing in drawings} == {(SIZE, SIZE)}
    assert len({drawing.tobytes() for drawing in drawings}) == len(drawings)
    for drawing in drawings:
        ink = 255 - drawing.astype(int)
        assert 20 < (ink > 127).sum() < 600
        edge = np.concatenate([ink[0], ink[-1], ink[:, 0], ink[:, -1]])
        assert (edge == 0).mean() > 0.9


def test_drawings_are_the_same_everywhere() -> None:
    drawn = b"".join(draw_symbol(symbol, 7, 0).tobytes() for symbol in STROKES)
    assert sha256(drawn).hexdigest()[:16] == "4dbcb2b8cfede36d"
    assert draw_symbol("+", 7, 1).tobytes() != draw_symbol("+", 7, 0).tobytes()


def test_symbols_can_be_told_apart() -> None:
    """Drawings of the test pool are classified by the nearest drawing of the training pool."""
    pools = drawn_pools()
    pictures = Pictures()

    def some(split: str, symbol: str, count: int) -> np.ndarray:
        folder = folder_of(symbol)
        names = pools.names[split][folder][:count]
        return np.array([pictures.symbol(f"{folder}/{name}").ravel() / 255 for name in names])

    references = {symbol: some("train", symbol, 50) for symbol in STROKES}
    right = total = 0
    for symbol in STROKES:
        for drawing in some("test", symbol, 10):
            nearest = min(
                references, key=lambda s: ((references[s] - drawing) ** 2).sum(axis=1).min()
            )
            right, total = right + (nearest == symbol), total + 1
    assert right / total > 0.9


def test_an_expression_is_pasted_from_left_to_right() -> None:
    paths = drawn_pools().taker("test")("(x+y)/(x*y)")
    pictures = Pictures()
    picture = pictures.expression(paths)
    assert picture.shape == (SIZE, SIZE * 11)
    for column, path in enumerate(paths):
        tile = picture[:, SIZE * column : SIZE * (column + 1)]
        assert (tile == pictures.symbol(path)).all()


def test_the_same_expression_has_other_pictures_in_the_test() -> None:
    pools, pictures = drawn_pools(), Pictures()
    seen = {split: pictures.expression(pools.taker(split)("(x+y)")).tobytes() for split in SPLITS}
    assert len(set(seen.values())) == 3


@pytest.mark.images
def test_digits_are_those_of_scikit_learn() -> None:
    pictures = Pictures()
    for digit in DIGITS:
        images = [pictures.symbol(f"{digit}/{number:05}.png") for number in range(DRAWN[digit])]
        assert {image.shape for image in images} == {(SIZE, SIZE)}
        assert all(50 < (image < 128).sum() < 1200 for image in images)
        with pytest.raises(ExpressionPoolError, match="not drawn here"):
            pictures.symbol(f"{digit}/{DRAWN[digit]:05}.png")


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from calculus_harness.benchmarks.hint import images

    images._digits.cache_clear()
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(ExpressionPoolError, match=r"\[images\]"):
        Pictures().symbol("3/00000.png")


@pytest.mark.parametrize("path", ["+/99999.png", "plus/00001.png", "+/a.png", "../+/1.png", "+"])
def test_paths_that_name_no_drawing(path: str) -> None:
    with pytest.raises(ExpressionPoolError, match="not drawn here"):
        Pictures().symbol(path)


@pytest.mark.images
def test_pictures_of_ones_own(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "+").mkdir()
    drawn = draw_symbol("+", 1)
    (tmp_path / "+" / "a.png").write_bytes(png(drawn))
    pictures = Pictures(tmp_path)
    assert (pictures.expression(["+/a.png", "+/a.png"]) == np.hstack([drawn, drawn])).all()
    assert image.open(io.BytesIO(png(drawn))).size == (SIZE, SIZE)

    (tmp_path / "+" / "torn.png").write_bytes(png(drawn)[:100])
    (tmp_path / "+" / "text.png").write_text("no picture")
    image.new("L", (46, 45)).save(tmp_path / "+" / "wide.png")
    for name, message in [
        ("none", "cannot read"),
        ("torn", "cannot read"),
        ("text", "cannot read"),
        ("wide", "not of 45 x 45"),
    ]:
        with pytest.raises(ExpressionPoolError, match=message) as caught:
            pictures.expression(["+/a.png", f"+/{name}.png"])
        assert f"{name}.png" in str(caught.value)
    with pytest.raises(ExpressionPoolError, match="outside the folder"):
        pictures.symbol("../secret.png")
    encoded = png(drawn)
    for end in range(0, len(encoded), 7):
        (tmp_path / "+" / f"{end}.png").write_bytes(encoded[:end])
        with suppress(ExpressionPoolError):
            Pictures(tmp_path).symbol(f"+/{end}.png")
        (tmp_path / "+" / f"{end}.png").write_bytes(encoded[:end] + b"\xff" + encoded[end + 1 :])
        with suppress(ExpressionPoolError):
            Pictures(tmp_path).symbol(f"+/{end}.png")


@pytest.mark.images
def test_pictures_of_problems(tmp_path: Path) -> None:
    pytest.importorskip("PIL.Image")
    (problem,) = load("hint/LS", limit=1)
    drawn = problem_pictures()
    paths = drawn.paths(problem)
    text = problem.inputs.expression
    assert [path.partition("/")[0] for path in paths] == [folder_of(symbol) for symbol in text]
    names = drawn_pools().names
    assert all(path.partition("/")[2] in names["test"][path.partition("/")[0]] for path in paths)
    assert drawn.paths(problem) == ProblemPictures().paths(problem)
    assert paths != drawn.paths(replace(problem, id="another"))
    assert len(drawn.symbols(problem)) == len(text)
    named = replace(problem, metadata={"img_paths": ["+/00001.png"]})
    assert (drawn.symbols(named)[0] == draw_symbol("+", 1)).all()
    with pytest.raises(ExpressionPoolError, match="no expression"):
        drawn.paths(replace(problem, inputs={}))
    with pytest.raises(ExpressionPoolError, match=r"no picture of '\^'"):
        drawn.paths(replace(problem, inputs={"expression": "2^3"}))
    for symbol in "0123456789+-*/()":
        (tmp_path / folder_of(symbol)).mkdir()
        for n in range(8):
            (tmp_path / folder_of(symbol) / f"{n}.png").write_bytes(png(draw_symbol("+", n)))
    (tmp_path / "alpha").mkdir()
    (tmp_path / "alpha" / ".hidden").touch()
    for n in range(8):
        (tmp_path / "alpha" / f"{n}.png").touch()
    own = ProblemPictures(tmp_path)
    assert len(own.png(problem)) > 100
    alpha = own.paths(replace(problem, inputs={"expression": "3a4"}))[1]
    assert alpha.partition("/")[0] == "alpha"
