//! Numbers in records of temporary files, little-endian.

use std::ops::Range;

/// Appends numbers of 32 bits.
pub(crate) fn write_u32(record: &mut Vec<u8>, numbers: impl IntoIterator<Item = u32>) {
    for number in numbers {
        record.extend_from_slice(&number.to_le_bytes());
    }
}

/// Appends a length, or other numbers of 64 bits.
pub(crate) fn write_u64(record: &mut Vec<u8>, numbers: impl IntoIterator<Item = u64>) {
    for number in numbers {
        record.extend_from_slice(&number.to_le_bytes());
    }
}

/// Reads a record from its beginning. All methods return None after the end of the record.
pub(crate) struct RecordReader<'a> {
    record: &'a [u8],
}

impl<'a> RecordReader<'a> {
    pub(crate) fn new(record: &'a [u8]) -> Self {
        Self { record }
    }

    /// Takes so many numbers of `N` bytes.
    fn take<const N: usize>(&mut self, number: usize) -> Option<&'a [[u8; N]]> {
        let (taken, rest) = self.record.split_at_checked(number.checked_mul(N)?)?;
        self.record = rest;
        Some(taken.as_chunks().0)
    }

    /// The next length.
    pub(crate) fn len(&mut self) -> Option<usize> {
        let bytes = self.take(1)?.first()?;
        usize::try_from(u64::from_le_bytes(*bytes)).ok()
    }

    /// The next numbers of 32 bits.
    pub(crate) fn u32s(&mut self, number: usize) -> Option<impl Iterator<Item = u32> + use<'a>> {
        Some(
            self.take(number)?
                .iter()
                .map(|bytes| u32::from_le_bytes(*bytes)),
        )
    }

    /// The next floating-point numbers of 32 bits.
    pub(crate) fn f32s(&mut self, number: usize) -> Option<impl Iterator<Item = f32> + use<'a>> {
        Some(self.u32s(number)?.map(f32::from_bits))
    }

    /// The next floating-point numbers of 64 bits.
    pub(crate) fn f64s(&mut self, number: usize) -> Option<impl Iterator<Item = f64> + use<'a>> {
        Some(
            self.take(number)?
                .iter()
                .map(|bytes| f64::from_le_bytes(*bytes)),
        )
    }

    /// Appends consecutive ends of so many rows, whose lengths are next, to `ends`; returns the range of their
    /// values.
    pub(crate) fn lengths(
        &mut self,
        rows: usize,
        ends: &mut spanrs_base::Ends,
    ) -> Option<Range<usize>> {
        let first = ends.total();
        let mut end = first;
        for length in self.u32s(rows)? {
            end = end.checked_add(length as usize)?;
            ends.push(end);
        }
        Some(first..end)
    }

    /// Whether nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.record.is_empty()
    }
}
