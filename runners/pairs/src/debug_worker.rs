//! Reads debug information in a child process, on a memory map.
//!
//! [`read_types`] starts such a process; [`serve`] runs in it. Debug information is the worst kind
//! of foreign data for a program: large, nested, and parsed by third-party code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use layoutproof_compilers::regular_file::{MappedFile, ReadError, map_file};
use layoutproof_debuginfo::{
    DebugFile, DebugIndex, DebugInfoError, FoundTypes, HostShape, HostTypeId, HostTypes, IndexedKind, NamedHostType,
    RecordKind, Sibling, SiblingBytes, SiblingFiles, TypeName,
};
use layoutproof_hostcheck::matching::{
    BlockNames, Candidates, NameKey, TypeMatch, UploadNames, has_candidate_name, is_generic, is_named_after,
    is_named_for_file, match_part, names_for_file, nearest,
};
use layoutproof_hostcheck::{
    MemberFit, MemberSketch, ProgramStruct, VectorTypeRow, VectorTypes, block_parts, is_reserved_name,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::debug_types::convert;
use crate::passed::passed_types;
use crate::shader_blocks::TargetBlock;
use crate::source_lines::SourceLines;
use crate::writers::Writers;
use layoutproof_inputs::shader_file::reader_process::{ReaderLimits, ReaderProcess, limit_memory, serve_request};

/// Reading a program of a gigabyte takes seconds, so two minutes mean that something went wrong.
const LIMITS: ReaderLimits = ReaderLimits { time: Duration::from_secs(120), memory_gib: 8 };

/// The internal command that runs [`serve`].
pub const COMMAND: &str = "debug-worker";

/// A request to read one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct DebugRequest {
    file: PathBuf,
    blocks: Vec<WantedBlock>,
    /// Vector types of the user.
    vector_types: Vec<VectorTypeRow>,
}

/// A block of one shader or of several.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WantedBlock {
    names: BlockNames,
    /// Its members and those of the structs in it; `None` if there are too few.
    sketches: Vec<Option<MemberSketch>>,
    /// The names of its shaders' files.
    shaders: BTreeSet<String>,
}

/// The blocks to look for in all host files: each once, although hundreds of shaders may include it.
#[derive(Clone, Debug)]
pub struct WantedTypes {
    blocks: Vec<WantedBlock>,
    vector_types: Vec<VectorTypeRow>,
    /// For each block of the shaders, its place among `blocks`.
    place: Vec<usize>,
}

impl WantedTypes {
    pub fn new(all: &[TargetBlock], vector_types: &[VectorTypeRow]) -> Self {
        let mut wanted = Self { blocks: Vec::new(), vector_types: vector_types.to_vec(), place: Vec::new() };
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for block in all {
            let root = block.layout.result.as_ref();
            let parts = root.map(|root| block_parts(&block.layout, root)).unwrap_or_default();
            let sketches: Vec<Option<MemberSketch>> = parts.iter().map(|part| MemberSketch::new(part.root)).collect();
            let same_name = by_name.entry(&block.names.block).or_default();
            let is_same = |place: &&usize| {
                let known = &wanted.blocks[**place];
                known.names == block.names && known.sketches == sketches
            };
            let file = Path::new(&block.shader).file_name().unwrap_or_default().to_string_lossy().into_owned();
            if let Some(place) = same_name.iter().find(is_same) {
                wanted.place.push(*place);
                wanted.blocks[*place].shaders.insert(file);
                continue;
            }
            same_name.push(wanted.blocks.len());
            wanted.place.push(wanted.blocks.len());
            wanted.blocks.push(WantedBlock { names: block.names.clone(), sketches, shaders: [file].into() });
        }
        wanted
    }

    /// The values for the blocks of the shaders, from those for the lists.
    fn of_shaders<Value: Clone>(&self, values: &[Value]) -> Vec<Value> {
        self.place.iter().filter_map(|place| values.get(*place).cloned()).collect()
    }
}

/// A host struct that fits a block by its members, or has at least one of them at its place. Whether that
/// is enough depends on how near it is to the shader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    pub host: String,
    /// The part of the block that it fits, as an index into its parts.
    pub part: usize,
    pub fit: MemberFit,
}

/// The types of one file that may match the blocks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DebugAnswer {
    /// The reason if the file has no types at all, unless `problems` say it.
    pub absence: Option<String>,
    /// Matching types with a definition.
    pub structs: Vec<ProgramStruct>,
    /// Matching names that are only declared.
    pub declared: Vec<String>,
    /// The names in `declared` of types that are damaged, as `problems` say.
    pub damaged: Vec<String>,
    /// For each block, the most similar names.
    pub nearest: Vec<Vec<String>>,
    /// For each block without a type of its name, the structs that fit by their members, best first.
    pub proposals: Vec<Vec<Proposal>>,
    /// For each of these blocks, the structs that are probably the block's with a mistake, in whatever layout.
    pub mistaken: Vec<Vec<Proposal>>,
    /// The names in `structs` of types that the program passes to its buffers, as far as names of templates show it.
    pub passed: Vec<String>,
    /// Messages about unreadable parts.
    pub problems: Vec<String>,
}

/// Why a file has no answer. The worker process writes it, so it has the texts of errors.
#[derive(Clone, Debug, Error, Serialize, Deserialize)]
enum DebugFailure {
    #[error("reading {file}: {reason}")]
    Unreadable { file: String, reason: String },
    /// The system does not limit the memory of the process.
    #[error("{0}")]
    NoLimit(String),
    /// A [`DebugInfoError`].
    #[error("{0}")]
    Damaged(String),
}

impl From<DebugInfoError> for DebugFailure {
    fn from(error: DebugInfoError) -> Self {
        Self::Damaged(error.to_string())
    }
}

/// Most structs of one program that are tried by their members.
const MOST_TRIALS: usize = 50_000;

/// Most structs that are proposed for one block.
const MOST_PROPOSALS: usize = 3;

/// Most structs that are proposed for a block of one member. If more have it, it says something only of those that are named
/// after a shader.
const MOST_FOR_ONE_MEMBER: usize = 2;

/// Reads the types of `file` that may match blocks.
///
/// # Errors
/// The file cannot be read, or the process died.
pub fn read_types(file: &Path, wanted: &WantedTypes) -> anyhow::Result<DebugAnswer> {
    let reader = ReaderProcess::of_command(COMMAND, LIMITS)?;
    let WantedTypes { blocks, vector_types, place: _ } = wanted.clone();
    let request = DebugRequest { file: file.to_owned(), blocks, vector_types };
    match reader.answer::<_, Result<DebugAnswer, DebugFailure>>(&request) {
        Ok(Ok(answer)) => Ok(DebugAnswer {
            nearest: wanted.of_shaders(&answer.nearest),
            proposals: wanted.of_shaders(&answer.proposals),
            mistaken: wanted.of_shaders(&answer.mistaken),
            ..answer
        }),
        Ok(Err(failure)) => Err(failure.into()),
        Err(end) => bail!("reading {}: the reader of debug information {end}", file.display()),
    }
}

/// Answers the request on standard input.
///
/// # Errors
/// The request is missing, or the answer cannot be written.
pub fn serve() -> anyhow::Result<()> {
    serve_request(LIMITS, |request: DebugRequest| Ok(answer(&request)))
}

fn answer(request: &DebugRequest) -> Result<DebugAnswer, DebugFailure> {
    let name = request.file.display().to_string();
    let unreadable = |error: ReadError| DebugFailure::Unreadable { file: name.clone(), reason: error.to_string() };
    let map = map_file(&request.file).map_err(unreadable)?;
    // Only now, because the map must not count.
    limit_memory(LIMITS.memory_gib).map_err(|error| DebugFailure::NoLimit(error.to_string()))?;

    let siblings = FilesBeside { file: request.file.clone() };
    let file = DebugFile::new(&name, map.as_ref(), &siblings);
    let index = file.index()?;
    let absence = index.absence().filter(|absence| !index.problems().iter().any(|problem| absence.repeats(problem)));
    let mut answer = DebugAnswer {
        absence: absence.map(ToString::to_string),
        problems: index.problems().iter().map(ToString::to_string).collect(),
        ..DebugAnswer::default()
    };

    let is_struct = |kind: IndexedKind| kind != IndexedKind::Record(RecordKind::Enum);
    let is_own = |name: &TypeName<'_>| is_struct(name.kind) && !is_reserved_name(name.name);
    let names = NameKey::all(index.names().filter(is_own).map(|name| name.name));
    answer.nearest = request.blocks.iter().map(|block| nearest(&block.names, &names)).collect();
    let candidates = Candidates::new(request.blocks.iter().map(|block| &block.names));

    let of_files = |block: &WantedBlock| -> Vec<BTreeSet<String>> {
        block.shaders.iter().map(|shader| names_for_file(&block.names, shader)).collect()
    };
    let of_files: BTreeSet<String> = request.blocks.iter().flat_map(of_files).flatten().collect();
    let uploads = UploadNames::of(request.blocks.iter().map(|block| &block.names));
    let is_similar = |name: &str| is_generic(name) || uploads.has_similar(name);
    let may_match = |name: &str| candidates.has(name) || is_named_for_file(&of_files, name) || is_similar(name);
    let found = file.read(&index, |name| is_struct(name.kind) && may_match(name.name))?;
    let working_folder = std::env::current_dir().unwrap_or_default();
    let by_variable = index.names().filter(|name| name.kind == IndexedKind::ByVariable).map(|name| name.name);
    let by_variable: BTreeSet<&str> = by_variable.collect();
    let writers = Writers::of(&file);
    for named in &found.named {
        match convert(&found, named, &name, &working_folder, by_variable.contains(named.name.as_str())) {
            Some(program) => {
                let written_by = writers.find(&program.name).cloned();
                answer.structs.push(ProgramStruct { written_by, ..program });
            }
            None if named.layouts.is_empty() => {
                let is_damaged = found.problems.iter().any(|problem| problem.type_name() == Some(&named.name));
                answer.damaged.extend(Some(named.name.clone()).filter(|_| is_damaged));
                answer.declared.push(named.name.clone());
            }
            None => {}
        }
    }
    answer.problems.extend(found.problems.iter().map(ToString::to_string));
    let mut lines = SourceLines::default();
    lines.add_to_all(&mut answer.structs, &found, &working_folder);
    let vector_types = VectorTypes::built_in().with_rows(&request.vector_types);
    let trials = MemberTrials { request, file: &file, index: &index, object: &name, writers, vector_types };
    trials.propose(&mut answer, lines)?;
    let passed = passed_types(index.names().map(|name| name.name), index.function_instances());
    let names = answer.structs.iter().map(|program| &program.name);
    answer.passed = names.filter(|name| passed.contains(name.as_str())).cloned().collect();
    Ok(answer)
}

/// What a block needs a struct for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Goal {
    /// The block, as an index into those of the request.
    block: usize,
    /// True for the elements after its header; false for the block itself.
    is_end: bool,
}

/// Tries blocks without a type of their name against all structs of a program.
struct MemberTrials<'a> {
    request: &'a DebugRequest,
    file: &'a DebugFile<'a>,
    index: &'a DebugIndex,
    object: &'a str,
    writers: Writers,
    vector_types: VectorTypes,
}

impl MemberTrials<'_> {
    fn propose(&self, answer: &mut DebugAnswer, mut lines: SourceLines) -> Result<(), DebugInfoError> {
        let named_structs = answer.structs.len();
        answer.proposals = vec![Vec::new(); self.request.blocks.len()];
        answer.mistaken = vec![Vec::new(); self.request.blocks.len()];
        let all = (0..self.request.blocks.len()).flat_map(|block| [false, true].map(|is_end| Goal { block, is_end }));
        let goals: Vec<Goal> = all.filter(|goal| self.is_open(*goal, &answer.structs)).collect();
        if goals.is_empty() {
            return Ok(());
        }
        let is_tried = |name: &TypeName<'_>| {
            let is_record = matches!(
                name.kind,
                IndexedKind::Record(RecordKind::Struct | RecordKind::Class) | IndexedKind::ByVariable
            );
            // Programs have thousands of instances of templates, and buffers hold few of them.
            let is_plain = !name.name.contains('<') || self.writers.find(name.name).is_some();
            is_record && name.definitions > 0 && is_plain
        };
        let count = self.index.names().filter(is_tried).count();
        if count > MOST_TRIALS {
            answer.problems.push(format!(
                "{}: {count} structs are too many to try by their members; name them with --map",
                self.object
            ));
            return Ok(());
        }

        let found = self.file.read(self.index, is_tried)?;
        let mut proposals: Vec<Vec<Proposal>> = vec![Vec::new(); goals.len()];
        for named in &found.named {
            let Some(layout) = named.layouts.first() else { continue };
            if adds_nothing(&found, layout.ty) {
                continue;
            }
            let written = self.writers.find(&named.name).and_then(|_| self.convert(&found, named));
            let mut members = Vec::new();
            add_members(&found.types, layout.ty, 0, &mut members);
            let members = MemberSketch::of_host(members);
            for (goal, proposals) in goals.iter().zip(&mut proposals) {
                let fits = self.sketches(*goal).map(|(part, sketch)| match &written {
                    Some(written) => (sketch.fit_of(written, &self.vector_types), part),
                    None => (sketch.fit(&members), part),
                });
                if let Some((fit, part)) = fits
                    .max_by_key(|(fit, part)| (*fit, std::cmp::Reverse(*part)))
                    .filter(|(fit, _)| fit.placed > 0 || fit.is_near())
                {
                    proposals.push(Proposal { host: named.name.clone(), part, fit });
                }
            }
            if written.is_none() {
                self.add_mistaken(&found, named, &goals, answer);
            }
        }

        for (goal, mut fitting) in goals.into_iter().zip(proposals) {
            let only_members = fitting.iter().filter(|proposal| proposal.fit.is_only_member()).count();
            if only_members > MOST_FOR_ONE_MEMBER {
                let shaders = &self.request.blocks[goal.block].shaders;
                fitting.retain(|proposal| {
                    let is_named = || shaders.iter().any(|shader| is_named_after(&proposal.host, shader));
                    !proposal.fit.is_only_member() || is_named()
                });
            }
            fitting.sort_by_key(|proposal| (std::cmp::Reverse(proposal.fit), proposal.host.clone()));
            let mut possible = 0;
            for proposal in fitting {
                if possible >= MOST_PROPOSALS {
                    break;
                }
                let Some(program) = found.find(&proposal.host).and_then(|named| self.convert(&found, named)) else {
                    continue;
                };
                if program.is_never_uploaded() {
                    continue;
                }
                if !answer.structs.iter().any(|known| known.name == program.name) {
                    answer.structs.push(program);
                }
                answer.proposals[goal.block].push(proposal);
                possible += 1;
            }
        }
        let working_folder = std::env::current_dir().unwrap_or_default();
        lines.add_to_all(&mut answer.structs[named_structs..], &found, &working_folder);
        Ok(())
    }

    /// Adds a struct to the blocks that it is probably for, with a mistake.
    fn add_mistaken(&self, found: &FoundTypes, named: &NamedHostType, goals: &[Goal], answer: &mut DebugAnswer) {
        let Some(layout) = named.layouts.first() else { return };
        let mut names = Vec::new();
        add_names(&found.types, layout.ty, 0, &mut names);
        let names = MemberSketch::of_host(names);
        let mut converted = None;
        for goal in goals {
            let near = self.sketches(*goal).filter(|(_, sketch)| sketch.fit(&names).is_faulty());
            for (part, sketch) in near {
                let program = converted.get_or_insert_with(|| self.convert(found, named));
                let Some(program) = program.as_ref() else { return };
                if program.is_of_the_system() || !sketch.is_mistaken(program) {
                    continue;
                }
                if !answer.structs.iter().any(|known| known.name == program.name) {
                    answer.structs.push(program.clone());
                }
                let fit = sketch.fit_of(program, &self.vector_types);
                answer.mistaken[goal.block].push(Proposal { host: program.name.clone(), part, fit });
            }
        }
    }

    /// True if no struct with the name has all members at their places and no others. Otherwise the program may upload
    /// another struct instead: `GpuLight` next to its own `Light`.
    fn is_open(&self, goal: Goal, structs: &[ProgramStruct]) -> bool {
        let block = &self.request.blocks[goal.block].names;
        let is_named = |found: &ProgramStruct| match (goal.is_end, block.parts.last()) {
            (true, Some(end)) => {
                matches!(match_part(block, end, std::iter::once(found.name.as_str())), TypeMatch::Found(_))
            }
            _ => has_candidate_name(block, &found.name) && !is_generic(&found.name),
        };
        let possible = structs.iter().filter(|found| !found.is_never_uploaded() && !found.is_named_by_variable);
        let mut namesakes = possible.filter(|found| is_named(found));
        let is_settled = |found: &ProgramStruct| {
            let mut fits = self.sketches(goal).map(|(_, sketch)| sketch.fit_of(found, &self.vector_types));
            fits.any(|fit| fit.placed == fit.of && found.count_of_data() <= fit.of)
        };
        let is_end_stated = || block.parts.last().is_some_and(|end| end.stated.is_some());
        let is_stated = block.stated_for_all().is_some() || (goal.is_end && is_end_stated());
        !is_stated && self.sketches(goal).next().is_some() && !namesakes.any(is_settled)
    }

    /// The parts of a block that a struct may fill.
    fn sketches(&self, goal: Goal) -> impl Iterator<Item = (usize, &MemberSketch)> {
        let WantedBlock { names, sketches, .. } = &self.request.blocks[goal.block];
        let is_end =
            |part: usize| part.checked_sub(1).and_then(|inner| names.parts.get(inner)).is_some_and(|it| !it.is_all);
        let sketches = sketches.iter().enumerate();
        let own = sketches.filter(move |(part, _)| is_end(*part) == goal.is_end);
        own.filter_map(|(part, sketch)| Some((part, sketch.as_ref()?)))
    }

    fn convert(&self, found: &FoundTypes, named: &NamedHostType) -> Option<ProgramStruct> {
        let working_folder = std::env::current_dir().unwrap_or_default();
        let program = convert(found, named, self.object, &working_folder, false)?;
        let written_by = self.writers.find(&named.name).cloned();
        Some(ProgramStruct { written_by, ..program })
    }
}

/// True for `struct Concat : Binary {};`: it has the bytes of a base that is tried itself.
fn adds_nothing(found: &FoundTypes, ty: HostTypeId) -> bool {
    let types = &found.types;
    let derived = types.resolve(ty);
    let HostShape::Record(record) = &types[derived].shape else { return false };
    let mut bases = record.bases.iter().filter(|base| !types.all_members(base.ty).is_empty());
    let (Some(base), None) = (bases.next(), bases.next()) else { return false };
    let own = &types[types.resolve(base.ty)];
    let is_tried = || found.find(&own.name).is_some_and(|named| !named.layouts.is_empty());
    record.members.is_empty() && base.offset == Some(0) && own.size == types[derived].size && is_tried()
}

/// Lists the members of a record by name and offset. Those of an unnamed member count as its own.
fn add_members<'a>(types: &'a HostTypes, record: HostTypeId, start: u32, members: &mut Vec<(&'a str, u32)>) {
    for placed in types.all_members(record) {
        let offset = start.saturating_add(placed.offset);
        match &placed.member.name {
            Some(name) => members.push((name, offset)),
            None => add_members(types, placed.member.ty, offset, members),
        }
    }
}

/// Deepest structs in a struct whose members may be those of a block.
const MOST_LEVELS: u32 = 4;

/// Lists the members of a record and of the structs in it.
fn add_names<'a>(types: &'a HostTypes, record: HostTypeId, level: u32, names: &mut Vec<(&'a str, u32)>) {
    for placed in types.all_members(record) {
        names.extend(placed.member.name.as_deref().map(|name| (name, placed.offset)));
        let inner = types.resolve(placed.member.ty);
        if level < MOST_LEVELS && matches!(types[inner].shape, HostShape::Record(_)) {
            add_names(types, inner, level + 1, names);
        }
    }
}

/// Opens files next to the one that is read: split or stripped debug information.
#[derive(Clone, Debug)]
struct FilesBeside {
    file: PathBuf,
}

impl FilesBeside {
    /// The possible paths of a sibling, best first.
    fn candidates(&self, sibling: &Sibling<'_>) -> Vec<PathBuf> {
        let folder = self.file.parent().unwrap_or(Path::new(""));
        let file_name = self.file.file_name().unwrap_or_default();
        let appended = |suffix: &str| {
            let mut name = file_name.to_owned();
            name.push(suffix);
            folder.join(name)
        };
        // The last part of a path from another machine, which may use backslashes.
        let last = |path: &str| folder.join(path.rsplit(['/', '\\']).next().unwrap_or(path));
        match sibling {
            Sibling::Dwo { folder: compiled_in, name } => vec![Path::new(compiled_in).join(name), last(name)],
            Sibling::Dwp => vec![appended(".dwp")],
            Sibling::DebugLink { name } => vec![folder.join(name), folder.join(".debug").join(name)],
            Sibling::Pdb { path } => vec![PathBuf::from(path), last(path)],
            Sibling::Dsym => {
                vec![appended(".dSYM").join("Contents/Resources/DWARF").join(file_name)]
            }
        }
    }
}

impl SiblingFiles for FilesBeside {
    fn open_sibling(&self, sibling: &Sibling<'_>) -> Option<SiblingBytes> {
        let mut candidates = self.candidates(sibling).into_iter();
        let map: MappedFile = candidates.find_map(|path| map_file(&path).ok())?;
        Some(Box::new(map))
    }
}
