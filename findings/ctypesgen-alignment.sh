#!/usr/bin/env bash
# ctypesgen drops the alignment of C structs and vectors, and reads that of a packed struct as the packing.
#
# Packages: PyPI ctypesgen 1.1.1; any C compiler named gcc.
# Guess:    ctypesgen parses GCC's attributes (its change log says so), and ctypes can place members by added padding, so the
#           Python structures have the compiler's offsets, or ctypesgen warns.
# Measured: A struct type of three floats aligned to 16 is at 4 after a float, not at 16; so is an array with the attribute. A vector of 16 bytes
#           becomes one float. A struct both packed and aligned(4) gets _pack_ = 4, which puts its double at 4 instead of 1. No warning.
# Matters:  These are the usual mirrors of a vec3 and a vec4; sizeof in Python against sizeof in C shows it.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v gcc >/dev/null || skip "gcc is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{ python3 -m venv venv && venv/bin/pip install -q ctypesgen==1.1.1; } >pip.log 2>&1 || skip "pip cannot install ctypesgen 1.1.1"

cat >block.h <<'END'
typedef struct { float x, y, z; } __attribute__((aligned(16))) vec3;
typedef float vec4 __attribute__((vector_size(16)));
struct Plain { float power; float color[3]; float last; };
struct Type { float power; vec3 color; float last; };
struct Member { float power; float color[3] __attribute__((aligned(16))); float last; };
struct Vector { float power; vec4 color; float last; };
struct __attribute__((packed)) Packed { char power; double color; char last; };
struct __attribute__((packed, aligned(4))) Both { char power; double color; char last; };
END
names='Plain Type Member Vector Packed Both'
{
    cat <<'END'
#include <stddef.h>
#include <stdio.h>
#include "block.h"
#define SHOW(type) printf("%s: C %zu %zu %zu, \n", #type, offsetof(struct type, color), offsetof(struct type, last), sizeof(struct type))
int main(void)
{
END
    for name in $names; do
        echo "SHOW($name);"
    done
    echo '}'
} >run.c
gcc run.c -o run
venv/bin/ctypesgen block.h -o block.py >messages 2>&1
cat >run.py <<'END'
import ctypes
import sys

import block

for name in sys.argv[1:]:
    structure = getattr(block, "struct_" + name)
    print("ctypes", structure.color.offset, structure.last.offset, ctypes.sizeof(structure))
END
# shellcheck disable=SC2086
measured=$(
    paste -d '\0' <(./run) <(venv/bin/python run.py $names)
    echo "warnings about them: $(grep -ciE 'align|pack|vector' messages)"
)
expected='Plain: C 4 16 20, ctypes 4 16 20
Type: C 16 32 48, ctypes 4 16 20
Member: C 16 28 32, ctypes 4 16 20
Vector: C 16 32 48, ctypes 4 8 12
Packed: C 1 9 10, ctypes 1 9 10
Both: C 1 9 12, ctypes 4 12 16
warnings about them: 0'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: ctypesgen places members otherwise now" >&2; exit 1; }
echo "$measured"
