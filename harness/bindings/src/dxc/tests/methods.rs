//! Globals that only methods of local variables name. Every number is from the listing of DXC
//! 1.7.2308 (`-T cs_6_6`).

use super::shader;
use crate::{BindingRequest, Convention, Target};

const STRUCTS: &str = "RWBuffer<float> C; RWBuffer<float> D; RWBuffer<float> A; RWBuffer<float> B;
    struct P { int p; float base() { return C[0]; } };
    struct R : P { float get() { return D[0]; } float own() { return get() + B[0]; } };
    struct Q { R r; float get() { return A[1]; } float two() { R x; return x.get(); } };
    namespace N { struct R { int a; float get() { return C[0]; } }; }";

fn bound(statements: &str) -> String {
    let mut rows = shader(STRUCTS, statements);
    rows.sort_by_key(|row| row.rsplit_once(' ').map(|(_, register)| register.to_owned()));
    rows.join(", ")
}

#[test]
fn a_method_of_a_local_variable_uses_what_it_names() {
    assert_eq!(bound("R r; A[0] = r.get();"), "D u0, A u1");
    assert_eq!(bound("R r; A[0] = r.base();"), "C u0, A u1");
    assert_eq!(bound("R r; A[0] = r.own();"), "D u0, A u1, B u2");
    assert_eq!(bound("N::R r; A[0] = r.get();"), "C u0, A u1");
    assert_eq!(bound("R r; A[0] = 1;"), "A u0");
}

#[test]
fn a_method_of_the_same_name_around_it_is_another_one() {
    assert_eq!(bound("Q q; A[0] = q.two();"), "D u0, A u1");
}

/// The bodies of `tap`, a method of `Item`, that reach its member `slot` in another way, with what they need before it.
const WAYS: [(&str, &str); 16] = [
    ("", "uint tap() { return slot; }"),
    ("", "uint open() { return slot; } uint tap() { return open(); }"),
    ("", "uint tap() { return open(); } uint open() { return slot; }"),
    ("", "uint open() { return slot; } uint tap() { return this.open(); }"),
    ("", "uint a() { return slot; } uint b() { return a(); } uint tap() { return b(); }"),
    ("", "uint open(uint x) { return slot + x; } uint open() { return 3; } uint tap() { return open(1u); }"),
    ("", "template<typename T> T open(T t) { return (T)slot + t; } uint tap() { return open(1u); }"),
    ("", "uint open(uint a = 1) { return slot + a; } uint tap() { return open(); }"),
    ("", "uint open() { return slot; } uint tap() { return Item::open(); }"),
    ("", "void open(out uint o) { o = slot; } uint tap() { uint o; open(o); return o; }"),
    (
        "",
        "uint open() { return slot; } uint tap() { uint s = 0; for (uint i = 0; i < open(); i++) s += i * i; return s; }",
    ),
    ("", "uint open() { return slot; } uint add(uint x) { return open() + x; } uint tap() { return add(open()); }"),
    ("", "uint operator[](uint i) { return slot + i; } uint tap() { return this[2u]; }"),
    ("uint twice(uint i) { return i * 2; }", "uint open() { return slot; } uint tap() { return twice(open()); }"),
    (
        "struct In { uint deep; uint open() { return deep; } uint more() { return open(); } };",
        "In inner[2]; uint via() { return inner[1].more(); } uint tap() { return via(); }",
    ),
    ("", "static uint make(uint x) { return x + 1; } uint open() { return slot; } uint tap() { return make(open()); }"),
];

/// Declarations of `items` and the call of `tap`.
const OBJECTS: [(&str, &str); 16] = [
    ("StructuredBuffer<Item> items;", "items[0].tap()"),
    ("StructuredBuffer<Params> items;", "items[0].item.tap()"),
    ("StructuredBuffer<Params> items;", "items.Load(0).item.tap()"),
    ("RWStructuredBuffer<Params> items;", "items[0].item.tap()"),
    ("ConstantBuffer<Params> items;", "items.item.tap()"),
    ("cbuffer items { Params params; };", "params.item.tap()"),
    ("ByteAddressBuffer items;", "items.Load<Params>(0).item.tap()"),
    ("StructuredBuffer<Params> items[3];", "items[1][0].item.tap()"),
    ("StructuredBuffer<Params> items; static Params all = items[0];", "all.item.tap()"),
    ("StructuredBuffer<Params> items; uint run(Params p) { return p.item.tap(); }", "run(items[0])"),
    ("StructuredBuffer<Params> items; Params give() { return items[0]; }", "give().item.tap()"),
    ("StructuredBuffer<Params> items; uint run(StructuredBuffer<Params> b) { return b[0].item.tap(); }", "run(items)"),
    ("StructuredBuffer<Params> items; uint run() { Params l = items[0]; return l.item.tap(); }", "run()"),
    ("StructuredBuffer<Params> items; template<typename T> uint run(T t) { return t.item.tap(); }", "run(items[0])"),
    (
        "template<typename T> struct W { T t; uint get() { return t.tap(); } uint more() { return get(); } };
      StructuredBuffer<W<Item> > items;",
        "items[0].more()",
    ),
    (
        "struct Mid { Item it; uint go() { return it.tap(); } uint run() { return go(); } };
      struct Top { Mid m; uint go() { return m.run(); } }; StructuredBuffer<Top> items;",
        "items[0].go()",
    ),
];

/// DXC lists `items` in its class's first register and `after` behind it, for each pair.
#[test]
fn a_method_has_the_object_of_the_method_that_calls_it() {
    for (before, methods) in WAYS {
        for (declared, call) in OBJECTS {
            let source = format!(
                "{before} struct Item {{ uint slot; {methods} }}; struct Params {{ uint pad; Item item; }}; {declared}
                 RWBuffer<uint> o; Buffer<uint> after;
                 [numthreads(1, 1, 1)] void main() {{ o[0] = {call} + after[0]; }}"
            );
            let (items, o, after) = match declared.split(['<', ' ']).next() {
                Some("ConstantBuffer" | "cbuffer") => ("items b0", "o u0", "after t0"),
                Some("RWStructuredBuffer") => ("items u0", "o u1", "after t0"),
                _ if declared.contains("items[3]") => ("items t0[3]", "o u0", "after t3"),
                _ => ("items t0", "o u0", "after t1"),
            };
            let mut expected = vec![items, o, after];
            let mut found = super::d3d12(&source);
            expected.sort_unstable();
            found.sort();
            assert_eq!(found, expected, "{source}");
        }
    }
}

/// A struct in a constant has its methods, and `template` before a method says that `<` opens its arguments: as in headers
/// for descriptors in the heap.
#[test]
fn handles_in_constants_are_followed() {
    let source = "template<typename R> struct Handle { uint index; R Get() { R r = ResourceDescriptorHeap[index]; return r; } };
        template<typename R> struct Bytes : Handle<R> { using Handle<R>::Get;
            template<typename T> T Load(uint i) { return Get().template Load<T>(i); }
            template<typename T> T At(uint i) { return Load<T>(i * sizeof(T)); } };
        struct Item { float a; float4 b; };
        struct Parameters { float weight; Bytes<ByteAddressBuffer> handle; };
        StructuredBuffer<Parameters> all; static const Parameters parameters = all[0]; Buffer<float> after; RWBuffer<float> o;
        [numthreads(1, 1, 1)] void main() { o[0] = parameters.handle.At<Item>(0).a + after[0]; }";
    let bound = crate::bind(&super::read(source), &BindingRequest::new(Target::D3d12, Convention::Dxc)).unwrap();
    assert!(bound.uncertain.is_empty(), "{:?}", bound.uncertain);
    let rows: Vec<String> =
        bound.bindings.iter().map(|row| format!("{} {}{}", row.path, row.unit, row.index)).collect();
    assert_eq!(rows, ["all t0", "after t1", "o u0"]);
}

#[test]
fn a_method_of_a_local_variable_has_another_object_than_the_method_around_it() {
    let source = "struct L { uint v; uint get() { return v; } };
        struct Item { uint slot; uint tap() { L l; l.v = 3; return l.get(); } };
        StructuredBuffer<Item> items; RWBuffer<uint> o; Buffer<uint> after;
        [numthreads(1, 1, 1)] void main() { o[0] = items[0].tap() + after[0]; }";
    assert_eq!(super::d3d12(source), ["o u0", "after t0"]);
}
