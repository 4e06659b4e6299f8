//! Checks the limits, and that real texts stay far below them.

use super::*;

/// Returns the code, place and message of the problem.
fn found(text: &str, language: ShaderLanguage) -> Option<(Code, usize, String)> {
    let problem = check_text(text, FileId(0), language).err()?;
    Some((problem.code, problem.span().start as usize, problem.message))
}

/// The result of [`found`] for a refused text.
#[expect(clippy::unnecessary_wraps, reason = "it is compared with an optional result")]
fn refusal(code: Code, start: usize, message: &str) -> Option<(Code, usize, String)> {
    Some((code, start, message.to_owned()))
}

#[track_caller]
fn takes(text: &str) {
    for language in [ShaderLanguage::Wgsl, ShaderLanguage::Glsl] {
        assert_eq!(found(text, language), None, "{language:?}");
    }
}

#[test]
fn brackets_nest_to_the_limit() {
    let nested = |levels: usize| format!("const int n = {}1{};", "(".repeat(levels), ")".repeat(levels));
    takes(&nested(DEEPEST));
    for language in [ShaderLanguage::Wgsl, ShaderLanguage::Glsl] {
        let message = "brackets nest more than 256 levels deep";
        assert_eq!(found(&nested(DEEPEST + 1), language), refusal(Code::TooDeep, 14 + DEEPEST, message));
    }
    // An unmatched closing bracket is not this module's concern.
    takes(&")".repeat(5));
}

#[test]
fn comments_hold_no_brackets() {
    takes(&format!("// {0}\n/* {0} */", "(".repeat(1000)));
    // In WGSL the first `*/` ends only the inner comment.
    let nested = format!("/* /* */ {} */", "(".repeat(1000));
    assert_eq!(found(&nested, ShaderLanguage::Wgsl), None);
    assert!(found(&nested, ShaderLanguage::Glsl).is_some());
    takes("/* never closed");
}

#[test]
fn chains_are_counted_up_to_a_separator() {
    let sum = |terms: usize| vec!["1"; terms].join("+");
    takes(&format!("x = {};", sum(8000)));
    takes(&format!("x = {0}; y = {0};", sum(8000)));
    takes(&format!("f({0}, {0})", sum(8000)));
    let message = "an expression of more than 8192 operators";
    assert_eq!(found(&sum(10_000), ShaderLanguage::Wgsl), refusal(Code::LimitExceeded, 2 * 8192 + 1, message));
    assert_eq!(
        found(&format!("u{}", ".a".repeat(9000)), ShaderLanguage::Glsl),
        refusal(Code::LimitExceeded, 1 + 2 * 8192, message)
    );
    assert_eq!(
        found(&format!("a{}", "[0]".repeat(9000)), ShaderLanguage::Glsl),
        refusal(Code::LimitExceeded, 1 + 3 * 8192, message)
    );
}

#[test]
fn else_ifs_are_counted_for_each_if() {
    let chain = |links: usize| format!("if a {{}} {}", "else if a {} ".repeat(links));
    takes(&format!("fn f() {{ {0} {0} if a {{ {0} }} }}", chain(MOST_ELSE_IFS)));
    let problem = found(&chain(MOST_ELSE_IFS + 1), ShaderLanguage::Wgsl).unwrap();
    assert_eq!((problem.0, problem.2.as_str()), (Code::LimitExceeded, "an `if` with more than 1000 `else if`"));
}

#[test]
fn statements_nest_without_braces() {
    takes(&"for (int i = 0; i < 3; i++) x++; if (a) b; ".repeat(1000));
    for nested in ["if (true) ", "for (;;) ", "while (true) ", "if (a) b; else "] {
        let text = format!("void main() {{ {} ; }}", nested.repeat(300));
        let problem = found(&text, ShaderLanguage::Glsl);
        // A statement that ends in a semicolon does not nest.
        assert_eq!(problem.is_none(), nested.contains("b;"), "{nested}: {problem:?}");
    }
}

#[test]
fn template_arguments_nest_to_the_limit() {
    takes(&format!("var<private> a: {}f32{};", "array<".repeat(1000), ", 1>".repeat(1000)));
    let deep = format!("alias A = {}", "array<".repeat(1001));
    let place = 10 + 6 * 1000 + 5;
    assert_eq!(
        found(&deep, ShaderLanguage::Wgsl),
        refusal(Code::TooDeep, place, "template arguments nest more than 1000 levels deep")
    );
}

#[test]
fn dimensions_multiply() {
    let message = "an array of more than 268435456 elements";
    takes("float a[1 << 28];");
    takes("float a[0x10000000u]; float b[16384][16384]; float c[N][2][M];");
    // Each index is a separate one.
    takes("x = a[100000] + b[100000] + c[100000];");
    assert_eq!(found("float l[1<<30][2];", ShaderLanguage::Glsl), refusal(Code::LimitExceeded, 7, message));
    assert_eq!(found("float l[16384][16385];", ShaderLanguage::Glsl), refusal(Code::LimitExceeded, 14, message));
    assert_eq!(found("float l[1 << 99];", ShaderLanguage::Glsl), refusal(Code::LimitExceeded, 7, message));
    assert_eq!(found("float l[0x7FFFFFFF];", ShaderLanguage::Glsl), refusal(Code::LimitExceeded, 7, message));
    assert_eq!(found("float l[02000000001];", ShaderLanguage::Glsl), refusal(Code::LimitExceeded, 7, message));
}

/// `#define`s that each double the one before, and a use of the last.
fn doubling(levels: usize) -> String {
    let defines = (1..=levels).map(|level| format!("#define A{level} A{0}+A{0}\n", level - 1));
    format!("#define A0 1\n{}const int n = A{levels};", defines.collect::<String>())
}

#[test]
fn macros_are_counted_and_not_expanded() {
    let message = "after macro expansion this has more than 1048576 tokens";
    // 2^20 - 1 tokens including the 4 before them.
    takes(&doubling(18));
    let text = doubling(20);
    let place = text.rfind("A20").unwrap();
    assert_eq!(found(&text, ShaderLanguage::Glsl), refusal(Code::LimitExceeded, place, message));
    // The order of the definitions makes no difference.
    let lines: Vec<&str> = text.lines().collect();
    let (last, defines) = lines.split_last().unwrap();
    let reversed = defines.iter().rev().copied().chain([*last]).collect::<Vec<_>>().join("\n");
    assert!(found(&reversed, ShaderLanguage::Glsl).is_some());
    // WGSL has no macros.
    assert!(found("const n = A30;", ShaderLanguage::Wgsl).is_none());
}

#[test]
fn arguments_are_repeated() {
    let nested =
        |levels: usize| format!("#define D(x) x+x\nconst int n = {}1{};", "D(".repeat(levels), ")".repeat(levels));
    takes(&nested(15));
    assert_eq!(found(&nested(20), ShaderLanguage::Glsl).map(|found| found.0), Some(Code::LimitExceeded));
    let through = "#define D(x) x+x\n#define E(x) D(D(D(D(x))))\n#define F(x) E(E(E(x)))\nint n = F(F(1));";
    assert_eq!(found(through, ShaderLanguage::Glsl).map(|found| found.0), Some(Code::LimitExceeded));
    // Parentheses after an object-like macro repeat nothing.
    takes("#define V vec4\nV((((((1)))))) V(2)");
}

#[test]
fn macros_that_use_themselves_or_each_other_end() {
    takes("#define A A+A\nA A A");
    takes("#define A B+B\n#define B A+A\nA B");
    let chain = (1..=300).fold(String::new(), |text, level| text + &format!("#define A{level} A{}\n", level - 1));
    let problem = found(&(chain + "A300"), ShaderLanguage::Glsl).unwrap();
    assert_eq!((problem.0, problem.2.as_str()), (Code::TooDeep, "macros nest more than 256 levels deep"));
    // Continued lines, and definitions without a body or a parameter list.
    takes("#define A \\\n (1 + \\\r\n 2)\n#define\n#define B\n#undef A\nA B");
}

#[test]
fn directives_have_few_quotes() {
    takes("#extension GL_GOOGLE_include_directive : require\n#include \"a.h\"\n#error it isn't so");
    let text = format!("void f();\n  #pragma {}", "\"".repeat(MOST_QUOTES + 1));
    let message = "this directive has more than 64 quotes";
    assert_eq!(found(&text, ShaderLanguage::Glsl), refusal(Code::LimitExceeded, 20 + MOST_QUOTES, message));
}

#[test]
fn long_texts_are_refused_at_once() {
    let problem = found(&" ".repeat(MOST_BYTES + 1), ShaderLanguage::Glsl).unwrap();
    assert_eq!(
        (problem.0, problem.2.as_str()),
        (Code::LimitExceeded, "the text has 16777217 bytes, more than 16777216")
    );
    let problem = found(&"a ".repeat(1 << 21), ShaderLanguage::Wgsl).unwrap();
    assert_eq!((problem.0, problem.1), (Code::LimitExceeded, 1 << 21));
}
