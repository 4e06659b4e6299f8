//! Compiles a generated WGSL module to GLSL with naga, and finds the byte at which an OpenGL driver
//! reads each leaf.
//!
//! This is the compiled witness of the naga producer for OpenGL. naga's GLSL declares a block as
//! `layout(std140) uniform` or `layout(std430) buffer` without member offsets. It drops `@size` and
//! the array strides of the WGSL text, so GLSL's own rules decide. Immediates become plain
//! uniforms, one per scalar, vector or matrix. naga reports the byte from which wgpu takes each of
//! them, and computes it from member to member, also without `@size`.
//!
//! The layout of a block is read from naga's text, the byte of an immediate from its reflection.
//!
//! Source: OpenGL 4.6 (Core Profile), 7.6.2.2 Standard Uniform Block Layout; naga 30,
//! `back::glsl::ImmediateItem`; wgpu-hal 30, `gles/queue.rs`, `SetImmediates`: matrices come in
//! WGSL's layout.

use naga::back::glsl;
use naga::proc::{BoundsCheckPolicies, TypeResolution};
use naga::valid::ModuleInfo;
use naga::{
    AddressSpace, GlobalVariable, Handle, Module, Scalar, ShaderStage, Type, TypeInner, UniqueArena, VectorSize,
};

use crate::naga_offsets::{IrPacking, NagaError, NagaPlace, NagaShader, Packing, block_of, chain};
use crate::wgsl_probe::WgslStep;

/// Absolute offset in bytes at which naga's GLSL reads each leaf of `shader`, in the order of its
/// source's paths; `None` for a path that naga's module does not have.
pub fn glsl_offsets(shader: &NagaShader<'_>) -> Result<Vec<Option<u32>>, NagaError> {
    let NagaShader { source, module, info } = shader;
    let Some((handle, block)) = block_of(module) else { return Ok(vec![None; source.paths.len()]) };
    let glsl = Glsl::write(module, info, &source.entry)?;
    let types = &module.types;
    let paths = source.paths.iter();
    if block.space == AddressSpace::Immediate {
        return Ok(paths
            .map(|path| immediate_offset(types, block.ty, path, &glsl.reflection.immediates_items))
            .collect());
    }
    let packing = glsl.packing(handle, types)?;
    Ok(paths.map(|path| NagaPlace::start(types, block.ty).follow(path, &packing)).collect())
}

/// The output of naga's writer for one entry point.
struct Glsl {
    text: String,
    reflection: glsl::ReflectionInfo,
}

impl Glsl {
    /// Writes `entry` as wgpu does for desktop OpenGL. The version does not affect layouts.
    fn write(module: &Module, info: &ModuleInfo, entry: &str) -> Result<Self, NagaError> {
        let options = glsl::Options { version: glsl::Version::Desktop(450), ..glsl::Options::default() };
        let pipeline = glsl::PipelineOptions {
            shader_stage: ShaderStage::Compute,
            entry_point: entry.to_owned(),
            multiview: None,
        };
        let mut text = String::new();
        let policies = BoundsCheckPolicies::default();
        let reflection = glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies)
            .and_then(|mut writer| writer.write())
            .map_err(|error| NagaError::NoGlsl(chain(&error)))?;
        Ok(Self { text, reflection })
    }

    /// The layout that the text declares for a uniform or storage block.
    fn packing<'a>(
        &self,
        block: Handle<GlobalVariable>,
        types: &'a UniqueArena<Type>,
    ) -> Result<BlockPacking<'a>, NagaError> {
        let name = self.reflection.uniforms.get(&block).map(|name| format!(" {name} "));
        let line = name.and_then(|name| self.text.lines().find(|line| line.contains(&name)));

        let rules = line.and_then(|line| {
            let rules = [("layout(std140) ", GlslBlockLayout::Std140), ("layout(std430) ", GlslBlockLayout::Std430)];
            rules.into_iter().find(|(start, _)| line.starts_with(start))
        });
        let unknown = || NagaError::UnknownGlsl(line.unwrap_or("nothing").trim_end().to_owned());
        let (_, rules) = rules.ok_or_else(unknown)?;
        Ok(BlockPacking { types, rules })
    }
}

/// GLSL's layouts that do not depend on the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GlslBlockLayout {
    Std140,
    Std430,
}

/// Computes the offsets of naga's types in a GLSL block.
#[derive(Clone, Copy, Debug)]
struct BlockPacking<'a> {
    types: &'a UniqueArena<Type>,
    rules: GlslBlockLayout,
}

/// Base alignment and size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GlslExtent {
    alignment: u32,
    size: u32,
}

/// Base alignment of a `vec4`, in bytes.
const VEC4: u32 = 16;

impl BlockPacking<'_> {
    /// Alignment and size of a type; `None` for a type that blocks cannot hold, and beyond 2^32
    /// bytes.
    fn extent(&self, ty: &TypeInner) -> Option<GlslExtent> {
        match ty {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                Some(GlslExtent { alignment: scalar.width.into(), size: scalar.width.into() })
            }
            TypeInner::Vector { size, scalar } => Some(vector(*size, *scalar)),
            // Rule 5: a matrix is an array of its columns.
            TypeInner::Matrix { columns, rows, scalar } => self.array(vector(*rows, *scalar), *columns as u32),
            TypeInner::Array { base, size, .. } => {
                let count = match size {
                    naga::ArraySize::Constant(count) => count.get(),
                    naga::ArraySize::Pending(_) => return None,
                    naga::ArraySize::Dynamic => 0,
                };
                self.array(self.extent(&self.types[*base].inner)?, count)
            }
            TypeInner::Struct { members, .. } => {
                let mut all = GlslExtent { alignment: self.rounded(1), size: 0 };
                for member in members {
                    let extent = self.extent(&self.types[member.ty].inner)?;
                    all.alignment = all.alignment.max(extent.alignment);
                    all.size = all.size.checked_next_multiple_of(extent.alignment)?.checked_add(extent.size)?;
                }
                // Rule 9: the member after a structure starts at a multiple of the structure's
                // alignment.
                Some(GlslExtent { size: all.size.checked_next_multiple_of(all.alignment)?, ..all })
            }
            _ => None,
        }
    }

    /// Rule 4: the stride is the element's size, rounded up to its alignment; std140 rounds that up
    /// to a `vec4`'s.
    fn array(&self, element: GlslExtent, count: u32) -> Option<GlslExtent> {
        let alignment = self.rounded(element.alignment);
        Some(GlslExtent { alignment, size: element.size.checked_next_multiple_of(alignment)?.checked_mul(count)? })
    }

    /// The alignment of an array or structure whose parts have this alignment.
    fn rounded(&self, alignment: u32) -> u32 {
        match self.rules {
            GlslBlockLayout::Std140 => alignment.next_multiple_of(VEC4),
            GlslBlockLayout::Std430 => alignment,
        }
    }
}

/// Rules 2 and 3: a vector with three components is aligned like one with four.
fn vector(size: VectorSize, scalar: Scalar) -> GlslExtent {
    let (length, width) = (size as u32, u32::from(scalar.width));
    GlslExtent { alignment: length.next_power_of_two() * width, size: length * width }
}

impl Packing for BlockPacking<'_> {
    fn member_offset(&self, members: &[naga::StructMember], index: usize) -> Option<u32> {
        let (member, before) = members.get(..=index)?.split_last()?;
        let mut end: u32 = 0;
        for member in before {
            let extent = self.extent(&self.types[member.ty].inner)?;
            end = end.checked_next_multiple_of(extent.alignment)?.checked_add(extent.size)?;
        }
        end.checked_next_multiple_of(self.extent(&self.types[member.ty].inner)?.alignment)
    }

    fn array_stride(&self, base: Handle<Type>, _: u32) -> Option<u32> {
        self.array(self.extent(&self.types[base].inner)?, 1).map(|array| array.size)
    }

    fn matrix_stride(&self, rows: VectorSize, scalar: Scalar) -> Option<u32> {
        self.array(vector(rows, scalar), 1).map(|array| array.size)
    }
}

/// The byte of the immediates from which wgpu sets the leaf at `path`: the byte of its uniform,
/// which is the `n`th in declaration order, plus the leaf's WGSL offset in it.
fn immediate_offset(
    types: &UniqueArena<Type>,
    block: Handle<Type>,
    path: &[WgslStep],
    items: &[glsl::ImmediateItem],
) -> Option<u32> {
    // Counts the uniforms before the leaf's own while following the path.
    let (mut ty, mut before) = (block, 0);
    let mut steps = path.iter();
    loop {
        let rest = steps.as_slice();
        match (&types[ty].inner, steps.next()) {
            (TypeInner::Struct { members, .. }, Some(WgslStep::Member { index, .. })) => {
                let (member, earlier) = members.get(..=usize::try_from(*index).ok()?)?.split_last()?;
                before += earlier.iter().map(|member| uniforms(types, member.ty)).sum::<usize>();
                ty = member.ty;
            }
            (TypeInner::Array { base, .. }, Some(WgslStep::Element(index))) => {
                before += uniforms(types, *base) * usize::try_from(*index).ok()?;
                ty = *base;
            }
            (TypeInner::Scalar(_) | TypeInner::Vector { .. } | TypeInner::Matrix { .. }, _) => {
                let start = NagaPlace { types, ty: TypeResolution::Handle(ty), offset: items.get(before)?.offset };
                return start.follow(rest, &IrPacking);
            }
            _ => return None,
        }
    }
}

/// Number of plain uniforms that an immediate of this type becomes.
fn uniforms(types: &UniqueArena<Type>, ty: Handle<Type>) -> usize {
    match &types[ty].inner {
        TypeInner::Struct { members, .. } => members.iter().map(|member| uniforms(types, member.ty)).sum(),
        TypeInner::Array { base, size: naga::ArraySize::Constant(count), .. } => {
            uniforms(types, *base) * count.get() as usize
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wgsl_probe::WgslProbe;

    /// The block in the example of `ARB_uniform_buffer_object`, with two more members.
    const EXAMPLE: &str = "
        struct F { d: i32, e: vec2<u32> }
        struct O { j: vec3<u32>, k: vec2<f32>, l: array<f32, 2>, m: vec2<f32>, n: array<mat3x3<f32>, 2> }
        struct Ex { a: f32, b: vec2<f32>, c: vec3<f32>, f: F, g: f32, h: array<f32, 2>, i: mat2x3<f32>, o: array<O, 2>,
            p: mat2x2<f32>, q: f32 }
        @group(0) @binding(0) var<storage> block: Ex;
        @group(0) @binding(1) var<storage, read_write> output: f32;
        @compute @workgroup_size(1) fn main() { output = block.a; }";

    fn path(types: &UniqueArena<Type>, block: Handle<Type>, positions: &[u32]) -> Vec<WgslStep> {
        let mut ty = &types[block].inner;
        let step = |position: &u32| match ty {
            TypeInner::Struct { members, .. } => {
                ty = &types[members[*position as usize].ty].inner;
                WgslStep::Member { index: *position, name: String::new() }
            }
            TypeInner::Array { base, .. } => {
                ty = &types[*base].inner;
                WgslStep::Element(*position)
            }
            TypeInner::Matrix { .. } => {
                ty = &TypeInner::Vector { size: VectorSize::Bi, scalar: Scalar::F32 };
                WgslStep::Column(*position)
            }
            _ => WgslStep::Component(*position),
        };
        positions.iter().map(step).collect()
    }

    fn module(text: &str, positions: &[&[u32]]) -> WgslProbe {
        let mut source = WgslProbe {
            text: text.to_owned(),
            entry: "main".to_owned(),
            binding_size: 0,
            has_halves: false,
            paths: Vec::new(),
        };
        source.paths = {
            let NagaShader { module, .. } = NagaShader::read(&source).unwrap();
            let (_, block) = block_of(&module).unwrap();
            positions.iter().map(|positions| path(&module.types, block.ty, positions)).collect()
        };
        source
    }

    fn offsets(text: &str, positions: &[&[u32]]) -> Vec<Option<u32>> {
        glsl_offsets(&NagaShader::read(&module(text, positions)).unwrap()).unwrap()
    }

    /// Positions, and offsets in std140 and std430. Those of std140 up to `o[1].n[1]` are in the
    /// extension's example; glslang 11:12.0.0 decorates all of them the same.
    const OFFSETS: [(&[u32], u32, u32); 20] = [
        (&[0], 0, 0),
        (&[1, 0], 8, 8),
        (&[2, 2], 24, 24),
        (&[3, 0], 32, 32),
        (&[3, 1, 1], 44, 44),
        (&[4], 48, 48),
        (&[5, 0], 64, 52),
        (&[5, 1], 80, 56),
        (&[6, 0, 0], 96, 64),
        (&[6, 1, 0], 112, 80),
        (&[7, 0, 0, 0], 128, 96),
        (&[7, 0, 1, 0], 144, 112),
        (&[7, 0, 2, 1], 176, 124),
        (&[7, 0, 3, 0], 192, 128),
        (&[7, 0, 4, 0, 1, 0], 224, 160),
        (&[7, 1, 0, 0], 304, 240),
        (&[7, 1, 4, 1, 0, 0], 432, 336),
        (&[8, 0, 1], 484, 388),
        (&[8, 1, 0], 496, 392),
        (&[9], 512, 400),
    ];

    #[test]
    fn blocks_lie_as_the_specification_says() {
        let example = module(EXAMPLE, &[]);
        let NagaShader { module, .. } = NagaShader::read(&example).unwrap();
        let (_, block) = block_of(&module).unwrap();
        let types = &module.types;
        let place = |positions, rules| {
            NagaPlace::start(types, block.ty).follow(&path(types, block.ty, positions), &BlockPacking { types, rules })
        };
        for (positions, std140, std430) in OFFSETS {
            assert_eq!(place(positions, GlslBlockLayout::Std140), Some(std140), "std140 {positions:?}");
            assert_eq!(place(positions, GlslBlockLayout::Std430), Some(std430), "std430 {positions:?}");
        }
    }

    #[test]
    fn storage_blocks_are_std430_and_lose_sizes() {
        let positions = OFFSETS.map(|(positions, _, _)| positions);
        assert_eq!(offsets(EXAMPLE, &positions), OFFSETS.map(|(_, _, std430)| Some(std430)));
        let sized = "
            struct Wide { @size(16) value: f32 }
            struct Block { @size(32) a: f32, b: array<Wide, 3>, rest: array<Wide> }
            @group(0) @binding(0) var<storage, read_write> block: Block;
            @compute @workgroup_size(1) fn main() { block.a = 0.0; }";
        // Rules 1 and 9 without rounding to a `vec4`. WGSL's offsets are 0, 32, 64, 80, 96.
        let positions: [&[u32]; 5] = [&[0], &[1, 0, 0], &[1, 2, 0], &[2, 0, 0], &[2, 1, 0]];
        assert_eq!(offsets(sized, &positions), [0, 4, 12, 16, 20].map(Some));
    }

    #[test]
    fn uniform_blocks_are_std140_also_where_wgsl_is_closer() {
        let text = "
            struct Block { @size(16) a: f32, b: f32, m: mat2x2<f32>, c: f32 }
            @group(0) @binding(0) var<uniform> block: Block;
            @group(0) @binding(1) var<storage, read_write> output: f32;
            @compute @workgroup_size(1) fn main() { output = block.a; }";
        // Rules 1, 5 and 4: the columns are 16 bytes apart. WGSL's offsets are 0, 16, 24, 36, 40.
        let positions: [&[u32]; 5] = [&[0], &[1], &[2, 0, 0], &[2, 1, 1], &[3]];
        assert_eq!(offsets(text, &positions), [0, 4, 16, 36, 48].map(Some));
    }

    #[test]
    fn immediates_are_counted_up_without_sizes() {
        let text = "
            struct Inner { @size(16) value: f32, next: vec3<f32> }
            struct Block { @size(8) a: f32, b: f32, v: vec2<f32>, inner: array<Inner, 2>, m: mat2x3<f32>, c: f32 }
            var<immediate> block: Block;
            @group(0) @binding(1) var<storage, read_write> output: f32;
            @compute @workgroup_size(1) fn main() { output = block.a; }";
        // From `ReflectionInfo::immediates_items` of naga 30.0.1; columns of three are 16 bytes
        // apart in wgpu. WGSL's offsets are 0, 8, 20, 32, 52, 64, 116, 128.
        let positions: [&[u32]; 8] = [&[0], &[1], &[2, 1], &[3, 0, 0], &[3, 0, 1, 1], &[3, 1, 0], &[4, 1, 1], &[5]];
        assert_eq!(offsets(text, &positions), [0, 4, 12, 16, 36, 48, 100, 112].map(Some));
    }

    #[test]
    fn paths_that_the_module_lacks_have_no_offset() {
        let mut module = module(EXAMPLE, &[&[0]]);
        module.paths = vec![vec![WgslStep::Element(0)], vec![WgslStep::Member { index: 99, name: String::new() }]];
        assert_eq!(glsl_offsets(&NagaShader::read(&module).unwrap()), Ok(vec![None, None]));
    }
}
