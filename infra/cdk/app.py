"""An app with scenescore in a stack of its own: `make synth`, or `cdk deploy -c image=URI -c stage=prod`.

Without an image the function's is built on deployment, with Docker.
"""

from __future__ import annotations

from dataclasses import replace

import aws_cdk as cdk
from scenescore_cdk import SceneScore, SceneScoreProps

STAGES = {
    "dev": SceneScoreProps(input_retention=cdk.Duration.days(30), result_retention=cdk.Duration.days(30)),
    "prod": SceneScoreProps(large_inputs=True, log_retention_days=90),
}


def main() -> None:
    """Put together the stack of one stage, with the image if one is named."""
    app = cdk.App()
    stage = app.node.try_get_context("stage") or "dev"
    props = replace(STAGES[stage], function_image=app.node.try_get_context("image"))
    SceneScore(cdk.Stack(app, f"scenescore-{stage}", description="scenescore"), "SceneScore", props)
    app.synth()


if __name__ == "__main__":
    main()
