"""The built wheel outside the checkout: the files, the single namespace, the script."""

from __future__ import annotations

import os
import shutil
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
    """Built from the tracked files, as in a git clone."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    tracked = run("git", "ls-files", "-z", cwd=ROOT).split("\0")
    for name in filter(None, tracked):
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, target, follow_symlinks=False)
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, source, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """The `bin` of a fresh environment with the wheel."""
    environment = wheel.parent / "environment"
    run(sys.executable, "-m", "venv", environment, cwd=wheel.parent)
    run(environment / "bin" / "pip", "install", "--quiet", wheel, cwd=wheel.parent)
    return environment / "bin"


def test_the_wheel_holds_one_package_with_code_and_data(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info" not in name}
    assert {name.split("/")[0] for name in names} == {"calculus_harness"}
    folders = ("harness", "prompts", "rewards", "benchmarks")
    tracked = run("git", "ls-files", *folders, cwd=ROOT).split()
    assert {f"calculus_harness/{name}" for name in tracked} <= names
    assert {f"calculus_harness/{name}/py.typed" for name in folders} <= names


def test_the_script_verifies_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    script = installed / "calculus-harness"
    output = run(
        script, "verify", "--integrand", r"2x\cos(x^2)", "--answer", r"\sin(x^2)+C", cwd=tmp_path
    )
    assert output.startswith("correct")
    assert "calculus-harness" in run(script, "--version", cwd=tmp_path)
    assert "bee/qualifier" in run(script, "ls", cwd=tmp_path)


def test_hints_of_an_installed_wheel_can_be_typed(
    wheel: Path, installed: Path, tmp_path: Path
) -> None:
    """An extra is installed from the wheel, without an index."""
    hint = run(
        installed / "python",
        "-c",
        "from calculus_harness.rewards.errors import install; print(install('openai'))",
        cwd=tmp_path,
    )
    assert hint == f"pip install '{wheel}[openai]'\n"
    output = run(installed / "calculus-harness", "view", "--help", cwd=tmp_path)
    assert "\n  calculus-harness view runs/mini q001\n" in output


def test_a_sweep_runs_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    script = installed / "calculus-harness"
    output = run(
        *(
            f"{script} sweep --model solver/sympy -M time-limit=5 --benchmark "
            "bee/qualifier --limit 2 --out run"
        ).split(),
        cwd=tmp_path,
    )
    assert "pass@1" in output
    run(script, "report", "run", cwd=tmp_path)
    assert (tmp_path / "run" / "report.html").exists()


USE = """
import sys
import calculus_harness as ch
from calculus_harness.rewards.adapters.for_trl import antiderivative_reward

assert {"sweep", "compare", "verify_antiderivative"} <= set(dir(ch))
assert ch.verify_antiderivative("x^2", "2x").correct
assert [verdict.correct for verdict in ch.verify_many(["x^2", "x"], "2x")] == [True, False]
assert antiderivative_reward(prompts=["?"], completions=["\\\\boxed{x^2}"], integrand=["2x"])[0] > 0
assert not {"torch", "vllm", "datasets"} & set(sys.modules)
run = ch.sweep(["python/model.py:answer"], ["bee/qualifier", "bee/lin_comb"], limit=4, out="run")
assert len(list(run.completions.rows())) == 4
"""


def test_modules_of_the_user_with_our_folders_names_are_not_imported(
    installed: Path, tmp_path: Path
) -> None:
    """In process, in workers and while models are asked."""
    for name in ("benchmarks", "prompts", "harness"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('not this one')\n")
    (tmp_path / "rewards.py").write_text("raise RuntimeError('not this one')\n")
    (tmp_path / "model.py").write_text("def answer(messages, seed):\n    return 'x'\n")
    (tmp_path / "use.py").write_text(USE)
    run(installed / "python", "use.py", cwd=tmp_path)
    run(installed / "calculus-harness", "ls", cwd=tmp_path)
