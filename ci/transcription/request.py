"""A request to a compiler: one block, in one kind of container, with flags.

A compiler gets the block verbatim if its own kind is that container; otherwise its members go into a struct for the
container.
"""

import re
from dataclasses import dataclass

from .declarations import RECORD, Unsupported

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
        """True if the block's members are reached through an element."""
        return self.container == "structured-element" and self.block.kind not in (ENTRY, RECORD)

    @property
    def traced(self):
        """True if the block is reached through the shader record of a ray-tracing stage."""
        return self.container == RECORD

    def as_container(self):
        """The block as seen through the container, which gives the paths and expressions."""
        block = self.block
        kind = block.kind if self.is_native() else self.declared_as()
        return type(block)(block.name, kind, block.type, block.text, block.body, block.element)

    def declared_as(self):
        """The block's replacement if it is not native."""
        return "structured-element" if self.indexed else "constant-buffer"

    def is_native(self):
        """True if the declaration already has the container's kind; entry parameters and records have every kind."""
        if self.block.kind in (ENTRY, RECORD):
            return True
        if self.container == "cbuffer":
            return self.block.kind in UNIFORM_KINDS
        return self.container == self.block.kind

    def declarations(self, wrap=False):
        """The text for the compiler; `wrap` adds a scalar after the block's members, to measure their end."""
        if self.is_native() and not wrap:
            return self.reader.text
        prelude, element = self.element()
        if wrap:
            scalar = "uint16_t" if self.sixteen_bit else "uint"
            prelude += f"struct {FOLLOWED} {{ {element} block; {scalar} after; }};\n"
            element = FOLLOWED
        template = "StructuredBuffer" if self.indexed else "ConstantBuffer"
        template = f"[[vk::shader_record_ext]] {template}" if self.traced else template
        return f"{prelude}{template}<{element}> {self.block.name.lstrip('$')};\n"

    def element(self):
        """The declarations before the block, and the type of its contents."""
        prelude = self.reader.prelude()
        if self.block.element:
            return prelude, self.block.element
        if self.block.kind == "globals":
            raise Unsupported("loose globals stand nowhere else")
        # A resource takes no bytes, and the measured structs cannot contain one.
        body = RESOURCE.sub("", self.block.body)
        return f"{prelude}struct {MEMBERS} {{ {body} }};\n", MEMBERS

    def source(self, expression, wrap=False, setup=""):
        """A shader that reads one scalar after the statements in `setup`."""
        stage = '[shader("raygeneration")]' if self.traced else "[numthreads(1, 1, 1)]"
        return (
            f"{self.declarations(wrap)}\nRWByteAddressBuffer probe_output;\n"
            f"{stage} void main() {{ {setup} probe_output.Store(0, (uint)({expression})); }}\n"
        )
