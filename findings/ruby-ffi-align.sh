#!/usr/bin/env bash
# Ruby-FFI's `align 16` in a struct puts each of its members at a multiple of 16.
#
# Package:  Debian ruby-ffi 1.15.5+dfsg-1+b1, with ruby3.1.
# Guess:    `align`, also named `aligned`, is alignas(16) for the struct, as `packed` next to it is C's packed: three floats are at 0, 4 and
#           8, and the struct has 16 bytes and an alignment of 16.
# Measured: The floats are at 0, 16 and 32, and the struct has 48 bytes: `align` is a minimum for each member. A struct of one array
#           of three floats has the wanted 16 bytes.
# Matters:  A vec3 of std140 written as x, y and z becomes three registers, and everything after it moves.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
[[ $(dpkg --print-architecture) == amd64 ]] || skip "this is not amd64"
apt-get download -qq ruby-ffi=1.15.5+dfsg-1+b1 ruby3.1 libruby3.1 libffi8 libgmp10 >apt.log 2>&1 ||
    skip "apt cannot download ruby-ffi 1.15.5+dfsg-1+b1, ruby3.1, libruby3.1, libffi8 and libgmp10"
for package in ./*.deb; do dpkg-deb -x "$package" root; done

cat >run.rb <<'END'
require 'ffi'

class Plain < FFI::Struct
  layout :x, :float, :y, :float, :z, :float
end

class Aligned < FFI::Struct
  align 16
  layout :x, :float, :y, :float, :z, :float
end

class AlignedArray < FFI::Struct
  align 16
  layout :xyz, [:float, 3]
end

class Block < FFI::Struct
  layout :power, :float, :color, Aligned, :last, :float
end

class BlockOfArray < FFI::Struct
  layout :power, :float, :color, AlignedArray, :last, :float
end

[Plain, Aligned, AlignedArray, Block, BlockOfArray].each do |struct|
  puts "#{struct}: #{struct.offsets.map { |name, offset| "#{name} #{offset}" }.join(' ')} size #{struct.size} alignment #{struct.alignment}"
end
END
libraries=root/usr/lib/x86_64-linux-gnu
gems=$libraries/rubygems-integration/3.1.0
measured=$(LD_LIBRARY_PATH=$libraries root/usr/bin/ruby3.1 --disable-gems -I root/usr/lib/ruby/3.1.0 -I $libraries/ruby/3.1.0 \
    -I $gems/gems/ffi-1.15.5/lib -I $gems/extensions/x86_64-linux/3.1.0/ffi-1.15.5 run.rb)
expected='Plain: x 0 y 4 z 8 size 12 alignment 4
Aligned: x 0 y 16 z 32 size 48 alignment 16
AlignedArray: xyz 0 size 16 alignment 16
Block: power 0 color 16 last 64 size 80 alignment 16
BlockOfArray: power 0 color 16 last 32 size 48 alignment 16'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: Ruby-FFI aligns otherwise now" >&2; exit 1; }
echo "$measured"
