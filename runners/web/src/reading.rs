//! Parses the text of a request like the command parses a file of its language.

use std::sync::Arc;

use layoutproof_bindings::{BindingInvocation, BindingRequest, Convention, Target};
use layoutproof_core::case::file::split_define;
use layoutproof_frontend::DeclareOptions;
use layoutproof_layout::native::find_native;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{Column, FileId, LayoutOptions, RuleChoice, Span, find};
use layoutproof_readers::module_reader::{InProcessReader, ModuleReader};
use layoutproof_show::front_ends::{Glslang, InputTools, NoGlslang, NoListing, Purpose, ReadOptions, TextFrontEnd};
use layoutproof_show::{RuleSetLayouts, ShowInput, ShownRules};
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::{ReadRefusal, SourceMap, Sources};

use crate::request::{ExploreMatrix, ExploreRequest};

/// The file stem of the text, for messages and for copied texts.
pub const EXPLORED_FILE_STEM: &str = "explorer";

#[derive(Debug)]
pub struct ExploreReading {
    /// The text only: no file can be included.
    pub sources: SourceMap,
    /// Its blocks, or its problems.
    pub input: Result<ShowInput, Vec<Diagnostic>>,
    /// The columns to show.
    pub rules: ShownRules,
    pub bindings: Vec<BindingRequest>,
    /// The file name of the text.
    pub name: String,
}

/// The included files of a text in a browser: none exist.
#[derive(Clone, Copy, Debug)]
struct NoFilesHere;

impl Sources for NoFilesHere {
    fn read(&self, _path: &str) -> Result<String, ReadRefusal> {
        Err(ReadRefusal::Refused {
            reason: "the explorer has no files".to_owned(),
            help: Some("put the text of the file here, or give both files to `layoutproof show`".to_owned()),
        })
    }
}

/// The tools of a browser: only those that are a part of this program.
#[derive(Clone, Copy, Debug)]
struct BrowserTools;

impl InputTools for BrowserTools {
    fn reader(&self) -> &dyn ModuleReader {
        &InProcessReader
    }

    fn glslang(&self) -> Result<Glslang, NoGlslang> {
        Err(NoGlslang("`layoutproof show` uses glslang, which supports all of it".to_owned()))
    }

    fn list_container(&self, _container: &[u8]) -> Result<String, NoListing> {
        let reason = "the explorer has no DXC".to_owned();
        Err(NoListing { reason, help: "give the file to `layoutproof show`".to_owned() })
    }

    fn compile_metal(&self, _text: &str) -> Result<String, NoListing> {
        let reason = "the explorer has no Clang".to_owned();
        Err(NoListing { reason, help: "give the file to `layoutproof show`".to_owned() })
    }
}

impl ExploreReading {
    pub fn of(request: &ExploreRequest) -> Self {
        let language = ShaderLanguage::named(&request.language).unwrap_or(ShaderLanguage::Hlsl);
        let name = format!("{EXPLORED_FILE_STEM}.{}", language.as_str());
        let mut sources = SourceMap::default();
        let file = sources.add(name.as_str(), request.text.as_str());
        let span = whole(file, &request.text);

        let options = ReadOptions {
            layout: layout_options(request),
            declare: declare_options(request),
            macros: &request.defines,
            purpose: Purpose::Display,
            tools: &BrowserTools,
        };
        let content = TextFrontEnd::of(language).read(span, &options, &mut sources);
        // The page shows the chosen size, so nothing is assumed.
        let assumes_sixteen_bit = false;
        let input = content.map(|content| ShowInput { content, language: Some(language), assumes_sixteen_bit });
        Self { sources, input, rules: shown_rules(&request.columns), bindings: binding_requests(request), name }
    }

    /// The blocks under each shown column; empty if the text was refused.
    pub fn layouts(&self) -> Vec<RuleSetLayouts> {
        self.input.as_ref().map(|input| input.layouts(&self.rules)).unwrap_or_default()
    }
}

fn whole(file: FileId, text: &str) -> Span {
    // Texts of 4 GiB do not fit in the memory of WebAssembly.
    Span { file, start: 0, end: u32::try_from(text.len()).unwrap_or(u32::MAX) }
}

fn layout_options(request: &ExploreRequest) -> LayoutOptions {
    let matrix = match request.matrix {
        ExploreMatrix::Column => MatrixOrder::Column,
        ExploreMatrix::Row => MatrixOrder::Row,
    };
    let sixteen_bit = if request.wide_half { SixteenBit::Off } else { SixteenBit::On };
    LayoutOptions { matrix, sixteen_bit, ..LayoutOptions::default() }
}

fn declare_options(request: &ExploreRequest) -> DeclareOptions {
    DeclareOptions {
        entry: entry(request),
        defines: request.defines.iter().map(|define| split_define(define)).collect(),
        files: Arc::new(NoFilesHere),
        ..DeclareOptions::default()
    }
}

fn entry(request: &ExploreRequest) -> Option<String> {
    Some(request.entry.clone()).filter(|entry| !entry.is_empty())
}

/// The rule sets and compiler choices of these names. Skips unknown names, which an old link may
/// contain.
fn shown_rules(names: &[String]) -> ShownRules {
    let choice = |name: &String| match find(name) {
        Some(rules) => Some(RuleChoice::Rules(rules)),
        None => find_native(name).map(RuleChoice::Native),
    };
    let choices: Vec<RuleChoice> = names.iter().filter_map(choice).collect();
    if choices.is_empty() {
        ShownRules::Shipping
    } else {
        ShownRules::Columns(choices.into_iter().map(Into::into).collect())
    }
}

/// The binding requests of these names (`d3d12.dxc`). Skips names that no convention covers.
fn binding_requests(request: &ExploreRequest) -> Vec<BindingRequest> {
    let invocation = BindingInvocation { entry: entry(request), ..BindingInvocation::default() };
    let named = |name: &String| {
        let Column { target, compiler, version, .. } = Column::parse(name).ok()?;
        let (target, convention) = (Target::of(target)?, Convention::of(compiler?)?);
        let covers = convention.targets().contains(&target);
        covers.then(|| invocation.request(target, convention, version.map(str::to_owned)))
    };
    request.bindings.iter().filter_map(named).collect()
}
