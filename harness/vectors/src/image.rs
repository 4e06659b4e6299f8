//! The bytes of a block in which the n-th scalar has the value n.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use half::f16;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::{BlockLayout, Component, Leaf, join};
use serde_json::Value;

use crate::format::Image;

/// The largest block with an image, in bytes: 256 registers.
const MOST_BYTES: u32 = 4096;

/// The byte of padding. No value of a scalar consists of it alone.
const PADDING: u8 = 0xa5;

/// The image of a block; `None` if it has no known size up to [`MOST_BYTES`], no scalars, or scalars
/// that share bytes.
pub(crate) fn image(layout: &BlockLayout) -> Option<Image> {
    let size = layout.result.as_ref().ok()?.size.finite().filter(|size| *size <= MOST_BYTES)?;
    let leaves = layout.leaves();
    if leaves.is_empty() || layout.leaf_count() != leaves.len() as u64 {
        return None;
    }

    // The scalars of the last struct may end after the size that the rule set gives it.
    let end = leaves.iter().map(|leaf| leaf.offset + leaf.component.size).max()?;
    let mut bytes: Vec<Option<u8>> = vec![None; size.max(end) as usize];
    let mut values = BTreeMap::new();
    for (number, leaf) in (1..).zip(&leaves) {
        let (value, encoded) = encode(leaf.component, number)?;
        for (byte, encoded) in bytes.get_mut(range(leaf))?.iter_mut().zip(encoded) {
            if byte.replace(encoded).is_some() {
                return None;
            }
        }
        values.insert(join(&layout.name, &leaf.path), value);
    }

    let mut text = String::new();
    for byte in bytes {
        let _ = write!(text, "{:02x}", byte.unwrap_or(PADDING));
    }
    Some(Image { bytes: text, values })
}

fn range(leaf: &Leaf) -> std::ops::Range<usize> {
    leaf.offset as usize..(leaf.offset + leaf.component.size) as usize
}

/// The value and its bytes: `number`, modulo what the type can hold exactly.
fn encode(component: Component, number: u32) -> Option<(Value, Vec<u8>)> {
    let Component { scalar, size } = component;
    // Above 2,048, half precision skips integers.
    let small = (number - 1) % 2048 + 1;
    if scalar == Scalar::Bool {
        let is_set = number % 2 == 1;
        let mut bytes = vec![0; size as usize];
        *bytes.first_mut()? = u8::from(is_set);
        return Some((Value::from(is_set), bytes));
    }
    if scalar.is_float() {
        return match size {
            2 => {
                Some((Value::from(small), f16::from_f32(f32::from(u16::try_from(small).ok()?)).to_le_bytes().to_vec()))
            }
            4 => Some((Value::from(small), f32::from(u16::try_from(small).ok()?).to_le_bytes().to_vec())),
            8 => Some((Value::from(number), f64::from(number).to_le_bytes().to_vec())),
            _ => None,
        };
    }
    // Signed bytes hold 127.
    let number = if size == 1 { (number - 1) % 127 + 1 } else { number };
    let bytes = u64::from(number).to_le_bytes();
    Some((Value::from(number), bytes.get(..size as usize)?.to_vec()))
}
