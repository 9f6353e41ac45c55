//! Helpers for spaces and tabs between columns, and for line ends.

/// Returns true for space and tab, which separate columns and form blank lines.
#[inline(always)]
pub(crate) fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Returns a line without its line end, LF or CR LF. At the end of a file, a single CR is also
/// removed.
#[inline(always)]
pub(crate) fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Splits a line without its line end into fields; the separator None means runs of spaces and
/// tabs. Used only for the first lines of a file: [`crate::ColumnReader`] splits at whitespace
/// positions that are indexed in advance.
pub(crate) fn split(line: &[u8], separator: Option<u8>) -> Vec<&[u8]> {
    match separator {
        Some(byte) => line.split(|&b| b == byte).collect(),
        None => line
            .split(|&b| is_space(b))
            .filter(|field| !field.is_empty())
            .collect(),
    }
}
