//! Where documents end among the sentences of one call.

use super::InputError;

/// Documents by the number of sentences up to the end of each.
#[derive(Clone, Debug)]
pub struct DocumentEnds {
    ends: Vec<usize>,
    names: Option<Vec<String>>,
}

impl DocumentEnds {
    /// Documents of so many sentences each, with their names where they have such.
    ///
    /// # Errors
    /// [`InputError::Shape`] where a document has no sentence, or there are not as many names as documents.
    pub fn new(sizes: &[i64], names: Option<Vec<String>>) -> Result<Self, InputError> {
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
        Ok(Self { ends, names })
    }

    /// Refuses documents that do not add up to so many sentences.
    ///
    /// # Errors
    /// [`InputError::Shape`].
    pub fn check(&self, sentences: usize) -> Result<(), InputError> {
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
            return Err(InputError::Shape {
                message: format!(
                    "documents names the document of {named} sentences, and there are {sentences}"
                ),
                sentence: None,
            });
        }
        Err(wrong(&sizes, Some(sentences)))
    }

    /// The first end at or behind a number of sentences.
    pub fn next_end(&self, sentences: usize) -> Option<usize> {
        let at = self.ends.partition_point(|&end| end < sentences);
        self.ends.get(at).copied()
    }

    /// The ends after so many sentences.
    pub fn from(&self, sentence: usize) -> Ends<'_> {
        Ends {
            all: self,
            next: self.ends.partition_point(|&end| end <= sentence),
        }
    }
}

/// Iterates over the ends of documents.
#[derive(Clone, Debug)]
pub struct Ends<'a> {
    all: &'a DocumentEnds,
    next: usize,
}

impl<'a> Ends<'a> {
    /// The document that ends after so many sentences, as its name or None; None where none ends there. The numbers of
    /// the calls must ascend.
    #[inline]
    pub fn ends_at(&mut self, sentences: usize) -> Option<Option<&'a str>> {
        if *self.all.ends.get(self.next)? != sentences {
            return None;
        }
        let names = self.all.names.as_ref();
        let name = names.map(|names| &*names[self.next]);
        self.next += 1;
        Some(name)
    }
}

fn wrong(sizes: &[i64], sentences: Option<usize>) -> InputError {
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
    InputError::Shape {
        message: format!(
            "documents must be numbers of sentences from 1 up{sentences}, not {shown}, which add up to {sum}; \
             a column of names, one a sentence, must be of str"
        ),
        sentence: None,
    }
}
