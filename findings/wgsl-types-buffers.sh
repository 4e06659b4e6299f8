#!/usr/bin/env bash
# wgsl-types reads an array without a length where WGSL has padding, and writes structs in an array without the padding at their end.
#
# Package:  crates.io wgsl-types 0.4.0, on which the interpreter of wesl is built. 0.6.0 gives the same.
# Guess:    Instance::from_buffer and to_buffer follow WGSL 14.4.1, "Alignment and Size", which the crate's documentation names: array<vec4f> after a
#           u32 starts at 16, also without a length, and the elements of an array of { vec4f, f32 } are 32 bytes apart. What is read and
#           written again is the same bytes.
# Measured: array<vec4f> is read from 4 on and written from 16 on; array<vec4f, 2> is read at 16. An array of the struct, with or without a length, is
#           read 32 bytes apart and written 20 bytes apart. size_of gives 64 for two of them; 40 bytes are written. As a member, the struct is padded.
# Matters:  A counter before an array is the usual storage buffer. Test an oracle for layouts by reading and writing each type.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v cargo >/dev/null || skip "cargo is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir src
cat >Cargo.toml <<'END'
[package]
name = "buffers"
version = "0.1.0"
edition = "2021"

[dependencies]
wgsl-types = "=0.4.0"

[profile.dev]
debug = false

[workspace]
END
cat >src/main.rs <<'END'
use wgsl_types::{
    ty::{StructMemberType, StructType, Type},
    Instance,
};

fn structure(name: &str, members: &[(&str, &Type)]) -> Type {
    let members = members.iter().map(|(name, kind)| StructMemberType::new(name.to_string(), (*kind).clone())).collect();
    StructType { name: name.into(), members }.into()
}

fn main() {
    let vec4 = Type::Vec(4, Box::new(Type::F32));
    let array = |element: &Type, length| Type::Array(Box::new(element.clone()), length);
    let light = structure("Light", &[("color", &vec4), ("power", &Type::F32)]);
    let kinds = [
        structure("Fixed", &[("count", &Type::U32), ("points", &array(&vec4, Some(1)))]),
        structure("Open", &[("count", &Type::U32), ("points", &array(&vec4, None))]),
        structure("Outer", &[("light", &light), ("last", &Type::F32)]),
        array(&light, Some(2)),
        array(&light, None),
    ];
    // Each word is its own number, so a value is the place from which it was read.
    let bytes: Vec<u8> = (0..16).flat_map(|word| (4.0 * word as f32).to_le_bytes()).collect();
    for kind in kinds {
        let value = Instance::from_buffer(&bytes, &kind).unwrap();
        let written: Vec<_> = value.to_buffer().unwrap().chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().unwrap())).collect();
        let places: Vec<_> = (0..written.len()).filter(|&i| written[i] != 0.0).map(|i| format!("{}->{}", written[i], 4 * i)).collect();
        println!("{kind}, size {:?}: {} bytes written, {}", kind.size_of(), 4 * written.len(), places.join(" "));
    }
}
END
export CARGO_TARGET_DIR=$work/target CARGO_BUILD_JOBS=1
cargo fetch --quiet 2>cargo.log || skip "cargo cannot fetch wgsl-types 0.4.0: $(tail -n 1 cargo.log)"
cargo build --quiet --offline

measured=$(target/debug/buffers)
expected='Fixed, size Some(32): 32 bytes written, 16->16 20->20 24->24 28->28
Open, size None: 64 bytes written, 4->16 8->20 12->24 16->28 20->32 24->36 28->40 32->44 36->48 40->52 44->56 48->60
Outer, size Some(48): 36 bytes written, 4->4 8->8 12->12 16->16 32->32
array<Light, 2>, size Some(64): 40 bytes written, 4->4 8->8 12->12 16->16 32->20 36->24 40->28 44->32 48->36
array<Light>, size None: 40 bytes written, 4->4 8->8 12->12 16->16 32->20 36->24 40->28 44->32 48->36'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: wgsl-types reads or writes other bytes now" >&2; exit 1; }
echo "$measured"
