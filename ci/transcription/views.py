"""Reads DXC's layouts of memory without a declared block: types that code loads from bytes, buffers of descriptor heaps, and the
payloads and attributes of stages.

Input: a request for one block. Output: its layout, the flags, and the kind of output with the numbers. Nothing lists such
memory, so each member's offset is the place of the only load of a shader that reads one scalar. Metadata has the sizes of
data of stages, and none of their members.
"""

import re
import struct

from . import dxc
from .declarations import ATTRIBUTES, HEAP, MESH_PAYLOAD, NODE_RECORD, PARAMETER, STAGE, Unsupported, places
from .spirv import Layout, Module

BUFFER = "probe_bytes"
# The tags and kinds of an entry point's properties. Source: `DxilMetadataHelper.h` of `DirectXShaderCompiler`.
PROPERTIES = re.compile(r"^!\d+ = !\{i32 8, i32 (\d+)(?:, i32 6, i32 (\d+))?(?:, i32 7, i32 (\d+))?", re.M)
MESH_STATE = re.compile(r"^!\d+ = !\{i32 0, i64 \d+, i32 9, (!\d+)\}", re.M)
CALLABLE = "12"
# The inputs of a node, the type of an input's record, its size, and the place of its grid.
NODE_INPUTS = re.compile(r"^!\d+ = !\{i32 8, i32 15,.* i32 20, (!\d+)", re.M)
GRID = re.compile(r"(\w+)\s*:\s*SV_DispatchGrid")
# A load from bytes, whose place is the index; an element of a structured buffer has the index 0.
BYTES_LOAD = re.compile(rf"(rawBufferLoad\.\w+\(i32 139, {dxc.HANDLE}), i32 (\d+), i32 undef")
# A load, with its handle.
LOADED_FROM = re.compile(r"@dx\.op\.\w*[lL]oad\w*\.\w+\(i32 \d+, %dx\.types\.Handle (%\d+)")
CONSTANT, ACCESS_CHAIN = 43, 65


def layout(tools, request, authority):
    """The block's layout, the flags, and the source of the numbers."""
    if request.block.kind == STAGE:
        return stage_layout(tools, request)
    read = Loads(tools, request, authority.source == "decorations")
    return read.run(), " ".join(read.flags()), "loads"


class Loads(dxc.Dxil):
    """Gets the places of a block's members from loads alone."""

    def __init__(self, tools, request, is_spirv):
        super().__init__(tools, request)
        self.is_spirv = is_spirv
        # A heap's buffer has a name that the code can use; bytes are first loaded as a whole.
        self.is_heap = request.block.kind == HEAP
        self.block = request.block if self.is_heap else type(request.block)(
            request.block.name, "constant-buffer", request.block.type, request.block.text
        )

    def flags(self):
        return [*(["-spirv"] if self.is_spirv else []), *dxc.all_flags(self.request)]

    def run(self):
        name = self.block.name
        indexed = self.is_heap and self.block.form == "structured-element"
        for place in places(self.block, indexed):
            self.place(place)
        if self.is_heap:
            self.layout.sizes[name] = self.size
            if indexed:
                self.layout.strides[name] = self.size
        return self.layout

    def load(self, expression, source=None):
        name = self.block.name
        setup = ""
        if not self.is_heap:
            setup = f"{name} probe_value = {BUFFER}.Load<{name}>(0);"
            expression = re.sub(rf"^{name}\b", "probe_value", expression or "")
        buffer = "" if self.is_heap else f"ByteAddressBuffer {BUFFER};\n"
        text = (
            f"{self.request.reader.text}\n{buffer}RWByteAddressBuffer probe_output;\n"
            f"[numthreads(1, 1, 1)] void probe() {{ {setup} probe_output.Store(0, (uint)({expression})); }}\n"
        )
        if self.is_spirv:
            return loaded_word(self.tools.dxc_spirv(text, dxc.all_flags(self.request), entry="probe"))
        if text not in self.listings:
            self.listings[text] = self.tools.dxil(text, dxc.all_flags(self.request), entry="probe")
        listing = self.listings[text]
        sizes = re.findall(r"createHandleFromHeap.*\n.*annotateHandle.*ResourceProperties \{ i32 \d+, i32 (\d+) \}", listing)
        self.size = int(sizes[0]) if sizes else 0
        if self.is_heap:
            listing = without_other_loads(listing)
        return dxc.loaded_offset(BYTES_LOAD.sub(r"\1, i32 0, i32 \2", listing))

    def strides(self, place):
        """As for a listing; every array of these cases has two elements or more."""
        path, kind, before = place.path, place.type, place.expression
        while kind.kind == "array":
            if kind.count == 1:
                raise Unsupported("an array of one element")
            first, second = (dxc.first_leaf(kind.element, f"{before}[{n}]") for n in (0, 1))
            if first:
                self.layout.strides[path] = self.load(second) - self.load(first)
            path, kind, before = f"{path}[]", kind.element, f"{before}[0]"

    def step(self, kind, expression, cell):
        """Bytes from the first cell to another, which loads show one by one."""
        if int(cell[1]) >= kind.rows or int(cell[4]) >= kind.columns:
            return 0
        return self.load(expression + cell) - self.load(f"{expression}[0][0]")


def without_other_loads(listing):
    """The listing without loads from what is in no heap, such as the buffer that has the number of a descriptor."""
    from_heap = set(re.findall(r"(%\d+) = call %dx\.types\.Handle @dx\.op\.createHandleFromHeap\(", listing))
    annotated = re.findall(r"(%\d+) = call %dx\.types\.Handle @dx\.op\.annotateHandle\(i32 \d+, %dx\.types\.Handle (%\d+)", listing)
    ours = {handle for handle, of in annotated if of in from_heap}
    is_other = lambda line: (match := LOADED_FROM.search(line)) and match.group(1) not in ours
    return "\n".join(line for line in listing.split("\n") if not is_other(line))


def loaded_word(words):
    """The byte of the only word that a module reads from the buffer of bytes at a constant index."""
    module = Module(words)
    variable = next((v for v in module.variables if module.names.get(v) == BUFFER), None)
    code = struct.unpack(f"<{len(words) // 4}I", words)
    constants, found, at = {}, [], 5
    while at < len(code):
        length, opcode = code[at] >> 16, code[at] & 0xFFFF
        operands = code[at + 1 : at + length]
        if opcode == CONSTANT:
            constants[operands[1]] = operands[2]
        elif opcode == ACCESS_CHAIN and operands[2] == variable:
            found.append(constants.get(operands[-1]))
        at += length
    if not found or None in found:
        raise Unsupported("no load with a constant place")
    return 4 * min(found)


def stage_layout(tools, request):
    """The size of a payload, attributes or a parameter, by the metadata."""
    block, sizes = request.block, set()
    sixteen_bit = ["-enable-16bit-types"] if request.sixteen_bit else []
    if block.form == MESH_PAYLOAD:
        flags = ["-T", "ms_6_6", *sixteen_bit]
        listing = tools.dxil(request.reader.text, flags, entry="mesh")
        for state in MESH_STATE.findall(listing):
            numbers = re.search(rf"^{state} = !\{{(.*)\}}", listing, re.M).group(1)
            sizes.add(int(numbers.split()[-1]))
    elif block.form == NODE_RECORD:
        return node_record(tools, request, ["-T", "lib_6_8", *sixteen_bit])
    else:
        flags = ["-T", "lib_6_6", *sixteen_bit]
        for kind, passed, attributes in PROPERTIES.findall(tools.dxil(request.reader.text, flags)):
            size = attributes if block.form == ATTRIBUTES else passed
            if size and (kind == CALLABLE) == (block.form == PARAMETER):
                sizes.add(int(size))
    if len(sizes) != 1:
        raise Unsupported(f"the metadata has {len(sizes)} sizes of a {block.form}")
    found = Layout()
    found.sizes[block.name] = sizes.pop()
    return found, " ".join(flags), "metadata"


def node_record(tools, request, flags):
    """The size of a node's record, and the place of its grid."""
    listing = tools.dxil(request.reader.text, flags)
    node = lambda name: re.search(rf"^{name} = !\{{(.*)\}}", listing, re.M).group(1).split(", ")
    inputs = [node(name) for inputs in NODE_INPUTS.findall(listing) for name in node(inputs)]
    if len(inputs) != 1:
        raise Unsupported(f"the metadata has {len(inputs)} records")
    record = node(tagged(inputs[0], 2))
    found = Layout()
    name = request.block.name
    found.sizes[name] = number(tagged(record, 0))
    grid = GRID.search(request.reader.text)
    if grid:
        found.offsets[f"{name}.{grid.group(1)}"] = number(node(tagged(record, 1))[0])
    return found, " ".join(flags), "metadata"


def tagged(fields, tag):
    """The field after the one with this tag."""
    return fields[fields.index(f"i32 {tag}", 0) + 1] if fields[0] == f"i32 {tag}" else tagged(fields[2:], tag)


def number(field):
    """`i32 12`."""
    return int(field.split()[-1])
