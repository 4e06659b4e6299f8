#!/usr/bin/env bash
# cglm aligns mat2 and mat4 and not mat3, and -mavx moves the members of a host struct.
#
# Packages: Debian libcglm-dev 0.8.8-1 (headers only); any GCC or Clang for x86-64.
# Guess:    cglm's types are arrays of float, so vec2, vec3, mat2, mat3 and mat4 in a struct follow a float at 4; or else they are
#           aligned like their GLSL namesakes, mat2 to 8. Compiler flags that choose instructions do not change the layout.
# Measured: mat2, mat4 and the quaternion are aligned to 16, mat3 to 4. With -mavx mat4 is aligned to 32, so it and everything
#           behind it move. A mat2 in std430 or WGSL is aligned to 8, a mat3 in both to 16: neither fits.
# Matters:  Two objects of one program, compiled with different flags, disagree about an uploaded struct.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
compiler=$(command -v cc || command -v gcc || command -v clang) || skip "a C compiler is missing"
[[ $("$compiler" -dumpmachine) == x86_64* ]] || skip "the compiler is not for x86-64"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
apt-get download -qq libcglm-dev=0.8.8-1 >apt.log 2>&1 || skip "apt cannot download libcglm-dev 0.8.8-1"
dpkg-deb -x ./*.deb root

cat >block.c <<'END'
#include <cglm/cglm.h>
#include <stddef.h>
#include <stdio.h>
#define SHOW(type) \
    do { \
        struct block { float a; type m; float b; }; \
        printf(" %s %zu %zu %zu", #type, offsetof(struct block, m), offsetof(struct block, b), sizeof(struct block)); \
    } while (0)
int main(void) {
    SHOW(vec2); SHOW(vec3); SHOW(versor); SHOW(mat2); SHOW(mat3); SHOW(mat4);
    puts("");
}
END
measured=$(
    for flag in -msse2 -mavx; do
        # Prints offsets only, so it runs on processors without AVX.
        "$compiler" -O0 "$flag" -isystem root/usr/include block.c -o "block$flag" -lm
        echo "$flag:$("./block$flag")"
    done
)
expected='-msse2: vec2 4 12 16 vec3 4 16 20 versor 16 32 48 mat2 16 32 48 mat3 4 40 44 mat4 16 80 96
-mavx: vec2 4 12 16 vec3 4 16 20 versor 16 32 48 mat2 16 32 48 mat3 4 40 44 mat4 32 96 128'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: cglm aligns its types otherwise now" >&2; exit 1; }
echo "$measured"
