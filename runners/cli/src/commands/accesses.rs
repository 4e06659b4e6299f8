//! `layoutproof accesses`: follows every load, store and atomic operation of shaders to the bytes and the member that it
//! touches, and names what is wrong. Needs no GPU.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Args, ValueEnum};
use layoutproof_events::summary::Exit;
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::named_compiler::{NamedCompiler, named_compiler};
use layoutproof_inputs::project_file::ProjectFile;
use layoutproof_inputs::refused_input::{FirstProblem, RefusedInput, advice_on, first_problem};
use layoutproof_inputs::shader_file::ShaderFile;
use layoutproof_inputs::shader_file::accesses::compilers_for_code;
use layoutproof_readers::spirv::accesses::ModuleAccesses;
use layoutproof_render::render;
use layoutproof_report::accesses::{FollowedFile, FollowedFiles, annotations, json, junit, sarif_log, text};
use layoutproof_report::host_check::UnreadInput;
use layoutproof_report::source_root::SourceRoot;
use layoutproof_show::Style;
use layoutproof_show::front_ends::FrontEnd;
use layoutproof_source::diagnostics::Code;
use layoutproof_source::shader_language::{ShaderLanguage, alternatives};
use layoutproof_source::sources::SourceMap;

use crate::output::{print, print_json, print_refusal, warn, warn_rendered};
use crate::shader_settings::ShaderSettings;

/// Output formats of `layoutproof accesses`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AccessFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// Annotations for GitHub Actions, at the lines of the accesses.
    Github,
    /// `JUnit` XML.
    Junit,
    /// SARIF, for code scanning and editors.
    Sarif,
}

/// `layoutproof accesses`.
#[derive(Debug, Args)]
pub struct AccessesArgs {
    /// Shaders.
    #[arg(required = true, value_name = "FILE", long_help = format!(
        "Shaders.\n\nTexts, SPIR-V modules and containers of DXIL: {}. A text is compiled first: GLSL by glslang, WGSL by \
         naga, HLSL by DXC for Vulkan or slangc, Slang by slangc.",
        FrontEnd::suffixes().join(", "),
    ))]
    pub files: Vec<PathBuf>,
    /// The compiler of a text or its build: `slangc` for HLSL, `dxc=PATH`, `glslang=PATH`.
    #[arg(long, value_parser = named_compiler, value_delimiter = ',', value_name = "NAME[=PATH]")]
    pub compiler: Vec<NamedCompiler>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = AccessFormat::Text)]
    pub format: AccessFormat,
    /// List all accesses.
    #[arg(short, long)]
    pub verbose: bool,
    /// How shaders are read.
    #[command(flatten)]
    pub declare: DeclareArgs,
}

/// Follows the accesses of all files. The exit code is 2 if a file could not be read, otherwise 1 for a fault, otherwise
/// 4 if no access was followed.
///
/// # Errors
/// An option is wrong, or no file can be read.
pub(crate) fn accesses(args: &AccessesArgs, style: Style) -> anyhow::Result<Exit> {
    follow(args, style).inspect_err(|error| {
        if args.format == AccessFormat::Json {
            let source = args.files.first().map(|path| path.display().to_string()).unwrap_or_default();
            print_refusal(&source, Code::Unreadable, error);
        }
    })
}

fn follow(args: &AccessesArgs, style: Style) -> anyhow::Result<Exit> {
    let settings = ShaderSettings::named(args.declare.args.as_deref(), &args.declare, &ProjectFile::default())?;
    let declare = DeclareArgs { compilers: args.compiler.clone(), ..settings.declare };
    check_compilers(args, &declare)?;
    let mut followed = FollowedFiles::default();
    for path in &args.files {
        let Some(shader) = ShaderFile::of(path, declare.lang) else { bail!("{}", no_shader(path)) };
        let mut sources = SourceMap::default();
        let file = path.display().to_string();
        match shader.follow::<ModuleAccesses>(&declare, &settings.arguments, &mut sources) {
            Ok(Ok(modules)) => followed.files.extend(modules.into_iter().map(|module| FollowedFile {
                file: file.clone(),
                language: shader.front_end.language().unwrap_or(ShaderLanguage::Hlsl),
                compiler: module.compiler,
                accesses: module.code,
            })),
            Ok(Err(diagnostics)) if args.files.len() == 1 => bail!(RefusedInput { diagnostics, sources }),
            Ok(Err(diagnostics)) => {
                warn_rendered(&render(&diagnostics, &sources, style.colour));
                let FirstProblem { text: problem, cause, place, .. } = first_problem(&file, &diagnostics, &sources);
                let advice = advice_on(&diagnostics);
                followed.unread.push(UnreadInput { file, problem, cause, place, advice, blocks_read: 0 });
            }
            Err(error) if args.files.len() == 1 => return Err(error),
            Err(error) => {
                warn(&format!("error: {error:#}\n"));
                followed.unread.push(UnreadInput::new(file, format!("{error:#}")));
            }
        }
    }
    match args.format {
        AccessFormat::Text => {
            print(&text(&followed, style, args.verbose));
            if std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
                print(&annotations(&followed, &SourceRoot::find()));
            }
        }
        AccessFormat::Json => print_json(&json(&followed)),
        AccessFormat::Github => print(&annotations(&followed, &SourceRoot::find())),
        AccessFormat::Junit => print(&junit(&followed)),
        AccessFormat::Sarif => print(&sarif_log(&followed, &SourceRoot::find())),
    }
    Ok(if !followed.unread.is_empty() {
        Exit::CouldNotRun
    } else if followed.faults() > 0 {
        Exit::Differ
    } else if followed.followed() == 0 {
        Exit::NothingSelected
    } else {
        Exit::Agree
    })
}

/// Refuses a compiler whose code is followed for none of the files.
fn check_compilers(args: &AccessesArgs, declare: &DeclareArgs) -> anyhow::Result<()> {
    let files = args.files.iter().filter_map(|path| ShaderFile::of(path, declare.lang));
    let files: Vec<ShaderFile> = files.collect();
    for NamedCompiler { name, .. } in &args.compiler {
        if files.iter().any(|file| compilers_for_code(file.front_end).contains(&name.compiler)) {
            continue;
        }
        let Some(file) = files.first() else { continue };
        let path = file.path.display();
        match (file.front_end.language(), compilers_for_code(file.front_end)) {
            (Some(language), known) => {
                let known: Vec<&str> = known.iter().map(|compiler| compiler.as_str()).collect();
                bail!(
                    "--compiler {name}: the accesses of {path} are those in the code of {} for {}",
                    alternatives(&known),
                    language.title()
                )
            }
            (None, _) => bail!("--compiler {name}: {path} is compiled already"),
        }
    }
    Ok(())
}

fn no_shader(path: &Path) -> String {
    format!("{} is no shader: its suffix names no language, and --lang does not either", path.display())
}
