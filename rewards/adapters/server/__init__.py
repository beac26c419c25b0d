"""A reward server: completions in, rewards out, over HTTP (`run.py serve-reward`, extra `serve`).

- `service`: the state of a server, and the reply to a request.
- `bodies`: request bodies, read within limits while they arrive.
- `shapes`: the trainers' request formats, and the answers in the same format.
- `http`, `connections`: the server on this machine, and its connections.
- `metrics`: the page for Prometheus.
- `shadow`: a sample of rewards, judged again.
- `client`: a client that repeats refused requests.
- `on_ray`: the server as a deployment of Ray Serve.
"""
