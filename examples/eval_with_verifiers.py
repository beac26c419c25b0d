r"""Our problems and reward in verifiers, on what some model says: no rollout, only the taskset.

python examples/eval_with_verifiers.py bee/competition '\boxed{x^2}'
"""

import asyncio
import sys

import verifiers.v1 as vf

from calculus_harness.harness.integrations.for_verifiers import (
    CalculusTaskset,
    CalculusTasksetConfig,
)

for task in CalculusTaskset(CalculusTasksetConfig(benchmark=sys.argv[1], limit=3)):
    seed = vf.TraceTask(type="CalculusTask", data=task.data, key=task.key, hash=task.hash)
    trace = vf.Trace(task=seed, agent=vf.AgentInfo(config=vf.AgentConfig()))
    trace.root_reply = sys.argv[2]
    asyncio.run(task.score(trace))
    print(task.key, trace.reward, [name for name, value in trace.metrics.items() if value])
