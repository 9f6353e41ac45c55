//! Bytes of a stream that is read more than once.

/// Maximum number of bytes in memory; more bytes are moved to a temporary file.
#[cfg(feature = "temporary-files")]
const IN_MEMORY: usize = 16 << 20;

/// A buffer that can be read and written at any position.
#[cfg(feature = "temporary-files")]
pub(crate) type Spool = tempfile::SpooledTempFile;

/// A buffer that can be read and written at any position.
#[cfg(not(feature = "temporary-files"))]
pub(crate) type Spool = std::io::Cursor<Vec<u8>>;

/// Creates an empty buffer.
#[cfg(feature = "temporary-files")]
pub(crate) fn spool() -> Spool {
    Spool::new(IN_MEMORY)
}

/// Creates an empty buffer.
#[cfg(not(feature = "temporary-files"))]
pub(crate) fn spool() -> Spool {
    Spool::default()
}
