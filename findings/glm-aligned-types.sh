#!/usr/bin/env bash
# GLM_FORCE_DEFAULT_ALIGNED_GENTYPES does nothing with GCC.
#
# Package:  Debian libglm-dev 0.9.9.8+ds-6; any C++ compiler named g++, for x86-64.
# Guess:    GLM's manual, 2.10: with the macro, vec3 is aligned by default, and its example { vec4 a; float b; vec3 c; } has
#           48 bytes, not 32. On x86-64 SSE2 is always there.
# Measured: The example has 32 bytes with the macro too, also with -mavx2: GLM looks for SIMD only if GLM_FORCE_INTRINSICS is defined as
#           well. Then it has 48, and a dvec3 has 32 bytes. The only hint is a note that GLM_FORCE_MESSAGES turns on.
# Matters:  The macro is common advice for matching std140, and GLM's headers turn it on for MSVC: the same source has two layouts.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
command -v g++ >/dev/null || skip "g++ is missing"
[[ $(g++ -dumpmachine) == x86_64-* ]] || skip "g++ compiles for another machine than x86-64"
apt-get download -qq libglm-dev=0.9.9.8+ds-6 >apt.log 2>&1 || skip "apt cannot download libglm-dev 0.9.9.8+ds-6"
dpkg-deb -x ./*.deb root

cat >run.cpp <<'END'
#include <glm/glm.hpp>
#include <cstdio>

struct MyStruct
{
    glm::vec4 a;
    float b;
    glm::vec3 c;
};

int main()
{
    std::printf("struct %zu, vec3 %zu, mat3 %zu, dvec3 %zu\n", sizeof(MyStruct), sizeof(glm::vec3), sizeof(glm::mat3), sizeof(glm::dvec3));
}
END
# show OPTION...: prints the sizes with these options.
show() {
    g++ -I root/usr/include "$@" run.cpp -o run
    echo "${*:-no option}: $(./run)"
}
aligned=-DGLM_FORCE_DEFAULT_ALIGNED_GENTYPES
measured=$(
    show
    show $aligned
    show $aligned -mavx2
    show $aligned -DGLM_FORCE_INTRINSICS
    g++ -I root/usr/include $aligned -DGLM_FORCE_MESSAGES -fsyntax-only run.cpp 2>&1 |
        grep -oE 'GLM: GLM_FORCE_DEFAULT_ALIGNED_GENTYPES is defined but is disabled' | sort -u
)
expected='no option: struct 32, vec3 12, mat3 36, dvec3 24
-DGLM_FORCE_DEFAULT_ALIGNED_GENTYPES: struct 32, vec3 12, mat3 36, dvec3 24
-DGLM_FORCE_DEFAULT_ALIGNED_GENTYPES -mavx2: struct 32, vec3 12, mat3 36, dvec3 24
-DGLM_FORCE_DEFAULT_ALIGNED_GENTYPES -DGLM_FORCE_INTRINSICS: struct 48, vec3 16, mat3 48, dvec3 32
GLM: GLM_FORCE_DEFAULT_ALIGNED_GENTYPES is defined but is disabled'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: GLM aligns otherwise now" >&2; exit 1; }
echo "$measured"
