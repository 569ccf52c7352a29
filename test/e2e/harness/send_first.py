"""Sends a whole bulk request, and reads the response only then, as urllib does."""
import json
import sys
import urllib.request

url, count = sys.argv[1], int(sys.argv[2])
target = "https://repo.example.org/" + "x" * 250
lines = (json.dumps({"clientRef": "row %d" % n, "target": target}) for n in range(1, count + 1))
body = ("\n".join(lines) + "\n").encode()
headers = {"content-type": "application/x-ndjson", "prefer": "return=minimal"}
with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=120) as response:
    results = [json.loads(line) for line in response.read().splitlines()]
    applied = response.headers["preference-applied"]
json.dump(
    {
        "applied": applied,
        "in order": [result["line"] for result in results] == list(range(1, count + 1)),
        "statuses": sorted({result["status"] for result in results}),
        "identifiers": len({result["identifier"] for result in results}),
    },
    sys.stdout,
)
