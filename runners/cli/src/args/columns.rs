//! Completes the options that select columns: those that `--args` gives, and the compilers among the
//! words of `--compiler`.
//!
//! The program calls it once for each command line, before a command reads its arguments.

use std::mem;
use std::path::Path;

use anyhow::Context;
use layoutproof_inputs::compile_args::CompileArguments;
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::layout_selection::LayoutSelection;
use layoutproof_inputs::named_compiler::{NamedCompiler, named_compiler};
use layoutproof_layout::native::natives;

use super::PlacementArgs;
use crate::command_line::Command;
use crate::compilers::find_version;
use crate::output::warn;
use crate::shader_settings::apply;

impl Command {
    /// Applies `--args` and `--compiler`. `check` combines `--args` with `layoutproof.toml` itself.
    pub(crate) fn complete_columns(&mut self) -> anyhow::Result<()> {
        match self {
            Self::Show(args) => {
                args.placement.compilers.clone_from(&args.compiler);
                complete(&mut args.declare, Some(&mut args.placement))
            }
            Self::Run(args) => {
                // Other producers lay out no HLSL, or have no column.
                let named = args.producer.iter().filter_map(|word| named_compiler(word).ok());
                args.placement.compilers = named.filter(lays_out).collect();
                complete(&mut args.declare, Some(&mut args.placement))
            }
            Self::Diff(args) => complete(&mut args.declare, None),
            _ => Ok(()),
        }
    }
}

/// True if the compiler lays out declarations of HLSL or Slang.
fn lays_out(named: &NamedCompiler) -> bool {
    natives().iter().any(|native| native.column.compiler == Some(named.compiler))
}

fn complete(declare: &mut DeclareArgs, mut placement: Option<&mut PlacementArgs>) -> anyhow::Result<()> {
    for compiler in placement.iter_mut().flat_map(|placement| &mut placement.compilers) {
        find_version(compiler)?;
    }
    let Some(text) = &declare.args else { return Ok(()) };
    let arguments = CompileArguments::read(text).context("--args")?;
    for sentence in &arguments.not_followed {
        warn(&format!("warning: --args: {sentence}\n"));
    }
    apply(&arguments, declare, Path::new(""));
    if let Some(placement) = placement {
        placement.complete(&arguments);
    }
    Ok(())
}

impl PlacementArgs {
    /// Adds what a compiler's arguments say, where the other options do not say it.
    fn complete(&mut self, arguments: &CompileArguments) {
        self.profile = self.profile.take().or_else(|| arguments.profile.clone());
        self.option.extend(arguments.binding_options.iter().cloned());
        let column = arguments.column();
        if self.target.is_empty() {
            self.target.extend(column.map(|column| column.choice()));
            if self.compilers.is_empty() {
                let compiler = column.and_then(|column| column.compiler);
                self.compilers.extend(compiler.map(NamedCompiler::any));
            }
        } else {
            let (targets, compilers) = (mem::take(&mut self.target), mem::take(&mut self.compilers));
            let mut selection = LayoutSelection { targets, compilers, ..LayoutSelection::default() };
            selection.complete(arguments);
            LayoutSelection { targets: self.target, compilers: self.compilers, .. } = selection;
        }
    }
}
