//! Finds the options with which a project's build chooses the layout of its shaders' blocks: `-force-glsl-scalar-layout`, `-Zpr`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use layoutproof_compilers::regular_file::read_text;
use layoutproof_inputs::compile_args::CompileArguments;
use layoutproof_layout::ShaderCompiler;
use layoutproof_source::shader_language::ShaderLanguage;

use super::build_defines::{LONGEST, is_build_file};

/// A language whose compiler has such options.
struct Compiled {
    language: ShaderLanguage,
    compiler: ShaderCompiler,
    /// Words in the commands of its compilers.
    programs: &'static [&'static str],
    /// The option for the only target that has layouts to choose from.
    vulkan: &'static str,
    sixteen_bit: Option<&'static str>,
}

const COMPILED: [Compiled; 2] = [
    Compiled {
        language: ShaderLanguage::Hlsl,
        compiler: ShaderCompiler::Dxc,
        programs: &["dxc", "fxc"],
        vulkan: "-spirv",
        sixteen_bit: Some("-enable-16bit-types"),
    },
    Compiled {
        language: ShaderLanguage::Slang,
        compiler: ShaderCompiler::Slang,
        programs: &["slang"],
        vulkan: "-target spirv",
        sixteen_bit: None,
    },
];

/// Suffix of the projects of Visual Studio, which have options of FXC and DXC.
const VISUAL_STUDIO: &str = ".vcxproj";

/// The options for all shaders of one language.
#[derive(Clone, Debug)]
pub(super) struct BuildLayout {
    /// As `args` of `layoutproof.toml`.
    pub(super) text: String,
    pub(super) arguments: CompileArguments,
    /// The first file that passes them.
    pub(super) file: String,
}

/// The options of each language, if the build passes the same ones for all of its shaders.
pub(super) fn build_layouts(
    folder: &Path,
    files: &BTreeSet<String>,
    shaders: &[(&Path, ShaderLanguage)],
) -> BTreeMap<ShaderLanguage, BuildLayout> {
    let is_read = |file: &&String| is_build_file(file) || file.ends_with(VISUAL_STUDIO);
    let texts =
        files.iter().filter(is_read).filter_map(|file| Some((file, read_text(&folder.join(file), LONGEST).ok()?)));
    let texts: Vec<(&String, String)> = texts.collect();
    let of_language = |compiled: &Compiled| {
        let own = shaders.iter().filter(|(_, language)| *language == compiled.language).map(|(path, _)| *path);
        let own: Vec<&Path> = own.collect();
        let passed: Vec<(&String, BTreeSet<String>)> = texts
            .iter()
            .map(|(file, text)| (*file, compiled.options_in(text)))
            .filter(|(_, options)| !options.is_empty())
            .collect();
        let for_all = || passed.iter().filter(|(file, _)| compiles_all(Path::new(file), &own));
        let options: BTreeSet<&str> = for_all().flat_map(|(_, options)| options).map(String::as_str).collect();
        // A folder with other options than the rest has its own layouts.
        let is_same = passed.iter().all(|(_, of_file)| of_file.iter().all(|option| options.contains(option.as_str())));
        let (file, _) = for_all().next().filter(|_| is_same)?;
        let (text, arguments) = compiled.arguments(options)?;
        Some((compiled.language, BuildLayout { text, arguments, file: (*file).clone() }))
    };
    COMPILED.iter().filter_map(of_language).collect()
}

/// True if the commands of a build file compile all of these shaders: they are below the nearest folder above the file that has
/// some. The modules in a folder `cmake` are for the whole project.
fn compiles_all(file: &Path, shaders: &[&Path]) -> bool {
    let is_in = |folder: &Path| shaders.iter().filter(|shader| shader.starts_with(folder)).count();
    let is_module = file.iter().any(|part| part == "cmake");
    let mut counts = file.ancestors().skip(1).map(is_in).filter(|count| *count > 0);
    !shaders.is_empty() && (is_module || counts.next() == Some(shaders.len()))
}

impl Compiled {
    /// The options of a build file, with a hyphen where it writes a slash. An option that several compilers have counts for
    /// those that the file names.
    fn options_in(&self, text: &str) -> BTreeSet<String> {
        let text_of = |compiled: &Self| compiled.programs.iter().any(|program| contains(text, program));
        let is_of_others = !text_of(self) && COMPILED.iter().any(text_of);
        let is_shared =
            |option: &str| COMPILED.iter().all(|it| CompileArguments::is_layout_option(it.compiler, option));
        let is_own = |option: &str| {
            CompileArguments::is_layout_option(self.compiler, option) && !(is_of_others && is_shared(option))
        };
        let commands = text.lines().filter(|line| !is_comment(line));
        let words = commands
            .flat_map(|line| line.split(|letter: char| !letter.is_ascii_alphanumeric() && !"-/_".contains(letter)));
        let options = words.map(|word| word.strip_prefix('/').map_or(word.to_owned(), |name| format!("-{name}")));
        let options: BTreeSet<String> =
            options.filter(|word| Some(word.as_str()) == self.sixteen_bit || is_own(word)).collect();
        if options.iter().all(|option| Some(option.as_str()) == self.sixteen_bit) { BTreeSet::new() } else { options }
    }

    /// The arguments with these options; `None` if one of them contradicts another.
    fn arguments(&self, mut options: BTreeSet<&str>) -> Option<(String, CompileArguments)> {
        let read = |text: &str| CompileArguments::read(text).ok();
        let each = || options.iter().filter_map(|option| read(&format!("{} {option}", self.vulkan)));
        let layouts: BTreeSet<_> = each().filter_map(|one| one.layout).collect();
        let orders: BTreeSet<bool> = each().filter_map(|one| one.row_major).collect();
        if layouts.len() > 1 || orders.len() > 1 {
            return None;
        }
        let mut words = Vec::new();
        if layouts.is_empty() {
            // It would name a compiler, and so a target.
            options.retain(|option| Some(*option) != self.sixteen_bit);
        } else {
            words.push(self.vulkan);
        }
        words.extend(options);
        let text = words.join(" ");
        let arguments = read(&text)?;
        Some((text, arguments))
    }
}

fn contains(text: &str, word: &str) -> bool {
    text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

/// True for a comment of `CMake`, Meson and scripts, of Rust, and of batch files.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    let is_remark = line.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("rem "));
    ["#", "//", "::"].iter().any(|start| line.starts_with(start)) || is_remark
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments for HLSL and Slang that a build of these files passes to `shaders/a.hlsl`, `shaders/b.slang` and
    /// `demo/c.slang`.
    fn passed(builds: &[(&str, &str)]) -> [String; 2] {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in builds {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let files = builds.iter().map(|(file, _)| (*file).to_owned()).collect();
        let shaders = [
            (Path::new("shaders/a.hlsl"), ShaderLanguage::Hlsl),
            (Path::new("shaders/b.slang"), ShaderLanguage::Slang),
            (Path::new("demo/c.slang"), ShaderLanguage::Slang),
        ];
        let found = build_layouts(folder.path(), &files, &shaders);
        [ShaderLanguage::Hlsl, ShaderLanguage::Slang]
            .map(|language| found.get(&language).map_or(String::new(), |layout| layout.text.clone()))
    }

    /// The forms of `nvpro_core2`, vkrt, kennyalive/YAR, a `build.rs`, Visual Studio and `WickedEngine`.
    #[test]
    fn commands_of_builds_choose_layouts() {
        for (builds, hlsl, slang) in [
            (
                &[(
                    "core/cmake/Slang.cmake",
                    "set(FLAGS\n    -matrix-layout-row-major\n    -force-glsl-scalar-layout\n)",
                )][..],
                "",
                "-target spirv -force-glsl-scalar-layout -matrix-layout-row-major",
            ),
            (&[("meson.build", "args: [\n  '-matrix-layout-column-major',\n]")], "", "-matrix-layout-column-major"),
            (&[("shaders/build.bat", "%FXC% /T ps_5_0 /Zpr a.hlsl\r\n")], "-Zpr", ""),
            (
                &[("build.rs", "Command::new(\"slangc\").args([\"-fvk-use-scalar-layout\"])")],
                "",
                "-target spirv -fvk-use-scalar-layout",
            ),
            (&[("app.vcxproj", "<AdditionalOptions>-Zpr %(AdditionalOptions)</AdditionalOptions>")], "-Zpr", ""),
            (
                &[("CMakeLists.txt", "COMMAND ${DXC} -spirv -fvk-use-dx-layout -enable-16bit-types ${SHADER}")],
                "-spirv -enable-16bit-types -fvk-use-dx-layout",
                "",
            ),
            // The file does not tell which compiler it starts.
            (
                &[("CMakeLists.txt", "set(FLAGS -fvk-use-scalar-layout)")],
                "-spirv -fvk-use-scalar-layout",
                "-target spirv -fvk-use-scalar-layout",
            ),
        ] {
            assert_eq!(passed(builds), [hlsl, slang], "{builds:?}");
        }
    }

    #[test]
    fn options_for_some_shaders_choose_nothing() {
        for builds in [
            &[("shaders/CMakeLists.txt", "slangc -matrix-layout-row-major")][..],
            &[
                ("CMakeLists.txt", "slangc -matrix-layout-row-major"),
                ("demo/build.sh", "slangc -matrix-layout-column-major c.slang"),
            ],
            &[("CMakeLists.txt", "if(ROWS)\nset(F -Zpr)\nelse()\nset(F -Zpc)\nendif()")],
            &[
                ("CMakeLists.txt", "# -Zpr would be wrong\n"),
                ("a.bat", "REM dxc -Zpr\n:: -Zpr\n"),
                ("build.rs", "// -Zpr"),
            ],
            &[("CMakeLists.txt", "dxc -enable-16bit-types -T ps_6_2")],
            &[("notes.txt", "-Zpr"), ("CMakeLists.txt", "-Zpri x-Zpr")],
        ] {
            assert_eq!(passed(builds), ["", ""], "{builds:?}");
        }
    }
}
