//! Random programs, placed by a convention and by the compiler that it describes: both must agree.
//!
//! There is one trial for each compiler and target. All use the same `LAYOUTPROOF_PROGRAMS`
//! programs (default: 100), made from `LAYOUTPROOF_SEED` (default: 0). A trial whose compiler is
//! missing is ignored, with the reason.

use std::process::ExitCode;

use layoutproof_bindings::Target;
use layoutproof_compilers::binding_answers::{
    BindingAgreement, BindingCompiler, BindingDisagreement, compare_on_windows,
};
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::tools_folder::ToolsFolder;
use layoutproof_random::{ProgramDialect, RandomProgram, nth_program};
use libtest_mimic::{Arguments, Failed, Trial};
use proptest::strategy::ValueTree;

/// The comparison of both sides for each program.
type Answers = Vec<Result<BindingAgreement, BindingDisagreement>>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let tools = ToolsFolder::find().ok();
    let found = |name: &str| Compiler::named(name, tools.as_ref()).compiler.ok();
    let mut trials = Vec::new();
    for (name, targets) in
        [("dxc", &[Target::D3d12, Target::Vulkan][..]), ("slangc", &[Target::D3d12, Target::Vulkan, Target::Webgpu])]
    {
        for target in targets.iter().copied() {
            let compiler = found(name).and_then(BindingCompiler::of);
            trials.push(trial(name, target, compiler, move |compiler| {
                let programs = made(compiler.dialect());
                let answers = programs.iter().map(|program| compiler.compare(target, program)).collect();
                judge(&programs, answers, compiler.compiler())
            }));
        }
    }
    trials.push(trial("dxc-1.9", Target::D3d12, found("dxc-1.9"), |compiler| {
        let programs = made(ProgramDialect::Dxc);
        judge(&programs, compare_on_windows(&compiler, &programs)?, &compiler)
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The trial of this compiler.
fn trial<C: Send + 'static>(
    name: &str,
    target: Target,
    compiler: Option<C>,
    compare: impl FnOnce(C) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let title = format!("{name}::{target}");
    let reason = format!("{name} is not there");
    match compiler {
        Some(compiler) => Trial::test(title, move || compare(compiler)),
        // If ignored trials are run, this one fails for the same reason.
        None => Trial::test(title, {
            let reason = reason.clone();
            move || Err(reason.into())
        })
        .with_ignored_flag(true)
        .with_kind(reason),
    }
}

fn judge(programs: &[RandomProgram], answers: Answers, compiler: &Compiler) -> Result<(), Failed> {
    let (mut placed, mut differences) = (0, Vec::new());
    for (program, agreed) in programs.iter().zip(answers) {
        match agreed {
            Ok(BindingAgreement::Placed) => placed += 1,
            Ok(BindingAgreement::Refused) => {}
            Err(BindingDisagreement::Differs(told) | BindingDisagreement::Broken(told)) => {
                differences.push(format!("{told}\n{}", program.text()));
            }
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
}

/// Random programs of a dialect.
fn made(dialect: ProgramDialect) -> Vec<RandomProgram> {
    let seed = number("LAYOUTPROOF_SEED", 0);
    (0..number("LAYOUTPROOF_PROGRAMS", 100)).map(|number| nth_program(dialect, seed, number).current()).collect()
}

fn number(variable: &str, default: u64) -> u64 {
    let Ok(text) = std::env::var(variable) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}"))
}
