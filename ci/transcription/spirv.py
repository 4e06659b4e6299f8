"""Reads the decorations of a SPIR-V module, which give the offsets of a block's members.

Input: words. Output: offsets, strides and the places of matrix cells, by the paths of a case. Source: SPIR-V specification,
sections "Physical Layout", "Instructions" and "Decoration".
"""

import re
import struct
from dataclasses import dataclass, field, replace

from .declarations import Unsupported

NAME, MEMBER_NAME = 5, 6
INT, FLOAT, VECTOR, MATRIX, ARRAY, RUNTIME_ARRAY, STRUCT, POINTER, VARIABLE = 21, 22, 23, 24, 28, 29, 30, 32, 59
UNIFORM, PUSH_CONSTANT, STORAGE_BUFFER, PHYSICAL_STORAGE_BUFFER = 2, 9, 12, 5349
TYPES = {20, INT, FLOAT, VECTOR, MATRIX, ARRAY, RUNTIME_ARRAY, STRUCT, POINTER}
DECORATE, MEMBER_DECORATE = 71, 72
ROW_MAJOR, ARRAY_STRIDE, MATRIX_STRIDE, BINDING, DESCRIPTOR_SET, OFFSET = 4, 6, 7, 33, 34, 35


@dataclass
class Layout:
    """Bytes by path: one authority's numbers for one block."""

    offsets: dict = field(default_factory=dict)
    strides: dict = field(default_factory=dict)
    matrix_strides: dict = field(default_factory=dict)
    sizes: dict = field(default_factory=dict)


@dataclass
class Root:
    """The block from which a walk starts; only a block declared as a structured buffer has a stride."""

    name: str
    type: object
    container: str
    kind: str


class Module:
    """The names, types and decorations of one module."""

    def __init__(self, data):
        words = struct.unpack(f"<{len(data) // 4}I", data)
        self.names, self.types, self.variables, self.decorations = {}, {}, {}, {}
        self.member_names, self.member_decorations = {}, {}
        at = 5
        while at < len(words):
            length, opcode = words[at] >> 16, words[at] & 0xFFFF
            self.instruction(opcode, words[at + 1 : at + length])
            at += length

    def instruction(self, opcode, operands):
        if opcode == NAME:
            self.names[operands[0]] = text(operands[1:])
        elif opcode == MEMBER_NAME:
            self.member_names[operands[0], operands[1]] = text(operands[2:])
        elif opcode in TYPES:
            self.types[operands[0]] = (opcode, operands[1:])
        elif opcode == VARIABLE:
            self.variables[operands[1]] = operands[0]
        elif opcode == DECORATE:
            self.decorations[operands[0], operands[1]] = operands[2] if len(operands) > 2 else True
        elif opcode == MEMBER_DECORATE:
            key = (operands[0], operands[1], operands[2])
            self.member_decorations[key] = operands[3] if len(operands) > 3 else True

    def block(self, name):
        """The struct of the variable `name`, without the nameless one that naga puts around it."""
        for variable, pointer in self.variables.items():
            if self.names.get(variable) == name:
                pointee = self.types[pointer][1][1]
                members = self.types[pointee][1]
                nameless = len(members) == 1 and (pointee, 0) not in self.member_names
                return members[0] if nameless and self.types[members[0]][0] == STRUCT else pointee
        raise Unsupported(f"the module has no variable `{name}`")

    def pointee(self, name):
        """The struct with this name that device addresses point to; slangc adds the rule set to the name."""
        for opcode, operands in self.types.values():
            if opcode == POINTER and operands[0] == PHYSICAL_STORAGE_BUFFER:
                found = self.names.get(operands[1], "")
                if found == name or found.startswith(f"{name}_"):
                    return operands[1]
        raise Unsupported(f"no address in the module points to `{name}`")

    def pointer_stride(self, pointee):
        """The stride of addresses of a type, by which `p[1]` follows `p[0]`; DXC, which has no such index, states none."""
        for pointer, (opcode, operands) in self.types.items():
            if opcode == POINTER and operands[0] == PHYSICAL_STORAGE_BUFFER and operands[1] == pointee:
                return self.decorations.get((pointer, ARRAY_STRIDE))
        return None

    def followed(self, name, indexed=False):
        """The offset of `after` in a block (or its elements), and the stride of the last member there."""
        struct_id = self.block(name)
        if indexed:
            struct_id = self.types[self.types[struct_id][1][0]][1][0]
        members = self.types[struct_id][1]
        after = self.member_decorations[struct_id, self.member(struct_id, "after", 1), OFFSET]
        return after, self.decorations.get((members[-1], ARRAY_STRIDE))

    def member(self, struct_id, name, position):
        """The index of a member by name, or by position if the names were dropped."""
        count = len(self.types[struct_id][1])
        for index in range(count):
            if plain(self.member_names.get((struct_id, index), "")) == name:
                return index
        if name == "" and position < count:
            return position
        raise Unsupported(f"the module's struct has no member `{name}`")

    def component_size(self, type_id):
        """Size of a numeric type's scalar in bytes."""
        opcode, operands = self.types[type_id]
        while opcode in (VECTOR, MATRIX, ARRAY):
            opcode, operands = self.types[operands[0]]
        return operands[0] // 8

    def array(self, type_id):
        """An array type without the single-member struct that Slang puts around it."""
        opcode, operands = self.types[type_id]
        return operands[0] if opcode == STRUCT and len(operands) == 1 else type_id

    def stride(self, type_id):
        """`ArrayStride` of an array type, in bytes."""
        return self.decorations[type_id, ARRAY_STRIDE]


def text(words):
    """A literal string."""
    return struct.pack(f"<{len(words)}I", *words).split(b"\0")[0].decode()


def plain(name):
    """A name without the number by which a compiler made it unique."""
    return re.sub(r"_\d+$", "", name)


class Walk:
    """Follows one block's declared tree and the module's types side by side."""

    def __init__(self, module, block, default_order):
        self.module, self.block, self.default_order = module, block, default_order
        self.layout, self.keeps_order = Layout(), True

    def run(self, variable):
        """The layout of the block of `variable`."""
        struct_id = self.module.block(variable)
        if self.block.container == "structured-element" and self.block.kind != "entry-uniforms":
            array = self.module.types[struct_id][1][0]
            if self.block.kind == self.block.container:
                self.layout.strides[self.block.name] = self.module.stride(array)
            inner = self.module.types[array][1][0]
            if self.block.type.kind != "struct":
                self.value(self.block.type, inner, (self.block.name, 0), self.decorated(struct_id, 0))
                return self.layout
            struct_id = inner
        self.struct(self.block.type, struct_id, self.block.name, 0)
        return self.layout

    def run_pointee(self):
        """The layout of a struct that an address points to."""
        pointee = self.module.pointee(self.block.type.name)
        # Slang lays out the matrices of an array in the default order, regardless of the declaration.
        self.keeps_order = "_" not in self.module.names[pointee].removeprefix(self.block.type.name)
        stride = self.module.pointer_stride(pointee)
        if stride is not None:
            self.layout.strides[self.block.name] = stride
        self.struct(self.block.type, pointee, self.block.name, 0)
        return self.layout

    def struct(self, declared, struct_id, path, base_offset):
        position = 0
        if declared.base:
            self.struct(declared.base, self.module.types[struct_id][1][0], path, base_offset)
            position = 1
        for member in declared.members:
            if member.type.kind == "resource":
                continue
            index = self.member(struct_id, member, position)
            position = index + 1
            found = self.decorated(struct_id, index)
            offset = base_offset + found[OFFSET]
            name = f"{path}.{member.name}"
            self.layout.offsets[name] = offset
            self.value(member.type, self.module.types[struct_id][1][index], (name, offset), found)

    def member(self, struct_id, member, position):
        """A member's index. A bit-field without a separate member shares that of the bit-field before it."""
        try:
            return self.module.member(struct_id, member.name, position)
        except Unsupported:
            if not member.bits or position == 0:
                raise
            return position - 1

    def decorated(self, struct_id, index):
        """A member's decorations; None for each missing one."""
        decorations = self.module.member_decorations
        return {kind: decorations.get((struct_id, index, kind)) for kind in (OFFSET, MATRIX_STRIDE, ROW_MAJOR)}

    def value(self, declared, type_id, place, found):
        path, offset = place
        while declared.kind == "array":
            type_id = self.module.array(type_id)
            stride = self.module.stride(type_id)
            self.layout.strides[path] = stride
            declared, type_id, path = declared.element, self.module.types[type_id][1][0], f"{path}[]"
            if declared.is_matrix() and not self.keeps_order:
                declared = replace(declared, order="")
        if declared.kind == "struct":
            self.struct(declared, type_id, path, offset)
        elif declared.is_matrix():
            self.matrix(declared, type_id, (path, offset), found)

    def matrix(self, declared, type_id, place, found):
        path, offset = place
        type_id = self.module.array(type_id)
        component = self.module.component_size(type_id)
        opcode, _ = self.module.types[type_id]
        if opcode == VECTOR:
            outer, inner = component, component
        elif opcode == MATRIX and found[ROW_MAJOR]:
            outer, inner = component, found[MATRIX_STRIDE]
        elif opcode == MATRIX:
            outer, inner = found[MATRIX_STRIDE], component
        elif opcode == ARRAY:
            stride = self.module.stride(type_id)
            by_rows = (declared.order or self.default_order) == "row"
            outer, inner = (stride, component) if by_rows else (component, stride)
        else:
            return
        pin(self.layout, declared, (path, offset), (outer, inner))
        vectors, _ = declared.vectors(self.default_order)
        if vectors > 1 and opcode != VECTOR:
            by_rows = (declared.order or self.default_order) == "row"
            self.layout.matrix_strides[path] = outer if by_rows else inner


def pin(layout, declared, place, steps):
    """Notes an off-diagonal cell; `steps` are the bytes from row to row and from column to column."""
    path, offset = place
    if declared.columns > 1:
        layout.offsets[f"{path}[0][1]"] = offset + steps[1]
    elif declared.rows > 1:
        layout.offsets[f"{path}[1][0]"] = offset + steps[0]


class Rows:
    """The members of all blocks of a module as paths with their places, and the bindings of its variables."""

    def __init__(self, data):
        self.module = Module(data)

    def variables(self):
        """Variables with their storage class, and their type without arrays of descriptors."""
        types = self.module.types
        for variable, pointer in self.module.variables.items():
            storage, pointee = types[pointer][1]
            while self.is_array(pointee) and (pointee, ARRAY_STRIDE) not in self.module.decorations:
                pointee = types[pointee][1][0]
            yield variable, storage, pointee

    def is_array(self, type_id):
        return self.module.types.get(type_id, (0,))[0] in (ARRAY, RUNTIME_ARRAY)

    def name(self, variable, pointee):
        """A variable's name; glslang leaves that of a block without an instance empty."""
        return self.module.names.get(variable) or self.module.names.get(pointee, "")

    def blocks(self):
        """Each block's name with its members: offset, array stride and matrix stride by path."""
        for variable, storage, pointee in self.variables():
            if storage in (UNIFORM, PUSH_CONSTANT, STORAGE_BUFFER) and self.module.types[pointee][0] == STRUCT:
                rows = {}
                self.struct(pointee, "", 0, rows)
                yield self.name(variable, pointee), rows

    def bindings(self):
        """Name, set and binding of each variable that has one."""
        decorations = self.module.decorations
        for variable, _, pointee in self.variables():
            if (variable, BINDING) in decorations:
                place = (decorations.get((variable, DESCRIPTOR_SET), 0), decorations[variable, BINDING])
                yield (self.name(variable, pointee), *place)

    def struct(self, struct_id, prefix, base, rows):
        for index, member in enumerate(self.module.types[struct_id][1]):
            decorated = self.module.member_decorations
            name = self.module.member_names.get((struct_id, index), "")
            offset = base + decorated[struct_id, index, OFFSET]
            if name.endswith("_col0"):
                rows[prefix + name.removesuffix("_col0")] = (offset, None, self.columns(struct_id, index))
            elif not re.search(r"_col[123]$", name):
                self.value(member, f"{prefix}{name}", (offset, decorated.get((struct_id, index, MATRIX_STRIDE))), rows)

    def columns(self, struct_id, first):
        """The stride of a matrix of two rows, which naga splits into members of uniform blocks."""
        one, other = (self.module.member_decorations[struct_id, first + column, OFFSET] for column in (0, 1))
        return other - one

    def value(self, type_id, path, place, rows):
        offset, matrix_stride = place
        kind, operands = self.module.types[type_id]
        array_stride = self.module.stride(type_id) if self.is_array(type_id) else None
        while self.is_array(type_id):
            type_id, path = operands[0], f"{path}[]"
            kind, operands = self.module.types[type_id]
        is_split = kind == STRUCT and self.module.member_names.get((type_id, 0)) == "col0"
        if is_split:
            matrix_stride = self.columns(type_id, 0)
        outer = re.sub(r"(\[\])+$", "", path)
        if kind == STRUCT and not is_split:
            if array_stride is not None:
                rows[outer] = (offset, array_stride, None)
            # naga puts a nameless struct around a block that is none.
            self.struct(type_id, f"{path}." if path else "", offset, rows)
        else:
            rows[outer] = (offset, array_stride, matrix_stride if kind == MATRIX or is_split else None)
