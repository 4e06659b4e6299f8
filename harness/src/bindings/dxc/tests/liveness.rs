//! Code that DXC drops because nothing depends on it. Every answer is from the listing of DXC
//! 1.7.2308 (`-T ps_6_6`; other profiles where named). `t` is declared before `z`, so the register
//! of `z` shows whether `t` is kept.

use super::{placed, read};
use crate::bindings::{BindingRequest, Convention, Target, bind};

fn rows(declarations: &str, statements: &str) -> Vec<String> {
    let source = format!(
        "Texture2D<float4> t; Texture2D<float4> z; SamplerState sm; RWStructuredBuffer<float4> o;
        cbuffer C {{ float4 c; int n; bool fl; }}; {declarations}
        float4 main(float4 p : SV_Position, uint ii : II) : SV_Target {{
            int3 q = int3(p.xy, 0); float4 r = 0; {statements} return r + z.Load(q);
        }}"
    );
    let bound = bind(&read(&source), &BindingRequest::new(Target::D3d12, Convention::Dxc)).unwrap();
    assert!(bound.uncertain.is_empty(), "{declarations} {statements}: {:?}", bound.uncertain);
    bound.bindings.iter().map(|row| format!("{} {}{}", row.path, row.unit, row.index)).collect()
}

/// Checks that `t` is dropped.
fn drops(declarations: &str, statements: &str) {
    let rows = rows(declarations, statements);
    assert!(rows.contains(&"z t0".to_owned()), "{declarations} {statements}: {rows:?}");
}

/// Checks that `t` is kept.
fn keeps(declarations: &str, statements: &str) {
    let rows = rows(declarations, statements);
    let is_kept = rows.contains(&"t t0".to_owned()) && rows.contains(&"z t1".to_owned());
    assert!(is_kept, "{declarations} {statements}: {rows:?}");
}

#[test]
fn locals_that_are_never_read() {
    drops("", "float4 k = t.Load(q);");
    drops("", "float k = 0; k += t.Load(q).x; k *= 2;");
    drops("", "r = t.Load(q); r = c;");
    drops("", "float4 v; v.x = t.Load(q).x; v.yzw = 1; r = v.yzww;");
    drops("", "float4 v = t.Load(q); v.x = 1; r = v.xxxx;");
    keeps("", "float4 v = t.Load(q); v.x = 1; r = v.xyxx;");
    drops("", "float2x2 m; m[0] = t.Load(q).xy; m[1] = 1; r = m[1].x;");
    drops("", "float2x2 m; m._11 = t.Load(q).x; m._12 = 1; m[1] = 1; r = m._12;");
    drops("", "uint x, y; t.GetDimensions(x, y);");
    keeps("", "uint x, y; t.GetDimensions(x, y); r = x;");
    keeps("", "uint st; float4 v = t.Load(q, int2(0, 0), st); r = st;");
    drops("", "float4 k = o[ii]; float l = ddx(t.Load(q).x);");
}

#[test]
fn arrays_are_whole_where_an_index_is_not_constant() {
    drops("", "float4 a[2]; a[0] = t.Load(q); a[1] = 1; r = a[1];");
    keeps("", "float4 a[2]; a[0] = t.Load(q); a[1] = 1; r = a[ii];");
    keeps("", "float4 a[2]; a[0] = 0; a[1] = 0; a[ii] = t.Load(q); r = a[1];");
    drops("", "float4 a[2]; a[0] = 0; a[1] = 0; a[ii] = t.Load(q);");
    drops("", "float a[3]; a[0] = t.Load(q).x; a[1] = 2; a[2] = 3; r = a[2];");
    drops("static const float W[3] = { 0, 1, 2 };", "r = t.Load(q) * W[0];");
    keeps("static const float W[3] = { 0, 1, 2 };", "r = t.Load(q) * W[n];");
}

#[test]
fn members_of_structs_that_are_never_read() {
    let by_value = "struct S { float4 a; float4 b; };
        S f(int3 q) { S s; s.a = t.Load(q); s.b = c; return s; }";
    drops(by_value, "r = f(q).b;");
    keeps(by_value, "r = f(q).a;");
    let by_reference = "struct S { float4 a; float4 b; }; void f(inout S s) { s.a = t.Load(int3(0, 0, 0)); }";
    drops(by_reference, "S s = (S)0; f(s); r = s.b;");
    keeps(by_reference, "S s = (S)0; f(s); r = s.a;");
    let arrays = "struct S { float4 a[2]; };
        S f(int3 q) { S s; s.a[0] = t.Load(q); s.a[1] = c; return s; }";
    drops(arrays, "r = f(q).a[1];");
    let methods = "struct S { float4 a; float4 b; float4 Get() { return a; } float4 No() { return 1; }
        void Set(float4 v) { a = v; } };";
    drops(methods, "S s; s.a = t.Load(q); r = s.No();");
    keeps(methods, "S s; s.a = t.Load(q); r = s.Get();");
    drops(methods, "S s = (S)0; s.Set(t.Load(q)); r = s.b;");
    keeps(methods, "S s = (S)0; s.Set(t.Load(q)); r = s.a;");
}

#[test]
fn arguments_that_are_constant() {
    let branch = "float4 f(bool b, int3 q) { if (b) return t.Load(q); return 1; }";
    drops(branch, "r = f(false, q);");
    keeps(branch, "r = f(true, q);");
    keeps(branch, "r = f(false, q) + f(fl, q);");
    let cases =
        "float4 f(int mode, int3 q) { switch (mode) { case 0: return c; case 1: return t.Load(q); } return 0; }";
    drops(cases, "r = f(0, q);");
    keeps(cases, "r = f(n, q);");
    drops("float4 f(uniform bool b, int3 q) { return b ? t.Load(q) : c; }", "r = f(false, q);");
    drops("float4 f(float w) { return t.Load(int3(0, 0, 0)) * w; }", "r = f(0);");
    drops("", "switch (2) { case 1: r = t.Load(q); break; default: r = 2; }");
}

#[test]
fn conditions_that_are_constant() {
    drops("", "bool b = false; if (b && t.Load(q).x > 0) r = 1;");
    drops("", "bool b = false; if (t.Load(q).x > 0 && b) r = 1;");
    drops("", "bool b; if (ii > 3) b = false; else b = false; if (b) r = t.Load(q);");
    drops("", "if (ii > 3) { if (ii > 3) {} else r = t.Load(q); }");
    drops("static const float K = 0.25;", "if (K > 0.5) r = t.Load(q);");
    drops("static bool K = false;", "if (K) r = t.Load(q);");
    drops("static bool K = true; void st() { K = false; }", "st(); if (K) r = t.Load(q);");
    drops("static const int MODE = 2;", "r = MODE == 1 ? t.Load(q) : 0;");
    drops("", "if (sqrt(4.0) > 2.5) r = t.Load(q);");
    drops("", "if (pow(2.0, 3.0) > 9) r = t.Load(q);");
    drops("", "if (t.Load(q).x > 0) { if (false) r = 1; }");
    drops("", "if (t.Load(q).x > 0) r = 1; else r = 1;");
    drops("", "if (t.Load(q).x > 0) { float k = 3; }");
    drops("", "if (ii < 0) r = t.Load(q);");
    drops("", "if ((ii & 3) > 4) r = t.Load(q);");
    drops("", "if ((ii % 4) == 7) r = t.Load(q);");
    keeps("", "if ((ii & 3) == 2) r = t.Load(q);");
}

#[test]
fn results_outputs_and_statics_that_are_never_read() {
    drops("float4 f(Texture2D<float4> a, int3 q) { return a.Load(q); }", "f(t, q); r = f(z, q);");
    drops("float4 h(int3 q) { o[0] = 1; return t.Load(q); }", "h(q);");
    keeps("float4 h(int3 q) { o[0] = t.Load(q); return 1; }", "h(q);");
    let outputs = "void f(out float4 a, out float4 b) { a = t.Load(int3(0, 0, 0)); b = c; }";
    drops(outputs, "float4 x, y; f(x, y); r = y;");
    keeps(outputs, "float4 x, y; f(x, y); r = x;");
    let statics = "static float4 s; void f(int3 q) { s = t.Load(q); }";
    drops(statics, "f(q);");
    keeps(statics, "f(q); r = s;");
    drops(statics, "f(q); s = 1; r = s;");
    let resources = "static Texture2D<float4> s; static Texture2D<float4> u;
        void f(Texture2D<float4> a, Texture2D<float4> b) { s = a; u = b; }";
    drops(resources, "f(t, z); r = u.Load(q);");
    keeps(resources, "f(t, z); r = s.Load(q);");
}

#[test]
fn loops() {
    drops("", "int i = 0; while (t.Load(int3(i, 0, 0)).x > 0) { i++; }");
    drops("", "float s = 0; for (int i = 0; i < n; i++) { s += t.Load(int3(i, 0, 0)).x; if (s > 3) break; }");
    keeps("", "for (int i = 0; i < 4; i++) { if (t.Load(q).x > i) break; r += i; }");
    keeps("", "float4 s = t.Load(q); for (int i = 0; i < n; i++) { s = i; } r = s;");
    drops("", "float4 s = t.Load(q); for (int i = 0; i < 3; i++) { s = i; } r = s;");
    drops("", "bool first = true; for (int i = 0; i < 3; i++) { if (!first) r += t.Load(q); }");
    drops(
        "",
        "float a[4]; a[3] = t.Load(q).x; for (int i = 0; i < 3; i++) a[i] = i; for (int j = 0; j < 3; j++) r += a[j];",
    );
    keeps("", "int i = 0; do { i++; } while (t.Load(int3(i, 0, 0)).x > 0); r = i;");
    drops("", "int i = 0; do { i++; } while (t.Load(int3(i, 0, 0)).x > 0);");
    drops("", "for (int i = 0; i < n; i++) { float4 v = t.Load(int3(i, 0, 0)); r += 1; }");
    keeps("", "for (int i = 0; i < n; i++) { if (t.Load(int3(i, 0, 0)).x > 0) break; r += 1; }");
    keeps("", "for (int i = 0; i < n; i++) { if (t.Load(int3(i, 0, 0)).x > 0) break; o[i] = 1; }");
    keeps("", "for (int i = 0; i < n; i++) { if (t.Load(int3(i, 0, 0)).x > 0) continue; r += i; }");
    keeps("", "float last = 0; for (int i = 0; i < n; i++) { r += last; last = t.Load(int3(i, 0, 0)).x; }");
    keeps("", "float last; for (int i = 0; i < n; i++) { if (i > 3) r += last; last = t.Load(int3(i, 0, 0)).x; }");
    drops("", "float p0 = 0, p1 = 0; for (int i = 0; i < n; i++) { p1 = p0; p0 = t.Load(int3(i, 0, 0)).x; }");
}

#[test]
fn arithmetic_that_does_not_depend_on_an_operand() {
    drops("", "r = t.Load(q) * 0;");
    drops("", "r = t.Load(q); r = r - r;");
    drops("", "r = lerp(c, t.Load(q), 0);");
    drops("", "r = lerp(t.Load(q), c, 1);");
    drops("", "float4 x = t.Load(q); r = c + x - x;");
    keeps("", "float4 x = t.Load(q); r = c * x / x;");
    keeps("", "r = clamp(t.Load(q), 1, 1);");
    keeps("", "r = min(max(t.Load(q), 1), 0);");
    drops("", "r = pow(t.Load(q), 0);");
    drops("", "r = asuint(t.Load(q).x) & 0;");
    drops("", "uint k = asuint(t.Load(q).x); r = k ^ k;");
    drops("", "r = mul(t.Load(q), (float4x4)0);");
    keeps("", "r = dot(t.Load(q), float4(0, 0, 0, 0));");
    drops("", "r = any(t.Load(q) > 0) ? 1 : 1;");
}

#[test]
fn effects_keep_what_they_depend_on() {
    keeps("", "if (t.Load(q).x > 0) discard;");
    keeps("", "clip(t.Load(q).x - 0.5);");
    keeps("", "if (t.Load(q).x > 0) return 1;");
    keeps("", "if (t.Load(q).x > 0) { o[0] = 1; }");
    keeps("", "o[0] = t.Load(q); o[0] = 1;");
    keeps("RWBuffer<uint> uu;", "InterlockedAdd(uu[0], asuint(t.Load(q).x));");
    keeps("RWBuffer<uint> w;", "uint old; InterlockedAdd(w[0], 1, old); if (old > 3) r = t.Load(q);");
    keeps("", "WaveActiveSum(t.Load(q).x);");
    keeps("", "QuadReadAcrossX(t.Load(q).x);");
}

/// A normal map that the shader reads but never uses; `-Od` gives the same.
#[test]
fn a_texture_that_is_read_in_vain_takes_no_register() {
    let source = "Texture2D<float4> normals; Texture2D<float4> albedo;
        float4 main(float4 p : SV_Position) : SV_Target {
            float3 n = normals.Load(int3(p.xy, 0)).xyz; return albedo.Load(int3(p.xy, 0)); }";
    assert_eq!(placed(source, &BindingRequest::new(Target::D3d12, Convention::Dxc)), ["albedo t0"]);
    let used =
        BindingRequest { used: vec!["normals".to_owned()], ..BindingRequest::new(Target::D3d12, Convention::Dxc) };
    assert_eq!(placed(source, &used), ["normals t0", "albedo t1"]);
}

/// DXC computes that `tanh(1.0)` is below 2, and that no number is above 3 and below 2. layoutproof
/// computes neither.
#[test]
fn a_condition_that_only_the_compiler_computes_makes_the_number_uncertain() {
    let with = |condition: &str, register: &str| {
        format!(
            "Texture2D<float4> t; Texture2D<float4> z{register};
            float4 main(float4 p : SV_Position, uint ii : II) : SV_Target {{
                float4 r = 0; if ({condition}) r = t.Load(0); return r + z.Load(0); }}"
        )
    };
    let source = |register: &str| with("tanh(1.0) > 2", register);
    let request = BindingRequest::new(Target::D3d12, Convention::Dxc);
    let bound = bind(&read(&source("")), &request).unwrap();
    assert_eq!(bound.uncertain.keys().collect::<Vec<_>>(), ["t", "z"]);
    let reason = "depends on whether `t` is used; pass `--unused t`, or `--compiler dxc` to ask the compiler";
    assert_eq!(bound.uncertain["z"], reason);
    let ranges = with("ii > 3) if (ii < 2", "");
    assert_eq!(bind(&read(&ranges), &request).unwrap().uncertain.len(), 2);
    // A number in the source is certain.
    let bound = bind(&read(&source(" : register(t3)")), &request).unwrap();
    assert_eq!(bound.uncertain.keys().collect::<Vec<_>>(), ["t"]);
    // So is one for which the user says what the compiler keeps.
    for (used, unused) in [(vec!["t".to_owned()], vec![]), (vec![], vec!["t".to_owned()])] {
        let bound = bind(&read(&source("")), &BindingRequest { used, unused, ..request.clone() }).unwrap();
        assert!(bound.uncertain.is_empty() && bound.warnings.is_empty(), "{bound:?}");
    }
}

#[test]
fn functions_of_namespaces_and_default_arguments() {
    drops("namespace N { float4 g(int3 q) { return t.Load(q); } }", "float4 v = N::g(q); v *= 2;");
    keeps("namespace N { float4 g(int3 q) { return t.Load(q); } }", "r = N::g(q);");
    let method =
        "struct M { float4 x; float4 own() { return t.Load(int3(0, 0, 0)); } float4 get() { return this.own(); } };
        static M o1; float4 f(float4 x = o1.get()) { return x; }";
    keeps(method, "r = f();");
    drops(method, "f();");
    drops(method, "r = f(c);");
}

#[test]
fn infinity_is_a_value() {
    keeps("", "r = min(t.Load(q), 1.#INF);");
    drops("", "float4 k = min(t.Load(q), 1.#INF);");
}

#[test]
fn choices_among_constants_are_computed_with() {
    drops("", "float x = 1; if (t.Load(q).x > 3) x = 2; if (x > 3) r = 1;");
    keeps("", "float x = 1; if (t.Load(q).x > 3) x = 2; if (x > 1.5) r = 1;");
    drops("", "int x = 1; if (t.Load(q).x > 3) x = 2; if (x == 7) r = 1;");
    drops("", "float x = 1; if (t.Load(q).x > 3) x = 2; else if (t.Load(q).y > 2) x = 3; if (x > 3) r = 1;");
    drops("", "int x = t.Load(q).x > 3 ? 2 : 1; r = x * 2 == 7 ? 1 : 0;");
    drops("", "float x = t.Load(q).x > 3 ? 2 : 1; x += 1; if (x > 3) r = 1;");
}
