//! Resources in structs and cbuffers, in the order in which DXC visits them. Every number is from
//! the listing of DXC 1.7.2308 (`-T cs_6_6`).

use super::shader;

const STRUCT: &str = "struct I { RWBuffer<float> x; RWBuffer<float> y; float im() { return y[0] + x[0]; } };
    struct S { RWBuffer<float> a; RWBuffer<float> b; RWBuffer<float> c; RWBuffer<float> d; RWBuffer<float> e;
      RWBuffer<float> f; RWBuffer<uint> u; I i;
      float m() { return c[0] + a[0]; } float n() { return f[0] + this.b[0]; }
      float p() { return d[0] + m() + e[0]; } };
    S s; S t; RWBuffer<float> A;";

/// Returns the paths in the order of their registers, without `A`.
fn order(functions: &str, statements: &str) -> String {
    let rows = shader(&format!("{STRUCT} {functions}"), statements);
    let mut placed: Vec<(u32, &str)> = Vec::new();
    for row in &rows {
        let (path, register) = row.split_once(" u").unwrap_or_else(|| panic!("{rows:?}"));
        placed.push((register.parse().unwrap(), path));
    }
    placed.sort_unstable();
    let paths: Vec<&str> = placed.into_iter().map(|(_, path)| path).filter(|path| *path != "A").collect();
    paths.join(" ")
}

#[test]
fn uses_by_name_are_taken_in_order_of_evaluation() {
    assert_eq!(order("", "A[0] = s.d[0] + s.b[0] + s.e[0];"), "s.d s.b s.e");
    assert_eq!(order("", "s.e[0] = s.d[0] + s.b[0];"), "s.d s.b s.e");
    assert_eq!(order("", "A[0] = s.b[s.d[0]]; A[s.e[0]] = s.c[s.a[0]];"), "s.d s.b s.a s.c s.e");
    assert_eq!(order("", "A[0] = max(s.d[0], s.b[0]);"), "s.b s.d");
    assert_eq!(order("", "for (uint k = 0; k < s.e[0]; k += s.b[k]) A[k] = s.d[k];"), "s.e s.d s.b");
    assert_eq!(order("", "if (false) A[2] = s.e[0]; A[0] = s.b[0]; A[1] = s.e[0];"), "s.b s.e");
}

#[test]
fn operations_are_taken_one_by_one_the_last_one_first() {
    assert_eq!(order("", "A[0] = s.b[0] + s.d[0] + s.u[0];"), "s.u s.b s.d");
    assert_eq!(order("", "A[0] = s.u[0] + s.b[0] + s.d[0];"), "s.b s.d s.u");
    assert_eq!(order("", "A[0] = s.c.Load(0) + s.a[0] + s.b.Load(0);"), "s.a s.c s.b");
}

#[test]
fn structs_are_taken_in_declaration_order() {
    assert_eq!(order("", "A[0] = t.b[0] + s.a[0] + t.a[0] + s.b[0];"), "s.a s.b t.b t.a");
}

#[test]
fn called_functions_come_first_and_are_taken_backwards() {
    let functions = "float f() { return s.e[0] + s.d[0] + s.b[0]; } float g() { return s.a[0]; }
        float h() { return s.f[0] + g(); }";
    assert_eq!(order(functions, "A[0] = s.c[0] + f();"), "s.b s.d s.e s.c");
    assert_eq!(order(functions, "A[0] = g() + s.c[0] + f();"), "s.b s.d s.e s.a s.c");
    assert_eq!(order(functions, "A[0] = s.c[0] + h();"), "s.a s.f s.c");
    let both = "float f() { return s.a[0] + t.b[0] + s.c[0] + t.d[0]; }";
    assert_eq!(order(both, "A[0] = t.e[0] + s.e[0] + f();"), "t.d s.c t.b s.a s.e t.e");
}

#[test]
fn called_functions_are_taken_block_by_block() {
    let branches = "float f(float v) { float r; if (v > 2) r = s.c[0]; else r = s.d[0]; return r + s.b[0]; }";
    assert_eq!(order(branches, "A[0] = f(A[1]);"), "s.c s.b s.d");
    let repeated = "float f(float v) { float r = s.a[0];
        for (int k = 0; k < s.f[0]; k += s.e[0]) r += s.c[k];
        return r + s.b[0]; }";
    assert_eq!(order(repeated, "A[0] = f(A[1]);"), "s.e s.c s.b s.f s.a");
    let early = "float f(float v) { if (v > 2) return s.c[0]; return s.d[0]; }";
    assert_eq!(order(early, "A[0] = f(A[1]);"), "s.c s.d");
}

#[test]
fn methods_come_before_names() {
    assert_eq!(order("", "A[0] = s.e[0] + s.m() + s.b[0];"), "s.c s.a s.e s.b");
    assert_eq!(order("", "A[0] = s.m() + s.e[0] + s.n();"), "s.c s.a s.f s.b s.e");
    assert_eq!(order("", "A[0] = s.p() + s.b[0];"), "s.d s.c s.a s.e s.b");
    assert_eq!(order("", "A[0] = s.b[0] + s.i.im() + s.m();"), "s.c s.a s.i.y s.i.x s.b");
    assert_eq!(order("float g() { return s.d[0] + s.m() + s.e[0]; }", "A[0] = s.b[0] + g();"), "s.c s.a s.e s.d s.b");
}

#[test]
fn structs_come_in_declaration_order_twice() {
    assert_eq!(order("", "A[0] = t.n() + s.m() + t.m() + s.e[0] + t.e[0];"), "s.c s.a t.f t.b t.c t.a s.e t.e");
    let renamed = "S y = t; S x = s; A[0] = t.c[0] + s.c[0] + y.a[0] + x.b[0];";
    assert_eq!(order("", renamed), "s.b t.a s.c t.c");
    let copied = "RWBuffer<float> x = s.a; RWBuffer<float> y = t.a; A[0] = t.c[0] + s.c[0] + x[0] + y[0];";
    assert_eq!(order("", copied), "s.c s.a t.c t.a");
    let called = "float f() { return t.n() + s.m() + s.d[0] + t.d[0]; }";
    assert_eq!(order(called, "A[0] = f();"), "s.c s.a t.f t.b t.d s.d");
}

#[test]
fn local_names_and_parameters_stand_for_globals() {
    assert_eq!(order("", "S x = s; A[0] = s.c[0] + x.d[0] + s.b[0] + x.a[0];"), "s.d s.a s.c s.b");
    let by_value = "float f(S x) { return x.c[0] + x.b[0] + x.a[0]; }";
    assert_eq!(order(by_value, "A[0] = s.d[0] + f(s);"), "s.a s.b s.c s.d");
    let forward = "float f(S x) { return x.a[0] + x.b[0] + x.c[0]; }";
    assert_eq!(order(forward, "A[0] = f(s);"), "s.c s.b s.a");
    let twice = "float f(S x) { return x.a[0] + x.b[0] + x.c[0] + x.b[1]; }";
    assert_eq!(order(twice, "A[0] = f(s);"), "s.b s.c s.a");
    let resources = "float f(RWBuffer<float> r, RWBuffer<float> q, RWBuffer<float> t) { return r[0] + q[0] + t[0]; }";
    assert_eq!(order(resources, "A[0] = f(s.c, s.a, s.b) + s.d[0];"), "s.d s.c s.a s.b");
    let copies = "RWBuffer<float> x = s.c; RWBuffer<float> y = s.a; RWBuffer<float> z = s.b;
        A[0] = z[0] + x[0] + y[0] + s.d[0];";
    assert_eq!(order("", copies), "s.d s.b s.a s.c");
}

/// Each copy of a struct, and each level of members, turns the order around.
#[test]
fn structs_that_are_copied_several_times() {
    let twice = "float h(S x) { return x.b[0] + x.c[0] + x.a[0]; } float f(S x) { return h(x) + x.d[0]; }";
    assert_eq!(order(twice, "A[0] = f(s);"), "s.b s.c s.a s.d");
    let thrice = "float h(S x) { return x.b[0] + x.c[0] + x.a[0]; } float k(S x) { return h(x); }
        float f(S x) { return k(x) + x.d[0]; }";
    assert_eq!(order(thrice, "A[0] = f(s);"), "s.a s.c s.b s.d");
    let local = "float f(S x) { S y = x; S w = y; return w.b[0] + w.c[0] + w.a[0]; }";
    assert_eq!(order(local, "A[0] = f(s);"), "s.b s.c s.a");
    let method = "float f(S x) { return x.m() + x.b[0]; }";
    assert_eq!(order(method, "A[0] = f(s);"), "s.c s.a s.b");
    let members = "float f(S x) { return x.i.x[0] + x.a[0] + x.i.y[0]; }";
    assert_eq!(order(members, "A[0] = f(s);"), "s.i.x s.i.y s.a");
    let member = "float f(I x) { return x.x[0] + x.y[0]; }";
    assert_eq!(order(member, "A[0] = f(s.i) + s.a[0];"), "s.i.y s.i.x s.a");
    let both = "float f(S x, S y) { return x.b[0] + y.c[0] + x.a[0] + y.d[0]; }";
    assert_eq!(order(both, "A[0] = f(s, s);"), "s.d s.c s.a s.b");
    assert_eq!(order(both, "A[0] = f(t, s);"), "s.d s.c t.a t.b");
}

/// Resources directly in a cbuffer go backwards, after all variables. Cbuffers go in order,
/// `$Globals` with its structs first.
#[test]
fn resources_in_cbuffers_come_last_and_backwards() {
    let declarations = "struct W { Texture2D wt; float4 d; Texture2D wu; };
        cbuffer C1 { W w1; Texture2D T1; Texture2D T2; float4 a; };
        cbuffer C2 { Texture2D T3[2]; Texture2D T4; }; W w; Texture2D G; RWBuffer<float4> U;";
    let statements = "U[0] = T4.Load(0) + T1.Load(0) + w1.wu.Load(0) + G.Load(0) + w1.wt.Load(0) + w.wt.Load(0)
        + T2.Load(0) + T3[1].Load(0) + T3[0].Load(0);";
    let rows = shader(declarations, statements);
    let expected =
        ["G t0", "U u0", "w.wt t1", "w1.wu t2", "w1.wt t3", "T2 t4", "T1 t5", "T3[1] t6", "T3[0] t7", "T4 t8"];
    assert_eq!(rows, expected);
}

/// The last use first, whatever the operation, in calls before the rest. The buffers go in order, with cbuffers among them.
/// A buffer of which only resources are used has no register.
#[test]
fn resources_in_constant_buffer_views_come_last_and_backwards() {
    let view = "struct I { Texture2D p; float f; Texture2D q; };
        struct M { float4 k; Texture2D a; Texture2D b; SamplerState s; Texture2D c; Texture2D d; Texture2D e[2]; I i; };
        ConstantBuffer<M> f; RWBuffer<float4> U; float4 L(Texture2D t) { return t.Load(0); }
        float4 g() { return f.a.Load(0) + f.c.Load(0); } float4 h() { return f.b.Load(0) + f.d.Load(0); }";
    let rows = |declarations: &str, statements: &str| {
        let mut rows = shader(&[view, declarations].concat(), statements);
        rows.sort();
        rows.join(", ")
    };

    let operations = "U[0] = f.d.Load(0) + f.a.SampleLevel(f.s, 0, 0) + f.b.Load(0) + f.c.SampleLevel(f.s, 0, 0);";
    assert_eq!(rows("", operations), "U u0, f.a t2, f.b t1, f.c t0, f.d t3, f.s s0");
    let calls = "U[0] = g() + f.e[0].Load(0) + h() + f.e[1].Load(0);";
    assert_eq!(rows("", calls), "U u0, f.a t3, f.b t1, f.c t2, f.d t0, f.e[0] t5, f.e[1] t4");
    assert_eq!(rows("", "U[0] = L(f.a) + L(f.c) + L(f.b);"), "U u0, f.a t2, f.b t0, f.c t1");
    let copy = "Texture2D t = f.c; U[0] = t.Load(0) + f.a.Load(0) + f.b.Load(0);";
    assert_eq!(rows("", copy), "U u0, f.a t1, f.b t0, f.c t2");
    let twice = "U[0] = f.a.Load(0) + f.c.Load(0) + f.a.Load(0) + f.b.Load(0) + f.k;";
    assert_eq!(rows("", twice), "U u0, f b0, f.a t1, f.b t0, f.c t2");
    let inner = "U[0] = f.b.Load(0) + f.i.q.Load(0) + f.a.Load(0) + f.i.p.Load(0);";
    assert_eq!(rows("", inner), "U u0, f.a t1, f.b t3, f.i.p t0, f.i.q t2");

    let buffers = "cbuffer P { Texture2D pa; M pm; Texture2D pb; } ConstantBuffer<M> z;";
    let all = "U[0] = z.a.Load(0) + z.b.Load(0) + pa.Load(0) + pb.Load(0) + pm.a.Load(0) + pm.b.Load(0) + f.a.Load(0)
        + f.b.Load(0);";
    let expected = "U u0, f.a t1, f.b t0, pa t5, pb t4, pm.a t2, pm.b t3, z.a t7, z.b t6";
    assert_eq!(rows(buffers, all), expected);
    let texture_buffer = "U[0] = z.a.Load(0) + z.c.Load(0) + z.k;";
    assert_eq!(rows("TextureBuffer<M> z : register(t9);", texture_buffer), "U u0, z t9, z.a t1, z.c t0");
    assert_eq!(rows("", "M m = f; U[0] = m.c.Load(0) + m.a.Load(0) + m.k;"), "U u0, f b0, f.a t1, f.c t0");
    let renamed = "M m = f; U[0] = m.d.Load(0) + f.a.Load(0) + m.b.Load(0) + f.c.Load(0);";
    assert_eq!(rows("", renamed), "U u0, f.a t3, f.b t1, f.c t2, f.d t0");
    let operations =
        "M m = f; U[0] = m.a.Load(0) + m.b.SampleLevel(m.s, 0, 0) + m.c.SampleLevel(m.s, 0, 0) + m.d.Load(0);";
    assert_eq!(rows("", operations), "U u0, f.a t2, f.b t0, f.c t1, f.d t3, f.s s0");
    let renamed_there = "float4 n() { M m = f; return m.d.Load(0) + m.b.Load(0) + f.a.Load(0); }";
    let called = rows(renamed_there, "U[0] = n() + f.c.Load(0) + f.e[0].Load(0);");
    assert_eq!(called, "U u0, f.a t2, f.b t0, f.c t4, f.d t1, f.e[0] t3");
    let passed = "float4 v(M m) { return m.c.Load(0) + m.a.Load(0) + m.k + m.b.Load(0); }";
    assert_eq!(rows(passed, "U[0] = v(f) + f.d.Load(0);"), "U u0, f b0, f.a t1, f.b t2, f.c t0, f.d t3");
    assert_eq!(rows(passed, "M n = f; U[0] = v(n) + f.d.Load(0);"), "U u0, f b0, f.a t1, f.b t0, f.c t2, f.d t3");
}
