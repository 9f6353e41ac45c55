//! Items and vectors of sequences as a record of a temporary file.

use std::ops::Range;

use super::Sequences;
use crate::records::{RecordReader, write_u32, write_u64};

impl Sequences {
    /// Replaces `record` with the items and vectors of a range of sequences.
    pub(crate) fn write_record(&self, sequences: Range<usize>, record: &mut Vec<u8>) {
        let tokens = self.sequences.start(sequences.start)..self.sequences.start(sequences.end);
        let stored = tokens.start - self.removed..tokens.end - self.removed;
        let items = self.ends.start(stored.start)..self.ends.start(stored.end);
        record.clear();
        write_u64(record, [u64::from(!self.value.is_empty())]);
        let lengths = stored
            .clone()
            .map(|token| self.ends.range(token).len() as u32);
        write_u32(record, lengths);
        write_u32(record, self.attribute[items.clone()].iter().copied());
        for value in self.value.get(items).unwrap_or_default() {
            record.extend_from_slice(&value.to_le_bytes());
        }
        self.vectors.write_record(stored, record);
    }

    /// Sequences of these numbers of tokens, whose items and vectors are those of a record; None if the
    /// record is another one. The attributes are below `attributes`.
    pub(crate) fn read_record(
        attributes: usize,
        lengths: impl Iterator<Item = usize>,
        record: &[u8],
    ) -> Option<Self> {
        let mut reader = RecordReader::new(record);
        let mut sequences = Self::new(attributes);
        sequences.valued = reader.len()? != 0;
        let mut tokens = 0;
        for length in lengths {
            tokens += length;
            sequences.sequences.push(tokens);
        }
        let items = reader.lengths(tokens, &mut sequences.ends)?;
        sequences.attribute = reader.u32s(items.len())?.collect();
        if sequences.valued {
            sequences.value = reader.f64s(items.len())?.collect();
            sequences.non_finite = !sequences.value.iter().all(|value| value.is_finite());
        }
        sequences.vectors.read_record(tokens, &mut reader)?;
        let in_range = sequences
            .attribute
            .iter()
            .all(|&attribute| (attribute as usize) < attributes);
        (in_range && reader.is_empty()).then_some(sequences)
    }
}
