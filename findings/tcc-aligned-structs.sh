#!/usr/bin/env bash
# With TCC, including a header of the C library moves the members of structs that are declared after it.
#
# Package:  Debian tcc 0.9.27+git20200814.62c30a4a-1 with the headers of libc6-dev 2.36.
# Guess:    TCC's manual, 3.3: `aligned` and `packed` are supported, so a struct of three floats aligned to 16 is at 16 after a float.
#           Including <stdint.h> declares integer types and changes nothing else.
# Measured: Without <stdint.h> the offsets are GCC's. After it, the struct is at 4 and the packed double at 8: glibc's sys/cdefs.h
#           defines __attribute__ as empty for compilers other than GCC and Clang. C11's _Alignas is kept. TCC says nothing.
# Matters:  Most headers include <stdint.h>, and a test of the struct alone passes. Use _Alignas in headers for several compilers.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
[[ $(dpkg --print-architecture) == amd64 ]] || skip "this is not amd64"
libc=$(apt-cache madison libc6-dev 2>apt.log | grep -oE '2\.36-[^ ]+' | sed -n 1p)
[[ -n $libc ]] || skip "apt has no libc6-dev 2.36"
apt-get download -qq tcc=0.9.27+git20200814.62c30a4a-1 "libc6-dev=$libc" linux-libc-dev >apt.log 2>&1 ||
    skip "apt cannot download tcc 0.9.27+git20200814.62c30a4a-1, libc6-dev $libc and linux-libc-dev"
for package in ./*.deb; do dpkg-deb -x "$package" root; done

cat >run.c <<'END'
#include INCLUDED
int printf(const char *, ...);
typedef struct { float x, y, z; } __attribute__((aligned(16))) vec3;
struct Aligned { float power; vec3 color; float last; };
struct Packed { char kind; double color __attribute__((packed)); char last; };
struct Standard { float power; _Alignas(16) float color[3]; float last; };
#define SHOW(type) printf(" " #type " %d %d %d", (int)&((struct type *)0)->color, (int)&((struct type *)0)->last, (int)sizeof(struct type))
int main(void)
{
    SHOW(Aligned);
    SHOW(Packed);
    SHOW(Standard);
}
END
tcc() {
    root/usr/bin/tcc -B root/usr/lib/x86_64-linux-gnu/tcc -nostdinc -I root/usr/lib/x86_64-linux-gnu/tcc/include -I root/usr/include \
        -I root/usr/include/x86_64-linux-gnu -w "$@"
}
measured=$(
    for header in stddef.h stdint.h; do
        echo "$header:$(tcc "-DINCLUDED=<$header>" -run run.c)"
    done
)
expected='stddef.h: Aligned 16 32 48 Packed 1 9 10 Standard 16 28 32
stdint.h: Aligned 4 16 20 Packed 8 16 24 Standard 16 28 32'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: TCC with these headers places members otherwise now" >&2; exit 1; }
echo "$measured"
