//! Conversion of tags between schemes: a [`Reader`] for the source and a [`Writer`] for the target.

use std::collections::HashMap;

use spanrs_base::Span;

use crate::dialect::Dialect;
use crate::error::Result;
use crate::reader::Reader;
use crate::reading::Reading;
use crate::scheme::Scheme;
use crate::write::{Writer, tag_string};

/// Converts tags: reads them in one scheme and writes their spans in another.
///
/// Each distinct output tag is formatted once. A converter counts violations and tags; see
/// [`Converter::changed`].
///
/// # Examples
///
/// ```
/// use spanrs_tags::{Converter, Dialect, Reading, Scheme};
/// let mut to = Converter::new(Scheme::Iob, Scheme::Bilou, None, Dialect::default()).unwrap();
/// assert_eq!(to.convert(["I-MISC", "B-MISC", "I-MISC"]).unwrap(), ["U-MISC", "B-MISC", "L-MISC"]);
/// assert!(to.convert(["B-MISC"]).is_err(), "malformed, and no reading was specified");
/// ```
///
/// With the same scheme on both sides and a reading, tags are repaired:
///
/// ```
/// use spanrs_tags::{Converter, Dialect, Reading, Scheme};
/// let (bio, reading) = (Scheme::Bio, Some(Reading::Conlleval));
/// let mut repair = Converter::new(bio, bio, reading, Dialect::default()).unwrap();
/// assert_eq!(repair.convert(["O", "I-PER"]).unwrap(), ["O", "B-PER"]);
/// assert_eq!(repair.changed(), (1, 1));
/// ```
#[derive(Clone, Debug)]
pub struct Converter {
    /// Reads the source scheme.
    reader: Reader,
    /// Writes the target scheme.
    writer: Writer,
    /// The target scheme, for formatting new tags.
    target: Scheme,
    /// Whether malformed tags are an error.
    refuse: bool,
    /// Number of violations and number of tags other than `O` in all sentences so far.
    changed: (u64, u64),
    /// Formatted tags by prefix letter and type id.
    tag_cache: HashMap<(&'static str, u32), String>,
}

impl Converter {
    /// Creates a converter. If `reading` is None, malformed tags are an error. The dialect applies
    /// to both schemes.
    ///
    /// # Errors
    /// Same as [`Reader::new`].
    pub fn new(
        source: Scheme,
        target: Scheme,
        reading: Option<Reading>,
        dialect: Dialect,
    ) -> Result<Self> {
        let reading = reading.unwrap_or(Reading::Refuse);
        Ok(Self {
            reader: Reader::new(source, reading, dialect.clone())?,
            writer: Writer::new(target, dialect),
            target,
            refuse: reading == Reading::Refuse,
            changed: (0, 0),
            tag_cache: HashMap::new(),
        })
    }

    /// Returns the reader of the source side.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Returns the number of violations and the number of tags other than `O` in all sentences
    /// converted so far.
    ///
    /// With [`Reading::Refuse`] the first number is always 0.
    pub fn changed(&self) -> (u64, u64) {
        self.changed
    }

    /// Returns the tags of a sentence in the target scheme, one for each input tag.
    ///
    /// # Errors
    /// - [`crate::Error::Malformed`] with all violations if no reading was specified.
    /// - The errors of [`Writer::write`] if the target scheme cannot express the spans.
    /// - [`crate::Error::TooManyTags`].
    pub fn convert<'a>(&mut self, tags: impl IntoIterator<Item = &'a str>) -> Result<Vec<String>> {
        let ids = self.reader.intern_all(tags)?;
        if self.refuse {
            self.reader.check(&ids)?;
        } else {
            self.changed.0 += self.reader.count_violations(&ids);
        }
        self.changed.1 += self.reader.count_labelled(&ids);
        let mut spans: Vec<Span> = self.reader.spans(&ids);
        if self.reader.reading() == Reading::Seqeval {
            // Spans can overlap only with this reading: `E-A M-A` gives two spans with the same
            // start.
            spans.sort();
        }
        self.write(&spans, ids.len())
    }

    /// Writes the spans, using the cache of formatted tags.
    fn write(&mut self, spans: &[Span], length: usize) -> Result<Vec<String>> {
        let types: Vec<&str> = self.reader.types().names().collect();
        let mut tags = vec!["O".to_owned(); length];
        for (at, letter, ty) in self.writer.prefixed_tokens(spans, &types, length)? {
            let tag = self.tag_cache.entry((letter, ty)).or_insert_with(|| {
                tag_string(
                    self.target,
                    self.reader.dialect(),
                    letter,
                    types[ty as usize],
                )
            });
            tags[at].clone_from(tag);
        }
        Ok(tags)
    }
}
