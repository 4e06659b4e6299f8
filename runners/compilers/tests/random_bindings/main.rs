//! Random programs, placed by a convention and by the compiler that it describes: both must agree.
//!
//! There is one trial for each compiler and target. All use the same `LAYOUTPROOF_PROGRAMS`
//! programs (default: 100), made from `LAYOUTPROOF_SEED` (default: 0). A trial whose compiler is
//! missing is ignored, with the reason. One more has a program that slangc accepts without a place
//! for a parameter.

use std::process::ExitCode;

use layoutproof_bindings::Target;
use layoutproof_compilers::binding_answers::{BindingAgreement, BindingCompiler, BindingDisagreement};
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::tools_folder::ToolsFolder;
use layoutproof_layout::shape::Count;
use layoutproof_random::{
    ParameterAnnotation, ProgramDialect, RandomParameter, RandomParameterKind, RandomProgram, nth_program,
};
use libtest_mimic::{Arguments, Failed, Trial};
use proptest::strategy::ValueTree;

/// The comparison of both sides for each program.
type Answers = Vec<Result<BindingAgreement, BindingDisagreement>>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let tools = ToolsFolder::find().ok();
    let found = |name: &str| Compiler::named(name, tools.as_ref()).compiler.ok();
    let mut trials = Vec::new();
    for (name, dialect, targets) in [
        ("dxc", ProgramDialect::Dxc, &[Target::D3d12, Target::Vulkan][..]),
        ("slangc", ProgramDialect::Slang, &[Target::D3d12, Target::Vulkan, Target::Webgpu]),
        ("dxc-1.9", ProgramDialect::Dxc, &[Target::D3d12]),
    ] {
        for target in targets.iter().copied() {
            let compiler = found(name).map(|compiler| BindingCompiler::new(compiler, dialect));
            trials.push(trial(name, &target.to_string(), compiler, move |compiler| {
                let programs = made(dialect);
                let answers = programs.iter().map(|program| compiler.compare(target, program)).collect();
                judge(&programs, answers, compiler.compiler())
            }));
        }
    }
    let slangc = found("slangc").map(|compiler| BindingCompiler::new(compiler, ProgramDialect::Slang));
    trials.push(trial("slangc", "no_slot_left", slangc, |slangc| {
        // `result` of every program is u0, `sampled` t0: t1 is free, and then nothing is.
        let program = textures(&[Some(Count::Unbounded), None, None]);
        match slangc.compare(Target::D3d12, &program) {
            Ok(BindingAgreement::Refused) => Ok(()),
            other => Err(format!("not refused by both, but {other:?}").into()),
        }
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The trial of this compiler.
fn trial(
    name: &str,
    what: &str,
    compiler: Option<BindingCompiler>,
    compare: impl FnOnce(BindingCompiler) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let title = format!("{name}::{what}");
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

/// A program with these arrays of textures, or single ones, the first of them at `t2`.
fn textures(arrays: &[Option<Count>]) -> RandomProgram {
    let parameter = |(at, array): (usize, &Option<Count>)| RandomParameter {
        kind: RandomParameterKind::Texture,
        array: *array,
        annotation: match at {
            0 => ParameterAnnotation::Register { index: 2, space: None },
            _ => ParameterAnnotation::Implicit,
        },
    };
    RandomProgram {
        structs: Vec::new(),
        parameters: arrays.iter().enumerate().map(parameter).collect(),
        uses: Vec::new(),
        forms: Vec::new(),
        is_hull: false,
    }
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
