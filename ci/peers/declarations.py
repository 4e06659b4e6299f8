"""Blocks of the test vectors in the languages of the peers: WGSL, GLSL, HLSL and Slang, Rust, JavaScript values."""

import re

SCALARS = {
    "wgsl": {"float": "f32", "int": "i32", "uint": "u32"},
    "glsl": {"float": "float", "int": "int", "uint": "uint", "double": "double"},
    "rust": {"float": "f32", "int": "i32", "uint": "u32"},
}
GLSL_VECTORS = {"float": "vec", "int": "ivec", "uint": "uvec", "double": "dvec"}


class NotExpressible(Exception):
    """The language has no such declaration."""


def vectors_and_length(matrix):
    """The number of contiguous vectors and their length."""
    rows, columns = matrix["rows"], matrix["columns"]
    return (rows, columns) if matrix["order"] == "row" else (columns, rows)


def check_member(member):
    for key, what in (("bit_width", "bit-fields"), ("packoffset", "packoffset"), ("vk_offset", "[[vk::offset]]")):
        if key in member:
            raise NotExpressible(what)
    return member


def members_of(structure):
    """The members, those of the base first, as the rule sets lay them out. A base is laid out as a struct of its own."""
    if "base" in structure:
        raise NotExpressible("inheritance")
    if not structure["members"]:
        raise NotExpressible("empty structs")
    return [check_member(member) for member in structure["members"]]


class Writer:
    """Writes one block. Structs are declared once, before the struct that uses them."""

    def __init__(self, block, prefix=""):
        self.block, self.prefix, self.structs, self.names = block, prefix, [], {}

    def scalar(self, language, scalar):
        if scalar not in SCALARS[language]:
            raise NotExpressible(f"{scalar} in {language.upper()}")
        return SCALARS[language][scalar]

    def root(self):
        """The members of the block: its own, or the element of a buffer as a single member."""
        if self.block["count"] != 1:
            raise NotExpressible("arrays of blocks")
        if self.block["type"]["kind"] != "struct":
            raise NotExpressible("blocks that hold no struct")
        return members_of(self.block["type"])

    def struct_name(self, structure, declare):
        members = members_of(structure)
        key = repr(structure)
        if key not in self.names:
            name = self.prefix + (re.sub(r"\W", "_", structure["name"]) or "Unnamed")
            taken = {given.lower() for given in self.names.values()} | {"root", "raydesc"}
            while name.lower() in taken:
                name += "_"
            text = declare(name, members)
            self.names[key] = name
            self.structs.append(text)
        return self.names[key]


class Wgsl(Writer):
    def type(self, ty, is_last=False):
        kind = ty["kind"]
        if kind == "scalar":
            return self.scalar("wgsl", ty["scalar"])
        if kind == "vector" and ty["length"] > 1:
            return f"vec{ty['length']}<{self.scalar('wgsl', ty['scalar'])}>"
        if kind == "matrix":
            vectors, length = vectors_and_length(ty)
            if ty["scalar"] != "float" or vectors == 1 or length == 1:
                raise NotExpressible("matrices of integers or of one vector in WGSL")
            return f"mat{vectors}x{length}<f32>"
        if kind == "array":
            if ty["count"] is None and not is_last:
                raise NotExpressible("arrays without a length before other members")
            if ty["count"] == 0:
                raise NotExpressible("arrays of no elements")
            element = self.type(ty["element"])
            return f"array<{element}>" if ty["count"] is None else f"array<{element}, {ty['count']}>"
        if kind == "struct":
            return self.struct_name(ty, self.struct)
        raise NotExpressible(f"{kind} in WGSL")

    def struct(self, name, members):
        lines = [f"    m_{member['name']}: {self.type(member['type'], member is members[-1])}," for member in members]
        return f"struct {name} {{\n" + "\n".join(lines) + "\n}\n"

    def text(self, space):
        root = self.struct("Root", self.root())
        return "".join(self.structs) + root + f"@group(0) @binding(0) var<{space}> root: Root;\n"


class Glsl(Writer):
    def type(self, ty):
        """The type, the dimensions of an array, and the orders of the matrices in it."""
        kind = ty["kind"]
        if kind == "array" and ty["count"] is None and ty is not self.block["type"]["members"][-1]["type"]:
            raise NotExpressible("arrays without a length that are not the last member of a block")
        if kind == "scalar":
            return self.scalar("glsl", ty["scalar"]), "", set()
        if kind == "vector" and ty["length"] > 1 and ty["scalar"] in GLSL_VECTORS:
            return f"{GLSL_VECTORS[ty['scalar']]}{ty['length']}", "", set()
        if kind == "matrix":
            rows, columns = ty["rows"], ty["columns"]
            if ty["scalar"] not in ("float", "double") or rows == 1 or columns == 1:
                raise NotExpressible("matrices of integers or of one vector in GLSL")
            letter = "d" if ty["scalar"] == "double" else ""
            return f"{letter}mat{columns}x{rows}", "", {ty["order"]}
        if kind == "array":
            element, dimensions, orders = self.type(ty["element"])
            if ty["count"] == 0:
                raise NotExpressible("arrays of no elements")
            length = "" if ty["count"] is None else ty["count"]
            return element, f"[{length}]{dimensions}", orders
        if kind == "struct":
            name = self.struct_name(ty, self.struct)
            return name, "", set().union(*(self.type(member["type"])[2] for member in ty["members"]))
        raise NotExpressible(f"{kind} in GLSL")

    def struct(self, name, members):
        """A struct. Only members of blocks may have the order of their matrices."""
        lines = []
        for member in members:
            ty, dimensions, _ = self.type(member["type"])
            lines.append(f"    {ty} m_{member['name']}{dimensions};\n")
        return f"struct {name} {{\n" + "".join(lines) + "};\n"

    def block_members(self, members):
        for member in members:
            ty, dimensions, orders = self.type(member["type"])
            if len(orders) > 1:
                raise NotExpressible("matrices of both orders in one struct in GLSL")
            qualifier = "".join(f"layout({order}_major) " for order in orders)
            yield f"    {qualifier}{ty} m_{member['name']}{dimensions};\n"

    def text(self, rules):
        extension = "" if rules != "scalar" else "#extension GL_EXT_scalar_block_layout : require\n"
        buffer = "uniform" if rules == "std140" else "buffer"
        members = "".join(self.block_members(self.root()))
        return (
            f"#version 460\n{extension}layout(local_size_x = 1) in;\n" + "".join(self.structs)
            + f"layout({rules}, set = 0, binding = 0) {buffer} Root {{\n{members}}} root;\n"
            + "layout(set = 0, binding = 1) buffer Read { uint read; };\n"
            + f"void main() {{ read = uint({first_scalar(self.block['type'], 'root')}); }}\n"
        )


class Hlsl(Writer):
    """HLSL, and Slang in what both have."""

    def type(self, ty):
        """The type with the order of its matrices, and the dimensions of an array."""
        kind = ty["kind"]
        if kind == "scalar":
            return ty["scalar"], ""
        if kind == "vector":
            # Long vectors have no name of one word.
            name = "{}{}" if ty["length"] <= 4 else "vector<{}, {}>"
            return name.format(ty["scalar"], ty["length"]), ""
        if kind == "matrix":
            return f"{'row' if ty['order'] == 'row' else 'column'}_major {ty['scalar']}{ty['rows']}x{ty['columns']}", ""
        if kind == "array":
            if not ty["count"]:
                raise NotExpressible("arrays without a length")
            element, dimensions = self.type(ty["element"])
            return element, f"[{ty['count']}]{dimensions}"
        if kind == "struct":
            return self.struct_name(ty, self.struct), ""
        raise NotExpressible(f"{kind} in HLSL")

    def fields(self, members):
        for member in members:
            ty, dimensions = self.type(member["type"])
            yield f"    {ty} m_{member['name']}{dimensions};\n"

    def struct(self, name, members):
        return f"struct {name} {{\n" + "".join(self.fields(members)) + "};\n"

    def declarations(self, declaration):
        """The declarations for a block; `declaration` has `Root` and `root` for its type and its name, or is `cbuffer`."""
        members = self.root()
        if declaration == "cbuffer":
            block = f"cbuffer Root {{\n{''.join(self.fields(members))}}};\n"
        else:
            block = self.struct(f"{self.prefix}Root", members) + re.sub(r"\b([Rr]oot)\b", self.prefix + r"\1", declaration) + "\n"
        return "".join(self.structs) + block

    def program(self, declaration):
        """A program that reads the block."""
        path = "" if declaration == "cbuffer" else "root[0]"
        first = first_scalar(self.block["type"], path).lstrip(".")
        return (
            self.declarations(declaration) + "RWStructuredBuffer<uint> result;\n"
            + f"[numthreads(1, 1, 1)] void main() {{ result[0] = uint({first}); }}\n"
        )


class Rust(Writer):
    """Structs with a derive, and an expression in which the n-th scalar is n."""

    def __init__(self, block, derive, vector, matrix, array):
        super().__init__(block)
        self.derive, self.vector, self.matrix, self.array, self.next = derive, vector, matrix, array, 0

    def number(self, scalar):
        self.next += 1
        return f"{(self.next - 1) % 2048 + 1}{'.0' if scalar == 'float' else ''}"

    def type(self, ty, is_last=False):
        kind = ty["kind"]
        if kind == "scalar":
            return self.scalar("rust", ty["scalar"])
        if kind == "vector" and ty["length"] > 1:
            return self.vector(self.scalar("rust", ty["scalar"]), ty["length"])
        if kind == "matrix":
            vectors, length = vectors_and_length(ty)
            if ty["scalar"] != "float" or vectors == 1 or length == 1:
                raise NotExpressible("matrices of integers or of one vector in Rust")
            return self.matrix(vectors, length)
        if kind == "array":
            if not ty["count"]:
                raise NotExpressible("arrays without a length")
            return self.array(self.type(ty["element"]), ty["count"], ty["element"])
        if kind == "struct":
            return self.struct_name(ty, self.struct)
        raise NotExpressible(f"{kind} in Rust")

    def struct(self, name, members):
        lines = [f"    m_{member['name']}: {self.type(member['type'])}," for member in members]
        return f"#[derive({self.derive})]\nstruct {name} {{\n" + "\n".join(lines) + "\n}\n"

    def value(self, ty):
        kind = ty["kind"]
        if kind == "scalar":
            return self.number(ty["scalar"])
        if kind == "vector":
            return f"<{self.type(ty)}>::from([" + ", ".join(self.number(ty["scalar"]) for _ in range(ty["length"])) + "])"
        if kind == "matrix":
            # Scalars are numbered row by row; the constructor takes contiguous vectors.
            first, (rows, columns) = self.next, (ty["rows"], ty["columns"])
            self.next += rows * columns
            cell = lambda row, column: (first + row * columns + column) % 2048 + 1
            vectors, length = vectors_and_length(ty)
            at = (lambda v, e: cell(v, e)) if ty["order"] == "row" else (lambda v, e: cell(e, v))
            cells = [[f"{at(v, e)}.0" for e in range(length)] for v in range(vectors)]
            return f"<{self.type(ty)}>::from([" + ", ".join("[" + ", ".join(v) + "]" for v in cells) + "])"
        if kind == "array":
            return "[" + ", ".join(self.value(ty["element"]) for _ in range(ty["count"])) + "]"
        name = self.names[repr(ty)]
        return name + " { " + self.fields(ty["members"]) + " }"

    def fields(self, members):
        return ", ".join(f"m_{member['name']}: {self.value(member['type'])}" for member in members)

    def module(self, name, body):
        members = self.root()
        if scalars(self.block["type"]) > 2048:
            raise NotExpressible("more than 2048 scalars")
        root = self.struct("Root", members)
        value = "Root { " + self.fields(members) + " }"
        return f"mod {name} {{\nuse super::*;\n{''.join(self.structs)}{root}pub(crate) fn bytes() -> Vec<u8> {{ let value = {value}; {body} }}\n}}\n"


def first_scalar(ty, path):
    """An expression that reads the first scalar, since tools leave out blocks that no code reads."""
    kind = ty["kind"]
    if kind == "vector":
        return f"{path}.x"
    if kind == "matrix":
        return f"{path}[0].x"
    if kind == "array":
        return first_scalar(ty["element"], f"{path}[0]")
    if kind == "struct":
        return first_scalar(ty["members"][0]["type"], f"{path}.m_{ty['members'][0]['name']}")
    return path


def scalars(ty):
    """Number of scalars of a type."""
    kind = ty["kind"]
    if kind == "vector":
        return ty["length"]
    if kind == "matrix":
        return ty["rows"] * ty["columns"]
    if kind == "array":
        return (ty["count"] or 2) * scalars(ty["element"])
    if kind == "struct":
        return sum(scalars(member["type"]) for member in ty["members"])
    return 1


def plain(path):
    """A member's path without the marks that keep names out of the way of keywords."""
    return re.sub(r"\bm_", "", path)
