//! The code of shaders says what the host may have where a member is declared in another way.

use super::{folder_of, one_line, pairs};

const HOST: &str = "struct Item { float scale[4]; float offset[2]; unsigned layer; int : 32; } i;";

/// A shader in each language, with a way to read the third component of a member.
const SHADERS: [(&str, &str, &str); 4] = [
    (
        "a.frag",
        "#version 450\nstruct Item { vec4 scale; vec4 offsetLayer; };\n\
         layout(std140, binding = 0) uniform Items { Item items[2]; };\nlayout(location = 0) out vec4 color;\n\
         float layer(Item item) { return READ; }\nvoid main() { Item own = items[1]; color = own.scale * layer(own); }\n",
        "float(floatBitsToUint(item.offsetLayer.z))",
    ),
    (
        "a.hlsl",
        "struct Item { float4 scale; float4 offsetLayer; }; StructuredBuffer<Item> items;\n\
         float layer(Item item) { return READ; }\nfloat4 main() : SV_Target { return items[1].scale * layer(items[1]); }\n",
        "asuint(item.offsetLayer.z)",
    ),
    (
        "a.slang",
        "struct Item { float4 scale; float4 offsetLayer; }; StructuredBuffer<Item> items;\n\
         float layer(Item item) { return READ; }\n\
         [shader(\"fragment\")] float4 main() : SV_Target { return items[1].scale * layer(items[1]); }\n",
        "float(bit_cast<uint>(item.offsetLayer.z))",
    ),
    (
        "a.wgsl",
        "struct Item { scale: vec4f, offsetLayer: vec4f }\n@group(0) @binding(0) var<uniform> items: array<Item, 2>;\n\
         fn layer(item: Item) -> f32 { return READ; }\n\
         @fragment fn main() -> @location(0) vec4f { let own = items[1]; return own.scale * layer(own); }\n",
        "f32(bitcast<u32>(item.offsetLayer.z))",
    ),
];

#[test]
fn bits_that_a_shader_takes_may_be_of_another_kind() {
    for (name, shader, as_bits) in SHADERS {
        let of_other = format!("{} * item.offsetLayer.z", as_bits.replace(".z", ".y"));
        for (read, code) in [(as_bits, 0), ("item.offsetLayer.z", 1), (&*of_other, 1)] {
            let Some(folder) = folder_of((name, &shader.replace("READ", read)), HOST) else { return };
            let answer = folder.run(&format!("check {name} host.o")).exits(code);
            let said = one_line(&answer)
                .contains("`offsetLayer` is stored as raw bits in `layer`: their meaning is not checked");
            assert_eq!(said, code == 0, "{read}: {}", answer.out);
        }
    }
}

/// One shader of a block may leave out what another reads.
#[test]
fn all_shaders_of_a_block_count() {
    let shader = |read: &str| {
        format!(
            "cbuffer Material {{ float4 tint; float4 maskScale; }}; float4 main() : SV_Target {{ return tint * {read}; }}\n"
        )
    };
    let host = "struct Material { float tint[4]; float mask; int : 32; int : 32; int : 32; } m;";
    let Some(folder) = folder_of(("a.hlsl", &shader("maskScale.x")), host) else { return };
    let answer = folder.run("check a.hlsl host.o --format json").exits(0);
    assert_eq!(pairs(&answer), ["Material Material agree"]);
    folder.write("b.hlsl", shader("maskScale.y").as_bytes());
    let answer = folder.run("check a.hlsl b.hlsl host.o --format json").exits(1);
    assert_eq!(pairs(&answer), ["Material Material differ"; 2]);
}

/// The mask or the shift says which bytes the shader reads; the code in between is followed, or counts as reading all.
#[test]
fn the_bytes_that_a_shader_reads_must_be_there() {
    let shader = "#version 450\nlayout(std140, binding = 0) uniform Draw { uvec4 idsObject; vec4 maskReserved; };\n\
                  layout(location = 0) out vec4 color;\nfloat scale(vec4 all) { return all.y; }\n\
                  void main() { color = vec4(0); READ }\n";
    let host = "struct Draw { unsigned short id; unsigned short : 16; unsigned object; int : 32; int : 32; \
                float mask; int : 32; int : 32; int : 32; } d;";
    let Some(folder) = folder_of(("a.frag", ""), host) else { return };
    for (read, code) in [
        ("color.x = float(idsObject.x & 0xffffu) + maskReserved.x;", 0),
        ("uvec2 own = idsObject.xy; color.x = float(bitfieldExtract(own.x, 0, 16)) + maskReserved.x;", 0),
        ("vec4 own = maskReserved; color.x = own.x * float(idsObject.y);", 0),
        ("color.x = float(idsObject.x & 0x1ffffu) + maskReserved.x;", 1),
        ("color.x = float(idsObject.x >> 8) + maskReserved.x;", 1),
        ("color.x = float(bitfieldExtract(idsObject.x, 4, 16)) + maskReserved.x;", 1),
        ("color.x = float(idsObject.x) + maskReserved.x;", 1),
        ("color.x = float(idsObject.y) + scale(maskReserved);", 1),
        ("vec4 own = maskReserved; color.x = own.z * float(idsObject.y);", 1),
        ("vec4 own = vec4(0); for (int i = 0; i < 2; i++) { color.x += own.w; own = maskReserved; }", 1),
        ("color = maskReserved * float(idsObject.y);", 1),
    ] {
        folder.write("a.frag", shader.replace("READ", read).as_bytes());
        let answer = folder.run("check a.frag host.o --map Draw=Draw");
        assert_eq!(answer.code(), code, "{read}\n{}", answer.out);
    }
}
