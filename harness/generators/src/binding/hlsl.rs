//! Writes a binding program in HLSL for Direct3D 12: the declarations as their author wrote them,
//! followed by an entry point that reads every parameter of the program. It uses no other
//! parameters, since compilers bind the used ones.
//!
//! The compiler chooses the bindings, and the program reveals them. The program's own resources
//! have a separate register space.

use std::fmt::Write;

use layoutproof_device::{ImageKind, ImageView, TexelType};
use layoutproof_layout::resource::{Access, ResourceKind};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, Type};
use layoutproof_layout::{BlockLayout, Leaf};

use crate::hlsl::expression;
use crate::hlsl_program;
use layoutproof_frontend::module::{EntryPoint, Module, Parameter, ParameterKind};
use layoutproof_probes::binding::{
    BindingProgram, BindingSite, BoundKind, ENTRY, FIRST_ANSWER, ProbedBinding, ProgramRead, depth,
    is_combined_sampler, is_sampled_cube, is_sampler,
};
use layoutproof_probes::image::REFILL_WORD;
use layoutproof_probes::reserved::{MARK, Reserved};

/// Path of the buffer of loose globals.
const GLOBALS: &str = "$Globals";

/// Bytes at the start of a buffer that surely hold its word, whatever the element count of its
/// view.
const BUFFER_BYTES: u32 = 128;

/// Bytes of a texture buffer: its view has one texel.
const TEXEL_BYTES: u32 = 16;

/// The declarations that precede a program.
#[derive(Clone, Copy, Debug)]
pub struct ProgramDeclarations<'a> {
    /// The source text.
    pub text: &'a str,
    /// The names and numbers that the text leaves free.
    pub reserved: &'a Reserved,
    /// The parsed declarations.
    pub module: &'a Module,
    /// The layouts of the module's blocks, under any rule set that accepts them.
    pub layouts: &'a [BlockLayout],
    /// The entry point whose uniform parameters the program's own entry point takes over.
    pub entry: Option<&'a EntryPoint>,
    /// Loose globals that have their own buffers.
    pub apart: &'a [&'a str],
}

impl ProgramDeclarations<'_> {
    /// Returns the reason why HLSL cannot read the binding as a word, as a lowercase fragment;
    /// `None` if it can.
    pub fn not_readable(&self, probed: &ProbedBinding) -> Option<String> {
        if !self.is_in_scope(probed) {
            return Some("a parameter of an entry point".to_owned());
        }
        if probed.path.matches("[]").count() > 1 || (probed.path.contains("[]") && self.dimensions(probed).len() > 1) {
            return Some("an array in an array of structs".to_owned());
        }
        if self.block(&probed.path).is_some() {
            let has_word = self.word(probed).is_some();
            return (!has_word).then(|| "a buffer without a number of 32 bits at its beginning".to_owned());
        }

        match probed.kind {
            BoundKind::Uniform => Some("a buffer without a number of 32 bits at its beginning".to_owned()),
            BoundKind::Image { kind: ImageKind::Combined, .. } => Some("a combined image sampler".to_owned()),
            kind @ BoundKind::Image { texel: TexelType::Sint | TexelType::Uint, .. } if is_sampled_cube(kind) => {
                Some("a cube map of integers, which no sampler reads".to_owned())
            }
            BoundKind::Image { kind: ImageKind::Storage, view: ImageView::Cube | ImageView::CubeArray, .. } => {
                Some("a storage cube map".to_owned())
            }
            BoundKind::Storage { .. } | BoundKind::Image { .. } | BoundKind::Sampler { .. } => None,
            BoundKind::PushConstants | BoundKind::Constant | BoundKind::Varying | BoundKind::Target => {
                Some("nothing that Direct3D 12 binds".to_owned())
            }
        }
    }

    /// Returns true if the program can use the parameter at `path` without reading it.
    pub fn is_usable(&self, path: &str) -> bool {
        self.uses(path).is_some()
    }

    /// Writes the source of `program`, whose bindings must all be readable (see
    /// [`Self::not_readable`]). Code that never runs uses other parameters too: those of
    /// `used_before` before the program's reads, and those at the paths of `used_behind` after
    /// them.
    ///
    /// # Panics
    ///
    /// Never: a program has a level texture for each sampler that it reads.
    pub fn source(&self, program: &BindingProgram, used_before: &[ProgramRead], used_behind: &[&str]) -> String {
        let mut body = String::new();
        let mut levels = program.tools.levels.iter();
        for (index, read) in (0_u32..).zip(&program.reads) {
            let own_levels = if is_sampler(program.bound[read.of].kind) { levels.next() } else { None };
            let value = self.read_word(program, *read, own_levels);
            let place = 4 * (FIRST_ANSWER + index);
            writeln!(body, "    {MARK}output.Store({place}, {value});").expect("a String takes every write");
        }

        let mut before = String::new();
        for read in used_before {
            let word = self.read_word(program, *read, program.tools.levels.first());
            writeln!(before, "    {MARK}sum += {word};").expect("a String takes every write");
        }
        let behind: String = used_behind.iter().filter_map(|path| self.uses(path)).collect();
        let (before, behind) = (never_run(&before), never_run(&behind));

        let (entry, space) = (self.reserved.entry(ENTRY), self.reserved.space());
        let own = format!(
            "RWByteAddressBuffer {MARK}output : register(u{}, space{space});
{}[shader(\"compute\")]
[numthreads(1, 1, 1)]
void {entry}({})
{{
{before}{body}{behind}    {MARK}output.Store(0, {MARK}output.Load(4));
}}
",
            program.tools.output,
            tools(program, space),
            self.entry.map(EntryPoint::uniform_parameters).unwrap_or_default(),
        );
        format!("{}\n{}", self.text, self.reserved.place(&own))
    }

    /// Returns the expression for the word of a read. A sampler samples the level texture with the
    /// number `levels`.
    fn read_word(&self, program: &BindingProgram, read: ProgramRead, levels: Option<&u32>) -> String {
        let probed = &program.bound[read.of];
        if is_sampler(probed.kind) {
            let levels = levels.expect("a program with samplers has a texture of levels for each that it reads");
            return self.sampler_word(program, read, &format!("{MARK}levels{levels}"));
        }
        self.value(probed, element_number(probed, read.site)).unwrap_or_else(|| format!("{REFILL_WORD}u"))
    }

    /// Returns statements that use the parameter at `path`; `None` if there are none.
    fn uses(&self, path: &str) -> Option<String> {
        let parameter = self.module.parameters.iter().find(|parameter| parameter.name == path)?;
        let kind = parameter.ty.resource().map(|resource| resource.kind);
        if let Some(ResourceKind::StructuredBuffer(Access::Append | Access::Consume)) = kind {
            // Any other use would need a counter.
            let dimensions = format!("uint {MARK}x, {MARK}y;");
            let asked = format!("{path}.GetDimensions({MARK}x, {MARK}y);");
            return Some(format!("    {{ {dimensions} {asked} {MARK}sum += {MARK}x; }}\n"));
        }

        let uses = hlsl_program::use_of(&parameter.ty, path);
        (!uses.is_empty()).then_some(uses)
    }

    /// Returns true if the program's entry point can name the parameter.
    fn is_in_scope(&self, probed: &ProbedBinding) -> bool {
        let names_it = |name: &str| rest_behind(&probed.path, name).is_some();
        let is_global =
            probed.path == GLOBALS || self.module.parameters.iter().any(|parameter| names_it(&parameter.name));
        let is_of_entry = self.entry.is_some_and(|entry| names_it(&entry.name) || probed.path == entry.uniform_block());
        is_global || is_of_entry || self.is_member(&probed.path)
    }

    /// Returns true if the path starts with a member of a buffer whose members are global names.
    fn is_member(&self, path: &str) -> bool {
        let has_member = |buffer: &Parameter| {
            let Type::Struct(holder) = &buffer.ty else { return false };
            holder.members.iter().any(|member| rest_behind(path, &member.name).is_some())
        };
        self.open_buffers().any(has_member)
    }

    /// Iterates over the buffers whose members are global names.
    fn open_buffers(&self) -> impl Iterator<Item = &Parameter> {
        self.module.parameters.iter().filter(|parameter| match parameter.kind {
            ParameterKind::Cbuffer | ParameterKind::Tbuffer => true,
            ParameterKind::Variable | ParameterKind::Global => false,
        })
    }

    /// Returns the path as the program writes it: without the entry point's name for its
    /// parameters, and without the `cbuffer`'s name for its members.
    fn spelled<'p>(&self, path: &'p str) -> &'p str {
        let mut holders: Vec<&str> = self.open_buffers().map(|buffer| buffer.name.as_str()).collect();
        holders.extend(self.entry.map(|entry| entry.name.as_str()));
        holders.iter().find_map(|holder| rest_behind(path, holder)?.strip_prefix('.')).unwrap_or(path)
    }

    /// Returns the block with this name. For a loose global with its own buffer, this is the block
    /// of all globals.
    fn block(&self, path: &str) -> Option<&BlockLayout> {
        let named = |name: &str| self.layouts.iter().find(|layout| layout.name == name);
        let of_globals = || named(GLOBALS).filter(|_| self.apart.contains(&path));
        named(path).or_else(|| named(self.spelled(path))).or_else(of_globals)
    }

    /// Returns a leaf that reads the word of the block at this place.
    fn word(&self, probed: &ProbedBinding) -> Option<Leaf> {
        let end = match probed.kind {
            BoundKind::Image { .. } => TEXEL_BYTES,
            _ => BUFFER_BYTES,
        };
        let is_held = |leaf: &Leaf| {
            let global = self.apart.iter().find(|name| rest_behind(&leaf.path, name).is_some());
            // Only globals can have their own buffers.
            probed.path != GLOBALS && !self.apart.contains(&probed.path.as_str())
                || global.copied().unwrap_or(GLOBALS) == probed.path
        };
        let layout = self.block(&probed.path)?;
        layout.leaves().into_iter().filter(is_held).find(|leaf| leaf.offset < end && is_word(leaf.component.scalar))
    }

    /// Returns the expression for the word in a parameter's element; `None` if the language has no
    /// such expression.
    fn value(&self, probed: &ProbedBinding, element: u32) -> Option<String> {
        if let Some(layout) = self.block(&probed.path) {
            let leaf = self.word(probed)?;
            let named = expression(layout, &leaf)?;
            // The expression names the first element of an array of buffers.
            let named = if probed.elements > 1 {
                let rest = named.strip_prefix(&layout.name)?.strip_prefix("[0]")?;
                format!("{}[{element}]{rest}", layout.name)
            } else {
                named
            };
            let is_float = leaf.component.scalar.is_float();
            return Some(if is_float { format!("asuint({named})") } else { format!("(uint)({named})") });
        }

        let path = self.element(probed, element);
        let (texel, read) = match probed.kind {
            BoundKind::Storage { .. } => return Some(format!("{path}.Load(0)")),
            BoundKind::Image { kind, view, texel } => (texel, read_of(kind, view)?),
            _ => return None,
        };
        // Slang's own methods return the texture and the sampler of a combined one.
        let is_combined = is_combined_sampler(self.module, &probed.path);
        let texture = if is_combined { format!("{path}.__getTexture()") } else { path };
        Some(match texel {
            TexelType::Float | TexelType::Depth => format!("asuint({texture}{read}.x)"),
            TexelType::Sint | TexelType::Uint => format!("(uint)({texture}{read}.x)"),
        })
    }

    /// Returns the expression for the word that identifies the sampler, by a level texture.
    fn sampler_word(&self, program: &BindingProgram, read: ProgramRead, levels: &str) -> String {
        let probed = &program.bound[read.of];
        let path = self.element(probed, element_number(probed, read.site));
        let is_combined = is_combined_sampler(self.module, &probed.path);
        let sampler = if is_combined { format!("{path}.__getSampler()") } else { path };
        if probed.kind != (BoundKind::Sampler { comparison: true }) {
            return format!("asuint({levels}.SampleLevel({sampler}, float2(0.5, 0.5), 0).x)");
        }

        let samplers = program.sampler_reads();
        let words = samplers.iter().map(|read| program.reads[*read].site.word().unwrap_or(REFILL_WORD));
        // The last passing reference gives the level, so the outermost test uses the last
        // reference.
        words.zip(depth::references(samplers.len())).fold(format!("{REFILL_WORD}u"), |lower, (word, reference)| {
            let compared = format!("{levels}.SampleCmpLevelZero({sampler}, float2(0.5, 0.5), {reference:?})");
            format!("({compared} == 1.0 ? {word}u : {lower})")
        })
    }

    /// Returns the dimensions that a parameter's path does not index.
    fn dimensions(&self, probed: &ProbedBinding) -> Vec<u32> {
        let entry = self.entry.map(|entry| entry.parameters.iter().map(|it| (it.name.as_str(), &it.ty)));
        let globals = self.module.parameters.iter().map(|it| (it.name.as_str(), &it.ty));
        let spelled = self.spelled(&probed.path);
        let named = globals.chain(entry.into_iter().flatten()).find(|(name, _)| *name == spelled);

        let mut dimensions = Vec::new();
        let mut ty = named.map(|(_, ty)| ty);
        while let Some(Type::Array { element, count }) = ty {
            dimensions.push(match count {
                Count::Finite(count) => *count,
                Count::Unbounded => u32::MAX,
            });
            ty = Some(&**element);
        }
        // The type of a path into a struct is not looked up; its elements are counted in one
        // dimension.
        if dimensions.is_empty() && probed.elements > 1 {
            dimensions.push(u32::MAX);
        }
        dimensions
    }

    /// Returns the path of an element, with an index for each dimension.
    fn element(&self, probed: &ProbedBinding, element: u32) -> String {
        let path = self.spelled(&probed.path);
        if path.contains("[]") {
            return path.replace("[]", &format!("[{element}]"));
        }

        let mut left = element;
        let mut indices = Vec::new();
        for dimension in self.dimensions(probed).iter().rev() {
            indices.push(left % (*dimension).max(1));
            left /= (*dimension).max(1);
        }
        let indices = indices.iter().rev().map(|index| format!("[{index}]"));
        format!("{path}{}", indices.collect::<String>())
    }
}

/// Wraps statements in a branch for a nonce of 0, which never occurs; empty if there are no
/// statements.
fn never_run(statements: &str) -> String {
    if statements.is_empty() {
        return String::new();
    }
    format!(
        "    if ({MARK}output.Load(4) == 0u) {{
    uint {MARK}sum = 0;
{statements}    {MARK}output.Store(0, {MARK}sum);
    }}
"
    )
}

/// Declares the level textures, and the sampler for cube maps.
fn tools(program: &BindingProgram, space: u32) -> String {
    let mut tools = String::new();
    for (levels, read) in program.tools.levels.iter().zip(program.sampler_reads()) {
        let texel = if program.sampler_texel(read) == TexelType::Depth { "float" } else { "float4" };
        writeln!(tools, "Texture2D<{texel}> {MARK}levels{levels} : register(t{levels}, space{space});")
            .expect("a String takes every write");
    }
    if program.reads_cubes() {
        let nearest = program.tools.nearest;
        writeln!(tools, "SamplerState {MARK}nearest : register(s{nearest}, space{space});")
            .expect("a String takes every write");
    }
    tools
}

/// Returns the array element that a read of a parameter refers to.
fn element_number(probed: &ProbedBinding, site: BindingSite) -> u32 {
    site.element() - probed.site.element()
}

/// Returns the rest of a path after `name`; `None` if the path does not start with it.
fn rest_behind<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    path.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Returns true if a number of this type is one word of a buffer.
fn is_word(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Float32 | Scalar::Int32 | Scalar::Uint32)
}

/// Returns the operator or method that reads the first texel; `None` if HLSL has none.
fn read_of(kind: ImageKind, view: ImageView) -> Option<&'static str> {
    Some(match (kind, view) {
        (ImageKind::UniformTexels | ImageKind::StorageTexels, _) | (ImageKind::Storage, ImageView::D1) => "[0]",
        (ImageKind::Storage, ImageView::D1Array | ImageView::D2) => "[uint2(0, 0)]",
        (ImageKind::Storage, ImageView::D2Array | ImageView::D3) => "[uint3(0, 0, 0)]",
        (ImageKind::Sampled, ImageView::D1) => ".Load(int2(0, 0))",
        (ImageKind::Sampled, ImageView::D1Array | ImageView::D2) => ".Load(int3(0, 0, 0))",
        (ImageKind::Sampled, ImageView::D2Array | ImageView::D3) => ".Load(int4(0, 0, 0, 0))",
        (ImageKind::Sampled, ImageView::Cube) => ".SampleLevel(\u{1}nearest, float3(1, 0, 0), 0)",
        (ImageKind::Sampled, ImageView::CubeArray) => ".SampleLevel(\u{1}nearest, float4(1, 0, 0, 0), 0)",
        (ImageKind::Storage, ImageView::Cube | ImageView::CubeArray) | (ImageKind::Combined, _) => return None,
    })
}
