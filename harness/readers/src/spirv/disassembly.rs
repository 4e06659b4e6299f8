//! SPIR-V as readable text.

use rspirv::binary::Disassemble;

/// The instructions of a module, one per line. Ids are numbers without names.
///
/// # Errors
/// The module cannot be read; lowercase fragment.
pub fn disassembly(bytes: &[u8]) -> Result<String, String> {
    let module = rspirv::dr::load_bytes(bytes).map_err(|error| error.to_string())?;
    Ok(module.disassemble())
}
