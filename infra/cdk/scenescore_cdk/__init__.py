"""scenescore as a CDK construct: the resources of infra/template.yaml, decided by typed properties."""

from scenescore_cdk._construct import SceneScore
from scenescore_cdk._props import Jwt, SceneScoreProps, Video

__all__ = ["Jwt", "SceneScore", "SceneScoreProps", "Video"]
