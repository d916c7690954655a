"""The work as pycocoevalcap does it: read both files, start Java for the tokens, compute BLEU, ROUGE-L and CIDEr.

Run as a process of its own, in an environment that has it: `python coco_captions.py ANNOTATIONS RESULTS [meteor]`. METEOR
and SPICE are left out, as in the product, unless METEOR is asked for: `COCOEvalCap.evaluate` always computes it.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time

from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.meteor.meteor import Meteor
from pycocoevalcap.rouge.rouge import Rouge
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer
from pycocotools.coco import COCO

annotations, results, *more = sys.argv[1:]
started = time.perf_counter()
with contextlib.redirect_stdout(io.StringIO()):  # all of them talk
    people = COCO(annotations)
    captions = people.loadRes(results)
    images = captions.getImgIds()
    tokenizer = PTBTokenizer()
    references = tokenizer.tokenize({image: people.imgToAnns[image] for image in images})
    candidates = tokenizer.tokenize({image: captions.imgToAnns[image] for image in images})
    bleu, _ = Bleu(4).compute_score(references, candidates, verbose=0)
    rouge, _ = Rouge().compute_score(references, candidates)
    cider, _ = Cider().compute_score(references, candidates)
    if more:
        Meteor().compute_score(references, candidates)
seconds = time.perf_counter() - started
scores = {f"bleu_{n}": score for n, score in enumerate(bleu, 1)}
scores |= {"rouge_l": float(rouge), "cider": float(cider)}
print(json.dumps({"scoring_seconds": seconds, "score": scores}))
