"""Our command line at a smaller size: the commands of documents, without a GPU, a key or hours.

`python smaller.py sweep --model vllm/NAME -n 64` asks the server at OPENAI_BASE_URL for two samples
of 24 problems. A model that cannot be here is replaced; sizes are written behind the command's own
words, where the last one wins. Everything else is done as written.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[3])

from calculus_harness.harness.__main__ import main

#: Kinds that the server stands in for, without their options.
ABSENT = ("vllm/", "vllm-server/")
#: Sizes of each command: a flag of it is never more. A size that a preset sets is reduced, too.
SIZES = {
    "sweep": {"--limit": 24, "-n": 2, "--beams": 2},
    "generate derivations": {"--count": 40},
    "generate calculus": {"--count": 40},
    "generate lample-charton": {"--count": 40},
    "generate train": {"--count": 40, "--easier": 2},
    "generate bee": {"--limit": 4},
    "generate brittleness": {"--limit": 20},
    "generate drills": {"--limit": 20},
}
ALWAYS = {"--limit", "--count"}


def smaller(words: list[str]) -> list[str]:
    """The command with replaced models and reduced sizes."""
    if words[0] in ("sweep", "logprobs", "reproduce", "search"):
        words = list(_with_models(words))
    if words[:2] == ["train", "encoder"]:
        words += "--model scratch --epochs 1 --every 2 --batch-size 16 --hidden 16".split()
    if "--preset" in words:
        words += ["-n", "2"]
    if any(word.startswith("solver/") for word in words):  # a second each
        fewer = {"sweep": ["--limit", "6"], "generate": ["--count", "6"]}
        words += fewer.get(words[0], [])
    if words[0] == "search" and "--model" in words:
        words += "--archive 4 --generation-size 8 --generations 2 --clusters 2".split()
    for command, sizes in SIZES.items():
        if words[: len(command.split())] == command.split():
            for flag, limit in sizes.items():
                values = [int(words[at + 1]) for at, word in enumerate(words) if word == flag]
                if values or flag in ALWAYS:
                    words += [flag, str(min([*values[-1:], limit]))]
    return words


def _with_models(words: list[str]) -> Iterator[str]:
    """The words with models available here. `-M` applies to all models."""
    absent = any(word.startswith(ABSENT) for word in words)
    solver = any(word.startswith("solver/") for word in words)
    remaining = iter(words)
    for word in remaining:
        if word == "--model":
            model = next(remaining)
            if model.startswith(ABSENT):
                model = f"openai/{model.partition('/')[2]}"
            model = re.sub(r"(?<=base-url=)[^;]+", os.environ.get("OPENAI_BASE_URL", ""), model)
            if _is_here(model):
                yield from (word, model)
        elif word == "-M":
            option = next(remaining)
            if option.startswith("base-url="):
                option = f"base-url={os.environ['OPENAI_BASE_URL']}"
            if not absent and not option.startswith("time-limit="):
                yield from (word, option)
        else:
            yield word
    if words[0] == "reproduce":  # its commands have their options
        return
    if absent:
        yield from ("-M", "server=vllm")
    if any(word.startswith("openai-batch/") for word in words):
        yield from ("-M", "poll=0.1")
    if solver:
        yield from ("-M", "time-limit=1")


def _is_here(model: str) -> bool:
    """Whether a model's computer algebra system, if any, is installed."""
    if model == "solver/alkahest":
        return find_spec("alkahest") is not None
    return model not in ("solver/maxima", "solver/fricas") or shutil.which(model[7:]) is not None


if __name__ == "__main__":
    sys.argv[1:] = smaller(sys.argv[1:])
    main()
