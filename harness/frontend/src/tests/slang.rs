//! Constructs of Slang only. slangc 2026.14.1 accepts each text with `-target spirv -no-codegen`.

use super::{line, read_with, structure};
use crate::DeclareOptions;
use layoutproof_source::diagnostics::{Code, Severity};
use layoutproof_source::shader_language::ShaderLanguage;

/// Returns line, severity and code of every problem, and the names of the blocks if there is no error.
fn read(source: &str) -> (Vec<(u32, Severity, Code)>, Vec<String>) {
    let options = DeclareOptions { language: Some(ShaderLanguage::Slang), ..DeclareOptions::default() };
    let (sources, result) = read_with(source, &options);
    let (problems, blocks) = match result {
        Ok(module) => (module.warnings, module.blocks.into_iter().map(|block| block.name).collect()),
        Err(problems) => (problems, Vec::new()),
    };
    let told = problems.iter().map(|it| (sources.position(it.span()).line, it.severity, it.code));
    (told.collect(), blocks)
}

/// An unused type has no effect on any layout. A type that a parameter contains, on whatever path,
/// is refused if it is not supported.
#[test]
fn types_that_are_not_understood_are_errors_where_they_are_used() {
    let warning = |line| (line, Severity::Warning, Code::Unsupported);
    let error = |line| (line, Severity::Error, Code::Unsupported);
    for (source, problems) in [
        ("typedef DifferentialPair<float> D;\nStructuredBuffer<float> b;", vec![warning(1)]),
        ("typedef DifferentialPair<float> D;\nStructuredBuffer<D> b;", vec![error(1)]),
        ("struct S {\nCoopVec<float, 3> v; float a; }\nStructuredBuffer<float> b;", vec![warning(2)]),
        ("struct T { S s; }\nstruct S {\nCoopVec<float, 3> v; }\nStructuredBuffer<float> b;", vec![warning(3)]),
        ("struct T { S s; }\nstruct S {\nCoopVec<float, 3> v; }\nStructuredBuffer<S> b;", vec![error(3)]),
        ("struct T { S s; }\nstruct S {\nCoopVec<float, 3> v; }\ncbuffer C { T t; }", vec![error(3)]),
        ("struct S {\nCoopVec<float, 3> v; }\n[shader(\"compute\")] void main(uniform S s) {}", vec![error(2)]),
        ("type_param T;\nStructuredBuffer<float> b;", vec![(1, Severity::Warning, Code::Skipped)]),
        ("struct S { __packBranch(T, float, int) a; }\nStructuredBuffer<float> b;", vec![warning(1)]),
        ("in float a;\nout float4 b; float c;", vec![error(1), error(2)]),
        (
            "interface I {} StructuredBuffer<float> b;\n[numthreads(1, 1, 1)]\nvoid f<T : I>(uniform ParameterBlock<T> t) {}",
            vec![(3, Severity::Warning, Code::UncertainLayout)],
        ),
    ] {
        let is_refused = problems.iter().any(|(_, severity, _)| *severity == Severity::Error);
        let (found, blocks) = read(source);
        assert_eq!(found, problems, "{source}");
        assert_eq!(blocks.is_empty(), is_refused, "{source}");
    }
}

/// In HLSL, where registers depend on the use in code, such a type stays an error.
#[test]
fn unused_types_of_hlsl_must_be_understood() {
    let source = "typedef DifferentialPair<float> D; StructuredBuffer<float> b;";
    assert!(read_with(source, &DeclareOptions::default()).1.is_err());
}

#[test]
fn words_of_slang_alone() {
    let skipped = |line| (line, Severity::Warning, Code::Skipped);
    for (source, problems) in [
        ("interface IA {}\ninterface IB {}\nint f<T : IA & IB>(T v) { return 1; }", vec![]),
        ("dyn interface IA { int f(); }", vec![]),
        ("interface IA {}\nstruct S { IA *next; IA** last; float a; }", vec![]),
        ("interface IA {}\nexport __global __extern_cpp IA a;", vec![]),
        ("struct S {}\nextension S {}\nextension S {}\nextension S {}", vec![skipped(2)]),
        ("struct V { [[vk::location(0) vk::index(1)]] float4 a : A; }", vec![]),
        ("static const DescriptorHandle<Texture2D> h = (DescriptorHandle<Texture2D>)uint2(3u, 4u);", vec![]),
        ("__generic_value_param N : int = 3;", vec![skipped(1)]),
    ] {
        let (found, blocks) = read(&format!("{source}\nStructuredBuffer<float> b;"));
        assert_eq!((found, blocks), (problems, vec!["b".to_owned()]), "{source}");
    }
}

/// Returns the members of the block `name` with their types. `source` may have warnings, but no errors.
fn block(source: &str, name: &str) -> Vec<String> {
    let options = DeclareOptions { language: Some(ShaderLanguage::Slang), ..DeclareOptions::default() };
    let (sources, result) = read_with(source, &options);
    let module = result.unwrap_or_else(|problems| panic!("{}", layoutproof_render::render(&problems, &sources, false)));
    structure(&module, name).members.iter().map(line).collect()
}

#[test]
fn generic_aliases_stand_for_their_arguments() {
    let source = "typealias V<let N : int> = vector<float, N>;\n\
        typealias A<T, let N : int> = T[N];\n\
        typealias B<T> = A<T, 3>;\n\
        namespace Q { typealias R<T> = Ptr<T, Access.Read, AddressSpace.Device>; }\n\
        struct P { V<3> a; A<float2, 2> b; B<float> c; Q::R<V<2>> d; Q.R<float> e; }\n\
        ConstantBuffer<P> p;";
    assert_eq!(block(source, "p"), ["float3 a", "float2[2] b", "float[3] c", "float2* d", "float* e"]);
}

#[test]
fn a_generic_alias_needs_its_arguments() {
    let (problems, _) = read("typealias A<T> = T[2];\nStructuredBuffer<A> a;\nStructuredBuffer<A<float, 2>> b;");
    let error = |line| (line, Severity::Error, Code::GenericArguments);
    assert_eq!(problems, [error(2), error(3)]);
}

#[test]
fn a_pointer_with_a_layout_is_a_pointer() {
    let source = "struct Item { float2 a; float b; }\n\
        struct P { LayoutPtr<Item, Std430DataLayout> data; uint n; LayoutPtr<Item, ScalarDataLayout> q; }\n\
        ParameterBlock<P> p;";
    assert_eq!(block(source, "p"), ["Item* data", "uint n", "Item* q"]);
}

/// slangc 2026.14.1 takes `n.value`, `n.hasValue` and `t._1`, and refuses `n._0`.
#[test]
fn members_of_core_types_have_the_names_of_code() {
    let source = "typealias A = Atomic<int>;
        struct P { Optional<float3> n; Tuple<half, float2> t; Atomic<uint> a; A b[2]; Atomic<float>[3] c; }
        ConstantBuffer<P> p;";
    let all =
        ["Optional<float3> n", "Tuple<half, float2> t", "Atomic<uint> a", "Atomic<int>[2] b", "Atomic<float>[3] c"];
    assert_eq!(block(source, "p"), all);
    let (_, result) =
        read_with(source, &DeclareOptions { language: Some(ShaderLanguage::Slang), ..Default::default() });
    let module = result.unwrap();
    let names = |path: &str| {
        let way = module.blocks[0].way_to(path);
        way.iter().map(|(_, member)| member.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("n.value.x"), ["n", "value", "x"][..2]);
    assert_eq!(names("[1].n.hasValue"), ["n", "hasValue"]);
    assert_eq!(names("t._1"), ["t", "_1"]);
}

/// slangc 2026.14.1, E30600: `'x' is not accessible from the current context`; it takes the other two.
#[test]
fn private_members_are_hidden() {
    let source = "struct P { private float x; internal float3 y; float z; }\nConstantBuffer<P> p;";
    let (_, result) =
        read_with(source, &DeclareOptions { language: Some(ShaderLanguage::Slang), ..Default::default() });
    let module = result.unwrap();
    let hidden = |path: &str| module.blocks[0].way_to(path)[0].1.annotations.is_hidden;
    assert_eq!(["x", "y.x", "z"].map(hidden), [true, false, false]);
}

/// slangc reflects such a member without a binding, and the next one at the same offset.
#[test]
fn arrays_of_no_element_have_no_bytes() {
    let generic = "struct S<let N : int> { uint3 id; int[N] call; float z; }\nConstantBuffer<S<0>> c;";
    let plain = "struct S { uint3 id; int call[2][0]; float z; }\nConstantBuffer<S> c;";
    for source in [generic, plain] {
        assert_eq!(block(source, "c"), ["uint3 id", "float z"], "{source}");
        assert_eq!(read(source).0, [(1, Severity::Warning, Code::Skipped)], "{source}");
    }
    let used = |declaration: &str| read(declaration).0;
    let error = vec![(1, Severity::Error, Code::BadArrayLength)];
    assert_eq!(used("int a[0];"), error);
    assert_eq!(used("StructuredBuffer<int[0]> a;"), error);
    assert_eq!(used("struct S { Texture2D t[0]; }\nConstantBuffer<S> a;"), error);
    assert_eq!(used("int a[-1];"), error);
}

/// slangc knows two spellings for each of these two attributes. Other spellings differ by case, and it ignores them.
#[test]
fn second_spellings_of_attributes() {
    let stages = |source: &str| {
        let options = DeclareOptions { language: Some(ShaderLanguage::Slang), ..DeclareOptions::default() };
        let module = read_with(source, &options).1.unwrap();
        let names: Vec<String> = module.entry_points.into_iter().map(|entry| entry.name).collect();
        (names, module.warnings.into_iter().map(|warning| warning.code).collect::<Vec<_>>())
    };
    let known = (vec!["f".to_owned()], vec![]);
    assert_eq!(stages("[Shader(\"compute\")] [NumThreads(8, 1, 1)] void f() {}"), known);
    assert_eq!(stages("[NumThreads(8, 1, 1)] void f() {}"), known);
    assert_eq!(stages("[numThreads(8, 1, 1)] void f() {}"), (vec![], vec![]));
    let ignored = vec![Code::UnknownAttribute];
    assert_eq!(stages("[shader(\"compute\")] [NUMTHREADS(8, 1, 1)] void f() {}"), (vec!["f".to_owned()], ignored));
}

/// To slangc, `a::b` and `a_b` are one name, both for its own attributes and for those declared as structs.
#[test]
fn attributes_with_a_namespace() {
    let unknown = |line| (line, Severity::Warning, Code::UnknownAttribute);
    for (source, problems) in [
        ("[[vk_binding(3, 1)]] Texture2D a; [vk_image_format(\"r32f\")] RWTexture2D<float> c;", vec![]),
        (
            "[foo] Texture2D a;\n[foo::bar(1)] Texture2D c;\n[a::b::c] Texture2D d;",
            vec![unknown(1), unknown(2), unknown(3)],
        ),
        ("[[vk::unknown]] Texture2D a; [vk_unknown]\nTexture2D c;", vec![unknown(1), unknown(1)]),
        ("[[vk::Binding(3)]] Texture2D a;", vec![unknown(1)]),
        (
            "[__AttributeUsage(_AttributeTargets.Var)] struct p_q_RangeAttribute { float lo; string name; }\n\
             [p::q::Range(1, \"x\")] Texture2D a; [p_q::Range(1, \"x\")] Texture2D c;\n[p::range(1)] Texture2D d;",
            vec![unknown(3)],
        ),
        ("[__AttributeUsage(_AttributeTargets.Var)]\nstruct TagAttribute { string name; IFoo f; }", vec![]),
    ] {
        let (found, _) = read(&format!("{source}\nStructuredBuffer<float> b;"));
        assert_eq!(found, problems, "{source}");
    }
}

/// slangc warns of it (E38010) and binds a descriptor.
#[test]
fn a_push_constant_among_entry_parameters_is_warned_of() {
    let source = "[shader(\"compute\")] [numthreads(1, 1, 1)]\n\
        void f([[vk::push_constant]] ConstantBuffer<float4> c, [vk_push_constant] ConstantBuffer<float4> d) {}";
    assert_eq!(read(source).0, [(2, Severity::Warning, Code::Ignored), (2, Severity::Warning, Code::Ignored)]);
}

/// The size is that of the reflection, which follows `[anyValueSize(N)]`. Code may use another
/// size, so each interface gets one warning.
#[test]
fn values_of_interfaces_have_the_bytes_of_the_reflection() {
    let source = "interface IA {}\n[anyValueSize(24)] interface IB {}\nstruct S { float a; IA b; IB[2] c; IA d; }\n\
        ConstantBuffer<S> s;\nStructuredBuffer<S> t;\nuniform IA g; ParameterBlock<IB> p;";
    assert_eq!(block(source, "s"), ["float a", "IA b", "IB[2] c", "IA d"]);
    assert_eq!(block(source, "$Globals"), ["IA g"]);
    let uncertain = |line| (line, Severity::Warning, Code::UncertainLayout);
    assert_eq!(read(source).0, [uncertain(4), uncertain(4)]);
    let entry = "interface IA {}\n[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid f(uniform IA a, float3 b) {}";
    assert_eq!(read(entry).1, ["$Entry.f"]);
    assert!(read(entry).0.contains(&uncertain(3)));
}

/// slangc then puts every member at offset 0.
#[test]
fn a_specialization_constant_is_no_length() {
    for constant in ["[SpecializationConstant] const int N = 4;", "[vk::constant_id(7)] const int N = 4;"] {
        let source = format!("{constant}\nstruct S {{ float a[N]; float b; }}\nStructuredBuffer<S> s;");
        assert_eq!(read(&source).0, [(1, Severity::Error, Code::NotConstant)], "{source}");
    }
}

/// With `#version`, a global that is neither `uniform` nor a resource is a variable of each thread.
#[test]
fn a_version_turns_the_rules_of_globals_into_those_of_glsl() {
    let source = "#version 460\nstruct S { float3 m; };\nConstantBuffer<S> c; float x; uniform float4 y; Texture2D t;";
    assert_eq!(read(source), (vec![], vec!["c".to_owned(), "$Globals".to_owned()]));
    assert_eq!(block(source, "$Globals"), ["float4 y"]);
}

#[test]
fn glsl_in_a_slang_file_is_one_problem() {
    let refused = (vec![(1, Severity::Error, Code::Unsupported)], vec![]);
    for source in [
        "#version 450\nlayout(binding = 2) uniform U { vec3 a; float b; } u;\nvoid main() {}",
        "#version 450\nuniform sampler2D t;\nStructuredBuffer<float> b;",
        "#version 450\nuniform vec4 y;\nuniform mat3 m;",
    ] {
        assert_eq!(read(source), refused, "{source}");
    }
}

#[test]
fn constants_as_arguments() {
    let source = "enum class E : uint { A = 2, B }\nenum F { C = 4 }\nnamespace N { static const int K = 5; struct T { \
        static const int L = 6; }\n }\n\
        struct S<let N : int> { float a[N]; }\n\
        struct U { S<E::A> a; S<E.B> b; S<F.C> c; S<N::K> d; S<N.T.L + 1> e; S<int(E::A)> f; vector<float, E.B> g; \
        Array<float, N::K> h; }\n ConstantBuffer<U> u;";
    assert_eq!(
        block(source, "u"),
        ["S<2> a", "S<3> b", "S<4> c", "S<5> d", "S<7> e", "S<2> f", "float3 g", "float[5] h"]
    );
}
