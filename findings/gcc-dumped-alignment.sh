#!/usr/bin/env bash
# GCC writes a C struct for Go and for Ada without the alignment of its members, so they are elsewhere there.
#
# Packages: Debian cpp-12, gccgo-12 and gnat-12, all 12.2.0-14+deb12u1; any C compiler named gcc.
# Guess:    -fdump-go-spec and -fdump-ada-spec make declarations with C's offsets: with padding in Go and an Alignment aspect in Ada, as
#           they have for packed structs. What a language cannot express is left out with a comment, as Go's dump does for a struct with a
#           member whose type is aligned to 16.
# Measured: An array with aligned(16) after a char is at 16 in C and at 4 in Go and Ada. Go's dump says in the next line that the struct has
#           32 bytes; its compiler gives it 20. A packed struct is right in Ada and not in Go. A type aligned to 16 is at 4 in Ada. Only Ada's
#           dump of the packed struct, which is right, has a warning.
# Matters:  Mirrors of a vec3 are declared like this. Compile the declarations and compare the offsets.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v gcc >/dev/null || skip "gcc is missing"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
[[ $(dpkg --print-architecture) == amd64 ]] || skip "this is not amd64"
apt-get download -qq {cpp,gccgo,gnat}-12=12.2.0-14+deb12u1 libgmp10 libisl23 libmpc3 libmpfr6 libzstd1 >apt.log 2>&1 ||
    skip "apt cannot download cpp-12, gccgo-12 and gnat-12 12.2.0-14+deb12u1, libgmp10, libisl23, libmpc3, libmpfr6 and libzstd1"
for package in ./*.deb; do dpkg-deb -x "$package" root; done
programs=root/usr/lib/gcc/x86_64-linux-gnu/12
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu

cat >types.c <<'END'
struct Vector { float x, y, z, w; } __attribute__((aligned(16)));
struct Plain { char kind; double member; char last; };
struct Packed { char kind; double member; char last; } __attribute__((packed));
struct OfMember { char kind; float member[3] __attribute__((aligned(16))); char last; };
struct OfType { char kind; struct Vector member; char last; };
struct Plain plain_value;
struct Packed packed_value;
struct OfMember of_member_value;
struct OfType of_type_value;
END
cat >run.c <<'END'
#include <stddef.h>
#include <stdio.h>
#include "types.c"
#define SHOW(type) printf("C " #type ": member %zu last %zu size %zu\n", offsetof(struct type, member), offsetof(struct type, last), sizeof(struct type))
int main(void) { SHOW(Plain); SHOW(Packed); SHOW(OfMember); SHOW(OfType); }
END
gcc run.c -o run
$programs/cc1 -quiet -fdump-go-spec=dump.go types.c -o types.s
$programs/cc1 -quiet -w -fdump-ada-spec types.c -o types.s

# go NAME: compiles the dumped declaration of a struct and prints where its members are, next to the size that the dump says.
go() {
    local declaration size
    declaration=$(grep "^type _$1 struct" dump.go | head -n 1)
    size=$(sed -n "s/^const _sizeof_$1 = //p" dump.go)
    [[ $declaration == *last* ]] || { grep -q "^// type _$1 " dump.go && echo "Go $1: left out, with a comment"; return; }
    printf '%s\n' 'package p' 'import "unsafe"' "$declaration" "var v _$1" \
        'var Places = [...]uintptr{unsafe.Offsetof(v.member), unsafe.Offsetof(v.last), unsafe.Sizeof(v)}' >p.go
    $programs/go1 -quiet p.go -o p.s
    sed -n '/Places:/,/section/s/.*\.quad//p' p.s |
        xargs printf "Go $1: member %d last %d size %d, and in the dump size $size\n"
}
# ada: prints the representation that Ada's compiler gives to the dumped records.
ada() {
    $programs/gnat1 -quiet -gnatc -gnatR2 -nostdinc -I$programs/adainclude types_c.ads 2>ada.log | awk '
        $1 == "for" && /Size use/ { split($2, name, "\x27"); size = $4 / 8 }
        $1 == "member" { member = $3 + 0 }
        $1 == "last" { print "Ada " name[1] ": member " member " last " $3 + 0 " size " size }'
    sed -n 's/.*warning: \(.*\) \[.*/Ada warns: \1/p' ada.log
}
measured=$(
    ./run
    for name in Plain Packed OfMember OfType; do go $name; done
    ada
)
expected='C Plain: member 8 last 16 size 24
C Packed: member 1 last 9 size 10
C OfMember: member 16 last 28 size 32
C OfType: member 16 last 32 size 48
Go Plain: member 8 last 16 size 24, and in the dump size 24
Go Packed: member 8 last 16 size 24, and in the dump size 10
Go OfMember: member 4 last 16 size 20, and in the dump size 32
Go OfType: left out, with a comment
Ada plain: member 8 last 16 size 24
Ada packed: member 1 last 9 size 10
Ada ofmember: member 4 last 16 size 20
Ada oftype: member 4 last 20 size 24
Ada warns: packed layout may be incorrect'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: GCC writes other declarations now" >&2; exit 1; }
echo "$measured"
