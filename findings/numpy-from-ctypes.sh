#!/usr/bin/env bash
# numpy moves the members of a ctypes structure that has a union, a packed structure or a base class.
#
# Package:  PyPI numpy 2.4.6.
# Guess:    numpy.dtype of a ctypes structure has the offsets and the size that ctypes has, or raises an error, as it does for
#           bit-fields. Nested structures, arrays, packed structures and unions by themselves do have them.
# Measured: A union inside a structure is taken as aligned to 1, so it is at 1 instead of 8 and the record has 18 bytes instead of 32. A packed
#           structure inside another one is moved, too. A derived structure keeps only its own members, from 0. No message.
# Matters:  A host struct with a union of parameters is read and uploaded at other offsets than the program in C has.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{ python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q numpy==2.4.6; } >"$work/pip.log" 2>&1 ||
    skip "pip cannot install numpy 2.4.6"

cat >"$work/run.py" <<'END'
from ctypes import Structure, Union, c_byte, c_double, c_float, sizeof

import numpy


class Vector(Structure):
    _fields_ = [("x", c_float), ("y", c_float), ("z", c_float)]


class Number(Union):
    _fields_ = [("wide", c_double), ("parts", c_float * 3)]


class Packed(Structure):
    _pack_ = 4
    _fields_ = [("kind", c_byte), ("wide", c_double)]


class Base(Structure):
    _fields_ = [("kind", c_byte), ("wide", c_double)]


class Derived(Base):
    _fields_ = [("last", c_byte)]


def holder(member):
    return type("Holder", (Structure,), {"_fields_": [("kind", c_byte), ("member", member), ("last", c_byte)]})


for name, structure in {
    "array of structures": holder(Vector * 2),
    "union": Number,
    "packed": Packed,
    "with a union": holder(Number),
    "with a packed": holder(Packed),
    "derived": Derived,
}.items():
    names = [field for base in structure.__mro__[::-1] for field, *_ in base.__dict__.get("_fields_", [])]
    ctypes_places = [getattr(structure, field).offset for field in names]
    dtype = numpy.dtype(structure)
    numpy_places = [dtype.fields[field][1] for field in names if field in dtype.fields]
    print(f"{name}: ctypes", *ctypes_places, "size", sizeof(structure), "| numpy", *numpy_places, "size", dtype.itemsize)
END
measured=$("$work/venv/bin/python" "$work/run.py")
expected='array of structures: ctypes 0 4 28 size 32 | numpy 0 4 28 size 32
union: ctypes 0 0 size 16 | numpy 0 0 size 16
packed: ctypes 0 4 size 12 | numpy 0 4 size 12
with a union: ctypes 0 8 24 size 32 | numpy 0 1 17 size 18
with a packed: ctypes 0 4 16 size 20 | numpy 0 1 13 size 14
derived: ctypes 0 8 16 size 24 | numpy 0 size 1'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: numpy places members otherwise now" >&2; exit 1; }
echo "$measured"
