//! The shape of random programs, and the strategies that make them.

use layoutproof_device::ResourceClass;
use layoutproof_layout::shape::Count;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::form::{UseForm, forms};
use super::runner_of;

/// The compiler that a program targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramDialect {
    /// DXC: `register(space1)` without a number, unbounded arrays once per class and space.
    Dxc,
    /// Slang: parameter blocks, any number of unbounded arrays.
    Slang,
}

/// A program: structs, parameters, and the order in which the entry point uses parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomProgram {
    /// Structs of data and resources, named `S0`, `S1` ...
    pub structs: Vec<ParameterStruct>,
    /// Parameters, named `p0`, `p1` ...
    pub parameters: Vec<RandomParameter>,
    /// Positions in `parameters`, in the order of their use; each at most once.
    pub uses: Vec<usize>,
    /// The forms in which the code gets each parameter, the innermost first. Structs are used
    /// directly.
    pub forms: Vec<Vec<UseForm>>,
    /// True for a hull shader, whose patch constants use every second parameter; false for a
    /// compute shader.
    pub is_hull: bool,
}

/// A struct with members `m0`, `m1` ... None of them is a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterStruct {
    pub members: Vec<RandomParameter>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomParameter {
    pub kind: RandomParameterKind,
    /// Elements of an array; `None` if it is not an array.
    pub array: Option<Count>,
    /// Explicit register or space.
    pub annotation: ParameterAnnotation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomParameterKind {
    /// `float4`.
    Data,
    /// `Texture2D<float4>`.
    Texture,
    /// `Buffer<float4>`.
    Buffer,
    /// `StructuredBuffer<float4>`.
    Structured,
    /// `ByteAddressBuffer`.
    Bytes,
    /// `RWTexture2D<float4>`.
    RwTexture,
    /// `RWStructuredBuffer<float4>`.
    RwStructured,
    /// `SamplerState`.
    Sampler,
    /// `cbuffer` with a `float4`.
    Cbuffer,
    /// `ConstantBuffer<S>` of a struct of data.
    ConstantBuffer,
    /// A struct, by position.
    Struct(usize),
    /// `ParameterBlock` of a struct, by position.
    ParameterBlock(usize),
}

/// An explicit register or space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterAnnotation {
    /// None.
    Implicit,
    /// `register(t3, space1)`, with the letter of the kind.
    Register { index: u32, space: Option<u32> },
    /// `register(space1)`.
    Space(u32),
}

impl RandomParameterKind {
    /// Returns the class of the register; `None` if a register would have no effect, or more than
    /// one would be needed.
    pub fn class(self) -> Option<ResourceClass> {
        match self {
            Self::Texture | Self::Buffer | Self::Structured | Self::Bytes => Some(ResourceClass::ShaderResource),
            Self::RwTexture | Self::RwStructured => Some(ResourceClass::UnorderedAccess),
            Self::Sampler => Some(ResourceClass::Sampler),
            Self::Cbuffer | Self::ConstantBuffer => Some(ResourceClass::ConstantBuffer),
            Self::Data | Self::Struct(_) | Self::ParameterBlock(_) => None,
        }
    }

    /// Returns true if both compilers support it as an array element.
    fn has_arrays(self) -> bool {
        // Slang 2026.14.1 aborts on arrays of constant buffers of structs with resources. DXC has no
        // arrays of `cbuffer`, and cannot distinguish samplers of an array in an optimised body.
        matches!(self, Self::Texture | Self::Buffer | Self::Structured | Self::RwTexture | Self::RwStructured)
    }
}

/// A program on its way to the smallest one that still fails.
pub type ProgramTree = Box<dyn ValueTree<Value = RandomProgram>>;

/// Draws program `number` of a seed, for `dialect`: the same in every run, shard and thread.
///
/// # Panics
///
/// Never: no strategy filters its values.
pub fn nth_program(dialect: ProgramDialect, seed: u64, number: u64) -> ProgramTree {
    programs(dialect).boxed().new_tree(&mut runner_of(seed, number)).expect("no filter can run dry")
}

/// Makes programs for `dialect`. Shrinking tries small ones first.
pub fn programs(dialect: ProgramDialect) -> impl Strategy<Value = RandomProgram> {
    prop::collection::vec(structs(), 1..3)
        .prop_flat_map(move |structs| {
            let parameter = parameter(dialect, structs.len());
            (Just(structs), prop::collection::vec(parameter, 1..9))
        })
        .prop_flat_map(move |(structs, parameters)| {
            let order = Just((0..parameters.len()).collect::<Vec<usize>>()).prop_shuffle();
            let used = prop::collection::vec(prop::bool::weighted(0.7), parameters.len());
            let forms = prop::collection::vec(forms(dialect), parameters.len());
            let is_hull = prop::bool::weighted(if dialect == ProgramDialect::Dxc { 0.1 } else { 0.0 });
            (Just(structs), Just(parameters), (order, used), forms, is_hull)
        })
        .prop_map(|(structs, parameters, (order, used), forms, is_hull)| {
            let uses = order.into_iter().filter(|place| used[*place]).collect();
            RandomProgram { structs, parameters, uses, forms, is_hull }
        })
}

/// Makes structs whose first member is data, so that none is empty.
fn structs() -> impl Strategy<Value = ParameterStruct> {
    let kinds = prop::sample::select(vec![
        RandomParameterKind::Data,
        RandomParameterKind::Texture,
        RandomParameterKind::RwStructured,
        RandomParameterKind::Sampler,
    ]);

    let member =
        kinds.prop_map(|kind| RandomParameter { kind, array: None, annotation: ParameterAnnotation::Implicit });
    let data =
        RandomParameter { kind: RandomParameterKind::Data, array: None, annotation: ParameterAnnotation::Implicit };
    prop::collection::vec(member, 0..3).prop_map(move |members| {
        let members = std::iter::once(data.clone()).chain(members).collect();
        ParameterStruct { members }
    })
}

fn parameter(dialect: ProgramDialect, structs: usize) -> impl Strategy<Value = RandomParameter> {
    let plain = vec![
        RandomParameterKind::Texture,
        RandomParameterKind::Buffer,
        RandomParameterKind::Structured,
        RandomParameterKind::Bytes,
        RandomParameterKind::RwTexture,
        RandomParameterKind::RwStructured,
        RandomParameterKind::Sampler,
        RandomParameterKind::Cbuffer,
        RandomParameterKind::ConstantBuffer,
        RandomParameterKind::Data,
    ];

    let of_struct = (0..structs).prop_map(move |place| match dialect {
        ProgramDialect::Dxc => RandomParameterKind::Struct(place),
        ProgramDialect::Slang => RandomParameterKind::ParameterBlock(place),
    });
    let kind = prop_oneof![6 => prop::sample::select(plain), 1 => of_struct, 1 => (0..structs).prop_map(RandomParameterKind::Struct)];
    (kind, array(), annotation(dialect)).prop_map(move |(kind, array, annotation)| {
        let array = array.filter(|_| kind.has_arrays());
        let annotation = if kind.class().is_some() { annotation } else { ParameterAnnotation::Implicit };
        RandomParameter { kind, array, annotation }
    })
}

fn array() -> impl Strategy<Value = Option<Count>> {
    prop_oneof![
        6 => Just(None),
        2 => (1_u32..5).prop_map(|count| Some(Count::Finite(count))),
        1 => Just(Some(Count::Unbounded)),
    ]
}

fn annotation(dialect: ProgramDialect) -> impl Strategy<Value = ParameterAnnotation> {
    let space = prop::option::weighted(0.3, 0_u32..3);
    let register = (0_u32..8, space).prop_map(|(index, space)| ParameterAnnotation::Register { index, space });
    let alone = (0_u32..3).prop_map(move |space| match dialect {
        ProgramDialect::Dxc => ParameterAnnotation::Space(space),
        ProgramDialect::Slang => ParameterAnnotation::Implicit,
    });
    prop_oneof![5 => Just(ParameterAnnotation::Implicit), 2 => register, 1 => alone]
}
