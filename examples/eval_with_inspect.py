r"""Our problems in inspect_ai, with a model behind any OpenAI-compatible server.

STUB_BASE_URL=http://127.0.0.1:8000/v1 STUB_API_KEY=none \
    python examples/eval_with_inspect.py openai-api/stub/MODEL bee/competition
"""

import sys

from inspect_ai import eval as evaluate

from calculus_harness.harness.integrations.for_inspect import problems

[log] = evaluate(problems(sys.argv[2], prompt="direct"), model=sys.argv[1], display="none")
for score in log.results.scores if log.results else []:
    print(
        f"accuracy {score.metrics['accuracy'].value:.3f} of {score.scored_samples}, "
        f"undecided {score.unscored_samples}"
    )
