#!/usr/bin/env bash
# JNR-FFI places an array in a union after the other members, and does not pad structs at their end.
#
# Packages: Debian libjnr-ffi-java 2.2.7-1 with libjffi-java and libjffi-jni 1.3.9+ds-6, libjnr-x86asm-java 1.0.2-5.1 and libasm-java 9.4-1;
#           a JDK; any C compiler named gcc.
# Guess:    Struct and Union are C's: each member of a union is at 0, a struct with a member aligned to 8 is aligned to 8 wherever it is, and
#           Struct.size is C's sizeof, for it is what a user allocates for each element of an array.
# Measured: In a union of a double and float[3] the first float is at 8, and a last float, which is no array, at 0. A struct is as long as its
#           last member's end: 17 bytes for a byte, a long and a byte, not 24. A struct inside another one is at the right place, but the outer
#           one then counts as aligned to 1, so as a member of a third one it is at 1 instead of 8.
# Matters:  Parameters of several types share a union in most C headers. Scalars in it are right, so a test with them passes.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v javac java >/dev/null || skip "a JDK is missing"
command -v gcc >/dev/null || skip "gcc is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
apt-get download -qq libjnr-ffi-java=2.2.7-1 libjffi-{java,jni}=1.3.9+ds-6 libjnr-x86asm-java=1.0.2-5.1 libasm-java=9.4-1 >apt.log 2>&1 ||
    skip "apt cannot download libjnr-ffi-java 2.2.7-1 and what it needs"
for package in ./*.deb; do dpkg-deb -x "$package" root; done

cat >Show.java <<'END'
import jnr.ffi.Runtime;
import jnr.ffi.Struct;
import jnr.ffi.Union;

public class Show {
    public static class Mixed extends Union {
        public final Double d = new Double();
        public final Float[] f = array(new Float[3]);
        public final Float last = new Float();
        public Mixed(Runtime runtime) { super(runtime); }
    }
    public static class Plain extends Struct {
        public final Signed8 a = new Signed8();
        public final Signed64 d = new Signed64();
        public final Signed8 last = new Signed8();
        public Plain(Runtime runtime) { super(runtime); }
    }
    public static class Outer extends Struct {
        public final Signed8 a = new Signed8();
        public final Plain plain = inner(new Plain(getRuntime()));
        public final Signed8 last = new Signed8();
        public Outer(Runtime runtime) { super(runtime); }
    }
    public static class Third extends Struct {
        public final Signed8 a = new Signed8();
        public final Outer outer = inner(new Outer(getRuntime()));
        public final Signed8 last = new Signed8();
        public Third(Runtime runtime) { super(runtime); }
    }
    public static void main(String[] arguments) {
        Runtime runtime = Runtime.getSystemRuntime();
        Mixed mixed = new Mixed(runtime);
        Plain plain = new Plain(runtime);
        Outer outer = new Outer(runtime);
        Third third = new Third(runtime);
        System.out.printf("JNR-FFI: union d %d f[0] %d f[1] %d last %d size %d%n", mixed.d.offset(), mixed.f[0].offset(), mixed.f[1].offset(),
            mixed.last.offset(), Struct.size(mixed));
        System.out.printf("JNR-FFI: Plain last %d size %d%n", plain.last.offset(), Struct.size(plain));
        System.out.printf("JNR-FFI: Outer plain.a %d last %d size %d alignment %d%n", outer.plain.a.offset(), outer.last.offset(),
            Struct.size(outer), Struct.alignment(outer));
        System.out.printf("JNR-FFI: Third outer.a %d last %d size %d%n", third.outer.a.offset(), third.last.offset(), Struct.size(third));
    }
}
END
cat >show.c <<'END'
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
union Mixed { double d; float f[3]; float last; };
struct Plain { int8_t a; int64_t d; int8_t last; };
struct Outer { int8_t a; struct Plain plain; int8_t last; };
struct Third { int8_t a; struct Outer outer; int8_t last; };
int main(void)
{
    printf("C: union d %zu f[0] %zu f[1] %zu last %zu size %zu\n", offsetof(union Mixed, d), offsetof(union Mixed, f), offsetof(union Mixed, f[1]),
        offsetof(union Mixed, last), sizeof(union Mixed));
    printf("C: Plain last %zu size %zu\n", offsetof(struct Plain, last), sizeof(struct Plain));
    printf("C: Outer plain.a %zu last %zu size %zu alignment %zu\n", offsetof(struct Outer, plain.a), offsetof(struct Outer, last),
        sizeof(struct Outer), _Alignof(struct Outer));
    printf("C: Third outer.a %zu last %zu size %zu\n", offsetof(struct Third, outer.a), offsetof(struct Third, last), sizeof(struct Third));
}
END
jars=$(printf '%s:' root/usr/share/java/*.jar)
javac -cp "$jars" Show.java
gcc show.c -o show
measured=$(
    ./show
    java -Djffi.boot.library.path="$(echo root/usr/lib/*/jni)" -cp "$jars:." Show
)
expected='C: union d 0 f[0] 0 f[1] 4 last 0 size 16
C: Plain last 16 size 24
C: Outer plain.a 8 last 32 size 40 alignment 8
C: Third outer.a 8 last 48 size 56
JNR-FFI: union d 0 f[0] 8 f[1] 12 last 0 size 20
JNR-FFI: Plain last 16 size 17
JNR-FFI: Outer plain.a 8 last 25 size 26 alignment 1
JNR-FFI: Third outer.a 1 last 27 size 28'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: JNR-FFI places members elsewhere now" >&2; exit 1; }
echo "$measured"
