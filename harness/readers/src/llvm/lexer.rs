//! Splits a line of LLVM assembly into tokens, without comments.

use logos::Logos;

#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip r"[ \t\r]+")]
#[logos(skip(r";[^\n]*", allow_greedy = true))]
pub(crate) enum LlvmToken<'a> {
    /// `%12`, `%dx.types.Handle`, `%"class.T"`: without the `%` and the quotes.
    #[regex(r"%[-a-zA-Z$._0-9]+", |lexer| &lexer.slice()[1..])]
    #[regex(r#"%"[^"]*""#, |lexer| lexer.slice()[1..].trim_matches('"'))]
    Local(&'a str),
    /// `@dx.op.rawBufferLoad.i32`, `@"$Globals.cb"`: without the `@` and the quotes.
    #[regex(r"@[-a-zA-Z$._0-9]+", |lexer| &lexer.slice()[1..])]
    #[regex(r#"@"[^"]*""#, |lexer| lexer.slice()[1..].trim_matches('"'))]
    Global(&'a str),
    /// `-3`.
    #[regex(r"-?[0-9]+")]
    Integer(&'a str),
    /// `1.000000e+00`, `0x3FF0000000000000`, `0xH3C00`.
    #[regex(r"-?[0-9]+\.[0-9]+(e[-+]?[0-9]+)?")]
    #[regex(r"0x[HKLM]?[0-9A-Fa-f]+")]
    Float(&'a str),
    /// `call`, `i32`, `undef`.
    #[regex(r"[a-zA-Z_][a-zA-Z0-9_.]*")]
    Word(&'a str),
    /// `"dx.Padding"`, `c"B\00"`: without the quotes; escapes are not decoded.
    #[regex(r#"c?"[^"]*""#, |lexer| lexer.slice().trim_start_matches('c').trim_matches('"'))]
    Text(&'a str),
    /// `!hlsl.cbs`, `!0`, `!`, `#0`: metadata and attributes, including the first character.
    #[regex(r"[!#][-a-zA-Z$._0-9]*")]
    Metadata(&'a str),
    /// `(` and similar characters.
    #[regex(r"[(){}\[\],=*:<>|]", |lexer| lexer.slice().chars().next())]
    Punctuation(char),
}

/// Splits a line into tokens.
///
/// # Errors
/// The first text that is not a token.
pub(crate) fn tokens(line: &str) -> Result<Vec<LlvmToken<'_>>, String> {
    let mut lexer = LlvmToken::lexer(line);
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next() {
        tokens.push(token.map_err(|()| format!("`{}` is not LLVM assembly", lexer.slice()))?);
    }
    Ok(tokens)
}
