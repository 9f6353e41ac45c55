//! Where documents end among the sentences of one call.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::error::{Error, Result};

/// (sentences of each document, their names where they have such)
#[derive(FromPyObject)]
pub(crate) struct DocumentSizes<'py>(PyReadonlyArray1<'py, i64>, Option<Vec<String>>);

/// Documents by the number of sentences up to the end of each.
pub(crate) struct DocumentEnds {
    ends: Vec<usize>,
    names: Option<Vec<String>>,
}

impl DocumentEnds {
    /// Takes the sizes in, which must be 1 or more.
    pub(crate) fn new(sizes: &DocumentSizes<'_>) -> Result<Self> {
        let DocumentSizes(sizes, names) = sizes;
        let sizes = sizes.as_slice().map_err(PyErr::from)?;
        let mut end = 0_usize;
        let ends = sizes.iter().map(|&size| {
            end = end.saturating_add(usize::try_from(size).unwrap_or_default());
            end
        });
        let ends: Vec<usize> = ends.collect();
        let (documents, named) = (ends.len(), names.as_ref().map(Vec::len));
        if sizes.iter().any(|&size| size < 1) || named.is_some_and(|named| named != documents) {
            return Err(wrong(sizes, None));
        }
        Ok(Self {
            ends,
            names: names.clone(),
        })
    }

    /// Refuses documents that are not all of so many sentences.
    pub(crate) fn check(&self, sentences: usize) -> Result<()> {
        if self.ends.last().copied().unwrap_or_default() == sentences {
            return Ok(());
        }
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let sizes: Vec<i64> = starts
            .zip(&self.ends)
            .map(|(start, end)| (end - start) as i64)
            .collect();
        if self.names.is_some() {
            let named: i64 = sizes.iter().sum();
            return Err(Error::Shape {
                message: format!(
                    "documents names the document of {named} sentences, and there are {sentences}"
                ),
                sentence: None,
            });
        }
        Err(wrong(&sizes, Some(sentences)))
    }

    /// The first end at or behind a number of sentences.
    pub(crate) fn next_end(&self, sentences: usize) -> Option<usize> {
        let at = self.ends.partition_point(|&end| end < sentences);
        self.ends.get(at).copied()
    }

    /// Asks sentence after sentence, from one on, whether a document ends.
    pub(crate) fn from(&self, sentence: usize) -> Ends<'_> {
        Ends {
            all: self,
            next: self.ends.partition_point(|&end| end <= sentence),
        }
    }
}

/// Walks over the ends of documents.
pub(crate) struct Ends<'a> {
    all: &'a DocumentEnds,
    next: usize,
}

impl<'a> Ends<'a> {
    /// The name, or None, of the document that ends after so many sentences; None where none does. Asked with
    /// ascending numbers.
    #[inline]
    pub(crate) fn ends_at(&mut self, sentences: usize) -> Option<Option<&'a str>> {
        if *self.all.ends.get(self.next)? != sentences {
            return None;
        }
        let names = self.all.names.as_ref();
        let name = names.map(|names| &*names[self.next]);
        self.next += 1;
        Some(name)
    }
}

fn wrong(sizes: &[i64], sentences: Option<usize>) -> Error {
    let shown: Vec<String> = sizes.iter().take(8).map(i64::to_string).collect();
    let mut shown = match shown.is_empty() {
        true => "none".to_owned(),
        false => shown.join(", "),
    };
    if sizes.len() > 8 {
        shown += ", ...";
    }
    let sum: i128 = sizes.iter().map(|&size| i128::from(size)).sum();
    let sentences = sentences.map_or(String::new(), |n| format!(" that add up to {n}"));
    Error::Shape {
        message: format!(
            "documents must be numbers of sentences from 1 up{sentences}, not {shown}, which add up to {sum}; \
             a column of names, one a sentence, must be of str"
        ),
        sentence: None,
    }
}
