"""The memory without a declared block that a compiler's output names: buffers of descriptor heaps, types that are loaded from
bytes, what pointers point to, and data that stages pass on.

Input: a SPIR-V module, DXC's code before optimisation, or HLSL that slangc writes. Output: pairs of a kind and the name of a
type, or of a variable that has no struct. The kinds are the words of `layoutproof show`, from whose text `shown` takes ours.
"""

import re
import struct

from .spirv import ARRAY, NAME, POINTER, RUNTIME_ARRAY, STRUCT, TYPES, VARIABLE, text

PAYLOAD, ATTRIBUTES, CALLABLE, MESH = "ray payload", "hit attributes", "callable data", "mesh payload"
HEAP, RAW, POINTEE = "descriptor heap", "raw load or store", "pointer"
# Source: SPIR-V specification, "Storage Class".
CLASSES = {5338: PAYLOAD, 5342: PAYLOAD, 5339: ATTRIBUTES, 5328: CALLABLE, 5329: CALLABLE, 5402: MESH}
PHYSICAL = 5349
# Instructions whose result may be a pointer that code has got, and not derived: parameters, calls, loads, extracted members,
# conversions from integers, bitcasts, selections and phis.
PARAMETER = 55
GOT = {PARAMETER, 57, 61, 81, 117, 120, 124, 169, 245}
# The name of a view that may have any.
ANY = ""
STRUCT_TYPE = r'%(\\22(?:struct|class)\.[^\\]*\\22|(?:struct|class)\.[\w.:]+)'
BUFFER = re.compile(r"(?:struct|class)\.(?:ConstantBuffer|(?:RW|Append|Consume|RasterizerOrdered)?StructuredBuffer)<(.*)>$")
FROM_HEAP = re.compile(r'\s*(%[\w.]+) = call %dx\.types\.Handle @"dx\.hl\.op\.\w*\.%dx\.types\.Handle \(i32, i32, i1\)"')
STORED = re.compile(r"\s*store %dx\.types\.Handle (%[\w.]+), %dx\.types\.Handle\* (%[\w.]+)")
LOADED = re.compile(r"\s*(%[\w.]+) = load %dx\.types\.Handle, %dx\.types\.Handle\* (%[\w.]+)")
ANNOTATED = re.compile(
    r'\s*(%[\w.]+) = call %dx\.types\.Handle @"dx\.hl\.annotatehandle.*"\(i32 \d+, %dx\.types\.Handle (%[\w.]+),'
)
RESOURCE = re.compile(r'"dx\.hl\.cast\.handleToRes\.%(?:\\22(.*?)\\22|([\w.]+)) \(.*"\(i32 \d+, %dx\.types\.Handle (%[\w.]+)')
OPERATION = re.compile(r'@"dx\.hl\.op\.\w*\.(.*)"\(')
# `StructuredBuffer.Load` has the same operation; its elements are the buffer's own.
STRUCTURED = re.compile(r"\s*(%[\w.]+) = call .*%dx\.types\.ResourceProperties \{ i32 (\d+),")
HANDLE = re.compile(r'"\(i32 \d+, %dx\.types\.Handle (%[\w.]+)')
KIND_STRUCTURED = 12
LOAD = re.compile(rf"{STRUCT_TYPE}\*? \(i32, %dx\.types\.Handle, i32\)$")
# The operands of a store of bytes, `TraceRay`, `ReportHit`, `DispatchMesh` and `CallShader`, before the last.
OPERANDS = (
    (r"void \(i32, %dx\.types\.Handle, i32, %[^,]*\*\)$", RAW),
    (r"void \(i32, %dx\.types\.Handle, i32, i32, i32, i32, i32,", PAYLOAD),
    (r"i1 \(i32, float, i32, ", ATTRIBUTES),
    (r"void \(i32, i32, i32, i32, %", MESH),
    (r"void \(i32, i32, %", CALLABLE),
)
STAGE = re.compile(r'\[\s*shader\s*\(\s*"(\w+)"\s*\)\s*\]\s*(?:\[[^\]]*\]\s*)*\w+\s+(\w+)\s*\(')
STAGE_PARAMETERS = {
    "closesthit": (PAYLOAD, ATTRIBUTES),
    "anyhit": (PAYLOAD, ATTRIBUTES),
    "miss": (PAYLOAD,),
    "callable": (CALLABLE,),
}
BUILT_IN = "BuiltInTriangleIntersectionAttributes"
KINDS = "|".join((PAYLOAD, ATTRIBUTES, CALLABLE, MESH, RAW, HEAP, POINTEE))
SHOWN = re.compile(rf"(\S.*?) \(({KINDS})\)")
# Blocks that are not laid out, with the reason: `3 of 4 blocks laid out; float2x2 (raw load or store, line 62): ...`
NOT_LAID_OUT = re.compile(rf"(?<=; )([^;()]+) \(({KINDS})(?:, line \d+)?\)")


def of_spirv(data, variables_have_names=True):
    """The views of a module. If its variables have other names than those of the source, a view without a struct has none."""
    words = struct.unpack(f"<{len(data) // 4}I", data)
    names, types, code, at = {}, {}, [], 5
    while at < len(words):
        length, opcode = words[at] >> 16, words[at] & 0xFFFF
        operands = words[at + 1 : at + length]
        if opcode == NAME:
            names[operands[0]] = text(operands[1:])
        elif opcode in TYPES:
            types[operands[0]] = (opcode, operands[1:])
        code.append((opcode, operands))
        at += length

    def element(kind):
        while types.get(kind, (0,))[0] in (ARRAY, RUNTIME_ARRAY):
            kind = types[kind][1][0]
        return kind

    is_struct = lambda kind: types.get(kind, (0,))[0] == STRUCT
    physical = {kind: element(it[1]) for kind, (opcode, it) in types.items() if opcode == POINTER and it[0] == PHYSICAL}
    got = {physical[operands[0]] for opcode, operands in code if opcode in GOT - {PARAMETER} and operands[0] in physical}
    inside = {kind for holder in got for kind in members(types, element, holder)}
    found = set()
    for opcode, operands in code:
        if opcode == VARIABLE and operands[2] in CLASSES:
            kind = element(types[operands[0]][1][1])
            variable = names.get(operands[1], "?") if variables_have_names else ANY
            found.add((CLASSES[operands[2]], names.get(kind, "?") if is_struct(kind) else variable))
        elif opcode in GOT and is_struct(physical.get(operands[0])):
            # A method of a member gets a pointer into what another pointer leads to.
            if opcode != PARAMETER or physical[operands[0]] not in inside:
                found.add((POINTEE, names.get(physical[operands[0]], "?")))
    return {view for view in found if view[1] != BUILT_IN}


def members(types, element, kind):
    """The structs that are members of a struct, of its members and so on."""
    opcode, parts = types.get(kind, (0, ()))
    for part in map(element, parts) if opcode == STRUCT else ():
        yield part
        yield from members(types, element, part)


def of_high_level_ir(listing, source):
    """The views of DXC's code with `-fcgl`, which still names types. `source` is the text with the stages of functions."""
    found, handles, structured = set(), set(), set()
    for line in listing.split("\n"):
        if line.startswith("define"):
            handles, structured = set(), set()
        match = STRUCTURED.match(line)
        if match and int(match.group(2)) & 0xFF == KIND_STRUCTURED:
            structured.add(match.group(1))
        for step, is_source in ((FROM_HEAP, True), (STORED, False), (LOADED, False), (ANNOTATED, False)):
            match = step.match(line)
            if match and is_source:
                handles.add(match.group(1))
            elif match:
                to, of = match.groups()[:: -1 if step is STORED else 1]
                handles |= {to} if of in handles else set()
        match = RESOURCE.search(line)
        buffer = match and match.group(3) in handles and BUFFER.match(match.group(1) or match.group(2))
        if buffer:
            found.add((HEAP, spelled(buffer.group(1))))
        match = OPERATION.search(line)
        if not match or line.startswith("declare"):
            continue
        signature = match.group(1)
        loaded = LOAD.match(signature)
        passed = re.findall(rf"{STRUCT_TYPE}\*", signature)
        kind = next((kind for operands, kind in OPERANDS if re.match(operands, signature)), None)
        handle = HANDLE.search(line)
        if loaded and not (handle and handle.group(1) in structured):
            found.add((RAW, spelled(loaded.group(1))))
        elif kind and passed:
            found.add((kind, spelled(passed[-1])))
    stages = {name: stage for stage, name in STAGE.findall(source)}
    for name, parameters in re.findall(r'^define void @"\\01\?(\w+)@@[^"]*"\((.*?)\) ', listing, re.M):
        types = re.findall(r'%("(?:struct|class)\.[^"]*"|(?:struct|class)\.[\w.:]+)\*', parameters)
        found |= set(zip(STAGE_PARAMETERS.get(stages.get(name), ()), map(spelled, types)))
    return {view for view in found if view[1] != BUILT_IN}


def of_written_hlsl(written):
    """The structs that HLSL of slangc loads from bytes and stores there."""
    types = re.findall(r"\.(?:Load|Store)<\s*(\w+)\s*>", written)
    return {(RAW, name) for name in types if re.search(rf"\bstruct {name}\b", written)}


def spelled(name):
    """A type of LLVM in the words of HLSL."""
    name = re.sub(r"^(?:struct|class)\.", "", name.replace("\\22", "").strip('"'))
    name = re.sub(r"^matrix\.(\w+)\.(\d)\.(\d)$", r"\1\2x\3", name)
    name = re.sub(r"\.\d+$", "", name).replace(" ", "")
    for written, word in (("unsignedlonglong", "uint64_t"), ("longlong", "int64_t"), ("unsignedint", "uint")):
        name = name.replace(written, word)
    name = re.sub(r"^matrix<(\w+),(\d),(\d)>$", r"\1\2x\3", name)
    return re.sub(r"^vector<(\w+),(\d)>$", r"\1\2", name)


def shown(answer):
    """The views in the text of `layoutproof show`."""
    found = set()
    for line in answer.split("\n"):
        match = SHOWN.match(line)
        views = NOT_LAID_OUT.findall(line) if re.search(r" blocks? laid out; ", line) else [match.groups()] if match else []
        for name, kind in views:
            name = re.sub(r", ", ",", name)
            buffer = re.search(r"<(.*)>", name) if kind == HEAP else None
            # `float3 colour (callable data)` has the name of a variable.
            found.add((kind, buffer.group(1) if buffer else name.rsplit(" ", 1)[-1]))
        match = re.match(r"(\S.*?) is pointed to by |(?:\w+\([^)]*\) )?(?:\w+ )*buffer (\w+)", line)
        if match:
            found.add((POINTEE, match.group(1) or match.group(2)))
    return found


def missing(named, own):
    """The views that are not among ours. slangc adds the layout to a type's name; namespaces are left out."""

    def key(name):
        name = re.sub(r"_(natural|std430|std140|scalar|c|default|\d+)$", "", name)
        return re.sub(r"[^\w<>,]", "", name if "<" in name else name.rsplit("::", 1)[-1])

    known = {(kind, key(name)) for kind, name in own}
    kinds = {kind for kind, _ in own}
    is_known = lambda kind, name: kind in kinds if name == ANY else (kind, key(name)) in known
    return sorted((kind, name) for kind, name in named if not is_known(kind, name))
