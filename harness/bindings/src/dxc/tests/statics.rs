//! Resources that only `static` variables name. Every number is from the listing of DXC 1.7.2308
//! (`-T cs_6_6`, the same with `-Od`).

use super::shader;

const STRUCT: &str = "struct S { RWBuffer<float> a; RWBuffer<float> b; RWBuffer<float> c; RWBuffer<float> d; }; S s;
    RWBuffer<float> A; RWBuffer<float> B;";
const TWO: &str = "static RWBuffer<float> x = s.c; static RWBuffer<float> y = s.a;";

fn bound(declarations: &str, statements: &str) -> String {
    let mut rows: Vec<String> = shader(&format!("{STRUCT} {declarations}"), statements);
    rows.sort_by_key(|row| row.rsplit_once(' ').map(|(_, register)| register.to_owned()));
    rows.join(", ")
}

#[test]
fn a_static_resource_is_the_one_that_it_was_made_from() {
    assert_eq!(bound("static RWBuffer<float> x = B;", "x[0] = 1;"), "B u0");
    assert_eq!(bound("static const RWBuffer<float> x = B;", "x[0] = 1;"), "B u0");
    assert_eq!(bound("static RWBuffer<float> x = B; static RWBuffer<float> z = x;", "z[0] = 1;"), "B u0");
    assert_eq!(bound("static RWBuffer<float> x = B; void f() { x[0] = 1; }", "f();"), "B u0");
    assert_eq!(bound("namespace N { RWBuffer<float> C; static RWBuffer<float> x = C; }", "N::x[0] = 1;"), "N::C u0");
    assert_eq!(bound("static RWBuffer<float> x = A;", "B[0] = 1;"), "B u0");
}

#[test]
fn one_element_keeps_its_array() {
    let declared = "RWBuffer<float> C[4]; RWBuffer<float> D; static RWBuffer<float> x = C[2];";
    assert_eq!(bound(declared, "x[0] = 2; D[0] = 1;"), "C u0[4], D u4");
}

#[test]
fn a_static_number_is_what_it_is_computed_from() {
    let data = "cbuffer C { float c; }; cbuffer D { float d; }; cbuffer E { float4 e; };";
    let numbers = format!("{data} static float x = d * 2; static float y = e.x; static float z = x;");
    assert_eq!(bound(&numbers, "A[0] = y + c;"), "C b0, E b1, A u0");
    assert_eq!(bound(&numbers, "A[0] = z;"), "D b0, A u0");
    assert_eq!(bound("static float x = B[3];", "A[0] = x;"), "A u0, B u1");
    assert_eq!(bound("static float x = B[3];", "A[0] = 1;"), "A u0");
    assert_eq!(bound("float f() { return B[0]; } static float x = f();", "A[0] = x;"), "A u0, B u1");
}

#[test]
fn members_come_as_if_each_static_were_a_function() {
    assert_eq!(bound(TWO, "y[0] = 2; s.b[0] = 3; x[0] = 1;"), "s.a u0, s.c u1, s.b u2");
    let own = format!("{TWO} void f() {{ s.d[0] = 1; }}");
    assert_eq!(bound(&own, "x[0] = 1; f(); y[0] = 1; s.b[0] = 3;"), "s.d u0, s.a u1, s.c u2, s.b u3");
    let called = format!("{TWO} void f() {{ x[0] = 1; s.d[0] = 1; }}");
    assert_eq!(bound(&called, "y[0] = 1; f(); s.b[0] = 3;"), "s.d u0, s.a u1, s.c u2, s.b u3");
    let chain = format!("{TWO} static RWBuffer<float> z = x;");
    assert_eq!(bound(&chain, "y[0] = 1; z[0] = 1; s.b[0] = 3;"), "s.a u0, s.c u1, s.b u2");
    let passed = format!("{TWO} void f(RWBuffer<float> p, RWBuffer<float> q) {{ p[0] = 1; q[0] = 1; }}");
    assert_eq!(bound(&passed, "s.d[0] = 2; f(x, y); s.b[0] = 3;"), "s.a u0, s.c u1, s.d u2, s.b u3");
    assert_eq!(bound(TWO, "RWBuffer<float> l = x; s.d[0] = 1; l[0] = 1; y[0] = 1;"), "s.a u0, s.c u1, s.d u2");
}

#[test]
fn members_of_numbers_and_structs_do_too() {
    let numbers = "static float x = s.c[1] + s.b[1]; static float y = s.a[0];";
    assert_eq!(bound(numbers, "s.d[0] = x + y;"), "s.a u0, s.b u1, s.c u2, s.d u3");
    let whole = "static S t = s;";
    assert_eq!(bound(whole, "t.a[0] = 1; t.c[0] = 1; s.b[0] = 3;"), "s.a u0, s.c u1, s.b u2");
    assert_eq!(bound(whole, "t.c[0] = 1; t.a[0] = 1; s.b[0] = 3;"), "s.c u0, s.a u1, s.b u2");
    let part = format!("{TWO} {whole} static RWBuffer<float> z = t.d;");
    assert_eq!(bound(&part, "y[0] = 1; z[0] = 1; s.b[0] = 3;"), "s.d u0, s.a u1, s.b u2");
    let function = format!("{whole} void f() {{ t.a[0] = 1; t.c[0] = 1; }}");
    assert_eq!(bound(&function, "t.b[0] = 1; f();"), "s.b u0, s.c u1, s.a u2");
}

/// A `static` local variable is made once, the first time that the code comes to it; those that nothing needs go.
#[test]
fn a_static_local_variable_is_made_once() {
    let data = "int w; Buffer<float> P; Buffer<float> Q; RWBuffer<float> o;";
    for (functions, statements, expected) in [
        ("", "static float t = 1.0f / w; o[0] = t + Q[0];", "$Globals b0, Q t0, o u0"),
        ("", "static float t = 1.0f / w; o[0] = Q[0];", "Q t0, o u0"),
        ("", "static float t = P[w]; t = 1; o[0] = t + Q[0];", "Q t0, o u0"),
        ("", "static float t; o[0] = t * P[0] + Q[0];", "Q t0, o u0"),
        ("", "static int t = 0; if (t == 0) o[0] = P[0] + Q[0];", "P t0, Q t1, o u0"),
        ("", "static const float t = P[2]; o[0] = t + Q[0];", "P t0, Q t1, o u0"),
        ("", "static float a[2] = { P[0], Q[0] }; o[0] = a[0];", "P t0, o u0"),
        (
            "",
            "static bool first = true; if (first) { first = false; o[0] = P[0]; } if (first) o[1] = Q[0];",
            "P t0, o u0",
        ),
        ("float f() { static float t = P[0]; t += 1; return t; }", "o[0] = f() + f() + Q[0];", "P t0, Q t1, o u0"),
        ("float f() { static int n = 0; n++; if (n == 2) return P[0]; return 0; }", "o[0] = f() + Q[0];", "Q t0, o u0"),
        (
            "float f() { static int n = 0; n++; if (n == 2) return P[0]; return 0; }",
            "o[0] = f() + f() + Q[0];",
            "P t0, Q t1, o u0",
        ),
        ("float f(float x) { static float t = x; return t; }", "o[0] = f(P[0]) + f(Q[0]);", "P t0, o u0"),
        ("static float g = P[1];", "static float t = g; o[0] = t + Q[0];", "P t0, Q t1, o u0"),
        ("", "for (int i = 0; i < w; i++) { static float t = P[i]; o[i] = t; }", "$Globals b0, P t0, o u0"),
        ("", "[unroll] for (int i = 0; i < 3; i++) { static float t = i == 0 ? Q[0] : P[i]; o[i] = t; }", "Q t0, o u0"),
        (
            "",
            "[unroll] for (int i = 0; i < 3; i++) { static int t = i; if (t == 1) o[i] = P[0]; o[i] = Q[0]; }",
            "Q t0, o u0",
        ),
    ] {
        let mut rows = shader(&format!("{data} {functions}"), statements);
        rows.sort();
        assert_eq!(rows.join(", "), expected, "{functions} {statements}");
    }
}
