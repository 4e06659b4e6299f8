//! The options for reading declarations. Several commands have them, and the settings of a project
//! complete them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use layoutproof_core::case::file::split_define;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{LayoutOptions, ShaderCompiler, ShaderTarget};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceFile;

use crate::compile_args::CompileArguments;
use crate::named_compiler::NamedCompiler;
use crate::replaced_texts::ReplacedTexts;

/// How a declaration is read.
#[derive(Clone, Debug, Default, Args)]
pub struct DeclareArgs {
    /// What the build passes to its compiler, as one word.
    ///
    /// For example `"-T cs_6_6 -spirv -fvk-use-dx-layout -D X=1"`. Sets target, profile, entry point, matrix
    /// order, 16-bit types, bindings and macros; says what is not followed.
    #[arg(long, value_name = "ARGUMENTS", allow_hyphen_values = true)]
    pub args: Option<String>,
    /// Language of the files, whatever their suffixes.
    ///
    /// Needed for `-`, which reads standard input.
    #[arg(long, value_parser = shader_language(), ignore_case = true, value_name = "LANGUAGE")]
    pub lang: Option<ShaderLanguage>,
    /// Order of matrices that declare none.
    ///
    /// Default: column.
    #[arg(long, value_enum, ignore_case = true)]
    pub matrix: Option<MatrixArg>,
    /// Let `half` and min-precision types take 2 bytes.
    ///
    /// As with dxc -enable-16bit-types. Default: on.
    #[arg(long = "16bit", value_enum, ignore_case = true)]
    pub sixteen_bit: Option<OnOff>,
    /// Define a macro.
    ///
    /// `NAME(x)=VALUE` has parameters.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Look for included files in this folder, too.
    ///
    /// After the folder of the including file.
    #[arg(short = 'I', value_name = "FOLDER")]
    pub include: Vec<String>,
    /// Entry point, if the file has several.
    #[arg(short = 'E', long)]
    pub entry: Option<String>,
    /// slangc's `-msvc-style-bitfield-packing` is among its arguments.
    #[arg(skip)]
    pub msvc_bit_fields: bool,
    /// The compiler whose arguments the user names; it decides which types exist.
    #[arg(skip)]
    pub compiler: Option<ShaderCompiler>,
    /// The targets that the user names; empty for all of the language.
    #[arg(skip)]
    pub targets: Vec<ShaderTarget>,
    /// Whether `__spirv__` is defined, for a reading of some of the targets; `None` as the targets say.
    #[arg(skip)]
    pub spirv_macro: Option<bool>,
    /// What is read in place of files.
    #[arg(skip)]
    pub texts: Arc<ReplacedTexts>,
    /// The compilers that the user names on the command line, maybe with their builds.
    #[arg(skip)]
    pub compilers: Vec<NamedCompiler>,
    /// Read cases from this file or folder, too.
    ///
    /// A case with the id of a built-in one replaces it.
    #[arg(long, value_name = "PATH")]
    pub cases: Vec<PathBuf>,
}

/// Parses the name of a language.
fn shader_language() -> impl TypedValueParser<Value = ShaderLanguage> {
    let help = |language| match language {
        ShaderLanguage::Hlsl => "HLSL, as DXC reads it",
        language => language.title(),
    };
    let value = |language: ShaderLanguage| PossibleValue::new(language.as_str()).help(help(language));
    let named = |name: String| ShaderLanguage::named(&name.to_ascii_lowercase()).ok_or("no such language");
    PossibleValuesParser::new(ShaderLanguage::ALL.map(value)).try_map(named)
}

/// Order of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MatrixArg {
    /// Rows are contiguous.
    Row,
    /// Columns are contiguous.
    Column,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnOff {
    /// On.
    On,
    /// Off.
    Off,
}

/// The macro of DXC and Clang for SPIR-V.
const SPIRV: &str = "__spirv__";

impl DeclareArgs {
    /// Completes the options by what a build passes to its compiler; folders are relative to `folder`.
    pub fn complete(&mut self, arguments: &CompileArguments, folder: &Path) {
        // The user's own ones are the last, which count.
        self.define.splice(0..0, arguments.defines.iter().cloned());
        self.include.extend(arguments.includes.iter().map(|include| folder.join(include).display().to_string()));
        self.entry = self.entry.take().or_else(|| arguments.entry.clone());
        let order = |row_major| if row_major { MatrixArg::Row } else { MatrixArg::Column };
        self.matrix = self.matrix.or(arguments.row_major.map(order));
        let on_off = |sixteen_bit| if sixteen_bit { OnOff::On } else { OnOff::Off };
        self.sixteen_bit = self.sixteen_bit.or(arguments.sixteen_bit.map(on_off));
        self.msvc_bit_fields |= arguments.msvc_bit_fields;
        self.compiler = arguments.compiler;
        if self.targets.is_empty() {
            self.targets.extend(arguments.target);
        }
    }

    /// The options for a reading with or without `__spirv__`.
    #[must_use]
    pub fn with_spirv(&self, is_defined: bool) -> Self {
        Self { spirv_macro: Some(is_defined), ..self.clone() }
    }

    /// Whether the file is read for SPIR-V; `None` if it is read for other targets, too.
    pub fn spirv(&self) -> Option<bool> {
        if self.spirv_macro.is_some() {
            return self.spirv_macro;
        }
        let first = self.targets.first()?;
        let is_spirv = |target: &ShaderTarget| *target == ShaderTarget::Vulkan;
        self.targets.iter().all(|target| is_spirv(target) == is_spirv(first)).then(|| is_spirv(first))
    }

    /// True if the files' texts ask whether the compiler writes SPIR-V, and the user does not say it.
    pub fn asks_for_spirv(&self, files: &[SourceFile]) -> bool {
        let is_typed = self.define.iter().any(|define| split_define(define).0 == SPIRV);
        !is_typed && files.iter().any(|file| file.text.contains(SPIRV))
    }

    /// The layout options for files; cases have their own.
    pub fn layout_options(&self) -> LayoutOptions {
        LayoutOptions {
            matrix: match self.matrix {
                Some(MatrixArg::Row) => MatrixOrder::Row,
                Some(MatrixArg::Column) | None => MatrixOrder::Column,
            },
            sixteen_bit: match self.sixteen_bit {
                Some(OnOff::On) | None => SixteenBit::On,
                Some(OnOff::Off) => SixteenBit::Off,
            },
            msvc_bit_fields: self.msvc_bit_fields,
        }
    }
}
