"""The compiler that answers for each rule set, and its flags.

Input: a case and the name of a rule set. Output: the numbers and the authority.
"""

from dataclasses import dataclass, field, replace

from . import dxc, glsl, slang, views, wgsl
from .declarations import NODE_RECORD, POINTEE, RAW, RECORD, VIEWS, Reader, Unsupported
from .request import ENTRY, Request
from .spirv import Layout
from .tools import NEW_DXC_RELEASE

COMPILERS = ("dxc", "slang", "glslang", "naga")
UNIFORM, STORAGE, STRUCT = "cbuffer", "structured-element", "constant-buffer"


@dataclass
class Authority:
    """The compiler for a rule set, and the way to query it."""

    compiler: str
    container: str
    source: str
    flags: tuple = ()
    rounds: bool = False
    one_byte_bool: bool = False
    # The release of DXC; None for the one that the set-up fetches by default.
    release: str = None


@dataclass
class Derived:
    """The authority's numbers of a rule set for a case."""

    authority: dict
    layout: Layout = field(default_factory=Layout)
    accessed: dict = field(default_factory=dict)
    partial: bool = False


D3D = ("-target", "hlsl", "-profile", "sm_6_6")
VULKAN = ("-target", "spirv")
RULES = {
    "hlsl-cbuffer": Authority("dxc", UNIFORM, "listing"),
    "hlsl-cbuffer-struct": Authority("dxc", STRUCT, "listing"),
    "hlsl-structured": Authority("dxc", STORAGE, "listing"),
    "relaxed140": Authority("dxc", UNIFORM, "decorations"),
    "relaxed430": Authority("dxc", STORAGE, "decorations"),
    "std140@dxc": Authority("dxc", UNIFORM, "decorations", ("-fvk-use-gl-layout",)),
    "std430@dxc": Authority("dxc", STORAGE, "decorations", ("-fvk-use-gl-layout",)),
    "scalar@dxc": Authority("dxc", STORAGE, "decorations", ("-fvk-use-scalar-layout",)),
    "scalar@dxc-1.9": Authority(
        "dxc", STORAGE, "decorations", ("-fvk-use-scalar-layout",), release=NEW_DXC_RELEASE
    ),
    "dx-cbuffer": Authority("dxc", UNIFORM, "decorations", ("-fvk-use-dx-layout",)),
    "dx-structured": Authority("dxc", STORAGE, "decorations", ("-fvk-use-dx-layout",)),
    "slang-cbuffer": Authority("slang", UNIFORM, "reflection", D3D),
    "hlsl-structured@slang": Authority("slang", STORAGE, "reflection", D3D),
    "std140@slang": Authority("slang", UNIFORM, "reflection", VULKAN, rounds=True),
    "std430@slang": Authority("slang", STORAGE, "reflection", VULKAN, rounds=True),
    "scalar@slang": Authority("slang", STORAGE, "reflection", (*VULKAN, "-fvk-use-scalar-layout")),
    "c": Authority("slang", UNIFORM, "reflection", ("-target", "cpp"), rounds=True, one_byte_bool=True),
    "metal": Authority("slang", UNIFORM, "reflection", ("-target", "metal"), rounds=True, one_byte_bool=True),
    "cuda": Authority("slang", UNIFORM, "reflection", ("-target", "cuda"), rounds=True, one_byte_bool=True),
    "std140": Authority("glslang", UNIFORM, "decorations"),
    "std430": Authority("glslang", STORAGE, "decorations"),
    "scalar": Authority("glslang", STORAGE, "decorations"),
    "wgsl-uniform": Authority("naga", UNIFORM, "decorations"),
    "wgsl-storage": Authority("naga", STORAGE, "decorations"),
}

# Slang chooses its own rules for the uniform parameters of an entry point, so some targets differ. Under its layout of
# D3D, its reflection and its code have two rule sets for them.
DX = (*VULKAN, "-fvk-use-dx-layout")
ENTRY_RULES = {
    "std140@slang": replace(RULES["std140@slang"], flags=("-target", "wgsl")),
    "hlsl-structured@slang": replace(RULES["hlsl-structured@slang"], flags=DX),
}
CODE_RULES = {"std430@slang": replace(RULES["std430@slang"], flags=DX, source="decorations")}


def authority_of(rules, compiler, blocks, source):
    """The row for the rule set; `source` names the source of a table, for a compiler that has two."""
    key = f"{rules}@{compiler}" if compiler and RULES[rules].compiler != compiler else rules
    if key not in RULES:
        raise Unsupported(f"{compiler or 'no compiler'} answers for {rules}")
    if any(block.kind == POINTEE for block in blocks):
        return authority_of_pointee(RULES[key])
    if not any(block.kind == ENTRY for block in blocks):
        return RULES[key]
    if source == "decorations":
        return CODE_RULES.get(key, RULES[key])
    return ENTRY_RULES.get(key, RULES[key])


def authority_of_pointee(authority):
    """The row for a struct behind a pointer: Slang's rules for it depend on no option, and DXC 1.7 has no pointers."""
    if authority.compiler == "slang":
        return replace(authority, source="decorations", flags=VULKAN)
    return replace(authority, release=NEW_DXC_RELEASE) if authority.compiler == "dxc" else authority


def derive(tools, case, rules, compiler=None, source=None):
    """Queries the authority of `rules`; `compiler` selects another if a rule set has two (`slang` for `std140`)."""
    reader = Reader(case.declare)
    # A case without an entry point is about the pointers themselves, except where they are DXC's.
    declared = reader.read()
    has_pointees = reader.entry_body or "vk::BufferPointer" in case.declare
    blocks = [block for block in declared if block.kind != POINTEE or has_pointees]
    authority = authority_of(rules, compiler, blocks, source)
    if reader.has_long_vectors and authority.compiler != "dxc":
        # slangc refuses them only when it writes code, which no rule set here asks for.
        raise Unsupported(f"{authority.compiler} has no vectors of more than four components")
    if reader.has_long_vectors and authority.source == "listing":
        authority = replace(authority, release=NEW_DXC_RELEASE)
    # DXC 1.7 loads types from bytes by the rules of std430, whatever its option.
    is_new = rules == "relaxed430" and any(block.kind == RAW for block in blocks)
    if is_new or any(block.form == NODE_RECORD for block in blocks):
        authority = replace(authority, release=NEW_DXC_RELEASE)
    if authority.release:
        tools = tools.of_dxc(authority.release)
    if tools.versions[authority.compiler] is None:
        raise Unsupported(f"{authority.compiler} is absent")
    if not blocks:
        raise Unsupported("no block is declared")
    derived = Derived({"compiler": authority.compiler, "version": tools.versions[authority.compiler]})
    if any(block.kind in VIEWS for block in blocks):
        return derive_views(tools, derived, [block for block in blocks if block.kind in VIEWS], (reader, case, authority))
    pointees = [block for block in blocks if block.kind == POINTEE]
    derived.partial |= bool(pointees)
    for block in pointees or blocks:
        is_traced = block.kind == RECORD and authority.source == "decorations"
        container = RECORD if is_traced else authority.container
        request = Request(reader, block, container, list(authority.flags), case.order, case.sixteen_bit)
        ask(tools, derived, request, (rules, authority))
    derived.authority["from"] = authority.source
    return derived


def derive_views(tools, derived, blocks, asked):
    """The numbers of memory without a declared block, which only DXC's code and metadata give."""
    reader, case, authority = asked
    if authority.compiler != "dxc":
        raise Unsupported(f"{authority.compiler} states no numbers of this memory")
    for block in blocks:
        request = Request(reader, block, block.form or authority.container, list(authority.flags), case.order, case.sixteen_bit)
        layout, flags, source = views.layout(tools, request, authority)
        for name in ("offsets", "strides", "matrix_strides", "sizes"):
            getattr(derived.layout, name).update(getattr(layout, name))
        derived.authority |= {"flags": flags, "from": source}
        # Metadata has at most the place of a grid.
        derived.partial |= block.name not in layout.sizes or source == "metadata"
    return derived


def ask(tools, derived, request, asked):
    """Adds one block's numbers."""
    rules, authority = asked
    accessed = {}
    if authority.compiler == "dxc" and authority.source == "listing":
        layout, accessed = dxc.dxil_layout(tools, request)
        derived.authority["flags"] = " ".join(dxc.all_flags(request))
        derived.partial |= any(path.endswith("]") and path not in layout.offsets for path in accessed)
    elif authority.compiler == "dxc":
        layout = dxc.spirv_layout(tools, request)
        derived.authority["flags"] = " ".join(["-spirv", *dxc.all_flags(request)])
    elif authority.compiler == "slang":
        layout = slang.slang_layout(tools, request, authority)
        derived.authority["flags"] = " ".join(slang.all_flags(request))
    elif authority.compiler == "glslang":
        layout = glsl.glslang_layout(tools, request, rules)
    else:
        layout = wgsl.naga_layout(tools, request, rules)
    for name in ("offsets", "strides", "matrix_strides", "sizes"):
        getattr(derived.layout, name).update(getattr(layout, name))
    derived.accessed.update(accessed)
    derived.partial |= request.block.name not in layout.sizes
