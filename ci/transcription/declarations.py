"""Reads the declarations of a case far enough to name every member.

Input: text. Output: blocks of bytes, each a tree of types with the paths that cases use. Knows no sizes and no offsets. The
subset is what cases need: structs (including generic and specialised ones), enums, namespaces, `cbuffer`, the buffer
templates, loose globals, and an entry point whose uniform parameters are a block. If several specialisations fit, the one
with the fewest parameters counts.
"""

import re
from dataclasses import dataclass, field, replace

# A line of the preprocessor keeps a compiler out with `#error`; it declares nothing.
TOKEN = re.compile(r"//[^\n]*|^#[^\n]*|/\*.*?\*/|\[\[.*?\]\]|[A-Za-z_]\w*|\d+|::|\S", re.S | re.M)
SCALARS = (
    "bool|int8_t|uint8_t|int16_t|uint16_t|int64_t|uint64_t|float16_t|float64_t|min16float|min16uint|min16int|min10float"
    "|min12int|half|float|double|int|uint|dword"
)
NUMERIC = re.compile(rf"^({SCALARS})(?:([1-4])(?:x([1-4]))?)?$")
ORDERS = {"row_major": "row", "column_major": "column"}
MODIFIERS = (*ORDERS, "uniform", "const", "static", "unorm", "snorm")
CONTAINERS = {
    "ConstantBuffer": "constant-buffer",
    "ParameterBlock": "parameter-block",
    "TextureBuffer": "texture-buffer",
    "StructuredBuffer": "structured-element",
    "RWStructuredBuffer": "structured-element",
}
RECORD = "shader-record"
# A block that a pointer points to.
POINTEE = "pointee"
# Memory without a declared block: a type that code loads from bytes, a buffer of a descriptor heap, data of a stage.
RAW, HEAP, STAGE = "raw-access", "descriptor-heap", "stage-data"
VIEWS = (RAW, HEAP, STAGE)
RAW_ACCESS = re.compile(r"\.\s*(?:Load|Store)\s*<\s*(\w+)\s*>")
# What a caller or another stage hands over.
PASSED = ("in", "out", "inout", "payload", "vertices", "indices")
PAYLOAD, ATTRIBUTES, PARAMETER, MESH_PAYLOAD = "ray-payload", "hit-attributes", "callable-data", "mesh-payload"
NODE_RECORD = "node-record"
RECORD_OF_NODE = re.compile(r"\b(?:RW)?(?:Dispatch|Group|Thread)NodeInputRecords?\s*<\s*(\w+)\s*>")
# The attributes that a driver fills.
BUILT_IN_ATTRIBUTES = "BuiltInTriangleIntersectionAttributes"
PASSED_DATA = {
    "closesthit": (PAYLOAD, ATTRIBUTES),
    "anyhit": (PAYLOAD, ATTRIBUTES),
    "miss": (PAYLOAD,),
    "callable": (PARAMETER,),
}
OBJECTS = ("string", "RaytracingShaderConfig")
LENGTH = re.compile(r"[\d\s+*(),-]*(?:(?:min|max)[\d\s+*(),-]*)*")


class Unsupported(Exception):
    """The reader or a language cannot express the declaration."""


@dataclass
class Type:
    """`kind` is numeric, array, struct, enum, pointer or resource; each other field belongs to one kind."""

    kind: str
    scalar: str = ""
    rows: int = 0
    columns: int = 0
    order: str = ""
    element: "Type | None" = None
    count: int = 0
    name: str = ""
    base: "Type | None" = None
    members: list = field(default_factory=list)

    def is_matrix(self):
        """True for a matrix, including single-vector ones."""
        return self.kind == "numeric" and self.columns > 0

    def is_vector(self):
        """True for a vector."""
        return self.kind == "numeric" and self.rows > 0 and self.columns == 0

    def vectors(self, default_order):
        """Number of contiguous vectors of a matrix, and the components of each."""
        row_major = (self.order or default_order) == "row"
        return (self.rows, self.columns) if row_major else (self.columns, self.rows)


@dataclass
class Member:
    """A member of a struct or a constant buffer."""

    name: str
    type: Type
    bits: int | None = None


@dataclass
class Block:
    """A block of bytes. `body` is the text between the braces of a `cbuffer`, `element` the text of a buffer's type, `form`
    the container in a descriptor heap or the kind of a stage's data."""

    name: str
    kind: str
    type: Type
    text: str
    body: str = ""
    element: str = ""
    form: str = ""


@dataclass
class Place:
    """A member, or an element or cell of one: its path in a case, in HLSL, and as steps through the tree."""

    path: str
    expression: str
    type: Type
    member: Member | None = None


@dataclass
class Template:
    """A declaration of a generic struct; `pattern` has the arguments of a specialisation as text."""

    parameters: list
    pattern: list | None
    start: int

    def fit(self, arguments):
        """The arguments of the parameters, by name, each as text and type; None if they do not fit."""
        if self.pattern is None:
            return dict(zip(self.parameters, arguments))
        found = {}
        for wanted, argument in zip(self.pattern, arguments):
            if wanted in self.parameters:
                found[wanted] = argument
            elif wanted != argument[0]:
                return None
        return found


class Reader:
    """One pass over the tokens of a case's declarations."""

    def __init__(self, text):
        self.text = text
        found = [m for m in TOKEN.finditer(text) if not m.group().startswith(("//", "/*", "#"))]
        self.tokens = [m.group() for m in found]
        self.spans = [m.span() for m in found]
        self.at = 0
        self.types, self.generics, self.blocks, self.globals = {"RayDesc": ray_desc()}, {}, [], []
        self.types[BUILT_IN_ATTRIBUTES] = Type("struct", name=BUILT_IN_ATTRIBUTES)
        self.constants, self.outer = {}, ""
        self.block_spans = []
        self.entry_body = None
        self.stage = ""
        self.has_long_vectors = False

    def peek(self, ahead=0):
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.peek()
        if expected is not None and token != expected:
            raise Unsupported(f"expected `{expected}`, found `{token}`")
        self.at += 1
        return token

    def accept(self, token):
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def read(self):
        """Reads everything and returns the blocks."""
        while self.peek():
            self.declaration()
        for name in dict.fromkeys(RECORD_OF_NODE.findall(self.text)):
            self.blocks.append(Block(name, STAGE, self.types[name], "", form=NODE_RECORD))
        for name in dict.fromkeys(RAW_ACCESS.findall(self.text)):
            self.blocks.append(Block(name, RAW, self.types[name], ""))
        if any(member.type.kind != "resource" for member in self.globals):
            struct = Type("struct", name="$Globals", members=self.globals)
            self.blocks.append(Block("$Globals", "globals", struct, ""))
        return self.blocks

    def declaration(self):
        start = self.at
        while self.peek().startswith("[["):
            self.take()
        word = self.peek()
        if word == "template":
            self.template()
        elif word == "namespace":
            self.namespace()
        elif word in OBJECTS:
            self.skip()
        elif word == "struct" and not self.names_type():
            self.struct()
        elif word == "enum" and not self.names_type():
            self.enum()
        elif word in ("cbuffer", "tbuffer"):
            self.buffer(start)
        elif word in CONTAINERS:
            self.container(start)
        elif word == "static" and self.peek(1) in CONTAINERS:
            self.heap_buffer()
        elif word == ";":
            self.take()
        elif word == "[":
            first, _ = self.bracketed("[", "]")
            if self.tokens[first + 1] == "shader":
                self.stage = self.tokens[first + 4]
        elif word == "void":
            self.entry_point(start)
        else:
            self.globals.extend(self.member())

    def names_type(self):
        """True at `struct T t`, which declares no struct."""
        return re.match(r"\w", self.peek(1)) is not None and re.match(r"\w", self.peek(2)) is not None and (
            self.peek(1) != "class"
        )

    def skip(self):
        """Skips the `;` or the body of a declaration without members."""
        while self.peek() not in (";", "{"):
            self.take()
        if self.peek() == "{":
            self.bracketed("{", "}")
        self.accept(";")

    def namespace(self):
        """The types of a namespace have their qualified names, and inside it also their short ones."""
        self.take("namespace")
        outer, self.outer = self.outer, f"{self.outer}{self.take()}::"
        self.take("{")
        while not self.accept("}"):
            self.declaration()
        self.outer = outer

    def template(self):
        """Keeps the tokens of a generic struct's body; skips a function."""
        self.take("template")
        self.take("<")
        parameters = []
        while self.peek() != ">":
            word = self.take()
            if self.peek() in (",", ">"):
                parameters.append(word)
            self.accept(",")
        self.take(">")
        if self.peek() != "struct":
            self.skip()
            return
        self.take("struct")
        name, pattern = self.take(), None
        if self.accept("<"):
            pattern, start = [], self.at
            while self.peek() != ">":
                if self.take() == ",":
                    start = self.at
                elif self.peek() in (",", ">"):
                    pattern.append(" ".join(self.tokens[start : self.at]))
            self.take(">")
        self.generics.setdefault(name, []).append(Template(parameters, pattern, self.body()))

    def bracketed(self, opening, closing):
        """Skips to the end of the bracket that opens here; returns the first and the last token."""
        start, depth = self.at, 0
        while True:
            depth += {opening: 1, closing: -1}.get(self.take(), 0)
            if depth == 0:
                return start, self.at - 1

    def entry_point(self, start):
        """The uniform parameters are a block, without those that have semantics and without resources."""
        self.take("void")
        name = f"$Entry.{self.take()}"
        self.take("(")
        members, stage, self.stage = [], self.stage, ""
        passed = list(PASSED_DATA.get(stage, ()))
        while not self.accept(")"):
            members.extend(self.entry_parameter(passed))
            self.accept(",")
        body = self.bracketed("{", "}")
        self.entry_body = (self.spans[body[0]][1], self.spans[body[1]][0])
        if members:
            struct = Type("struct", name=name, members=members)
            self.block(Block(name, "entry-uniforms", struct, self.source(start, self.at)), start)
            self.pointees("", members)

    def entry_parameter(self, passed):
        order, words = "", []
        while self.peek() in (*MODIFIERS, *PASSED):
            words.append(self.take())
            order = ORDERS.get(words[-1], order)
        element = self.type(order)
        parameter = self.declarator(self.take(), element)
        if any(word in PASSED for word in words):
            data = MESH_PAYLOAD if "payload" in words else passed.pop(0) if passed else ""
            is_new = all(block.kind != STAGE or (block.name, block.form) != (element.name, data) for block in self.blocks)
            if data and is_new and element.name != BUILT_IN_ATTRIBUTES:
                self.blocks.append(Block(element.name, STAGE, element, "", form=data))
            return []
        # `: SV_DispatchThreadID`
        is_varying = self.tokens[self.at - 2] == ":"
        return [] if is_varying or parameter.type.kind == "resource" else [parameter]

    def pointees(self, holder, members, above=()):
        """Adds the blocks that pointers among the members of a block point to, and those that pointers in these point to."""
        for member in members:
            pointee = member.type.element if member.type.kind == "pointer" else None
            if pointee and pointee.name not in above:
                name = f"{holder}{member.name}"
                self.blocks.append(Block(name, POINTEE, pointee, ""))
                if pointee.kind == "struct":
                    self.pointees(f"{name}.", pointee.members, (*above, pointee.name))

    def using(self, statements):
        """The text with these statements as the body of the entry point."""
        start, end = self.entry_body
        return f"{self.text[:start]} {statements} {self.text[end:]}"

    def buffer(self, start):
        kind, name = self.take(), self.take()
        self.annotations()
        self.take("{")
        body_start = self.at
        members = self.members()
        body = self.source(body_start, self.at - 1)
        self.accept(";")
        struct = Type("struct", name=name, members=members)
        self.block(Block(name, kind, struct, self.source(start, self.at), body=body), start)

    def container(self, start):
        is_record = any("shader_record" in token for token in self.tokens[start : self.at])
        kind = CONTAINERS[self.take()]
        kind = RECORD if is_record else kind
        self.take("<")
        element_start = self.at
        element = self.type(ORDERS[self.take()] if self.peek() in ORDERS else "")
        text = self.source(element_start, self.at)
        self.take(">")
        name = self.take()
        self.annotations()
        self.take(";")
        self.block(Block(name, kind, element, self.source(start, self.at), element=text), start)
        self.pointees(f"{name}.", element.members)

    def heap_buffer(self):
        """`static ConstantBuffer<T> S = ResourceDescriptorHeap[3];`"""
        self.take("static")
        kind = CONTAINERS[self.take()]
        self.take("<")
        element_start = self.at
        element = self.type()
        text = self.source(element_start, self.at)
        self.take(">")
        name = self.take()
        self.take("=")
        self.take("ResourceDescriptorHeap")
        self.bracketed("[", "]")
        self.take(";")
        self.blocks.append(Block(name, HEAP, element, "", element=text, form=kind))

    def block(self, block, start):
        self.blocks.append(block)
        self.block_spans.append((self.spans[start][0], self.spans[self.at - 1][1]))

    def source(self, start, end):
        """The text of the tokens from `start` up to `end`."""
        return self.text[self.spans[start][0] : self.spans[end - 1][1]] if end > start else ""

    def struct(self):
        self.take("struct")
        name = self.take()
        if self.peek() == "<":
            self.generic(name)
            return
        base = self.named(self.take()) if self.accept(":") else None
        self.take("{")
        outer, self.outer = self.outer, f"{self.outer}{name}::"
        struct = Type("struct", name=outer + name, base=base)
        self.types[name] = self.types[outer + name] = struct
        struct.members = self.members()
        self.outer = outer
        self.accept(";")

    def generic(self, name):
        """Keeps the tokens of a generic struct's body; [`named`] reads them once per argument."""
        self.take("<")
        parameter = self.take()
        self.take(">")
        self.generics[name] = [Template([parameter], None, self.body())]

    def body(self):
        """Skips a struct's body; returns the place of its first token."""
        start, _ = self.bracketed("{", "}")
        self.accept(";")
        return start + 1

    def enum(self):
        self.take("enum")
        self.accept("class")
        name = self.take()
        scalar = self.take() if self.accept(":") else "int"
        while self.take() != "}":
            pass
        self.accept(";")
        self.types[name] = self.types[self.outer + name] = Type("enum", name=name, scalar=scalar)

    def members(self):
        members = []
        while not self.accept("}"):
            if self.accept(";"):
                continue
            members.extend(self.member())
        return members

    def member(self):
        """Reads one declaration, which may declare several names, or none: a struct, a function."""
        order, static = "", False
        while self.peek() in MODIFIERS or self.peek().startswith("[["):
            word = self.take()
            static |= word == "static"
            order = ORDERS.get(word, order)
        if self.peek() in ("struct", "enum") and not self.names_type():
            self.struct() if self.peek() == "struct" else self.enum()
            return []
        element = self.type(order)
        members = []
        while True:
            name = self.take() if self.peek() not in (":", ";") else ""
            while self.accept("::"):
                # A definition outside of its struct.
                name, static = f"{name}::{self.take()}", True
            if self.peek() == "(":
                self.skip()
                return []
            members.append(self.declarator(name, element))
            if self.take() == ";":
                return [m for m in members if m.name and not static]

    def declarator(self, name, element):
        counts = []
        while self.accept("["):
            counts.append(0 if self.peek() == "]" else self.length())
            self.take("]")
        for count in reversed(counts):
            element = Type("array", element=element, count=count)
        bits = None
        if self.peek() == ":" and self.peek(1).isdigit():
            self.take()
            bits = int(self.take())
        self.annotations()
        if self.accept("="):
            start, depth = self.at, 0
            while depth or self.peek() not in (",", ";"):
                depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(self.take(), 0)
            self.constants[name] = " ".join(self.tokens[start : self.at])
        return Member(name, element, bits)

    def length(self):
        """The value of the expression up to the next `]`."""
        words = []
        while self.peek() != "]":
            word = self.take()
            while self.accept("::"):
                word = f"{word}::{self.take()}"
            while word in self.constants:
                word = self.constants[word]
            words.append(word)
        text = " ".join(words)
        if not LENGTH.fullmatch(text):
            raise Unsupported(f"length `{text}`")
        return eval(text, {"__builtins__": {}}, {"min": min, "max": max})  # noqa: S307

    def annotations(self):
        while self.accept(":"):
            self.take()
            if self.accept("("):
                while self.take() != ")":
                    pass

    def type(self, order=""):
        word = self.take()
        if word in ("struct", "enum", "typename"):
            word = self.take()
        if word == "unsigned":
            word = f"u{self.take()}"
        found = NUMERIC.match(word)
        if found:
            scalar, rows, columns = found.groups()
            result = Type("numeric", scalar=scalar, rows=int(rows or 0), columns=int(columns or 0), order=order)
        else:
            result = self.named(word)
        while self.accept("*"):
            result = Type("pointer", name=word, element=result)
        return result

    def named(self, name):
        if name == "vector" and self.accept("<"):
            return self.long_vector()
        if name == "Ptr" or (name == "vk" and self.peek(1) == "BufferPointer"):
            return self.pointer(name)
        if self.accept("<"):
            return self.handle(self.specialised(name, self.arguments()))
        while self.accept("::"):
            name = f"{self.types[name].name if name in self.types else name}::{self.take()}"
        if name in self.types:
            return self.types[name]
        if re.match(r"(RW)?(Texture|Buffer|ByteAddressBuffer)|Sampler", name):
            return self.handle(Type("resource", name=name))
        raise Unsupported(f"type `{name}`")

    def long_vector(self):
        """`vector<T, N>` with more than four components, which follow each other as in an array."""
        component = self.type()
        self.take(",")
        count = int(self.take())
        self.take(">")
        if count <= 4:
            return replace(component, rows=count)
        self.has_long_vectors = True
        return Type("array", element=component, count=count)

    def pointer(self, name):
        """`Ptr<T, ...>` or `vk::BufferPointer<T, ...>`; the arguments after the first change no member's type."""
        while self.take() != "<":
            pass
        pointee = self.type()
        while self.take() != ">":
            pass
        return Type("pointer", name=name, element=pointee)

    def handle(self, found):
        """`T.Handle` is data whose parts have no names."""
        if found.kind == "resource" and self.accept("."):
            self.take("Handle")
            return Type("pointer", name=f"{found.name}.Handle")
        return found

    def arguments(self):
        """The arguments up to the `>`, each as text and type; a number has no type."""
        found = []
        while True:
            start, word = self.at, self.peek()
            kind = self.take() and None if word.isdigit() or word in ("true", "false") else self.type()
            found.append((" ".join(self.tokens[start : self.at]), kind))
            if not self.accept(","):
                self.take(">")
                return found

    def specialised(self, name, arguments):
        if name == "DescriptorHandle":
            return Type("pointer", name=name)
        fits = [(t, t.fit(arguments)) for t in self.generics.get(name, [])]
        fits = [(t, found) for t, found in fits if found is not None]
        if not fits:
            return Type("resource", name=name)
        # Any specialisation is better than the template.
        template, found = min(fits, key=lambda fit: (fit[0].pattern is None, len(fit[0].parameters)))
        after, types, constants, self.at = self.at, dict(self.types), dict(self.constants), template.start
        self.types.update({parameter: kind for parameter, (_, kind) in found.items() if kind})
        self.constants.update({parameter: text for parameter, (text, kind) in found.items() if not kind})
        result = Type("struct", name=name, members=self.members())
        self.types, self.constants, self.at = types, constants, after
        return result

    def prelude(self):
        """Everything outside of blocks: structs, enums and loose globals as written."""
        kept, end = [], 0
        for start, stop in self.block_spans:
            kept.append(self.text[end:start])
            end = stop
        return "".join([*kept, self.text[end:]])


def ray_desc():
    """The struct that HLSL and Slang define without a declaration."""
    vector, scalar = Type("numeric", scalar="float", rows=3), Type("numeric", scalar="float")
    members = [("Origin", vector), ("TMin", scalar), ("Direction", vector), ("TMax", scalar)]
    return Type("struct", name="RayDesc", members=[Member(name, kind) for name, kind in members])


def places(block, indexed):
    """Every member at every level, parents first; with `indexed`, an expression starts with `name[0]`."""
    if block.kind in ("cbuffer", "tbuffer", "globals", "entry-uniforms"):
        root = ""
    else:
        root = f"{block.name}[0]" if indexed else block.name
    if block.type.kind == "struct":
        yield from members_of(block.type, block.name, root)
    else:
        yield Place(block.name, root, block.type)


def members_of(struct, path, expression):
    """The places of a struct's members; a base struct's come first and count as members of the struct."""
    if struct.base:
        yield from members_of(struct.base, path, expression)
    for member in struct.members:
        if member.type.kind == "resource":
            continue
        place = Place(
            f"{path}.{member.name}",
            f"{expression}.{member.name}" if expression else member.name,
            member.type,
            member,
        )
        yield place
        yield from below(place)


def below(place):
    """The places of the members of a struct, or of an array's struct elements."""
    path, expression, kind = place.path, place.expression, place.type
    while kind.kind == "array":
        path, expression, kind = f"{path}[]", f"{expression}[0]", kind.element
    if kind.kind == "struct":
        yield from members_of(kind, path, expression)


def innermost(kind):
    """The type below all array dimensions, and their number."""
    dimensions = 0
    while kind.kind == "array":
        kind, dimensions = kind.element, dimensions + 1
    return kind, dimensions


def first_leaf(kind, expression):
    """The expression of the first scalar of a place, or None if it has none."""
    if kind.kind == "array":
        return first_leaf(kind.element, f"{expression}[0]")
    if kind.kind == "struct":
        members = ([kind.base] if kind.base else []) + [m.type for m in kind.members]
        names = ([""] if kind.base else []) + [f".{m.name}" for m in kind.members]
        found = (first_leaf(t, expression + n) for t, n in zip(members, names))
        return next((leaf for leaf in found if leaf), None)
    if kind.kind in ("resource", "pointer"):
        return None
    if kind.is_matrix():
        return f"{expression}[0][0]"
    return f"{expression}.x" if kind.is_vector() else expression
