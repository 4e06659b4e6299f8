//! What a run checks of each of its files: the targets that programs in its language ship for, as `show` chooses its
//! columns, each by the compiler that makes its code.
//!
//! Options choose among these checks, file by file; they never replace compilers by our own generators. Only for rule
//! sets and generators that the user names, and for files that fix their offsets, our generators make the shaders.

use anyhow::bail;
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_events::producer::Producer;
use layoutproof_inputs::inputs::InputWord;
use layoutproof_inputs::named_compiler::{NamedCompiler, named_compiler};
use layoutproof_inputs::shader_file::ShaderFile;
use layoutproof_layout::ShaderCompiler;
use layoutproof_layout::native::Native;
use layoutproof_readers::toolchain::{AppliedRules, Compilers, Toolchain, toolchains};
use layoutproof_show::shipping;
use layoutproof_source::shader_language::ShaderLanguage;

use crate::args::RunArgs;
use crate::args::placement::lays_out;

/// The makers of the shaders of a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FileChecks {
    /// The compilers of these targets.
    Targets {
        targets: Vec<&'static Native>,
        /// The other targets that ship, which options leave out.
        excluded: Vec<&'static Native>,
    },
    /// Our own generators, or the producers that the user names.
    Generated,
}

/// A target of a run's files, with the compiler that checks it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShippedTarget {
    pub(crate) native: &'static Native,
    /// The first compiler for the target that was found.
    pub(crate) toolchain: Option<&'static Toolchain>,
}

impl FileChecks {
    /// The checks of each file that the arguments name.
    ///
    /// # Errors
    /// A target or compiler that is named has no column for the language of a file.
    pub(crate) fn of_files(args: &RunArgs) -> anyhow::Result<Vec<Self>> {
        let words = args.inputs.iter().map(|word| InputWord::of(word, args.declare.lang));
        let files = words.filter_map(|word| match word {
            InputWord::Shader(file) => Some(file),
            InputWord::CaseFile(_) | InputWord::Filter(_) => None,
        });
        files.map(|file| Self::of(args, &file)).collect()
    }

    /// The checks of one file.
    ///
    /// # Errors
    /// See [`Self::of_files`].
    pub(crate) fn of(args: &RunArgs, file: &ShaderFile) -> anyhow::Result<Self> {
        let names_checks = args.all || !args.rules.is_empty() || !args.placement.convention.is_empty();
        let Some(language) = file.front_end.language().filter(|_| !file.fixes_offsets() && !names_checks) else {
            return Ok(Self::Generated);
        };
        let is_glslang =
            |word: &String| named_compiler(word).is_ok_and(|it| it.name.compiler == ShaderCompiler::Glslang);
        if !args.producer.is_empty() && args.producer.iter().all(is_glslang) {
            bail!(
                "glslang's front end for HLSL lays out {} by rules of its own, which layoutproof does not check; --rules \
                 std140 checks the GLSL that layoutproof writes",
                file.path.display()
            );
        }
        if !args.producer.iter().all(|word| is_compiler(word)) {
            return Ok(Self::Generated);
        }
        let mut placement = args.placement.clone();
        placement.compilers.retain(|named| reads(named, language));
        let mut targets: Vec<&'static Native> = Vec::new();
        if args.producer.is_empty() || !placement.compilers.is_empty() {
            for native in placement.columns(Some(language))?.into_iter().filter_map(Native::of_column) {
                if !targets.contains(&native) {
                    targets.push(native);
                }
            }
        }
        let ships = |native: &Native| shipping(language).any(|shipped| is_same_column(shipped, native));
        // A compiler alone chooses among the targets that ship, unless the language ships with another one.
        if placement.target.is_empty() && targets.iter().any(|native| ships(native)) {
            targets.retain(|native| ships(native));
        }
        let is_left_out = |shipped: &&'static Native| !targets.iter().any(|native| is_same_column(shipped, native));
        let excluded = shipping(language).filter(is_left_out).collect();
        Ok(Self::Targets { targets, excluded })
    }

    /// Whether the compilers of all targets define `__spirv__`; `None` if some do, or without targets.
    pub(crate) fn defines_spirv(&self) -> Option<bool> {
        let mut defined = self.targets().iter().map(|native| native.column.defines_spirv());
        let first = defined.next()?;
        defined.all(|other| other == first).then_some(first)
    }

    /// The checks of targets whose compilers do not define `__spirv__`, with the excluded ones, and those of the others.
    pub(crate) fn by_spirv(self) -> Vec<Self> {
        let Self::Targets { targets, excluded } = self else { return vec![self] };
        let (spirv, others) = targets.into_iter().partition(|native: &&Native| native.column.defines_spirv());
        vec![Self::Targets { targets: others, excluded }, Self::Targets { targets: spirv, excluded: Vec::new() }]
    }

    pub(crate) fn targets(&self) -> &[&'static Native] {
        match self {
            Self::Targets { targets, .. } => targets,
            Self::Generated => &[],
        }
    }
}

/// True if a compiler reads files in the language: only slangc reads Slang.
fn reads(named: &NamedCompiler, language: ShaderLanguage) -> bool {
    let is_of_slang = matches!(named.name.compiler, ShaderCompiler::Slang | ShaderCompiler::SlangDocumented);
    is_of_slang || language != ShaderLanguage::Slang
}

/// True for builds of one compiler with one target and layout option.
fn is_same_column(one: &Native, other: &Native) -> bool {
    let (one, other) = (one.column, other.column);
    (one.target, one.compiler, one.variant) == (other.target, other.compiler, other.variant)
}

/// True for a word that names a compiler of HLSL or Slang, and no generator or single toolchain.
fn is_compiler(word: &str) -> bool {
    named_compiler(word).is_ok_and(|named| lays_out(&named))
}

/// The distinct targets of all files.
pub(crate) fn targets_of(files: &[FileChecks]) -> Vec<&'static Native> {
    let mut found: Vec<&'static Native> = Vec::new();
    for native in files.iter().flat_map(FileChecks::targets) {
        if !found.contains(native) {
            found.push(native);
        }
    }
    found
}

/// Finds the compilers of these targets: the usual build of each, and only if one is missing the
/// others, since some take a second to start.
pub(crate) fn find_compilers(
    targets: &[&'static Native],
    find: impl Fn(&[String]) -> anyhow::Result<Toolchains>,
) -> anyhow::Result<Toolchains> {
    let names = |toolchains: Vec<&'static Toolchain>| {
        toolchains.into_iter().map(|toolchain| toolchain.name.to_owned()).collect::<Vec<_>>()
    };
    let usual: Vec<_> = targets.iter().filter_map(|target| toolchains_of(target).next()).collect();
    let found = find(&names(usual.clone()))?;
    let all: Vec<_> = targets.iter().flat_map(|target| toolchains_of(target)).collect();
    if all.len() == usual.len() || usual.iter().all(|toolchain| found.has(toolchain)) {
        return Ok(found);
    }
    find(&names(all))
}

/// The compilers of these targets that were found. `named` are those that the user names, found or not.
pub(crate) fn shipped(targets: &[&'static Native], found: &Toolchains, named: &[String]) -> Vec<ShippedTarget> {
    let is_named = |toolchain: &&'static Toolchain| {
        named.is_empty() || named.iter().any(|name| found.named(name).contains(toolchain))
    };
    let of_target = |target: &&'static Native| {
        let candidates = || toolchains_of(target).filter(is_named);
        let here = candidates().find(|toolchain| found.has(toolchain));
        let toolchain = here.or_else(|| candidates().next().filter(|_| !named.is_empty()));
        ShippedTarget { native: target, toolchain }
    };
    targets.iter().map(of_target).collect()
}

fn toolchains_of(target: &Native) -> impl Iterator<Item = &'static Toolchain> {
    toolchains().iter().filter(|toolchain| toolchain.follows == AppliedRules::Native(target.name))
}

/// The compilers of the targets, as producers.
pub(crate) fn compilers(shipped: &[ShippedTarget]) -> Vec<Producer> {
    let mut compilers: Vec<Producer> =
        shipped.iter().filter_map(|target| target.toolchain).map(Producer::Compiler).collect();
    compilers.sort();
    compilers.dedup();
    compilers
}

/// The compilers among `chosen` that check these targets, the first for each.
pub(crate) fn makers(targets: &[&'static Native], chosen: &[&'static Toolchain]) -> Vec<Producer> {
    let of_target = |target: &&'static Native| toolchains_of(target).find(|toolchain| chosen.contains(toolchain));
    targets.iter().filter_map(of_target).map(Producer::Compiler).collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::command_line::{Cli, Command};

    /// A file of each language, and a module. They need not exist: their names say their languages.
    const FILES: [&str; 5] = ["a.hlsl", "a.slang", "a.wgsl", "a.comp", "a.spv"];

    /// Options that choose among the checks of a file. The others name rule sets or generators.
    static OPTIONS: [&[&str]; 25] = [
        &["--target", "d3d12"],
        &["--target", "vulkan"],
        &["--target", "d3d12,vulkan"],
        &["--args", "-T ps_6_6"],
        &["--args", "-T cs_6_6 -spirv -D X=1"],
        &["--args", "-target spirv -D X=1"],
        &["--compiler", "dxc"],
        &["--compiler", "slangc"],
        &["--compiler", "dxc,slangc"],
        &["--profile", "ps_6_6"],
        &["-D", "X=1"],
        &["-I", "include"],
        &["--entry", "main"],
        &["--matrix", "row"],
        &["--16bit", "off"],
        &["--device", "lavapipe"],
        &["--api", "vulkan"],
        &["--form", "leaf"],
        &["--space", "uniform"],
        &["--stage", "compute"],
        &["--every-device"],
        &["--every-element"],
        &["--no-fuse"],
        &["--no-known"],
        &["--retries", "1"],
    ];

    /// The checks of these files with these options; `None` if the options do not go together.
    fn checks(files: &[&str], options: &[&str]) -> Option<Vec<FileChecks>> {
        let words = ["layoutproof", "run"].iter().chain(files).chain(options);
        let mut command = Cli::try_parse_from(words).ok()?.command;
        command.complete_columns().ok()?;
        let Command::Run(args) = command else { panic!("a run was typed") };
        FileChecks::of_files(&args).ok()
    }

    /// Every pair of options with every file and every pair of files, in both orders.
    #[test]
    fn options_choose_among_the_checks_of_each_file() {
        let plain = FILES.map(|file| checks(&[file], &[]).unwrap().remove(0));
        let mut sets: Vec<Vec<usize>> = (0..FILES.len()).map(|file| vec![file]).collect();
        sets.extend((0..FILES.len()).flat_map(|one| (0..FILES.len()).map(move |other| vec![one, other])));
        let mut choices: Vec<Vec<&str>> = vec![Vec::new()];
        choices.extend(OPTIONS.map(<[&str]>::to_vec));
        let pairs =
            OPTIONS.iter().enumerate().flat_map(|(index, one)| OPTIONS[index + 1..].iter().map(move |it| (one, it)));
        choices.extend(pairs.filter(|(one, other)| one[0] != other[0]).map(|(one, other)| [*one, *other].concat()));

        let (mut tried, mut refused) = (0, 0);
        for set in &sets {
            let files: Vec<&str> = set.iter().map(|file| FILES[*file]).collect();
            for options in &choices {
                tried += 1;
                let Some(found) = checks(&files, options) else {
                    refused += 1;
                    continue;
                };
                // A target and a compiler together name a column, which may be one that does not ship.
                let columns = ["--target", "--compiler", "--args"];
                let names_column = options.iter().filter(|word| columns.contains(word)).count() > 1;
                for (file, found) in set.iter().zip(&found) {
                    let is_subset = match (&plain[*file], found) {
                        (FileChecks::Targets { targets, .. }, FileChecks::Targets { targets: chosen, excluded }) => {
                            let is_plain = chosen.iter().all(|native| targets.contains(native));
                            names_column || (is_plain && chosen.len() + excluded.len() == targets.len())
                        }
                        (FileChecks::Generated, FileChecks::Generated) => true,
                        (FileChecks::Targets { .. } | FileChecks::Generated, _) => false,
                    };
                    assert!(is_subset, "{files:?} {options:?}: {found:?}");
                }
            }
        }
        assert!(tried > 8_000 && refused * 5 < tried, "{refused} of {tried} were refused");
    }

    #[test]
    fn each_file_has_the_targets_of_its_own_language() {
        let names = |checks: &FileChecks| checks.targets().iter().map(|native| native.name).collect::<Vec<_>>();
        let found = checks(&["a.hlsl", "a.slang"], &["--target", "d3d12"]).unwrap();
        assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [["native:dxc-dxil"], ["native:slang-d3d12"]]);
        let found = checks(&["a.hlsl", "a.slang"], &["--args", "-T ps_6_6"]).unwrap();
        assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [["native:dxc-dxil"], ["native:slang-d3d12"]]);
        // DXC does not read Slang.
        let found = checks(&["a.hlsl", "a.slang"], &["--compiler", "dxc"]).unwrap();
        assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [vec!["native:dxc-dxil", "native:dxc-spirv"], vec![]]);
    }

    /// Rule sets, generators and single toolchains are other checks, which the user names.
    #[test]
    fn our_own_shaders_are_for_those_who_name_them() {
        for options in
            [&["--rules", "std140"][..], &["--all"], &["--compiler", "rspirv"], &["--compiler", "dxc-spirv-dx"]]
        {
            assert_eq!(checks(&["a.hlsl"], options).unwrap(), [FileChecks::Generated], "{options:?}");
        }
    }
}
