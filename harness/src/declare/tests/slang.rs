//! What Slang alone takes. Each text was given to slangc 2026.14.1 with `-target spirv -no-codegen`, which takes it.

use super::read_with;
use crate::declare::{DeclareOptions, DeclaredLanguage};
use crate::input::diagnostics::{Code, Severity};

/// Line, severity and code of every problem, and the names of the blocks where there is no error.
fn read(source: &str) -> (Vec<(u32, Severity, Code)>, Vec<String>) {
    let options = DeclareOptions { language: Some(DeclaredLanguage::Slang), ..DeclareOptions::default() };
    let (sources, result) = read_with(source, &options);
    let (problems, blocks) = match result {
        Ok(module) => (module.warnings, module.blocks.into_iter().map(|block| block.name).collect()),
        Err(problems) => (problems, Vec::new()),
    };
    let told = problems.iter().map(|it| (sources.position(it.span()).line, it.severity, it.code));
    (told.collect(), blocks)
}

/// A type that nothing uses has no part in any layout; one that a parameter has is refused where it is not understood,
/// by whichever way the parameter comes by it.
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
            vec![(1, Severity::Warning, Code::Skipped), (3, Severity::Warning, Code::Skipped)],
        ),
    ] {
        let is_refused = problems.iter().any(|(_, severity, _)| *severity == Severity::Error);
        let (found, blocks) = read(source);
        assert_eq!(found, problems, "{source}");
        assert_eq!(blocks.is_empty(), is_refused, "{source}");
    }
}

/// In HLSL, where registers depend on what code uses, such a type stays an error.
#[test]
fn unused_types_of_hlsl_must_be_understood() {
    let source = "typedef DifferentialPair<float> D; StructuredBuffer<float> b;";
    assert!(read_with(source, &DeclareOptions::default()).1.is_err());
}

#[test]
fn words_of_slang_alone() {
    let skipped = |line| (line, Severity::Warning, Code::Skipped);
    for (source, problems) in [
        ("interface IA {}\ninterface IB {}\nint f<T : IA & IB>(T v) { return 1; }", vec![skipped(1), skipped(2)]),
        ("dyn interface IA { int f(); }", vec![skipped(1)]),
        ("interface IA {}\nstruct S { IA *next; IA** last; float a; }", vec![skipped(1)]),
        ("interface IA {}\nexport __global __extern_cpp IA a;", vec![skipped(1)]),
        ("struct V { [[vk::location(0) vk::index(1)]] float4 a : A; }", vec![]),
        ("static const DescriptorHandle<Texture2D> h = (DescriptorHandle<Texture2D>)uint2(3u, 4u);", vec![]),
        ("__generic_value_param N : int = 3;", vec![skipped(1)]),
    ] {
        let (found, blocks) = read(&format!("{source}\nStructuredBuffer<float> b;"));
        assert_eq!((found, blocks), (problems, vec!["b".to_owned()]), "{source}");
    }
}
