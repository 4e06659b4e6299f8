//! The names that function bodies use.

use super::read;
use crate::module::{Life, Step, Use};

fn path(used: &Use) -> String {
    let text = used.path.iter().enumerate().fold(String::new(), |text, (index, step)| match step {
        Step::Name(name) if index == 0 => name.clone(),
        Step::Parameter(number) => format!("${number}"),
        Step::This => "this".to_owned(),
        Step::Name(name) => format!("{text}.{name}"),
        Step::Index(value) => format!("{text}[{value}]"),
        Step::DynamicIndex => format!("{text}[]"),
    });
    let life = match used.life {
        Life::Live => "",
        Life::Optimised => " optimised",
        Life::Dead => " dead",
    };
    format!("{text}{}{life}", if used.call { "()" } else { "" })
}

/// Returns the names that the function `name` of `source` uses.
fn uses(source: &str, name: &str) -> Vec<String> {
    let module = read(source);
    let function = module.functions.iter().find(|function| function.name == name).expect("the function is there");
    function.uses.iter().map(path).collect()
}

fn body(statements: &str) -> Vec<String> {
    uses(&format!("RWBuffer<float> A[9]; static const int N = 4; void f(int parameter) {{ {statements} }}"), "f")
}

/// wg-hlsl 0024, implicit resource binding, example 6.1.
#[test]
fn the_example_of_unused_resources() {
    let source = "struct S { RWBuffer<float> D; };
        RWBuffer<float> A; RWBuffer<float> B[10] : register(u0); RWBuffer<float> C : register(u2);
        S s : register(u5); RWBuffer<float> E[5];
        void foo() { B[2][0] = 1.0; }
        bool bar(int i) { return i > 10; }
        [numthreads(4,1,1)]
        void main(uint3 gi : SV_GROUPID) {
          if (false) { C[0] = 1.0; }
          for (int i = 0; i < 5; i++) {
            if (i > 6)
              s.D[0] = 1.0;
            if (bar(i)) foo();
            if (bar(gi.x)) A[0] = E[2][i];
          }
        }";
    assert_eq!(uses(source, "foo"), ["B[2][0]"]);
    assert_eq!(uses(source, "bar"), Vec::<String>::new());
    assert_eq!(
        uses(source, "main"),
        ["C[0] dead", "s.D[0] optimised", "bar()", "foo() optimised", "bar()", "E[2][]", "A[0]"]
    );
}

#[test]
fn paths_and_calls() {
    assert_eq!(body("A[2][0] = A[N][parameter];"), ["N", "A[4][]", "A[2][0]"]);
    assert_eq!(body("A[A[1][0]][N + 1];"), ["A[1][0]", "N", "A[][5]"]);
    assert_eq!(body("x = buffers[0].items[1].Load<float4>(3).y;"), ["buffers[0].items[1].Load()", "x"]);
    assert_eq!(body("float3 v = float3(1, 2, 3) + (float3)y;"), ["y"]);
    assert_eq!(body("S s = (S)0; s.a = 1; other.a = 2;"), ["S", "other.a"]);
    assert_eq!(body("[unroll] for (int i = 0; i < 3; ++i) A[i] = 1;"), ["A[]"]);
}

/// DXC 1.7.2308 (`-T cs_6_6`) gives registers to the struct members that these statements use in this order.
#[test]
fn uses_are_in_the_order_of_evaluation() {
    assert_eq!(body("e[0] = d[0] + b[0];"), ["d[0]", "b[0]", "e[0]"]);
    assert_eq!(body("c[0] += b[e[0]]; a[f[0]] = d[0];"), ["e[0]", "b[]", "c[0]", "d[0]", "f[0]", "a[]"]);
    assert_eq!(body("a = b = c; d = e;"), ["c", "b", "a", "e", "d"]);
    assert_eq!(body("g(h(e[0]), b[0], c[0]);"), ["c[0]", "b[0]", "e[0]", "h()", "g()"]);
    assert_eq!(body("float2(a, b); s.t.SampleLevel(q, float2(c, d));"), ["a", "b", "c", "d", "q", "s.t.SampleLevel()"]);
    assert_eq!(body("for (uint k = 0; k < e[0]; k += b[k]) A[k] = d[k]; c;"), ["e[0]", "d[]", "A[]", "b[]", "c"]);
}

/// DXC 1.7.2308 (`-T cs_6_6`) copies the blocks in this order; its registers are in the reverse order.
#[test]
fn a_called_function_is_copied_block_by_block() {
    let copied = |statements: &str| {
        let module = read(&format!("void f() {{ {statements} }}"));
        let function = &module.functions[0];
        function.copied.iter().map(|index| path(&function.uses[*index])).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(copied("d; if (x) e; b;"), "d x b e");
    assert_eq!(copied("if (x) c; else d; b;"), "x d b c");
    assert_eq!(copied("a; if (v) { b; if (r) c; d; } else { e; } f;"), "a v e f b r d c");
    assert_eq!(copied("a; if (v) b; c; if (w) d; e;"), "a v c w e d b");
    assert_eq!(copied("a; for (int k = 0; k < f; k += e) { c; } b;"), "a f b c e");
    assert_eq!(copied("a; [loop] while (b) { c; } e;"), "a b e c");
    assert_eq!(copied("a; do { c; } while (b); e;"), "a c b e");
    assert_eq!(copied("if (v) return c; return d;"), "v d c");
    assert_eq!(copied("a; if (b && c) d; e;"), "a b e c d");
    assert_eq!(copied("a; return; b;"), "a");
}

#[test]
fn a_local_variable_can_be_another_name() {
    assert_eq!(body("S t = s; t.D[0] = t.m();"), ["s.m()", "s.D[0]"]);
    assert_eq!(body("RWBuffer<float> x = s.d; { S x; x.d = 1; } x[0] = 1;"), ["s.d[0]"]);
    assert_eq!(body("float x = a[0]; vector<float, 3> y = b[0]; x = y;"), ["a[0]", "b[0]"]);
    assert_eq!(body("S t = s.at[1]; t.x = g(t);"), ["s.at[1]", "g()", "s.at[1].x"]);
}

#[test]
fn arguments_say_which_use_they_are() {
    let module = read("void f() { g(a, b.c, d + 1, h(e)); }");
    let arguments: Vec<_> = module.functions[0].uses.iter().map(|used| used.arguments.clone()).collect();
    assert_eq!(arguments[1], [Some(0)]);
    assert_eq!(arguments[5], [Some(4), Some(3), None, None]);
}

#[test]
fn members_of_this() {
    let source = "struct S { RWBuffer<float> a; float m() { return this.a[0] + a[1]; } };";
    assert_eq!(uses(source, "S::m"), ["this.a[0]", "this.a[1]"]);
}

#[test]
fn what_is_never_reached_is_dead() {
    assert_eq!(body("if (false) a = 1; else b = 2; c = 3;"), ["a dead", "b", "c"]);
    assert_eq!(body("if (true) { a = 1; } else { b = 2; } c = 3;"), ["a", "b dead", "c"]);
    assert_eq!(body("if (0) { if (x) a = 1; else b = 2; } c = 3;"), ["x dead", "a dead", "b dead", "c"]);
    assert_eq!(body("if (false) if (x) a = 1; else b = 2; c = 3;"), ["x dead", "a dead", "b dead", "c"]);
    assert_eq!(body("if (N == 5) a = 1; while (false) b = 2; c = 3;"), ["N", "a dead", "b dead", "c"]);
    assert_eq!(body("if (x) a = 1;"), ["x", "a"]);
    let counted = |statement: &str| body(&format!("for (int i = 1; i < 5; i++) {{ {statement} }} if (i > 9) z;"));
    assert_eq!(counted("if (i >= 5) a;"), ["a optimised", "z"]);
    assert_eq!(counted("if (i < 5) a; else b;"), ["a", "b optimised", "z"]);
    assert_eq!(counted("if (i > 3) a;"), ["a", "z"]);
    assert_eq!(counted("if (i > 9) a; i = x;"), ["a", "x", "z"]);
    assert_eq!(body("for (int i = 4; i >= 0; i--) if (i < 0) a;"), ["a optimised"]);
    assert_eq!(body("a = 1; if (x) return; b = 2; return; c = 3;"), ["a", "x", "b", "c dead"]);
}

#[test]
fn local_names_hide_global_ones_to_the_end_of_their_block() {
    assert_eq!(body("{ float A = 1; A = 2; } A[0] = 3;"), ["A[0]"]);
    assert_eq!(uses("Texture2D t; float f(Texture2D t) { return t.Load(0); }", "f"), ["$0.Load()"]);
    assert_eq!(uses("float t; float f(float t) { return t; }", "f"), Vec::<String>::new());
}

#[test]
fn names_are_qualified() {
    let source = "namespace N { RWBuffer<float> A; void g() { A[0] = 1; } void f() { g(); N::g(); } }
        struct S { void method() { N::A[1] = 2; } };";
    assert_eq!(uses(source, "N::g"), ["N::A[0]"]);
    assert_eq!(uses(source, "N::f"), ["N::g()", "N::g()"]);
    assert_eq!(uses(source, "S::method"), ["N::A[1]"]);
}
