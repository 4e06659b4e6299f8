"""The reflection of slangc and of DXC as peers."""

import json
import re
import shutil
import subprocess
from pathlib import Path

from declarations import Hlsl, NotExpressible

ROOT = Path(__file__).resolve().parent.parent.parent

# Options and declaration for each rule set. Scalar is an option, since slangc 2026.14.1 ignores a data layout that a
# StructuredBuffer names when it writes the reflection: upstream/slang-structured-buffer-data-layout.md.
SLANG = {
    "std140": (("-target", "spirv"), "ConstantBuffer<Root, Std140DataLayout> root;"),
    "std430": (("-target", "spirv"), "StructuredBuffer<Root, Std430DataLayout> root;"),
    "scalar": (("-target", "spirv", "-fvk-use-scalar-layout"), "StructuredBuffer<Root> root;"),
    "hlsl-cbuffer": (("-target", "hlsl"), "ConstantBuffer<Root> root;"),
    "hlsl-structured": (("-target", "hlsl"), "StructuredBuffer<Root> root;"),
}
DXC = {"hlsl-cbuffer": "cbuffer", "hlsl-structured": "StructuredBuffer<Root> root;"}


def run(command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False)


def tools_folder():
    return Path(run([ROOT / "ci/tools-folder"]).stdout.strip())


def check_block(question):
    if question.layout["rules"] == "hlsl-cbuffer" and question.block["kind"] != "cbuffer":
        raise NotExpressible("blocks that are no cbuffer")


def is_row_major(ty):
    """True if there are matrices and all are row-major: Slang loses the order that an array of matrices declares."""
    kind = ty["kind"]
    inner = [member["type"] for member in ty["members"]] if kind == "struct" else [ty["element"]] if kind == "array" else []
    orders = [is_row_major(part) for part in inner] + ([ty["order"] == "row"] if kind == "matrix" else [])
    known = [order for order in orders if order is not None]
    return all(known) if known else None


def slang_text(question):
    check_block(question)
    if re.search(r"'(min\d+\w+)'", str(question.block["type"])):
        raise NotExpressible("types of minimum precision in Slang")
    if not question.vector["sixteen_bit_types"] and "'half'" in str(question.block["type"]):
        raise NotExpressible("half of four bytes in Slang")
    return Hlsl(question.block, f"{question.name}_").declarations(SLANG[question.layout["rules"]][1])


def dxc_text(question):
    check_block(question)
    text = Hlsl(question.block).program(DXC[question.layout["rules"]])
    if "vector<" in text:
        raise NotExpressible("vectors of more than four components before Shader Model 6.9")
    return text


def slang_peer(peer, files, folder):
    """slangc's `-reflection-json`, for Vulkan's layouts and for Direct3D 12."""
    slangc = shutil.which("slangc") or tools_folder() / "tools/slang/bin/slangc"
    version = run([slangc, "-v"])
    peer.version = (version.stdout + version.stderr).strip()

    # slangc takes a second to start, so a file has many blocks, and half as many if it is refused.
    def ask(questions, options):
        program = folder / "batch.slang"
        texts = [files[question].read_text(encoding="utf-8") for question in questions]
        program.write_text("".join(texts) + '[shader("compute")] [numthreads(1, 1, 1)] void main() {}\n', encoding="utf-8")
        reflection = folder / "batch.json"
        done = run([slangc, "-entry", "main", "-stage", "compute", *options, "-no-codegen", program,
                    "-reflection-json", reflection])
        if done.returncode == 0:
            parameters = json.loads(reflection.read_text(encoding="utf-8"))["parameters"]
            types = {it["name"]: it["type"] for it in parameters}
            for question in questions:
                peer.judge(question, slang_numbers(types[f"{question.name}_root"]))
        elif len(questions) == 1:
            peer.judge(questions[0], {"error": first_error(done)})
        else:
            ask(questions[:len(questions) // 2], options)
            ask(questions[len(questions) // 2:], options)

    batches = {}
    for question in files:
        order = "-matrix-layout-row-major" if is_row_major(question.block["type"]) else "-matrix-layout-column-major"
        batches.setdefault((*SLANG[question.layout["rules"]][0], order), []).append(question)
    for options, questions in batches.items():
        for first in range(0, len(questions), 64):
            ask(questions[first:first + 64], options)


def slang_numbers(ty):
    ty = ty.get("elementType") or ty["resultType"]
    numbers = {"offsets": {}, "array_strides": {}, "sizes": {"root": uniform(ty["sizes"], "value")} if "sizes" in ty else {}}
    walk_slang(ty, "root", 0, numbers)
    return numbers


def uniform(places, key):
    return next(place[key] for place in places if place["kind"] == "uniform")


def walk_slang(ty, path, base, numbers):
    if ty["kind"] == "array":
        numbers["array_strides"][path] = ty["uniformStride"]
        walk_slang(ty["elementType"], path + "[]", base, numbers)
    for field in ty.get("fields", []):
        own, offset = f"{path}.{field['name']}", base + field["binding"]["offset"]
        numbers["offsets"][own] = offset
        walk_slang(field["type"], own, offset, numbers)


def dxc_peer(peer, files, layoutproof):
    """The offsets that DXC's listing prints from the reflection of D3D12: its library is what Linux gets from PyPI."""
    dxc = [shutil.which("dxc")]
    if not dxc[0]:
        dxc = [*layoutproof, "dxc-library", "--library", tools_folder() / "tools/dxc-lib/libdxcompiler.so"]
    version = re.search(r"[\d.]+ ?\([^)]*\)", run([*dxc, "--version"]).stdout)
    peer.version = version.group() if version else ""
    for question, path in files.items():
        sixteen = ["-enable-16bit-types"] if question.vector["sixteen_bit_types"] else []
        # Inside structs, DXC follows the default order in some places where members declare another.
        order = "-Zpr" if "-Zpr" in question.layout["authority"].get("flags", "") else "-Zpc"
        done = run([*dxc, "-T", "cs_6_2", "-E", "main", order, *sixteen, path])
        if done.returncode:
            peer.judge(question, {"error": first_error(done)})
            continue
        listed = re.search(r"^; (?:cbuffer Root|Resource bind info for root)\n; \{\n(.*?)^; \}\n", done.stdout, re.M | re.S).group(1)
        # A struct's own offset follows those of its members, and dimensions of arrays are one number.
        offsets = [int(number) for number in re.findall(r"; Offset: +(\d+)", listed)]
        paths = list(paths_of(question.block["type"], "root"))
        if len(paths) + 1 != len(offsets):
            peer.judge(question, {"error": f"{len(offsets)} offsets for {len(paths)} members"})
            continue
        size = re.search(r"Offset: +0 Size: +(\d+)", listed)
        peer.judge(question, {"offsets": dict(zip(paths, offsets)), "sizes": {"root": int(size.group(1))}})


def paths_of(structure, path):
    for member in structure["members"]:
        own, ty, dimensions = f"{path}.{member['name']}", member["type"], ""
        while ty["kind"] == "array":
            ty, dimensions = ty["element"], dimensions + "[]"
        if ty["kind"] == "struct":
            yield from paths_of(ty, own + dimensions)
        yield own


def first_error(done):
    lines = (done.stdout + done.stderr).splitlines()
    return next((line.split("error", 1)[1].lstrip(": ") for line in lines if "error" in line), f"exit code {done.returncode}")
