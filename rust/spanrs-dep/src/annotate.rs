//! Annotation of many sentences, in threads.
//!
//! Sentences are divided into as many contiguous parts as there are threads. A thread owns a
//! [`Workspace`] and works in steps of 64 sentences, between which it looks whether to stop; within
//! a step, [`Model::annotate`] interleaves the sentences in groups. Sentences are independent of
//! each other, so the result does not depend on the number of threads.

use spanrs_base::{Watch, Workers, even_ranges};

use crate::error::{Error, Result};
use crate::model::{Annotated, Model, Sentence, Workspace};

/// Sentences annotated between two looks at the watch; a multiple of the size of a group of
/// [`Model::annotate`].
const BATCH: usize = 64;

/// (XPOS, UPOS) of the words of a sentence. Lists that are shorter than the sentence stand for
/// empty tags at its end.
pub type TagLists = (Vec<String>, Vec<String>);

/// The words of a sentence and the tags that were given, as slices of strings, which is how
/// [`Sentence`] wants them.
struct Texts<'a> {
    /// Forms.
    words: Vec<&'a str>,
    /// (XPOS, UPOS), each as long as `words`; None if the tagger is to predict them.
    tags: Option<(Vec<&'a str>, Vec<&'a str>)>,
}

impl<'a> Texts<'a> {
    /// Borrows the strings of a sentence; tags that are missing at the end are empty.
    fn of(words: &'a [String], tags: Option<&'a TagLists>) -> Self {
        let of = |tags: &'a [String]| {
            let tag = |at| tags.get(at).map_or("", String::as_str);
            (0..words.len()).map(tag).collect()
        };
        Self {
            words: words.iter().map(String::as_str).collect(),
            tags: tags.map(|(xpos, upos)| (of(xpos), of(upos))),
        }
    }

    /// Returns the sentence for [`Model::annotate`].
    fn sentence(&self) -> Sentence<'_> {
        let tags = self.tags.as_ref();
        Sentence {
            words: &self.words,
            tags: tags.map(|(xpos, upos)| (&xpos[..], &upos[..])),
        }
    }
}

impl Model {
    /// Annotates sentences as [`Model::annotate`] does, on up to `threads` threads (0 counts as 1),
    /// and returns the annotations in the order of the sentences.
    ///
    /// `given` has the tags of each sentence, which are used instead of predictions. With `parse`
    /// sentences are parsed, too.
    ///
    /// # Errors
    /// [`Error::Training`] if `given` does not have as many entries as there are sentences;
    /// [`Error::Interrupted`] if the watch says stop. Only the calling thread asks it; the other
    /// threads then stop after their current step.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_dep::{Model, import_tagger};
    /// let tagger = import_tagger(
    ///     br#"{"i word dogs": {"NNS": 1.0}, "i-1 tag NNS": {"VBP": 1.0}}"#,
    ///     b"{}",
    ///     br#"["NNS", "VBP"]"#,
    /// ).unwrap();
    /// let metadata = "{}".to_owned();
    /// let model = Model { tagger: Some(tagger), parser: None, padded: false, metadata };
    /// let sentences = [vec!["Dogs".to_owned(), "bark".to_owned()], vec![]];
    /// let annotated = model.annotate_all(&sentences, None, false, 2, || false).unwrap();
    /// let xpos = |class: &u32| model.classes()[*class as usize].xpos.as_str();
    /// assert_eq!(annotated[0].tags.iter().map(xpos).collect::<Vec<_>>(), ["NNS", "VBP"]);
    /// assert!(annotated[1].tags.is_empty());
    /// ```
    pub fn annotate_all(
        &self,
        sentences: &[Vec<String>],
        given: Option<&[TagLists]>,
        parse: bool,
        threads: usize,
        watch: Watch,
    ) -> Result<Vec<Annotated>> {
        if given.is_some_and(|given| given.len() != sentences.len()) {
            let message = "there are not as many lists of tags as sentences";
            return Err(Error::Training(message.to_owned()));
        }
        let ranges = even_ranges(sentences.len(), threads);
        Workers::watched(watch).flat_map(ranges, |range, worker| {
            let mut workspace = Workspace::default();
            let mut all = Vec::with_capacity(range.len());
            let mut annotated = Vec::new();
            for start in range.clone().step_by(BATCH) {
                worker.check()?;
                let batch = start..range.end.min(start + BATCH);
                let texts: Vec<Texts<'_>> = batch
                    .map(|at| Texts::of(&sentences[at], given.and_then(|given| given.get(at))))
                    .collect();
                let inputs: Vec<Sentence<'_>> = texts.iter().map(Texts::sentence).collect();
                self.annotate(&inputs, parse, &mut workspace, &mut annotated);
                all.append(&mut annotated);
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
        let model = Model {
            tagger: None,
            parser: None,
            padded: false,
            metadata: "{}".into(),
        };
        let sentences = vec![vec!["a".to_owned()]; 130];
        for threads in [0, 1, 3] {
            let all = model.annotate_all(&sentences, None, true, threads, || false);
            assert_eq!(all.unwrap().len(), 130);
        }
    }

    #[test]
    fn missing_tags_are_empty() {
        let words = ["a", "b"].map(str::to_owned);
        let tags = (vec!["X".to_owned()], Vec::new());
        let texts = Texts::of(&words, Some(&tags));
        let expected: (&[&str], &[&str]) = (&["X", ""], &["", ""]);
        assert_eq!(texts.sentence().tags, Some(expected));
    }
}
