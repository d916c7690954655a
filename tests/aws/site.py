"""One installation as a test sees it: prefixes for inputs and results, a queue, an event bus, and the environment."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from tests.aws.events import Upload
from tests.aws.poller import make_queues
from tests.servers import S3Server

RESULT_FILES = ["errors.jsonl", "report.html", "report.json", "samples.jsonl"]


@dataclass
class Site:
    """Inputs lie under `<root>/in`, results under `<root>/out` of one bucket."""

    s3: Any
    sqs: Any
    bus: Any
    bucket: str
    root: str
    queue_url: str
    dead_url: str
    environment: dict[str, str]
    _sequence: Any = field(default_factory=lambda: itertools.count(0x55AED6DCD90281E5))

    @classmethod
    def make(
        cls,
        s3: Any,
        sqs: Any,
        bus: Any,
        *,
        store: S3Server,
        queues: S3Server,
        bucket: str,
        model: Path,
        max_receives: int = 3,
        visibility_s: int = 1,
    ) -> Self:
        root = uuid.uuid4().hex[:12]
        bus.create_event_bus(Name=f"bus-{root}")
        queue_url, dead_url = make_queues(sqs, f"q-{root}", visibility_s=visibility_s, max_receives=max_receives)
        environment = {
            **store.environment(),
            "AWS_ENDPOINT_URL_SQS": queues.endpoint,
            "AWS_ENDPOINT_URL_EVENTBRIDGE": queues.endpoint,
            "SCENESCORE_MODEL": str(model),
            "SCENESCORE_INPUTS": f"s3://{bucket}/{root}/in",
            "SCENESCORE_OUTPUT": f"s3://{bucket}/{root}/out",
            "SCENESCORE_QUEUE_URL": queue_url,
            "SCENESCORE_EVENT_BUS": f"bus-{root}",
            "SCENESCORE_MAX_RECEIVES": str(max_receives),
        }
        return cls(s3, sqs, bus, bucket, root, queue_url, dead_url, environment)

    @property
    def output(self) -> str:
        return self.environment["SCENESCORE_OUTPUT"]

    def upload(self, name: str, data: bytes) -> Upload:
        """Put an object under the inputs; nobody is told."""
        key = f"{self.root}/in/{name}"
        etag = self.s3.put_object(Bucket=self.bucket, Key=key, Body=data)["ETag"].strip('"')
        return Upload(self.bucket, key, etag, len(data), f"{next(self._sequence):018X}")

    def send(self, *bodies: Any) -> None:
        """Put messages into the queue."""
        for body in bodies:
            self.sqs.send_message(QueueUrl=self.queue_url, MessageBody=json.dumps(body))

    def listen(self) -> Callable[[], list[str]]:
        """From now on, keep what is said on the event bus; the result gives the events so far."""
        url, _ = make_queues(self.sqs, f"heard-{self.root}")
        arn = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        bus = self.environment["SCENESCORE_EVENT_BUS"]
        self.bus.put_rule(Name="all", EventBusName=bus, EventPattern='{"source": ["scenescore"]}')
        self.bus.put_targets(Rule="all", EventBusName=bus, Targets=[{"Id": "heard", "Arn": arn}])

        def heard() -> list[str]:
            answer = self.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)
            return [message["Body"] for message in answer.get("Messages", [])]

        return heard

    def outputs(self, under: str = "") -> dict[str, dict[str, Any]]:
        """What lies under the output, or under the results of one upload: key below it -> listing entry."""
        prefix = f"{self.root}/out/{under}"
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=prefix)
        return {one["Key"].removeprefix(prefix): one for page in pages for one in page.get("Contents", [])}

    def folders(self, upload: Upload) -> dict[str, list[str]]:
        """The result folders of an input and the files in each."""
        found: dict[str, list[str]] = {}
        for key in self.outputs(f"{upload.key}/"):
            folder, _, name = key.rpartition("/")
            if folder:
                found.setdefault(folder, []).append(name)
        return found

    def result(self, upload: Upload) -> Result:
        """The one complete result of an input."""
        ((folder, names),) = self.folders(upload).items()
        assert sorted(names) == RESULT_FILES
        return Result(self, f"{self.root}/out/{upload.key}/{folder}")

    def latest(self, upload: Upload) -> dict[str, Any]:
        latest: dict[str, Any] = self.json(f"{self.root}/out/{upload.key}/latest.json")
        return latest

    def error(self, upload: Upload) -> dict[str, Any]:
        """The error.json of an input that could not be read."""
        (key,) = [key for key in self.outputs(f"{upload.key}/") if key.endswith("/error.json")]
        error: dict[str, Any] = self.json(f"{self.root}/out/{upload.key}/{key}")
        return error

    def statuses(self) -> list[dict[str, Any]]:
        """The status of every job that anybody began."""
        return [self.json(f"{self.root}/out/_evaluations/{key}") for key in self.outputs("_evaluations/")]

    def read(self, key: str) -> bytes:
        data: bytes = self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()
        return data

    def json(self, key: str) -> Any:
        return json.loads(self.read(key))


@dataclass(frozen=True)
class Result:
    """A complete result folder."""

    site: Site
    key: str

    @property
    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = self.site.json(f"{self.key}/report.json")
        return report

    @property
    def samples(self) -> bytes:
        return self.site.read(f"{self.key}/samples.jsonl")

    @property
    def errors(self) -> bytes:
        return self.site.read(f"{self.key}/errors.jsonl")

    def scores(self) -> list[float]:
        """Similarities to the three places that fair-forge prints."""
        rows = [json.loads(line) for line in self.samples.splitlines()]
        return [round(row["metrics"]["vision.similarity"]["score"], 3) for row in rows]
