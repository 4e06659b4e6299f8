#!/usr/bin/env bash
# Ogre's shared parameters give an array in a uniform block the room of one element, so the next member is inside the array.
#
# Package:  Debian libogre1.12.10 and libogre-1.12-dev 1.12.10+dfsg2-3+b1, GpuSharedParameters; any C++ compiler.
# Guess:    Shared parameters become a uniform buffer, and logicalIndex of a constant is its byte in it, by std140: after a float
#           at 0, float[3] is at 16 with a stride of 16, the float after it at 64, a mat3 at 80 and the float after it at 128.
# Measured: float[3] is at 4 and the float after it at 8; the float after vec3[2] is at 28, and the one after a mat3 at 52, in the
#           third column. Vectors and mat4 are right.
# Matters:  Blocks of vec4 and mat4 do not show it: for these, "add the size" is all of std140.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
compiler=$(command -v c++ || command -v g++ || command -v clang++) || skip "a C++ compiler is missing"
version=1.12.10+dfsg2-3+b1
mkdir -p cache/archives/partial
# Downloads what the library needs and this machine lacks, and installs nothing.
{
    apt-get download -qq libogre-1.12-dev=$version &&
        apt-get install -qq --download-only --yes --no-install-recommends -o Debug::NoLocking=true -o Dir::Cache="$work/cache" \
            -o APT::Sandbox::User="$(id -un)" libogre1.12.10=$version
} >apt.log 2>&1 || skip "apt cannot download libogre1.12.10 $version"
for package in ./*.deb cache/archives/*.deb; do dpkg-deb -x "$package" root; done
libraries=$work/root/usr/lib/x86_64-linux-gnu

cat >run.cpp <<'END'
#include <OgreGpuProgramParams.h>
#include <OgreLogManager.h>
#include <OgreRoot.h>
#include <cstdio>
#include <vector>

using namespace Ogre;

struct Member { const char* name; GpuConstantType type; size_t count; };

static void show(const char* what, const std::vector<Member>& members) {
    GpuSharedParameters block(what);
    for (const Member& member : members) block.addConstantDefinition(member.name, member.type, member.count);
    printf("%s:", what);
    for (const Member& member : members) printf(" %s %zu", member.name, (size_t)block.getConstantDefinition(member.name).logicalIndex);
    puts("");
}

int main() {
    LogManager log;
    log.createLog("ogre.log", true, false, true);
    Root root("", "", "");
    show("vectors", {{"a", GCT_FLOAT1, 1}, {"b", GCT_FLOAT3, 1}, {"c", GCT_FLOAT1, 1}, {"d", GCT_MATRIX_4X4, 1}, {"e", GCT_FLOAT1, 1}});
    show("float[3]", {{"a", GCT_FLOAT1, 1}, {"b", GCT_FLOAT1, 3}, {"c", GCT_FLOAT1, 1}});
    show("vec3[2]", {{"a", GCT_FLOAT1, 1}, {"b", GCT_FLOAT3, 2}, {"c", GCT_FLOAT1, 1}});
    show("mat3", {{"a", GCT_FLOAT1, 1}, {"b", GCT_MATRIX_3X3, 1}, {"c", GCT_FLOAT1, 1}});
}
END
"$compiler" -w -Iroot/usr/include/OGRE run.cpp -o run -L"$libraries" -l:libOgreMain.so.1.12.10 -Wl,--allow-shlib-undefined
measured=$(LD_LIBRARY_PATH=$libraries ./run)
expected='vectors: a 0 b 16 c 28 d 32 e 96
float[3]: a 0 b 4 c 8
vec3[2]: a 0 b 16 c 28
mat3: a 0 b 16 c 52'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: Ogre places shared parameters elsewhere now" >&2; exit 1; }
echo "$measured"
