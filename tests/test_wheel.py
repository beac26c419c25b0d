"""The built wheel, outside the checkout: data files, both names of the verifier, the script."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


def run(*command: object, cwd: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["PIP_CONSTRAINT"] = str(ROOT / "constraints.txt")
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from what git would clone, so that nothing untracked is relied on."""
    place = tmp_path_factory.mktemp("wheel")
    source = place / "source"
    source.mkdir()
    tracked = run("git", "ls-files", "-z", cwd=ROOT).split("\0")
    for name in filter(None, tracked):
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_file():
            target.write_bytes((ROOT / name).read_bytes())
    run(sys.executable, "-m", "build", "--wheel", "--outdir", place, source, cwd=place)
    (built,) = place.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """The `bin` of a fresh environment with the wheel."""
    environment = wheel.parent / "environment"
    run(sys.executable, "-m", "venv", environment, cwd=wheel.parent)
    run(environment / "bin" / "pip", "install", "--quiet", wheel, cwd=wheel.parent)
    return environment / "bin"


def test_the_wheel_holds_code_and_data_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    ours = {"harness", "prompts", "rewards", "benchmarks"}
    assert tops == ours | {"calculus_harness", "calculus_harness_rewards"}
    packages = ("harness", "prompts", "rewards", "benchmarks")
    tracked = run("git", "ls-files", *packages, cwd=ROOT).split()
    assert set(tracked) <= set(names)
    ours = {name.removeprefix("rewards/") for name in names if name.startswith("rewards/")}
    alias = "calculus_harness_rewards/"
    assert ours == {name.removeprefix(alias) for name in names if name.startswith(alias)}
    assert "calculus_harness/for_inspect.py" in names


def test_the_script_verifies_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    script = installed / "calculus-harness"
    said = run(
        script, "verify", "--integrand", r"2x\cos(x^2)", "--answer", r"\sin(x^2)+C", cwd=tmp_path
    )
    assert said.startswith("correct")
    assert "calculus-harness" in run(script, "--version", cwd=tmp_path)
    assert "bee/qualifier" in run(script, "ls", cwd=tmp_path)


def test_a_sweep_runs_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    script = installed / "calculus-harness"
    said = run(
        script,
        "sweep",
        "--model",
        "solver/sympy",
        "-M",
        "time-limit=5",
        "--benchmark",
        "bee/qualifier",
        "--limit",
        "2",
        "--out",
        "run",
        cwd=tmp_path,
    )
    assert "pass@1" in said
    run(script, "report", "run", cwd=tmp_path)
    assert (tmp_path / "run" / "report.html").exists()


def test_the_verifier_under_its_second_name(installed: Path, tmp_path: Path) -> None:
    """With a `rewards.py` of the trainer's own in the way, in process and in workers."""
    (tmp_path / "rewards.py").write_text("raise RuntimeError('not this one')\n")
    code = (
        "import calculus_harness_rewards as r; "
        "assert r.verify_antiderivative('x^2', '2x').correct; "
        "from calculus_harness_rewards.workers import verify_many; "
        "assert [v.correct for v in verify_many(['x^2', 'x'], '2x')] == [True, False]; "
        "import sys; assert not {'torch', 'vllm', 'datasets'} & set(sys.modules)"
    )
    run(installed / "python", "-c", code, cwd=tmp_path)
