"""Models behind an HTTP API of the OpenAI kind, asked request by request or in batches."""
