"""Result files. Each has the numbers of a reproduction, the commands and the versions.

    measured/NAME.json      in this package; `run.py reproduce NAME --record` writes the file
    FOLDER/measured.json    in the folder of results, if `measures` has a function for it

The documentation states these numbers. `run.py reproduce --check` measures again and compares.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata, resources
from pathlib import Path
from typing import TypeAlias

from ....rewards.records import convert, plain
from ....rewards.verdict import VERSION
from ...core.errors import UserError

Value: TypeAlias = float | int

#: The file in a folder of results.
FILE = "measured.json"
#: Floats are recorded to so many digits: sums of another order differ in the last ones.
DIGITS = 10


@dataclass(frozen=True, slots=True)
class Measurement:
    """The numbers of a reproduction.

    Attributes:
        name: the name of the reproduction.
        commands: the commands that were run, with ``{out}`` for the folder of results.
        values: the numbers, by name.
        package: the version of this package.
        verifier: the version of the verifier.
        seed: the seed of the data.
        date: the date of the measurement.

    """

    name: str
    commands: tuple[str, ...]
    values: Mapping[str, Value]
    package: str
    verifier: str
    seed: int
    date: str

    @property
    def origin(self) -> str:
        """The version, seed and date, as the documents state them."""
        versions = f"version {self.package}, verifier {self.verifier}"
        return f"{versions}, seed {self.seed}, {self.date}"


def measurement(
    name: str, commands: Sequence[str], values: Mapping[str, Value], seed: int
) -> Measurement:
    """Make a measurement from these numbers, with today's date and the current versions."""
    rounded = {
        key: float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
        for key, value in values.items()
    }
    today = datetime.now(UTC).date().isoformat()
    package = metadata.version("calculus-harness")
    return Measurement(name, tuple(commands), rounded, package, VERSION, seed, today)


def write(result: Measurement, path: Path) -> None:
    """Write a result file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(plain(result), indent=2, ensure_ascii=False) + "\n", "utf-8")


def record_path(name: str) -> Path:
    """The path of this package's result file for a reproduction."""
    return Path(str(resources.files(__package__).joinpath("measured", f"{name}.json")))


def recorded(name: str) -> Measurement:
    """The recorded measurement of a reproduction.

    Raises:
        UserError: the reproduction has no recorded measurement.

    """
    path = record_path(name)
    if not path.is_file():
        raise UserError(f"{name} has no recorded numbers: reproduce {name} --record writes them")
    return convert(json.loads(path.read_text(encoding="utf-8")), Measurement)


def differences(now: Measurement, stored: Measurement) -> list[str]:
    """A line for each number that differs between two measurements.

    >>> one = Measurement("n", (), {"a": 1}, "", "", 0, "")
    >>> differences(one, Measurement("n", (), {"a": 2}, "", "", 0, ""))
    ['n: a is 1, recorded 2']
    """
    keys = dict.fromkeys([*stored.values, *now.values])
    return [
        f"{now.name}: {key} is {now.values.get(key)}, recorded {stored.values.get(key)}"
        for key in keys
        if now.values.get(key) != stored.values.get(key)
    ]
