//! Uses through methods, operators, default arguments, overloads and templates; every register is from the listing of
//! DXC 1.7.2308 (`-T cs_6_6`, other profiles where named).

use super::{placed, read};
use crate::{BindingRequest, Convention, Target, bind};
use layoutproof_source::diagnostics::Code;

/// Returns the registers of `A`, `B` and `C` with `declarations` before an entry point that adds up
/// `a`, `c` and `value`; without `o`, which is written.
fn bound(declarations: &str, value: &str) -> String {
    let source = format!(
        "cbuffer A : register(b0) {{ float a; }} cbuffer B {{ float b; }} cbuffer C {{ float c; }}
        RWStructuredBuffer<float> o; {declarations}
        [numthreads(1, 1, 1)] void main(uint3 i : SV_DispatchThreadID) {{ o[0] = a + c + {value}; }}"
    );
    let request = BindingRequest::new(Target::D3d12, Convention::Dxc);
    match bind(&read(&source), &request) {
        Ok(bound) => {
            assert!(bound.warnings.is_empty(), "{declarations} {value}: {:?}", bound.warnings);
            let rows = bound.bindings.iter().filter(|row| row.path != "o");
            rows.map(|row| format!("{} {}{}", row.path, row.unit, row.index)).collect::<Vec<_>>().join(", ")
        }
        Err(problems) => panic!("{declarations} {value}: {problems:?}"),
    }
}

const ALL: &str = "A b0, B b1, C b2";
const NOT_B: &str = "A b0, C b1";
const L: &str = "struct L { float x; float Get() { return b; } };";

fn with_l(declarations: &str, value: &str) -> String {
    bound(&format!("{L} {declarations}"), value)
}

#[test]
fn methods_of_objects_that_are_no_parameters() {
    assert_eq!(with_l("static L l;", "l.Get()"), ALL);
    assert_eq!(with_l("static const L l = { 1 };", "l.Get()"), ALL);
    assert_eq!(with_l("static L l[2];", "l[1].Get()"), ALL);
    assert_eq!(with_l("static L l[2][2];", "l[0][1].Get()"), ALL);
    assert_eq!(with_l("groupshared L l;", "l.Get()"), ALL);
    assert_eq!(with_l("struct M { L l; }; static M m;", "m.l.Get()"), ALL);
    assert_eq!(with_l("static L l;", "(l).Get()"), ALL);
    assert_eq!(with_l("static L l;", "l.x"), NOT_B);
    assert_eq!(with_l("typedef L Two[2]; static Two l;", "l[0].Get()"), ALL);
    assert_eq!(with_l("L make() { L l; l.x = 1; return l; }", "make().Get()"), ALL);
    assert_eq!(with_l("float f(L l) { return l.Get(); }", "f((L)0)"), ALL);
    assert_eq!(with_l("float f() { L l[2] = (L[2])0; return l[1].Get(); }", "f()"), ALL);
    assert_eq!(with_l("float f() { L q, r; r.x = 1; return r.Get(); }", "f()"), ALL);
    assert_eq!(with_l("namespace N { static L l; float f() { return l.Get(); } }", "N::f()"), ALL);
    assert_eq!(with_l("struct M { float y; L Make() { return (L)0; } }; static M m;", "m.Make().Get()"), ALL);
    assert_eq!(bound("struct L { float x; static float S() { return b; } }; static L l;", "l.S()"), ALL);
}

#[test]
fn methods_that_call_methods() {
    let own = "struct L { float x; float Own() { return b; } float Get() { return this.Own(); } }; static L l;";
    assert_eq!(bound(own, "l.Get()"), ALL);
    assert_eq!(with_l("struct D : L { float y; }; static D d;", "d.Get()"), ALL);
    assert_eq!(with_l("struct D : L { float y; float Run() { return L::Get(); } }; static D d;", "d.Run()"), ALL);
    assert_eq!(with_l("struct D : L { float y; float Get() { return 1; } }; static D d;", "d.Get()"), NOT_B);
    assert_eq!(with_l("struct D : L { float y; float Get() { return 1; } }; static D d;", "((L)d).Get()"), ALL);
}

#[test]
fn a_member_hides_a_global_of_its_name() {
    let base = "float g; struct P { float g; }; struct L : P { float y; float Get() { return g; } }; static L l;";
    assert_eq!(bound(base, "l.Get()"), NOT_B);
    assert_eq!(bound("float f() { float q, b; b = 1; return b; }", "f()"), NOT_B);
}

#[test]
fn elements_of_buffers() {
    assert_eq!(with_l("ConstantBuffer<L> k;", "k.Get()"), ALL);
    assert_eq!(with_l("StructuredBuffer<L> k;", "k[0].Get()"), ALL);
    assert_eq!(with_l("RWStructuredBuffer<L> k;", "k[0].Get()"), ALL);
    assert_eq!(with_l("struct M { L l; }; StructuredBuffer<M> k;", "k[0].l.Get()"), ALL);
    let reads = "struct L { float x; float Get() { return x; } };";
    assert_eq!(bound(&format!("{reads} ConstantBuffer<L> k;"), "k.Get()"), "A b0, C b1, k b2");
    assert_eq!(bound(&format!("{reads} ConstantBuffer<L> k[3];"), "k[1].Get()"), "A b0, C b1, k b2");
    assert_eq!(bound(&format!("{reads} StructuredBuffer<L> k;"), "k[0].Get()"), "A b0, C b1, k t0");
}

#[test]
fn operators() {
    let object =
        |operator: &str| format!("struct L {{ float x; {operator} {{ return b; }} }}; static L l; static L m;");
    assert_eq!(bound(&object("float operator[](int i)"), "l[0]"), ALL);
    assert_eq!(bound(&object("float operator()(int i)"), "l(0)"), ALL);
    assert_eq!(bound(&object("float operator+(L r)"), "(l + m)"), ALL);
    assert_eq!(bound(&object("float operator*(float f)"), "l * 2"), ALL);
    assert_eq!(bound(&object("bool operator<(L r)"), "(l < m)"), ALL);
    assert_eq!(bound(&object("bool operator==(L r)"), "(l == m ? 1 : 2)"), ALL);
    let two = "struct L { float x; L operator+(L r) { L q; q.x = b; return q; } float operator*(L r) { return x; } };
        static L l; static L m;";
    assert_eq!(bound(two, "l * m"), NOT_B);
    assert_eq!(bound(two, "(l + m) * m"), ALL);
}

#[test]
fn default_arguments() {
    assert_eq!(bound("float f(float x = b) { return x; }", "f()"), ALL);
    assert_eq!(bound("float f(float x = b) { return x; }", "f(1)"), NOT_B);
    assert_eq!(bound("float g() { return b; } float f(float x = g()) { return x; }", "f()"), ALL);
    assert_eq!(bound("struct L { float x; float Get(float y = b) { return y; } }; static L l;", "l.Get()"), ALL);
    assert_eq!(
        bound("Buffer<float> t; Buffer<float> u; float f(Buffer<float> v = u) { return v[0]; }", "f()"),
        "A b0, C b1, u t0"
    );
}

#[test]
fn overloads() {
    assert_eq!(bound("float f(float x) { return x; } float f(float2 x) { return b; }", "f(1.0)"), NOT_B);
    assert_eq!(bound("float f(float x) { return x; } float f(float x, float y) { return b; }", "f(1.0)"), NOT_B);
    assert_eq!(bound("float f(int x) { return x; } float f(uint x) { return b; }", "f(i.x)"), ALL);
    let vectors = "float f(float2 x) { return x.x; } float f(float3 x) { return b; }";
    assert_eq!(bound(vectors, "f(float2(a, c))"), NOT_B);
    assert_eq!(bound(vectors, "f(a * float3(c, c, c).xy)"), NOT_B);
    assert_eq!(bound("float f(float2 x) { return x.x; } float f(float x) { return b; }", "f(1)"), ALL);
    let structs = "struct M { float y; }; struct L { float x; }; float f(L l) { return 1; } float f(M m) { return b; }";
    assert_eq!(bound(&format!("{structs} static L l;"), "f(l)"), NOT_B);
    let buffers = "float f(Buffer<float> x) { return x[0]; } float f(StructuredBuffer<float> x) { return b; }";
    assert_eq!(bound(&format!("{buffers} Buffer<float> t;"), "f(t)"), "A b0, C b1, t t0");
}

#[test]
fn templates() {
    let other = "struct N { float x; float Get() { return 1; } };";
    let f = "template<typename T> float f(T t) { return t.Get(); }";
    assert_eq!(with_l(f, "f<L>((L)0)"), ALL);
    assert_eq!(with_l(&format!("{other} {f}"), "f((N)0)"), NOT_B);
    let w = "template<typename T> struct W { T t; float Run() { return t.Get(); } };";
    assert_eq!(with_l(&format!("{other} {w} static W<N> w;"), "w.Run()"), NOT_B);
    assert_eq!(with_l(&format!("{other} {w} static W<L> w;"), "w.Run()"), ALL);
    assert_eq!(with_l("template<typename T> T f() { T t = (T)0; return t; }", "f<L>().Get()"), ALL);
    assert_eq!(bound("template<typename T> struct W { static float S() { return b; } };", "W<float>::S()"), ALL);
    let base = "template<typename T> struct W : T { float q; float Run() { return T::Get(); } }; static W<L> w;";
    assert_eq!(with_l(base, "w.Run()"), ALL);
}

#[test]
fn what_makes_no_use() {
    assert_eq!(bound("", "sizeof(b)"), NOT_B);
    assert_eq!(bound("struct L { float x; float Get() { return 1; } }; static L l = { b };", "l.Get()"), NOT_B);
    assert_eq!(bound("struct L { float x; float Get() { return x; } }; static L l = { b };", "l.Get()"), ALL);
    assert_eq!(with_l("static L l; static float s = l.Get();", "s"), ALL);
    assert_eq!(with_l("static L l; static float s = l.Get();", "1"), NOT_B);
}

/// `-T hs_6_6` and `-T lib_6_6`.
#[test]
fn patch_constants_and_exports_are_compiled_too() {
    let hull = "cbuffer A { float a; } cbuffer B { float b; } struct V { float4 p : SV_Position; };
        struct K { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
        K pc(InputPatch<V, 3> v) { K k; k.e[0] = k.e[1] = k.e[2] = a; k.i = 1; return k; }
        [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(3)]
        [patchconstantfunc(\"pc\")]
        V main(InputPatch<V, 3> v, uint i : SV_OutputControlPointID) { V r = v[i]; r.p.x = b; return r; }";
    let request = |profile: &str| BindingRequest {
        profile: Some(profile.to_owned()),
        ..BindingRequest::new(Target::D3d12, Convention::Dxc)
    };
    assert_eq!(placed(hull, &request("hs_6_6")), ["A b0", "B b1"]);
    let library = "cbuffer A : register(b3) { float a; } cbuffer B : register(b4) { float b; }
        float f() { return a; } export float g() { return b; }";
    assert_eq!(placed(library, &request("lib_6_6")), ["B b4"]);
    assert_eq!(placed("cbuffer A { float a; } float f() { return a; }", &request("lib_6_6")), Vec::<String>::new());
}

/// DXIL uses the last of several registers, SPIR-V the first. Both refuse `register(t4) :
/// register(t7)`.
#[test]
fn several_registers() {
    let both = |registers: &str| {
        let source = format!(
            "Buffer<uint> b : {registers}; RWBuffer<uint> o; [numthreads(1, 1, 1)] void main() {{ o[0] = b[0]; }}"
        );
        [Target::D3d12, Target::Vulkan].map(|target| {
            let rows = placed(&source, &BindingRequest::new(target, Convention::Dxc));
            rows.into_iter().filter(|row| !row.starts_with("o ")).collect::<String>()
        })
    };
    assert_eq!(both("register(vs, t4) : register(ps, t7)"), ["b t7", "b binding4"]);
    assert_eq!(both("register(ps, t7) : register(vs, t4)"), ["b t4", "b binding7"]);
    assert_eq!(both("register(space1) : register(t4)"), ["b t4", "b binding0 space1"]);
    assert_eq!(both("register(t4) : register(space1)"), ["b t4 space1", "b binding4"]);
    let refused = "error: conflicting register semantics";
    assert_eq!(both("register(t4) : register(ps, t7)"), [refused, refused]);
}

/// layoutproof does not know what `__unknown` returns, so both answers are possible.
#[test]
fn what_cannot_be_followed_is_said() {
    let source = "cbuffer A { float a; } cbuffer B { float b; } struct L { float x; float Get() { return a; } };
        RWBuffer<float> o; [numthreads(1, 1, 1)] void main() { o[0] = __unknown(b).Get(); }";
    let bound = bind(&read(source), &BindingRequest::new(Target::D3d12, Convention::Dxc)).unwrap();
    let paths: Vec<&str> = bound.uncertain.keys().map(String::as_str).collect();
    assert_eq!(paths, ["A", "B"]);
    let calls = bound.warnings.iter().filter(|warning| warning.code == Code::UncertainCall).collect::<Vec<_>>();
    let [warning] = calls.as_slice() else { panic!("{:?}", bound.warnings) };
    assert_eq!(warning.message, "this may or may not run `L::Get`, which decides the places of `A`, `B`");
}

/// DXC 1.7.2308 keeps both.
#[test]
fn a_long_statement_uses_what_it_names() {
    let sum = vec!["x"; 200].join(" + ");
    let source =
        format!("cbuffer A {{ float x; }}; Texture2D t; float main() : SV_Target {{ return {sum} + t.Load(0).x; }}");
    assert_eq!(placed(&source, &BindingRequest::new(Target::D3d12, Convention::Dxc)), ["A b0", "t t0"]);
}
