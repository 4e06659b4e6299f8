#!/usr/bin/env bash
# cffi reads _Alignas in C declarations and ignores it.
#
# Packages: PyPI cffi 2.1.1, pycparser 3.12; any C compiler named gcc.
# Guess:    cdef() either knows C11's _Alignas, and then the member is where C has it, or raises an error, as it does for GCC's
#           __attribute__((aligned(16))).
# Measured: _Alignas is accepted and has no effect: three floats aligned to 16 are at 4 after a float, and the struct has 20 bytes instead
#           of 32. In a nested struct it is the same.
# Matters:  A function in C reads and writes the members elsewhere. Declare the padding as members, which both understand.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v gcc >/dev/null || skip "gcc is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{ python3 -m venv venv && venv/bin/pip install -q cffi==2.1.1 pycparser==3.12; } >pip.log 2>&1 ||
    skip "pip cannot install cffi 2.1.1 and pycparser 3.12"

cat >block.h <<'END'
struct Plain { float power; float color[3]; float last; };
struct Aligned { float power; _Alignas(16) float color[3]; float last; };
struct Nested { char power; struct { _Alignas(8) float red; float green; } color; float last; };
END
cat >run.c <<'END'
#include <stddef.h>
#include <stdio.h>
#include "block.h"
#define SHOW(type) printf("C: " #type " color %zu last %zu size %zu alignment %zu\n", \
    offsetof(struct type, color), offsetof(struct type, last), sizeof(struct type), _Alignof(struct type))
int main(void)
{
    SHOW(Plain);
    SHOW(Aligned);
    SHOW(Nested);
}
END
cat >run.py <<'END'
import cffi

ffi = cffi.FFI()
ffi.cdef(open("block.h").read())
for name in ("Plain", "Aligned", "Nested"):
    struct = "struct " + name
    places = f"color {ffi.offsetof(struct, 'color')} last {ffi.offsetof(struct, 'last')}"
    print(f"cffi: {name} {places} size {ffi.sizeof(struct)} alignment {ffi.alignof(struct)}")
try:
    cffi.FFI().cdef("struct Attribute { float power; float color[3] __attribute__((aligned(16))); float last; };")
except cffi.CDefError:
    print("cffi: __attribute__ is an error")
END
gcc run.c -o run
measured=$(
    ./run
    venv/bin/python run.py
)
expected='C: Plain color 4 last 16 size 20 alignment 4
C: Aligned color 16 last 28 size 32 alignment 16
C: Nested color 8 last 16 size 24 alignment 8
cffi: Plain color 4 last 16 size 20 alignment 4
cffi: Aligned color 4 last 16 size 20 alignment 4
cffi: Nested color 4 last 12 size 16 alignment 4
cffi: __attribute__ is an error'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: cffi aligns otherwise now" >&2; exit 1; }
echo "$measured"
