"""Ask a reward server that was started with ``run.py serve-reward``."""

import json
import sys
from urllib.request import Request, urlopen

address = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"
items = [{"completion": r"\boxed{x^2 + C}", "integrand": "2x"}]
request = Request(f"{address}/score", json.dumps({"items": items}).encode())
with urlopen(request) as response:
    for score in json.load(response)["scores"]:
        print(score["reward"], score["status"], score["answer"])
