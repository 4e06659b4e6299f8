#!/usr/bin/env bash
# abidiff sees no change when the alignment of a struct changes.
#
# Package:  Debian abigail-tools 2.2-2 (libabigail); GCC 5 or newer, which writes DW_AT_alignment.
# Guess:    abidiff compares the ABI of two libraries from debug information and exits with 4 or more if it differs. The alignment of a struct
#           is a part of it: it is in the debug information, and callers that embed the struct have it elsewhere.
# Measured: A struct of four floats passed by pointer, aligned to 16 in one library and to 4 in the other: no output, and exit code 0,
#           also with --harmless. A caller's member of that type after a float moves from 4 to 16. A fifth float is reported.
# Matters:  "No ABI change" allows mirrors of shader blocks to move. Compare the offsets in the caller's structs.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v gcc >/dev/null || skip "gcc is missing"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
[[ $(dpkg --print-architecture) == amd64 ]] || skip "this is not amd64"
apt-get download -qq abigail-tools=2.2-2 libabigail0=2.2-2 libdw1 libelf1 libxml2 libicu72 libctf0 libbinutils >apt.log 2>&1 ||
    skip "apt cannot download abigail-tools 2.2-2, libabigail0 2.2-2, libdw1, libelf1, libxml2, libicu72, libctf0 and libbinutils"
for package in ./*.deb; do dpkg-deb -x "$package" root; done

cat >library.c <<'END'
typedef struct { float x, y, z, w EXTRA; } ATTRIBUTE color;
float luminance(const color *value) { return value->x; }
struct caller { float power; color color; };
int where(void) { return (int)__builtin_offsetof(struct caller, color); }
END
cat >where.c <<'END'
#include <stdio.h>
int where(void);
int main(void) { printf("the caller's member is at %d\n", where()); }
END
# library NAME ATTRIBUTE EXTRA: builds the library lib/NAME/liblibrary.so, and prints where a caller's struct has its member.
library() {
    mkdir -p "lib/$1"
    gcc -g -shared -fPIC "-DATTRIBUTE=$2" "-DEXTRA=$3" library.c -o "lib/$1/liblibrary.so"
    gcc where.c "lib/$1/liblibrary.so" -Wl,-rpath,"$work/lib/$1" -o where
    echo "$1: $(./where)"
}
# compare NAME NAME: prints the exit code of abidiff, the length of its report, and what it says about the type's size.
compare() {
    local code=0
    LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu root/usr/bin/abidiff --harmless "lib/$1/liblibrary.so" "lib/$2/liblibrary.so" >report || code=$?
    echo "abidiff $1 $2: exit code $code, $(if [[ -s report ]]; then grep -o 'type size changed.*(in bits)' report; else echo 'no output'; fi)"
}
measured=$(
    library packed '' ''
    library aligned '__attribute__((aligned(16)))' ''
    library larger '' ', v'
    compare packed aligned
    compare packed larger
)
expected="packed: the caller's member is at 4
aligned: the caller's member is at 16
larger: the caller's member is at 4
abidiff packed aligned: exit code 0, no output
abidiff packed larger: exit code 4, type size changed from 128 to 160 (in bits)"
diff <(echo "$expected") <(echo "$measured") || { echo "changed: abidiff reports other changes now" >&2; exit 1; }
echo "$measured"
