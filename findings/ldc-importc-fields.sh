#!/usr/bin/env bash
# The D compiler LDC reads a C header and places bit-fields, and what follows an anonymous union, elsewhere than C.
#
# Packages: Debian ldc 1:1.30.0-1+b1 and libphobos2-ldc-shared-dev 1:1.30.0-1+b1, for x86-64; any C compiler named gcc.
# Guess:    `import block;` compiles block.c with D's own C front end (ImportC), so that D uses the structs of a C library. They have the offsets of
#           the platform's C compiler, with GCC's attributes too, which LDC accepts.
# Measured: After a char, a bit-field of 20 bits begins a new int at 4, where C has it at 1: what follows is at 8, not at 6, or at 11,
#           not at 7, after two of them. The float after an anonymous union of a double and float[3] is at 20, not at 24; after a union with a
#           name it is right. `aligned` and `packed` are read and ignored, while _Alignas is obeyed. No message.
# Matters:  The program has one header and two layouts. Fields of few bits, as in a 565 color, do not show it.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v gcc >/dev/null || skip "gcc is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
[[ $(dpkg --print-architecture) == amd64 ]] || skip "this is not amd64"
version=1:1.30.0-1+b1
mkdir -p cache/archives/partial
# Downloads what the compiler needs and this machine lacks, and installs nothing.
{
    apt-get download -qq {ldc,libphobos2-ldc-shared-dev,libphobos2-ldc-shared100}=$version &&
        apt-get install -qq --download-only --yes --no-install-recommends -o Debug::NoLocking=true -o Dir::Cache="$work/cache" \
            -o APT::Sandbox::User="$(id -un)" ldc=$version
} >apt.log 2>&1 || skip "apt cannot download ldc $version"
for package in ./*.deb cache/archives/*.deb; do dpkg-deb -x "$package" root; done
cat >ldc2.conf <<END
default:
{
    switches = ["-defaultlib=phobos2-ldc,druntime-ldc"];
    post-switches = ["-I$work/root/usr/lib/ldc/x86_64-linux-gnu/include/d"];
};
END

cat >block.c <<'END'
struct Color { char a; unsigned short red : 5, green : 6, blue : 5; char last; };
struct Field { char a; unsigned int x : 20, y : 12; char last; };
struct Fields { char a; unsigned int x : 20, y : 20; char last; };
struct Wide { char a; unsigned long long x : 33; char last; };
union mixed { double d; float f[3]; };
struct Named { float a; union mixed u; float last; };
struct Anonymous { float a; union { double d; float f[3]; }; float last; };
struct Alignas { float a; _Alignas(16) float v[3]; float last; };
struct Aligned { float a; float v[3] __attribute__((aligned(16))); float last; };
struct Packed { char a; double d; char last; } __attribute__((packed));
END
names='Color Field Fields Wide Named Anonymous Alignas Aligned Packed'
{
    cat <<'END'
#include <stddef.h>
#include <stdio.h>
#include "block.c"
#define SHOW(name) printf("C: " #name " last %zu size %zu\n", offsetof(struct name, last), sizeof(struct name));
int main(void)
{
END
    for name in $names; do echo "SHOW($name)"; done
    echo '}'
} >show.c
{
    echo 'import block;'
    for name in $names; do echo "pragma(msg, \"D: $name last \", cast(int) $name.last.offsetof, \" size \", cast(int) $name.sizeof);"; done
} >show.d
gcc show.c -o show
measured=$(
    ./show
    LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu root/usr/bin/ldc2 -conf=ldc2.conf -o- show.d 2>&1
)
expected='C: Color last 4 size 6
C: Field last 6 size 8
C: Fields last 7 size 8
C: Wide last 6 size 8
C: Named last 24 size 32
C: Anonymous last 24 size 32
C: Alignas last 28 size 32
C: Aligned last 28 size 32
C: Packed last 9 size 10
D: Color last 4 size 6
D: Field last 8 size 12
D: Fields last 11 size 12
D: Wide last 13 size 16
D: Named last 24 size 32
D: Anonymous last 20 size 24
D: Alignas last 28 size 32
D: Aligned last 16 size 20
D: Packed last 16 size 24'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: LDC places members elsewhere now" >&2; exit 1; }
echo "$measured"
