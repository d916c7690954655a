"""What is logged: ids, places and counts; never a word that somebody described, a key or a token."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SECRETS = {
    "AWS_ACCESS_KEY_ID": "AKIASECRETSECRET0001",
    "AWS_SECRET_ACCESS_KEY": "secretsecretkey0002",
    "AWS_SESSION_TOKEN": "secretsecrettoken0003",
}
MEET = """
import json, tempfile
from pathlib import Path
import handler.lambda_handler as door
from handler.errors import ScenescoreError
from handler.events import _log, _sqs, _uploads
from tests.aws import events
from tests.faults.memory_s3 import Weather, refused
from tests.faults.stub import stub_folder
from tests.fuzz.calls import CONTEXT, Site

site = Site(stub_folder(Path(tempfile.mkdtemp())))
for module in (_sqs, _uploads):
    module.log, module.log_status = _log.log, _log.log_status
frame = {"session_id": "s", "answer": "secretword0004 runs.", "reference": "secretword0005 sits.", "tags": {"a": "b"}}
bodies = {
    "good.jsonl": json.dumps(frame),
    "bad.jsonl": '{"answer": "secretword0006", "reference": "secretword0007',
    "missing.jsonl": json.dumps({"answer": "secretword0008 walks"}),
    "x.scenescore.json": json.dumps({"input": "good.jsonl", "metrics": ["secretword0009"]}),
}
uploads = []
for name, text in bodies.items():
    site.put(f"in/secrets/{name}", text.encode())
    uploads.append(events.Upload("b", f"in/secrets/{name}"))

class Refusing(Weather):
    def before(self, operation, key):
        if operation == "put_object" and "samples" in key:
            raise refused("SlowDown", operation, 503, retries=4)

for weather in (Refusing(), Weather()):
    site.use(weather)
    for upload in uploads:
        door.lambda_handler(events.sqs(events.s3_put(upload), "secretword0010 is no JSON"), CONTEXT)
    try:
        door.lambda_handler({"sessions": [frame], "threshold": "secretword0011"}, CONTEXT)
        door.lambda_handler(events.http("POST", "/v1/evaluations", json.dumps({"sessions": [frame]})), CONTEXT)
    except ScenescoreError:
        pass
print("met")
"""


def test_logs_hold_no_words_and_no_keys():
    environment = {**os.environ, **SECRETS, "POWERTOOLS_LOG_LEVEL": "DEBUG", "AWS_DEFAULT_REGION": "us-east-1"}
    command = [sys.executable, "-c", MEET]
    found = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert found.returncode == 0, found.stderr[-3000:]
    logged = found.stdout + found.stderr
    assert "met" in found.stdout
    assert '"message":"evaluation done"' in logged
    assert '"message":"message comes again"' in logged
    assert "secret" not in logged.replace("in/secrets/", "").casefold(), [
        line for line in logged.splitlines() if "secret" in line.replace("in/secrets/", "").casefold()
    ][:3]
