//! The examples of wg-hlsl 0024, implicit resource binding, with the registers that the document and DXC 1.7.2308
//! (`-T cs_6_6`, listing) give.

use super::{d3d12, placed, shader};
use crate::{BindingRequest, Convention, Target};

#[test]
fn example_1_1_variables_take_the_first_free_register() {
    let declarations = "RWBuffer<float> A : register(u0); RWBuffer<float> B; RWBuffer<float> C: register(u2);
        RWBuffer<float> D;";
    assert_eq!(shader(declarations, "A[0] = D[0] + B[0];"), ["A u0", "B u1", "D u2"]);
    assert_eq!(shader(declarations, "A[0] = D[0] + B[0] + C[0];"), ["A u0", "B u1", "C u2", "D u3"]);
}

#[test]
fn example_1_2_struct_members_are_placed_in_order_of_use() {
    let declarations = "RWBuffer<float> A : register(u0); RWBuffer<float> C: register(u2);
        struct S { RWBuffer<float> B; RWBuffer<float> D; } s;";
    assert_eq!(shader(declarations, "A[0] = s.D[0] + s.B[0];"), ["A u0", "s.D u1", "s.B u2"]);
}

#[test]
fn example_2_1_arrays_take_a_range() {
    let declarations = "RWBuffer<float> A : register(u2); RWBuffer<float> B[4]; RWBuffer<float> C[2];
        RWBuffer<float> D[50] : register(u6); RWBuffer<float> E[2];";
    let rows = shader(declarations, "A[0] = E[2][0] + C[1][0] + B[1][0];");
    assert_eq!(rows, ["A u2", "B u3[4]", "C u0[2]", "E u7[2]"]);
}

#[test]
fn example_2_2_arrays_in_structs_fall_apart() {
    let declarations = "struct S { RWBuffer<float> B[4]; RWBuffer<float> C[2]; RWBuffer<float> E[3]; };
        RWBuffer<float> A : register(u2); S s;";
    let rows = shader(declarations, "A[0] = s.E[2][0] + s.C[1][0] + s.B[3][0] + s.E[1][0];");
    assert_eq!(rows, ["A u2", "s.E[2] u0", "s.C[1] u1", "s.B[3] u3", "s.E[1] u4"]);
}

#[test]
fn example_2_3_arrays_in_structs_need_a_constant_index() {
    let declarations = "RWBuffer<float> A[10]; struct S { RWBuffer<float> B[10]; } s;";
    let rows = shader(declarations, "for (int i = 0; i < 5; i++) { A[i][0] = 1.0; s.B[i][0] = 1.0; }");
    assert_eq!(rows, ["error: Index for resource array inside cbuffer must be a literal expression"]);
}

#[test]
fn examples_3_unbounded_arrays_go_behind_everything() {
    let declarations = "RWBuffer<float> A : register(u1); RWBuffer<float> B[]; RWBuffer<float> C : register(u5);";
    let use_all = "A[0] = D[2][0] + C[0] + B[10][0];";
    let rows = shader(&format!("{declarations} RWBuffer<float> D[3];"), use_all);
    assert_eq!(rows, ["A u1", "B u6[]", "C u5", "D u2[3]"]);
    let rows = shader(&format!("{declarations} RWBuffer<float> D[4];"), use_all);
    assert_eq!(rows, ["error: resource D could not be allocated"]);
    let earlier = "RWBuffer<float> A : register(u1); RWBuffer<float> D[4]; RWBuffer<float> B[];
        RWBuffer<float> C : register(u5);";
    assert_eq!(shader(earlier, use_all), ["A u1", "D u6[4]", "B u10[]", "C u5"]);
    let twice = shader("RWBuffer<float> C[]; RWBuffer<float> D[];", "D[10][0] = C[20][2];");
    assert_eq!(twice, ["error: more than one unbounded resource (C and D) in space 0"]);
}

#[test]
fn example_4_1_spaces_do_not_touch_each_other() {
    let declarations = "RWBuffer<float> A : register(u0, space1); RWBuffer<float> B[10];
        RWBuffer<float> C[5][4] : register(u10, space5); RWBuffer<float> D;";
    let rows = shader(declarations, "A[0] = D[0] + C[3][3][0] + B[5][0];");
    assert_eq!(rows, ["A u0 space1", "B u0[10]", "C u10[20] space5", "D u10"]);
}

#[test]
fn example_5_1_a_space_alone_is_filled_from_its_start() {
    let declarations = "RWBuffer<float> A : register(u1); RWBuffer<float> B[]; RWBuffer<float> C[3] : register(space1);
        RWBuffer<float> D : register(space1);";
    let rows = shader(declarations, "A[0] = C[2][0] + D[0] + B[10][0];");
    assert_eq!(rows, ["A u1", "B u2[]", "C u0[3] space1", "D u3 space1"]);
}

const EXAMPLE_6_1: &str = "struct S { RWBuffer<float> D; }; RWBuffer<float> A; RWBuffer<float> B[10] : register(u0);
    RWBuffer<float> C : register(u2); S s : register(u5); RWBuffer<float> E[5];
    void foo() { B[2][0] = 1.0; }
    bool bar(int i) { return i > 10; }
    [numthreads(4, 1, 1)]
    void main(uint3 gi : SV_GROUPID) {
      if (false) { C[0] = 1.0; }
      for (int i = 0; i < 5; i++) {
        if (i > 6) s.D[0] = 1.0;
        if (bar(i)) foo();
        if (bar(gi.x)) A[0] = E[2][i];
      }
    }";

#[test]
fn example_6_1_unused_resources_take_nothing() {
    assert_eq!(d3d12(EXAMPLE_6_1), ["A u0", "E u1[5]"]);
    // The request names by hand what an optimiser leaves with `-Od`.
    let mut request = BindingRequest::new(Target::D3d12, Convention::Dxc);
    request.used = vec!["B".to_owned(), "s.D".to_owned()];
    let message = "error: resource s.D at register 5 overlaps with resource B at register 0, space 0";
    assert_eq!(placed(EXAMPLE_6_1, &request), [message]);
}
