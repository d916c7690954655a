"""One object out of many: the same bytes on every store, large ones never read by us."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from handler import storage
from handler.storage import _s3_copy
from handler.storage._s3_copy import SMALLEST_PART, _parts
from handler.storage._s3_read import Place

MIB = 1 << 20


def filled(base: str, sizes: list[int]) -> tuple[list[str], bytes]:
    dice, places, whole = Random(5), [], []
    for number, size in enumerate(sizes):
        places.append(storage.join(base, f"part {number}+ł"))
        whole.append(dice.randbytes(size))
        storage.write_bytes(places[-1], whole[-1])
    return places, b"".join(whole)


@pytest.mark.parametrize(
    "sizes",
    [
        [],
        [0],
        [3],
        [0, 5, 0, 7],
        [6 * MIB],
        [5 * MIB, 5 * MIB, 1],
        [1, 6 * MIB, 2, 3, 5 * MIB + 1],
        [MIB] * 12,
        [4 * MIB, 2 * MIB, 11 * MIB, 4 * MIB],
    ],
)
def test_the_bytes_are_those_of_the_sources_in_order(base: str, sizes: list[int]) -> None:
    places, whole = filled(base, sizes)
    target = storage.join(base, "whole")
    for _ in range(2):  # a second time replaces it
        storage.concatenate(places, target)
        assert storage.read_bytes(target) == whole


def test_a_missing_source_leaves_nothing(base: str) -> None:
    places, _ = filled(base, [6 * MIB, 1])
    target = storage.join(base, "whole")
    with pytest.raises(storage.NotFoundError):
        storage.concatenate([*places, storage.join(base, "none")], target)
    assert storage.stat(target) is None


def test_large_sources_are_copied_inside_the_store(weed: Any, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    places, whole = filled(folder, [6 * MIB, 100, 7 * MIB, 9 * MIB])
    read = []
    through = _s3_copy._read
    monkeypatch.setattr(
        _s3_copy, "_read", lambda client, piece: read.append(piece[3] - piece[2]) or through(client, piece)
    )
    storage.concatenate(places, f"{folder}/whole")
    assert storage.read_bytes(f"{folder}/whole") == whole
    assert read == [100, 7 * MIB]  # to fill up the small one, what follows it is read, and not what follows that
    uploads = weed.list_multipart_uploads(Bucket=folder.split("/")[2]).get("Uploads", [])
    assert not [one for one in uploads if one["Key"].startswith(folder.split("/", 3)[3])]


def test_an_object_replaced_meanwhile_is_not_mixed_in(weed: Any, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    places, _ = filled(folder, [6 * MIB, 6 * MIB])
    through = _s3_copy._parts

    def late(pieces: Any) -> Any:
        storage.write_bytes(places[1], b"x" * 6 * MIB)
        return through(pieces)

    monkeypatch.setattr(_s3_copy, "_parts", late)
    with pytest.raises(storage.ChangedError):
        storage.concatenate(places, f"{folder}/whole")
    assert storage.stat(f"{folder}/whole") is None


@pytest.mark.parametrize("seed", range(50))
def test_parts_are_such_as_s3_takes(seed: int) -> None:
    """Objects up to 20 GiB: no part but the last under 5 MiB, none over 5 GiB, all bytes once and in order."""
    dice = Random(seed)
    sizes = [
        dice.choice([1, 1000, 3 * MIB, 5 * MIB, 80 * MIB, dice.randrange(20 << 30)])
        for _ in range(dice.randrange(1, 30))
    ]
    pieces = [(Place("b", str(number), ""), None, 0, size) for number, size in enumerate(sizes)]
    parts = list(_parts(pieces))
    totals = [sum(end - start for _, _, start, end in part) for part in parts]
    assert all(SMALLEST_PART <= total <= 5 << 30 for total in totals[:-1])
    assert totals[-1] <= 5 << 30
    assert sum(totals) == sum(sizes)
    assert all(sum(end - start for _, _, start, end in part) < 2 * SMALLEST_PART for part in parts if len(part) > 1)
    seen = [(int(place.key), start, end) for part in parts for place, _, start, end in part]
    assert seen == sorted(seen)
    assert all(a[2] == b[1] or b[1] == 0 for a, b in pairwise(seen))


def test_a_tree_goes_with_all_that_is_in_it_and_nothing_beside_it(base: str) -> None:
    for name in ("a/1", "a/b/2", "ab", "a.json"):
        storage.write_bytes(storage.join(base, name), b"x")
    for _ in range(2):
        storage.delete_tree(f"{storage.join(base, 'a')}/")
    assert [info.location.removeprefix(f"{base}/") for info in storage.list_objects(f"{base}/")] == ["a.json", "ab"]
