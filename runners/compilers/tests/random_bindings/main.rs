//! Random programs, placed by a convention and by the compiler that the convention speaks for: both must agree.
//!
//! One trial for each compiler and target, each over the same `LAYOUTPROOF_PROGRAMS` programs (100 without the
//! variable), made from `LAYOUTPROOF_SEED` (0). A trial whose compiler is not there is ignored, with the reason.

mod compared;
mod dxc;
mod slang;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use layoutproof_compilers::compiler::{Compiler, CompilerAnswer};
use layoutproof_compilers::library_service::LibraryService;
use layoutproof_compilers::slang_library::slang_service;
use layoutproof_compilers::tools_folder::ToolsFolder;
use layoutproof_core::bindings::Target;
use layoutproof_core::random::{ProgramDialect, RandomProgram, programs};
use libtest_mimic::{Arguments, Trial};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// How two sides agree on a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Agreed {
    /// On where every parameter is.
    Placed,
    /// That the program is to be refused.
    Refused,
}

/// Compares one program; `Err` says in what the sides differ.
type Compare = fn(&Asked, Target, &RandomProgram) -> Result<Agreed, String>;

/// A compiler that is asked about one program after the other.
struct Asked {
    compiler: Arc<Compiler>,
    /// Answers for slangc without starting it each time.
    service: Option<LibraryService>,
}

impl Asked {
    fn new(compiler: Arc<Compiler>) -> Self {
        Self { service: slang_service(&compiler), compiler }
    }

    /// Does what the compiler does with these arguments in `folder`.
    fn ask(&self, folder: &Path, arguments: &[&str]) -> CompilerAnswer {
        match &self.service {
            Some(service) => self.compiler.answer(service.run(folder, arguments, self.compiler.limit())),
            None => self.compiler.ask(folder, arguments),
        }
    }
}

/// One comparison of layoutproof with a compiler.
struct Comparison {
    name: &'static str,
    compiler: Option<Arc<Compiler>>,
    target: Target,
    dialect: ProgramDialect,
    ask: Ask,
}

/// How a compiler is asked.
#[derive(Clone, Copy)]
enum Ask {
    /// Each program alone.
    EachAlone(Compare),
    /// One process for all, under Wine.
    Together,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let tools = ToolsFolder::find().ok();
    let dxc = Compiler::named("dxc", tools.as_ref()).compiler.ok().map(Arc::new);
    let slangc = Compiler::named("slangc", tools.as_ref()).compiler.ok().map(Arc::new);
    let mut trials = Vec::new();
    for target in [Target::D3d12, Target::Vulkan] {
        let (compiler, ask) = (dxc.clone(), Ask::EachAlone(dxc::compare));
        trials.push(trial(Comparison { name: "dxc", compiler, target, dialect: ProgramDialect::Dxc, ask }));
    }
    let compiler = Compiler::named("dxc-1.9", tools.as_ref()).compiler.ok().map(Arc::new);
    let (target, ask) = (Target::D3d12, Ask::Together);
    trials.push(trial(Comparison { name: "dxc-1.9", compiler, target, dialect: ProgramDialect::Dxc, ask }));
    for target in [Target::D3d12, Target::Vulkan, Target::Webgpu] {
        let (compiler, ask) = (slangc.clone(), Ask::EachAlone(slang::compare));
        trials.push(trial(Comparison { name: "slangc", compiler, target, dialect: ProgramDialect::Slang, ask }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(comparison: Comparison) -> Trial {
    let Comparison { name, compiler, target, dialect, ask } = comparison;
    let title = format!("{name}::{target}");
    let Some(compiler) = compiler else {
        let reason = format!("{name} is not there");
        // If ignored trials are run, too, this one fails for the same reason.
        let trial = Trial::test(title, {
            let reason = reason.clone();
            move || Err(reason.into())
        });
        return trial.with_ignored_flag(true).with_kind(reason);
    };

    Trial::test(title, move || {
        let programs = made(dialect);
        let agreed = match ask {
            Ask::EachAlone(compare) => {
                let asked = Asked::new(Arc::clone(&compiler));
                programs.iter().map(|program| compare(&asked, target, program)).collect()
            }
            Ask::Together => dxc::compare_on_windows(&compiler, &programs)?,
        };

        let (mut placed, mut differences) = (0, Vec::new());
        for (program, agreed) in programs.iter().zip::<Vec<_>>(agreed) {
            match agreed {
                Ok(Agreed::Placed) => placed += 1,
                Ok(Agreed::Refused) => {}
                Err(told) => differences.push(format!("{told}\n{}", program.text())),
            }
        }

        if let Some(first) = differences.first() {
            let count = differences.len();
            return Err(format!("{count} programs differ from {}; the first:\n{first}", compiler.version()).into());
        }
        // Two sides that refuse everything would agree as well.
        if placed * 2 < programs.len() {
            return Err(format!("only {placed} of {} programs were placed", programs.len()).into());
        }
        Ok(())
    })
}

/// The programs of a dialect.
fn made(dialect: ProgramDialect) -> Vec<RandomProgram> {
    let seed: u64 = number("LAYOUTPROOF_SEED", 0);
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = programs(dialect);
    let program = |_| strategy.new_tree(&mut runner).expect("no filter can run dry").current();
    (0..number("LAYOUTPROOF_PROGRAMS", 100)).map(program).collect()
}

fn number(variable: &str, default: u64) -> u64 {
    let Ok(text) = std::env::var(variable) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}"))
}
