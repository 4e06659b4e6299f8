#!/usr/bin/env bash
# Nim computes another size for an object variant than the C compiler gives it, and sizeof returns the smaller one.
#
# Packages: Debian nim 1.6.10-2 and libpcre3; any C compiler named gcc.
# Guess:    sizeof and offsetOf are the sizes and offsets of the program that Nim's C code becomes. Nim's own computation of them
#           knows alignment, packed objects, unions and the branches of variants.
# Measured: A branch of an array of three float32 next to a branch of one float64 takes 16 bytes in C, and Nim counts 12: the member after it
#           is at 24, and offsetOf says 20; an element of an array takes 32 bytes, and sizeof says 24, also at run time. A union of
#           the same members, and a branch with a float64 and a float32, are right.
# Matters:  Buffers of sizeof(v) or len * sizeof(T) bytes end inside the last elements.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v gcc >/dev/null || skip "gcc is missing"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
[[ $(dpkg --print-architecture) == amd64 ]] || skip "this is not amd64"
apt-get download -qq nim=1.6.10-2 libpcre3 >apt.log 2>&1 || skip "apt cannot download nim 1.6.10-2 and libpcre3"
for package in ./*.deb; do dpkg-deb -x "$package" root; done

cat >run.nim <<'END'
type
  Union {.union.} = object
    wide: float64
    parts: array[3, float32]
  OfUnion = object
    first: char
    value: Union
    last: char
  TwoParts = object
    first: char
    case isWide: bool
    of true:
      wide: float64
      narrow: float32
    of false: part: float32
    last: char
  ThreeParts = object
    first: char
    case isWide: bool
    of true: wide: float64
    of false: parts: array[3, float32]
    last: char

template show(T: untyped) =
  const offset = offsetOf(T, last)
  var values: array[2, T]
  echo astToStr(T), ": offsetOf ", offset, ", sizeof ", sizeof(values[0]), ", sizeof of two ", sizeof(values), "; last at ",
    cast[int](addr values[0].last) - cast[int](addr values[0]), ", elements ",
    cast[int](addr values[1]) - cast[int](addr values[0]), " bytes apart"

show OfUnion
show TwoParts
show ThreeParts
END
LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu root/usr/bin/nim c --lib:root/usr/lib/nim/lib --nimcache:cache --verbosity:0 --hints:off -o:run run.nim >nim.log 2>&1 ||
    { cat nim.log >&2; exit 1; }
measured=$(./run)
expected='OfUnion: offsetOf 24, sizeof 32, sizeof of two 64; last at 24, elements 32 bytes apart
TwoParts: offsetOf 24, sizeof 32, sizeof of two 64; last at 24, elements 32 bytes apart
ThreeParts: offsetOf 20, sizeof 24, sizeof of two 48; last at 24, elements 32 bytes apart'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: Nim computes other sizes now" >&2; exit 1; }
echo "$measured"
