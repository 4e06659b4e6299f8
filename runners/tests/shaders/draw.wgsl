// Draws one point: the vertex stage hands a word of a uniform block on, the fragment stage writes two targets.
struct Block { word: vec4<u32> }

struct Point {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) word: u32,
}

struct Targets {
    @location(0) first: vec4<u32>,
    @location(1) second: vec4<u32>,
}

@group(0) @binding(2) var<uniform> block: Block;

@vertex
fn vertex() -> Point {
    return Point(vec4(0.0, 0.0, 0.0, 1.0), block.word.x);
}

@fragment
fn fragment(point: Point) -> Targets {
    return Targets(vec4(point.word, block.word.yzw), vec4(0x200u, 0x201u, 0x202u, 0x203u));
}
