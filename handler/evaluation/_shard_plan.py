"""The plan of a sharded evaluation: a document beside the shards, from which any process can score one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Self

import orjson

from handler import storage
from handler.errors import InputError
from handler.evaluation._book import Book
from handler.evaluation._identity import InputIdentity
from handler.evaluation._inputs import Start
from handler.evaluation._request import EvaluationRequest
from handler.evaluation._survey import Shard
from handler.formats import Notices, Place

__all__ = ["PLAN", "ShardPlan"]

SCHEMA = "scenescore.shards/1"
PLAN = "plan.json"


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """location: the folder of the plan, `<result>/shards/<run>`. result: the result folder. signatures: of the metrics, and
    companions: {location: mark} of the files beside the input, all of which every shard must find as they were. counted,
    notices: of the whole input. sequencer: of the upload."""

    location: str
    result: str
    request: EvaluationRequest
    source: InputIdentity
    signatures: dict[str, str]
    companions: dict[str, str]
    shards: list[Shard]
    counted: Book
    notices: Notices
    sequencer: str | None = None

    def folder(self, number: int) -> str:
        """Where a shard's rows and state go."""
        return storage.join(self.location, f"{number:05d}")

    def state_at(self, number: int) -> str:
        """The state of a finished shard, written last."""
        return storage.join(self.folder(number), "state.json")

    def unfinished(self) -> Iterator[int]:
        """The shards that nobody has finished."""
        return (number for number in range(len(self.shards)) if storage.stat(self.state_at(number)) is None)

    def save(self) -> None:
        """Write the document; until then there is no plan."""
        source = asdict(self.source)
        stamps = [list(stamp) if isinstance(stamp, tuple) else stamp for stamp in self.source.stamps]
        document = {
            "schema": SCHEMA,
            "result": self.result,
            "request": self.request.model_dump(mode="json", exclude_none=True),
            "source": {**source, "stamps": stamps},
            "signatures": self.signatures,
            "companions": self.companions,
            "shards": [{"start": _plain(one.start), "n_records": one.n_records} for one in self.shards],
            "counted": self.counted.state(),
            "notices": {"counts": dict(self.notices.counts), "examples": self.notices.examples},
            "sequencer": self.sequencer,
        }
        storage.write_bytes(storage.join(self.location, PLAN), orjson.dumps(document))

    @classmethod
    def load(cls, location: str) -> Self:
        """Read a plan. Raises NotFoundError for none, InputError for what is none."""
        at = storage.join(location, PLAN)
        try:
            found = orjson.loads(storage.read_bytes(at))
            if found["schema"] != SCHEMA:
                raise ValueError("it has another schema")
            counted = Book([], ())
            counted.restore(found["counted"])
            return cls(
                location=location,
                result=found["result"],
                request=EvaluationRequest.parse(found["request"]),
                source=_source_of(found["source"]),
                signatures=found["signatures"],
                companions=found["companions"],
                shards=[_shard_of(one) for one in found["shards"]],
                counted=counted,
                notices=Notices(Counter(found["notices"]["counts"]), found["notices"]["examples"]),
                sequencer=found["sequencer"],
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"this is no plan of shards: {error}", file=at, hint="Plan again") from error


def _source_of(found: dict[str, Any]) -> InputIdentity:
    files = tuple(storage.ObjectInfo(**one) for one in found["files"])
    stamps = tuple(tuple(stamp) if isinstance(stamp, list) else stamp for stamp in found["stamps"])
    return InputIdentity(**{**found, "files": files, "stamps": stamps})


def _plain(start: Start) -> list[Any]:
    return [start.file, list(start.place) if start.place else None, start.skip, start.samples]


def _shard_of(found: dict[str, Any]) -> Shard:
    file, place, skip, samples = found["start"]
    return Shard(Start(file, Place(*place) if place else None, skip, samples), found["n_records"])
