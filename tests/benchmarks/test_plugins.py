"""Benchmarks of other packages, by the entry point group `calculus_harness.benchmarks`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from calculus_harness.benchmarks import BenchmarkError, load, names, registry, subsets

MODULE = """
from calculus_harness.benchmarks import Problem
from calculus_harness.benchmarks.registry import benchmark

@benchmark("{name}/powers", source="a test", size=3)
def power(seed: int, index: int) -> Problem:
    '''Powers of x.'''
    shown = {{"integrand": f"x^{{index + 1}}", "variable": "x"}}
    return Problem(f"power-{{index}}", "integration", "{name}", "powers", shown, shown)
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a distribution with a module and an entry point, as pip does."""

    def installed(name: str, text: str, package: str = "other_package") -> None:
        (tmp_path / f"{package}.py").write_text(text, encoding="utf-8")
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(
            f"[calculus_harness.benchmarks]\n{name} = {package}\n"
        )

    monkeypatch.syspath_prepend(str(tmp_path))
    yield installed
    for name in ("mine/powers", "other/powers"):
        registry._SUBSETS.pop(name, None)
    for package in ("other_package", "third_package"):
        sys.modules.pop(package, None)


def test_a_benchmark_of_another_package(install: Install) -> None:
    install("mine", MODULE.format(name="mine"))
    assert names()[-1] == "mine"
    assert "other_package" not in sys.modules  # imported when it is asked for
    assert subsets("mine") == ("powers",)
    assert [problem.inputs.integrand for problem in load("mine")] == ["x^1", "x^2", "x^3"]
    assert len(load("mine/powers", limit=2)) == 2
    with pytest.raises(BenchmarkError, match="did you mean 'powers'"):
        load("mine/power")
    with pytest.raises(BenchmarkError, match="did you mean 'mine'"):
        load("mime")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("bee", MODULE.format(name="bee"), "other_package .* 'bee', a name that is taken"),
        ("mine", "import no_such_module", "package other_package .* No module named"),
        ("mine", MODULE.format(name="other"), "declares no subset mine/..."),
    ],
)
def test_a_broken_plugin(install: Install, name: str, text: str, message: str) -> None:
    install(name, text)
    with pytest.raises(BenchmarkError, match=message):
        load("mine")
    assert load("drills", limit=1)  # other benchmarks are not affected


def test_two_packages_with_one_name(install: Install) -> None:
    install("mine", MODULE.format(name="mine"))
    install("mine", MODULE.format(name="mine"), package="third_package")
    with pytest.raises(BenchmarkError, match="a name that is taken"):
        names()
