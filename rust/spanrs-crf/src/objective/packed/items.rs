//! The items of tokens by code, in memory or in a temporary file that is read again in each evaluation.

use std::ops::Range;
use std::sync::Arc;

use spanrs_base::Ends;

use super::Packed;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::records::{RecordReader, write_u32, write_u64};
use crate::sequences::Sequences;
use crate::spill::SpillFile;
use crate::vectors::Vectors;

/// Attributes without a code.
pub(super) const NO_CODE: u32 = u32::MAX;

/// The items of consecutive tokens, numbered from 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Items {
    /// Range of each token's items.
    ends: Ends,
    /// Number of dense codes of each token.
    dense: Vec<u32>,
    /// The codes of each token's items, ascending within a token; a code may be repeated.
    codes: Vec<u32>,
    /// The value of each item; empty if all are 1.
    values: Vec<f64>,
    /// The vectors of the tokens, if the items were read from a file; those of other items are in the corpus.
    vectors: Vectors,
    /// Work space for reading.
    record: Vec<u8>,
}

/// Where the items of a corpus are.
#[derive(Clone, Debug)]
pub(super) enum Store {
    Memory(Items),
    /// A record for each sequence, with the vectors of its tokens.
    File(Arc<SpillFile>),
}

/// Items and vectors of some tokens, in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens<'a> {
    items: &'a Items,
    vectors: &'a Vectors,
    /// The number of the first token.
    first: usize,
}

impl<'a> Tokens<'a> {
    /// The codes of a token and their values, which are empty if all are 1.
    #[inline(always)]
    pub(crate) fn items(&self, token: usize) -> (&'a [u32], &'a [f64]) {
        self.items.token(token - self.first)
    }

    /// Number of dense codes of a token.
    #[inline(always)]
    pub(crate) fn dense(&self, token: usize) -> usize {
        self.items.dense[token - self.first] as usize
    }

    /// The vectors, and the range in them of a range of tokens.
    pub(crate) fn vectors(&self, tokens: Range<usize>) -> (&'a Vectors, Range<usize>) {
        (
            self.vectors,
            tokens.start - self.first..tokens.end - self.first,
        )
    }
}

impl Items {
    /// Tokens numbered from `first`, whose items were read from a file.
    pub(crate) fn tokens(&self, first: usize) -> Tokens<'_> {
        Tokens {
            items: self,
            vectors: &self.vectors,
            first,
        }
    }

    /// The codes of a token and their values.
    #[inline(always)]
    fn token(&self, token: usize) -> (&[u32], &[f64]) {
        let places = self.ends.range(token);
        let values = match self.values.is_empty() {
            true => &[][..],
            false => &self.values[places.clone()],
        };
        (&self.codes[places], values)
    }

    /// For each boundary and token, the number of the token's items whose codes are below the boundary.
    pub(super) fn offsets(&self, boundaries: &[usize]) -> Vec<Vec<u32>> {
        let offsets = |&boundary: &usize| {
            let offset = |token| {
                let codes = self.token(token).0;
                codes.partition_point(|&code| (code as usize) < boundary) as u32
            };
            (0..self.ends.len()).map(offset).collect()
        };
        boundaries.iter().map(offsets).collect()
    }

    /// Removes all tokens.
    pub(crate) fn clear(&mut self) {
        self.ends.clear();
        self.dense.clear();
        self.codes.clear();
        self.values.clear();
        self.vectors.truncate(0);
    }

    /// Appends the items of a token, sorted by code, without those that have none. Codes below `rows` are
    /// dense. The sort is stable, so repeated attributes keep their order. `work` is work space; with
    /// `valued`, values are stored.
    fn push(
        &mut self,
        items: impl Iterator<Item = (u32, f64)>,
        (rows, valued): (usize, bool),
        work: &mut Vec<(u32, f64)>,
    ) {
        let start = self.codes.len();
        let coded = items.filter(|(code, _)| *code != NO_CODE);
        if valued {
            work.clear();
            work.extend(coded);
            work.sort_by_key(|(code, _)| *code);
            self.codes.extend(work.iter().map(|(code, _)| code));
            self.values.extend(work.iter().map(|(_, value)| value));
        } else {
            self.codes.extend(coded.map(|(code, _)| code));
            self.codes[start..].sort_unstable();
        }
        let codes = &self.codes[start..];
        let dense = codes.partition_point(|&code| (code as usize) < rows);
        self.dense.push(dense as u32);
        self.ends.push(self.codes.len());
    }

    /// Replaces `record` with the items of all tokens, and the vectors of a range of tokens.
    fn write_record(&self, (vectors, tokens): (&Vectors, Range<usize>), record: &mut Vec<u8>) {
        record.clear();
        write_u64(record, [u64::from(!self.values.is_empty())]);
        write_u32(record, self.ends.ranges().map(|items| items.len() as u32));
        write_u32(record, self.dense.iter().copied());
        write_u32(record, self.codes.iter().copied());
        for value in &self.values {
            record.extend_from_slice(&value.to_le_bytes());
        }
        vectors.write_record(tokens, record);
    }

    /// Appends the tokens of a record of so many tokens; None if the record is another one. `valued` says
    /// whether values are stored.
    fn read_record(
        &mut self,
        tokens: usize,
        valued: bool,
        reader: &mut RecordReader,
    ) -> Option<()> {
        let has_values = reader.len()? != 0;
        let items = reader.lengths(tokens, &mut self.ends)?;
        self.dense.extend(reader.u32s(tokens)?);
        self.codes.extend(reader.u32s(items.len())?);
        match has_values {
            true => self.values.extend(reader.f64s(items.len())?),
            // Items of other sequences have values.
            false if valued => self.values.resize(items.end, 1.0),
            false => {}
        }
        self.vectors.read_record(tokens, reader)
    }
}

impl Store {
    /// The items of a corpus, in a file if those of the corpus are. `code_of` has the code of each attribute, or
    /// [`NO_CODE`]; codes below `rows` are dense.
    ///
    /// # Errors
    /// [`crate::Error::Spill`].
    pub(super) fn of(corpus: &Corpus, code_of: &[u32], rows: usize) -> Result<Self> {
        let layout = (rows, corpus.inputs().has_values());
        let coded = |block: &Sequences, token: usize, items: &mut Items, work: &mut Vec<_>| {
            let with_code = block.items(token);
            let with_code =
                with_code.map(|(attribute, value)| (code_of[attribute as usize], value));
            items.push(with_code, layout, work);
        };
        let (mut items, mut work) = (Items::default(), Vec::new());
        let Some(directory) = corpus.spill_directory() else {
            let inputs = corpus.inputs();
            let all = (0..inputs.tokens()).flat_map(|token| inputs.items(token));
            let with_code = all.filter(|(attribute, _)| code_of[*attribute as usize] != NO_CODE);
            items.codes.reserve_exact(with_code.count());
            (0..inputs.tokens()).for_each(|token| coded(inputs, token, &mut items, &mut work));
            return Ok(Self::Memory(items));
        };
        let (mut file, mut record) = (SpillFile::new(directory)?, Vec::new());
        corpus.for_each_block(|block, _| {
            for at in 0..block.len() {
                items.clear();
                let tokens = block.sequence(at);
                tokens
                    .clone()
                    .for_each(|token| coded(block, token, &mut items, &mut work));
                items.write_record((block.vectors(), tokens), &mut record);
                file.append(&record)?;
            }
            Ok(())
        })?;
        file.flush()?;
        Ok(Self::File(Arc::new(file)))
    }
}

impl Packed {
    /// The tokens of a range of sequences; `buffer` holds them if they are read from a file.
    ///
    /// # Errors
    /// [`crate::Error::Spill`].
    pub(crate) fn read<'a>(
        &'a self,
        corpus: &'a Corpus,
        sequences: Range<usize>,
        buffer: &'a mut Items,
    ) -> Result<Tokens<'a>> {
        if self.is_spilled() {
            buffer.clear();
            self.append(corpus, sequences.clone(), buffer)?;
        }
        Ok(self.tokens(corpus, corpus.sequence(sequences.start).start, buffer))
    }

    /// Tokens that were read: those of the file are in `buffer`, and the first one has the number `first`.
    pub(crate) fn tokens<'a>(
        &'a self,
        corpus: &'a Corpus,
        first: usize,
        buffer: &'a Items,
    ) -> Tokens<'a> {
        match &self.store {
            Store::File(_) => buffer.tokens(first),
            Store::Memory(items) => Tokens {
                items,
                vectors: corpus.inputs().vectors(),
                first: 0,
            },
        }
    }

    /// Appends the tokens of a range of sequences to `buffer` if they are in a file.
    ///
    /// # Errors
    /// [`crate::Error::Spill`].
    pub(crate) fn append(
        &self,
        corpus: &Corpus,
        sequences: Range<usize>,
        buffer: &mut Items,
    ) -> Result<()> {
        let Store::File(file) = &self.store else {
            return Ok(());
        };
        let mut record = std::mem::take(&mut buffer.record);
        file.read(sequences.clone(), &mut record)?;
        let mut reader = RecordReader::new(&record);
        let valued = corpus.inputs().has_values();
        for at in sequences {
            let read = buffer.read_record(corpus.sequence(at).len(), valued, &mut reader);
            read.ok_or_else(|| file.changed())?;
        }
        buffer.record = record;
        Ok(())
    }
}
