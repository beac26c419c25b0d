"""Where lm-evaluation-harness finds our tasks:

    lm_eval run --include_path "$(python -m harness.integrations.lm_eval_path)" --tasks bee ...

Every subset is a task (``bee_competition``) and every benchmark a group (``bee``). They are written
as YAML from the registry, to a folder named by its content, so that they are never out of date.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...benchmarks import registry
from ..report.lm_eval_logs import FILTER, task_name

# JSON strings are YAML strings, and JSON lists YAML lists.
_TASK = """\
task: {name}
dataset_kwargs: {{benchmark: {benchmark}}}
custom_dataset: !function harness.integrations.for_lm_eval.dataset
test_split: test
output_type: generate_until
doc_to_text: question
doc_to_target: answer
num_fewshot: 0
generation_kwargs: {{until: [], do_sample: false, temperature: 0.0, max_gen_toks: {tokens}}}
filter_list:
  - name: {filter}
    filter:
      - function: custom
        filter_fn: !function harness.integrations.for_lm_eval.every_response
process_results: !function harness.integrations.for_lm_eval.process_results
metric_list:
  - {{metric: "pass@1", aggregation: mean, higher_is_better: true}}
  - {{metric: no_answer, aggregation: mean, higher_is_better: false}}
  - {{metric: undecided, aggregation: mean, higher_is_better: false}}
"""
_GROUP = """\
group: {name}
task: {tasks}
aggregate_metric_list:
  - {{metric: "pass@1", aggregation: mean, weight_by_size: true, filter_list: {filter}}}
"""
MAX_TOKENS = 4096


def tasks(extra: Sequence[str] = (), max_tokens: int = MAX_TOKENS) -> dict[str, str]:
    """File name to YAML, for every benchmark and subset, and for ``extra`` benchmark specs."""
    made = {}

    def add(name: str, benchmark: str) -> None:
        made[f"{name}.yaml"] = _TASK.format(
            name=name, benchmark=json.dumps(benchmark), tokens=max_tokens, filter=FILTER
        )

    for benchmark in registry.names():
        subsets = [subset.name for subset in registry.resolve(f"{benchmark}/all")]
        for subset in subsets:
            add(task_name(subset), subset)
        default = [task_name(subset.name) for subset in registry.resolve(benchmark)]
        made[f"group_{benchmark}.yaml"] = _GROUP.format(
            name=benchmark, tasks=json.dumps(default), filter=FILTER
        )
    for spec in extra:
        registry.resolve(spec)
        add(re.sub(r"\W+", "_", Path(spec).stem if Path(spec).is_file() else spec), _absolute(spec))
    return made


def _absolute(spec: str) -> str:
    return str(Path(spec).resolve()) if Path(spec).is_file() else spec


def write(files: Mapping[str, str], cache: Path) -> Path:
    """Write the files to a folder in ``cache`` that their content names; whole, or not at all."""
    text = json.dumps(dict(files), sort_keys=True)
    folder = cache / hashlib.sha256(text.encode()).hexdigest()[:16]
    if not folder.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=cache))
        for name, content in files.items():
            (made / name).write_text(content, encoding="utf-8")
        try:
            made.rename(folder)
        except OSError:  # another process was faster
            shutil.rmtree(made)
    return folder


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "calculus-harness" / "lm-eval"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m harness.integrations.lm_eval_path",
        description="Write our tasks for lm-evaluation-harness; print the folder.",
    )
    parser.add_argument(
        "--benchmark",
        action="append",
        default=[],
        metavar="SPEC",
        help="a file or data set of your own, as a task too",
    )
    parser.add_argument(
        "--max-tokens", type=int, default=MAX_TOKENS, help="of a completion (default: %(default)s)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=cache_folder(),
        metavar="DIR",
        help="where the folder is made (default: %(default)s)",
    )
    given = parser.parse_args(arguments)
    try:
        print(write(tasks(given.benchmark, given.max_tokens), given.out))
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
