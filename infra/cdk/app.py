"""An app with scenescore in a stack of its own: `make synth`, or `cdk deploy -c image=URI -c stage=prod`.

Without an image the function's is built on deployment, with Docker.
"""

from __future__ import annotations

import aws_cdk as cdk
from scenescore_cdk import SceneScore, SceneScoreProps

STAGES = {
    "dev": SceneScoreProps(input_retention=cdk.Duration.days(30), result_retention=cdk.Duration.days(30)),
    "prod": SceneScoreProps(large_inputs=True, log_retention_days=90),
}


def main() -> None:
    """Put together the stack of one stage."""
    app = cdk.App()
    stage = app.node.try_get_context("stage") or "dev"
    props = cdk_props(stage, app.node.try_get_context("image"))
    stack = cdk.Stack(app, f"scenescore-{stage}", description="scenescore")
    SceneScore(stack, "SceneScore", props)
    app.synth()


def cdk_props(stage: str, image: str | None) -> SceneScoreProps:
    """The choices of a stage, with the image if one is named."""
    from dataclasses import replace

    return replace(STAGES[stage], function_image=image)


if __name__ == "__main__":
    main()
