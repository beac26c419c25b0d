"""Our problems in lm-evaluation-harness, with a model behind an OpenAI-compatible server.

python examples/eval_with_lm_eval.py http://127.0.0.1:8000/v1 MODEL bee_competition
"""

import sys

import lm_eval
from lm_eval.tasks import TaskManager

from calculus_harness.harness.integrations import lm_eval_path

folder = lm_eval_path.write(lm_eval_path.tasks(), lm_eval_path.cache_folder())
options = {"calculus": {"prompt": "direct", "limit": 20}}
manager = TaskManager(include_path=str(folder), metadata=options)
model = {
    "base_url": f"{sys.argv[1]}/chat/completions",
    "model": sys.argv[2],
    "tokenizer_backend": None,
}
results = lm_eval.simple_evaluate(
    "local-chat-completions",
    model,
    tasks=[sys.argv[3]],
    task_manager=manager,
    apply_chat_template=True,
)
print(results["results"][sys.argv[3]]["pass@1,verified"])
