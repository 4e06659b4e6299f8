#!/usr/bin/env bash
# grunnur's align() puts a complex member of a struct where numpy would, not where the float2 is that it writes for it.
#
# Packages: PyPI grunnur 0.6.0, numpy 2.4.6; libclang 18.1.1 as the judge, which compiles OpenCL C.
# Guess:    "Returns a new struct dtype with the field offsets changed to the ones a compiler would use": grunnur writes complex64 as
#           float2 and complex128 as double2, which OpenCL C (6.2, "Alignment of Types") and CUDA align to 8 and 16. So after an int they
#           are at 8 and 16.
# Measured: They are at 4 and 8, and the structs have 16 and 32 bytes instead of 24 and 48. numpy's alignment of a complex number is that of
#           its parts. Real members, arrays of them and nested structs are at the compiler's offsets.
# Matters:  The documentation recommends align() so that host and device agree; the device reads the imaginary part as the real one.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{ python3 -m venv venv && venv/bin/pip install -q grunnur==0.6.0 numpy==2.4.6 libclang==18.1.1; } >pip.log 2>&1 ||
    skip "pip cannot install grunnur 0.6.0, numpy 2.4.6 and libclang 18.1.1"

cat >run.py <<'END'
import numpy
from clang.cindex import CursorKind, Index
from grunnur import dtypes

# OpenCL's built-in types, as Clang's own opencl-c-base.h declares them.
VECTORS = "".join(f"typedef {part} {part}2 __attribute__((ext_vector_type(2)));\n" for part in ("float", "double"))


def declare(name, dtype):
    """C declarations of a struct and of the structs in it, with grunnur's names for the types of members."""
    before, members = "", ""
    for member, (member_type, _) in dtype.fields.items():
        base = member_type.base
        if base.names:
            before += declare(f"{name}_{member}", base)
            c_type = f"struct {name}_{member}"
        else:
            c_type = dtypes.ctype(base)
        members += f" {c_type} {member}{''.join(f'[{length}]' for length in member_type.shape)};"
    return f"{before}struct {name} {{{members} }};\n"


pair = numpy.dtype([("wide", numpy.float64), ("narrow", numpy.float32)])
for name, member in {
    "real": numpy.float64,
    "array": (numpy.float32, (2, 3)),
    "nested": pair,
    "complex64": numpy.complex64,
    "complex128": numpy.complex128,
    "complex64 array": (numpy.complex64, (2,)),
}.items():
    dtype = dtypes.align(numpy.dtype([("first", numpy.int32), ("member", member), ("last", numpy.int32)]))
    source = VECTORS + declare("S", dtype)
    unit = Index.create().parse("s.cl", args=["-x", "cl", "-cl-no-stdinc"], unsaved_files=[("s.cl", source)])
    assert not list(unit.diagnostics), list(unit.diagnostics)
    struct = [cursor.type for cursor in unit.cursor.get_children() if cursor.kind == CursorKind.STRUCT_DECL][-1]
    places = " ".join(f"{field} {dtype.fields[field][1]}" for field in dtype.names)
    compiled = " ".join(f"{field} {struct.get_offset(field) // 8}" for field in dtype.names)
    print(f"{name}: grunnur {places} size {dtype.itemsize}; compiler {compiled} size {struct.get_size()}")
END
measured=$(venv/bin/python run.py)
expected='real: grunnur first 0 member 8 last 16 size 24; compiler first 0 member 8 last 16 size 24
array: grunnur first 0 member 4 last 28 size 32; compiler first 0 member 4 last 28 size 32
nested: grunnur first 0 member 8 last 24 size 32; compiler first 0 member 8 last 24 size 32
complex64: grunnur first 0 member 4 last 12 size 16; compiler first 0 member 8 last 16 size 24
complex128: grunnur first 0 member 8 last 24 size 32; compiler first 0 member 16 last 32 size 48
complex64 array: grunnur first 0 member 4 last 20 size 24; compiler first 0 member 8 last 24 size 32'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: grunnur places members otherwise now" >&2; exit 1; }
echo "$measured"
