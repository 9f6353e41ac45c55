//! Document boundaries among the sentences of one call.

use super::InputError;

/// Documents, given by the number of sentences up to the end of each document.
///
/// # Examples
///
/// ```
/// use spanrs_eval::input::DocumentEnds;
/// let names = Some(vec!["a".to_owned(), "b".to_owned()]);
/// let documents = DocumentEnds::new(&[2, 3], names).unwrap();
/// assert!(documents.check(5).is_ok() && documents.check(4).is_err());
/// let mut ends = documents.from(0);
/// assert_eq!(ends.ends_at(1), None);
/// assert_eq!(ends.ends_at(2), Some(Some("a")));
/// assert_eq!(ends.ends_at(5), Some(Some("b")));
/// ```
#[derive(Clone, Debug)]
pub struct DocumentEnds {
    /// Sentences of each document; no document is empty.
    ends: spanrs_base::Ends,
    /// The names of the documents; without names they are numbered.
    names: Option<Vec<String>>,
}

impl DocumentEnds {
    /// Creates documents with the given numbers of sentences, and with names if given.
    ///
    /// # Errors
    /// [`InputError::Shape`] if a document has no sentence, or if the numbers of names and
    /// documents differ.
    pub fn new(sizes: &[i64], names: Option<Vec<String>>) -> Result<Self, InputError> {
        let lengths = sizes
            .iter()
            .map(|&size| size.try_into().unwrap_or_default());
        let ends = spanrs_base::Ends::of_lengths(lengths);
        let (documents, named) = (ends.len(), names.as_ref().map(Vec::len));
        if sizes.iter().any(|&size| size < 1) || named.is_some_and(|named| named != documents) {
            return Err(size_error(sizes, None));
        }
        Ok(Self { ends, names })
    }

    /// Refuses documents whose sizes do not add up to `sentences`.
    ///
    /// # Errors
    /// [`InputError::Shape`].
    pub fn check(&self, sentences: usize) -> Result<(), InputError> {
        if self.ends.total() == sentences {
            return Ok(());
        }
        let ranges = self.ends.ranges();
        let sizes: Vec<i64> = ranges.map(|range| range.len() as i64).collect();
        if self.names.is_some() {
            let named: i64 = sizes.iter().sum();
            return Err(InputError::Shape {
                message: format!(
                    "documents gives the document of {named} sentences, but there are {sentences}"
                ),
                sentence: None,
            });
        }
        Err(size_error(&sizes, Some(sentences)))
    }

    /// Returns the first end at or after a number of sentences; None if all documents end earlier.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_eval::input::DocumentEnds;
    /// let documents = DocumentEnds::new(&[2, 3], None).unwrap();
    /// assert_eq!([1, 2, 3, 6].map(|at| documents.next_end(at)), [Some(2), Some(2), Some(5), None]);
    /// ```
    pub fn next_end(&self, sentences: usize) -> Option<usize> {
        let ends = self.ends.as_slice();
        let at = ends.partition_point(|&end| end < sentences);
        ends.get(at).copied()
    }

    /// Returns the ends that follow `sentence` sentences.
    pub fn from(&self, sentence: usize) -> Ends<'_> {
        Ends {
            all: self,
            next: self.ends.row_of(sentence),
        }
    }
}

/// Iterates over the ends of documents while sentences are counted.
#[derive(Clone, Debug)]
pub struct Ends<'a> {
    /// The documents.
    all: &'a DocumentEnds,
    /// Index of the document that ends next.
    next: usize,
}

impl<'a> Ends<'a> {
    /// Returns Some if a document ends after `sentences` sentences; the inner value is the name of
    /// the document, None if documents have no names.
    ///
    /// The arguments of successive calls must increase and must not skip an end.
    #[inline]
    pub fn ends_at(&mut self, sentences: usize) -> Option<Option<&'a str>> {
        if *self.all.ends.as_slice().get(self.next)? != sentences {
            return None;
        }
        let names = self.all.names.as_ref();
        let name = names.map(|names| &*names[self.next]);
        self.next += 1;
        Some(name)
    }
}

/// Returns the error for sizes that are not positive or do not match the names or, with
/// `sentences`, do not add up to this number. The message lists the first eight sizes.
fn size_error(sizes: &[i64], sentences: Option<usize>) -> InputError {
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
             a column with one name per sentence must contain str"
        ),
        sentence: None,
    }
}
