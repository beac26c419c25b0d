"""Models by vLLM, in this process or behind a separate server."""
