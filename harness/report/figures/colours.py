"""The colours of pages and figures."""

from __future__ import annotations

from pathlib import Path

from ....rewards.verdict import Status

#: By name, on light and on dark ground. Those of series, of ``correct`` and of ``incorrect`` are
#: the colours of labels, too, and have a contrast of 4.5 to a card.
LIGHT = {
    "ink": "#1c2330",
    "soft": "#5b6678",
    "line": "#dfe3ea",
    "paper": "#fbfbfc",
    "card": "#ffffff",
    "accent": "#2f6fb5",
    "correct": "#278050",
    "incorrect": "#c8453c",
    "odd": "#b07a2a",
    "none": "#98a1af",
    "unknown": "#7a5fb0",
    "orange": "#a8620f",
    "teal": "#1a7f7b",
    "pink": "#b84b85",
    "brown": "#7a4f2e",
    "olive": "#6d7818",
    "navy": "#3c4f86",
}
DARK = {
    "ink": "#e6e9ef",
    "soft": "#9aa5b5",
    "line": "#2c3440",
    "paper": "#14181e",
    "card": "#1b2129",
    "accent": "#6aa5e4",
    "correct": "#55b582",
    "incorrect": "#e5776e",
    "odd": "#d6a35a",
    "none": "#6d7786",
    "unknown": "#a78fdc",
    "orange": "#eba45c",
    "teal": "#54b9b4",
    "pink": "#e287b6",
    "brown": "#bd9670",
    "olive": "#b0bd55",
    "navy": "#8b9fdc",
}
#: Of the series of a chart; more than these take them again, dashed. None is that of a verdict
#: that charts have much of.
SERIES = ("accent", "orange", "teal", "pink", "brown", "unknown", "olive", "navy", "soft")
#: Of the verdicts, in the order of a stacked bar: right, wrong, the ways to say nothing usable,
#: unknown.
STATUSES = {
    Status.CORRECT: "correct",
    Status.INCORRECT: "incorrect",
    Status.NOT_CLOSED_FORM: "odd",
    Status.UNPARSEABLE: "odd",
    Status.NO_ANSWER: "none",
    Status.UNDECIDED: "unknown",
    Status.TIMEOUT: "unknown",
    Status.ERROR: "unknown",
}
#: The class of an element that takes its colour from a series or a verdict, and that colour.
CLASSES = {f"c{number}": name for number, name in enumerate(SERIES)} | {
    f"s-{status}": name for status, name in STATUSES.items()
}


def series_class(number: int) -> str:
    """The style classes of a series by number."""
    return f"c{number % len(SERIES)}" + (" dashed" if number >= len(SERIES) else "")


def style_sheet() -> str:
    """The style sheet of figures: colours as variables, the variable ``--c`` of every class, and
    shapes.
    """

    def variables(colours: dict[str, str]) -> str:
        return " ".join(f"--{name}: {value};" for name, value in colours.items())

    classes = " ".join(f".{name} {{ --c: var(--{colour}); }}" for name, colour in CLASSES.items())
    return (
        f":root {{ color-scheme: light dark; {variables(LIGHT)} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {variables(DARK)} }} }}\n{classes}\n"
        + (Path(__file__).parent / "figures.css").read_text(encoding="utf-8")
    )
