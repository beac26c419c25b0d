"""A reward server: completions in, rewards out, over HTTP (`run.py serve-reward`, extra `serve`).

- `service`: the state of a server, and the reply to a request.
- `bodies`: request bodies, read within limits while they arrive.
- `shapes`: what trainers send, and the answers in kind.
- `http`, `connections`: the server on this machine, and its connections.
- `metrics`: what Prometheus asks for.
- `shadow`: a sample of rewards, judged again.
- `client`: a client that comes again.
- `on_ray`: the server as a deployment of Ray Serve.
"""
