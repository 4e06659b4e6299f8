//! What DXC drops because nothing depends on it: every answer is from the listing of DXC 1.7.2308 (`-T ps_6_6`, or
//! `-T cs_6_6` where the code has `groupshared` variables or barriers). `t` is declared before `z`, so that the register of
//! `z` says if `t` is kept.

use super::{placed, read};
use crate::{BindingRequest, Convention, Target, bind};

fn source(declarations: &str, statements: &str) -> String {
    let main = if declarations.contains("groupshared") || statements.contains("Barrier") {
        "[numthreads(8, 8, 1)] void main(int3 q : SV_DispatchThreadID, uint ii : SV_GroupIndex) {
            float4 r = 0; STATEMENTS o[0] = r + z.Load(q);"
    } else {
        "float4 main(float4 p : SV_Position, uint ii : II) : SV_Target {
            int3 q = int3(p.xy, 0); float4 r = 0; STATEMENTS return r + z.Load(q);"
    };
    let main = main.replace("STATEMENTS", statements);
    format!(
        "Texture2D<float4> t; Texture2D<float4> z; SamplerState sm; RWStructuredBuffer<float4> o;
        cbuffer C {{ float4 c; int n; bool fl; }}; {declarations} {main} }}"
    )
}

fn rows(declarations: &str, statements: &str) -> Vec<String> {
    let source = source(declarations, statements);
    let bound = bind(&read(&source), &BindingRequest::new(Target::D3d12, Convention::Dxc)).unwrap();
    assert!(bound.uncertain.is_empty(), "{declarations} {statements}: {:?}", bound.uncertain);
    bound.bindings.iter().map(|row| format!("{} {}{}", row.path, row.unit, row.index)).collect()
}

/// Whether `t` is kept depends on more than what is followed, so that the number of `z` is uncertain.
fn doubts(declarations: &str, statements: &str) {
    let source = source(declarations, statements);
    let bound = bind(&read(&source), &BindingRequest::new(Target::D3d12, Convention::Dxc)).unwrap();
    assert!(bound.uncertain.contains_key("z"), "{declarations} {statements}: {:?}", bound.bindings);
}

/// `t` is dropped.
fn drops(declarations: &str, statements: &str) {
    let rows = rows(declarations, statements);
    assert!(rows.contains(&"z t0".to_owned()), "{declarations} {statements}: {rows:?}");
}

/// `t` is kept.
fn keeps(declarations: &str, statements: &str) {
    let rows = rows(declarations, statements);
    let is_kept = rows.contains(&"t t0".to_owned()) && rows.contains(&"z t1".to_owned());
    assert!(is_kept, "{declarations} {statements}: {rows:?}");
}

/// Each answer is from DXC 1.7.2308, `-T ps_6_6`.
#[test]
fn literals_have_components() {
    drops("", "float4 v = t.Load(q) + 0.5.xxxx; r = 0.5.xxxx;");
    drops("", "r = t.Load(q) * 0.0.xxxx;");
    keeps("", "r = 0.0.xxxx + t.Load(q);");
}

/// The range of a product of two unsigned numbers is beyond 64 bits with a sign.
#[test]
fn products_of_unknown_numbers_decide_nothing() {
    keeps("", "uint u = asuint(c.x) * asuint(c.y); if (u > 5) r = t.Load(q);");
    keeps("", "int i = asint(c.x) * asint(c.y); if (i > 5) r = t.Load(q);");
}

/// Each is dropped by DXC 1.7.2308, `-T ps_6_6`: it computes that the counter is 0 after the loop.
#[test]
fn products_with_counters_after_their_loops() {
    for counts in [
        "uint b = 300; while (--b > 0);",
        "uint b = 10; while (--b > 0);",
        "uint b = 0; for (b = 0; b < 10; ++b) { r.y += 1; } while (--b > 0);",
        "int b = 400; while (b > 0) { b--; }",
    ] {
        doubts("", &format!("{counts} r += b * t.Load(q);"));
    }
    // Kept: in the loop the counter has several values.
    keeps("", "for (int i = 0; i < n; i++) { for (int j = 0; j < 400; j++) r += j * t.Load(q); }");
}

/// DXC 1.7.2308, `-T ps_6_6`: operators on a float that was an integer are those of floats.
#[test]
fn integers_that_become_floats() {
    keeps("", "float f = n; if (f > 3.5) r = t.Load(q);");
    drops("", "float f = n; if (f > f) r = t.Load(q);");
    drops("", "float f = n; if (f > n) r = t.Load(q);");
    // Kept, though no integer fulfils the condition.
    doubts("", "float f = n; if (f % 4 > 3) r = t.Load(q);");
    doubts("", "float f = n; if (f / 2 > 0.25 && f < 1) r = t.Load(q);");
    doubts("", "float f = n; if (f > 3e9) r = t.Load(q);");
    doubts("", "float f = n & 3; if (f > 3) r = t.Load(q);");
    // Dropped.
    doubts("", "float f = ii; if (f < 0) r = t.Load(q);");
}

/// Each answer is from DXC 1.7.2308, `-T ps_6_6`.
#[test]
fn rounded_constants_and_opposites() {
    // Kept: floats have 32 bits, and numbers without a type have 64.
    doubts("", "float f = 0.1 + 0.2; if (f == 0.3) r = t.Load(q);");
    doubts("", "if (0xFFFFFFFF > -1) r = t.Load(q);");
    doubts("", "if (uint(-1.0) == 0) r = t.Load(q);");
    doubts("", "float x = c.x; if (x > 1) { if (!(x > 1)) r = t.Load(q); }");
    doubts("", "if (n > 1) { if (n > 1) r = 1; else r = t.Load(q); }");
    doubts("", "if (c.x > 1) { if (!(c.x > 1)) r = t.Load(q); }");
    // Dropped.
    doubts("", "bool b = n > 1; if (b) { if (!b) r = t.Load(q); }");
    keeps("", "float v = t.Load(q).x; r.x = min(v, v) - max(v, v);");
    drops("", "uint v = asuint(t.Load(q).x); r.x = v & ~v;");
    // Kept, since it is read twice.
    doubts("", "r.x = asint(t.Load(q).x) ^ asint(t.Load(q).x);");
}

/// Each is dropped by DXC 1.7.2308, `-T ps_6_6`.
#[test]
fn conditions_that_meet_in_switches_loops_and_tables() {
    doubts("", "switch (n) { case 0: switch (n) { case 0: r += 1; break; case 1: r += t.Load(q); break; } break; }");
    doubts("", "if (n == 1) return 1; switch (n) { case 0: r += 1; break; case 1: r += t.Load(q); break; }");
    doubts("", "switch (n) { case 1: return 1; default: break; } if (n == 1) r += t.Load(q);");
    doubts("", "if (n == 1) { switch (n) { case 1: r += 1; break; case 2: r += t.Load(q); break; } }");
    doubts("", "int k = n & 1; switch (k) { case 0: r += 1; break; case 2: r += t.Load(q); break; }");
    doubts("", "switch (n ? 1 : 2) { case 1: r += 1; break; case 3: r += t.Load(q); break; }");
    doubts("", "if (n == 2) { for (uint i = 3; i < n; ++i) r += t.Load(q); }");
    doubts("", "uint s[2] = { 1, 2 }; if (s[n] == 3) r += t.Load(q);");
    doubts("static const uint S[3] = { 1, 2, 3 };", "if (S[n] == 9) r += t.Load(q);");
    doubts("", "r = fl ? 1 : (fl ? t.Load(q) : 2);");
    doubts("", "if (n < 5) return 1; switch (n) { case 2: r += t.Load(q); break; }");
    doubts("float4 f(int m) { switch (m) { case 0: return t.Load(0); default: return 1; } }", "if (n == 1) r += f(n);");
}

/// DXC 1.7.2308, `-T ps_6_6`, keeps `t` in the first rows and drops it in the others: it is uncertain. A local variable is not.
#[test]
fn outputs_that_are_written_again() {
    let resources = "Texture2D<float4> t; Texture2D<float4> z; cbuffer C { int n; };
        struct O { float4 c : SV_Target0; float4 d : SV_Target1; };";
    let bound = |text: &str| {
        let request = BindingRequest::new(Target::D3d12, Convention::Dxc);
        bind(&read(&format!("{resources} {text}")), &request).unwrap()
    };
    for text in [
        "void main(out float4 o : SV_Target) { o = t.Load(0); o = z.Load(0); }",
        "void main(out float4 o : SV_Target) { if (n > 0) o = t.Load(0); o = z.Load(0); }",
        "void main(out O o) { o.c = t.Load(0); o.d = z.Load(0); o.c = 1; }",
        "void f(out O o) { o.c = t.Load(0); o.d = z.Load(0); o.c = 1; } void main(out O o) { f(o); }",
        "void f(out float4 o) { o = t.Load(0); o = 1; } void main(out O o) { f(o.c); o.d = z.Load(0); }",
        "void main(out float4 o : SV_Target) { o = t.Load(0); o.x = 1; o.yzw = z.Load(0).yzw; }",
        "void main(out float4 o : SV_Target) { o = t.Load(0); float4 q = o; o = z.Load(0); }",
    ] {
        assert!(bound(text).uncertain.contains_key("z"), "{text}");
    }
    let returned = bound("O main() { O o; o.c = t.Load(0); o.d = z.Load(0); o.c = 1; return o; }");
    assert_eq!((returned.uncertain.len(), returned.bindings[0].path.as_str()), (0, "z"));
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
    // Dropped; with `r = 1;` in place of `{}` kept.
    doubts("", "if (ii > 3) { if (ii > 3) {} else r = t.Load(q); }");
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
    drops("", "if ((ii >> 31) > 1) r = t.Load(q);");
    drops("", "float4 v = 0; if (t.Load(q).x > 0) v = 0; r = v;");
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
    // Dropped.
    doubts("", "uint k = asuint(t.Load(q).x); r = k ^ k;");
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

/// A normal map that is read and never used; `-Od` gives the same.
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

/// DXC computes that `tanh(1.0)` is below 2, and that nothing is above 3 and below 2; nothing here does.
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
    // A number that is written is certain.
    let bound = bind(&read(&source(" : register(t3)")), &request).unwrap();
    assert_eq!(bound.uncertain.keys().collect::<Vec<_>>(), ["t"]);
    // So is one of which the user says what the compiler keeps.
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

/// DXC keeps what stores an element or a component, and all stores to a variable that some code reads.
#[test]
fn stores_to_shared_variables() {
    for kept in [
        "float wg[10];  wg[3] = t.Load(q).x;",
        "float wg[10];  wg = (float[10])0; wg[3] = t.Load(q).x;",
        "float wg[2];  float k[2]; k[0] = t.Load(q).x; k[1] = 2; wg = k;",
        "float4 wg;  wg.x = t.Load(q).x;",
        "float4 wg;  wg = t.Load(q); wg.x = 1;",
        "float2x2 wg;  wg[0] = t.Load(q).xy;",
        "float wg[2][2];  wg[ii][1] = t.Load(q).x;",
        "float wg;  wg = t.Load(q).x; float k = wg;",
        "float wg;  wg = t.Load(q).x; wg += 1;",
        "uint wg;  InterlockedAdd(wg, asuint(t.Load(q).x));",
        "float wg[2];  if (t.Load(q).x > 3) wg[0] = 1;",
    ] {
        let (variable, statements) = kept.split_once("  ").unwrap();
        keeps(&format!("groupshared {variable}"), statements);
    }
    for dropped in [
        "float4 wg;  wg = t.Load(q);",
        "float2x2 wg;  wg = (float2x2)t.Load(q).x;",
        "bool wg;  wg = t.Load(q).x > 3;",
        "float wg;  if (t.Load(q).x > 3) wg = 1;",
        "float wg;  if (ii == 3) wg = t.Load(q).x; if (ii == 4) wg = 2;",
    ] {
        let (variable, statements) = dropped.split_once("  ").unwrap();
        drops(&format!("groupshared {variable}"), statements);
    }
    let members = "struct S { float4 a; float b; }; groupshared S wg;";
    drops(members, "wg.a = t.Load(q);");
    drops(members, "wg = (S)0; wg.a.x = c.x; wg.b = t.Load(q).x;");
    keeps(members, "wg.a.x = t.Load(q).x;");
    let array = "struct S { float a[2]; float b; }; groupshared S wg;";
    drops(array, "wg.b = t.Load(q).x;");
    keeps(array, "wg.a[0] = t.Load(q).x;");
    keeps("struct S { float a; float b; }; groupshared S wg[4];", "wg[ii].b = t.Load(q).x;");
}

#[test]
fn barriers_have_an_effect() {
    keeps("", "if (t.Load(q).x > 3) GroupMemoryBarrierWithGroupSync();");
    keeps("", "if (t.Load(q).x > 3) DeviceMemoryBarrier();");
    keeps("", "if (t.Load(q).x > 3) AllMemoryBarrierWithGroupSync();");
}

/// Whether DXC unrolls a loop depends on the size of its body; without, it computes integers and no floating-point numbers.
#[test]
fn loops_that_the_compiler_may_unroll() {
    drops("", "bool first = true; for (int i = 0; i < 300; i++) { if (!first) r += t.Load(q); }");
    // Dropped; with a larger body, or with `[loop]`, kept.
    doubts("", "float a = 0; for (int i = 0; i < 17; i++) a += 1; if (a > 20) r = t.Load(q);");
    doubts(
        "",
        "float a = 0; for (int i = 0; i < 4; i++) { a += 1; for (int j = 0; j < 4; j++) r += z.Load(int3(i, j, 0)); }
        if (a > 20) r = t.Load(q);",
    );
    doubts("", "float a = 0; [loop] for (int i = 0; i < 4; i++) a += 1; if (a > 20) r = t.Load(q);");
    // Dropped.
    doubts("", "int a = 0; [loop] for (int i = 0; i < 4; i++) a += 1; if (a > 20) r = t.Load(q);");
    doubts("", "int a = 0; for (int i = 0; i < 2000; i++) a += 1; if (a > 4000) r = t.Load(q);");
    doubts("", "for (int i = 0; i < 2000; i++) { if (i == 3000) r += t.Load(q); }");
    doubts("", "for (int i = 0; i < n; i++) { if (i == -1) r += t.Load(q); }");
    doubts("", "int i = 0; while (true) { i++; if (i > 500) break; } if (i == 7) r = t.Load(q);");
    doubts("", "for (int i = 0; i < 5; i++) { if (i == 3) return c; } r = t.Load(q);");
    doubts("", "float a = 0; [unroll] for (int i = 0; i < 400; i++) a += i; if (a < 20) r = t.Load(q);");
    doubts(
        "",
        "float a[4]; a[3] = t.Load(q).x; for (int i = 0; i < 3; i++) a[i] = i; for (int j = 0; j < 3; j++) r += a[j];",
    );
    // Kept.
    doubts("", "for (int i = 0; i < 20; i++) { if (i * i == 3) r += t.Load(q); }");
    doubts("", "float a = 0; for (int i = 0; i < 1000; i++) a += 1; if (a > 2000) r = t.Load(q);");
    keeps("", "for (int i = 0; i < 2000; i++) { if (i == 30) r += t.Load(q); }");
    keeps("", "for (int i = 0; i < n; i++) { if (i > 0) r += t.Load(q); }");
    keeps("", "for (int i = 0; i < n; i++) { r += i == 1 ? t.Load(q) : c; }");
    keeps("", "bool f = true; for (int i = 0; i < n; i++) { if (f) r += t.Load(q); f = false; }");
    keeps("", "float f = 0; for (int i = 0; i < n; i++) { if (f < 0) r += t.Load(q); f += 1; }");
    keeps("", "[loop] for (int i = 0; i < 4; i++) { if (i == 2) r += t.Load(q); }");
}

#[test]
fn loops_with_a_first_round() {
    drops("", "float4 s = t.Load(q); for (int i = 0; i < 500; i++) { s = i; } r = s;");
    drops("", "float4 s = t.Load(q); for (int i = 0; i < 500; i++) { s = i; if (z.Load(q).x > i) break; } r = s;");
    drops("", "float4 s = t.Load(q); for (float i = 0; i < 1000; i += 2) { s = z.Load(int3(i, 0, 0)); } r = s;");
    keeps("", "float4 s = t.Load(q); for (int i = 0; i < 500; i++) { if (i > 3) s = i; } r = s;");
    keeps("", "float4 s = t.Load(q); for (int i = 0; i < 500; i++) { if (z.Load(q).x > i) break; s = i; } r = s;");
}

#[test]
fn methods_of_resources_in_the_heap_have_outputs() {
    let texture = "Texture2D<float4> d = ResourceDescriptorHeap[ii];";
    let buffer = "RWByteAddressBuffer d = ResourceDescriptorHeap[ii];";
    keeps("", &format!("{texture} float2 s; d.GetDimensions(s.x, s.y); r = t.Load(q) * s.x;"));
    keeps("", &format!("{texture} uint w, h, l; d.GetDimensions(0, w, h, l); r = t.Load(q) * w;"));
    keeps(
        "",
        &format!("{texture} uint k; r = d.Load(q, int2(0, 0), k); if (CheckAccessFullyMapped(k)) r += t.Load(q);"),
    );
    keeps("", &format!("{buffer} uint k; d.InterlockedAdd(0, 1, k); r = t.Load(q) * k;"));
    keeps("", &format!("{buffer} uint w = 0; d.GetDimensions(w); r = t.Load(q) * w;"));
    drops("", &format!("{texture} float2 s; d.GetDimensions(s.x, s.y); r = s.y; float4 e = t.Load(q) * s.x;"));
}

/// The number of passes over the innermost body grows with the number of loops, not exponentially, so that the limit on steps
/// is far away.
#[test]
fn loops_in_loops_are_certain() {
    let nested = |open: &str, close: &str| {
        let opened: String = (0..20).map(|level| open.replace('#', &level.to_string())).collect();
        let closed: String = (0..20).rev().map(|level| close.replace('#', &level.to_string())).collect();
        format!("bool hit = false; {opened} r += t.Load(q + i0); {closed}")
    };
    keeps("", &nested("for (int i# = 0; i# < n; i#++) {", "}"));
    keeps("", &nested("int i# = 0; while (i# < n && !hit) { i#++; if (r.x > #) hit = true;", "}"));
    keeps("", &nested("int i# = 0; do { i#++; if (r.x > #) break;", "} while (i# < n);"));
    keeps("", &nested("for (int i# = 0; i# < n; i#++) { if (r.y > #) continue; r.y += i#;", "}"));
}

/// DXC leaves such a loop after the rounds, even if its condition still holds.
#[test]
fn loops_with_a_number_of_rounds() {
    drops("", "float a = 0; [unroll(3)] for (int i = 0; i < 4; i++) a += 1; if (a > 3.5) r = t.Load(q);");
    keeps("", "float a = 0; [unroll(3)] for (int i = 0; i < 4; i++) a += 1; if (a > 2.5) r = t.Load(q);");
    drops("", "float a = 0; [unroll(3)] for (int i = 0; i < n; i++) a += 1; if (a > 3.5) r = t.Load(q);");
    keeps("", "float a = 0; [unroll(3)] for (int i = 0; i < n; i++) a += 1; if (a > 2.5) r = t.Load(q);");
    drops("", "[unroll(3)] for (int i = 0; i < n; i++) if (i == 5) r += t.Load(q);");
    keeps("", "[unroll(3)] for (int i = 0; i < n; i++) if (i == 2) r += t.Load(q);");
    keeps("", "[unroll(3)] for (int i = 0; i < n; i++) { if (q.x > i) continue; r += t.Load(q + i); }");
    drops("", "[unroll(4)] for (int k = 0; k < n; k++) { if (c[k] > 4) break; if (k >= 4) r += t.Load(q); }");
    doubts("", "int k = 0; [unroll(4)] while (k < n) { k++; if (k > 4) r += t.Load(q); }");
    doubts("", "int k = 0; [unroll(3)] while (k < 6) { k++; if (k > 4) r += t.Load(q); }");
}

/// An array with an index that is not constant may be kept whole.
#[test]
fn elements_next_to_one_at_an_index_that_is_not_constant() {
    // Kept.
    doubts("", "float a[4]; a[ii] = 3; a[3] = t.Load(q).x; r = a[2];");
    doubts("static float a[4];", "a[ii] = 3; a[3] = t.Load(q).x; r = a[2];");
    doubts("", "float4 a = c; a[ii] = 3; a.x = t.Load(q).x; r = a.y;");
    doubts("", "float2x2 a = (float2x2)c; a[0] = t.Load(q).xy; r = a[1].x; r += a[1][ii];");
    doubts(
        "",
        "float a[4] = { 0, 0, 0, 0 }; [loop] for (int i = 0; i < 4; i++) a[i] = z.Load(int3(i, 0, 0)).x;
        a[3] = t.Load(q).x; r = a[2];",
    );
    // Dropped.
    doubts("", "float4 a = t.Load(q); a[ii] = 3; a = c; r = a;");
    doubts("", "float a[4]; a[0] = 0; a[1] = 0; a[2] = 0; a[3] = t.Load(q).x; r = a[2]; float k = a[ii];");
    drops("", "float a[4] = { 1, 2, 0, 4 }; r = a[ii]; r += t.Load(q) * a[2];");
    keeps("float f(float a[3]) { return a[2]; }", "float a[3]; a[1] = t.Load(q).x; a[0] = a[2] = 3; r = f(a) + a[ii];");
}

#[test]
fn code_that_is_followed() {
    drops("", "unsigned int k = (unsigned int)t.Load(q).x; k *= 3;");
    keeps("", "const unsigned int k = (unsigned int)t.Load(q).x; r = k;");
    drops(
        "Texture2D<float4> Texture; SamplerState Sampler;",
        "r = Texture.Sample(Sampler, p.xy); float k = t.Load(q).x;",
    );
    drops("typedef struct { float x; } A;", "A a[2]; A b[2] = (A[2])a; float k = t.Load(q).x;");
    drops("", "uint k = 0b10u & asuint(t.Load(q).x);");
    let heap = "struct B { T operator[](uint index) { return (T)ResourceDescriptorHeap[index]; } };";
    for (heap, ty) in [
        (format!("template<typename T> {heap}"), "B<Texture2D<float4> >"),
        (heap.replace("T ", "Texture2D<float4> ").replace("(T)", "(Texture2D<float4>)"), "B"),
    ] {
        drops(
            &format!("{heap} static const {ty} b;"),
            "float k = t.Load(q).x; Texture2D<float4> u = b[3]; r = u.Load(q);",
        );
        keeps(&format!("{heap} static const {ty} b;"), "Texture2D<float4> u = b[3]; r = u.Load(q) + t.Load(q);");
    }
}

/// A resource of a descriptor heap is written, too.
#[test]
fn stores_to_resources_of_descriptor_heaps() {
    let heap = "= ResourceDescriptorHeap[ii];";
    keeps("", &format!("RWBuffer<float4> h {heap} h[3] = t.Load(q);"));
    keeps("", &format!("RWByteAddressBuffer h {heap} h.Store(3, asuint(t.Load(q).x));"));
    keeps("", &format!("RWStructuredBuffer<float4> h {heap} h[0].x = t.Load(q).x;"));
    keeps("", &format!("RWBuffer<uint> h {heap} InterlockedAdd(h[3], asuint(t.Load(q).x));"));
    keeps("", "RWBuffer<float4> h = ResourceDescriptorHeap[asuint(t.Load(q).x)]; h[3] = 1;");
    keeps("static RWBuffer<float4> h = ResourceDescriptorHeap[3];", "h[3] = t.Load(q);");
    keeps("struct H { RWBuffer<float4> b; };", &format!("H h; h.b {heap} h.b[3] = t.Load(q);"));
    let write = "void w(RWBuffer<float4> b, float4 v) { b[0] = v; }";
    keeps(write, "w(ResourceDescriptorHeap[ii], t.Load(q));");
    let two = "RWBuffer<float4> h[2] = { ResourceDescriptorHeap[ii], ResourceDescriptorHeap[ii + 1] };";
    keeps("", &format!("{two} h[1][3] = t.Load(q);"));
}

#[test]
fn lists_without_a_length() {
    keeps("", "Texture2D<float4> h[] = { z, t }; r = h[1].Load(q);");
    drops("", "Texture2D<float4> h[] = { z, t }; r = h[0].Load(q);");
    keeps("static const Texture2D<float4> h[] = { z, t };", "r = h[1].Load(q);");
    keeps("struct H { Texture2D<float4> a, b; };", "H h = { z, t }; r = h.b.Load(q);");
    keeps("", "float a[] = { 1, t.Load(q).x }; r = a[1];");
    drops("", "float a[] = { 1, t.Load(q).x }; r = a[0];");
}

#[test]
fn the_status_of_a_read_is_its_last_argument() {
    let used = "r += t.Load(q) * st;";
    let offsets = "int2(0, 1), int2(1, 0), int2(0, 1), int2(1, 1)";
    keeps("", &format!("uint st; r += t.GatherAlpha(sm, p.xy, {offsets}, st); r += st;"));
    keeps("", "uint st; r += t.Gather(sm, p.xy, int2(-3, 2), st); r += st;");
    keeps("Texture2DMS<float4> ms;", &format!("uint st; r += ms.Load(q.xy, 2, int2(1, 1), st); {used}"));
    keeps("TextureCube<float4> cu;", &format!("uint st; r += cu.Gather(sm, float3(1, 2, 3), st); {used}"));
    keeps("TextureCube<float4> cu;", &format!("uint st; r += cu.GatherRed(sm, float3(1, 2, 3), st); {used}"));
    keeps("ByteAddressBuffer ba;", &format!("uint st; r.xyz += ba.Load<float3>(ii, st); {used}"));
}

#[test]
fn components_of_a_type_that_is_not_known() {
    let loads = "ByteAddressBuffer ba;";
    keeps(loads, "r.x += ba.Load<float>(asuint(t.Load(q).x));");
    keeps(loads, "r.xy = ba.Load<double2>(asuint(t.Load(q).x));");
    keeps(loads, "float4 v; v.yz = ba.Load<float2>(asuint(t.Load(q).x)); r = v.y;");
    keeps(loads, "float2x2 m; m[0] = ba.Load<float2>(asuint(t.Load(q).x)); r = m[0].x;");
    drops(loads, "float4 v; v.yz = ba.Load<float2>(asuint(t.Load(q).x)); v.y = 1; v.z = 2; r = v.y;");
}

#[test]
fn indices_into_shared_structs() {
    let array = "struct S { float a; float b; float own() { return a; } }; groupshared S g[64];";
    keeps(array, "g[ii].b = 1; r = g[asuint(t.Load(q).x) & 63].b;");
    keeps(array, "g[ii].a = 1; r = g[asuint(t.Load(q).x) & 63].own();");
    keeps(array, "g[ii].b = 1; S s = g[asuint(t.Load(q).x) & 63]; r = s.b;");
    keeps(array, "g[asuint(t.Load(q).x) & 63].b = 1; r = g[ii].b;");
}

/// DXC takes the value alone if it is there before the choice, or is computed from what is.
#[test]
fn a_choice_between_a_value_and_nothing() {
    drops("", "float4 v; if (t.Load(q).x > 0) v = 3; r = v;");
    // Kept.
    doubts("", "float4 v; if (t.Load(q).x > 0) v = c; r = v;");
    doubts("", "float4 v; [branch] if (t.Load(q).x > 0) v = z.Load(q + 1); r = v;");
    doubts("", "float4 v; v = t.Load(q).x > 0 ? c : v; r = v;");
    doubts("", "float4 v; switch (asuint(t.Load(q).x)) { case 0: v = z.Load(q + 1); break; } r = v;");
    doubts("", "float4 v; while (t.Load(q).x > 3) { v = z.Load(q + 1); break; } r = v;");
    keeps("", "float4 v; if (t.Load(q).x > 0) v = z.Load(q + 1); else if (ii > 3) v = 1; r = v;");
    // Dropped.
    doubts("", "float4 v, w = z.Load(q + 1); if (t.Load(q).x > 0) v = w; r = v;");
}

#[test]
fn products_and_sums_in_one() {
    drops("", "r = mad(t.Load(q), 0, 1);");
    drops("", "r = mad(0, t.Load(q), c);");
    keeps("", "r = fma((double4)t.Load(q), 0, 1);");
}

/// All are dropped.
#[test]
fn products_with_a_value_after_a_loop() {
    doubts("", "uint b = 3; while (--b > 0); r = b * t.Load(q);");
    doubts("", "int k = 0; for (int i = 0; i < 4; i++) k += i; r = (k - 6) * t.Load(q);");
    doubts("", "float k = 1; for (int i = 0; i < 4; i++) k -= 0.25; r = k * t.Load(q);");
}

/// With `-T vs_6_6` for the ones with clip planes.
#[test]
fn functions_and_variables_in_buffers_and_clip_planes() {
    let entry = "cbuffer B { float4 b; }; float4 main() : SV_Target { return USE + b; }";
    for (buffer, used, expected) in [
        ("float4 f() { return a; }", "f()", "A b0, B b1"),
        ("static float4 f() { return a; }", "f()", "A b0, B b1"),
        ("float4 f() { return 1; }", "f()", "B b0"),
        ("static float4 s = a;", "s", "A b0, B b1"),
        ("static float4 s = 1;", "s", "B b0"),
    ] {
        let source = format!("cbuffer A {{ float4 a; {buffer} }}; {}", entry.replace("USE", used));
        assert_eq!(placed(&source, &BindingRequest::new(Target::D3d12, Convention::Dxc)).join(", "), expected);
    }
    let entry =
        "cbuffer B { float4 b; }; [clipplanes(PLANES)] float4 main(float4 p : P) : SV_Position { return p + b; }";
    for (declarations, planes, expected) in [
        ("cbuffer A { float4 a; };", "a", "A b0, B b1"),
        ("cbuffer A { float4 a; }; cbuffer D { float4 d; };", "a, d", "A b0, D b1, B b2"),
        ("struct S { float4 x; float4 y; }; cbuffer A { S a; };", "a.y", "A b0, B b1"),
        ("cbuffer A { float4 a; }; static float4 s = a;", "s", "A b0, B b1"),
    ] {
        let source = format!("{declarations} {}", entry.replace("PLANES", planes));
        let rows = placed(&source, &BindingRequest::new(Target::D3d12, Convention::Dxc)).join(", ");
        assert_eq!(rows, expected, "{source}");
    }
}

/// DXC drops `t` in all of these; some are too far from what is followed here to be certain.
#[test]
fn integers_that_decide_conditions() {
    for bits in ["asuint(p.x)", "asint(p.x)", "uint(p.x)", "countbits(ii)", "f32tof16(p.x)", "WaveGetLaneIndex()"] {
        drops("", &format!("if (({bits} >> 31) > 1) r = t.Load(q);"));
    }
    drops("", "if (asuint(p.x) < 0) r = t.Load(q);");
    drops("", "uint k; k = p.x; if (k < 0) r = t.Load(q);");
    drops("", "if (-ii < 0) r = t.Load(q);");
    drops("RWBuffer<uint> u;", "uint old; InterlockedAdd(u[0], 1, old); if ((old >> 31) > 1) r = t.Load(q);");
    drops("", "uint m = n; r = t.Load(q) * (m - n) + n;");
    drops("", "int k = 2; k *= 1.4; if (k > 2) r = t.Load(q);");
    drops("", "int3 k; k.x = 2.7; if (k.x > 2) r = t.Load(q);");
    for condition in [
        "(ii | 4) < 4",
        "ii << 2 == 1",
        "ii * 2 & 1",
        "ii / 16 > 0x0fffffff",
        "(int)fl > 1",
        "ii > 0xffffffff",
        "(ii ^ 1) == ii",
        "ii + 1 == ii",
        "n + 1 < n",
        "ii + 4 == 4 && ii != 0",
        "ii < 4 && ii > 6",
        "!(ii < 4) && ii < 4",
        "ii < n && ii >= n",
        "1 / 0 > 3",
    ] {
        doubts("", &format!("if ({condition}) r = t.Load(q);"));
    }
    for (outer, inner) in [("ii < n", "ii >= n"), ("n & 4", "n == 0"), ("ii == 4", "ii * 2 == 9"), ("n > 5", "n < 0")] {
        doubts("", &format!("if ({outer}) {{ if ({inner}) r = t.Load(q); }}"));
    }
    doubts("", "switch (ii) { case 4: if (ii != 4) r = t.Load(q); break; }");
    doubts("", "if (ii == 4) r = t.Load(q) * (ii - 4);");
    doubts("ByteAddressBuffer u;", "if (u.Load(0) < 0) r = t.Load(q);");
    keeps("", "if (p.x % 4 > 3) r = t.Load(q);");
    keeps("", "if (ii > 4 && ii < 6) r = t.Load(q);");
    keeps("", "if (ii > 4) { if (ii < 6) r = t.Load(q); }");
}

/// DXC drops `t` where an integer is divided, and keeps it where a float is.
#[test]
fn divisions_by_zero() {
    for value in ["asuint(t.Load(q).x) / 0u", "asint(t.Load(q).x) / 0", "asint(t.Load(q).x) % 0", "t.Load(q) / 0"] {
        doubts("", &format!("r = {value};"));
    }
    doubts("", "int k = 0; r = asint(t.Load(q).x) / k;");
    keeps("", "r = t.Load(q) / 0.0;");
    keeps("", "float k = 0; r = t.Load(q) / k;");
    drops("", "r = fmod(t.Load(q), 0);");
    drops("", "float4 y = 0; r.x = y.x / y.w * t.Load(q).x + t.Load(q).y;");
}

#[test]
fn functions_that_the_compiler_writes_out() {
    drops("", "r = ldexp(0, t.Load(q));");
    drops("", "r.xyz = cross(t.Load(q).xyz, 0);");
    drops("", "r = distance(t.Load(q), t.Load(q));");
    doubts("", "r = refract(t.Load(q), 0, 0);");
    doubts("", "r = lit(1, 1, t.Load(q).x);");
}

#[test]
fn conditions_after_a_return() {
    // Dropped.
    doubts("", "if (n == 3) return 1; if (n == 3) r = t.Load(q);");
    doubts("", "for (int k = 0; k < n; k++) { if (k == 3) { r += 1; continue; } if (k == 3) r += t.Load(q); }");
    keeps("", "int k; for (k = 0; k < n; k++) { if (k == 3) return 2; r += 1; } if (k == 3) r += t.Load(q);");
    keeps("", "if (n == 3) return 1; if (n == 4) r = t.Load(q);");
}

/// The index counts if a method changes a ray query of an array. It does not if a method only reads one.
#[test]
fn arrays_of_ray_queries() {
    let scene = "RaytracingAccelerationStructure scene;";
    let start = "RayQuery<0> rq[2]; RayDesc rd = (RayDesc)0;";
    let index = "asuint(t.Load(q).x) & 1";
    keeps(scene, &format!("{start} rq[{index}].TraceRayInline(scene, 0, 1, rd); rq[0].Proceed();"));
    drops(scene, &format!("{start} rq[0].TraceRayInline(scene, 0, 1, rd); float k = rq[{index}].CommittedRayT();"));
    let by_value = "float4 f(RayQuery<0> a) { a.Proceed(); return a.CommittedRayT(); }";
    keeps(
        &format!("{scene} {by_value}"),
        &format!("{start} rq[0].TraceRayInline(scene, 0, 1, rd); r = f(rq[{index}]);"),
    );
    let passed = "void f(RayQuery<0> a, RayDesc rd) { a.TraceRayInline(scene, 0, 1, rd); }";
    keeps(
        &format!("{scene} {passed}"),
        &format!("RayQuery<0> rq[2][3]; RayDesc rd = (RayDesc)0; f(rq[0][{index}], rd);"),
    );
}
