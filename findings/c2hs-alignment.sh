#!/usr/bin/env bash
# c2hs computes offsets of its own, in which bit-fields do not align a struct and attributes have no effect.
#
# Packages: Debian c2hs 0.28.8-1, libgmp10 and libffi8; any C compiler named gcc.
# Guess:    {#offsetof#} and {#sizeof#} are C's: the tool reads the header and is built for one platform. What it cannot lay out it refuses, as
#           it does a bit-field of unsigned short ("Illegal field size") and a long double ("Unsupported type").
# Measured: A struct of unsigned bit-fields, or of a char and a bit-field, counts as aligned to 1: after a char it is at 1 instead of 4, and
#           in an array it begins in the middle of C's element. A struct with an int next to the bit-field is right. The attributes aligned
#           and packed are accepted and ignored: a vec3 aligned to 16 is at 4 after a float. No message.
# Matters:  {#get#} and {#set#} of a binding read and write with these offsets. Compare sizes with C's in a test of the binding.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v gcc >/dev/null || skip "gcc is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
apt-get download -qq c2hs=0.28.8-1 libgmp10 libffi8 >apt.log 2>&1 || skip "apt cannot download c2hs 0.28.8-1"
for package in ./*.deb; do dpkg-deb -x "$package" root; done
export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(echo root/usr/lib/*-linux-gnu)

cat >structs.h <<'END'
typedef struct { float v[3]; } __attribute__((aligned(16))) vec3;
struct fields { unsigned int x : 20, y : 10; };
struct mixed { unsigned char tag; unsigned int level : 5; };
struct with_int { int number; unsigned int level : 5; };
struct AfterChar { char a; struct fields f; char last; };
struct InArray { char a; struct mixed m[2]; char last; };
struct WithInt { char a; struct with_int w; char last; };
struct Aligned { float a; vec3 v; float last; };
struct Member { float a; float v[3] __attribute__((aligned(16))); float last; };
struct Packed { char a; double d; char last; } __attribute__((packed));
struct Plain { char a; double d; short s[3]; char last; };
END
names='AfterChar InArray WithInt Aligned Member Packed Plain'
{
    printf '%s\n' 'module Structs where' '#include "structs.h"'
    for name in $names; do echo "c2hs: $name last {#offsetof $name->last#} size {#sizeof $name#} alignment {#alignof $name#}"; done
} >structs.chs
{
    cat <<'END'
#include <stddef.h>
#include <stdio.h>
#include "structs.h"
#define SHOW(name) printf("C: " #name " last %zu size %zu alignment %zu\n", offsetof(struct name, last), sizeof(struct name), _Alignof(struct name));
int main(void)
{
END
    for name in $names; do echo "SHOW($name)"; done
    echo '}'
} >structs.c
gcc structs.c -o structs
root/usr/bin/c2hs structs.chs
measured=$(
    ./structs
    sed -n 's/^\(c2hs: .*\)$/\1/p' structs.hs | tr -d '()' | tr -s ' '
)
expected='C: AfterChar last 8 size 12 alignment 4
C: InArray last 12 size 16 alignment 4
C: WithInt last 12 size 16 alignment 4
C: Aligned last 32 size 48 alignment 16
C: Member last 28 size 32 alignment 16
C: Packed last 9 size 10 alignment 1
C: Plain last 22 size 24 alignment 8
c2hs: AfterChar last 5 size 8 alignment 1
c2hs: InArray last 9 size 12 alignment 1
c2hs: WithInt last 12 size 16 alignment 4
c2hs: Aligned last 16 size 20 alignment 4
c2hs: Member last 16 size 20 alignment 4
c2hs: Packed last 16 size 24 alignment 8
c2hs: Plain last 22 size 24 alignment 8'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: c2hs computes other offsets now" >&2; exit 1; }
echo "$measured"
