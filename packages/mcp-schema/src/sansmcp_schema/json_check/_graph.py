"""What follows from how subschemas refer to each other: loops, and bounds on the work."""

from ._errors import SchemaError
from ._nodes import Document, Node
from ._violation import quote

__all__ = ["check_in_place", "recursive_nodes"]


def check_in_place(document: Document) -> None:
    """Refuse subschemas that apply to one value in a loop, in too long a chain, or too often.

    Raises:
        SchemaError: Naming the reference that closes the loop, or the bound.
    """
    limits = document.limits
    longest: dict[Node, int] = {}
    applied: dict[Node, int] = {}
    for start in document.nodes:
        if start in longest:
            continue
        trail = [start]
        on_trail = {start}
        successors = [list(start.in_place())]
        while trail:
            if successors[-1]:
                following = successors[-1].pop()
                if following in on_trail:
                    raise _loop(trail[trail.index(following) :])
                if following not in longest:
                    trail.append(following)
                    on_trail.add(following)
                    successors.append(list(following.in_place()))
                continue
            node = trail.pop()
            on_trail.discard(node)
            successors.pop()
            longest[node] = 1 + max((longest[one] for one in node.in_place()), default=0)
            applied[node] = 1 + sum(applied[one] for one in node.in_place())
            if longest[node] > limits.max_depth:
                problem = f"chains more than {limits.max_depth} subschemas on one value"
                raise SchemaError("", node.pointer, f"{problem} (SchemaLimits.max_depth)")
            if applied[node] > limits.max_subschemas:
                problem = f"applies more than {limits.max_subschemas} subschemas to one value"
                raise SchemaError("", node.pointer, f"{problem} (SchemaLimits.max_subschemas)")


def _loop(loop: list[Node]) -> SchemaError:
    node = next(one for one in loop if "$ref" in one.children)
    problem = (
        f"{quote(node.keywords['$ref'], 120)} comes back to itself without looking into the value; "
        "refer from inside properties or items instead"
    )
    return SchemaError("$ref", node.pointer, problem)


def recursive_nodes(document: Document) -> set[Node]:
    """Return the targets of references through which a schema may contain itself.

    Nodes that lead nowhere are peeled off until none is left to peel; what stays can reach a loop.
    """
    used_by: dict[Node, list[Node]] = {node: [] for node in document.nodes}
    open_ends: dict[Node, int] = {}
    for node in document.nodes:
        below = list(node.below())
        open_ends[node] = len(below)
        for one in below:
            used_by[one].append(node)
    ready = [node for node, count in open_ends.items() if count == 0]
    for node in ready:  # grows while it is walked
        for user in used_by[node]:
            open_ends[user] -= 1
            if open_ends[user] == 0:
                ready.append(user)
    targets = {node.children["$ref"] for node in document.nodes if "$ref" in node.children}
    return {node for node in document.nodes if open_ends[node] and node in targets}
