//! Types of values in function bodies, as far as they decide which function a call runs.
//!
//! `None` stands for an unknown type. Source: HLSL as DXC 1.7.2308 accepts it.

use crate::module::code::{element_of, is_transparent};
use layoutproof_layout::resource::ResourceKind;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::Type;

pub(super) type ValueType = Option<Type>;

pub(super) const BOOL: Type = Type::Scalar(Scalar::Bool);
pub(super) const INT: Type = Type::Scalar(Scalar::Int32);
pub(super) const UINT: Type = Type::Scalar(Scalar::Uint32);
pub(super) const FLOAT: Type = Type::Scalar(Scalar::Float32);
const FLOAT4: Type = Type::Vector { scalar: Scalar::Float32, length: 4 };

/// Returns true if operators on `ty` are built in.
pub(super) fn is_number(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Enum(_) | Type::Pointer { .. } => true,
        Type::Array { .. } | Type::Struct(_) | Type::Resource(_) | Type::Handle { .. } | Type::Interface { .. } => {
            false
        }
    }
}

/// Returns the type of `value.name`.
pub(super) fn member(ty: &Type, name: &str) -> ValueType {
    match ty {
        Type::Struct(ty) => ty.member(name).map(|member| member.ty.clone()),
        Type::Resource(resource) if is_transparent(resource) => member(&element_of(resource)?, name),
        Type::Scalar(scalar) | Type::Vector { scalar, .. } => swizzled(*scalar, name.len()),
        Type::Matrix { scalar, .. } => swizzled(*scalar, name.matches('_').count()),
        _ => None,
    }
}

fn swizzled(scalar: Scalar, components: usize) -> ValueType {
    match components {
        1 => Some(Type::Scalar(scalar)),
        2..=4 => Some(Type::Vector { scalar, length: u32::try_from(components).ok()? }),
        _ => None,
    }
}

/// Returns the type of `value[index]`.
pub(super) fn element(ty: &Type) -> ValueType {
    match ty {
        Type::Array { element, .. } => Some((**element).clone()),
        Type::Vector { scalar, .. } => Some(Type::Scalar(*scalar)),
        Type::Matrix { scalar, columns, .. } => Some(Type::Vector { scalar: *scalar, length: *columns }),
        Type::Resource(resource) if is_transparent(resource) => element(&element_of(resource)?),
        Type::Resource(resource) => element_of(resource),
        _ => None,
    }
}

pub(super) fn built_in_method(ty: &Type, name: &str) -> ValueType {
    let Type::Resource(resource) = ty else { return None };
    match (resource.kind, name) {
        (ResourceKind::ByteAddressBuffer(_), "Load") | (_, "IncrementCounter" | "DecrementCounter") => Some(UINT),
        (ResourceKind::ByteAddressBuffer(_), "Load2" | "Load3" | "Load4") => {
            Some(Type::Vector { scalar: Scalar::Uint32, length: u32::from(name.as_bytes()[4] - b'0') })
        }
        (_, "SampleCmp" | "SampleCmpLevelZero" | "CalculateLevelOfDetail" | "CalculateLevelOfDetailUnclamped") => {
            Some(FLOAT)
        }
        (_, "Load" | "Sample" | "SampleBias" | "SampleGrad" | "SampleLevel" | "Consume") => element_of(resource),
        (_, _) if name.starts_with("Gather") => Some(FLOAT4),
        (_, _) => None,
    }
}

/// Returns the result of an intrinsic function.
pub(super) fn intrinsic(name: &str, arguments: &[ValueType]) -> ValueType {
    let first = || arguments.first().cloned().flatten();
    match name {
        "abs"
        | "saturate"
        | "sin"
        | "cos"
        | "tan"
        | "asin"
        | "acos"
        | "atan"
        | "sqrt"
        | "rsqrt"
        | "exp"
        | "exp2"
        | "log"
        | "log2"
        | "log10"
        | "frac"
        | "floor"
        | "ceil"
        | "round"
        | "trunc"
        | "normalize"
        | "ddx"
        | "ddy"
        | "ddx_fine"
        | "ddy_fine"
        | "ddx_coarse"
        | "ddy_coarse"
        | "fwidth"
        | "rcp"
        | "degrees"
        | "radians"
        | "reversebits"
        | "sinh"
        | "cosh"
        | "tanh"
        | "reflect"
        | "refract"
        | "faceforward"
        | "WaveReadLaneFirst"
        | "WaveReadLaneAt"
        | "WaveActiveSum"
        | "WaveActiveMin"
        | "WaveActiveMax"
        | "QuadReadAcrossX"
        | "QuadReadAcrossY"
        | "QuadReadAcrossDiagonal"
        | "NonUniformResourceIndex"
        | "countbits"
        | "cross" => first(),
        "lerp" | "clamp" | "min" | "max" | "pow" | "smoothstep" | "step" | "fmod" | "atan2" | "mad" | "fma"
        | "ldexp" => arguments.iter().cloned().reduce(arithmetic).flatten(),
        "dot" => arguments.iter().cloned().reduce(arithmetic).flatten().map(|ty| shaped_like(&ty, None)),
        "length" | "distance" | "determinant" => first().map(|ty| shaped_like(&ty, None)),
        "any" | "all" | "isfront" => Some(BOOL),
        "isnan" | "isinf" | "isfinite" => Some(with_scalar(&first()?, Scalar::Bool)),
        "asfloat" | "f16tof32" => Some(with_scalar(&first()?, Scalar::Float32)),
        "asuint" if arguments.len() == 1 => Some(with_scalar(&first()?, Scalar::Uint32)),
        "f32tof16" => Some(with_scalar(&first()?, Scalar::Uint32)),
        "asint" | "sign" | "firstbithigh" | "firstbitlow" => Some(with_scalar(&first()?, Scalar::Int32)),
        "transpose" => match first()? {
            Type::Matrix { scalar, rows, columns, order } => {
                Some(Type::Matrix { scalar, rows: columns, columns: rows, order })
            }
            _ => None,
        },
        "mul" => match arguments {
            [Some(left), Some(right)] => product(left, right),
            _ => None,
        },
        _ => None,
    }
}

fn product(left: &Type, right: &Type) -> ValueType {
    match (left, right) {
        (Type::Matrix { scalar, rows, .. }, Type::Matrix { columns, .. }) => {
            Some(Type::Matrix { scalar: *scalar, rows: *rows, columns: *columns, order: None })
        }
        (Type::Matrix { scalar, rows, .. }, Type::Vector { .. }) => {
            Some(Type::Vector { scalar: *scalar, length: *rows })
        }
        (Type::Vector { .. }, Type::Matrix { scalar, columns, .. }) => {
            Some(Type::Vector { scalar: *scalar, length: *columns })
        }
        (Type::Vector { .. }, Type::Vector { .. }) => {
            arithmetic(Some(left.clone()), Some(right.clone())).map(|ty| shaped_like(&ty, None))
        }
        (_, _) => arithmetic(Some(left.clone()), Some(right.clone())),
    }
}

pub(super) fn comparison(left: ValueType, right: ValueType) -> ValueType {
    arithmetic(left, right).map(|ty| with_scalar(&ty, Scalar::Bool))
}

/// Returns the type of an arithmetic operation on two numbers: the wider scalar, and the shorter of two vectors.
pub(super) fn arithmetic(left: ValueType, right: ValueType) -> ValueType {
    let (left, right) = (left?, right?);
    let scalar = [scalar_of(&left)?, scalar_of(&right)?].into_iter().max_by_key(|scalar| rank(*scalar))?;
    let shape = match (&left, &right) {
        (Type::Scalar(_) | Type::Enum(_), other) => other.clone(),
        (Type::Vector { length, .. }, Type::Vector { length: other, .. }) if other < length => right.clone(),
        (_, _) => left.clone(),
    };
    Some(with_scalar(&shape, scalar))
}

/// Returns the rank of a scalar in HLSL. An operation on two scalar types has the type with the higher rank.
fn rank(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::Bool => 0,
        Scalar::Int8 | Scalar::Int16 | Scalar::Min12Int | Scalar::Min16Int => 1,
        Scalar::Uint8 | Scalar::Uint16 | Scalar::Min16Uint => 2,
        Scalar::Int32 => 3,
        Scalar::Uint32 => 4,
        Scalar::Int64 => 5,
        Scalar::Uint64 => 6,
        Scalar::Min10Float => 7,
        Scalar::Min16Float => 8,
        Scalar::Float16 | Scalar::Half => 9,
        Scalar::Float32 => 10,
        Scalar::Float64 => 11,
    }
}

fn scalar_of(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => Some(*scalar),
        Type::Enum(ty) => Some(ty.underlying),
        _ => None,
    }
}

fn with_scalar(ty: &Type, scalar: Scalar) -> Type {
    match ty {
        Type::Vector { length, .. } => Type::Vector { scalar, length: *length },
        Type::Matrix { rows, columns, order, .. } => {
            Type::Matrix { scalar, rows: *rows, columns: *columns, order: *order }
        }
        _ => Type::Scalar(scalar),
    }
}

/// Returns a vector with `length` components of the scalar of `ty`, or the scalar itself without a length.
fn shaped_like(ty: &Type, length: Option<u32>) -> Type {
    let scalar = scalar_of(ty).unwrap_or(Scalar::Float32);
    length.map_or(Type::Scalar(scalar), |length| Type::Vector { scalar, length })
}

/// How well an argument fits a parameter, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ArgumentFit {
    /// The same type.
    Exact,
    /// The same shape with another scalar, or a struct for its base.
    Converted,
    /// A scalar for a vector or a matrix.
    Repeated,
    /// Some components are dropped.
    Cut,
    Unknown,
    /// The compiler rejects it.
    Refused,
}

pub(super) fn fit(parameter: &ValueType, argument: &ValueType) -> ArgumentFit {
    let (Some(parameter), Some(argument)) = (parameter, argument) else { return ArgumentFit::Unknown };
    match (parameter, argument) {
        (Type::Struct(parameter), Type::Struct(argument)) => {
            let mut bases = std::iter::successors(Some(argument), |ty| ty.base.as_ref());
            match bases.position(|ty| ty.name == parameter.name) {
                Some(0) => ArgumentFit::Exact,
                Some(_) => ArgumentFit::Converted,
                None => ArgumentFit::Refused,
            }
        }
        (_, Type::Resource(resource)) if is_transparent(resource) && !matches!(parameter, Type::Resource(_)) => {
            fit(&Some(parameter.clone()), &element_of(resource))
        }
        (_, _) if !is_number(parameter) || !is_number(argument) => same(parameter, argument),
        (_, _) if same(parameter, argument) == ArgumentFit::Exact => ArgumentFit::Exact,
        (Type::Scalar(_) | Type::Enum(_), Type::Scalar(_) | Type::Enum(_)) => ArgumentFit::Converted,
        (_, Type::Scalar(_) | Type::Enum(_)) => ArgumentFit::Repeated,
        (_, _) => match (components(parameter), components(argument)) {
            (one, other) if one == other => ArgumentFit::Converted,
            (one, other) if one < other => ArgumentFit::Cut,
            (_, _) => ArgumentFit::Refused,
        },
    }
}

/// Compares types by spelling; `Texture2D` is `Texture2D<float4>`.
fn same(parameter: &Type, argument: &Type) -> ArgumentFit {
    let is_same = match (parameter, argument) {
        (Type::Resource(one), Type::Resource(other)) => one.kind == other.kind && element_of(one) == element_of(other),
        (_, _) => parameter.to_string() == argument.to_string(),
    };
    if is_same { ArgumentFit::Exact } else { ArgumentFit::Refused }
}

fn components(ty: &Type) -> u32 {
    match ty {
        Type::Vector { length, .. } => *length,
        Type::Matrix { rows, columns, .. } => rows * columns,
        _ => 1,
    }
}
