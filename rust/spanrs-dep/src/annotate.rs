//! Annotation of many sentences, in threads.

use std::sync::atomic::{AtomicBool, Ordering};

use spanrs_base::{Clock, Watch, map_in_threads};

use crate::error::{Error, Result};
use crate::model::{Annotated, Model, Sentence, Workspace};

/// Sentences annotated between two calls of the watch.
const TOGETHER: usize = 64;

/// (XPOS, UPOS) of the words of a sentence.
pub type TagLists = (Vec<String>, Vec<String>);

/// The words of a sentence with the tags that were given.
struct Texts<'a> {
    words: Vec<&'a str>,
    tags: Option<(Vec<&'a str>, Vec<&'a str>)>,
}

impl<'a> Texts<'a> {
    /// Missing tags are empty.
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

    fn sentence(&self) -> Sentence<'_> {
        let tags = self.tags.as_ref();
        Sentence {
            words: &self.words,
            tags: tags.map(|(xpos, upos)| (&xpos[..], &upos[..])),
        }
    }
}

impl Model {
    /// Annotates sentences as [`Model::annotate`] does, in threads; `given` has the tags of each sentence, which are
    /// not predicted then. Results are in the order of the sentences, whatever `threads` is.
    ///
    /// # Errors
    /// [`Error::Training`] where there are not as many lists of tags as sentences; [`Error::Interrupted`] where the
    /// watch said stop.
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
        let threads = threads.clamp(1, sentences.len().max(1));
        let stopped = AtomicBool::new(false);
        let parts = map_in_threads(0..threads, |part| {
            let own = sentences.len() * part / threads..sentences.len() * (part + 1) / threads;
            let mut workspace = Workspace::default();
            let mut clock = Clock::new(watch);
            let mut all = Vec::with_capacity(own.len());
            let mut annotated = Vec::new();
            for start in own.clone().step_by(TOGETHER) {
                // Signals reach the main thread only, which works on the first part.
                if stopped.load(Ordering::Relaxed) || part == 0 && clock.stops() {
                    stopped.store(true, Ordering::Relaxed);
                    return Err(Error::Interrupted);
                }
                let range = start..own.end.min(start + TOGETHER);
                let texts: Vec<Texts<'_>> = range
                    .map(|at| Texts::of(&sentences[at], given.and_then(|given| given.get(at))))
                    .collect();
                let inputs: Vec<Sentence<'_>> = texts.iter().map(Texts::sentence).collect();
                self.annotate(&inputs, parse, &mut workspace, &mut annotated);
                all.append(&mut annotated);
            }
            Ok(all)
        });
        let mut all = Vec::with_capacity(sentences.len());
        for part in parts {
            all.append(&mut part?);
        }
        Ok(all)
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
