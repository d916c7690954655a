"""Reading a text as a file of a judge's grades and people's."""

from __future__ import annotations

import json

from handler.formats import Notices, ReadOptions, open_records
from handler.samples import JudgedSample


def read(path, text, notices=None, **options):
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return list(open_records(str(path), ReadOptions(**options), notices or Notices()))


def samples(path, text, notices=None, **options):
    found = read(path, text, notices, **options)
    assert all(isinstance(one, JudgedSample) for one in found), found
    return found


def lines(*records):
    return "\n".join(map(json.dumps, records))
