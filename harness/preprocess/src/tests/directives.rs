//! Conditions, line numbers, messages, pragmas.

use super::{gives, options, refused, said, tokens, tokens_of};
use crate::DeclareOptions;
use layoutproof_source::diagnostics::Code;
use layoutproof_source::shader_language::ShaderLanguage;

#[test]
fn conditions_choose_lines() {
    gives("#if 1\na\n#else\nb\n#endif\nc", "a c");
    gives("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif", "b");
    gives("#ifdef A\na\n#elifndef A\nb\n#endif", "b");
    gives("#ifndef A\n#define A 2\n#endif\n#if defined(A) && A == 2 && !defined B\na\n#endif", "a");
    gives("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#endif", "c");
    gives("#define F(x) ((x) * 2)\n#if F(2) == 4\na\n#endif", "a");
    gives("#define HAS defined(A)\n#define A\n#if HAS\na\n#endif", "a");
    gives("  #  if 1 // why\na\n  #  endif", "a");
}

/// Skipped lines may contain invalid tokens and invalid directives.
#[test]
fn lines_that_are_left_out_are_not_read() {
    gives(
        "#if 0\ndon't \"open @ \u{20ac}\n#unknown\n#include \"missing.h\"\n#error no\n#if ((\n#endif\n#endif\na",
        "a",
    );
    gives("#if 1\na\n#elif ((\nb\n#endif", "a");
}

#[test]
fn wrong_conditions() {
    for source in ["#else", "#endif", "#elif 1", "#if 1\n#else\n#else\n#endif", "#if\n#endif", "#if 1 +\n#endif"] {
        refused(source);
    }
    refused("#if FUNCTION(1)\n#endif");
    refused("#if defined\n#endif");
    refused("#ifdef 1\n#endif");
    refused("#if \"a\"\n#endif");
    assert_eq!(tokens("#if 1\na"), Err(vec![Code::Unterminated]));
}

#[test]
fn lines_and_files_are_counted() {
    gives("__LINE__\n__LINE__ /*\n*/ __LINE__ __FILE__", r#"1 2 3 "a/main.hlsl""#);
    gives("#line 100 \"other.hlsl\"\n__LINE__ __FILE__\n__LINE__", r#"100 "other.hlsl" 101"#);
    gives("#define L 7\n#line L\n__LINE__ __FILE__", r#"7 "a/main.hlsl""#);
    gives("#define L __LINE__\n\nL", "3");
    refused("#line x");
}

/// An `#error` names the macros that its condition misses, and no others.
#[test]
fn errors_name_the_macros_that_are_missing() {
    for (text, names) in [
        ("#ifndef A\n#error no\n#endif", &["A"][..]),
        ("#if !defined(A) || !defined B || !defined(C)\n#error no\n#endif", &["A", "B"]),
        ("#ifdef A\n#else\n#error no\n#endif", &["A"]),
        ("#if C == 1\n#elif defined(B)\n#else\n#error no\n#endif", &["B"]),
        // Conditions inside do not count, also skipped ones.
        ("#ifdef A\n#ifdef B\n#endif\n#else\n#error no\n#endif", &["A"]),
        ("#ifndef A\n#ifdef B\n#endif\n#error no\n#endif", &["A"]),
        // Guards, conditions that ended, and macros that are there.
        ("#ifndef GUARD\n#define GUARD\n#error no\n#endif", &[]),
        ("#ifdef A\n#endif\n#error no", &[]),
        ("#ifdef C\n#error no\n#endif", &[]),
        ("#if C > 1\n#error no\n#endif", &[]),
        ("#error no", &[]),
    ] {
        let options = DeclareOptions { defines: vec![("C".into(), "2".into())], ..DeclareOptions::default() };
        let named: Vec<String> = names.iter().map(|name| format!(" -D {name}=VALUE")).collect();
        let help = format!(" (give the values that your program defines:{})", named.concat());
        let found = said(text, &options);
        assert_eq!(found.len(), 1, "{text}");
        assert!(found[0].ends_with(if names.is_empty() { "no" } else { &help }), "{text}: {found:?}");
    }
}

/// The time follows from the length of the text: comparing each name with all others takes 5 billion steps here.
#[test]
fn long_conditions_end() {
    let names: Vec<String> = (0..100_000).map(|index| format!("defined A{index}")).collect();
    let errors = "#error no\n".repeat(10_000);
    let found = said(&format!("#if {}\n#else\n{errors}#endif", names.join("||")), &DeclareOptions::default());
    assert!(found[0].contains(" -D A99999=VALUE"));
    assert_eq!(found[1], "a/main.hlsl:4:1 #error: no");
}

#[test]
fn messages() {
    let options = DeclareOptions::default();
    assert_eq!(said("#error give -D N\nbroken", &options), ["a/main.hlsl:1:1 #error: give -D N"]);
    assert_eq!(said("#warning old\nfloat a;", &options), ["a/main.hlsl:1:1 #warning: old"]);
    assert_eq!(
        said("#frobnicate\nfloat a;", &options),
        ["a/main.hlsl:1:1 unknown preprocessor directive `#frobnicate`"]
    );
}

/// slangc 2026.14.1 takes all of these in a Slang file, and no other directive that it does not know. DXC 1.7.2308 refuses them.
#[test]
fn slangc_ignores_extensions_of_glsl() {
    for directive in
        ["#extension GL_EXT_ray_tracing : enable", "#extension", "# extension GL_EXT_scalar_block_layout:require"]
    {
        let source = format!("{directive}\nfloat a;");
        assert_eq!(tokens_of("a.slang", &source, &DeclareOptions::default()), Ok("float a ;".into()));
        assert!(tokens_of("a.hlsl", &source, &DeclareOptions::default()).is_err(), "{directive}");
    }
    assert!(tokens_of("a.slang", "#ident \"x\"\nfloat a;", &DeclareOptions::default()).is_err());
}

#[test]
fn pragmas() {
    gives(
        "#pragma once\n#pragma warning(disable : 3568)\n#pragma pack_matrix( row_major ) // why\nfloat a;",
        "float a ;",
    );
    refused("#pragma pack_matrix(sideways)");
    refused("#pragma pack_matrix row_major");
    let warnings = said("#pragma kernel Main\nfloat a;", &DeclareOptions::default());
    assert_eq!(warnings, ["a/main.hlsl:1:1 this directive is ignored"]);
}

#[test]
fn what_only_the_command_line_can_say_is_asked_for() {
    let source = "#if __SHADER_TARGET_STAGE == __SHADER_STAGE_COMPUTE\nfloat a;\n#endif";
    let unsaid = said(source, &DeclareOptions::default());
    let asked = "a/main.hlsl:1:5 `__SHADER_TARGET_STAGE` depends on how the file is compiled \
        (set the shader profile, or define the macro: -D __SHADER_TARGET_STAGE=...)";
    assert_eq!(unsaid, [asked]);
    let mut options = options(&[], &[]);
    options.defines = vec![("__SHADER_TARGET_STAGE".into(), "5".into())];
    assert_eq!(tokens_of("a.hlsl", source, &options), Ok("float a ;".into()));
}

/// The values that DXC 1.7.2308 gives its macros (`dxc -P`).
#[test]
fn the_profile_says_stage_and_shader_model() {
    let source = "__SHADER_TARGET_STAGE __SHADER_TARGET_MAJOR __SHADER_TARGET_MINOR";
    for (profile, values) in [
        ("ps_6_0", "0 6 0"),
        ("vs_6_2", "1 6 2"),
        ("cs_6_6", "5 6 6"),
        ("sm_6_6", "5 6 6"),
        ("lib_6_3", "6 6 3"),
        ("lib_6_x", "6 6 15"),
        ("ms_6_5", "13 6 5"),
        ("as_6_5", "14 6 5"),
    ] {
        let mut options = options(&[], &[]);
        options.profile = Some(profile.into());
        assert_eq!(tokens_of("a.hlsl", source, &options), Ok(values.into()), "{profile}");
    }
}

#[test]
fn the_language_may_be_said_whatever_the_suffix_is() {
    let mut options = options(&[], &[]);
    assert_eq!(tokens_of("a.fx", "__HLSL_VERSION", &options), Ok("2021".into()));
    options.language = Some(ShaderLanguage::Slang);
    assert_eq!(tokens_of("a.fx", "__HLSL_VERSION", &options), Ok("2018".into()));
    assert_eq!(tokens_of("a.fx", "#lang slang 2026\n#language slang\nfloat a;", &options), Ok("float a ;".into()));
    options.language = Some(ShaderLanguage::Hlsl);
    assert_eq!(tokens_of("a", "__SHADER_TARGET_MINOR", &options), Ok("6".into()));
    assert!(tokens_of("a.hlsl", "#lang slang 2026", &options).is_err());
}

#[test]
fn definitions_of_the_command_line_are_definitions() {
    let mut options = options(&[], &[]);
    options.defines =
        vec![("N".into(), "2".into()), ("F(x)".into(), "x x".into()), ("__HLSL_VERSION".into(), "1".into())];
    assert_eq!(tokens_of("a.hlsl", "F(N) __HLSL_VERSION", &options), Ok("2 2 1".into()));
    options.defines = vec![("N".into(), "#include \"x\"\n#error".into())];
    assert_eq!(tokens_of("a.hlsl", "N", &options), Ok("# include \"x\" # error".into()));
}

#[test]
fn a_second_meaning_is_a_warning() {
    let source = "#define N 1\n#define N 1\n#define N 2\nfloat a[N];";
    assert_eq!(said(source, &DeclareOptions::default()), ["a/main.hlsl:3:9 `N` is redefined with a different meaning"]);
}
