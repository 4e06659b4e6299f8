#!/usr/bin/env bash
# Zig's translation of C headers loses the alignment of a typedef, and with it the offsets of cglm's vectors.
#
# Packages: PyPI ziglang 0.17.1; Debian libcglm-dev 0.8.8-1.
# Guess:    zig translate-c gives extern structs with C's offsets: it writes align(16) where a member or a struct has that attribute, and
#           the same compiler compiles the C header, where a vec4 after a float is at 16.
# Measured: cglm aligns by typedef: `typedef CGLM_ALIGN_IF(16) float vec4[4]`. That becomes [4]f32, aligned to 4, so the vec4 is at 4, a mat4
#           after it at 20 instead of 32, and nothing is said. The same attribute on the member is kept.
# Matters:  The C part and the Zig part of one program have two layouts of one struct.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
apt-get download -qq libcglm-dev=0.8.8-1 >apt.log 2>&1 || skip "apt cannot download libcglm-dev 0.8.8-1"
dpkg-deb -x ./*.deb root
{ python3 -m venv venv && venv/bin/pip install -q --no-deps ziglang==0.17.1; } >pip.log 2>&1 || skip "pip cannot install ziglang 0.17.1"
export ZIG_GLOBAL_CACHE_DIR=$work/cache ZIG_LOCAL_CACHE_DIR=$work/cache
zig() { venv/bin/python -m ziglang "$@"; }

cat >block.h <<'END'
#include <cglm/types.h>
struct Typedef { float power; vec4 color; mat4 view; };
struct Member { float power; float color[4] __attribute__((aligned(16))); float view[4][4] __attribute__((aligned(16))); };
END
cat >block.c <<'END'
#include <stddef.h>
#include "block.h"
_Static_assert(offsetof(struct Typedef, color) == 16 && offsetof(struct Typedef, view) == 32, "Typedef");
_Static_assert(offsetof(struct Member, color) == 16 && offsetof(struct Member, view) == 32, "Member");
END
cat >show.zig <<'END'
const block = @import("block.zig");
comptime {
    @compileLog("Typedef color", @offsetOf(block.struct_Typedef, "color"), "view", @offsetOf(block.struct_Typedef, "view"));
    @compileLog("Member color", @offsetOf(block.struct_Member, "color"), "view", @offsetOf(block.struct_Member, "view"));
}
END
zig translate-c -target x86_64-linux-musl -I root/usr/include block.h >block.zig
measured=$(
    zig cc -target x86_64-linux-musl -mcpu=baseline -I root/usr/include -c block.c && echo 'C: color 16 view 32 in both'
    # A program with compile-time output is an error, which ends the compiler after it.
    zig build-obj -target x86_64-linux-musl -mcpu=baseline -fno-emit-bin show.zig 2>message ||
        sed -nE 's/.*"(Typedef|Member) color"\), @as\(comptime_int, ([0-9]+)\),.*comptime_int, ([0-9]+)\)$/Zig: \1 color \2 view \3/p' message
)
expected='C: color 16 view 32 in both
Zig: Typedef color 4 view 20
Zig: Member color 16 view 32'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: Zig translates the typedefs otherwise now" >&2; exit 1; }
echo "$measured"
