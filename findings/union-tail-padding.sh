#!/usr/bin/env bash
# Three libraries that mirror C structs do not round up the size of a union, and that moves what comes after it.
#
# Packages: Debian libruby3.1 3.1.7+really3.1.2-0+deb12u1 (Fiddle 1.1.0), with ruby3.1; PyPI cstruct 6.2, cstructimpl 0.6.0; any C
#           compiler named gcc.
# Guess:    They place members as C does: in a struct, a union of a double and three floats is at 8 after a char and takes 16
#           bytes, so the next member is at 24. Nested structs with tail padding are right.
# Measured: In all three the union has 12 bytes: the next member is at 20, and the struct has 24 bytes, not 32.
# Matters:  Only a union whose largest member is not the one with the largest alignment shows it, so tests with a union of scalars pass.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v gcc >/dev/null || skip "gcc is missing"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
[[ $(dpkg --print-architecture) == amd64 ]] || skip "this is not amd64"
apt-get download -qq libruby3.1=3.1.7+really3.1.2-0+deb12u1 ruby3.1 libffi8 libgmp10 >apt.log 2>&1 ||
    skip "apt cannot download libruby3.1 3.1.7+really3.1.2-0+deb12u1, ruby3.1, libffi8 and libgmp10"
for package in ./*.deb; do dpkg-deb -x "$package" root; done
{ python3 -m venv venv && venv/bin/pip install -q cstruct==6.2 cstructimpl==0.6.0; } >pip.log 2>&1 ||
    skip "pip cannot install cstruct 6.2 and cstructimpl 0.6.0"

# Each program prints for both structs where `last` is, and the size.
cat >run.c <<'END'
#include <stddef.h>
#include <stdio.h>
struct Inner { double wide; float part; };
union Value { double wide; float parts[3]; };
struct WithStruct { char kind; struct Inner member; char last; };
struct WithUnion { char kind; union Value member; char last; };
#define SHOW(type) printf(" " #type " last %zu size %zu", offsetof(struct type, last), sizeof(struct type))
int main(void)
{
    printf("C:");
    SHOW(WithStruct);
    SHOW(WithUnion);
    puts("");
}
END
cat >run.rb <<'END'
require 'fiddle/import'

module Types
  extend Fiddle::Importer
  Inner = struct(['double wide', 'float part'])
  Value = union(['double wide', 'float parts[3]'])
  WithStruct = struct(['char kind', {member: Inner}, 'char last'])
  WithUnion = struct(['char kind', {member: Value}, 'char last'])
end

print 'Fiddle:'
%i[WithStruct WithUnion].each do |name|
  type = Types.const_get(name)
  bytes = Fiddle::Pointer.malloc(type.size, Fiddle::RUBY_FREE)
  bytes[0, type.size] = "\0" * type.size
  type.new(bytes).last = 1
  print " #{name} last #{bytes[0, type.size].index("\1")} size #{type.size}"
end
puts
END
cat >run.py <<'END'
from typing import Annotated

import cstruct
from cstructimpl import CArray, CFloat, CInt, CStruct

print("cstruct:", end="")
for name, member in {
    "WithStruct": "struct { double wide; float part; } member;",
    "WithUnion": "union { double wide; float parts[3]; } member;",
}.items():
    source = f"struct {name} {{ char kind; {member} char last; }}"
    struct = cstruct.MemCStruct.parse(source, __byte_order__=cstruct.NATIVE_ORDER, __name__=name)
    print(f" {name} last {struct.__fields_types__['last'].offset} size {struct.size}", end="")
print()


class Inner(CStruct):
    wide: Annotated[float, CFloat.F64]
    part: Annotated[float, CFloat.F32]


class Value(CStruct, union=True):
    wide: Annotated[float, CFloat.F64]
    parts: Annotated[list[float], CArray(CFloat.F32, 3)]


class WithStruct(CStruct):
    kind: Annotated[int, CInt.U8]
    member: Inner
    last: Annotated[int, CInt.U8]


class WithUnion(CStruct):
    kind: Annotated[int, CInt.U8]
    member: Value
    last: Annotated[int, CInt.U8]


print("cstructimpl:", end="")
for struct in (WithStruct, WithUnion):
    size = struct.c_size()
    print(f" {struct.__name__} last {struct.c_decode(bytes(range(size))).last} size {size}", end="")  # Each byte is its offset.
print()
END
gcc run.c -o run
libraries=root/usr/lib/x86_64-linux-gnu
measured=$(
    ./run
    LD_LIBRARY_PATH=$libraries root/usr/bin/ruby3.1 --disable-gems -I root/usr/lib/ruby/3.1.0 -I $libraries/ruby/3.1.0 run.rb
    venv/bin/python run.py
)
expected='C: WithStruct last 24 size 32 WithUnion last 24 size 32
Fiddle: WithStruct last 24 size 32 WithUnion last 20 size 24
cstruct: WithStruct last 24 size 32 WithUnion last 20 size 24
cstructimpl: WithStruct last 24 size 32 WithUnion last 20 size 24'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: one of the libraries places members otherwise now" >&2; exit 1; }
echo "$measured"
