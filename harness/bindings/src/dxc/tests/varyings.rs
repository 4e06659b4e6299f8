//! Locations on Vulkan. Every number and message is from DXC 1.7.2308 (`-spirv -E main` with the
//! profile named, decorations and diagnostics). An input that no code reads is not in DXC's
//! modules, but it has a number, as the next location shows.

use super::{placed, read};
use crate::{BindingRequest, Convention, Target, bind};

fn shader(profile: &str, options: &[&str], source: &str) -> Vec<String> {
    let mut request = BindingRequest::new(Target::Vulkan, Convention::Dxc);
    request.profile = (!profile.is_empty()).then(|| profile.to_owned());
    request.options = options.iter().map(|option| (*option).to_owned()).collect();
    let rows = placed(source, &request);
    rows.into_iter()
        .map(|row| row.replace("location-in", "in ").replace("location-out", "out ").replace("main.", ""))
        .collect()
}

fn vertex(source: &str) -> Vec<String> {
    shader("vs_6_6", &[], source)
}

fn pixel(source: &str) -> Vec<String> {
    shader("ps_6_6", &[], source)
}

#[test]
fn a_matrix_takes_a_location_for_each_row() {
    let source =
        "float4 main(float4 u : A, float3x2 m : M, row_major float2x3 r : R, double3 d : D, float2 arr[3] : ARR,
        float4 e : E) : SV_Position { return e + m[0][0] + r[0][0] + d.x + arr[1].x; }";
    let rows = ["u in 0", "m in 1[3]", "r in 4[2]", "d in 6[2]", "arr in 8[3]", "e in 11"];
    assert_eq!(vertex(source), rows);
    let source = "struct Out { float4 p : SV_Position; float3x3 frame : TEXCOORD0; float4 tail : TEXCOORD5;
        float2x4 two[2] : COLOR0; float last : PSIZE0; };
        Out main(float4 p : POSITION, float4x2 m : MAT, float after : AFTER) { return (Out)m[0][0]; }
        cbuffer K { float k; };";
    let outputs = ["$result.frame out 0[3]", "$result.tail out 3", "$result.two out 4[4]", "$result.last out 8"];
    let rows = [&["p in 0", "m in 1[4]", "after in 5"], outputs.as_slice()].concat();
    assert_eq!(vertex(source), rows);
    // The semantics that an entry point writes determine its stage.
    assert_eq!(shader("", &[], source), rows);
}

#[test]
fn a_matrix_of_one_column_is_a_vector() {
    let source = "float4 main(half3x1 a : A, float1x2 b : B, float1x1 c : C, half2x3 d[2] : D, double3 e : E,
        double2x3 f[2] : F, float4 g : G) : SV_Position { return a[0][0] + b[0][0] + c + d[0][0][0] + e.x + f[0][0][0] + g; }";
    assert_eq!(vertex(source), ["a in 0", "b in 1", "c in 2", "d in 3[4]", "e in 7[2]", "f in 9[8]", "g in 17"]);
}

#[test]
fn parameters_that_are_uniform_are_inputs() {
    let source = "struct Z { float e : E; };
        float4 main(float4 a : A, uniform float b : R, uniform Z c, inout float4 y : Y, float4 z : Q) : SV_Position {
        y += 1; return a + b + c.e + z; }";
    assert_eq!(vertex(source), ["a in 0", "b in 1", "c.e in 2", "y in 3", "z in 4", "y out 0"]);
}

#[test]
fn builtins_have_no_location() {
    let source = "struct O { float4 p : SV_Position; float2 uv : UV; float clip : SV_ClipDistance0;
        uint l : SV_RenderTargetArrayIndex; uint iid : SV_InstanceID; float s : PSIZE; };
        O main(float4 a : SV_Position, out float4 x : X, uint v : SV_VertexID, uint i : SV_InstanceID) {
        O o = (O)0; x = 1; o.p = a + v + i; return o; }";
    let rows = ["a in 0", "$result.uv out 0", "$result.iid out 1", "$result.s out 2", "x out 3"];
    assert_eq!(vertex(source), rows);
    let source = "struct I { float4 p : SV_Position; float2 uv : UV; bool f : SV_IsFrontFace; uint iid : SV_InstanceID;
        uint prim : SV_PrimitiveID; float c : SV_ClipDistance; };
        float4 main(I i, nointerpolation float3 n : N, uint s : SV_SampleIndex) : SV_Target {
        return i.p + i.uv.x + i.f + i.iid + i.prim + n.x + i.c + s; }";
    assert_eq!(pixel(source), ["i.uv in 0", "i.iid in 1", "n in 2", "$result out 0"]);
}

#[test]
fn render_targets_are_at_their_numbers() {
    let source = "struct O { float4 b : SV_Target2; float4 a : SV_Target; float d : SV_Depth; };
        O main(float4 a : A) { return (O)a.x; }";
    assert_eq!(pixel(source), ["a in 0", "$result.b out 2", "$result.a out 0"]);
    let source =
        "struct O { float4 b[2] : SV_Target1; float4 c : sv_target0; }; O main(float4 a : A) { return (O)a.x; }";
    assert_eq!(pixel(source), ["a in 0", "$result.b out 1[2]", "$result.c out 0"]);
    let source = "struct S { float4 a; float4 b; }; S main(S a : A) : SV_Target { return a; }";
    assert_eq!(pixel(source), ["a.a in 0", "a.b in 1", "$result.a out 0", "$result.b out 1"]);
    let source = "float4 main(float4 c : C, out float4 t1 : SV_Target1) : SV_Target0 { t1 = c; return c; }";
    assert_eq!(pixel(source), ["c in 0", "$result out 0", "t1 out 1"]);
}

#[test]
fn members_are_variables_of_their_own() {
    let source = "struct N { float4 a : A; float2x2 b : B; }; struct S { float z : Z; N n; float4 c : C; };
        float4 main(S a, N q : Q) : SV_Target { return a.c + a.n.a + a.n.b[0].xyxy + q.a; }";
    let rows = ["a.z in 0", "a.n.a in 1", "a.n.b in 2[2]", "a.c in 4", "q.a in 5", "q.b in 6[2]", "$result out 0"];
    assert_eq!(pixel(source), rows);
    let source = "struct B { float4 b : B; }; struct D : B { float4 d : D; };
        float4 main(D d) : SV_Position { return d.d + d.b; }";
    assert_eq!(vertex(source), ["d.b in 0", "d.d in 1"]);
}

#[test]
fn explicit_locations_count_where_all_have_one() {
    let source = "[[vk::location(5)]] float4 main([[vk::location(3)]] float4 a : A, [[vk::location(7)]] float4x4 b : B)
        : SV_Target { return a + b[0]; }";
    assert_eq!(pixel(source), ["a in 3", "b in 7[4]", "$result out 5"]);
    let source = "float4 main([[vk::location(3)]] float4 a : A, float4 b : B) : SV_Position { return a + b; }";
    let message = "error: partial explicit stage input location assignment via vk::location(X) unsupported";
    assert_eq!(vertex(source), [message]);
}

#[test]
fn what_has_no_locations_here_is_said() {
    let warned = |source: &str| {
        let bound = bind(&read(source), &BindingRequest::new(Target::Vulkan, Convention::Dxc)).unwrap();
        assert_eq!(bound.bindings, []);
        bound.warnings.into_iter().map(|warning| warning.message).collect::<Vec<_>>()
    };
    let unknown = "the stage of `main` is unknown, so its inputs and outputs have no locations";
    assert_eq!(warned("void main(float4 a : A, out float4 b : B) { b = a; }"), [unknown]);
    assert_eq!(warned("[numthreads(1, 1, 1)] void main(uint3 i : SV_GroupID) {}"), Vec::<String>::new());
    // "Multiple stage variables have a duplicated pair of location and index at 0 / 0"
    let source = "struct E { float4 b : B; }; float4 main(E e[2] : EE) : SV_Position { return e[0].b + e[1].b; }";
    assert_eq!(vertex(source), ["error: DXC refuses an input or output that is an array of structs"]);
}

#[test]
fn the_order_of_the_semantics_is_an_option() {
    let source = "struct O { float4 p : SV_Position; float4 z : Z; float4 a : TEXCOORD10; float4 b : TEXCOORD2;
        float4 c : texcoord1; }; O main(float4 z : Z, float4 a : A) { O o = (O)0; o.p = a + z; return o; }";
    let outputs = ["$result.a out 0", "$result.b out 1", "$result.z out 2", "$result.c out 3"];
    let rows = [&["a in 0", "z in 1"], outputs.as_slice()].concat();
    assert_eq!(shader("vs_6_6", &["-fvk-stage-io-order=alpha"], source), rows);
}
