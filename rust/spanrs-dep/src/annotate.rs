//! Annotation of many sentences in parallel.
//!
//! Sentences are divided into as many contiguous parts as there are threads. Each thread owns a
//! [`Workspace`], works in steps of 64 sentences, and checks between steps whether to stop; within
//! a step, [`Model::annotate`] interleaves the sentences in groups. Sentences are independent of
//! each other, so the result does not depend on the number of threads.

use spanrs_base::{Watch, Workers, even_ranges};

use crate::error::Result;
use crate::model::{Model, Workspace};
use crate::sentence::{Parse, Sentence};

/// Sentences annotated between two checks of the watch; a multiple of the group size in
/// [`Model::annotate`].
const BATCH: usize = 64;

impl Model {
    /// Annotates sentences as [`Model::annotate`] does, on up to `threads` threads (0 counts as 1),
    /// and returns the results in the order of the sentences. If `parse` is true, sentences are
    /// also parsed.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted) if the watch requests a stop. The watch is
    /// called in the calling thread only; the other threads then stop after their current step.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_dep::{Model, Sentence, import_tagger};
    /// let tagger = import_tagger(
    ///     br#"{"i word dogs": {"NNS": 1.0}, "i-1 tag NNS": {"VBP": 1.0}}"#,
    ///     b"{}",
    ///     br#"["NNS", "VBP"]"#,
    /// ).unwrap();
    /// let model = Model { tagger: Some(tagger.into()), ..Model::default() };
    /// let sentences = [&["Dogs", "bark"][..], &[]];
    /// let sentences = sentences.map(|words| Sentence { words, ..Sentence::default() });
    /// let parses = model.annotate_all(&sentences, false, 2, || false).unwrap();
    /// let xpos = |class: &u32| model.classes()[*class as usize].xpos.as_str();
    /// assert_eq!(parses[0].tags.iter().map(xpos).collect::<Vec<_>>(), ["NNS", "VBP"]);
    /// assert!(parses[1].tags.is_empty());
    /// ```
    pub fn annotate_all<S: AsRef<str> + Sync>(
        &self,
        sentences: &[Sentence<'_, S>],
        parse: bool,
        threads: usize,
        watch: Watch,
    ) -> Result<Vec<Parse>> {
        let ranges = even_ranges(sentences.len(), threads);
        Workers::watched(watch).flat_map(ranges, |range, worker| {
            let mut workspace = Workspace::default();
            let mut all = Vec::with_capacity(range.len());
            let mut parses = Vec::new();
            for batch in sentences[range].chunks(BATCH) {
                worker.check()?;
                self.annotate(batch, parse, &mut workspace, &mut parses);
                all.append(&mut parses);
            }
            Ok(all)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_result_for_each_sentence_in_any_number_of_threads() {
        let model = Model::default();
        let words = ["a"];
        let sentence = Sentence {
            words: &words,
            ..Sentence::default()
        };
        for threads in [0, 1, 3] {
            let all = model.annotate_all(&[sentence; 130], true, threads, || false);
            assert_eq!(all.unwrap().len(), 130);
        }
    }
}
