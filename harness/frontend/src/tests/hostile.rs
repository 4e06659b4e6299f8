//! Machine-made and hostile input must be read or refused quickly, on a small stack.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{DeclareOptions, problems, read_with};
use layoutproof_source::diagnostics::{Code, Severity};

/// Far more than linear work needs unoptimised, far less than quadratic work needs for these sizes.
const PATIENCE: Duration = Duration::from_secs(20);

fn in_time(source: &str) -> Vec<Code> {
    let start = Instant::now();
    let codes = problems(source).into_iter().map(|(_, code)| code).collect();
    let head: String = source.chars().take(40).collect();
    assert!(start.elapsed() < PATIENCE, "{head}: {:?}", start.elapsed());
    codes
}

#[test]
fn a_megabyte_of_brackets() {
    for unit in ["(", "[", "{", ")", "}", "([{", "({})", "struct S{", "namespace N{", "A<", "a[", "f("] {
        let text = unit.repeat((1 << 20) / unit.len());
        assert!(!in_time(&text).is_empty(), "{unit}");
        in_time(&format!("static const int x = {text};"));
    }
    for unit in ["if(0)", "if(1)", "a[", "{", "int a=a;"] {
        in_time(&format!("void main(){{{}}}", unit.repeat((1 << 20) / unit.len())));
    }
}

#[test]
fn long_files() {
    use std::fmt::Write;

    assert!(!in_time(&"__LINE__ ".repeat(1 << 17)).is_empty());
    let mut chain = String::new();
    for n in 0..5000 {
        writeln!(chain, "#define A{n} A{}", n + 1).unwrap();
    }
    assert_eq!(in_time(&format!("{chain}A0")), [Code::UnexpectedToken]);
    let functions = "void f();".repeat(1 << 17);
    assert_eq!(in_time(&functions).first(), Some(&Code::TooLarge));
    assert_eq!(in_time(&format!("struct S {{ {functions} }};")).first(), Some(&Code::TooLarge));
}

/// Skipped text between two tokens once was one recursive call each, which overflowed the stack.
#[test]
fn a_megabyte_of_what_is_skipped() {
    for unit in ["//\n", "/**/ ", "\\\n", "\r\n"] {
        assert_eq!(in_time(&format!("{}float x;", unit.repeat((1 << 20) / unit.len()))), [], "{unit:?}");
    }
}

#[test]
fn long_lists() {
    let dimensions = format!("float a{};", "[1]".repeat(1 << 18));
    assert_eq!(in_time(&dimensions), [Code::TooDeep]);
    let sum = format!("float a[{}1];", "1+".repeat(1 << 19));
    assert_eq!(in_time(&sum), []);
    let stars = format!("float {}p;", "*".repeat(1 << 18));
    assert_eq!(in_time(&stars), [Code::TooDeep]);
    let nested = format!("float a[{}1{}];", "(".repeat(1 << 18), ")".repeat(1 << 18));
    assert_eq!(in_time(&nested), [Code::TooDeep]);
    let arguments = format!("{}float{} x;", "ConstantBuffer<".repeat(1 << 15), ">".repeat(1 << 15));
    assert_eq!(in_time(&arguments), [Code::TooDeep]);
}

#[test]
fn long_chains() {
    let chain = |unit: &dyn Fn(usize) -> String, count: usize| (0..count).map(unit).collect::<String>();
    let forward = chain(&|n| format!("struct S{}{{S{n} a;}};", n + 1), 5000);
    assert_eq!(in_time(&format!("struct S0{{float a;}};{forward}")).first(), Some(&Code::TooDeep));
    let backward = chain(&|n| format!("struct S{n}{{S{} a;}};", n + 1), 5000);
    assert!(in_time(&format!("{backward}struct S5000{{float a;}};")).contains(&Code::TooDeep));
    let aliases = chain(&|n| format!("typedef T{n} T{};", n + 1), 5000);
    assert_eq!(in_time(&format!("typedef float T0;{aliases}T5000 x;")), []);
    let constants = chain(&|n| format!("static const int N{}=N{n};", n + 1), 5000);
    assert_eq!(in_time(&format!("static const int N0=1;{constants}float x[N5000];")), []);
}

#[test]
fn what_doubles_or_never_ends() {
    let doubling =
        |base: &str, unit: &dyn Fn(usize) -> String| format!("{base}{}", (0..60).map(unit).collect::<String>());
    let twice = doubling("struct S0{};", &|n| format!("struct S{}{{S{n} a;S{n} b;}};", n + 1));
    assert!(in_time(&twice).iter().all(|code| *code == Code::TooLarge));
    let blocks = doubling("struct S0{StructuredBuffer<int> b;};", &|n| {
        format!("struct S{}{{ParameterBlock<S{n}> a,b;}};", n + 1)
    });
    assert!(in_time(&format!("{blocks}S30 x;")).contains(&Code::TooLarge));
    assert!(in_time("struct A<let N:int>{A<N+1> x;}; A<0> a;").contains(&Code::TooDeep));
    assert!(in_time("struct P<T,U>{T a;U b;}; struct A<T>{A<P<T,T> > x;}; A<float> a;").contains(&Code::TooLarge));
    assert_eq!(in_time("struct N{N* n; N** m[2];}; N* p;"), []);
}

/// A few kilobytes of source for which each rule set would list gigabytes.
#[test]
fn what_fills_the_memory_only_when_it_is_listed() {
    let many = |count: usize, unit: &dyn Fn(usize) -> String| (0..count).map(unit).collect::<String>();
    let doubling = |name: &str| {
        format!("struct S0{{float a;}};{}", many(14, &|n| format!("struct S{}{{S{n} {name};S{n} b;}};", n + 1)))
    };
    let short = doubling("a");
    assert_eq!(in_time(&format!("{short}StructuredBuffer<S14> one;")), []);
    let buffers = many(2000, &|n| format!("StructuredBuffer<S14> b{n};"));
    assert!(in_time(&format!("{short}{buffers}")).iter().all(|code| *code == Code::TooLarge));
    let globals = many(2000, &|n| format!("S14 g{n};"));
    assert_eq!(in_time(&format!("{short}{globals}")), [Code::TooLarge]);
    let parameters: Vec<String> = (0..200).map(|n| format!("uniform S14 p{n}")).collect();
    let entry = format!("[shader(\"compute\")]void main({}){{}}", parameters.join(","));
    assert_eq!(in_time(&format!("{short}{entry}")), [Code::TooLarge]);
    let long = doubling(&"n".repeat(4096));
    assert_eq!(in_time(&format!("{long}StructuredBuffer<S14> x;")).first(), Some(&Code::TooLarge));
    let long = short.replace("S0", &"S".repeat(4096));
    assert_eq!(in_time(&format!("{long}StructuredBuffer<S14> x;")).first(), Some(&Code::TooLarge));
}

#[test]
fn every_cut_of_a_source_is_read_or_refused() {
    let source = "static const int N = 2; [[vk::binding(1, 0)]] cbuffer S : register(b1, space2) { row_major float2x3 m[N] \
        : packoffset(c0.x); }; struct P<T, let K : int> : B { T t[K]; uint b : 3; float f() { return m[0][1]; } }; \
        typedef P<float, N> Q; ParameterBlock<Q> p; enum class E : uint { A = 1, B }; /* c */ float3 x = float3(1, 2, 3);";
    for end in 0..source.len() {
        problems(&source[..end]);
        problems(&source[end..]);
    }
}

/// Words and punctuation that occur in declarations.
const TOKENS: &str = r#"float float3x3 S T N struct cbuffer enum class namespace typedef using template typename static
    const register packoffset b0 c1 . x space1 let StructuredBuffer ParameterBlock Texture2D vector main void if false
    else [[ ]] vk :: offset { } ( ) [ ] < > ; , : = * + - ? 1 0 4294967296 2.5 "s" #line // row_major import interface
    operator layout"#;

fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(TOKENS.split_whitespace().collect::<Vec<_>>())
}

/// All problems lie in the text, and a refusal contains at least one error.
fn check(source: &str) -> Result<(), TestCaseError> {
    let (_, result) = read_with(source, &DeclareOptions::default());
    let (found, refused) = match result {
        Ok(module) => (module.warnings, false),
        Err(found) => (found, true),
    };
    prop_assert_eq!(found.iter().any(|problem| problem.severity == Severity::Error), refused);
    prop_assert!(found.iter().all(|problem| problem.span().end as usize <= source.len()));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_soup_of_tokens_is_read_or_refused(lines in prop::collection::vec(prop::collection::vec(token(), 0..12), 0..12)) {
        let lines: Vec<String> = lines.iter().map(|tokens| tokens.join(" ")).collect();
        check(&lines.join("\n"))?;
    }

    #[test]
    fn any_text_is_read_or_refused(source in ".{0,200}") {
        check(&source)?;
    }
}
