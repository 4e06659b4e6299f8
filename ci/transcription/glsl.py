"""Rewrites the block in GLSL and reads glslang's decorations.

A `column_major` matrix of HLSL has its rows as GLSL's columns, so it is `row_major` in GLSL, and `m[row][column]` is
spelled alike in both. GLSL has no single-vector matrices, enums, inheritance or empty structs.
"""

from .declarations import Unsupported
from .spirv import Module, Root, Walk

SCALARS = {
    "bool": ("bool", "bvec"),
    "int": ("int", "ivec"),
    "uint": ("uint", "uvec"),
    "dword": ("uint", "uvec"),
    "float": ("float", "vec"),
    "double": ("double", "dvec"),
    "half": ("float16_t", "f16vec"),
    "float16_t": ("float16_t", "f16vec"),
    "int16_t": ("int16_t", "i16vec"),
    "uint16_t": ("uint16_t", "u16vec"),
    "int64_t": ("int64_t", "i64vec"),
    "uint64_t": ("uint64_t", "u64vec"),
}
MATRICES = {"float": "mat", "double": "dmat", "half": "f16mat", "float16_t": "f16mat"}
HEADER = """#version 460
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
"""
DISPATCHED = f"{HEADER}layout(local_size_x = 1) in;\n"
TRACED = f"{HEADER}#extension GL_EXT_ray_tracing : require\n"


class Writer:
    """Writes declared types in GLSL, each struct once, inner ones first."""

    def __init__(self, order):
        self.order, self.structs = order, {}

    def members(self, struct):
        if struct.base or not struct.members:
            raise Unsupported("GLSL has no inheritance and no empty structs")
        return " ".join(self.member(m) for m in struct.members if m.type.kind != "resource")

    def member(self, member):
        if member.bits:
            raise Unsupported("GLSL has no bit-fields")
        kind, counts = member.type, ""
        while kind.kind == "array":
            counts, kind = f"{counts}[{kind.count}]", kind.element
        if kind.is_matrix() and kind.order not in ("", self.order):
            raise Unsupported("GLSL says the order of matrices in structs only for the whole block")
        return f"{self.type(kind)} {member.name}{counts};"

    def type(self, kind):
        if kind.kind == "struct":
            # First, because it adds the structs that this one contains.
            members = self.members(kind)
            self.structs[kind.name] = f"struct {kind.name} {{ {members} }};\n"
            return kind.name
        if kind.kind != "numeric" or kind.scalar not in SCALARS:
            raise Unsupported(f"GLSL has no {kind.scalar or kind.kind}")
        if kind.is_matrix():
            if kind.scalar not in MATRICES or 1 in (kind.rows, kind.columns):
                raise Unsupported(f"GLSL has no {kind.scalar}{kind.rows}x{kind.columns}")
            return f"{MATRICES[kind.scalar]}{kind.rows}x{kind.columns}"
        scalar, vector = SCALARS[kind.scalar]
        return f"{vector}{kind.rows}" if kind.rows > 1 else scalar


def glslang_layout(tools, request, rules):
    """Layout by the decorations of glslang's SPIR-V; size and stride come from a struct with the members."""
    if request.block.type.kind != "struct":
        raise Unsupported("GLSL's blocks hold structs")
    writer = Writer(request.order)
    body = writer.members(request.block.type)
    structs = "".join(writer.structs.values())
    order = "column_major" if request.order == "row" else "row_major"
    qualifiers = f"layout({rules}, {order}, binding = 0) {'buffer' if request.indexed else 'uniform'}"
    header, stage = DISPATCHED, "comp"
    if request.traced:
        qualifiers, header, stage = f"layout({rules}, {order}, shaderRecordEXT) buffer", TRACED, "rgen"
    name, end = request.block.name, "void main() {}\n"
    plain = f"{header}{structs}{qualifiers} Block {{ {body} }} {name};\n{end}"
    root = Root(name, request.block.type, "cbuffer", request.block.kind)
    layout = Walk(Module(tools.glslang_spirv(plain, stage)), root, request.order).run(name)
    scalar = "uint16_t" if request.sixteen_bit else "uint"
    block = f"{qualifiers} Block {{ Members one; {scalar} after; Members two[2]; }} {name};\n"
    wrapped = f"{header}{structs}struct Members {{ {body} }};\n{block}{end}"
    module = Module(tools.glslang_spirv(wrapped, stage))
    layout.sizes[name], stride = module.followed(name)
    if request.indexed and request.is_native():
        layout.strides[name] = stride
    return layout
