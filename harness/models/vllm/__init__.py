"""Models that run by vLLM, in this process or behind a server of their own."""
