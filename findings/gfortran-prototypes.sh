#!/usr/bin/env bash
# gfortran's C prototypes declare array descriptors as plain pointers, and a struct before the struct that it contains.
#
# Packages: Debian gfortran-12, libgfortran-12-dev and libgfortran5, all 12.2.0-14+deb12u1, for x86-64; any C compiler named gcc.
# Guess:    -fc-prototypes writes prototypes by which C can call the procedures (GCC's manual: they may need another header). By Fortran 2018,
#           18.3.6, an assumed-shape array and a character of any length are passed as CFI_cdesc_t *, and a c_ptr without `value` as void **.
#           Types come before their uses, and a matrix of 2x3 in a type as float m[6] or m[3][2].
# Measured: The array is `float *a`, the text `char *s`, the pointer `void *p`. C that calls through a descriptor (CFI_establish) gets the right sum, so
#           the procedure takes one. Types come in the order of their names: `alpha`, which has a `zeta`, comes first, and the header does not compile.
#           Matrices, values, and structs passed by reference are right.
# Matters:  C code that trusts the prototype compiles without a warning and passes floats where the procedure reads a descriptor.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v gcc >/dev/null || skip "gcc is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
[[ $(dpkg --print-architecture) == amd64 ]] || skip "this is not amd64"
apt-get download -qq {gfortran-12,libgfortran-12-dev,libgfortran5,libquadmath0}=12.2.0-14+deb12u1 libgmp10 libisl23 libmpc3 libmpfr6 \
    libzstd1 >apt.log 2>&1 ||
    skip "apt cannot download gfortran-12 12.2.0-14+deb12u1 and what it needs"
for package in ./*.deb; do dpkg-deb -x "$package" root; done
compiler=root/usr/lib/gcc/x86_64-linux-gnu/12
libraries=$work/root/usr/lib/x86_64-linux-gnu

cat >blocks.f90 <<'END'
module blocks
  use iso_c_binding
  implicit none
  type, bind(C) :: zeta
    real(c_float) :: m(2, 3)
  end type
  type, bind(C) :: alpha
    type(zeta) :: z
  end type
contains
  function total(a) bind(C)
    real(c_float), intent(in) :: a(:)
    real(c_float) :: total
    total = sum(a)
  end function
  subroutine label(s) bind(C)
    character(len=*, kind=c_char), intent(in) :: s
  end subroutine
  subroutine place(p, q) bind(C)
    type(c_ptr) :: p
    type(c_ptr), value :: q
  end subroutine
  subroutine fill(z, n) bind(C)
    type(zeta) :: z
    integer(c_int), value :: n
    z%m(2, 3) = n
  end subroutine
end module
END
LD_LIBRARY_PATH=$libraries root/usr/bin/gfortran-12 -B$compiler -c blocks.f90 -fc-prototypes >blocks.h
LC_ALL=C gcc -fsyntax-only -x c blocks.h 2>message && compiles=yes || compiles=no

cat >call.c <<'END'
#include <ISO_Fortran_binding.h>
#include <stdio.h>
float total(CFI_cdesc_t *a);
int main(void)
{
    float values[3] = {1, 2, 4};
    CFI_CDESC_T(1) a;
    CFI_index_t extents[1] = {3};
    CFI_establish((CFI_cdesc_t *)&a, values, CFI_attribute_other, CFI_type_float, sizeof(float), 1, extents);
    printf("called with a descriptor: %g\n", total((CFI_cdesc_t *)&a));
}
END
cp $compiler/include/ISO_Fortran_binding.h .
gcc -I. call.c blocks.o "$libraries/libgfortran.so.5" -Wl,-rpath-link,"$libraries" -o call
measured=$(
    grep -E '^(float|void|typedef)' blocks.h
    echo "compiles: $compiles, $(sed -n 's/.*error: //p' message | head -n 1 | tr -d "'")"
    LD_LIBRARY_PATH=$libraries ./call
)
expected='typedef struct alpha {
typedef struct zeta {
void fill (zeta *z, int n);
void label (const char *s);
void place (void *p, void *q);
float total (const float *a);
compiles: no, unknown type name zeta
called with a descriptor: 7'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: gfortran writes other prototypes now" >&2; exit 1; }
echo "$measured"
