#!/usr/bin/env bash
# pahole shows a vector of three floats with 12 bytes, and an array of them with holes that do not exist.
#
# Packages: Debian pahole 1.24-4.1; the Clang in PyPI ziglang 0.17.1.
# Guess:    Clang's float3 (ext_vector_type) has 16 bytes like Metal's and OpenCL's, and says so in DWARF (DW_AT_byte_size 16), so
#           pahole prints float3 b as 16 bytes and float3 e[2] as 32, and counts no hole behind them.
# Measured: It multiplies the scalar by the number of lanes: 12 and 24 bytes, with holes behind. The 8 bytes of "padding" at the end
#           belong to e[1]. Clang's sizeof gives 16 and 32, and gdb reads them from the same file.
# Matters:  pahole is the usual check of a host struct against a shader, and advises here to use bytes that are taken.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
apt-get download -qq pahole=1.24-4.1 libbpf1 >apt.log 2>&1 || skip "apt cannot download pahole 1.24-4.1"
for package in *.deb; do dpkg-deb -x "$package" root; done
libraries=$(dirname "$(find root -name 'libbpf.so.1' -print -quit)")
{ python3 -m venv venv && venv/bin/pip install -q ziglang==0.17.1; } >pip.log 2>&1 || skip "pip cannot install ziglang 0.17.1"

cat >block.c <<'END'
#include <stddef.h>
#include <stdio.h>
typedef float float3 __attribute__((ext_vector_type(3)));
struct Block { float a; float3 b; float c; float3 e[2]; } block;
int main(void) {
    printf("clang a 0+%zu b %zu+%zu c %zu+%zu e %zu+%zu size %zu\n", sizeof block.a, offsetof(struct Block, b), sizeof block.b,
           offsetof(struct Block, c), sizeof block.c, offsetof(struct Block, e), sizeof block.e, sizeof block);
}
END
venv/bin/python -m ziglang cc -g -O0 --target=x86_64-linux-musl block.c -o block
LD_LIBRARY_PATH=$libraries root/usr/bin/pahole -C Block block >pahole.txt
measured=$(
    ./block
    echo pahole "$(sed -nE 's/.* (\w+)(\[2\])?; +\/\* +([0-9]+) +([0-9]+) \*\/$/\1 \3+\4/p; s/.*XXX ([0-9]+) bytes hole.*/hole \1/p; s/.*(size:) ([0-9]+),.*/size \2/p; s/.*padding: ([0-9]+).*/padding \1/p' pahole.txt | xargs)"
)
expected='clang a 0+4 b 16+16 c 32+4 e 48+32 size 80
pahole a 0+4 hole 12 b 16+12 hole 4 c 32+4 hole 12 e 48+24 size 80 padding 8'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: pahole shows other sizes now" >&2; exit 1; }
echo "$measured"
