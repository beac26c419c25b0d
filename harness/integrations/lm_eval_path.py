"""Task files for lm-evaluation-harness:

    path=$(python -m calculus_harness.harness.integrations.lm_eval_path)
    lm_eval run --include_path "$path" --tasks bee ...

Every subset is a task (``bee_competition``) and every benchmark a group (``bee``). The YAML files
are written from the registry to a folder named by their hash.
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
custom_dataset: !function calculus_harness.harness.integrations.for_lm_eval.dataset
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
        filter_fn: !function calculus_harness.harness.integrations.for_lm_eval.every_response
process_results: !function calculus_harness.harness.integrations.for_lm_eval.process_results
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
    """Return file names and YAML for all benchmarks and subsets, and for ``extra`` specs."""
    files = {}

    def add(name: str, benchmark: str) -> None:
        files[f"{name}.yaml"] = _TASK.format(
            name=name, benchmark=json.dumps(benchmark), tokens=max_tokens, filter=FILTER
        )

    for benchmark in registry.names():
        subsets = [subset.name for subset in registry.resolve(f"{benchmark}/all")]
        for subset in subsets:
            add(task_name(subset), subset)
        default = [task_name(subset.name) for subset in registry.resolve(benchmark)]
        files[f"group_{benchmark}.yaml"] = _GROUP.format(
            name=benchmark, tasks=json.dumps(default), filter=FILTER
        )
    for spec in extra:
        registry.resolve(spec)
        add(re.sub(r"\W+", "_", Path(spec).stem if Path(spec).is_file() else spec), _absolute(spec))
    return files


def _absolute(spec: str) -> str:
    return str(Path(spec).resolve()) if Path(spec).is_file() else spec


def write(files: Mapping[str, str], cache: Path) -> Path:
    """Write the files to a folder in ``cache``, named by the files' hash."""
    text = json.dumps(dict(files), sort_keys=True)
    folder = cache / hashlib.sha256(text.encode()).hexdigest()[:16]
    if not folder.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=cache))
        for name, content in files.items():
            (temporary / name).write_text(content, encoding="utf-8")
        try:
            temporary.rename(folder)
        except OSError:  # another process was faster
            shutil.rmtree(temporary)
    return folder


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "calculus-harness" / "lm-eval"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m calculus_harness.harness.integrations.lm_eval_path",
        description="Write task files for lm-evaluation-harness; print their folder.",
    )
    parser.add_argument(
        "--benchmark",
        action="append",
        default=[],
        metavar="SPEC",
        help="another benchmark, a file or a data set, as a task too",
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
    options = parser.parse_args(arguments)
    try:
        print(write(tasks(options.benchmark, options.max_tokens), options.out))
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
