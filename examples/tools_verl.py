"""Tools for verl's tool agent: the path of this file is its ``function_tool_path``."""

from verl.tools.function_tool import function_tool

from calculus_harness.rewards.adapters.environments.tools import check_antiderivative, check_step

function_tool(check_antiderivative)
function_tool(check_step)
