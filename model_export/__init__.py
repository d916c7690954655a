"""BUILD TIME: trained models become ONNX folders that the run time reads without torch.

`python -m model_export mpnet` writes the folder that `handler.models.TextEncoder` opens. Only this package imports
torch, transformers and optimum, and only once there is something to do; the run time never imports this package.
"""
