"""How texts are grouped for the graph."""

from __future__ import annotations

import itertools
import json
import random

import pytest

from handler.models import TextEncoder, load_card
from handler.models._batches import BATCH_TOKENS, equal_batches


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("seed", range(20))
def test_every_text_goes_once_beside_texts_of_its_length(seed, threads):
    chance = random.Random(seed)
    lengths = [chance.choice([3, 9, 10, 11, 12, 40, 300, 384]) for _ in range(chance.randrange(1, 200))]
    batches = equal_batches(lengths, threads)
    assert sorted(position for batch in batches for position in batch) == list(range(len(lengths)))
    by_length = {}
    for batch in batches:
        (length,) = {lengths[position] for position in batch}
        by_length.setdefault(length, []).append(len(batch))
    for length, sizes in by_length.items():
        assert max(sizes) - min(sizes) <= 1
        assert max(sizes) == 1 or length * min(sizes) <= 1.5 * BATCH_TOKENS
    tokens = [lengths[batch[0]] * len(batch) for batch in batches]
    assert tokens == sorted(tokens, reverse=True)


def test_few_texts_are_shared_among_the_threads():
    assert sorted(map(len, equal_batches([10] * 8, 2))) == [4, 4]
    assert len(equal_batches([10] * 8, 1)) == 1
    assert equal_batches([], 2) == []


def test_no_batch_of_several_texts_holds_twice_the_tokens():
    for length, n in itertools.product(range(2, 385), range(1, 60)):
        for batch in equal_batches([length] * n, 1):
            assert len(batch) == 1 or len(batch) * length < 2 * BATCH_TOKENS


@pytest.mark.model
def test_the_card_says_how_many_tokens_go_together_and_no_bit_moves(model, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    for file in model.iterdir():
        (folder / file.name).symlink_to(file)
    card = json.loads((model / "card.json").read_text())
    (folder / "card.json").unlink()
    (folder / "card.json").write_text(json.dumps({**card, "batch_tokens": 20}))
    texts = [f"Camera {n} sees a dog." for n in range(12)]
    sizes = []
    encoder = TextEncoder(folder, threads=1)
    run = encoder._run
    encoder._run = lambda rows, layers: sizes.append(len(rows)) or run(rows, layers)
    found = encoder.encode(texts).vectors
    assert max(sizes) <= 20 * 1.5 / 6
    assert found.tobytes() == TextEncoder(model, threads=1).encode(texts).vectors.tobytes()
    assert load_card(model).batch_tokens == BATCH_TOKENS
