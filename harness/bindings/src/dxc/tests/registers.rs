//! Registers on D3D12; every number and message is from DXC 1.7.2308 (`-T cs_6_6`, listing and diagnostics).

use super::{d3d12, placed, shader, shader_with};
use crate::{BindingRequest, Convention, Target, bind};
use layoutproof_source::diagnostics::Code;

/// Loose globals are the first constant buffer wherever they are declared, and texture buffers are
/// the last textures.
#[test]
fn classes_have_lists_of_their_own() {
    let declarations = "Texture2D T; SamplerState S; cbuffer CB { float4 x; } RWBuffer<float4> U; float4 g;
        StructuredBuffer<float> SB; tbuffer TB { float4 tb; } Texture2D T3; struct V { float4 v; };
        ConstantBuffer<V> Q; TextureBuffer<V> QT; struct W { Texture2D wt; SamplerState ws; float4 d; }; W w;";
    let statements = "U[0] = T.SampleLevel(S, 0, 0) + x + g + SB[0] + tb + T3.Load(0) + Q.v + QT.v
        + w.wt.SampleLevel(w.ws, 0, 0);";
    let expected = [
        "$Globals b0",
        "T t0",
        "S s0",
        "CB b1",
        "U u0",
        "SB t1",
        "TB t4",
        "T3 t2",
        "Q b2",
        "QT t5",
        "w.wt t3",
        "w.ws s1",
    ];
    let mut rows = shader(declarations, statements);
    let mut expected = expected.map(str::to_owned).to_vec();
    rows.sort();
    expected.sort();
    assert_eq!(rows, expected);
}

#[test]
fn buffers_in_structs_are_data() {
    let declarations = "struct V { float4 v; }; struct W { TextureBuffer<V> tb; Texture2D wt; ConstantBuffer<V> cb; };
        W w; TextureBuffer<V> q; Texture2D G; RWBuffer<float4> U;";
    let rows = shader(declarations, "U[0] = w.tb.v + q.v + w.wt.Load(0) + G.Load(0) + w.cb.v;");
    assert_eq!(rows, ["$Globals b0", "q t2", "G t0", "U u0", "w.wt t1"]);
}

#[test]
fn struct_registers_count_per_class() {
    let declarations = "struct S { Texture2D a; SamplerState s; Texture2D b[2]; RWBuffer<float4> u; float4 d; };
        S x : register(t5) : register(u3) : register(s2); Texture2D G : register(t6); RWBuffer<float4> U;";
    let statements = "U[0] = x.b[1].Load(0) + x.a.SampleLevel(x.s, 0, 0) + x.u[0] + G.Load(0) + x.d;";
    let expected = ["$Globals b0", "G t6", "U u0", "x.b[1] t7", "x.a t5", "x.s s2", "x.u u3"];
    let mut rows = shader(declarations, statements);
    rows.sort();
    let mut sorted = expected.map(str::to_owned).to_vec();
    sorted.sort();
    assert_eq!(rows, sorted);
    let declarations = "struct S { Texture2D a; Texture2D b[2]; }; S x[2] : register(t5); Texture2D G : register(t6);
        Texture2D H; RWBuffer<float4> U;";
    let rows = shader(declarations, "U[0] = x[1].b[1].Load(0) + x[0].a.Load(0) + G.Load(0) + H.Load(0);");
    assert_eq!(rows, ["G t6", "H t0", "U u0", "x[1].b[1] t10", "x[0].a t5"]);
    let declarations = "struct P { Texture2D p; }; struct S : P { Texture2D a; }; S x : register(t2);
        RWBuffer<float4> U;";
    assert_eq!(shader(declarations, "U[0] = x.a.Load(0) + x.p.Load(0);"), ["U u0", "x.a t3", "x.p t2"]);
}

/// Members of a type that nothing uses are not counted.
#[test]
fn struct_registers_count_used_types() {
    let declarations = "struct S { Buffer<float4> m0; Texture2D m1; }; S g1 : register(t4); Buffer<float4> G;
        RWBuffer<float4> U;";
    assert_eq!(shader(declarations, "U[0] = g1.m1.Load(0);"), ["U u0", "g1.m1 t4"]);
    assert_eq!(shader(declarations, "U[0] = g1.m1.Load(0) + G[0];"), ["G t0", "U u0", "g1.m1 t5"]);
}

#[test]
fn registers_in_structs_are_refused() {
    let rows = shader("struct S { Texture2D a; }; S x : register(t3, space1); RWBuffer<float4> U;", "U[0] = 1;");
    assert_eq!(rows, ["error: register space cannot be specified on global constants."]);
    let rows = shader("struct S { Texture2D a : register(t4); }; S x; RWBuffer<float4> U;", "U[0] = x.a.Load(0);");
    assert_eq!(rows, ["error: location semantics cannot be specified on members."]);
}

#[test]
fn overlaps_name_both() {
    let one = "RWBuffer<float> A : register(u1); RWBuffer<float> B[4] : register(u0);";
    let message = "error: resource B at register 0 overlaps with resource A at register 1, space 0";
    assert_eq!(shader(one, "A[0] = B[0][0];"), [message]);
    // The last of several registers counts.
    let several = "RWBuffer<float> A : register(u1); RWBuffer<float> X : register(u3); RWBuffer<float> Z[10] :
        register(u0);";
    let message = "error: resource Z at register 0 overlaps with resource X at register 3, space 0";
    assert_eq!(shader(several, "A[0] = X[0] + Z[1][0];"), [message]);
    let unbounded = "RWBuffer<float> C[] : register(u2); RWBuffer<float> A : register(u3);";
    let message = "error: resource A at register 3 overlaps with resource C at register 2, space 0";
    assert_eq!(shader(unbounded, "A[0] = C[0][0];"), [message]);
    let both = "RWBuffer<float> C[] : register(u2); RWBuffer<float> A[] : register(u3);";
    let message = "error: more than one unbounded resource (C and A) in space 0";
    assert_eq!(shader(both, "A[0][0] = C[0][0];"), [message]);
}

#[test]
fn the_last_register_is_none() {
    let declarations = "RWBuffer<float> A : register(u4294967295); RWBuffer<float> B;
        RWBuffer<float> C : register(u0, space4294967295);";
    assert_eq!(shader(declarations, "A[0] = B[0] + C[0];"), ["A u0", "B u1", "C u0 space4294967295"]);
    let overflow = "RWBuffer<float> A[5] : register(u4294967293); RWBuffer<float> B;";
    assert_eq!(shader(overflow, "A[0][0] = B[0];"), ["A u4294967293[5]", "B u0"]);
}

#[test]
fn an_automatic_space_is_for_variables() {
    let declarations = "Texture2D T : register(t1); Texture2D T2; Texture2D T3 : register(space2); float4 g;
        RWBuffer<float4> U; struct S { Texture2D a; }; S s; cbuffer C { float4 c; Texture2D ct; };";
    let statements = "U[0] = T.Load(0) + T2.Load(0) + T3.Load(0) + g + c + s.a.Load(0) + ct.Load(0);";
    let rows = shader_with(Target::D3d12, &["-auto-binding-space 7"], declarations, statements);
    let expected =
        ["$Globals b0", "T t1", "T2 t0 space7", "T3 t0 space2", "U u0 space7", "C b0 space7", "s.a t0", "ct t2"];
    assert_eq!(rows, expected);
}

#[test]
fn unused_registers_can_be_reserved() {
    let declarations = "RWBuffer<float> A; RWBuffer<float> B : register(u0); RWBuffer<float> C;";
    assert_eq!(shader(declarations, "A[0] = C[0];"), ["A u0", "C u1"]);
    let options = ["-flegacy-resource-reservation"];
    assert_eq!(shader_with(Target::D3d12, &options, declarations, "A[0] = C[0];"), ["A u1", "C u2"]);
    let rows = shader_with(Target::D3d12, &options, &format!("{declarations} Texture2D T[];"), "A[0] = C[0];");
    assert_eq!(rows, ["error: unbounded resources are not supported with -flegacy-resource-reservation"]);
}

#[test]
fn libraries_leave_registers_to_their_linking() {
    let source = "struct S { RWBuffer<float> a; }; S s; RWBuffer<float> A; RWBuffer<float> B : register(u3); float g;
        [shader(\"compute\")] [numthreads(1, 1, 1)] void main() { A[0] = s.a[0] + B[0] + g; }
        [shader(\"compute\")] [numthreads(1, 1, 1)] void other() { A[1] = 2; }";
    let mut request = BindingRequest::new(Target::D3d12, Convention::Dxc);
    request.profile = Some("lib_6_6".to_owned());
    let none = ["$Globals b4294967295", "A u4294967295 space4294967295", "B u3", "s.a u4294967295"];
    assert_eq!(placed(source, &request), none);
    request.options = vec!["-auto-binding-space 3".to_owned()];
    assert_eq!(placed(source, &request), ["$Globals b0", "A u0 space3", "B u3", "s.a u0"]);
}

#[test]
fn only_the_entry_point_that_is_asked_for_counts() {
    let source = "RWBuffer<float> A; RWBuffer<float> B; RWBuffer<float> C; void f() { C[0] = 1; }
        [numthreads(1, 1, 1)] void one() { A[0] = 1; } [numthreads(1, 1, 1)] void two() { f(); B[0] = 1; }";
    let mut request = BindingRequest::new(Target::D3d12, Convention::Dxc);
    request.entry = Some("two".to_owned());
    assert_eq!(placed(source, &request), ["B u0", "C u1"]);
    // An optimiser knows more than the text shows.
    request.unused = vec!["B".to_owned()];
    request.used = vec!["A".to_owned()];
    assert_eq!(placed(source, &request), ["A u0", "C u1"]);
}

/// In a file without a body all declarations count as used. `dxc -T lib_6_6` cannot confirm this.
#[test]
fn declarations_alone_are_all_used() {
    let rows = d3d12("cbuffer C { float4 c; Texture2D t; } struct S { Texture2D a[2]; } s; SamplerState q; float g;");
    assert_eq!(rows, ["$Globals b0", "C b1", "q s0", "s.a[0] t0", "s.a[1] t1", "t t2"]);
}

/// DXC numbers the buffers twice, once with unused buffers and once without them.
#[test]
fn registers_in_cbuffers_are_lost_behind_unused_buffers() {
    let statements = "U[0] = T1.Load(0) + T2.Load(0);";
    let first = "cbuffer C1 { Texture2D T2; Texture2D T1 : register(t7); } RWBuffer<float4> U;";
    assert_eq!(shader(first, statements), ["U u0", "T1 t0", "T2 t1"]);
    let used = format!("float z; {first}");
    assert_eq!(shader(&used, "U[0] = T1.Load(0) + T2.Load(0) + z;"), ["$Globals b0", "U u0", "T1 t7", "T2 t0"]);
    assert_eq!(shader(&used, statements), ["U u0", "T1 t0", "T2 t1"]);
    let later = "cbuffer C1 { Texture2D T1 : register(t7); Texture2D T2; } cbuffer C2 { Texture2D T3[2]; }
        RWBuffer<float4> U;";
    let rows = shader(later, "U[0] = T1.Load(0) + T2.Load(0) + T3[1].Load(0);");
    assert_eq!(rows, ["U u0", "T2 t0", "T1 t1", "T3[1] t8"]);
    let classes = "float z; cbuffer C1 { Texture2D A[3] : register(t5); SamplerState S : register(s4);
        RWBuffer<float4> u : register(u8, space2); } RWBuffer<float4> U;";
    let rows = shader(classes, "U[0] = A[2].SampleLevel(S, 0, 0) + u[0] + z;");
    assert_eq!(rows, ["$Globals b0", "U u0", "A[2] t7", "u u8", "S s4"]);
}

#[test]
fn a_lost_register_is_warned_of() {
    let source = "cbuffer C { Texture2D T : register(t7); } RWBuffer<float4> U;
        [numthreads(1, 1, 1)] void main() { U[0] = T.Load(0); }";
    let bound = bind(&super::read(source), &BindingRequest::new(Target::D3d12, Convention::Dxc)).unwrap();
    assert_eq!(bound.warnings.iter().map(|warning| warning.code).collect::<Vec<_>>(), [Code::Ignored]);
}

#[test]
fn other_targets_and_options_are_refused() {
    let rows = placed("float g;", &BindingRequest::new(Target::Metal, Convention::Dxc));
    assert_eq!(rows, ["error: the convention `dxc` has no target `metal`"]);
    let rows = shader_with(Target::D3d12, &["-fvk-t-shift 10"], "", "");
    let message =
        "error: `-fvk-t-shift 10` is not an option that changes bindings, or one of its values is missing or wrong";
    assert_eq!(rows, [message]);
}
