//! What a compiler reports of a block, apart from what its code does: its listing or reflection in, numbers out.

use crate::case::Numbers;
use crate::dxil::definitions::buffer_definitions;
use crate::layout::BlockLayout;
use crate::module::BlockKind;
use crate::toolchain::{Made, Report};

/// What `made` reports of the block that `layout` is of; nothing where it does not speak of it.
///
/// # Errors
/// A report that cannot be read.
pub fn reported(made: &Made, layout: &BlockLayout) -> Result<Numbers, String> {
    match &made.report {
        Report::Listing(listing) => {
            let buffers = buffer_definitions(listing)?;
            let own = buffers.iter().find(|buffer| buffer.name == layout.name);
            let numbers = own.map(|buffer| Numbers::of_report(&layout.name, buffer.size, &buffer.members));
            let numbers = numbers.unwrap_or_default();
            let elements = layout.kind == BlockKind::StructuredElement;
            Ok(if elements { numbers.of_elements(&layout.name) } else { numbers })
        }
        Report::None | Report::SlangJson(_) => Ok(Numbers::default()),
    }
}
