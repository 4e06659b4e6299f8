"""Reads DXC's layouts: the buffer definitions and loads of its DXIL, and the decorations of its SPIR-V.

Input: a request for one block. Output: a layout. A listing shows offsets and sizes; strides and matrix cells come from the
loads of shaders that read one scalar each.
"""

import re

from .declarations import POINTEE, Unsupported, first_leaf, innermost, places
from .spirv import Layout, Module, Root, Walk, pin

# Value, component type and place of each kind of load.
CALL = r"(%\d+) = call %dx\.types\.(?:CBuf|Res)Ret\.([\w.]+) @dx\.op\."
HANDLE = r"%dx\.types\.Handle %\d+"
CBUFFER_LOAD = re.compile(rf"{CALL}cbufferLoadLegacy\.\w+\(i32 59, {HANDLE}, i32 (\d+)\)")
RAW_LOAD = re.compile(rf"{CALL}rawBufferLoad\.\w+\(i32 139, {HANDLE}, i32 0, i32 (\d+)")
TEXTURE_BUFFER_LOAD = re.compile(rf"{CALL}bufferLoad\.\w+\(i32 68, {HANDLE}, i32 (\d+), i32 undef\)")
ROW = re.compile(r"^(?:\}\s*|.*\s)([\w$]*)(?:\[\d+\])*;+\s*; Offset:\s*(\d+)")
BASE = ["-T", "cs_6_6"]
# Ray-tracing stages are parts of a library, and need SPIR-V 1.4.
TRACED = ["-T", "lib_6_6", "-fspv-target-env=vulkan1.2"]
WIDE = ("double", "int64_t", "uint64_t")
REGISTER = 16
COMPONENT_SIZES = {"f64": 8, "i64": 8, "f16.8": 2, "i16.8": 2}


def all_flags(request):
    """The arguments of dxc, as cases write them."""
    base = TRACED if request.traced else BASE
    flags = [*base, *(["-enable-16bit-types"] if request.sixteen_bit else []), *request.flags]
    return flags + (["-Zpr"] if request.order == "row" else [])


def dxil_layout(tools, request):
    """Layout by the listing, and by path the offsets that the code reads instead."""
    return Dxil(tools, request).run()


class Dxil:
    """Gets one block's listing and loads from DXC."""

    def __init__(self, tools, request):
        self.tools, self.request = tools, request
        self.layout, self.accessed, self.listings = Layout(), {}, {}
        self.block = request.as_container()

    def run(self):
        found = list(places(self.block, self.request.indexed))
        leaf = next((f for f in (first_leaf(p.type, p.expression) for p in found) if f), None)
        if leaf is None:
            raise Unsupported("nothing to read")
        listing = self.listing(self.request.source(leaf))
        name, size, root = listed_block(listing, self.block)
        self.layout.sizes[name] = size
        if self.request.indexed and self.request.is_native():
            self.layout.strides[name] = size
        if self.block.type.kind == "struct":
            self.listed_members(self.block.type, root, name)
        for place in found:
            self.place(place)
        return self.layout, self.accessed

    def listing(self, source):
        """DXC's listing of a shader, compiled once."""
        if source not in self.listings:
            self.listings[source] = self.tools.dxil(source, all_flags(self.request))
        return self.listings[source]

    def listed_members(self, declared, listed, path):
        """Notes a struct's members in the listing; bit-fields have no names there."""
        if declared.base:
            base = next((l for l in listed if l[0] == declared.base.name), None)
            if base:
                self.listed_members(declared.base, base[2], path)
        for member in declared.members:
            row = next((l for l in listed if l[0] == member.name), None)
            if member.type.kind == "resource" or row is None:
                continue
            self.layout.offsets[f"{path}.{member.name}"] = row[1]
            inner, dimensions = innermost(member.type)
            if inner.kind == "struct":
                self.listed_members(inner, row[2], f"{path}.{member.name}" + "[]" * dimensions)

    def place(self, place):
        """Checks one member's offset against the loads, and adds strides and cells."""
        leaf = first_leaf(place.type, place.expression)
        inner, _ = innermost(place.type)
        if leaf is None:
            return
        loaded = self.load(leaf)
        listed = self.layout.offsets.get(place.path)
        if listed is None and place.path != self.block.name:
            self.layout.offsets[place.path] = loaded
        elif listed is not None and listed != loaded:
            self.accessed[place.path] = loaded
        self.strides(place)
        if inner.is_matrix():
            self.cells(place, loaded if listed is None else listed)

    def load(self, expression, source=None):
        """The offset at which the code reads a scalar, in bytes from the start of the block."""
        return loaded_offset(self.listing(source or self.request.source(expression)))

    def strides(self, place):
        """Bytes from element to element of each dimension. Measures an array of one as an array of two."""
        path, kind, before = place.path, place.type, place.expression
        while kind.kind == "array":
            first, second = (first_leaf(kind.element, f"{before}[{n}]") for n in (0, 1))
            source = self.request.source(second)
            if kind.count == 1:
                source = source.replace(f"{place.member.name}[1]", f"{place.member.name}[2]", 1)
            if first:
                self.layout.strides[path] = self.load(second, source) - self.load(first)
            path, kind, before = f"{path}[]", kind.element, f"{before}[0]"

    def cells(self, place, offset):
        """An off-diagonal cell, relative to the matrix's offset in the listing."""
        inner, dimensions = innermost(place.type)
        path, expression = place.path + "[]" * dimensions, place.expression + "[0]" * dimensions
        if inner.rows * inner.columns == 1:
            return
        cell = "[0][1]" if inner.columns > 1 else "[1][0]"
        read = self.load(expression + cell)
        vectors, components = inner.vectors(self.order(place))
        if not self.request.indexed and inner.scalar in WIDE and components <= 2 and vectors > 1:
            # The listing and the loads disagree on their stride, and the listing does not print it.
            self.accessed[path + cell] = read
            return
        down, across = (self.step(inner, expression, to) for to in ("[1][0]", "[0][1]"))
        pin(self.layout, inner, (path, offset), (down, across))
        if read != self.layout.offsets[path + cell]:
            self.accessed[path + cell] = read
        if vectors > 1:
            self.layout.matrix_strides[path] = down if self.order(place) == "row" else across

    def order(self, place):
        """The contiguous vectors. DXIL drops the order of a matrix that is itself a buffer's element."""
        declared = innermost(place.type)[0].order
        dropped = self.request.indexed and place.path == self.block.name
        return self.request.order if dropped else declared or self.request.order

    def step(self, kind, expression, cell):
        """Bytes from the first cell to another in a copy of the whole matrix."""
        row, column = int(cell[1]), int(cell[4])
        if row >= kind.rows or column >= kind.columns:
            return 0
        copy = f"{kind.scalar}{kind.rows}x{kind.columns} whole = {expression};"
        first, other = (self.load(None, self.request.source(f"whole{c}", setup=copy)) for c in ("[0][0]", cell))
        return other - first


def loaded_offset(listing):
    """The byte from which the only load of a shader takes its scalar."""
    found = []
    for pattern, unit in ((CBUFFER_LOAD, REGISTER), (TEXTURE_BUFFER_LOAD, REGISTER), (RAW_LOAD, 1)):
        for value, kind, place in pattern.findall(listing):
            uses = re.findall(rf"extractvalue %dx\.types\.\w+\.[\w.]+ {value}, (\d+)", listing)
            size = COMPONENT_SIZES.get(kind, 2 if unit == 1 and kind in ("f16", "i16") else 4)
            found += [int(place) * unit + int(use) * size for use in uses]
    if not found:
        raise Unsupported("no load with a constant place")
    return min(found)


def listed_block(listing, block):
    """Name, size and members (name, offset, members) of a block in the buffer definitions."""
    header = rf"; (?:cbuffer|tbuffer|Resource bind info for) {re.escape(block.name)}\n"
    found = re.search(header, listing)
    if not found:
        raise Unsupported(f"the listing has no buffer `{block.name}`")
    root = listed_rows(line.lstrip("; ").strip() for line in listing[found.end() :].split("\n"))[0]
    size = int(re.search(r"Size:\s*(\d+)", listing[found.end() :]).group(1))
    members = root[2]
    if block.kind not in ("cbuffer", "tbuffer", "globals", "structured-element") and len(members) == 1:
        members = members[0][2]
    return block.name, size, members


def listed_rows(lines):
    """The rows (name, offset, members) between the first pair of braces."""
    stack = [[]]
    for line in lines:
        row = ROW.match(line)
        if line == "{":
            stack.append([])
            continue
        members = stack.pop() if line.startswith("}") else []
        if len(stack) == 1 and line.startswith("}"):
            return members
        if row:
            stack[-1].append((row.group(1), int(row.group(2)), members))
    raise Unsupported("the listing ends inside a buffer")


def spirv_layout(tools, request):
    """Layout by the decorations of DXC's SPIR-V."""
    if request.block.kind == POINTEE:
        name = request.block.name
        leaf = first_leaf(request.block.type, f"{name}.Get()")
        text = (
            f"{request.reader.text}\nRWByteAddressBuffer probe_output;\n"
            f"[numthreads(1, 1, 1)] void main() {{ probe_output.Store(0, (uint)({leaf})); }}\n"
        )
        module = Module(tools.dxc_spirv(text, all_flags(request)))
        return Walk(module, Root(name, request.block.type, request.container, POINTEE), request.order).run_pointee()
    block = request.as_container()
    found = list(places(block, request.indexed))
    leaf = next((f for f in (first_leaf(p.type, p.expression) for p in found) if f), None)
    if leaf is None:
        raise Unsupported("nothing to read")
    module = Module(tools.dxc_spirv(request.source(leaf), all_flags(request)))
    root = Root(block.name, block.type, request.container, request.block.kind)
    layout = Walk(module, root, request.order).run(block.name)
    if stands_elsewhere(block):
        layout.sizes[block.name] = followed_size(tools, request)
    return layout


def followed_size(tools, request):
    """The offset of a scalar after a struct of the block's members, in bytes."""
    name = request.block.name
    expression = f"{name}[0].after" if request.indexed else f"{name}.after"
    module = Module(tools.dxc_spirv(request.source(expression, wrap=True), all_flags(request)))
    return module.followed(name, request.indexed)[0]


def stands_elsewhere(block):
    """True if a struct can hold the block's members: not with explicit offsets or initialisers."""
    return block.kind != "globals" and "packoffset" not in block.text and "=" not in block.body
