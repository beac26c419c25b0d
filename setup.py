"""The packages of the wheel; everything else is in pyproject.toml.

`rewards` is installed a second time as `calculus_harness_rewards`, because a trainer's own
`rewards.py` easily shadows a name so plain. Its imports are relative, so both names work.
`harness.integrations` is installed a second time as `calculus_harness`: the programs that it serves
find things by the name of a package.
"""

from setuptools import find_packages, setup

OURS = ["harness", "prompts", "rewards", "benchmarks"]
packages = find_packages(include=[pattern for name in OURS for pattern in (name, f"{name}.*")])
aliases = [
    "calculus_harness_" + name for name in packages if name == "rewards" or name[:8] == "rewards."
]

setup(
    packages=[*packages, *aliases, "calculus_harness"],
    package_dir={
        "calculus_harness_rewards": "rewards",
        "calculus_harness": "harness/integrations",
    },
)
