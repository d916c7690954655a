# The image of the GPU jobs. Context: the repository, with the exported captioner staged in build/models/grit:
#   docker build --platform linux/amd64 --file infra/images/detector.Dockerfile --tag scenescore-detector .
# checkov:skip=CKV_DOCKER_7:The bases are pinned by digest, in arguments.
ARG CUDA_BASE=nvidia/cuda:13.2.0-cudnn-runtime-ubuntu24.04@sha256:7a31e9bfb2086e4b1ac08aa8e4718d7860730ecc6a9882d2f1e5ed6239f8ef5b

FROM ${CUDA_BASE} AS content
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# The distribution's Python 3.12 and binutils, whichever the pinned base brings.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends binutils python3 python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && python3 -m venv /tools \
 && /tools/bin/pip install --no-cache-dir uv==0.13.9
COPY . /source
RUN python3 /source/infra/images/assemble.py detector --uv /tools/bin/uv --model /source/build/models/grit --output /content

FROM ${CUDA_BASE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="scenescore-detector" \
      org.opencontainers.image.description="Finds and describes objects in videos for scenescore, as an AWS Batch job" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates python3 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=content /content/models /opt/scenescore/models
COPY --from=content /content/sbom.cdx.json /opt/scenescore/sbom.cdx.json
COPY --from=content /content/task /opt/scenescore/task
ENV SCENESCORE_DETECTOR=/opt/scenescore/models/GRiT_B_DenseCap_ObjectDet \
    SCENESCORE_MODEL=/opt/scenescore/models/all-mpnet-base-v2 \
    SCENESCORE_CLIP=/opt/scenescore/models/clip \
    PYTHONPATH=/opt/scenescore/task \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1
WORKDIR /tmp
USER 65534
# All that can be written: the job's root is read-only.
VOLUME ["/tmp"]
HEALTHCHECK NONE
CMD ["python3", "-m", "handler.batch_task"]
