//! Compares the bindings that compilers choose for a program's parameters with a convention: DXC by
//! the table of resource bindings in DXIL and by the decorations in SPIR-V, slangc by its reflection.
//!
//! `layoutproof dev fuzz --bindings` does this with random programs, and so do tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use layoutproof_bindings::{Binding, BindingRequest, BoundModule, Convention, Target, bind};
use layoutproof_device::words_of;
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_layout::shape::Count;
use layoutproof_layout::{LayoutUnit, Span};
use layoutproof_random::{ProgramDialect, RandomProgram};
use layoutproof_readers::dxil::{ListedBinding, resource_bindings};
use layoutproof_readers::reflection::{ReflectedBinding, parameters};
use layoutproof_readers::spirv::bound_variables;
use layoutproof_render::render;
use layoutproof_source::sources::SourceMap;

use crate::compiler::{Compiler, CompilerAnswer};
use crate::drivers::driver_named;
use crate::scratch::ScratchFolder;
use crate::service::CompileService;

/// The way in which a convention and a compiler agree on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingAgreement {
    /// Both place every parameter alike.
    Placed,
    Refused,
}

/// The reason why a convention and a compiler do not agree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindingDisagreement {
    /// Their answers differ; the text shows both.
    #[error("{0}")]
    Differs(String),
    /// The compiler returned no answer, or an unreadable one, for this reason.
    #[error("{0}")]
    Broken(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindingAnswer<T> {
    Placed(T),
    Refused(String),
}

/// A compiler that reports where it binds parameters.
#[derive(Debug)]
pub struct BindingCompiler {
    compiler: Compiler,
    /// Avoids a compiler start for each program.
    service: Option<Box<dyn CompileService>>,
    dialect: ProgramDialect,
}

/// Profile of every comparison with slangc; with it, parameter blocks have spaces.
const SLANG_PROFILE: &str = "sm_6_6";

pub fn targets(dialect: ProgramDialect) -> &'static [Target] {
    match dialect {
        ProgramDialect::Dxc => &[Target::D3d12, Target::Vulkan],
        ProgramDialect::Slang => &[Target::D3d12, Target::Vulkan, Target::Webgpu],
    }
}

pub fn request(dialect: ProgramDialect, target: Target) -> BindingRequest {
    match dialect {
        ProgramDialect::Dxc => BindingRequest::new(target, Convention::Dxc),
        ProgramDialect::Slang => {
            BindingRequest { profile: Some(SLANG_PROFILE.to_owned()), ..BindingRequest::new(target, Convention::Slang) }
        }
    }
}

impl BindingCompiler {
    /// Wraps a compiler that can be compared: slangc, or DXC in the version that the convention
    /// describes.
    pub fn of(compiler: Compiler) -> Option<Self> {
        match compiler.name() {
            "dxc" => Some(Self::new(compiler, ProgramDialect::Dxc)),
            "slangc" => Some(Self::new(compiler, ProgramDialect::Slang)),
            _ => None,
        }
    }

    pub fn new(compiler: Compiler, dialect: ProgramDialect) -> Self {
        let service = driver_named(compiler.name()).and_then(|driver| driver.service(&compiler));
        Self { compiler, service, dialect }
    }

    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    pub fn dialect(&self) -> ProgramDialect {
        self.dialect
    }

    /// Compares the compiler's convention for a target with the compiler's answer for the program.
    pub fn compare(&self, target: Target, program: &RandomProgram) -> Result<BindingAgreement, BindingDisagreement> {
        let text = match (self.dialect, target) {
            // slangc refuses a body that uses resources missing in WGSL, such as typed buffers, but
            // reflects their bindings.
            (ProgramDialect::Slang, Target::Webgpu) => RandomProgram { uses: Vec::new(), ..program.clone() }.text(),
            (ProgramDialect::Slang | ProgramDialect::Dxc, _) => program.text(),
        };
        let folder = ScratchFolder::new().map_err(broken)?;
        let profile = if program.is_hull { "hs_6_6" } else { "cs_6_6" };
        let theirs = match (self.dialect, target) {
            (ProgramDialect::Slang, _) => self.reflected(folder.path(), target, &text)?,
            (ProgramDialect::Dxc, Target::D3d12) => self.listed(folder.path(), profile, &text)?,
            (ProgramDialect::Dxc, Target::Vulkan) => self.decorated(folder.path(), profile, &text)?,
            (ProgramDialect::Dxc, Target::Webgpu | Target::Metal) => {
                return Err(broken(format!("DXC has no target {target}")));
            }
        };
        self.agree(target, &placed(&text, &request(self.dialect, target))?, &theirs)
    }

    /// Returns the registers that DXC assigns with these arguments in `folder`.
    fn registers(&self, folder: &Path, arguments: &[&str]) -> Result<BindingAnswer<Vec<Binding>>, BindingDisagreement> {
        self.listed_registers(self.run(folder, arguments))
    }

    /// Returns the registers in DXC's answer.
    pub fn listed_registers(&self, answer: CompilerAnswer) -> Result<BindingAnswer<Vec<Binding>>, BindingDisagreement> {
        if self.dialect == ProgramDialect::Slang {
            return Err(broken("slangc lists no registers"));
        }
        let rows = |listing: &str| {
            let binding = |listed: ListedBinding| Binding {
                path: path(&listed.name),
                unit: listed.unit,
                space: listed.space,
                index: listed.index,
                count: listed.count,
                span: Span::default(),
            };
            Ok(resource_bindings(listing).map_err(broken)?.into_iter().map(binding).collect())
        };
        read_answer(answer, rows)
    }

    /// Runs the compiler with these arguments in `folder`, through its service if it has one.
    /// `read` reads its answer from its standard output.
    fn ask<T>(
        &self,
        folder: &Path,
        arguments: &[&str],
        read: impl FnOnce(&str) -> Result<T, BindingDisagreement>,
    ) -> Result<BindingAnswer<T>, BindingDisagreement> {
        read_answer(self.run(folder, arguments), read)
    }

    fn run(&self, folder: &Path, arguments: &[&str]) -> CompilerAnswer {
        match &self.service {
            Some(service) => self.compiler.answer(service.run(folder, arguments, self.compiler.limit())),
            None => self.compiler.ask(folder, arguments),
        }
    }

    fn listed(&self, folder: &Path, profile: &str, text: &str) -> Result<Answer, BindingDisagreement> {
        fs::write(folder.join("program.hlsl"), text).map_err(broken)?;
        let answer = self.registers(folder, &["-T", profile, "-E", "main", "program.hlsl"])?;
        Ok(match answer {
            BindingAnswer::Placed(bindings) => BindingAnswer::Placed(bindings.iter().map(BoundRow::of).collect()),
            BindingAnswer::Refused(said) => BindingAnswer::Refused(said),
        })
    }

    fn decorated(&self, folder: &Path, profile: &str, text: &str) -> Result<Answer, BindingDisagreement> {
        fs::write(folder.join("program.hlsl"), text).map_err(broken)?;
        let arguments = ["-T", profile, "-E", "main", "-spirv", "-Fo", "program.spv", "program.hlsl"];
        self.ask(folder, &arguments, |_| {
            let module = fs::read(folder.join("program.spv")).map_err(broken)?;
            let variables = bound_variables(&words_of(&module)).map_err(|bad| broken(bad.reason))?;
            let rows = variables.into_iter().map(|variable| BoundRow {
                name: path(&variable.name),
                unit: LayoutUnit::Binding,
                space: variable.set,
                index: variable.binding,
                count: Count::Finite(1),
            });
            Ok(rows.collect())
        })
    }

    /// The rows in slangc's reflection: one for each unit of each global parameter.
    fn reflected(&self, folder: &Path, target: Target, text: &str) -> Result<Answer, BindingDisagreement> {
        fs::write(folder.join("program.slang"), text).map_err(broken)?;
        let language = match target {
            Target::D3d12 => "hlsl",
            Target::Vulkan => "spirv",
            Target::Webgpu => "wgsl",
            Target::Metal => "metal",
        };
        let arguments = ["program.slang", "-target", language, "-profile", SLANG_PROFILE, "-no-codegen"];
        let arguments = [&arguments[..], &["-reflection-json", "program.json"]].concat();
        let answer = self.ask(folder, &arguments, |_| {
            let json = fs::read_to_string(folder.join("program.json")).map_err(broken)?;
            parameters(&json).map_err(broken)
        })?;
        let reflected = match answer {
            BindingAnswer::Placed(reflected) => reflected,
            BindingAnswer::Refused(said) => return Ok(BindingAnswer::Refused(said)),
        };
        let mut rows = BTreeSet::new();
        for ReflectedBinding { name, unit, space, index, count, .. } in reflected {
            // slangc accepts parameters for which an unbounded array leaves no slot, reports their
            // index as "unbounded", and writes `register(t18446744073709551615)`.
            let Some(index) = index else {
                return Ok(BindingAnswer::Refused(format!("slangc reflects no place for {name}")));
            };
            rows.insert(BoundRow { name, unit, space, index, count });
        }
        Ok(BindingAnswer::Placed(rows))
    }

    fn agree(
        &self,
        target: Target,
        ours: &Result<BoundModule, Vec<String>>,
        theirs: &Answer,
    ) -> Result<BindingAgreement, BindingDisagreement> {
        let told = match (ours, theirs) {
            (Ok(bound), BindingAnswer::Placed(theirs)) => {
                let ours = match self.dialect {
                    ProgramDialect::Slang => by_parameter(&bound.bindings),
                    ProgramDialect::Dxc => bound.bindings.iter().map(BoundRow::of).collect(),
                };
                // DXC assigns Vulkan bindings to unused resources too, but leaves those resources
                // out of the module.
                let leaves_out = self.dialect == ProgramDialect::Dxc && target == Target::Vulkan;
                let is_there = |row: &BoundRow| !leaves_out || theirs.iter().any(|their| their.name == row.name);
                return same(&ours.into_iter().filter(is_there).collect(), theirs);
            }
            (Err(messages), BindingAnswer::Refused(said)) => {
                // DXC may stop at its first error; layoutproof reports all errors.
                let is_told = messages.iter().any(|message| said.contains(message.as_str()));
                if self.dialect == ProgramDialect::Slang || is_told {
                    return Ok(BindingAgreement::Refused);
                }
                format!("layoutproof refuses with {messages:?}, DXC with:\n{said}")
            }
            (Ok(_), BindingAnswer::Refused(said)) => {
                let name = if self.dialect == ProgramDialect::Dxc { "DXC" } else { "slangc" };
                format!("only {name} refuses:\n{said}")
            }
            (Err(messages), BindingAnswer::Placed(_)) => format!("only layoutproof refuses: {messages:?}"),
        };
        Err(BindingDisagreement::Differs(told))
    }
}

type Answer = BindingAnswer<BTreeSet<BoundRow>>;

fn read_answer<T>(
    answer: CompilerAnswer,
    read: impl FnOnce(&str) -> Result<T, BindingDisagreement>,
) -> Result<BindingAnswer<T>, BindingDisagreement> {
    match answer {
        CompilerAnswer::Broken(how) => Err(broken(how)),
        CompilerAnswer::Refused(finished) => Ok(BindingAnswer::Refused(finished.stderr)),
        CompilerAnswer::Accepted(finished) => read(&finished.stdout).map(BindingAnswer::Placed),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives errors by value")]
fn broken(reason: impl ToString) -> BindingDisagreement {
    BindingDisagreement::Broken(reason.to_string())
}

/// The place of a parameter, which may be a member or an element.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BoundRow {
    name: String,
    unit: LayoutUnit,
    /// Space or descriptor set.
    space: u32,
    index: u32,
    count: Count,
}

impl BoundRow {
    fn of(binding: &Binding) -> Self {
        let Binding { path, unit, space, index, count, .. } = binding;
        Self { name: path.clone(), unit: *unit, space: *space, index: *index, count: *count }
    }
}

impl fmt::Display for BoundRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, unit, space, index, count } = self;
        write!(f, "{name}: {unit} {index} of space {space}, {count} of them")
    }
}

/// Converts DXC's `s.B.3` to `s.B[3]`.
fn path(name: &str) -> String {
    let mut path = String::new();
    for (at, part) in name.split('.').enumerate() {
        match part.parse::<u32>() {
            Ok(_) => path.extend(["[", part, "]"]),
            Err(_) if at == 0 => path.push_str(part),
            Err(_) => path.extend([".", part]),
        }
    }
    path
}

/// Binds the parameters with layoutproof. The inner error holds the messages of its refusal.
fn placed(text: &str, request: &BindingRequest) -> Result<Result<BoundModule, Vec<String>>, BindingDisagreement> {
    let mut sources = SourceMap::default();
    let file = sources.add("random.hlsl", text);
    let end = u32::try_from(text.len()).expect("programs are short");
    let module = declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default());
    let module = module.map_err(|problems| {
        let problems = render(&problems, &sources, false);
        BindingDisagreement::Differs(format!("layoutproof does not read it: {problems}"))
    })?;
    Ok(bind(&module, request).map_err(|problems| problems.into_iter().map(|problem| problem.message).collect()))
}

/// Compares both sides as sets; the error shows the difference.
fn same(ours: &BTreeSet<BoundRow>, theirs: &BTreeSet<BoundRow>) -> Result<BindingAgreement, BindingDisagreement> {
    if ours == theirs {
        return Ok(BindingAgreement::Placed);
    }
    let lines = |rows: Vec<&BoundRow>| rows.iter().map(|row| format!("    {row}")).collect::<Vec<_>>().join("\n");
    let only_ours = lines(ours.difference(theirs).collect());
    let only_theirs = lines(theirs.difference(ours).collect());
    let told = format!("only layoutproof has:\n{only_ours}\nonly the compiler has:\n{only_theirs}");
    Err(BindingDisagreement::Differs(told))
}

/// Our rows as slangc reflects them, merged per parameter; the parts of a parameter must be
/// adjacent. The reflection omits the buffers of loose globals and of entry points, and shows only
/// the space of a parameter block.
fn by_parameter(rows: &[Binding]) -> BTreeSet<BoundRow> {
    let blocks: BTreeSet<&str> =
        rows.iter().filter(|row| row.unit == LayoutUnit::Space).map(|row| row.path.as_str()).collect();
    let mut drawn: BTreeMap<(&str, LayoutUnit), Vec<&Binding>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.path.starts_with('$')) {
        let name = row.path.split(['.', '[']).next().unwrap_or(&row.path);
        if row.unit == LayoutUnit::Space || !blocks.contains(name) {
            drawn.entry((name, row.unit)).or_default().push(row);
        }
    }
    drawn.into_iter().map(|((name, unit), rows)| together(name, unit, &rows)).collect()
}

fn together(name: &str, unit: LayoutUnit, rows: &[&Binding]) -> BoundRow {
    let (space, index) = rows.iter().map(|row| (row.space, row.index)).min().expect("a group has a row");
    let total = rows.iter().try_fold(0_u32, |sum, row| match row.count {
        Count::Finite(count) => Some(sum + count),
        Count::Unbounded => None,
    });
    BoundRow { name: name.to_owned(), unit, space, index, count: total.map_or(Count::Unbounded, Count::Finite) }
}
