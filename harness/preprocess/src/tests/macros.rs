//! Macros, with the examples of ISO C11, 6.10.3.5.

use super::{gives, options, refused, tokens_of};
use layoutproof_source::diagnostics::Code;

use crate::DeclareOptions;

#[test]
fn objects() {
    gives("#define N 2 + 2\nfloat a[N];", "float a [ 2 + 2 ] ;");
    gives("#define A B 1\n#define B C\n#define C 2\nA", "2 1");
    gives("#define A B\n#define B A\nA B", "A B");
    gives("#define X\nX y", "y");
    gives("#define A 1\n#undef A\nA", "A");
    gives("#define A (x)\nA", "( x )");
    gives("#define A a # b\nA", "a # b");
}

/// ISO C11, 6.10.3.5, example 3.
#[test]
fn the_third_example_of_the_standard() {
    let definitions = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
        #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n\
        #define r(x,y) x ## y\n#define str(x) # x\n";
    gives(
        &format!("{definitions}f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);"),
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ;",
    );
    gives(
        &format!("{definitions}g(x+(3,4)-w) | h 5) & m\n(f)^m(m);"),
        "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;",
    );
    gives(
        &format!("{definitions}p() i[q()] = {{ q(1), r(2,3), r(4,), r(,5), r(,) }};"),
        "int i [ ] = { 1 , 23 , 4 , 5 , } ;",
    );
    gives(
        &format!("{definitions}char c[2][6] = {{ str(hello), str() }};"),
        r#"char c [ 2 ] [ 6 ] = { "hello" , "" } ;"#,
    );
}

/// ISO C11, 6.10.3.5, examples 4 to 7.
#[test]
fn more_examples_of_the_standard() {
    let definitions = "#define str(s) # s\n#define xstr(s) str(s)\n#define glue(a, b) a ## b\n\
        #define xglue(a, b) glue(a, b)\n#define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\n\
        #define INCFILE(n) vers ## n\n";
    gives(&format!("{definitions}xstr(INCFILE(2).h)"), r#""vers2.h""#);
    gives(&format!("{definitions}glue(HIGH, LOW); xglue(HIGH, LOW)"), r#""hello" ; "hello" ", world""#);
    gives(&format!("{definitions}str(strncmp(\"abc\\0d\", \"abc\") == 0)"), r#""strncmp(\"abc\\0d\", \"abc\") == 0""#);
    gives(
        "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n\
        #define join(c, d) in_between(c hash_hash d)\njoin(x, y);",
        r#""x ## y" ;"#,
    );
    let t = "#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,),\nt(10,,), t(,11,), t(,,12), t(,,) };";
    gives(t, "int j [ ] = { 123 , 45 , 67 , 89 , 10 , 11 , 12 , } ;");
    let showlist = "#define showlist(...) puts(#__VA_ARGS__)\n#define report(test, ...) ((test)?puts(#test): printf(__VA_ARGS__))\n";
    gives(&format!("{showlist}showlist(The first, second);"), r#"puts ( "The first, second" ) ;"#);
    gives(
        &format!("{showlist}report(x>y, \"x\", x, y);"),
        r#"( ( x > y ) ? puts ( "x>y" ) : printf ( "x" , x , y ) ) ;"#,
    );
}

/// Results of `gcc -E` 12.2 and DXC 1.7.2308.
#[test]
fn gnu_extensions() {
    let definition = "#define G(x, ...) f(x, ##__VA_ARGS__)\n";
    gives(&format!("{definition}G(1) G(1,) G(1, 2, 3)"), "f ( 1 ) f ( 1 , ) f ( 1 , 2 , 3 )");
    gives("#define N(x, rest...) f(x, rest)\nN(1, 2, 3)", "f ( 1 , 2 , 3 )");
    gives("#define F(x, ...) x ## __VA_ARGS__\nF(a, b, c) F(a)", "ab , c a");
    gives("__COUNTER__ __COUNTER__", "0 1");
}

#[test]
fn pasting_makes_what_shaders_need() {
    gives("#define TEXTURE(d) Texture##d\nTEXTURE(2D) TEXTURE(Cube)", "Texture2D TextureCube");
    gives("#define SLOT(n) register(b##n)\n#define X(n) SLOT(n)\n#define FOUR 4\nX(FOUR)", "register ( b4 )");
    gives("#define M(t,r,c) t##r##x##c\nM(float,3,4)", "float3x4");
    refused("#define P(a, b) a ## b\nP(x, +)");
}

#[test]
fn uses_reach_over_lines_and_directives() {
    gives("#define F(a, b) a b\nF(1,\n#ifdef X\n2\n#else\n3\n#endif\n)", "1 3");
    gives("#define F(a) a\nF\n(1) F", "1 F");
    gives("#define F() 1\nF() F( ) F", "1 1 F");
    gives("#define SHIFT 1 >> 2\nSHIFT", "1 > > 2");
}

#[test]
fn wrong_uses() {
    refused("#define F(a, b) a b\nF(1)");
    refused("#define F(a) a\nF(1, 2)");
    refused("#define F() 1\nF(2)");
    refused("#define F(a) a\nF(1");
    refused("#define F(a, a) a");
    refused("#define F(a b) a");
    refused("#define F(a");
    refused("#define F(a) #b");
    refused("#define A ## b");
    refused("#define A b ##");
    refused("#define 1 2");
    refused("#define defined 2");
    refused("#define");
}

/// The macros of DXC 1.7.2308 and of slangc 2026.14.1.
#[test]
fn compilers_are_told_apart() {
    let source = "#ifdef __SLANG__\nslang\n#endif\n#ifdef __hlsl_dx_compiler\ndxc\n#endif\n__HLSL_VERSION";
    let options = options(&[], &[]);
    assert_eq!(tokens_of("a.slang", source, &options), Ok("slang 2018".into()));
    assert_eq!(tokens_of("a.hlsl", source, &options), Ok("dxc 2021".into()));
    assert_eq!(tokens_of("cases/a.toml", source, &options), Ok("__HLSL_VERSION".into()));
}

/// DXC 1.7.2308: `-T cs_6_6 -spirv` defines `__spirv__` as 1, `-T cs_6_6` does not.
#[test]
fn spirv_is_a_macro_of_the_target() {
    for asks in ["#ifdef __spirv__\nyes\n#endif", "#if __spirv__\nyes\n#endif", "#if defined(__spirv__)\nyes\n#endif"] {
        let of = |spirv| tokens_of("a.hlsl", asks, &DeclareOptions { spirv, ..options(&[], &[]) });
        assert_eq!(of(Some(true)), Ok("yes".into()), "{asks}");
        assert_eq!(of(Some(false)), Ok(String::new()), "{asks}");
        // A reading for several targets is warned of once.
        assert_eq!(of(None), Err(vec![Code::UncertainLayout]), "{asks}");
        let twice = tokens_of("a.hlsl", &format!("{asks}\n{asks}"), &options(&[], &[]));
        assert_eq!(twice, Err(vec![Code::UncertainLayout]), "{asks}");
        assert_eq!(tokens_of("a.slang", asks, &options(&[], &[])), Ok(String::new()), "{asks}");
        let defines = vec![("__spirv__".to_owned(), "1".to_owned())];
        let defined = DeclareOptions { defines, ..options(&[], &[]) };
        assert_eq!(tokens_of("a.hlsl", asks, &defined), Ok("yes".into()), "{asks}");
    }
}
