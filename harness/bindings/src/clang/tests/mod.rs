//! The departures from DXC that wg-hlsl 0024, implicit resource binding, proposes. The numbers
//! follow from its rules. No released compiler that was measured implements all of them.

use crate::dxc::tests::placed;
use crate::{BindingRequest, Convention, Target};

fn shader(target: Target, declarations: &str, statements: &str) -> Vec<String> {
    let source = format!("{declarations} [numthreads(4, 1, 1)] void main() {{ {statements} }}");
    placed(&source, &BindingRequest::new(target, Convention::Clang))
}

fn d3d12(declarations: &str, statements: &str) -> Vec<String> {
    shader(Target::D3d12, declarations, statements)
}

/// "Clang should assign the bindings exactly as DXC does": examples 2.1, 3.1, 4.1 and 5.1 as for DXC.
#[test]
fn variables_are_placed_as_dxc_does() {
    let declarations = "RWBuffer<float> A : register(u2); RWBuffer<float> B[4]; RWBuffer<float> C[2];
        RWBuffer<float> D[50] : register(u6); RWBuffer<float> E[2];";
    let rows = d3d12(declarations, "A[0] = E[1][0] + C[1][0] + B[1][0];");
    assert_eq!(rows, ["A u2", "B u3[4]", "C u0[2]", "E u7[2]"]);
    let declarations = "RWBuffer<float> A : register(u1); RWBuffer<float> B[]; RWBuffer<float> C : register(u5);
        RWBuffer<float> D[3];";
    assert_eq!(d3d12(declarations, "A[0] = D[2][0] + C[0] + B[10][0];"), ["A u1", "B u6[]", "C u5", "D u2[3]"]);
    let declarations = "RWBuffer<float> A : register(u0, space1); RWBuffer<float> B[10];
        RWBuffer<float> C[5][4] : register(u10, space5); RWBuffer<float> D;";
    let rows = d3d12(declarations, "A[0] = D[0] + C[3][3][0] + B[5][0];");
    assert_eq!(rows, ["A u0 space1", "B u0[10]", "C u10[20] space5", "D u10"]);
    let declarations = "RWBuffer<float> A : register(u1); RWBuffer<float> B[]; RWBuffer<float> C[3] : register(space1);
        RWBuffer<float> D : register(space1);";
    let rows = d3d12(declarations, "A[0] = C[2][0] + D[0] + B[10][0];");
    assert_eq!(rows, ["A u1", "B u2[]", "C u0[3] space1", "D u3 space1"]);
}

/// "DXC assigns these bindings based on the order in which the resource is used": example 1.2 with the declared order.
#[test]
fn struct_members_are_placed_in_declaration_order() {
    let declarations = "RWBuffer<float> A : register(u0); RWBuffer<float> C: register(u2);
        struct S { RWBuffer<float> B; RWBuffer<float> D; } s;";
    assert_eq!(d3d12(declarations, "A[0] = s.D[0] + s.B[0];"), ["A u0", "s.B u1", "s.D u2"]);
}

/// "The full range of descriptors should be reserved, the same way it is reserved for resource arrays declared at
/// global scope": example 2.2 with whole ranges, and a dynamic index as in example 2.3.
#[test]
fn arrays_in_structs_are_whole_ranges() {
    let declarations = "struct S { RWBuffer<float> B[4]; RWBuffer<float> C[2]; RWBuffer<float> E[3]; };
        RWBuffer<float> A : register(u2); S s;";
    let rows = d3d12(declarations, "A[0] = s.E[2][0] + s.C[1][0] + s.B[3][0] + s.E[1][0];");
    assert_eq!(rows, ["A u2", "s.B u3[4]", "s.C u0[2]", "s.E u7[3]"]);
    let rows = d3d12("struct S { RWBuffer<float> B[10]; } s;", "for (int i = 0; i < 5; i++) s.B[i][0] = 1.0;");
    assert_eq!(rows, ["s.B u0[10]"]);
}

/// "The maximum value of the register slot and virtual space number is `UINT_MAX`."
#[test]
fn the_last_register_is_one_like_any_other() {
    let declarations = "RWBuffer<float> A : register(u4294967295); RWBuffer<float> B;";
    assert_eq!(d3d12(declarations, "A[0] = B[0];"), ["A u4294967295", "B u0"]);
    // An unbounded array must reach the end of the line.
    let declarations = "RWBuffer<float> A : register(u4294967295); RWBuffer<float> B[];";
    assert_eq!(d3d12(declarations, "A[0] = B[1][0];"), ["error: resource cannot be allocated"]);
}

/// Messages of LLVM's passes dxil-resource-implicit-binding and dxil-post-optimization-validation.
#[test]
fn what_does_not_fit_is_refused() {
    let twice = d3d12("RWBuffer<float> C[]; RWBuffer<float> D[];", "D[10][0] = C[20][2];");
    assert_eq!(twice, ["error: resource cannot be allocated"]);
    let overlap = d3d12("RWBuffer<float> A : register(u5); RWBuffer<float> B[4] : register(u3);", "A[0] = B[0][0];");
    assert_eq!(overlap, ["error: resource B at register 3 overlaps with resource A at register 5 in space 0"]);
}

/// wg-hlsl 0030: each resource or array takes one binding; attributes come before registers,
/// registers before the rest.
#[test]
fn vulkan_has_one_line_for_each_set() {
    let declarations = "Texture2D T[3]; RWStructuredBuffer<float> R; [[vk::binding(1)]] Texture2D V; SamplerState S;
        RWBuffer<float4> U : register(u0, space1); Texture2D Unused;";
    let statements = "U[0] = T[1].SampleLevel(S, 0, 0) + V.Load(0) + R.IncrementCounter();";
    let rows = shader(Target::Vulkan, declarations, statements);
    let expected =
        ["T binding0[3]", "R binding2", "R.$counter binding3", "V binding1", "S binding4", "U binding0 space1"];
    assert_eq!(rows, expected);
}
