"""What a reader of a comparison must know: differing signatures, samples that are on one side alone, few sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handler.counting import many
from handler.decisions.comparison._figures import Figure
from handler.decisions.comparison._pairs import Pairing

__all__ = ["joined_by_id", "untested", "warnings_of"]

FEW_UNITS = 6  # under so many, no arrangement of signs is as rare as 1 in 20
NOTABLE = 0.01  # share of samples that may be on one side alone, or scored on one side alone, without a word


def warnings_of(
    pairings: Sequence[Pairing], entries: Sequence[Mapping[str, Any]], figures: Sequence[Figure]
) -> Iterator[dict[str, str]]:
    """{code, message} each."""
    for pairing in pairings:
        yield from _signatures(pairing, [figure.metric for figure in figures])
        yield from _joined(pairing)
    for entry in entries:
        one_sided = entry["n_baseline_only"] + entry["n_candidate_only"]
        if one_sided > NOTABLE * entry["n_samples"]:
            yield _warning(
                "scored_on_one_side",
                f"{entry['metric']}: {many(entry['n_baseline_only'], 'sample')} with a value in {entry['baseline']} alone, "
                f"{entry['n_candidate_only']:,} in {entry['candidate']} alone; both are left out, and who skips hard "
                "samples looks better",
            )
    alone = {(one["by"], one["value"]) for entry in entries for one in entry["slices"] if one["unit"] == "sample"}
    if alone and not any(entry["unit"] == "sample" for entry in entries):
        yield _warning(
            "slice_of_one_session",
            f"{many(len(alone), 'slice')} of one session alone: its samples are taken as independent, and whatever happened "
            "in that session, such as an hour of fog, looks like a difference between the sides",
        )
    if any(entry["unit"] == "sample" for entry in entries):
        yield _warning(
            "one_session", "all samples are of one session: they are taken as independent, and intervals are too narrow"
        )
    few = [one for one in entries if one["unit"] != "sample" and 1 < one["n_units"] < FEW_UNITS and one["difference"]]
    if few:
        yield _warning(
            "few_sessions",
            f"only {many(min(one['n_units'] for one in few), few[0]['unit'])}: samples of one count together, and so few "
            "can show large differences alone; frames that are independent deserve a session_id of their own",
        )


def untested(slices: Sequence[tuple[str, str]], unit: str) -> Iterator[dict[str, str]]:
    """Slices, (field, value), that were not tested because nobody asked for them and each is within one independent unit."""
    if slices:
        by = ",".join(dict.fromkeys(by for by, _ in slices))
        named = ", ".join(f"{by} {value or '(none)'}" for by, value in slices[:3])
        yield _warning(
            "slice_of_one_unit",
            f"slices not tested: {len(slices):,} ({named}{', …' if len(slices) > 3 else ''}), each of one "
            f"{unit.removesuffix('_id')}, so that a difference in it may be that {unit.removesuffix('_id')}'s own; to test "
            f"them as if their samples were independent: --group-by {by}",
        )


def joined_by_id(rules: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """That session names took no part in the join, where that was not asked for."""
    if rules.get("sessions_are_files"):
        yield _warning(
            "joined_by_id",
            "each result has one session, which is named after its input file, so samples are joined by "
            f"{' and '.join(rules['joined_by'])} alone; --on session_id,sample_id joins by session as well",
        )


def _signatures(pairing: Pairing, metrics: Sequence[str]) -> Iterator[dict[str, str]]:
    one, other = (side.run.document["signature"] for side in (pairing.baseline, pairing.candidate))
    for metric in dict.fromkeys(metrics):
        if metric not in one or metric not in other or one[metric] == other[metric]:
            continue
        parts = _parts(one[metric]), _parts(other[metric])
        differing = [
            f"{key} {parts[0].get(key, 'none')} and {parts[1].get(key, 'none')}"
            for key in dict.fromkeys([*parts[0], *parts[1]])
            if parts[0].get(key) != parts[1].get(key)
        ]
        yield _warning(
            "signature_differs",
            f"{metric} is not the same measure in {pairing.names[0]} and {pairing.names[1]}: {', '.join(differing)}. A "
            "difference may come from that alone",
        )


def _joined(pairing: Pairing) -> Iterator[dict[str, str]]:
    matched, names = pairing.matched, pairing.names
    n = len(matched.baseline)
    alone = len(matched.only_baseline), len(matched.only_candidate)
    if sum(alone):
        yield _warning(
            "unmatched",
            f"{many(alone[0], 'sample')} in {names[0]} alone and {alone[1]:,} in {names[1]} alone; {n:,} compared",
        )
    if matched.n_ambiguous:
        yield _warning(
            "ambiguous",
            f"{many(matched.n_ambiguous, 'row')} left out: the id comes several times, and not equally often in "
            f"{names[0]} and {names[1]}",
        )
    if matched.n_repeated:
        yield _warning(
            "repeated_id", f"{many(matched.n_repeated, 'pair')} with an id that comes several times, joined in order"
        )


def _parts(signature: str) -> dict[str, str]:
    name, *rest = signature.split("|")
    return {"metric": name, **dict(one.partition(":")[::2] for one in rest)}


def _warning(code: str, message: str) -> dict[str, str]:
    return {"code": code, "message": message}
