//! The items of a corpus that is larger than memory, in a temporary file.

use std::path::Path;
use std::sync::Arc;

use spanrs_base::{Clock, Watch};

use super::Corpus;
use crate::error::{Error, Result};
use crate::sequences::Sequences;
use crate::spill::SpillFile;

/// Approximate size in bytes of a block.
const BLOCK: usize = 4 << 20;

/// Blocks of sequences, of which a corpus has only the lengths in memory.
#[derive(Debug)]
pub(super) struct Blocks {
    file: SpillFile,
    /// The first sequence of each block, and the end of the last block.
    firsts: Vec<usize>,
}

/// Where a corpus puts its items if there are too many.
#[derive(Clone, Debug)]
pub(super) struct Spilling {
    /// Largest number of bytes in memory.
    most: usize,
    directory: Arc<Path>,
    /// Called between blocks that are read.
    watch: Watch,
    /// Immutable once it is shared by two corpora.
    blocks: Option<Arc<Blocks>>,
}

impl Spilling {
    /// Whether items are in the file.
    pub(super) fn is_used(&self) -> bool {
        self.blocks.is_some()
    }
}

impl Corpus {
    /// Moves items and vectors to a temporary file in a directory as soon as they take more than a number
    /// of bytes in memory. Labels, weights and lengths of sequences remain in memory, about 4 bytes for
    /// each token and 40 for each sequence.
    ///
    /// Such a corpus is trained by L-BFGS and dual coordinate ascent, with results equal to those of
    /// memory, by two threads at most; `watch` is called while the file is read as a whole, and [`Corpus::items`] panics for tokens in the file. Nothing remains of the
    /// file when the corpus is dropped.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{Corpus, FeatureSelection, Features, Target};
    /// let mut corpus = Corpus::new(2, 1).spilled_above(1 << 20, &std::env::temp_dir(), || false);
    /// corpus.token([(0, 1.0)]).unwrap();
    /// corpus.end_sequence(Target::Labels(vec![1]), 1.0).unwrap();
    /// assert!(!corpus.is_spilled());
    /// assert_eq!(Features::read(&corpus, FeatureSelection::default()).unwrap().len(), 1);
    /// ```
    #[must_use]
    pub fn spilled_above(mut self, bytes: usize, directory: &Path, watch: Watch) -> Self {
        self.spilling = Some(Spilling {
            most: bytes,
            directory: directory.into(),
            watch,
            blocks: None,
        });
        self
    }

    /// Whether items are in a temporary file.
    pub fn is_spilled(&self) -> bool {
        self.blocks().is_some()
    }

    fn blocks(&self) -> Option<&Blocks> {
        self.spilling.as_ref()?.blocks.as_deref()
    }

    /// The directory of the temporary file, if items are in one.
    pub(crate) fn spill_directory(&self) -> Option<&Path> {
        self.blocks().map(|blocks| blocks.file.directory())
    }

    /// Moves items to the file if there are too many, or if the file has items already and there are as
    /// many as a block.
    ///
    /// # Errors
    /// [`Error::Spill`].
    pub(super) fn spill_if_large(&mut self) -> Result<()> {
        let Some(spilling) = &mut self.spilling else {
            return Ok(());
        };
        let bytes = self.sequences.bytes();
        if bytes <= spilling.most && (spilling.blocks.is_none() || bytes < BLOCK) {
            return Ok(());
        }
        let blocks = match &mut spilling.blocks {
            Some(blocks) => blocks,
            none => none.insert(Arc::new(Blocks {
                file: SpillFile::new(&spilling.directory)?,
                firsts: vec![0],
            })),
        };
        let Some(blocks) = Arc::get_mut(blocks) else {
            let message = "the temporary file is in use by a copy of the corpus";
            return Err(Error::Spill(message.to_owned()));
        };
        blocks.append(&self.sequences)?;
        self.sequences.remove_items();
        Ok(())
    }

    /// Calls `visit` with all sequences in their order, in one or several blocks, each with the number of
    /// its first sequence. Tokens and sequences of a block are numbered from 0.
    ///
    /// # Errors
    /// [`Error::Spill`], [`Error::Interrupted`], and the errors of `visit`.
    pub(crate) fn for_each_block(
        &self,
        mut visit: impl FnMut(&Sequences, usize) -> Result<()>,
    ) -> Result<()> {
        let Some(blocks) = self.blocks() else {
            return visit(&self.sequences, 0);
        };
        let mut record = Vec::new();
        let mut clock = Clock::new(self.spilling.as_ref().map_or(|| false, |s| s.watch));
        for (at, bounds) in blocks.firsts.windows(2).enumerate() {
            if clock.stops() {
                return Err(Error::Interrupted);
            }
            blocks.file.read(at..at + 1, &mut record)?;
            let lengths = (bounds[0]..bounds[1]).map(|at| self.sequence(at).len());
            let block = Sequences::read_record(self.attributes(), lengths, &record);
            visit(&block.ok_or_else(|| blocks.file.changed())?, bounds[0])?;
        }
        let first = blocks.firsts.last().copied().unwrap_or_default();
        match first < self.sequences() {
            true => visit(&self.sequences.part(|at| at >= first), first),
            false => Ok(()),
        }
    }
}

impl Blocks {
    /// Appends the sequences that are not in the file yet.
    fn append(&mut self, sequences: &Sequences) -> Result<()> {
        let mut record = Vec::new();
        let mut first = self.firsts.last().copied().unwrap_or_default();
        while first < sequences.len() {
            let end = sequences.block_end(first, BLOCK);
            sequences.write_record(first..end, &mut record);
            self.file.append(&record)?;
            self.firsts.push(end);
            first = end;
        }
        self.file.flush()
    }
}
