"""Which column or key holds which field: one table of accepted names, `--map`, and help for misspelt ones."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from handler.errors import InputError, RequestError

FIELDS = ("session_id", "assistant_id", "sample_id", "answer", "references", "language", "weight", "tags")

ALIASES: Mapping[str, tuple[str, ...]] = {  # the first name of each is fair-forge's own and wins over the others
    "session_id": ("session_id", "session", "video_id", "video"),
    "assistant_id": ("assistant_id", "model", "model_id", "model_name", "system", "system_id"),
    "sample_id": ("qa_id", "sample_id", "frame_id", "frame", "id", "image_id", "question_id"),
    "answer": (
        "assistant", "answer", "prediction", "predicted", "response", "caption", "description", "output",
        "model_output", "model_answer", "hypothesis", "candidate", "generated",
    ),
    "references": (
        "ground_truth_assistant", "references", "reference", "ground_truth", "human", "label", "target", "expected",
        "gold", "gt", "human_description", "reference_caption",
    ),
    "language": ("language", "lang"),
    "weight": ("weight",),
    "tags": ("tags",),
}  # fmt: skip

NOT_COLUMNS = frozenset(
    {"query", "context", "agentic", "logprobs", "groundtruthagentic", "observation", "conversation"}
)
"""fair-forge's fields that no metric reads and rows need not carry, in normal form."""


def normal(name: str) -> str:
    """A name without case, spaces, hyphens and underscores."""
    return re.sub(r"[\s_\-]+", "", name).casefold()


def _by_name(aliases: Mapping[str, tuple[str, ...]]) -> Mapping[str, str]:
    return {normal(alias): field for field, names in aliases.items() for alias in (*names, field)}


FLAT_NAMES = _by_name(ALIASES)
"""{normal name: field} for frames and tables that stand alone."""

CONVERSATION_NAMES = _by_name(
    {
        "sample_id": ("qa_id",),
        "answer": ("assistant",),
        "references": ("ground_truth_assistant", "reference"),
        "language": ("language",),
        "weight": ("weight",),
        "tags": ("tags",),
    }
)
"""The same inside fair-forge sessions, whose names are fixed: there another name is a slip, not a dialect."""

SESSION_NAMES = _by_name({"session_id": (), "assistant_id": (), "language": (), "tags": ()})

KNOWN_NAMES: Collection[str] = frozenset(FLAT_NAMES) | NOT_COLUMNS


@dataclass(frozen=True, slots=True)
class FramePlan:
    """The keys of one kind of frame: where each field is, and which other keys go into the rows."""

    sample_id: str | None = None
    answer: str | None = None
    references: tuple[str, ...] = ()
    session_id: str | None = None
    assistant_id: str | None = None
    language: str | None = None
    weight: str | None = None
    tags: str | None = None
    columns: tuple[str, ...] = ()


class AmbiguousError(InputError):
    """Two columns could hold one field; the message names both and says how to choose."""


def check_mapping(mapping: Mapping[str, str]) -> dict[str, str]:
    """The mapping by our own field names. Raises RequestError for a field that does not exist."""
    checked: dict[str, str] = {}
    for name, column in mapping.items():
        field = FLAT_NAMES.get(normal(name))
        if field is None:
            raise RequestError(
                f"cannot map {name!r}: there is no such field", field="map", hint=f"Fields: {', '.join(FIELDS)}"
            )
        checked[field] = column
    return checked


def make_plan(
    keys: Sequence[str],
    names: Mapping[str, str],
    mapping: Mapping[str, str],
    file: str | None,
    *,
    positions: bool = False,
) -> FramePlan:
    """Find the fields of `names` among the keys of a frame or the header of a table.

    positions: "#n" in the mapping names the n-th key. Raises AmbiguousError for two candidates, InputError for a mapping
    to a column that is not there.
    """
    fields = [field for field in FIELDS if field in names.values()]
    by_normal: dict[str, list[str]] = {}
    for key in keys:
        by_normal.setdefault(normal(key), []).append(key)
    found: dict[str, tuple[str, ...]] = {}
    for field in fields:
        if field in mapping:
            found[field] = _mapped(field, mapping[field], keys, by_normal, file, positions=positions)
    taken = {key for columns in found.values() for key in columns}
    for field in fields:
        if field not in found and (columns := _by_alias(field, names, by_normal, taken, file)):
            found[field] = columns
    taken = {key for columns in found.values() for key in columns}
    blobs = NOT_COLUMNS if "session_id" in fields else NOT_COLUMNS | {"sessionid", "assistantid"}
    others = tuple(key for key in keys if key not in taken and normal(key) not in blobs)
    single = {field: columns[0] for field, columns in found.items() if field != "references"}
    return FramePlan(**single, references=found.get("references", ()), columns=others)


def did_you_mean(field: str, keys: Iterable[str]) -> str:
    """A question naming the key that looks like a misspelling of the field; "" when there is none."""
    candidates = [normal(alias) for alias in ALIASES[field]]
    best, best_ratio = "", 0.75
    for key in islice(keys, 40):
        plain = normal(key[:80])
        for candidate in candidates:
            near = difflib.SequenceMatcher(None, plain, candidate).ratio()
            if near > best_ratio:
                best, best_ratio = key, near
    return f"did you mean {best!r}?" if best else ""


def listed(names: Collection[str], most: int = 20) -> str:
    """Names for a message, the first few of many."""
    shown = ", ".join(repr(name[:60]) for name in list(names)[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "") if shown else "none"


def _mapped(
    field: str,
    column: str,
    keys: Sequence[str],
    by_normal: Mapping[str, list[str]],
    file: str | None,
    *,
    positions: bool,
) -> tuple[str, ...]:
    if column in keys:
        return (column,)
    if matches := by_normal.get(normal(column)):
        return tuple(matches) if field == "references" else (matches[0],)
    if positions and re.fullmatch(r"#[0-9]{1,6}", column) and 1 <= int(column[1:]) <= len(keys):
        return (keys[int(column[1:]) - 1],)
    if field == "references" and "," in column:
        parts = [_mapped(field, part.strip(), keys, by_normal, file, positions=positions) for part in column.split(",")]
        return tuple(key for part in parts for key in part)
    raise InputError(
        f"{field} is mapped to {column!r}, and there is no such column",
        file=file,
        field=field,
        hint=f"Columns: {listed(keys)}",
    )


def _by_alias(
    field: str, names: Mapping[str, str], by_normal: Mapping[str, list[str]], taken: set[str], file: str | None
) -> tuple[str, ...]:
    """The keys that hold the field: one, or for references one family (reference, reference_2, references)."""
    families: dict[str, list[str]] = {}
    for plain, keys in by_normal.items():
        free = [key for key in keys if key not in taken]
        if free and (family := _family(field, plain, names)):
            families.setdefault(family, []).extend(free)
    chosen = families.get(normal(ALIASES[field][0]), [])
    if not chosen and len(families) == 1:
        chosen = next(iter(families.values()))
    if (families and not chosen) or (len(chosen) > 1 and field != "references"):
        candidates = [key[:60] for keys in families.values() for key in keys][:6]
        raise AmbiguousError(
            f"{field} could be {' or '.join(map(repr, candidates))}",
            file=file,
            field=field,
            hint=f"Choose with --map {field}=COLUMN",
        )
    return tuple(chosen)


def _family(field: str, plain: str, names: Mapping[str, str]) -> str | None:
    stem = plain
    if field == "references" and names.get(plain) != field:
        stem = plain.rstrip("0123456789")
    if not stem or names.get(stem) != field:
        return None
    return "reference" if stem == "references" else stem
