//! Parses the arguments with which a build compiles a shader, as far as they change layouts and
//! bindings: `--args` of the commands, and `args` in `layoutproof.toml`.
//!
//! Each compiler has a table of its options. An option in no table may change a layout, so it is
//! reported. Sources: `dxc -help` (1.7.2308), `slangc -h` (2026.14.1), `fxc /?`, `glslangValidator -h`
//! and the manual of glslc.

use std::path::Path;

use anyhow::bail;
use layoutproof_bindings::request::layout_option;
use layoutproof_layout::native::Native;
use layoutproof_layout::{Column, LayoutVariant, ShaderCompiler, ShaderTarget, TargetChoice};

/// The arguments that affect layouts and bindings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileArguments {
    /// `NAME=VALUE`.
    pub defines: Vec<String>,
    pub includes: Vec<String>,
    /// The only entry point.
    pub entry: Option<String>,
    pub profile: Option<String>,
    /// True if matrices without a declared order are row-major.
    pub row_major: Option<bool>,
    /// True if `half` has two bytes; `None` if the arguments do not identify the compiler.
    pub sixteen_bit: Option<bool>,
    pub msvc_bit_fields: bool,
    /// The compiler, if the arguments identify it.
    pub compiler: Option<ShaderCompiler>,
    /// `None` if the arguments do not say it.
    pub target: Option<ShaderTarget>,
    /// True if an option names the target (`-spirv`, `-target`), which otherwise is the compiler's usual one.
    pub names_target: bool,
    /// The layout option that counts for Vulkan.
    pub layout: Option<LayoutVariant>,
    /// The options that change bindings, each with its values.
    pub binding_options: Vec<String>,
    /// What layoutproof does not follow, as sentences.
    pub not_followed: Vec<String>,
}

/// How an option is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Exactly this word.
    Word,
    /// A word that begins like this.
    Start,
    /// The value follows in the same word (with or without `=`), or is the next word.
    Value,
    /// So many values, the next words.
    Words(usize),
}

/// What an option changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Code, warnings or files, but no layout and no binding.
    Nothing,
    Define,
    Include,
    Entry,
    Profile,
    /// DXC's target.
    Spirv,
    /// The value names Slang's target.
    Target,
    OpenGl,
    RowMajor(bool),
    SixteenBit,
    /// DXC alone has it, and `half` with 2 bytes only by another option.
    LanguageVersion,
    MsvcBitFields,
    Layout,
    /// Bindings.
    Binding,
    /// Something that layoutproof does not follow.
    NotFollowed(&'static str),
}

/// An option of a compiler.
type OptionRow = (&'static str, Form, Effect);

use Effect::{
    Binding, Define, Entry, Include, LanguageVersion, Layout, MsvcBitFields, NotFollowed, Nothing, Profile, RowMajor,
    SixteenBit,
};
use Form::{Start, Value, Word, Words};

const CBUFFER: &str = "it changes the layout of constant buffers";
const BINDINGS: &str = "it changes bindings";
const DOWNSTREAM: &str = "it hands options to another compiler";

/// Options of DXC and FXC. An option that both have means the same. Where several rows fit, the
/// longest counts.
const DXC: &[OptionRow] = &[
    ("-T", Value, Profile),
    ("-E", Value, Entry),
    ("-D", Value, Define),
    ("-I", Value, Include),
    ("-spirv", Word, Effect::Spirv),
    ("-Zpr", Word, RowMajor(true)),
    ("-Zpc", Word, RowMajor(false)),
    ("-enable-16bit-types", Word, SixteenBit),
    (DX_LAYOUT, Word, Layout),
    (GL_LAYOUT, Word, Layout),
    ("-fvk-use-scalar-layout", Word, Layout),
    ("-fvk-b-shift", Words(2), Binding),
    ("-fvk-t-shift", Words(2), Binding),
    ("-fvk-s-shift", Words(2), Binding),
    ("-fvk-u-shift", Words(2), Binding),
    ("-fvk-auto-shift-bindings", Word, Binding),
    ("-fvk-bind-globals", Words(2), Binding),
    ("-fvk-bind-register", Words(4), Binding),
    ("-vkbr", Words(4), Binding),
    ("-auto-binding-space", Words(1), Binding),
    ("-fspv-flatten-resource-arrays", Word, Binding),
    ("-fspv-preserve-bindings", Word, Binding),
    ("-fvk-stage-io-order=", Start, Binding),
    ("-flegacy-resource-reservation", Word, Binding),
    ("-Od", Word, Binding),
    ("-Vd", Word, Binding),
    ("-fvk-bind-resource-heap", Words(2), Binding),
    ("-fvk-bind-sampler-heap", Words(2), Binding),
    ("-fvk-bind-counter-heap", Words(2), Binding),
    ("-fvk-use-descriptor-heap", Word, NotFollowed(BINDINGS)),
    ("-fspv-preserve-interface", Word, NotFollowed("it keeps inputs and outputs that no code uses")),
    ("-not_use_legacy_cbuf_load", Word, NotFollowed(CBUFFER)),
    ("-no-legacy-cbuf-layout", Word, NotFollowed(CBUFFER)),
    ("-flegacy-macro-expansion", Word, NotFollowed("it changes how macros expand")),
    ("-mergeUAVs", Word, NotFollowed(BINDINGS)),
    ("-matchUAVs", Word, NotFollowed(BINDINGS)),
    // Matrices are by rows in raw loads and stores, which no declared block is. Every other place keeps its
    // layout: DXC 1.7.2308 and 1.9.2602 give structured buffers and structs in raw loads the same offsets.
    ("-fspv-use-legacy-buffer-matrix-order", Word, Nothing),
    ("-fspv-target-env", Start, Nothing),
    ("-fspv-reflect", Word, Nothing),
    ("-fspv-debug", Start, Nothing),
    ("-fspv-extension", Start, Nothing),
    ("-fspv-entrypoint-name", Start, Nothing),
    ("-fspv-reduce-load-size", Word, Nothing),
    ("-fspv-fix-func-call-arguments", Word, Nothing),
    ("-fspv-enable-maximal-reconvergence", Word, Nothing),
    ("-fspv-use-vulkan-memory-model", Word, Nothing),
    ("-fspv-print-all", Word, Nothing),
    ("-fvk-invert-y", Word, Nothing),
    ("-fvk-use-dx-position-w", Word, Nothing),
    ("-fvk-support-nonzero-base-instance", Word, Nothing),
    ("-fvk-support-nonzero-base-vertex", Word, Nothing),
    ("-Fo", Value, Nothing),
    ("-Fh", Value, Nothing),
    ("-Fc", Value, Nothing),
    ("-Fd", Value, Nothing),
    ("-Fe", Value, Nothing),
    ("-Fi", Value, Nothing),
    ("-Fl", Value, Nothing),
    ("-Fx", Value, Nothing),
    ("-Fsh", Value, Nothing),
    ("-Fre", Value, Nothing),
    ("-Frs", Value, Nothing),
    ("-MF", Value, Nothing),
    ("-Vn", Value, Nothing),
    ("-o", Words(1), Nothing),
    ("-HV", Value, LanguageVersion),
    ("-Oconfig", Start, Nothing),
    ("-exports", Words(1), Nothing),
    ("-export-shaders-only", Word, Nothing),
    ("-default-linkage", Words(1), Nothing),
    ("-denorm", Words(1), Nothing),
    ("-encoding", Words(1), Nothing),
    ("-validator-version", Words(1), Nothing),
    ("-select-validator", Words(1), Nothing),
    ("-rootsig-define", Words(1), Nothing),
    ("-setrootsignature", Words(1), Nothing),
    ("-setprivate", Words(1), Nothing),
    ("-force_rootsig_ver", Words(1), Nothing),
    ("-force-rootsig-ver", Words(1), Nothing),
    ("-opt-disable", Words(1), Nothing),
    ("-opt-enable", Words(1), Nothing),
    ("-opt-select", Words(2), Nothing),
    ("-hlsl-version", Words(1), Nothing),
    ("-O0", Word, Nothing),
    ("-O1", Word, Nothing),
    ("-O2", Word, Nothing),
    ("-O3", Word, Nothing),
    ("-O4", Word, Nothing),
    ("-Op", Word, Nothing),
    ("-W", Start, Nothing),
    ("-M", Word, Nothing),
    ("-MD", Word, Nothing),
    ("-H", Word, Nothing),
    ("-Z", Start, Nothing),
    ("-Q", Start, Nothing),
    ("-G", Start, Nothing),
    ("-L", Start, Nothing),
    ("-Vi", Word, Nothing),
    ("-Cc", Word, Nothing),
    ("-Ni", Word, Nothing),
    ("-No", Word, Nothing),
    ("-P", Word, Nothing),
    ("-nologo", Word, Nothing),
    ("-no-warnings", Word, Nothing),
    ("-res-may-alias", Word, Nothing),
    ("-res_may_alias", Word, Nothing),
    ("-all-resources-bound", Word, Nothing),
    ("-all_resources_bound", Word, Nothing),
    ("-enable_unbounded_descriptor_tables", Word, Nothing),
    ("-pack-optimized", Word, Nothing),
    ("-pack_optimized", Word, Nothing),
    ("-pack-prefix-stable", Word, Nothing),
    ("-pack_prefix_stable", Word, Nothing),
    ("-disable-payload-qualifiers", Word, Nothing),
    ("-enable-payload-qualifiers", Word, Nothing),
    ("-enable-lifetime-markers", Word, Nothing),
    ("-disable-lifetime-markers", Word, Nothing),
    ("-ffinite-math-only", Word, Nothing),
    ("-fno-finite-math-only", Word, Nothing),
    ("-fdiagnostics", Start, Nothing),
    ("-fno-diagnostics", Start, Nothing),
    ("-fnew-inlining-behavior", Word, Nothing),
    ("-ftime-report", Word, Nothing),
    ("-ftime-trace", Start, Nothing),
    ("-fcgl", Word, Nothing),
    ("-ast-dump", Word, Nothing),
    ("-dumpbin", Word, Nothing),
    ("-link", Word, Nothing),
    ("-recompile", Word, Nothing),
    ("-remove-unused-functions", Word, Nothing),
    ("-remove-unused-globals", Word, Nothing),
    ("-keep-user-macro", Word, Nothing),
    ("-line-directive", Word, Nothing),
    ("-verify", Start, Nothing),
    ("-getprivate", Words(1), Nothing),
    ("-compress", Word, Nothing),
    ("-decompress", Word, Nothing),
    ("-shtemplate", Words(1), Nothing),
];

/// Options that DXC refuses together, and what it says. The layouts exclude each other for SPIR-V alone.
///
/// Source: DXC 1.7.2308.
const EXCLUSIVE: [(&str, &str, &str); 4] = [
    ("-Zpr", "-Zpc", "Cannot specify /Zpr and /Zpc together"),
    ("-Gfa", "-Gfp", "Cannot specify /Gfa and /Gfp together"),
    ("-Zi", "-Zs", "Cannot specify both /Zi and /Zs"),
    (DX_LAYOUT, GL_LAYOUT, "cannot specify both -fvk-use-dx-layout and -fvk-use-gl-layout"),
];
const DX_LAYOUT: &str = "-fvk-use-dx-layout";
const GL_LAYOUT: &str = "-fvk-use-gl-layout";

/// Options of slangc.
const SLANG: &[OptionRow] = &[
    ("-target", Words(1), Effect::Target),
    ("-profile", Words(1), Profile),
    ("-entry", Words(1), Entry),
    ("-D", Value, Define),
    ("-I", Value, Include),
    ("-matrix-layout-row-major", Word, RowMajor(true)),
    ("-matrix-layout-column-major", Word, RowMajor(false)),
    ("-fvk-use-dx-layout", Word, Layout),
    ("-fvk-use-scalar-layout", Word, Layout),
    ("-force-glsl-scalar-layout", Word, Layout),
    ("-fvk-use-c-layout", Word, Layout),
    ("-fvk-use-gl-layout", Word, NotFollowed("in slangc it changes raw loads from buffers, and no declared layout")),
    ("-fvk-b-shift", Words(2), Binding),
    ("-fvk-t-shift", Words(2), Binding),
    ("-fvk-s-shift", Words(2), Binding),
    ("-fvk-u-shift", Words(2), Binding),
    ("-fvk-bind-globals", Words(2), Binding),
    ("-bindless-space-index", Words(1), Binding),
    ("-msvc-style-bitfield-packing", Word, MsvcBitFields),
    ("-spirv-resource-heap-stride", Words(1), NotFollowed(BINDINGS)),
    ("-spirv-sampler-heap-stride", Words(1), NotFollowed(BINDINGS)),
    ("-spirv-unified-descriptor-heap-stride", Word, NotFollowed(BINDINGS)),
    ("-parameter-blocks-use-register-spaces", Word, NotFollowed(BINDINGS)),
    ("-no-hlsl-binding", Word, NotFollowed(BINDINGS)),
    ("-no-hlsl-pack-constant-buffer-elements", Word, NotFollowed(CBUFFER)),
    ("-trace-", Start, NotFollowed("it adds a buffer to the shader")),
    ("-pass-through", Words(1), NotFollowed(DOWNSTREAM)),
    ("-X", Start, NotFollowed(DOWNSTREAM)),
    ("-emit-cpu-via-llvm", Word, NotFollowed("it changes the compiler of the code")),
    ("-stage", Words(1), Nothing),
    ("-o", Words(1), Nothing),
    ("-lang", Words(1), Nothing),
    ("-std", Words(1), Nothing),
    ("-capability", Words(1), Nothing),
    ("-conformance", Words(1), Nothing),
    ("-specialize", Words(1), NotFollowed("it replaces generic parameters of the entry point")),
    ("-depfile", Words(1), Nothing),
    ("-module-name", Words(1), Nothing),
    ("-file-system", Words(1), Nothing),
    ("-r", Words(1), Nothing),
    ("-reflection-json", Words(1), Nothing),
    ("-line-directive-mode", Words(1), Nothing),
    ("-fp-mode", Words(1), Nothing),
    ("-floating-point-mode", Words(1), Nothing),
    ("-denorm-mode-fp16", Words(1), Nothing),
    ("-denorm-mode-fp32", Words(1), Nothing),
    ("-denorm-mode-fp64", Words(1), Nothing),
    ("-diagnostic-color", Words(1), Nothing),
    ("-source-embed-style", Words(1), Nothing),
    ("-source-embed-name", Words(1), Nothing),
    ("-source-embed-language", Words(1), Nothing),
    ("-default-downstream-compiler", Words(2), Nothing),
    ("-spirv-core-grammar", Words(1), Nothing),
    ("-warnings-as-errors", Words(1), Nothing),
    ("-warnings-disable", Words(1), Nothing),
    ("-dump-intermediate-prefix", Words(1), Nothing),
    ("-dump-ir-before", Words(1), Nothing),
    ("-dump-ir-after", Words(1), Nothing),
    ("-dump-", Start, Nothing),
    ("-report-", Start, Nothing),
    ("-validate-", Start, Nothing),
    ("-disable-", Start, Nothing),
    ("-enable-experimental", Start, Nothing),
    ("-enable-machine-readable-diagnostics", Word, Nothing),
    ("-W", Start, Nothing),
    ("-O", Start, Nothing),
    ("-g", Start, Nothing),
    ("-emit-", Start, Nothing),
    ("-fspv-reflect", Word, Nothing),
    ("-fvk-invert-y", Word, Nothing),
    ("-fvk-use-dx-position-w", Word, Nothing),
    ("-fvk-use-entrypoint-name", Word, Nothing),
    ("-allow-glsl", Word, Nothing),
    ("-default-image-format-unknown", Word, Nothing),
    ("-embed-downstream-ir", Word, Nothing),
    ("-ignore-capabilities", Word, Nothing),
    ("-incomplete-library", Word, Nothing),
    ("-minimum-slang-optimization", Word, Nothing),
    ("-no-codegen", Word, Nothing),
    ("-no-mangle", Word, Nothing),
    ("-obfuscate", Word, Nothing),
    ("-output-includes", Word, Nothing),
    ("-preserve-params", Word, Nothing),
    ("-restrictive-capability-check", Word, Nothing),
    ("-separate-debug-info", Word, Nothing),
    ("-separate-debug-info-output", Words(1), Nothing),
    ("-skip-", Start, Nothing),
    ("-unscoped-enum", Word, Nothing),
    ("-verbose-paths", Word, Nothing),
    ("-zero-initialize", Word, Nothing),
];

/// Options of glslangValidator (`glslang`) and glslc.
const GLSLANG: &[OptionRow] = &[
    ("-D", Value, Define),
    ("--define-macro", Words(1), Define),
    ("-I", Value, Include),
    ("-e", Words(1), Entry),
    ("--entry-point", Words(1), Entry),
    ("-fentry-point=", Value, Entry),
    ("-G", Start, Effect::OpenGl),
    ("--target-env=opengl", Start, Effect::OpenGl),
    ("-V", Start, Effect::Spirv),
    ("--target-env=vulkan", Start, Effect::Spirv),
    ("--target-env", Words(1), Effect::Target),
    ("--shift-", Start, NotFollowed(BINDINGS)),
    ("--auto-map-", Start, NotFollowed(BINDINGS)),
    ("--amb", Word, NotFollowed(BINDINGS)),
    ("--aml", Word, NotFollowed(BINDINGS)),
    ("--resource-set-binding", Start, NotFollowed(BINDINGS)),
    ("--rsb", Start, NotFollowed(BINDINGS)),
    ("--hlsl-iomap", Word, NotFollowed(BINDINGS)),
    ("-fhlsl-iomap", Word, NotFollowed(BINDINGS)),
    ("-fauto-bind-uniforms", Word, NotFollowed(BINDINGS)),
    ("-fauto-map-locations", Word, NotFollowed(BINDINGS)),
    ("-fauto-combined-image-sampler", Word, NotFollowed(BINDINGS)),
    ("--hlsl-offsets", Word, NotFollowed("it gives blocks of HLSL the offsets of D3D")),
    ("-fhlsl-offsets", Word, NotFollowed("it gives blocks of HLSL the offsets of D3D")),
    ("--preamble-text", Words(1), NotFollowed("its text may define macros")),
    ("-P", Start, NotFollowed("its text may define macros")),
    ("-S", Words(1), Nothing),
    ("-o", Words(1), Nothing),
    ("-x", Words(1), Nothing),
    ("--source-entrypoint", Words(1), Nothing),
    ("--sep", Words(1), Nothing),
    ("--client", Words(1), Nothing),
    ("--variable-name", Words(1), Nothing),
    ("--vn", Words(1), Nothing),
    ("--depfile", Words(1), Nothing),
    ("-MF", Words(1), Nothing),
    ("--quiet", Word, Nothing),
    ("--stdin", Word, Nothing),
    ("--invert-y", Word, Nothing),
    ("--nan-clamp", Word, Nothing),
    ("--keep-uncalled", Word, Nothing),
    ("--no-storage-format", Word, Nothing),
    ("--hlsl-enable-16bit-types", Word, SixteenBit),
    ("-fhlsl-16bit-types", Word, SixteenBit),
    ("--target-spv", Start, Nothing),
    ("-fshader-stage=", Start, Nothing),
    ("-finvert-y", Word, Nothing),
    ("-fnan-clamp", Word, Nothing),
    ("-fpreserve-bindings", Word, Nothing),
    ("-fhlsl-functionality1", Word, Nothing),
    ("-mfmt=", Start, Nothing),
    ("-std=", Start, Nothing),
    ("-O", Start, Nothing),
    ("-W", Start, Nothing),
    ("-g", Start, Nothing),
    ("-M", Start, Nothing),
    ("-c", Word, Nothing),
    ("-E", Word, Nothing),
    ("-w", Word, Nothing),
    ("-l", Word, Nothing),
    ("-q", Word, Nothing),
    ("-H", Word, Nothing),
    ("-s", Word, Nothing),
    ("-t", Word, Nothing),
];

/// The family of command lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Dxc,
    Slang,
    Glslang,
}

/// Words that only this compiler has.
const SLANG_WORDS: &[&str] = &["-target", "-profile", "-entry", "-stage", "-lang", "-force-glsl-scalar-layout"];
const GLSLANG_STARTS: &[&str] =
    &["--target-env", "--target-spv", "-fshader-stage=", "-fentry-point=", "-std=4", "-mfmt="];

impl Dialect {
    fn of_compiler(compiler: ShaderCompiler) -> Self {
        match compiler {
            ShaderCompiler::Slang => Self::Slang,
            ShaderCompiler::Glslang => Self::Glslang,
            _ => Self::Dxc,
        }
    }

    fn of(words: &[String]) -> Self {
        let is_slang = |word: &String| SLANG_WORDS.contains(&word.as_str()) || word.starts_with("-matrix-layout-");
        let is_glslang = |word: &String| {
            ["-V", "-G"].contains(&word.as_str()) || GLSLANG_STARTS.iter().any(|start| word.starts_with(start))
        };
        if words.iter().any(is_slang) {
            Self::Slang
        } else if words.iter().any(is_glslang) {
            Self::Glslang
        } else {
            Self::Dxc
        }
    }

    fn options(self) -> &'static [OptionRow] {
        match self {
            Self::Dxc => DXC,
            Self::Slang => SLANG,
            Self::Glslang => GLSLANG,
        }
    }

    /// The row of a word: the one that says most of it.
    fn row(self, word: &str) -> Option<&'static OptionRow> {
        let is_of = |(name, form, _): &&OptionRow| match form {
            Word | Words(_) => word == *name,
            Start | Value => word.starts_with(name),
        };
        // An exact word counts more than a start of the same length.
        let rank = |(name, form, _): &&OptionRow| (name.len(), matches!(form, Word | Words(_)));
        self.options().iter().filter(is_of).max_by_key(rank)
    }

    /// The layout that counts where several are named. DXC 1.7.2308 takes D3D's or GL's, slangc 2026.14.1
    /// the scalar one, then C's, whatever their order.
    fn layout(self, named: &[LayoutVariant]) -> Option<LayoutVariant> {
        use LayoutVariant::{C, Dx, Gl, Scalar};
        let order = match self {
            Self::Dxc => [Dx, Gl, Scalar, C],
            Self::Slang | Self::Glslang => [Scalar, C, Dx, Gl],
        };
        order.into_iter().find(|layout| named.contains(layout))
    }
}

impl CompileArguments {
    /// True for an option of the compiler that chooses the layout of declared blocks or the order of their matrices.
    pub fn is_layout_option(compiler: ShaderCompiler, option: &str) -> bool {
        matches!(Dialect::of_compiler(compiler).row(option), Some((_, Word, RowMajor(_) | Layout)))
    }

    /// Parses the text, split into words as by a shell. The first word may be the compiler itself.
    ///
    /// # Errors
    /// A quote is not closed, an option lacks its value, or DXC refuses two of them together.
    pub fn read(text: &str) -> anyhow::Result<Self> {
        let mut words = split_words(text)?;
        let program = words.first().and_then(|word| program(word));
        if program.is_some() {
            words.remove(0);
        }
        let dialect = program.map_or_else(|| Dialect::of(&words), Dialect::of_compiler);

        let mut read = Self { compiler: program, ..Self::default() };
        let mut layouts: Vec<LayoutVariant> = Vec::new();
        let mut entries = 0;
        let mut options: Vec<String> = Vec::new();
        let mut rest = words.into_iter();
        while let Some(word) = rest.next() {
            // FXC and DXC accept a slash, too.
            let option = match (dialect, word.strip_prefix('/')) {
                (Dialect::Dxc, Some(name)) if !name.contains('/') => format!("-{name}"),
                _ => word,
            };
            if option.starts_with('@') {
                read.not_followed.push(format!("`{option}` is not read: write its options out"));
                continue;
            }
            if !option.starts_with('-') || option == "-" {
                // A file.
                continue;
            }
            let Some((name, form, effect)) = dialect.row(&option) else {
                read.not_followed.push(format!("`{option}` is not known, and may change layouts or bindings"));
                continue;
            };

            let mut next = || match rest.next() {
                Some(value) => Ok(value),
                None => bail!("`{name}` has no value"),
            };
            let values: Vec<String> = match form {
                Word => Vec::new(),
                Start => vec![option[name.len()..].to_owned()],
                Value if option.len() > name.len() => vec![option[name.len()..].trim_start_matches('=').to_owned()],
                Value => vec![next()?],
                Words(count) => (0..*count).map(|_| next()).collect::<anyhow::Result<_>>()?,
            };
            let value = || values.first().cloned().unwrap_or_default();
            options.push(option.clone());
            match effect {
                Nothing => {}
                Define => read.defines.push(value()),
                Include => read.includes.push(value()),
                Entry => {
                    entries += 1;
                    read.entry = Some(value());
                }
                Profile => {
                    let profile = value();
                    read.profile = Some(profile.split('+').next().unwrap_or_default().to_owned());
                    read.compiler = read.compiler.or((dialect == Dialect::Dxc).then_some(ShaderCompiler::Dxc));
                }
                Effect::Spirv => read.target = Some(ShaderTarget::Vulkan),
                Effect::OpenGl => read.target = Some(ShaderTarget::Opengl),
                Effect::Target => match target(&value()) {
                    Some(target) => read.target = Some(target),
                    None => read.not_followed.push(format!("target `{}` is not known", value())),
                },
                RowMajor(row_major) => read.row_major = Some(*row_major),
                SixteenBit => read.sixteen_bit = Some(true),
                LanguageVersion => read.sixteen_bit = read.sixteen_bit.or(Some(false)),
                MsvcBitFields => read.msvc_bit_fields = true,
                Layout => layouts.extend(layout_option(&option)),
                Binding => {
                    let words =
                        std::iter::once(option.clone()).chain(values.iter().filter(|_| *form != Start).cloned());
                    read.binding_options.push(words.collect::<Vec<_>>().join(" "));
                }
                NotFollowed(why) => read.not_followed.push(format!("`{option}` is not followed: {why}")),
            }
        }

        read.layout = dialect.layout(&layouts);
        read.names_target = read.target.is_some();
        read.identify(dialect, entries);
        if dialect == Dialect::Dxc && read.compiler != Some(ShaderCompiler::Fxc) {
            let has = |name: &str| options.iter().any(|option| option == name);
            let is_for_vulkan = read.target == Some(ShaderTarget::Vulkan);
            let refused = EXCLUSIVE.iter().find(|(one, other, _)| has(one) && has(other));
            if let Some((one, other, says)) = refused.filter(|(one, ..)| *one != DX_LAYOUT || is_for_vulkan) {
                bail!("DXC takes `{one}` or `{other}`, not both: {says}");
            }
        }
        Ok(read)
    }

    /// Completes the compiler, its target and the defaults of the compiler.
    fn identify(&mut self, dialect: Dialect, entries: usize) {
        if entries > 1 {
            // slangc compiles them together, so no single one decides.
            self.entry = None;
        }
        match dialect {
            Dialect::Slang => self.compiler = Some(ShaderCompiler::Slang),
            Dialect::Glslang => {
                self.compiler = Some(ShaderCompiler::Glslang);
                self.target = self.target.or(Some(ShaderTarget::Vulkan));
            }
            Dialect::Dxc if self.target == Some(ShaderTarget::Vulkan) || self.sixteen_bit == Some(true) => {
                self.compiler = self.compiler.or(Some(ShaderCompiler::Dxc));
            }
            Dialect::Dxc => {}
        }
        if dialect == Dialect::Dxc && self.compiler.is_some() {
            self.target = self.target.or(Some(ShaderTarget::D3d12));
            self.sixteen_bit = self.sixteen_bit.or(Some(false));
        }
    }

    /// The column of the compiler and the target, if the arguments identify both and its rules are
    /// known.
    pub fn column(&self) -> Option<Column<'static>> {
        let choice = self.with_layout(TargetChoice::plain(self.target?));
        let column = Column { variant: choice.variant, ..Column::new(choice.target, self.compiler?) };
        Native::of_column(column).map(|_| column)
    }

    /// The target with the layout option of the arguments, if it has a choice and names none.
    pub fn with_layout(&self, choice: TargetChoice) -> TargetChoice {
        let layout = self.layout.filter(|_| choice.target == ShaderTarget::Vulkan);
        TargetChoice { variant: choice.variant.or(layout), ..choice }
    }

    /// The rule sets of that column, such as `native:dxc-spirv`.
    pub fn native(&self) -> Option<&'static str> {
        self.column().and_then(Native::of_column).map(|native| native.name)
    }
}

/// The compiler that a word starts, such as `/opt/bin/dxc` or `fxc.exe`.
fn program(word: &str) -> Option<ShaderCompiler> {
    if word.starts_with('-') {
        return None;
    }
    let name = word.rsplit(['/', '\\']).next()?;
    let name = Path::new(name).file_stem()?.to_str()?.to_ascii_lowercase();
    match name.as_str() {
        "glslangvalidator" | "glslc" | "glslang" => Some(ShaderCompiler::Glslang),
        name => ShaderCompiler::named(name)
            .filter(|compiler| matches!(compiler, ShaderCompiler::Dxc | ShaderCompiler::Fxc | ShaderCompiler::Slang)),
    }
}

/// The target of a value of slangc's `-target`, or of glslang's `--target-env`.
fn target(name: &str) -> Option<ShaderTarget> {
    match name {
        "spirv" | "spirv-asm" | "glsl" => Some(ShaderTarget::Vulkan),
        "dxil" | "dxil-asm" | "hlsl" | "dxbc" | "dxbc-asm" => Some(ShaderTarget::D3d12),
        "wgsl" | "wgsl-spirv" | "wgsl-spirv-asm" => Some(ShaderTarget::Webgpu),
        "metal" | "metallib" | "metallib-asm" => Some(ShaderTarget::Metal),
        "cuda" | "ptx" | "cuda-header" => Some(ShaderTarget::Cuda),
        "c" | "cpp" | "exe" | "host-cpp" | "shader-sharedlib" | "sharedlib" | "callable" => Some(ShaderTarget::Cpu),
        name if name.starts_with("vulkan") || name.starts_with("spirv1") => Some(ShaderTarget::Vulkan),
        name if name.starts_with("opengl") => Some(ShaderTarget::Opengl),
        _ => None,
    }
}

/// Splits the text at spaces, except within quotes.
fn split_words(text: &str) -> anyhow::Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in text.chars() {
        match quote {
            Some(end) if character == end => quote = None,
            None if character == '"' || character == '\'' => {
                word.get_or_insert_default();
                quote = Some(character);
            }
            None if character.is_whitespace() => words.extend(word.take()),
            Some(_) | None => word.get_or_insert_default().push(character),
        }
    }
    if quote.is_some() {
        bail!("a quote is not closed");
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each option that is not followed, by its name.
    fn unknown(read: &CompileArguments) -> Vec<&str> {
        read.not_followed.iter().filter_map(|sentence| sentence.split('`').nth(1)).collect()
    }

    /// DXC 1.7.2308 refuses these, and takes the others. FXC is another program.
    #[test]
    fn options_that_exclude_each_other_are_refused() {
        for (text, says) in [
            ("-T ps_6_0 -Zpr -Zpc", "Cannot specify /Zpr and /Zpc together"),
            ("/T ps_6_0 /Zpc /Zpr", "Cannot specify /Zpr and /Zpc together"),
            ("dxc -T ps_6_0 -Gfp -Gfa", "Cannot specify /Gfa and /Gfp together"),
            ("-T ps_6_0 -Zi -Zs", "Cannot specify both /Zi and /Zs"),
            ("-spirv -fvk-use-gl-layout -fvk-use-dx-layout", "cannot specify both -fvk-use-dx-layout"),
        ] {
            let error = CompileArguments::read(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
        for text in [
            "-T ps_6_0 -Zpr -Zpr",
            "-T ps_6_0 -fvk-use-gl-layout -fvk-use-dx-layout",
            "-spirv -fvk-use-scalar-layout -fvk-use-dx-layout",
            "fxc /T ps_5_0 /Zpr /Zpc",
        ] {
            CompileArguments::read(text).unwrap();
        }
    }

    /// Command lines of builds, with the rule sets and the size of `half` that their compilers use.
    /// Offsets of DXC 1.7.2308 (`-spirv`) and of slangc 2026.14.1 (its reflection) under each layout
    /// option, and under several, confirm the rule sets.
    #[test]
    fn command_lines_name_rule_sets() {
        let (on, off) = (Some(true), Some(false));
        for (text, native, sixteen_bit) in [
            ("-T cs_6_6 -D QUALITY=2", Some("native:dxc-dxil"), off),
            ("-T ps_6_6 -enable-16bit-types", Some("native:dxc-dxil"), on),
            ("-spirv -T vs_6_0 -fvk-use-dx-layout", Some("native:dxc-spirv-dx"), off),
            ("/T ps_5_1 /Fo a.cso", Some("native:dxc-dxil"), off),
            ("-target spirv -profile glsl_450", Some("native:slang-vulkan"), None),
            ("-DX", None, None),
            ("dxc.exe -T ps_6_0 -E PSMain -Zi -Qembed_debug -Fo x.dxil -Fd x.pdb x.hlsl", Some("native:dxc-dxil"), off),
            ("dxc -T lib_6_6 -HV 2021 -O3 -all-resources-bound -WX -Wno-conversion", Some("native:dxc-dxil"), off),
            (
                "dxc -spirv -T cs_6_5 -fspv-target-env=vulkan1.2 -fvk-use-scalar-layout",
                Some("native:dxc-spirv-scalar"),
                off,
            ),
            ("-spirv -T cs_6_5 -fvk-use-gl-layout -fvk-invert-y -Od", Some("native:dxc-spirv-gl"), off),
            ("-spirv -fvk-use-scalar-layout -fvk-use-dx-layout -T ps_6_0", Some("native:dxc-spirv-dx"), off),
            ("-spirv -fvk-use-gl-layout -fvk-use-scalar-layout -T ps_6_0", Some("native:dxc-spirv-gl"), off),
            ("-T ps_6_0 -fvk-use-dx-layout", Some("native:dxc-dxil"), off),
            ("fxc /nologo /T vs_4_0 /E main /Ges /Zpr /O3 /Fh out.h in.fx", Some("native:fxc"), off),
            ("/opt/vulkan/bin/dxc -spirv -Tps_6_6 -Emain -Iinc -DA=1", Some("native:dxc-spirv"), off),
            (
                "slangc -target spirv -fvk-use-scalar-layout -entry main -stage compute",
                Some("native:slang-vulkan-scalar"),
                None,
            ),
            ("-target spirv -force-glsl-scalar-layout -o a.spv", Some("native:slang-vulkan-scalar"), None),
            ("-target spirv-asm -fvk-use-dx-layout -fvk-use-c-layout", Some("native:slang-vulkan-c"), None),
            ("-target glsl -fvk-use-c-layout -fvk-use-scalar-layout", Some("native:slang-vulkan-scalar"), None),
            ("-target dxil -profile sm_6_6 -capability cs_6_6 -g2 -O2", Some("native:slang-d3d12"), None),
            ("slangc a.slang -target metallib -emit-spirv-directly -no-mangle", Some("native:slang-metal"), None),
            ("-target wgsl -matrix-layout-row-major -warnings-disable 41012", Some("native:slang-webgpu"), None),
            ("-target cuda -line-directive-mode none", Some("native:slang-cuda"), None),
            ("glslc -fshader-stage=compute --target-env=vulkan1.2 -DN=4 -Iinc -O -o a.spv a.comp", None, None),
            ("glslangValidator -V -S frag -e main --target-env vulkan1.1 -I. a.frag -o a.spv", None, None),
        ] {
            let read = CompileArguments::read(text).unwrap();
            assert_eq!((read.native(), read.sixteen_bit), (native, sixteen_bit), "{text}");
            assert_eq!(unknown(&read), [""; 0], "{text}");
        }
    }

    #[test]
    fn defines_entry_points_and_matrix_orders_are_read() {
        let read = CompileArguments::read("-D A=1 -DB -I inc -I'my includes' -E main -Zpr -Fo out.dxil").unwrap();
        assert_eq!(read.defines, ["A=1", "B"]);
        assert_eq!(read.includes, ["inc", "my includes"]);
        assert_eq!((read.entry.as_deref(), read.row_major), (Some("main"), Some(true)));
        let read = CompileArguments::read("glslc -DN=4 -D M -fentry-point=shade -Iinc").unwrap();
        assert_eq!((read.defines.join(" "), read.entry.as_deref()), ("N=4 M".to_owned(), Some("shade")));
        assert_eq!((read.compiler, read.target), (Some(ShaderCompiler::Glslang), Some(ShaderTarget::Vulkan)));
        let read = CompileArguments::read("-entry vs -stage vertex -entry ps -target spirv").unwrap();
        assert_eq!(read.entry, None);
        let read = CompileArguments::read("-target spirv -profile sm_6_5+spvRayQueryKHR").unwrap();
        assert_eq!((read.profile.as_deref(), read.row_major), (Some("sm_6_5"), None));
        assert!(CompileArguments::read("-D 'A").is_err());
        assert!(CompileArguments::read("-T").is_err());
        assert!(CompileArguments::read("-spirv -fvk-b-shift 1").is_err());
    }

    #[test]
    fn options_that_move_bindings_are_kept_with_their_values() {
        let text = "-spirv -T ps_6_0 -fvk-t-shift 10 all -fvk-bind-globals 0 1 -auto-binding-space 2 -vkbr t0 0 5 1 \
                    -fvk-stage-io-order=alpha -O0";
        let options = [
            "-fvk-t-shift 10 all",
            "-fvk-bind-globals 0 1",
            "-auto-binding-space 2",
            "-vkbr t0 0 5 1",
            "-fvk-stage-io-order=alpha",
        ];
        assert_eq!(CompileArguments::read(text).unwrap().binding_options, options);
    }

    /// It is about raw loads alone: a declared block has the same layout with and without it.
    #[test]
    fn the_legacy_order_of_raw_loads_changes_no_layout() {
        let layout = |text: &str| {
            let read = CompileArguments::read(text).unwrap();
            (read.layout, read.row_major, read.not_followed)
        };
        for text in ["-spirv -T cs_6_6", "-spirv -T cs_6_6 -Zpr", "-spirv -T cs_6_6 -fvk-use-dx-layout"] {
            assert_eq!(layout(&format!("{text} -fspv-use-legacy-buffer-matrix-order")), layout(text));
        }
    }

    #[test]
    fn what_is_not_followed_is_said() {
        for (text, option) in [
            ("-T ps_6_0 -no-legacy-cbuf-layout", "-no-legacy-cbuf-layout"),
            ("-target spirv -fvk-use-gl-layout", "-fvk-use-gl-layout"),
            ("-target hlsl -Xdxc", "-Xdxc"),
            ("-target x-ray", "x-ray"),
            ("glslc --target-env=vulkan1.2 -fhlsl-offsets", "-fhlsl-offsets"),
            ("-T ps_6_0 -frobnicate", "-frobnicate"),
            ("-T ps_6_0 @options.rsp", "@options.rsp"),
        ] {
            assert_eq!(unknown(&CompileArguments::read(text).unwrap()), [option], "{text}");
        }
    }
}
