#!/usr/bin/env bash
# PHP's FFI ignores `packed` after the closing brace of a struct, where it obeys `aligned`, and gives bit-fields another place than C.
#
# Packages: Debian php8.2-cli and php8.2-common 8.2.36-1~deb12u1; any C compiler named gcc.
# Guess:    FFI::cdef takes C declarations and knows GCC's attributes: it refuses vector_size and accepts packed and aligned. So the structs
#           that it accepts have the offsets and sizes of the C compiler.
# Measured: `struct packed {...}` is packed, `struct {...} packed` is not: a double after a char is at 8, not at 1. With aligned instead, both
#           forms are obeyed. packed and aligned(4) in one list leave the size at 10, not 12. A bit-field never shares the bytes of the member
#           before it, and takes whole ints: r:5, g:6, b:5 of an unsigned short take 4 bytes, not 2. No message.
# Matters:  Headers mostly have the attribute after the brace, and packed colours and flags of vertices are bit-fields.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v gcc >/dev/null || skip "gcc is missing"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
[[ $(dpkg --print-architecture) == amd64 ]] || skip "this is not amd64"
apt-get download -qq php8.2-{cli,common}=8.2.36-1~deb12u1 libargon2-1 libffi8 libicu72 libpcre2-8-0 libsodium23 libssl3 libxml2 >apt.log 2>&1 ||
    skip "apt cannot download php8.2-cli and php8.2-common 8.2.36-1~deb12u1, libargon2-1, libffi8, libicu72, libpcre2-8-0, libsodium23, libssl3 and libxml2"
for package in ./*.deb; do dpkg-deb -x "$package" root; done

# Each line declares a struct with a member named last.
cat >structs.txt <<'END'
struct S { char kind; double wide; char last; };
struct __attribute__((packed)) S { char kind; double wide; char last; };
struct S { char kind; double wide; char last; } __attribute__((packed));
struct __attribute__((aligned(16))) S { char kind; double wide; char last; };
struct S { char kind; double wide; char last; } __attribute__((aligned(16)));
struct __attribute__((packed, aligned(4))) S { char kind; double wide; char last; };
struct S { unsigned r : 10, g : 10, b : 10, a : 2; char last; };
struct S { unsigned short r : 5, g : 6, b : 5; char last; };
struct S { char kind; unsigned index : 20; char last; };
END
number=0
while read -r struct; do
    printf '%s\n' "#define S S$((number += 1))" "$struct" '#undef S' >>types.h
    echo "SHOW(struct S$number)" >>prints.h
done <structs.txt
cat >run.c <<'END'
#include <stddef.h>
#include <stdio.h>
#include "types.h"
#define SHOW(type) printf("last %zu size %zu\n", offsetof(type, last), sizeof(type));
int main(void)
{
#include "prints.h"
}
END
cat >run.php <<'END'
<?php
foreach (file('structs.txt') as $struct) {
    $ffi = FFI::cdef($struct);
    $type = $ffi->type('struct S');
    printf("last %d size %d\n", $type->getStructFieldOffset('last'), FFI::sizeof($type));
}
END
gcc run.c -o run
measured=$(paste -d '|' <(./run) <(
    LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu root/usr/bin/php8.2 -n -d "extension_dir=$work/root/usr/lib/php/20220829" \
        -d extension=ffi -d ffi.enable=1 run.php
) structs.txt | sed 's/^/C: /; s/|/, PHP: /; s/|/, of /')
expected='C: last 16 size 24, PHP: last 16 size 24, of struct S { char kind; double wide; char last; };
C: last 9 size 10, PHP: last 9 size 10, of struct __attribute__((packed)) S { char kind; double wide; char last; };
C: last 9 size 10, PHP: last 16 size 24, of struct S { char kind; double wide; char last; } __attribute__((packed));
C: last 16 size 32, PHP: last 16 size 32, of struct __attribute__((aligned(16))) S { char kind; double wide; char last; };
C: last 16 size 32, PHP: last 16 size 32, of struct S { char kind; double wide; char last; } __attribute__((aligned(16)));
C: last 9 size 12, PHP: last 9 size 10, of struct __attribute__((packed, aligned(4))) S { char kind; double wide; char last; };
C: last 4 size 8, PHP: last 4 size 8, of struct S { unsigned r : 10, g : 10, b : 10, a : 2; char last; };
C: last 2 size 4, PHP: last 4 size 8, of struct S { unsigned short r : 5, g : 6, b : 5; char last; };
C: last 4 size 8, PHP: last 5 size 8, of struct S { char kind; unsigned index : 20; char last; };'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: PHP places members otherwise now" >&2; exit 1; }
echo "$measured"
