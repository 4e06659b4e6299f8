"""What is asked of a compiler: one block, under one kind of container, with flags.

A block is given to a compiler verbatim where its own kind is that container, else its members are put into a struct
that the container takes.
"""

import re
from dataclasses import dataclass

from .declarations import Unsupported

MEMBERS = "probe_members"
FOLLOWED = "probe_followed"
RESOURCE = re.compile(r"\b(?:Texture|Sampler)\w+(?:<\w+>)? \w+;")
ENTRY = "entry-uniforms"
UNIFORM_KINDS = ("cbuffer", "tbuffer", "globals", "constant-buffer", "parameter-block")


@dataclass
class Request:
    """One block under one rule set's container and flags."""

    reader: object
    block: object
    container: str
    flags: list
    order: str = "column"
    sixteen_bit: bool = True

    @property
    def indexed(self):
        """Whether the block's members are reached through an element."""
        return self.container == "structured-element" and self.block.kind != ENTRY

    def as_container(self):
        """The block as seen through the container: what paths and expressions go by."""
        block = self.block
        kind = block.kind if self.is_native() else self.declared_as()
        return type(block)(block.name, kind, block.type, block.text, block.body, block.element)

    def declared_as(self):
        """What the block becomes where it is not native."""
        return "structured-element" if self.indexed else "constant-buffer"

    def is_native(self):
        """Whether the declaration is already of the container's kind; an entry point's parameters are of every kind."""
        if self.block.kind == ENTRY:
            return True
        if self.container == "cbuffer":
            return self.block.kind in UNIFORM_KINDS
        return self.container == self.block.kind

    def declarations(self, wrap=False):
        """The text that a compiler gets; `wrap` puts a scalar behind the block's members, to see where they end."""
        if self.is_native() and not wrap:
            return self.reader.text
        prelude, element = self.element()
        if wrap:
            scalar = "uint16_t" if self.sixteen_bit else "uint"
            prelude += f"struct {FOLLOWED} {{ {element} block; {scalar} after; }};\n"
            element = FOLLOWED
        template = "StructuredBuffer" if self.indexed else "ConstantBuffer"
        return f"{prelude}{template}<{element}> {self.block.name.lstrip('$')};\n"

    def element(self):
        """The declarations before the block, and the type of what the block holds."""
        prelude = self.reader.prelude()
        if self.block.element:
            return prelude, self.block.element
        if self.block.kind == "globals":
            raise Unsupported("loose globals stand nowhere else")
        # A resource takes no bytes, and no struct that is measured may hold one.
        body = RESOURCE.sub("", self.block.body)
        return f"{prelude}struct {MEMBERS} {{ {body} }};\n", MEMBERS

    def source(self, expression, wrap=False, setup=""):
        """A shader that reads one scalar; `setup` are statements before."""
        return (
            f"{self.declarations(wrap)}\nRWByteAddressBuffer probe_output;\n"
            f"[numthreads(1, 1, 1)] void main() {{ {setup} probe_output.Store(0, (uint)({expression})); }}\n"
        )
