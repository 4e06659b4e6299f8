//! The texel format that reflection reports for a texture or a typed buffer.
//!
//! `[format("...")]` sets it. Without that attribute it follows from the element type, unless that
//! is `float` or `double`, which leave a choice. Measured with Slang 2026.14.1.

use layoutproof_layout::resource::ResourceKind;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::Type;
use layoutproof_layout::{Annotations, Argument};

use super::spelling::result;
use crate::tree::VariableLayout;

/// Returns the format of `variable`, if the source states one or the element type implies one.
pub(super) fn format(variable: &VariableLayout) -> Option<String> {
    let (ty, _) = variable.layout.ty.dimensions();
    let Type::Resource(resource) = ty else { return None };
    match resource.kind {
        ResourceKind::Texture(_) | ResourceKind::CombinedSampler(_) | ResourceKind::Buffer(_) => {}
        _ => return None,
    }

    stated(&variable.annotations).or_else(|| inferred(&result(resource)?))
}

fn stated(annotations: &Annotations) -> Option<String> {
    let qualifiers = || annotations.layout.iter().map(|qualifier| qualifier.name.as_str());
    let plain = annotations.attribute(None, "format");
    let Some(attribute) = plain.or_else(|| annotations.attribute(Some("vk"), "image_format")) else {
        return qualifiers().find(|name| is_format(name)).map(spelled);
    };
    match attribute.arguments.first()? {
        Argument::Text(format) if format == "unknown" => None,
        Argument::Text(format) => Some(spelled(format)),
        Argument::Integer(_) | Argument::Other(_) => None,
    }
}

/// True for the name of a texel format that GLSL writes as a layout qualifier: `rgba8`, `r11f_g11f_b10f`.
fn is_format(name: &str) -> bool {
    let channels = ["bgra", "rgba", "rgb", "rg", "r"].into_iter().find_map(|channels| name.strip_prefix(channels));
    channels.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns `format` in Slang's spelling: `rgba8_snorm` for DXC's `rgba8snorm`.
fn spelled(format: &str) -> String {
    match format {
        "r11g11b10f" => "r11f_g11f_b10f".to_owned(),
        "rgb10a2" => "rgb10_a2".to_owned(),
        "rgb10a2ui" => "rgb10_a2ui".to_owned(),
        _ => match format.strip_suffix("snorm") {
            Some(start) if !start.ends_with('_') => format!("{start}_snorm"),
            Some(_) | None => format.to_owned(),
        },
    }
}

fn inferred(element: &Type) -> Option<String> {
    let (scalar, length) = match element {
        Type::Scalar(scalar) => (*scalar, 1),
        Type::Vector { scalar, length } => (*scalar, *length),
        _ => return None,
    };

    let channels = match length {
        1 => "r",
        2 => "rg",
        4 => "rgba",
        _ => return None,
    };
    let bits = match scalar {
        Scalar::Int8 => "8i",
        Scalar::Uint8 => "8ui",
        Scalar::Int16 | Scalar::Min16Int | Scalar::Min12Int => "16i",
        Scalar::Uint16 | Scalar::Min16Uint => "16ui",
        Scalar::Int32 => "32i",
        Scalar::Uint32 => "32ui",
        Scalar::Int64 => "64i",
        Scalar::Uint64 => "64ui",
        Scalar::Float16 | Scalar::Half | Scalar::Min16Float | Scalar::Min10Float => "16f",
        Scalar::Bool | Scalar::Float32 | Scalar::Float64 => return None,
    };

    Some(format!("{channels}{bits}"))
}
