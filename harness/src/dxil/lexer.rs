//! Tokens of LLVM assembly: one line of a function's body in, tokens out. Comments are left out.

use logos::Logos;

/// A token.
#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip r"[ \t\r]+")]
pub(super) enum Token<'a> {
    /// `%12`, `%dx.types.Handle`, `%"class.T"`: without the `%` and the quotes.
    #[regex(r"%[-a-zA-Z$._0-9]+", |lexer| &lexer.slice()[1..])]
    #[regex(r#"%"[^"]*""#, |lexer| lexer.slice()[1..].trim_matches('"'))]
    Local(&'a str),
    /// `@dx.op.rawBufferLoad.i32`, without the `@`.
    #[regex(r"@[-a-zA-Z$._0-9]+", |lexer| &lexer.slice()[1..])]
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
    /// `!dx.controlflow.hints`, `#0`: metadata and attributes, which change nothing here.
    #[regex(r"[!#][-a-zA-Z$._0-9]*")]
    Metadata,
    /// `(` and its kin.
    #[regex(r"[(){}\[\],=*:<>]", |lexer| lexer.slice().chars().next())]
    Punctuation(char),
}

/// The tokens of a line.
///
/// # Errors
/// The first piece of text that is no token.
pub(super) fn tokens(line: &str) -> Result<Vec<Token<'_>>, String> {
    let code = line.split_once(';').map_or(line, |(code, _)| code);
    let mut lexer = Token::lexer(code);
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next() {
        tokens.push(token.map_err(|()| format!("`{}` is no LLVM assembly", lexer.slice()))?);
    }
    Ok(tokens)
}
