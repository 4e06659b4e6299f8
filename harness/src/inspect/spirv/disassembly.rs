//! SPIR-V as text, for people.

use rspirv::binary::Disassemble;

/// The instructions of a module, one a line. Ids have numbers, no names.
///
/// # Errors
/// The module cannot be read; lowercase fragment.
pub fn disassembly(bytes: &[u8]) -> Result<String, String> {
    let module = rspirv::dr::load_bytes(bytes).map_err(|error| error.to_string())?;
    Ok(module.disassemble())
}
