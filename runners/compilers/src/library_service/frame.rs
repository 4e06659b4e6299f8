//! The messages between a process that holds a compiler's library and the process that asks it:
//! frames of texts.
//!
//! A frame consists of the number of texts, then for each text its length in bytes and its bytes.
//! Numbers are 32-bit little-endian.

use std::io::{self, Read, Write};

/// Upper limit for the length of a text and for the number of texts. Anything beyond is not a
/// frame.
const MOST: u32 = 1 << 26;

/// Writes a frame.
///
/// # Errors
/// A text is too long, or the pipe fails.
pub fn send(pipe: &mut impl Write, texts: &[String]) -> io::Result<()> {
    let mut bytes = length(texts.len())?.to_vec();
    for text in texts {
        bytes.extend(length(text.len())?);
        bytes.extend(text.as_bytes());
    }
    pipe.write_all(&bytes)?;
    pipe.flush()
}

/// Reads a frame; `None` if the other end has closed the pipe.
///
/// # Errors
/// The bytes are not a frame, or the pipe fails.
pub fn receive(pipe: &mut impl Read) -> io::Result<Option<Vec<String>>> {
    let count = match number(pipe) {
        Ok(count) => count,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    };

    let text = |_| {
        let mut bytes = vec![0; number(pipe)? as usize];
        pipe.read_exact(&mut bytes)?;
        String::from_utf8(bytes).map_err(io::Error::other)
    };
    (0..count).map(text).collect::<io::Result<_>>().map(Some)
}

fn length(length: usize) -> io::Result<[u8; 4]> {
    let length = u32::try_from(length).ok().filter(|length| *length < MOST);
    length.map(u32::to_le_bytes).ok_or_else(|| io::Error::other("a text that is too long"))
}

fn number(pipe: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    pipe.read_exact(&mut bytes)?;
    Some(u32::from_le_bytes(bytes)).filter(|number| *number < MOST).ok_or_else(|| io::Error::other("no frame"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_comes_back() {
        let texts = ["", "-DA=\"b\nc\"", "é"].map(str::to_owned);
        let mut bytes = Vec::new();
        send(&mut bytes, &texts).unwrap();
        let mut pipe = &bytes[..];
        assert_eq!(receive(&mut pipe).unwrap(), Some(texts.to_vec()));
        assert_eq!(receive(&mut pipe).unwrap(), None);
    }

    #[test]
    fn nonsense_is_no_frame() {
        assert!(receive(&mut &b"Segmentation fault"[..]).is_err());
        assert!(receive(&mut &[1, 0, 0, 0, 9, 0, 0, 0, b'x'][..]).is_err());
    }
}
