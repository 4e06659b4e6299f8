//! The bindings of parameters according to each requested convention, and those that a file states itself:
//! WGSL's groups, GLSL's and SPIR-V's descriptor sets.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_bindings::options::BindingOptions;
use layoutproof_bindings::place::NOT_BOUND;
use layoutproof_bindings::{
    Binding, BindingOverlap, BindingPlace, BindingRequest, BoundModule, ChosenEntry, Declarations, bind, chosen_entry,
};
use layoutproof_frontend::module::Module;
use layoutproof_layout::native::Native;
use layoutproof_layout::shape::Count;
use layoutproof_layout::{BlockKind, Column, LayoutUnit, ShaderCompiler, ShaderTarget, Span, join};
use layoutproof_readers::container::{ContainerTables, SignatureElement, SignatureSide};
use layoutproof_readers::dxil::ListedBinding;
use layoutproof_readers::spirv::{
    DeclaredModule, DeclaredUniform, DeclaredVariable, DeclaredVarying, OpenGlClass, VaryingDirection,
};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_wgsl::{WgslBinding, WgslDirection, WgslEntryPoint, WgslModule, WgslSpace};

use super::findings::parameter_limits;
use crate::bindings_text::BindingsColumn;

/// The results of all requested conventions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placements {
    /// One per convention that places the parameters.
    pub columns: Vec<BindingsColumn>,
    /// The refusals of the other conventions.
    pub refused: Vec<Diagnostic>,
    /// Limits of the conventions' compilers that parameters exceed although they have a binding.
    pub limits: Vec<Diagnostic>,
}

impl Placements {
    /// Applies every convention. If there are several, a refusal names its convention.
    pub fn of(source: &Declarations, requests: &[BindingRequest]) -> Self {
        let mut placements = Self::default();
        for request in requests {
            let column = request.column();
            if let Some(native) = Native::of_column(column) {
                placements.limits.extend(parameter_limits(source, native, &column.to_string()));
            }
            match bind_as_seen(&source.module, request) {
                Ok(bound) => {
                    let entry = chosen_entry(&source.module, request, &bound);
                    let overlaps = bound.overlaps(is_flat(request));
                    let registers_are_bindings =
                        column.target == ShaderTarget::Vulkan && column.compiler == Some(ShaderCompiler::Dxc);
                    let mut shown = BindingsColumn::new(column, bound, entry, overlaps);
                    shown.declare(&source.module, registers_are_bindings);
                    placements.columns.push(shown);
                }
                Err(found) if requests.len() == 1 => placements.refused.extend(found),
                Err(found) => placements.refused.extend(
                    found
                        .into_iter()
                        .map(|refusal| Diagnostic { message: format!("{column}: {}", refusal.message), ..refusal }),
                ),
            }
        }
        placements
    }

    /// Where each parameter is bound, by path: `b0 / set 0 binding 0`, the different places of the columns in their order.
    pub fn short_places(&self) -> BTreeMap<String, String> {
        let mut short = BTreeMap::new();
        for row in BindingsColumn::rows(&self.columns) {
            let mut places: Vec<&str> = Vec::new();
            for place in &row.places {
                // A group of WebGPU is the same number as a set of Vulkan.
                let is_set = |other: &str| place.strip_prefix("group ").is_some_and(|of| other == format!("set {of}"));
                if *place != NOT_BOUND && !places.iter().any(|other| *other == place.as_str() || is_set(other)) {
                    places.push(place);
                }
            }
            if !places.is_empty() {
                short.insert(row.path.to_owned(), places.join(" / "));
            }
        }
        short
    }

    /// How many parameters share places in the first column where some do, which its warnings name.
    pub fn shared(&self) -> Option<String> {
        let column = self.columns.iter().find(|column| !column.overlaps.is_empty())?;
        let paths =
            |overlap: &BindingOverlap| [overlap.first, overlap.second].map(|it| &column.bound.bindings[it].path);
        let shared: BTreeSet<&String> = column.overlaps.iter().flat_map(paths).collect();
        Some(format!("{} parameters share bindings on {}: --target {}", shared.len(), column.name, column.target))
    }

    pub fn warnings(&self) -> impl Iterator<Item = Diagnostic> {
        let bound = self.columns.iter().flat_map(|column| &column.bound.warnings).cloned();
        let overlaps = self.columns.iter().flat_map(|column| overlap_warnings(column, self.columns.len() > 1));
        bound.chain(overlaps).chain(self.limits.iter().cloned())
    }
}

/// The places of all parameters. A file without an entry point may be a header of several shaders, each of which uses its
/// own parameters, so that two with one register are no error of the file: the column warns about them.
fn bind_as_seen(module: &Module, request: &BindingRequest) -> Result<BoundModule, Vec<Diagnostic>> {
    let is_header = module.entry_points.is_empty() && request.used.is_empty();
    let is_overlap = |problem: &Diagnostic| matches!(problem.code, Code::BindingOverlap | Code::UnboundedTwice);
    bind(module, request).or_else(|found| {
        let bound = is_header && found.iter().all(is_overlap);
        let bound = bound.then(|| bind(module, &BindingRequest { may_overlap: true, ..request.clone() }).ok());
        bound.flatten().ok_or(found)
    })
}

/// True if an array has a separate binding for each element.
fn is_flat(request: &BindingRequest) -> bool {
    BindingOptions::parse(&request.options).is_ok_and(|options| options.flatten)
}

/// The overlaps of a column about which its convention does not warn itself.
fn overlap_warnings(column: &BindingsColumn, names_column: bool) -> Vec<Diagnostic> {
    let bound = &column.bound;
    let is_known = |span: Span| {
        let mut known = bound.warnings.iter().filter(|warning| warning.code == Code::BindingOverlap);
        known.any(|warning| warning.labels.iter().any(|label| label.span == span))
    };
    let unknown =
        column.overlaps.iter().map(|overlap| (&bound.bindings[overlap.first], &bound.bindings[overlap.second]));
    let unknown = unknown.filter(|(first, second)| !is_known(first.span) && !is_known(second.span));
    // All of them have one cause and one remedy.
    let (of_classes, others): (Vec<_>, Vec<_>) =
        unknown.partition(|(_, second)| column.shifts.contains_key(&second.path));
    let in_column = if names_column { format!(" ({})", column.name) } else { String::new() };
    let warnings = others.into_iter().map(|(first, second)| {
        let place = BindingPlace::from(second);
        let message = format!("`{}` at {place} shares its place with `{}`{in_column}", second.path, first.path);
        Diagnostic::warning(Code::BindingOverlap, second.span, message).with_label(first.span, "the other one")
    });
    let warnings = warnings.chain(class_warning(column, &of_classes, &in_column));
    warnings.map(|warning| Diagnostic { concerns: vec![column.name.clone()], ..warning }).collect()
}

/// One warning about all parameters that share places because registers of all classes are bindings of one set.
fn class_warning(column: &BindingsColumn, pairs: &[(&Binding, &Binding)], in_column: &str) -> Option<Diagnostic> {
    let (first, second) = pairs.first()?;
    let mut moved: Vec<&str> = Vec::new();
    let mut options: Vec<&str> = Vec::new();
    for (_, second) in pairs {
        if !moved.contains(&second.path.as_str()) {
            moved.push(&second.path);
        }
        if let Some(option) = column.shifts.get(&second.path).filter(|option| !options.contains(&option.as_str())) {
            options.push(option);
        }
    }
    let shares = if moved.len() == 1 { "shares its binding" } else { "share their bindings" };
    let moved: Vec<String> = moved.iter().map(|path| format!("`{path}`")).collect();
    let message = format!("{} {shares} with registers of other classes{in_column}", moved.join(", "));
    let help = format!("registers of all classes are bindings of one set: {} moves them apart", options.join(", "));
    let warning = Diagnostic::warning(Code::BindingOverlap, second.span, message);
    Some(warning.with_label(first.span, "has the same binding").with_help(help))
}

/// The binding points, units and locations of a module in OpenGL.
fn opengl_places(module: &DeclaredModule, span: Span) -> Vec<Binding> {
    let of_variable = |variable: &DeclaredVariable| {
        let binding = |unit| Binding {
            path: variable.name.clone(),
            unit,
            space: 0,
            index: variable.binding,
            count: variable.count,
            span,
        };
        Some(match variable.class? {
            OpenGlClass::UniformBlock => binding(LayoutUnit::UniformBuffer),
            OpenGlClass::StorageBlock => binding(LayoutUnit::StorageBuffer),
            OpenGlClass::Texture => binding(LayoutUnit::TextureUnit),
            OpenGlClass::Image => binding(LayoutUnit::ImageUnit),
            OpenGlClass::AtomicCounter { offset } => Binding {
                space: variable.binding,
                index: offset,
                // A counter has four bytes.
                count: variable.count.times(Count::Finite(4)),
                ..binding(LayoutUnit::AtomicCounterBytes)
            },
        })
    };
    let of_uniform = |uniform: &DeclaredUniform| Binding {
        path: uniform.name.clone(),
        unit: LayoutUnit::UniformLocation,
        space: 0,
        index: uniform.location,
        count: Count::Finite(uniform.locations),
        span,
    };
    let bound = module.variables.iter().filter_map(of_variable).chain(module.uniforms.iter().map(of_uniform));
    let varyings = module.varyings.iter().map(|varying| location(varying, varying.opengl_locations, span));
    bound.chain(varyings).collect()
}

/// True for the locations of inputs and outputs.
fn is_varying(unit: LayoutUnit) -> bool {
    matches!(unit, LayoutUnit::LocationIn | LayoutUnit::LocationOut)
}

/// The locations of an input or output.
fn location(varying: &DeclaredVarying, locations: u32, span: Span) -> Binding {
    Binding {
        path: join(&varying.entry, &varying.path),
        unit: match varying.direction {
            VaryingDirection::Input => LayoutUnit::LocationIn,
            VaryingDirection::Output => LayoutUnit::LocationOut,
        },
        space: 0,
        index: varying.location,
        count: Count::Finite(locations),
        span,
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeclaredBindings {
    /// In the order of the file.
    pub bindings: Vec<Binding>,
    /// The declarations in the file's words, by path.
    pub declared: BTreeMap<String, String>,
    /// The places that OpenGL gives them, if the file is in GLSL.
    pub opengl: Vec<Binding>,
    /// The parameters whose place in OpenGL the text leaves open, each with the reason.
    pub open_in_opengl: BTreeMap<String, String>,
    /// The inputs and outputs of a SPIR-V module whose locations the file states.
    pub varyings: Vec<DeclaredVarying>,
    /// The entry points, and the indices of the bindings that each uses; `None` if they are not read.
    pub entry_points: Option<Vec<(String, BTreeSet<usize>)>>,
}

/// The bindings that an entry point uses are unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownEntry {
    #[error("layoutproof does not read which bindings an entry point of this file uses; leave out --entry")]
    NotRead,
    #[error("the module has no entry points, so none is named `{0}`")]
    NoEntries(String),
    #[error("the module has no entry point `{asked}`; it has: {}", .others.join(", "))]
    NotFound { asked: String, others: Vec<String> },
}

impl DeclaredBindings {
    /// Groups and bindings of a WGSL module, its immediates, the locations of its entry points, and the `@id` of its
    /// overrides.
    pub fn of_wgsl(module: &WgslModule) -> Self {
        let mut made = Self::default();
        let mut indices = BTreeMap::new();
        for (variable, place) in module.variables.iter().enumerate() {
            let (unit, space, index) = match (place.binding, place.space) {
                (Some(WgslBinding { group, binding }), _) => (LayoutUnit::Binding, group, binding),
                (None, WgslSpace::Immediate) => (LayoutUnit::PushConstant, 0, 0),
                (None, WgslSpace::Uniform | WgslSpace::Storage | WgslSpace::Workgroup | WgslSpace::Handle) => continue,
            };
            indices.insert(variable, made.bindings.len());
            made.declared.insert(place.name.clone(), place.declared.clone());
            let (path, count, span) = (place.name.clone(), place.count, place.span);
            made.bindings.push(Binding { path, unit, space, index, count, span });
        }
        let entries = module.entry_points.iter().map(|WgslEntryPoint { name, uses }| {
            (name.clone(), uses.iter().filter_map(|variable| indices.get(variable).copied()).collect())
        });
        let mut entries: Vec<(String, BTreeSet<usize>)> = entries.collect();
        for constant in &module.overrides {
            let Some(index) = constant.id else { continue };
            made.declared.insert(constant.name.clone(), format!("override {}", constant.name));
            made.bindings.push(Binding {
                path: constant.name.clone(),
                unit: LayoutUnit::ConstantId,
                space: 0,
                index,
                count: Count::Finite(1),
                span: constant.span,
            });
        }
        for varying in &module.varyings {
            // A module of two entry points needs no place for both.
            if let Some((_, uses)) = entries.iter_mut().find(|(name, _)| *name == varying.entry) {
                uses.insert(made.bindings.len());
            }
            made.bindings.push(Binding {
                path: varying.path.clone(),
                unit: match varying.direction {
                    WgslDirection::Input => LayoutUnit::LocationIn,
                    WgslDirection::Output => LayoutUnit::LocationOut,
                },
                space: 0,
                index: varying.location,
                count: Count::Finite(1),
                span: varying.span,
            });
        }
        made.entry_points = Some(entries);
        made
    }

    /// Registers of a container's resources and signatures. A resource without a name has that of its register.
    pub fn of_container(tables: &ContainerTables, start: Span) -> Self {
        let mut made = Self::default();
        for ListedBinding { name, unit, space, index, count } in &tables.resources {
            let (unit, space, index, count) = (*unit, *space, *index, *count);
            let mut binding = Binding { path: name.clone(), unit, space, index, count: Count::Finite(1), span: start };
            if name.is_empty() {
                binding.path = BindingPlace::from(&binding).to_string();
            }
            made.declared.insert(binding.path.clone(), binding.path.clone());
            made.bindings.push(Binding { count, ..binding });
        }
        for element in &tables.elements {
            let SignatureElement { side, stream, semantic, semantic_index, register, .. } = element;
            let stream = if *stream == 0 { String::new() } else { format!("stream{stream}.") };
            let (unit, side) = match side {
                SignatureSide::Input => (LayoutUnit::LocationIn, "in"),
                SignatureSide::Output => (LayoutUnit::LocationOut, "out"),
                SignatureSide::PatchInput => (LayoutUnit::LocationIn, "patch"),
                SignatureSide::PatchOutput => (LayoutUnit::LocationOut, "patch"),
            };
            let path = format!("{side}.{stream}{semantic}{semantic_index}");
            made.declared.insert(path.clone(), format!("{path}.{}", element.components()));
            made.bindings.push(Binding {
                path,
                unit,
                space: 0,
                index: *register,
                count: Count::Finite(1),
                span: start,
            });
        }
        made
    }

    /// Sets, bindings and locations of a SPIR-V module, which is read at `start`.
    pub fn of_spirv(module: &DeclaredModule, start: Span) -> Self {
        let (opengl, varyings) = (opengl_places(module, start), module.varyings.clone());
        let mut made = Self { opengl, varyings, ..Self::default() };
        for variable in &module.variables {
            let path = if variable.name.is_empty() { "?".to_owned() } else { variable.name.clone() };
            let words = match variable.kind {
                Some(BlockKind::UniformBlock) => format!("uniform block {path}"),
                Some(BlockKind::StorageBlock) => format!("storage block {path}"),
                _ => path.clone(),
            };
            made.declared.insert(path.clone(), words);
            let (space, index, count) = (variable.set, variable.binding, variable.count);
            made.bindings.push(Binding { path, unit: LayoutUnit::Binding, space, index, count, span: start });
        }
        made.bindings.extend(module.varyings.iter().map(|varying| location(varying, varying.locations, start)));
        made
    }

    /// Adds those of another shader of the same file; a binding that both have is there once.
    pub fn merge(&mut self, other: Self) {
        for binding in other.bindings {
            if !self.bindings.contains(&binding) {
                self.bindings.push(binding);
            }
        }
        for binding in other.opengl {
            if !self.opengl.contains(&binding) {
                self.opengl.push(binding);
            }
        }
        self.varyings.extend(other.varyings);
        self.open_in_opengl.extend(other.open_in_opengl);
        self.declared.extend(other.declared);
        self.entry_points = None;
    }

    /// Marks the places in OpenGL that glslang made up: those of parameters whose declarations have no `binding` or
    /// `location`.
    ///
    /// Source: GLSL 4.60, 4.4.5 and 4.4.6; OpenGL 4.6 (Core Profile), 7.6: the driver assigns locations, binding points
    /// start as 0.
    pub fn leave_open_in_opengl(&mut self, has_word: impl Fn(&str, &str) -> bool) {
        // The declaration of a varying, or of its block, below the entry point.
        let declared = |path: &str| path.split('.').nth(1).unwrap_or_default().to_owned();
        self.bindings.retain(|binding| !is_varying(binding.unit) || has_word(&declared(&binding.path), "location"));
        self.varyings.retain(|varying| has_word(varying.path.split('.').next().unwrap_or_default(), "location"));
        for binding in &mut self.opengl {
            let (name, word, reason) = match binding.unit {
                LayoutUnit::UniformLocation => (binding.path.clone(), "location", "the driver chooses the location"),
                unit if is_varying(unit) => (declared(&binding.path), "location", "the driver chooses the location"),
                _ => (
                    binding.path.clone(),
                    "binding",
                    "the text names no binding: OpenGL begins with 0, and the program sets another",
                ),
            };
            if !has_word(&name, word) {
                self.open_in_opengl.insert(binding.path.clone(), reason.to_owned());
                binding.index = 0;
            }
        }
    }

    /// The places in OpenGL. Each class has its own binding points, and the elements of an array take one each.
    fn opengl_column(&self) -> BindingsColumn {
        let bound = BoundModule {
            bindings: self.opengl.clone(),
            uncertain: self.open_in_opengl.clone(),
            ..BoundModule::default()
        };
        let is_certain = |index: usize| !self.open_in_opengl.contains_key(&bound.bindings[index].path);
        let overlaps = bound.overlaps(true);
        let overlaps = overlaps.into_iter().filter(|overlap| is_certain(overlap.first) && is_certain(overlap.second));
        let overlaps = overlaps.collect();
        let mut column = BindingsColumn::new(Column::of_language(ShaderTarget::Opengl), bound, None, overlaps);
        column.declared.clone_from(&self.declared);
        column
    }

    /// The bindings as a column for `target`: all, or those that one entry point uses. Two that no
    /// entry point uses together may share a place.
    pub fn column(&self, target: ShaderTarget, entry: Option<&str>) -> Result<BindingsColumn, UnknownEntry> {
        let chosen = entry.map(|asked| self.entry_point(asked)).transpose()?;
        if target == ShaderTarget::Opengl {
            return Ok(self.opengl_column());
        }
        let is_bound = |index: usize| {
            let is_constant = self.bindings[index].unit == LayoutUnit::ConstantId;
            is_constant || chosen.is_none_or(|(_, uses)| uses.contains(&index))
        };
        let (used, unused): (Vec<usize>, Vec<usize>) = (0..self.bindings.len()).partition(|index| is_bound(*index));
        let bindings = used.iter().map(|index| self.bindings[*index].clone()).collect();
        let bound = BoundModule { bindings, ..BoundModule::default() };
        let are_together = |overlap: &BindingOverlap| {
            let pair = [used[overlap.first], used[overlap.second]];
            let is_constant = self.bindings[pair[0]].unit == LayoutUnit::ConstantId;
            let entries = self.entry_points.as_deref().unwrap_or_default();
            is_constant
                || entries.is_empty()
                || entries.iter().any(|(_, uses)| pair.iter().all(|index| uses.contains(index)))
        };
        let overlaps = bound.overlaps(false).into_iter().filter(are_together).collect();
        let entry = chosen.map(|(name, _)| ChosenEntry {
            name: name.clone(),
            others: self.entry_names().into_iter().filter(|other| other != name).collect(),
            unused: unused
                .iter()
                .map(|index| &self.bindings[*index])
                .filter(|it| !is_varying(it.unit))
                .map(|it| it.path.clone())
                .collect(),
        });
        let mut column = BindingsColumn::new(Column::of_language(target), bound, entry, overlaps);
        column.declared.clone_from(&self.declared);
        Ok(column)
    }

    fn entry_point(&self, asked: &str) -> Result<&(String, BTreeSet<usize>), UnknownEntry> {
        let entries = self.entry_points.as_deref().ok_or(UnknownEntry::NotRead)?;
        if entries.is_empty() {
            return Err(UnknownEntry::NoEntries(asked.to_owned()));
        }
        let found = entries.iter().find(|(name, _)| name == asked);
        found.ok_or_else(|| UnknownEntry::NotFound { asked: asked.to_owned(), others: self.entry_names() })
    }

    fn entry_names(&self) -> Vec<String> {
        self.entry_points.iter().flatten().map(|(name, _)| name.clone()).collect()
    }
}
