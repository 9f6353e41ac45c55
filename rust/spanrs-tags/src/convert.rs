//! Tags of one scheme to tags of another.

use std::collections::HashMap;

use spanrs_base::Span;

use crate::dialect::Dialect;
use crate::error::Result;
use crate::reader::Reader;
use crate::reading::Reading;
use crate::scheme::Scheme;
use crate::write::{Writer, tag_string};

/// Converts tags: reads them with one scheme, writes them with another.
///
/// ```
/// use spanrs_tags::{Converter, Dialect, Reading, Scheme};
/// let mut to = Converter::new(Scheme::Iob, Scheme::Bilou, None, Dialect::default()).unwrap();
/// assert_eq!(to.convert(["I-MISC", "B-MISC", "I-MISC"]).unwrap(), ["U-MISC", "B-MISC", "L-MISC"]);
/// assert!(to.convert(["B-MISC"]).is_err(), "malformed, and no reading was asked for");
/// ```
#[derive(Clone, Debug)]
pub struct Converter {
    reader: Reader,
    writer: Writer,
    target: Scheme,
    refuse: bool,
    /// Violations, and tags other than `O`, of what was converted.
    changed: (u64, u64),
    made: HashMap<(&'static str, u32), String>,
}

impl Converter {
    /// A converter; without a reading malformed tags are an error.
    ///
    /// # Errors
    /// As [`Reader::new`].
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
            made: HashMap::new(),
        })
    }

    /// The reader of the source side.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Violations in all that was converted, and the number of tags other than `O`.
    pub fn changed(&self) -> (u64, u64) {
        self.changed
    }

    /// The tags of a sentence in the target scheme, as many as came in.
    ///
    /// # Errors
    /// [`crate::Error::Malformed`] with all violations where no reading was asked for; the errors of
    /// [`Writer::write`] where the target cannot express the spans.
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
            // The one reading whose spans may overlap: `E-A M-A` gives two that share a begin.
            spans.sort();
        }
        self.write(&spans, ids.len())
    }

    fn write(&mut self, spans: &[Span], length: usize) -> Result<Vec<String>> {
        let types: Vec<&str> = self.reader.types().names().collect();
        let mut tags = vec!["O".to_owned(); length];
        for (at, letter, ty) in self.writer.roles(spans, &types, length)? {
            let tag = self.made.entry((letter, ty)).or_insert_with(|| {
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
