#!/usr/bin/env bash
# Ruby's Fiddle does not round up the size of a union, and that moves what comes after it in a struct.
#
# Package:  Debian libruby3.1 3.1.7+really3.1.2-0+deb12u1 (Fiddle 1.1.0), with ruby3.1; any C compiler named gcc.
# Guess:    Fiddle::Importer parses C declarations and places members as C does: a union of a double and three floats has 16 bytes and an
#           alignment of 8, and in a struct after a char it is at 8 and the next member at 24. Structs, also nested ones, are right.
# Measured: The union has 12 bytes. In a struct it is at 8, the next char at 20, and the struct has 24 bytes instead of 32. In an array
#           of two unions the second is 12 bytes after the first.
# Matters:  Only a union whose largest member is not the one with the largest alignment shows it.
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

cat >run.c <<'END'
#include <stddef.h>
#include <stdio.h>
union Value { double wide; float parts[3]; };
struct Inner { double wide; float part; };
struct WithStruct { char kind; struct Inner member; char last; };
struct WithUnion { char kind; union Value member; char last; };
struct WithUnions { char kind; union Value member[2]; char last; };
#define SHOW(type) printf("C: " #type " %zu %zu size %zu\n", offsetof(struct type, member), offsetof(struct type, last), sizeof(struct type))
int main(void)
{
    printf("C: Value size %zu\n", sizeof(union Value));
    SHOW(WithStruct);
    SHOW(WithUnion);
    SHOW(WithUnions);
}
END
cat >run.rb <<'END'
require 'fiddle/import'

module Types
  extend Fiddle::Importer
  Value = union(['double wide', 'float parts[3]'])
  Inner = struct(['double wide', 'float part'])
  WithStruct = struct(['char kind', {member: Inner}, 'char last'])
  WithUnion = struct(['char kind', {member: Value}, 'char last'])
  WithUnions = struct(['char kind', {'member[2]' => Value}, 'char last'])
end

puts "Fiddle: Value size #{Types::Value.size}"
%i[WithStruct WithUnion WithUnions].each do |name|
  type = Types.const_get(name)
  bytes = Fiddle::Pointer.malloc(type.size, Fiddle::RUBY_FREE)
  bytes[0, type.size] = "\0" * type.size
  value = type.new(bytes)
  first = name == :WithUnions ? value.member[0] : value.member
  value.last = 1
  last = bytes[0, type.size].index("\1")
  puts "Fiddle: #{name} #{first.to_ptr.to_i - bytes.to_i} #{last} size #{type.size}"
end
END
gcc run.c -o run
libraries=root/usr/lib/x86_64-linux-gnu
measured=$(
    ./run
    LD_LIBRARY_PATH=$libraries root/usr/bin/ruby3.1 --disable-gems -I root/usr/lib/ruby/3.1.0 -I $libraries/ruby/3.1.0 run.rb
)
expected='C: Value size 16
C: WithStruct 8 24 size 32
C: WithUnion 8 24 size 32
C: WithUnions 8 40 size 48
Fiddle: Value size 12
Fiddle: WithStruct 8 24 size 32
Fiddle: WithUnion 8 20 size 24
Fiddle: WithUnions 8 32 size 40'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: Fiddle places members otherwise now" >&2; exit 1; }
echo "$measured"
