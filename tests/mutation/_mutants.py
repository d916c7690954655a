"""What may go wrong in a file, one small slip at a time: a comparison turned, a number one off, a branch swapped.

A mutant replaces one expression (or one word) of the source and leaves every other character and line where it was. Left
alone, because no test could or should see the difference: annotations, docstrings, decorators, assertions, messages, what
only type checkers read, and the keywords that only guard (`strict=`, `kw_only=`, …).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

_TURNED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_SWAPPED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_GUARDS = {"strict", "frozen", "slots", "kw_only", "repr"}


@dataclass(frozen=True, order=True)
class Mutant:
    """One slip: the characters from start to end of a file become `text`."""

    line: int
    start: int
    end: int
    text: str
    kind: str

    def applied(self, source: str) -> str:
        """The file with the slip."""
        return source[: self.start] + self.text + source[self.end :]


def mutants(source: str) -> list[Mutant]:
    """Every mutant of a Python file, in the file's order."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = source.splitlines()

    def place(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    found = set()
    for node, text, kind in _slips(ast.parse(source)):
        start, end = place(node.lineno, node.col_offset), place(node.end_lineno or 0, node.end_col_offset or 0)
        found.add(Mutant(node.lineno, start, end, text, kind))
    return sorted(found)


def _slips(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str, str]]:
    for node in _visible(tree):
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                pass
            case ast.Compare():
                for number, operator in enumerate(node.ops):
                    for turned in _TURNED[type(operator)]:
                        ops = [turned() if at == number else old for at, old in enumerate(node.ops)]
                        yield node, _text(node, ops=ops), "comparison"
            case ast.BoolOp():
                yield node, _text(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And()), "boolean"
            case ast.UnaryOp(op=ast.Not()):
                yield node, f"({ast.unparse(node.operand)})", "boolean"
            case ast.BinOp() if type(node.op) in _SWAPPED:
                yield node, _text(node, op=_SWAPPED[type(node.op)]()), "arithmetic"
            case ast.AugAssign() if type(node.op) in _SWAPPED:
                changed = copy.copy(node)
                changed.op = _SWAPPED[type(node.op)]()
                yield node, ast.unparse(changed), "arithmetic"
            case ast.Constant(value=bool()):
                yield node, str(not node.value), "constant"
            case ast.Constant(value=int() | float()):
                yield from ((node, f"({node.value!r} {step})", "constant") for step in ("+ 1", "- 1"))
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) if isinstance(
                test, ast.Name | ast.Call
            ):
                yield test, f"(not {ast.unparse(test)})", "condition"
            case ast.Return(value=ast.expr() as value) if not _is_none(value):
                yield value, "None", "return"
            case ast.Subscript(slice=ast.Slice(upper=ast.expr() as upper)) if not isinstance(upper, ast.Constant):
                yield upper, f"({ast.unparse(upper)} + 1)", "off by one"
            case ast.Call(func=ast.Name(id="range"), args=[*_, last]):
                yield last, f"({ast.unparse(last)} - 1)", "off by one"
            case ast.Break():
                yield node, "continue", "loop"
            case ast.Continue():
                yield node, "break", "loop"


def _text(node: ast.expr, **changed: object) -> str:
    mutated = copy.copy(node)
    for name, value in changed.items():
        setattr(mutated, name, value)
    return f"({ast.unparse(mutated)})"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _visible(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes whose slips a test should see."""
    yield node
    hidden: set[int] = set()
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            hidden |= {id(one) for one in (*node.decorator_list, node.returns)}
        case ast.ClassDef():
            hidden |= {id(one) for one in node.decorator_list}
        case ast.arg() | ast.AnnAssign():
            hidden.add(id(node.annotation))
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            hidden |= {id(one) for one in (node.test, *node.body)}
        case ast.Assert() | ast.Raise() | ast.JoinedStr():
            return
        case ast.keyword() if node.arg in _GUARDS:
            return
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return
    for child in ast.iter_child_nodes(node):
        if id(child) not in hidden:
            yield from _visible(child)
