"""Reads compilers' bindings of parameters: DXC's listing and decorations, Slang's reflection.

Input: a case and the name of a placement (`d3d12.dxc`). Output: the places of its parameters, and the authority. A place is
text, as in cases: `u3[4]`, `t0 space1`, `set 0 binding 2`; a parameter with several units has several.
"""

import re
import shlex
from dataclasses import dataclass, field

from . import slang_library
from .declarations import Unsupported
from .spirv import Module

SLANG_TARGETS = {"d3d12": "hlsl", "vulkan": "spirv", "webgpu": "wgsl", "metal": "metal"}
COMPILERS = {"dxc": ("d3d12", "vulkan"), "slang": tuple(SLANG_TARGETS)}
LISTED = re.compile(
    r"^; (\S.*?)\s+(?:cbuffer|sampler|texture|UAV)\s+\S+\s+\S+\s+(?:CB|[STU])\d+\s*"
    r"(cb|[stu])(\d+)(?:,space(\d+?))?\s*(unbounded|\d+)$",
    re.M,
)
# With shifts, Slang counts a Vulkan program's bindings as registers.
SHIFTED = dict.fromkeys("btus", "binding")
RENAMED = {"vulkan": SHIFTED, "webgpu": SHIFTED, "metal": slang_library.METAL}
ENTRY = '\n[shader("compute")] [numthreads(1, 1, 1)] void main() {}\n'
SHADER = re.compile(r"\[\s*shader\s*\(")
UNBOUNDED = "unbounded"


@dataclass
class Placed:
    """A compiler's answer about a case's parameters."""

    authority: dict
    places: dict = field(default_factory=dict)
    said: str = ""

    def add(self, path, place):
        self.places.setdefault(path, []).append(place)


def is_placement(name):
    """True if the name is that of a placement, not of a rule set."""
    return name.partition(".")[0] in SLANG_TARGETS


def has_compiler(name):
    """True if a compiler answers for the placement; documents answer for the others."""
    target, _, convention = name.partition(".")
    return target in COMPILERS.get(convention.partition("@")[0], ())


def place(tools, case, name):
    """Queries the compiler of a placement."""
    target, _, convention = name.partition(".")
    compiler = convention.partition("@")[0]
    if not has_compiler(name):
        raise Unsupported(f"no compiler answers for {name}")
    if tools.versions[compiler] is None:
        raise Unsupported(f"{compiler} is absent")
    flags = flags_of(case, target, compiler)
    placed = Placed({"compiler": compiler, "version": tools.versions[compiler], "flags": " ".join(flags)})
    if compiler == "slang":
        slang_places(tools, case, (flags, target), placed)
    elif target == "d3d12":
        placed.authority["from"] = "listing"
        listed(case, tools.dxil(case.declare, flags, case.data.get("entry", "main")), placed)
    else:
        placed.authority["from"] = "decorations"
        flags = [flag for flag in flags if flag != "-spirv"]
        module = Descriptors(tools.dxc_spirv(case.declare, flags, case.data.get("entry", "main")))
        decorated(case, module, placed)
        placed.places = flattened(placed.places) if "-fspv-flatten-resource-arrays" in flags else placed.places
    return placed


def flags_of(case, target, compiler):
    """The arguments of the compiler, as cases write them."""
    profile = case.data.get("profile")
    options = [word for option in as_list(case.data.get("options", [])) for word in shlex.split(option)]
    if compiler == "slang":
        named = has_entry(case) and not SHADER.search(case.declare)
        entry = ["-entry", case.data.get("entry", "main"), "-stage", "compute"] if named else []
        return ["-target", SLANG_TARGETS[target], *(["-profile", profile] if profile else []), *options, *entry]
    profile = (profile or "cs_6_6").replace("sm_", "cs_")
    return [*(["-spirv"] if target == "vulkan" else []), "-T", profile, *options]


def has_entry(case):
    """True if the declarations contain an entry point."""
    return bool(SHADER.search(case.declare) or re.search(r"\bnumthreads\b", case.declare))


def as_list(value):
    return value if isinstance(value, list) else [value]


def listed(case, listing, placed):
    """Reads the resource bindings of a DXIL listing."""
    for name, register, index, space, count in LISTED.findall(listing):
        times = None if count == UNBOUNDED else int(count)
        placed.add(path_of(case, name), text(register[-1] if register == "cb" else register, index, space, times))


def path_of(case, name):
    """`s.B.3` is an element and `s.P.p` a member of the base `P`, whose name stays; DXC and Slang drop namespaces."""
    inside = re.search(rf"\bnamespace\s+(\w+)\s*\{{[^}}]*\b{re.escape(name)}\s*;", case.declare)
    if inside:
        return f"{inside.group(1)}::{name}"
    bases = set(re.findall(r"\bstruct\s+\w+\s*:\s*(\w+)", case.declare))
    parts = name.split(".")
    kept = [part for place, part in enumerate(parts) if place == 0 or part not in bases]
    return re.sub(r"\.(\d+)", r"[\1]", ".".join(kept))


def text(unit, index, space=0, count=1):
    """A place as cases write it."""
    times = "[]" if count is None else f"[{count}]" if count != 1 else ""
    if unit == "binding":
        return f"set {int(space or 0)} binding {index}{times}"
    gap = "" if len(unit) == 1 else " "
    return f"{unit}{gap}{index}{times}" + (f" space{space}" if int(space or 0) else "")


class Descriptors(Module):
    """A module with the storage classes of its variables."""

    BINDING, SET, LOCATION, SPEC_ID, INPUT_ATTACHMENT = 33, 34, 30, 1, 43
    INPUT, OUTPUT, PUSH_CONSTANT = 1, 3, 9

    def __init__(self, data):
        self.storage = {}
        super().__init__(data)

    def instruction(self, opcode, operands):
        super().instruction(opcode, operands)
        if opcode == 59:
            self.storage[operands[1]] = operands[2]


def decorated(case, module, placed):
    """Reads the decorations of a module's variables and constants."""
    for target in sorted({target for target, _ in module.decorations} | set(module.storage)):
        name = path_of(case, module.names.get(target, ""))
        said = {kind: number for (decorated, kind), number in module.decorations.items() if decorated == target}
        if Descriptors.BINDING in said:
            counter = re.fullmatch(r"counter\.var\.(.+)", name)
            path = f"{counter.group(1)}.$counter" if counter else name
            placed.add(path, text("binding", said[Descriptors.BINDING], said.get(Descriptors.SET, 0)))
        if Descriptors.INPUT_ATTACHMENT in said:
            placed.add(name, text("input-attachment", said[Descriptors.INPUT_ATTACHMENT]))
        if Descriptors.SPEC_ID in said:
            placed.add(name, text("constant-id", said[Descriptors.SPEC_ID]))
        if module.storage.get(target) == Descriptors.PUSH_CONSTANT:
            placed.add(name, text("push-constant", 0))
        if Descriptors.LOCATION in said:
            unit = {Descriptors.INPUT: "location-in", Descriptors.OUTPUT: "location-out"}[module.storage[target]]
            placed.add(varying(case, name), text(unit, said[Descriptors.LOCATION]))


def varying(case, name):
    """The path of an input or output, which DXC names after its semantic: `in.var.TEXCOORD0`, `out.var.SV_Target`."""
    direction, semantic = re.fullmatch(r"(in|out)\.var\.(.+)", name).groups()
    entry = case.data.get("entry", "main")
    named = re.escape(semantic) if semantic[-1] in "123456789" else re.escape(semantic.removesuffix("0")) + "0?"
    if direction == "out" and re.search(rf"\)\s*:\s*{named}\b", case.declare):
        return f"{entry}.$result"
    parameter = re.search(rf"(\w+)\s*:\s*{named}\b", case.declare)
    if parameter is None:
        raise Unsupported(f"no parameter with the semantic {semantic}")
    return f"{entry}.{parameter.group(1)}"


def flattened(places):
    """Merges consecutive elements of an array into one place with many bindings."""
    merged = {}
    for path, found in sorted(places.items(), key=lambda item: [int(n) for n in re.findall(r"\d+", item[1][0])]):
        array, index = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", path).groups()
        merged.setdefault(array if index else path, []).extend(found)
    return {path: found if len(found) == 1 else [f"{found[0]}[{len(found)}]"] for path, found in merged.items()}


def slang_places(tools, case, asked, placed):
    """Reads the library's reflection."""
    flags, target = asked
    placed.authority["from"] = "reflection"
    source = case.declare if has_entry(case) else case.declare + ENTRY
    walk = Walk(case, placed, RENAMED.get(target, {}))
    placed.said = tools.slang_program(source, [*flags, "-no-codegen"], walk.program)[1]


@dataclass
class Base:
    """The surroundings of a variable: (offset, space) by category, its space, and the repeats by enclosing arrays."""

    places: dict = field(default_factory=dict)
    space: int = 0
    times: object = 1

    def place(self, variable, category):
        """Offset and space of a variable."""
        offset, space = self.places.get(category, (0, self.space))
        return offset + variable.offset(category), space + variable.space(category)

    def inside(self, variable):
        """The base for the contents of a variable."""
        own = {category: self.place(variable, category) for category in variable.type.categories()}
        return Base({**self.places, **own}, self.space, self.times)


class Walk:
    """Adds offsets up from the scope to each resource."""

    SPACE = 20

    def __init__(self, case, placed, renamed):
        self.case, self.placed, self.renamed = case, placed, renamed

    def program(self, program):
        self.scope(program.scope(), "$Globals", "")
        for name, scope, result in program.entries():
            self.scope(scope, f"$Entry.{name}", f"{name}.")
            if result:
                self.variable(result, f"{name}.$result", Base())

    def scope(self, scope, buffer, prefix):
        """A scope is a struct, or a buffer around one if it contains bytes."""
        held, below = scope, Base().inside(scope)
        if scope.type.kind == "constant-buffer":
            self.rows(scope.type.container(), buffer, below)
            held = scope.type.held()
            # The binding of the globals' buffer does not affect the parameters next to it.
            below = below.inside(held) if prefix else Base()
        for child in held.type.fields():
            self.variable(child, prefix + path_of(self.case, child.name), below)

    def variable(self, variable, path, base):
        kind, below = variable.type.kind, base.inside(variable)
        element, times = variable.type, 1
        while element.kind == "array":
            times, element = multiplied(times, element.count() or None), element.element()
        if element.kind not in ("struct", "constant-buffer", "parameter-block"):
            self.rows(variable, path, base)
            return
        if self.SPACE in variable.type.categories():
            space, _ = below.places[self.SPACE]
            below = Base({self.SPACE: (space, 0)}, space, base.times)
        if kind == "array":
            below.times, path = multiplied(base.times, times), f"{path}[]"
        self.contents(element, path, below)

    def contents(self, kind, path, base):
        """The contents of a struct, a buffer or a block."""
        if kind.kind != "struct":
            if self.SPACE in kind.container().type.categories():
                self.placed.add(path, text("space", base.space))
            self.rows(kind.container(), path.removesuffix("[]"), base)
            held = kind.held()
            kind, base = held.type, base.inside(held)
        for child in kind.fields():
            # Members of a base struct keep their own names.
            self.variable(child, path if child.name == "$base" else f"{path}.{child.name}", base)

    def rows(self, variable, path, base):
        """One place for each unit that a variable takes."""
        for category in variable.type.categories():
            unit = slang_library.CATEGORIES.get(category)
            if unit is None or category == self.SPACE:
                continue
            unit = self.renamed.get(unit, unit)
            size = variable.type.size(category)
            count = None if size == slang_library.UNBOUNDED else size
            # An array takes one binding, regardless of its length.
            count = count if unit == "binding" else multiplied(count, base.times)
            index, space = base.place(variable, category)
            self.placed.add(path, text(unit, index, space, count))


def multiplied(count, times):
    """A product in which None is unbounded."""
    return None if count is None or times is None else count * times


def bind_lines(places):
    """The lines of a `[bind]` table, without its authority."""
    for path, found in places.items():
        key = path if re.fullmatch(r"[\w-]+", path) else f'"{path}"'
        words = ", ".join(f'"{one}"' for one in found)
        yield f"{key} = {words}" if len(found) == 1 else f"{key} = [{words}]"
