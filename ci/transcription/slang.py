"""Reads the layouts in Slang's reflection.

Input: a block, a target and its options. Output: a layout. Source: Slang user guide, Using the Reflection API; slangc's
`-reflection-json`. The reflection has no matrix strides: a matrix's size is divided among its vectors.
"""

import json
from dataclasses import replace

from .declarations import POINTEE, Unsupported, first_leaf
from .request import ENTRY
from .spirv import Layout, Module, Root, Walk, pin

COMPONENT_SIZES = {"double": 8, "int64_t": 8, "uint64_t": 8, "half": 2, "float16_t": 2, "int16_t": 2, "uint16_t": 2}
MEASURED = "probe_measured"
# The variable of an entry point's uniform parameters in Slang's code.
CODE_BLOCK = "entryPointParams"


def slang_layout(tools, request, rules):
    """Layout by reflection. With `rules.rounds`, a matrix's size includes its last vector's padding."""
    name, layout = request.block.name, Layout()
    if request.block.kind == "globals":
        # Loose globals are separate parameters; the reflection lacks their buffer and its size.
        fields = reflection(tools, request, request.declarations())["parameters"]
        Reflected(layout, request, rules).struct(request.block.type, {"fields": fields}, (name, 0))
        return layout
    if request.block.kind == POINTEE:
        leaf = first_leaf(request.block.type, f"(*{name})")
        text = f"RWByteAddressBuffer probe_output;\n{request.reader.using(f'probe_output.Store(0, (uint){leaf});')}"
        module = Module(tools.slang_spirv(text, all_flags(request)))
        return Walk(module, Root(name, request.block.type, request.container, POINTEE), request.order).run_pointee()
    if request.block.kind == ENTRY and rules.source == "decorations":
        module = Module(tools.slang_spirv(written_with_use(request), all_flags(request)))
        return Walk(module, Root(name, request.block.type, request.container, ENTRY), request.order).run(CODE_BLOCK)
    if request.block.kind == ENTRY:
        # The reflection lacks the size of their buffer.
        fields = reflection(tools, request, request.declarations())["entryPoints"][0]["parameters"]
        Reflected(layout, request, rules).struct(request.block.type, {"fields": fields}, (name, 0))
        return layout
    root = element(parameter(tools, request, request.declarations()), request)
    if request.indexed:
        layout.sizes[name], stride = measured(tools, request)
        if request.is_native():
            layout.strides[name] = stride
    else:
        layout.sizes[name] = bytes_of(root)["size"]
    walk = Reflected(layout, request, rules)
    if request.block.type.kind == "struct":
        walk.struct(request.block.type, root["type"], (name, 0))
    else:
        walk.value(request.block.type, root["type"], (name, 0), {"size": layout.sizes[name]})
    return layout


def written_with_use(request):
    """The declarations with an entry point that reads one of its parameters, since the code omits unused ones."""
    leaf = next(leaf for leaf in (first_leaf(member.type, member.name) for member in request.block.type.members) if leaf)
    return f"RWByteAddressBuffer probe_output;\n{request.reader.using(f'probe_output.Store(0, (uint){leaf});')}"


def all_flags(request):
    """The arguments of slangc, as cases write them."""
    order = "row" if request.order == "row" else "column"
    return [*request.flags, f"-matrix-layout-{order}-major"]


def reflection(tools, request, declarations):
    """The reflection of a whole file."""
    has_entry = request.block.kind == ENTRY
    source = declarations if has_entry else f'{declarations}\n[shader("compute")] [numthreads(1, 1, 1)] void main() {{}}\n'
    return json.loads(tools.slang_reflection(source, all_flags(request)))


def parameter(tools, request, declarations):
    """The reflection of the block."""
    parameters = reflection(tools, request, declarations)["parameters"]
    found = next((p for p in parameters if p["name"] == request.block.name), None)
    if found is None:
        raise Unsupported(f"the reflection has no parameter `{request.block.name}`")
    return found


BIT_FIELD_UNIT = "$bit_field_backing_"


def element(reflected, request):
    """Type and binding of the block's contents."""
    if request.indexed:
        return {"type": reflected["type"]["resultType"]}
    return reflected["type"]["elementVarLayout"]


def bytes_of(variable):
    """The binding of a variable that counts bytes."""
    bindings = variable.get("bindings", [variable.get("binding", {})])
    return next((b for b in bindings if b.get("kind") == "uniform"), {})


def measured(tools, request):
    """Size and stride of a structured buffer's element, from a byte after one element and from an array of two."""
    prelude, name = request.element()
    struct = f"struct {MEASURED} {{ {name} one; uint8_t after; {name} two[2]; }};\n"
    text = f"{prelude}{struct}StructuredBuffer<{MEASURED}> {request.block.name};\n"
    fields = parameter(tools, request, text)["type"]["resultType"]["fields"]
    found = {f["name"]: bytes_of(f) for f in fields}
    return found["after"]["offset"], found["two"]["elementStride"]


def units_of_bit_fields(declared, fields):
    """The reflected storage unit of each bit-field. Reflection names units only, so each run of bit-fields needs one."""
    runs, before = [], None
    for member in declared.members:
        if member.bits and before is not None and before.bits:
            runs[-1].append(member.name)
        elif member.bits:
            runs.append([member.name])
        before = member
    units = [field for field in fields if field["name"].startswith(BIT_FIELD_UNIT)]
    if len(units) != len(runs):
        raise Unsupported("Slang does not say which unit a bit-field is in")
    return {name: unit for run, unit in zip(runs, units) for name in run}


class Reflected:
    """Follows the declared tree and the reflected one side by side."""

    def __init__(self, layout, request, rules):
        self.layout, self.order, self.rules = layout, request.order, rules

    def struct(self, declared, reflected, place):
        path, base_offset = place
        fields = {f["name"]: f for f in reflected["fields"]}
        if declared.base:
            # The base is the field with that name (`$base` before 2026.14).
            field = fields.get("$base") or fields.get(declared.base.name) or reflected["fields"][0]
            self.struct(declared.base, field["type"], (path, base_offset + bytes_of(field).get("offset", 0)))
        fields |= units_of_bit_fields(declared, reflected["fields"])
        for member in declared.members:
            if member.type.kind == "resource":
                continue
            binding = bytes_of(fields[member.name])
            offset = base_offset + binding.get("offset", 0)
            name = f"{path}.{member.name}"
            if binding:
                self.layout.offsets[name] = offset
                self.value(member.type, fields[member.name]["type"], (name, offset), binding)

    def value(self, declared, reflected, place, binding):
        path, offset = place
        size = binding.get("size", 0)
        while declared.kind == "array":
            unsized = declared.count == 0
            if unsized and size != "unbounded":
                # A pointer and a count represent the array.
                return
            stride = reflected["uniformStride"] if "uniformStride" in reflected else binding["elementStride"]
            self.layout.strides[path] = stride
            size = stride if unsized else size - stride * (declared.count - 1)
            path, declared, reflected = f"{path}[]", declared.element, reflected["elementType"]
            # Slang lays out the matrices of an array in the default order, regardless of the declaration.
            declared = replace(declared, order="") if declared.is_matrix() else declared
        if declared.kind == "struct":
            self.struct(declared, reflected, (path, offset))
        elif declared.is_matrix():
            self.matrix(declared, (path, offset), size)

    def matrix(self, declared, place, size):
        component = COMPONENT_SIZES.get(declared.scalar, 4)
        if declared.scalar == "bool" and self.rules.one_byte_bool:
            component = 1
        vectors, length = declared.vectors(self.order)
        stride = size // vectors
        if not self.rules.rounds and vectors > 1:
            stride = (size - length * component) // (vectors - 1)
        by_rows = (declared.order or self.order) == "row"
        pin(self.layout, declared, place, (stride, component) if by_rows else (component, stride))
        if vectors > 1:
            self.layout.matrix_strides[place[0]] = stride
