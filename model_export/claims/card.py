"""card.json and NOTICE of the judge: where it comes from, what it was measured to do, and what it cannot do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handler.claims._trees import LINEAR_SHARE
from model_export.claims.fitting import LOGISTIC_C, SETTINGS

__all__ = ["record_figures", "write_card"]

_DATA = [
    {
        "name": "SugarCrepe++",
        "source": "https://github.com/Sri-Harsha/scpp",
        "commit": "c083bbf0",
        "licence": "CC BY 4.0",
        "attribution": "S. H. Dumpala et al., SugarCrepe++; built on SugarCrepe and COCO captions (CC BY 4.0)",
        "use": "train 70 %, dev 10 %, test 20 % by MD5 of the image's name; the test part is only measured on",
    },
    {
        "name": "edits, rewrites and contexts",
        "source": "made by rule from the train part's captions (model_export/claims)",
        "licence": "CC BY 4.0, as the captions",
        "use": "train",
    },
    {"name": "templates", "source": "sentence patterns of this project", "licence": "Apache-2.0", "use": "train"},
    {
        "name": "WordNet 3.0",
        "source": "https://wordnet.princeton.edu",
        "licence": "WordNet licence, WORDNET-LICENSE.txt",
        "use": "lexicon",
    },
]
_FAILURES = [
    "objects and places in quite other words, and phrasal opposites, are missed more often than edited words",
    "negation without a word for it (armed, supervised; the air is clear) may be missed or raised",
    "two participants with one name, converse verbs beyond the list, agents in fronted phrases",
    "near synonyms that WordNet keeps apart (chained, locked) can raise a false alarm",
    "details that one side adds are no contradiction, yet can raise the score",
    "what the answer leaves out is an omission and lowers no score",
    "English only; sentences beyond the model's longest input are not judged",
]
_THRESHOLD = (
    "Contradiction above which the judge says contradicted, for few false alarms. It does not travel: texts of other "
    "cameras, people or length shift it. Calibrate on verdicts of your own with `scenescore calibrate`."
)
_NOTICE = """The judge in judge.npz was trained on SugarCrepe++ (S. H. Dumpala et al., https://github.com/Sri-Harsha/scpp),
licensed under CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/), which builds on SugarCrepe (Hsieh et al.) and on
the captions of COCO (COCO Consortium, https://cocodataset.org), licensed under CC BY 4.0, and on edited copies of those
captions. Changes: captions were paired, edited and rewritten by rule; only statistics of them (mean word vectors, how rare
words are, decision trees) are kept. The lexicon in wordnet.npz has its own notice, WORDNET-LICENSE.txt.
"""


def write_card(
    output: Path, *, threshold: float, counts: Mapping[str, int], figures: Mapping[str, Any], n_trees: int
) -> dict[str, Any]:
    """Write card.json and NOTICE. counts: training pairs by source. figures: measured on parts that nothing was fitted on.
    Returns the card."""
    card = {
        "schema": "scenescore.judge/1",
        "name": "vision.claims judge",
        "licence": "Apache-2.0; attribution in NOTICE",
        "threshold": threshold,
        "threshold_note": _THRESHOLD,
        "languages": ["en"],
        "encoder": "all-mpnet-base-v2, token vectors of layers 3, 8 and 12",
        "trees": n_trees,
        "settings": {**SETTINGS, "logistic_share": LINEAR_SHARE, "logistic_c": LOGISTIC_C},
        "training_pairs": dict(counts),
        "data": _DATA,
        "chosen": "tree settings and weights of sources on the dev part; the share of the logistic model and the threshold "
        "also with a view to the paraphrases of the shared triplets",
        "never_trained_on": "SICK, SNLI, CAD-NLI and other share-alike or non-commercial data; the shared triplets",
        "figures": dict(figures),
        "fails_on": _FAILURES,
        "commands": [
            "python -m model_export.claims.train --model MODEL --sugarcrepe DIR",
            "python -m model_export.claims.evaluate --model MODEL --triplets FILE --sugarcrepe DIR --record",
        ],
    }
    (output / "card.json").write_text(json.dumps(card, indent=2) + "\n", "utf-8")
    (output / "NOTICE").write_text(_NOTICE, "utf-8")
    return card


def record_figures(card: Path, measured: Mapping[str, Mapping[str, Any]]) -> None:
    """Add figures to a card, by the name of the data; rates and areas to three places."""
    content = json.loads(card.read_text("utf-8"))
    for name, figures in measured.items():
        content["figures"][name] = {
            key: round(value, 3) if isinstance(value, float) else value for key, value in figures.items()
        }
    card.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
