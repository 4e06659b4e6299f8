//! Tests the text of probes. Runs with compilers check that these accept it.

use expect_test::expect;
use layoutproof_layout::{BlockKind, BlockLayout, LayoutOptions, Span, find, lay_out};

use super::{Dialect, HlslSource, OWN_REGISTERS, other_stage, probe};
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_probes::reserved::Reserved;
use layoutproof_probes::{
    AddressSpace, Direction, Form, ProbeEntry, ProbePlan, SelfLink, Stage, Wiring, elements, plan_by_name, self_link,
};
use layoutproof_source::sources::SourceMap;

/// Returns the entry point for the only block of `declarations`.
fn entry_point(declarations: &str, space: AddressSpace, direction: Direction) -> String {
    let forms = [Form::Leaf, Form::Vector, Form::Whole, Form::Indexed];
    entry_point_in(Dialect::Hlsl, &forms, declarations, space, direction)
}

fn entry_point_in(
    dialect: Dialect,
    forms: &[Form],
    declarations: &str,
    space: AddressSpace,
    direction: Direction,
) -> String {
    let text = whole_text(dialect, forms, declarations, space, direction);
    text.split_once("    layoutproof_output.Store(0u, layoutproof_input.Load(0u));\n").unwrap().1.to_owned()
}

fn whole_text(
    dialect: Dialect,
    forms: &[Form],
    declarations: &str,
    space: AddressSpace,
    direction: Direction,
) -> String {
    let layout = first_block(declarations);
    let plan = plan_by_name(&layout, &layout.leaves(), &[(space, Stage::Compute)].into());
    let mut plan = plan.only(&forms.iter().copied().collect());
    plan.entries.retain(|entry| entry.direction == direction);
    plan.entries.truncate(1);
    if forms == [Form::ByteAddress] {
        let name = "bytes".to_owned();
        plan.entries = vec![ProbeEntry { name, space, stage: Stage::Compute, direction, forms: forms.to_vec() }];
    }
    probe_text(dialect, declarations, &layout, plan)
}

/// The pointee of the declarations, or else the first block.
fn first_block(declarations: &str) -> BlockLayout {
    let mut sources = SourceMap::default();
    let file = sources.add("test.hlsl", declarations);
    let end = u32::try_from(declarations.len()).unwrap();
    let module = declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default()).unwrap();
    let pointee = module.blocks.iter().find(|block| block.kind == BlockKind::Pointee);
    lay_out(pointee.unwrap_or(&module.blocks[0]), find("scalar").unwrap(), LayoutOptions::default())
}

/// The probe with the first entry point of the plan.
fn probe_text(dialect: Dialect, declarations: &str, layout: &BlockLayout, mut plan: ProbePlan) -> String {
    plan.entries.truncate(1);
    let wiring = Wiring::new(layout, &plan, &plan.entries[0]);
    let reserved = &Reserved::default();
    let program = HlslSource { declarations, dialect, reserved, registers: OWN_REGISTERS, parameters: String::new() };
    probe(&program, layout, &plan, &wiring).unwrap()
}

#[test]
fn pointers_lead_to_their_pointee() {
    let leaves = |dialect, text| entry_point_in(dialect, &[Form::Leaf], text, AddressSpace::Address, Direction::Read);
    let text = "struct S { float2 v; }; void main(uniform S* p) {}";
    expect![[r"
            layoutproof_output.Store(4u, bit_cast<uint>((*p).v.x));
            layoutproof_output.Store(8u, bit_cast<uint>((*p).v.y));
        }
    "]]
    .assert_eq(&leaves(Dialect::Slang, text));
    let text = "struct S { float a; }; struct P { vk::BufferPointer<S> s; }; [[vk::push_constant]] P p;";
    expect![[r"
            layoutproof_output.Store(4u, asuint(p.s.Get().a));
        }
    "]]
    .assert_eq(&leaves(Dialect::Hlsl, text));
}

#[test]
fn slang_reaches_the_second_element_by_an_index() {
    let declarations = "struct S { float2 v; }; void main(uniform S* p) {}";
    let pointee = first_block(declarations);
    let array = elements(&pointee).unwrap();
    let plan = plan_by_name(&array, &array.leaves(), &[(AddressSpace::Address, Stage::Compute)].into());
    let plan = plan.only(&[Form::Leaf].into()).without(|leaf| leaf.path.starts_with("[0]").then(String::new));
    let text = probe_text(Dialect::Slang, declarations, &array, plan);
    assert!(text.contains("bit_cast<uint>(p[1].v.y)"), "{text}");
}

#[test]
fn a_list_is_followed_through_its_pointer() {
    let text = |dialect, declarations: &str| {
        let array = elements(&first_block(declarations)).unwrap();
        let plan = plan_by_name(&array, &array.leaves(), &[(AddressSpace::Address, Stage::Compute)].into());
        let plan = plan.only(&[Form::Linked].into()).without(|leaf| leaf.path.starts_with("[0]").then(String::new));
        probe_text(dialect, declarations, &array, plan)
    };
    let slang = text(Dialect::Slang, "struct N { N* next; uint id; }; void main(uniform N* p) {}");
    assert!(slang.contains("(uint)((*(*p).next).id)"), "{slang}");
    let hlsl = "struct N { vk::BufferPointer<N> next; uint id; }; struct P { vk::BufferPointer<N> first; };
        [[vk::push_constant]] P p;";
    let hlsl = text(Dialect::Hlsl, hlsl);
    assert!(hlsl.contains("(uint)(p.first.Get().next.Get().id)"), "{hlsl}");
}

#[test]
fn only_a_pointer_to_the_same_type_makes_a_list() {
    let link = |declarations: &str| self_link(&elements(&first_block(declarations)).unwrap());
    let list = "struct N { float3 a; N* next; }; void main(uniform N* p) {}";
    assert_eq!(link(list), Some(SelfLink { member: "next".to_owned(), offset: 16, target: 24 }));
    assert_eq!(link("struct M { float a; }; struct N { float3 a; M* other; }; void main(uniform N* p) {}"), None);
}

#[test]
fn elements_move_through_an_address_with_their_alignment() {
    let declarations = "struct S { float a; double b; }; StructuredBuffer<S> s;";
    let text = whole_text(Dialect::Hlsl, &[Form::ByteAddress], declarations, AddressSpace::Address, Direction::Read);
    let load = "S layoutproof_value = vk::RawBufferLoad<S >(layoutproof_address.value, 8);";
    assert!(text.contains(load), "{text}");
    assert!(text.contains("[[vk::push_constant]] layoutproof_Address layoutproof_address;"), "{text}");
}

#[test]
fn every_form_has_statements_of_its_own() {
    let text = entry_point("cbuffer S { float2 v; int a[2]; };", AddressSpace::Uniform, Direction::Read);
    expect![[r"
            uint layoutproof_index0 = layoutproof_input.Load(4u);
            uint layoutproof_index1 = layoutproof_input.Load(8u);
            layoutproof_output.Store(4u, asuint(v.x));
            layoutproof_output.Store(8u, asuint(v.y));
            layoutproof_output.Store(12u, (uint)(a[0]));
            layoutproof_output.Store(16u, (uint)(a[1]));
            { float2 layoutproof_value = v;
            layoutproof_output.Store(20u, asuint(layoutproof_value.x));
            layoutproof_output.Store(24u, asuint(layoutproof_value.y));
            }
            layoutproof_output.Store(28u, (uint)(a[0]));
            layoutproof_output.Store(32u, (uint)(a[1]));
            layoutproof_whole0(v);
            layoutproof_output.Store(44u, (uint)(a[0]));
            layoutproof_output.Store(48u, (uint)(a[1]));
            layoutproof_output.Store(52u, (uint)(a[layoutproof_index0]));
            layoutproof_output.Store(56u, (uint)(a[layoutproof_index1]));
        }
    "]]
    .assert_eq(&text);
}

#[test]
fn elements_of_structured_buffers_are_passed_whole() {
    let declarations = "struct P { float a; bool b; }; StructuredBuffer<P> S;";
    let text = entry_point(declarations, AddressSpace::Storage, Direction::Read);
    assert!(text.contains("layoutproof_whole0(S[0]);"), "{text}");
    let text = whole_text(Dialect::Hlsl, &[Form::Whole], declarations, AddressSpace::Storage, Direction::Read);
    let function = "template <typename T> void layoutproof_whole0(T layoutproof_value)
{
    layoutproof_output.Store(4u, asuint(layoutproof_value.a));
    layoutproof_output.Store(8u, (bool)layoutproof_value.b ? 1u : 0u);
}
";
    assert!(text.contains(function), "{text}");
}

#[test]
fn elements_are_loaded_from_and_stored_to_byte_address_buffers() {
    let declarations = "struct P { float a; row_major float1x2 m; }; StructuredBuffer<P> S;";
    let text =
        |direction| whole_text(Dialect::Hlsl, &[Form::ByteAddress], declarations, AddressSpace::Storage, direction);
    let loaded = "    { P layoutproof_value = layoutproof_bytes.Load<P >(0);
    layoutproof_output.Store(4u, asuint(layoutproof_value.a));
    layoutproof_output.Store(8u, asuint(layoutproof_value.m[0][0]));
    layoutproof_output.Store(12u, asuint(layoutproof_value.m[0][1]));
    }
";
    let stored = "    { P layoutproof_value;
    layoutproof_value.a = asfloat(layoutproof_input.Load(4u));
    layoutproof_value.m[0][0] = asfloat(layoutproof_input.Load(8u));
    layoutproof_value.m[0][1] = asfloat(layoutproof_input.Load(12u));
    layoutproof_bytes.Store<P >(0, layoutproof_value);
    }
";
    for (direction, buffer, statements) in [
        (Direction::Read, "ByteAddressBuffer layoutproof_bytes : register(t0, space1001);", loaded),
        (Direction::Write, "RWByteAddressBuffer layoutproof_bytes : register(u0, space1001);", stored),
    ] {
        let text = text(direction);
        assert!(text.contains(&format!("[[vk::binding(992, 0)]] {buffer}")), "{text}");
        assert!(text.contains(statements), "{text}");
    }
}

#[test]
fn an_element_that_is_a_vector_is_read_at_once() {
    let text = entry_point("StructuredBuffer<float3> S;", AddressSpace::Storage, Direction::Read);
    assert!(text.contains("{ float3 layoutproof_value = S[0];"), "{text}");
    assert!(text.contains("asuint(layoutproof_value.z)"), "{text}");
}

#[test]
fn a_matrix_is_read_row_by_row() {
    let text = entry_point("cbuffer S { float2x3 m; };", AddressSpace::Uniform, Direction::Read);
    assert!(text.contains("{ float3 layoutproof_value = m[1];"), "{text}");
    assert!(text.contains("m[layoutproof_index1][layoutproof_index2]"), "{text}");
}

/// The second cell and the last one reveal order and strides, so the probe reads these two in the
/// buffer itself.
#[test]
fn slang_gets_most_cells_of_a_matrix_from_a_copy() {
    let declarations = "cbuffer S { float2x2 m[2]; };";
    let text = entry_point_in(Dialect::Slang, &[Form::Indexed], declarations, AddressSpace::Uniform, Direction::Read);
    expect![[r"
            uint layoutproof_index0 = layoutproof_input.Load(4u);
            uint layoutproof_index1 = layoutproof_input.Load(8u);
            { var layoutproof_value = m[layoutproof_index0];
            layoutproof_output.Store(4u, bit_cast<uint>(layoutproof_value[layoutproof_index0][layoutproof_index0]));
            layoutproof_output.Store(12u, bit_cast<uint>(layoutproof_value[layoutproof_index1][layoutproof_index0]));
            }
            layoutproof_output.Store(8u, bit_cast<uint>(m[layoutproof_index0][layoutproof_index0][layoutproof_index1]));
            layoutproof_output.Store(16u, bit_cast<uint>(m[layoutproof_index0][layoutproof_index1][layoutproof_index1]));
            { var layoutproof_value = m[layoutproof_index1];
            layoutproof_output.Store(20u, bit_cast<uint>(layoutproof_value[layoutproof_index0][layoutproof_index0]));
            layoutproof_output.Store(28u, bit_cast<uint>(layoutproof_value[layoutproof_index1][layoutproof_index0]));
            }
            layoutproof_output.Store(24u, bit_cast<uint>(m[layoutproof_index1][layoutproof_index0][layoutproof_index1]));
            layoutproof_output.Store(32u, bit_cast<uint>(m[layoutproof_index1][layoutproof_index1][layoutproof_index1]));
        }
    "]]
    .assert_eq(&text);
}

#[test]
fn a_write_takes_each_leaf_from_the_input() {
    let declarations = "struct P { float a; double d; bool b; uint c; }; RWStructuredBuffer<P> S;";
    let text = entry_point(declarations, AddressSpace::Storage, Direction::Write);
    expect![[r"
            S[0].a = asfloat(layoutproof_input.Load(4u));
            S[0].d = asdouble(layoutproof_input.Load(8u), layoutproof_input.Load(12u));
            S[0].b = layoutproof_input.Load(16u) != 0;
            S[0].c = (uint)layoutproof_input.Load(20u);
        }
    "]]
    .assert_eq(&text);
}

/// Slang 2026.14.1 needs 36 ms for a probe of 50 values with `asuint` and signed offsets, and 27 ms
/// without.
#[test]
fn slang_gets_no_overloaded_function_for_floats() {
    let declarations = "struct P { float a; }; RWStructuredBuffer<P> S;";
    let text =
        |direction| entry_point_in(Dialect::Slang, &[Form::Leaf], declarations, AddressSpace::Storage, direction);
    let reading = text(Direction::Read);
    assert!(reading.contains("layoutproof_output.Store(4u, bit_cast<uint>(S[0].a));"), "{reading}");
    let writing = text(Direction::Write);
    assert!(writing.contains("S[0].a = bit_cast<float>(layoutproof_input.Load(4u));"), "{writing}");
}

/// FXC 10.0.22621.2428 rejects `S[0].m[0][1]` (X3512) and accepts `S[0].m[0].y`. For constant
/// buffers it accepts both.
#[test]
fn fxc_gets_the_cells_of_a_structured_buffer_by_component() {
    let forms = [Form::Leaf, Form::Vector, Form::Indexed];
    let declarations = "struct P { float2x2 m; float v[2]; }; StructuredBuffer<P> S;";
    let text = entry_point_in(Dialect::OldHlsl, &forms, declarations, AddressSpace::Storage, Direction::Read);
    for expected in
        ["asuint(S[0].m[1].x)", "{ float2 layoutproof_value = S[0].m[1];", ".m[layoutproof_index1].y", "S[0].v[1]"]
    {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let declarations = "struct P { float2x2 m; }; RWStructuredBuffer<P> S;";
    let text = entry_point_in(Dialect::OldHlsl, &[Form::Leaf], declarations, AddressSpace::Storage, Direction::Write);
    assert!(text.contains("S[0].m[0].y = asfloat("), "{text}");
    let declarations = "cbuffer S { float2x2 m; };";
    let text = entry_point_in(Dialect::OldHlsl, &forms, declarations, AddressSpace::Uniform, Direction::Read);
    assert!(text.contains("asuint(m[1][0])"), "{text}");
}

/// Clang 22.1.8 does not support `Store` of `RWByteAddressBuffer`.
#[test]
fn clang_gets_buffers_of_words() {
    let declarations = "cbuffer S { double d; int a[2]; };";
    let forms = [Form::Leaf, Form::Indexed];
    let text = whole_text(Dialect::Clang, &forms, declarations, AddressSpace::Uniform, Direction::Read);
    let (_, buffers) = text.split_once('\n').unwrap();
    expect![[r#"
        RWStructuredBuffer<uint> layoutproof_output : register(u0, space1000);
        StructuredBuffer<uint> layoutproof_input : register(t1, space1000);
        [shader("compute")]
        [numthreads(1, 1, 1)]
        void read_uniform()
        {
            layoutproof_output[0] = layoutproof_input[0];
            uint layoutproof_index0 = layoutproof_input[1];
            uint layoutproof_index1 = layoutproof_input[2];
            { uint layoutproof_low, layoutproof_high; asuint(d, layoutproof_low, layoutproof_high); layoutproof_output[1] = layoutproof_low; layoutproof_output[2] = layoutproof_high; }
            layoutproof_output[3] = (uint)(a[0]);
            layoutproof_output[4] = (uint)(a[1]);
            layoutproof_output[5] = (uint)(a[layoutproof_index0]);
            layoutproof_output[6] = (uint)(a[layoutproof_index1]);
        }
    "#]]
    .assert_eq(buffers);
}

/// Returns the lines of an entry point that reads a number in a stage, and those of the other stage
/// of the draw.
fn drawn(stage: Stage, other: Stage) -> String {
    let declarations = "cbuffer S { uint a; };";
    let mut sources = SourceMap::default();
    let file = sources.add("test.hlsl", declarations);
    let end = u32::try_from(declarations.len()).unwrap();
    let module = declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default()).unwrap();
    let layout = lay_out(&module.blocks[0], find("scalar").unwrap(), LayoutOptions::default());
    let plan = plan_by_name(&layout, &layout.leaves(), &[(AddressSpace::Uniform, stage)].into());
    let wiring = Wiring::new(&layout, &plan, &plan.entries[0]);
    let reserved = Reserved::default();
    let dialect = Dialect::Hlsl;
    let program =
        HlslSource { declarations, dialect, reserved: &reserved, registers: OWN_REGISTERS, parameters: String::new() };
    let text = probe(&program, &layout, &plan, &wiring).unwrap();
    let (_, entry) = text.split_once("[shader(").unwrap();
    format!("[shader({entry}{}", other_stage(other))
}

#[test]
fn stages_of_a_draw_have_a_point_to_draw() {
    expect![[r#"
        [shader("vertex")]
        float4 read_uniform_vertex() : SV_Position
        {
            layoutproof_output.Store(0u, layoutproof_input.Load(0u));
            layoutproof_output.Store(4u, (uint)(a));
            return float4(0, 0, 0, 1);
        }
        [shader("pixel")]
        void layoutproof_other_stage()
        {
        }
    "#]]
    .assert_eq(&drawn(Stage::Vertex, Stage::Fragment));
    expect![[r#"
        [shader("pixel")]
        void read_uniform_fragment()
        {
            layoutproof_output.Store(0u, layoutproof_input.Load(0u));
            layoutproof_output.Store(4u, (uint)(a));
        }
        [shader("vertex")]
        float4 layoutproof_other_stage() : SV_Position
        {
            return float4(0, 0, 0, 1);
        }
    "#]]
    .assert_eq(&drawn(Stage::Fragment, Stage::Vertex));
}
