"""Question sets from what is in the pictures: POPE's, and gated sequences of coarse and fine-grained questions."""

from handler.questions._attributes import read_sequences, sequence_questions
from handler.questions._objects import Picture, read_pictures
from handler.questions._pope import SAMPLINGS, TEMPLATE, Sampling, co_occurrence, pope_questions
from handler.questions._writing import write_lines

__all__ = [
    "SAMPLINGS",
    "TEMPLATE",
    "Picture",
    "Sampling",
    "co_occurrence",
    "pope_questions",
    "read_pictures",
    "read_sequences",
    "sequence_questions",
    "write_lines",
]
