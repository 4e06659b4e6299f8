#!/usr/bin/env bash
# h2pas writes setters of bit-fields that never clear a bit, and gives the fields of a small struct two bytes whatever C gives them.
#
# Packages: Debian fp-utils-3.2.2, fp-compiler-3.2.2 and fp-units-rtl-3.2.2, all 3.2.2+dfsg-20, for x86-64; ld; any C compiler named gcc.
# Guess:    h2pas makes a function and a procedure for each bit-field, since Pascal's records have none. After the setter the function
#           returns the new value. With {$PACKRECORDS C}, which it writes, records have the size of the C structs.
# Measured: The setter has `or` and no `and not`: 63, then 8 in a field of 6 bits reads as 63. Fields of up to 16 bits in a row become a word:
#           2 bytes where C has 1 (unsigned char) or 4 (unsigned int). After an unsigned char, C keeps a field of 5 bits in the same int, and
#           what follows is at 2; in Pascal it is at 4. Four fields of 10, 10, 10 and 2 bits, and a 565 color of a short, have C's size.
# Matters:  A test that sets each field once, in zeroed memory, passes. Packed normals and colors are set for each frame.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v gcc >/dev/null || skip "gcc is missing"
command -v ld >/dev/null || skip "ld is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
apt-get download -qq fp-{utils,compiler,units-rtl}-3.2.2=3.2.2+dfsg-20 >apt.log 2>&1 || skip "apt cannot download fp-utils, fp-compiler and fp-units-rtl 3.2.2+dfsg-20"
for package in ./*.deb; do dpkg-deb -x "$package" root; done

cat >fields.h <<'END'
struct color { unsigned short red : 5, green : 6, blue : 5; };
struct normal { unsigned int x : 10, y : 10, z : 10, w : 2; };
struct nibbles { unsigned char low : 4, high : 4; };
struct flags { unsigned int kind : 3, level : 4; };
struct after { unsigned char tag; unsigned int level : 5; unsigned char last; };
END
root/usr/bin/h2pas-3.2.2 -o fields.pas -u fields fields.h
cat >show.pas <<'END'
program show;
uses fields;
var
  c : color;
  a : after;
begin
  c.flag0 := 0;
  set_green(c, 63);
  writeln('Pascal: green set to 63 is ', green(c));
  set_green(c, 8);
  writeln('Pascal: green set to 8 is ', green(c));
  writeln('Pascal: color ', sizeof(color), ' normal ', sizeof(normal), ' nibbles ', sizeof(nibbles), ' flags ', sizeof(flags),
    ' after ', sizeof(after), ' last at ', pbyte(@a.last) - pbyte(@a));
end.
END
cat >show.c <<'END'
#include <stddef.h>
#include <stdio.h>
#include "fields.h"
int main(void)
{
    struct color c = {0};
    c.green = 63;
    c.green = 8;
    printf("C: green set to 8 is %d\n", c.green);
    printf("C: color %zu normal %zu nibbles %zu flags %zu after %zu last at %zu\n", sizeof(struct color), sizeof(struct normal),
        sizeof(struct nibbles), sizeof(struct flags), sizeof(struct after), offsetof(struct after, last));
}
END
gcc show.c -o c-show
root/usr/bin/ppcx64-3.2.2 -n -Fu"$(echo root/usr/lib/*/fpc/3.2.2/units/*/rtl)" show.pas >fpc.log 2>&1 || { cat fpc.log >&2; exit 1; }
measured=$(
    sed -n '/procedure set_green/,/end/s/^ *a\.flag0/h2pas: flag0/p' fields.pas
    ./c-show
    ./show
)
expected='h2pas: flag0:=a.flag0 or ((__green shl bp_color_green) and bm_color_green);
C: green set to 8 is 8
C: color 2 normal 4 nibbles 1 flags 4 after 4 last at 2
Pascal: green set to 63 is 63
Pascal: green set to 8 is 63
Pascal: color 2 normal 4 nibbles 2 flags 2 after 6 last at 4'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: h2pas writes bit-fields otherwise now" >&2; exit 1; }
echo "$measured"
