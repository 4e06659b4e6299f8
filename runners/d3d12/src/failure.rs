//! Converts the codes of failed calls to errors of a job.

use layoutproof_device::RunnerError;

/// Result of a COM call; negative values are failures.
pub(crate) type HResult = i32;

/// Codes with their names; true if the device is gone.
///
/// Source: Windows SDK, `winerror.h`.
const NAMES: [(u32, &str, bool); 12] = [
    (0x8000_4001, "E_NOTIMPL", false),
    (0x8000_4002, "E_NOINTERFACE", false),
    (0x8000_4005, "E_FAIL", false),
    (0x8007_000E, "E_OUTOFMEMORY", false),
    (0x8007_0057, "E_INVALIDARG", false),
    (0x887A_0001, "DXGI_ERROR_INVALID_CALL", false),
    (0x887A_0002, "DXGI_ERROR_NOT_FOUND", false),
    (0x887A_0004, "DXGI_ERROR_UNSUPPORTED", false),
    (0x887A_0005, "DXGI_ERROR_DEVICE_REMOVED", true),
    (0x887A_0006, "DXGI_ERROR_DEVICE_HUNG", true),
    (0x887A_0007, "DXGI_ERROR_DEVICE_RESET", true),
    (0x887A_0020, "DXGI_ERROR_DRIVER_INTERNAL_ERROR", true),
];

/// The name of a code, or the code in hexadecimal digits.
pub(crate) fn name(code: HResult) -> String {
    let code = code.cast_unsigned();
    let known = NAMES.iter().find(|(known, ..)| *known == code);
    known.map_or_else(|| format!("HRESULT {code:#010X}"), |(_, name, _)| (*name).to_owned())
}

/// Turns a failing `code` into the error of `call`.
pub(crate) fn check(call: &str, code: HResult) -> Result<(), RunnerError> {
    if code >= 0 {
        return Ok(());
    }
    let is_lost = NAMES.iter().any(|(known, _, lost)| *known == code.cast_unsigned() && *lost);
    Err(if is_lost {
        RunnerError::DeviceLost(format!("{call}: {}", name(code)))
    } else {
        RunnerError::Api { call: call.to_owned(), reason: name(code) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_was_removed_is_lost() {
        assert_eq!(check("Map", 0), Ok(()));
        let removed = check("Map", 0x887A_0005_u32.cast_signed());
        assert_eq!(removed, Err(RunnerError::DeviceLost("Map: DXGI_ERROR_DEVICE_REMOVED".to_owned())));
        let refused = check("Map", 0x8123_4567_u32.cast_signed());
        let expected = RunnerError::Api { call: "Map".to_owned(), reason: "HRESULT 0x81234567".to_owned() };
        assert_eq!(refused, Err(expected));
    }
}
