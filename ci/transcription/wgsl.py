"""Rewrites the block in WGSL and reads naga's decorations.

WGSL's matrices are stored by columns. A `column_major` matrix keeps its shape; a `row_major` one becomes the matrix
whose columns are its rows. WGSL has no host-shareable `bool`, no single-vector matrices, enums, inheritance or
64-bit types.
"""

from .declarations import Unsupported
from .spirv import MATRIX_STRIDE, OFFSET, STRUCT, Module, Root, Walk, pin

# naga itself refuses the bool, in the words of the specification.
SCALARS = {
    "bool": "bool",
    "int": "i32",
    "uint": "u32",
    "dword": "u32",
    "float": "f32",
    "half": "f16",
    "float16_t": "f16",
}


class Writer:
    """Writes declared types in WGSL, each struct once, inner ones first."""

    def __init__(self, order):
        self.order, self.structs = order, {}

    def struct(self, struct):
        if struct.base or not struct.members:
            raise Unsupported("WGSL has no inheritance and no empty structs")
        members = ", ".join(f"{m.name}: {self.type(m.type)}" for m in struct.members if m.type.kind != "resource")
        return f"{{ {members} }}"

    def type(self, kind):
        if kind.kind == "array":
            # A count of 0 means unsized.
            length = f", {kind.count}" if kind.count else ""
            return f"array<{self.type(kind.element)}{length}>"
        if kind.kind == "struct":
            body = self.struct(kind)
            self.structs[kind.name] = f"struct {kind.name} {body}\n"
            return kind.name
        if kind.kind != "numeric" or kind.scalar not in SCALARS:
            raise Unsupported(f"WGSL has no host-shareable {kind.scalar or kind.kind}")
        scalar = SCALARS[kind.scalar]
        if kind.is_matrix():
            vectors, length = kind.vectors(self.order)
            if 1 in (vectors, length) or scalar not in ("f32", "f16"):
                raise Unsupported(f"WGSL has no {kind.scalar}{kind.rows}x{kind.columns}")
            return f"mat{vectors}x{length}<{scalar}>"
        return f"vec{kind.rows}<{scalar}>" if kind.rows > 1 else scalar


class WgslWalk(Walk):
    """A walk in which each column of SPIR-V is one of the contiguous vectors, regardless of its order in HLSL.

    naga splits the two-row matrices of a uniform block: a member `m` becomes the members `m_col0`, `m_col1`, and an array's
    element a struct of `col0`, `col1`."""

    def member(self, struct_id, member, position):
        try:
            return super().member(struct_id, member, position)
        except Unsupported:
            return self.module.member(struct_id, f"{member.name}_col0", position)

    def decorated(self, struct_id, index):
        found = super().decorated(struct_id, index)
        name = self.module.member_names.get((struct_id, index), "")
        return {**found, MATRIX_STRIDE: self.column_stride(struct_id, index)} if name.endswith("_col0") else found

    def column_stride(self, struct_id, index):
        first, second = (self.module.member_decorations[struct_id, index + column, OFFSET] for column in (0, 1))
        return second - first

    def matrix(self, declared, type_id, place, found):
        is_split = self.module.types[type_id][0] == STRUCT
        stride = self.column_stride(type_id, 0) if is_split else found[MATRIX_STRIDE]
        component = self.module.component_size(self.module.types[type_id][1][0] if is_split else type_id)
        by_rows = (declared.order or self.default_order) == "row"
        pin(self.layout, declared, place, (stride, component) if by_rows else (component, stride))
        self.layout.matrix_strides[place[0]] = stride


def naga_layout(tools, request, rules):
    """Layout by the decorations of naga's SPIR-V. Measures sizes in storage, where a scalar can follow directly."""
    if request.block.type.kind != "struct":
        raise Unsupported("a WGSL block that is no struct has no member to name")
    writer = Writer(request.order)
    body = writer.struct(request.block.type)
    structs = "".join(writer.structs.values())
    enable = "enable f16;\n" if "f16" in body + structs else ""
    text = f"{enable}{structs}struct Members {body}\n"
    space = "uniform" if rules == "wgsl-uniform" else "storage"
    name, end = request.block.name, "@compute @workgroup_size(1) fn main() {}\n"
    plain = f"{text}@group(0) @binding(0) var<{space}> {name}: Members;\n{end}"
    module = Module(tools.naga_spirv(plain))
    layout = WgslWalk(module, Root(name, request.block.type, "cbuffer", request.block.kind), request.order).run(name)
    wrapped = f"{text}struct Wrapped {{ one: Members, after: u32, two: array<Members, 2> }}\n"
    module = Module(tools.naga_spirv(f"{wrapped}@group(0) @binding(0) var<storage> {name}: Wrapped;\n{end}"))
    layout.sizes[name], stride = module.followed(name)
    if request.indexed and request.is_native():
        layout.strides[name] = stride
    return layout
