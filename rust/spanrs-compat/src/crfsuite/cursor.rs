//! Checked access to the bytes of a file by offset, and writing of integers.

use super::error::CrfsuiteError;

/// The bytes of a file or of a part of it, read by offset; every access is checked.
///
/// Offsets in arguments count from the start of these bytes, offsets in errors from the start of
/// the file. `what` describes what is read, for [`CrfsuiteError::Truncated`].
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a> {
    /// The bytes.
    data: &'a [u8],
    /// Byte offset of `data` in the file, for messages.
    base: u64,
}

impl<'a> Bytes<'a> {
    /// Wraps the bytes of a whole file.
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self { data, base: 0 }
    }

    /// Returns the number of bytes.
    pub(super) fn len(&self) -> u64 {
        self.data.len() as u64
    }

    /// Converts an offset in these bytes to an offset in the file.
    pub(super) fn in_file(&self, offset: u64) -> u64 {
        self.base.saturating_add(offset)
    }

    /// Returns `len` bytes from `offset`.
    ///
    /// # Errors
    /// [`CrfsuiteError::Truncated`] if they are not within these bytes.
    pub(super) fn slice(
        &self,
        offset: u64,
        len: u64,
        what: &'static str,
    ) -> Result<Self, CrfsuiteError> {
        let end = offset.checked_add(len).filter(|&end| end <= self.len());
        let data = end.and_then(|end| self.data.get(offset as usize..end as usize));
        let data = data.ok_or(CrfsuiteError::Truncated {
            what,
            offset: self.in_file(offset),
            needed: len,
            end: self.in_file(self.len()),
        })?;
        Ok(Self {
            data,
            base: self.in_file(offset),
        })
    }

    /// Returns `N` bytes from `offset`.
    pub(super) fn array<const N: usize>(
        &self,
        offset: u64,
        what: &'static str,
    ) -> Result<[u8; N], CrfsuiteError> {
        let mut array = [0; N];
        array.copy_from_slice(self.slice(offset, N as u64, what)?.data);
        Ok(array)
    }

    /// Reads a little-endian integer at `offset`.
    pub(super) fn u32(&self, offset: u64, what: &'static str) -> Result<u32, CrfsuiteError> {
        self.array(offset, what).map(u32::from_le_bytes)
    }

    /// Reads a little-endian floating-point number at `offset`.
    pub(super) fn f64(&self, offset: u64, what: &'static str) -> Result<f64, CrfsuiteError> {
        self.array(offset, what).map(f64::from_le_bytes)
    }

    /// Checks the four bytes at the start of a chunk.
    ///
    /// # Errors
    /// [`CrfsuiteError::Chunk`] if they are not `expected`.
    pub(super) fn expect_chunk(
        &self,
        offset: u64,
        expected: &'static str,
    ) -> Result<(), CrfsuiteError> {
        let found: [u8; 4] = self.array(offset, "chunk identifier")?;
        if found == *expected.as_bytes() {
            return Ok(());
        }
        Err(CrfsuiteError::Chunk {
            offset: self.in_file(offset),
            expected,
            found,
        })
    }

    /// Returns all bytes.
    pub(super) fn data(&self) -> &'a [u8] {
        self.data
    }
}

/// Appends a little-endian integer.
pub(super) fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Converts a size, offset or id.
///
/// # Errors
/// [`CrfsuiteError::TooLarge`] if it does not fit.
pub(super) fn to_u32(value: usize) -> Result<u32, CrfsuiteError> {
    u32::try_from(value).map_err(|_| CrfsuiteError::TooLarge)
}
