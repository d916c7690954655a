"""The int8 tier of the text encoder: an MPNet graph of our own whose matrices are int8, and the gate it must pass.

`export_compact` reads a verified fp32 folder, so the export needs neither torch nor the trained weights again. How the
int8 graph works, its figures, and what was tried and lost: model_export/README.md.
"""
