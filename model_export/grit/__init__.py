"""GRiT, the dense captioner: our own torch definition of the network and its export to ONNX graphs.

`python -m model_export grit --checkpoint FILE --output DIR` writes the folder that `handler.models` opens. The network
is GRiT_B_DenseCap_ObjectDet (Wu et al., "GRiT: A Generative Region-to-text Transformer for Object Understanding",
2022): a ViTDet backbone, CenterNet proposals, three box stages and a text decoder over region features.
"""
