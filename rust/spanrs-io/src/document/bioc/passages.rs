//! Joining of passages and sentences, which have offsets of their own.

use serde_json::{Map, Value, json};

use super::super::offset_units::{Offsets, Unit};
use super::{Infons, Passage};

/// Maximum number of characters that fill the gaps of a document, in addition to the length of its
/// texts. A damaged offset must not create a large text.
const FILLER: u64 = 1 << 16;

/// Start and end of a passage, and of its sentences, in code points.
type Placed = ((u32, u32), Vec<(u32, u32)>);

/// A text that is assembled from passages.
pub(super) struct Assembled {
    pub(super) text: String,
    /// The passages.
    passages: Vec<Placed>,
    unit: Unit,
    /// Length in code points, and in the unit of the offsets.
    lengths: (u32, u64),
    /// Number of characters that fill gaps.
    filler: u64,
    /// Number of passages whose sentences are not within their text.
    pub(super) misplaced: usize,
}

impl Assembled {
    /// Joins passages whose offsets count a unit.
    ///
    /// # Errors
    /// A message for passages or sentences that overlap or are not in order, and for too large
    /// gaps.
    pub(super) fn new(passages: &[Passage], unit: Unit) -> std::result::Result<Self, String> {
        let mut assembled = Self {
            text: String::new(),
            passages: Vec::with_capacity(passages.len()),
            unit,
            lengths: (0, 0),
            filler: 0,
            misplaced: 0,
        };
        for (number, passage) in (1..).zip(passages) {
            assembled.fill(passage.offset.0, '\n', || format!("passage {number}"))?;
            let start = assembled.lengths.0;
            let text = passage.text.as_deref().unwrap_or_default();
            let mut sentences = Vec::new();
            if text.is_empty() {
                for (of, sentence) in (1..).zip(passage.sentences.iter().flatten()) {
                    let place = || format!("sentence {of} of passage {number}");
                    assembled.fill(sentence.offset.0, ' ', place)?;
                    let text = sentence.text.as_deref().unwrap_or_default();
                    sentences.push(assembled.append(text));
                }
            } else {
                assembled.append(text);
                // The sentences only divide the text.
                let offsets = Offsets::new(text, unit);
                let mut listed = passage.sentences.iter().flatten();
                let bounds = listed.try_fold(Vec::new(), |mut bounds, sentence| {
                    let from = sentence.offset.0.checked_sub(passage.offset.0)?;
                    let length = unit.length(sentence.text.as_deref().unwrap_or_default());
                    let to = from.saturating_add(u32::try_from(length).ok()?);
                    let (from, to) = (offsets.character(from)?, offsets.character(to)?);
                    bounds.push((start + from, start + to));
                    Some(bounds)
                });
                assembled.misplaced += usize::from(bounds.is_none());
                sentences = bounds.unwrap_or_default();
            }
            let bounds = (start, assembled.lengths.0);
            assembled.passages.push((bounds, sentences));
        }
        Ok(assembled)
    }

    /// Appends a text, and returns its start and end.
    fn append(&mut self, text: &str) -> (u32, u32) {
        let start = self.lengths.0;
        let length = text.chars().count() as u64;
        self.lengths.0 = u32::try_from(u64::from(start) + length).unwrap_or(u32::MAX);
        self.lengths.1 += match self.unit {
            Unit::Characters => length,
            unit => unit.length(text),
        };
        self.text.push_str(text);
        (start, self.lengths.0)
    }

    /// Fills the gap before an offset: with `first`, and then with spaces.
    fn fill(
        &mut self,
        offset: u32,
        first: char,
        place: impl Fn() -> String,
    ) -> std::result::Result<(), String> {
        let Some(gap) = u64::from(offset).checked_sub(self.lengths.1) else {
            return Err(format!(
                "{} begins at {offset}, before the end of the previous text at {}; offsets count \
                 from the beginning of the document",
                place(),
                self.lengths.1
            ));
        };
        self.filler += gap;
        if self.filler > FILLER + self.text.len() as u64 {
            return Err(format!(
                "{} begins at {offset}, {gap} characters after the end of the previous text; check \
                 the offset",
                place()
            ));
        }
        for at in 0..gap {
            self.text.push(if at == 0 { first } else { ' ' });
        }
        self.lengths.0 += gap as u32;
        self.lengths.1 += gap;
        Ok(())
    }

    /// Describes the passages as metadata; None for a single passage without infons that is the
    /// whole text, and for no passages.
    pub(super) fn describe(&self, passages: &mut [Passage]) -> Option<Value> {
        if let [passage] = passages
            && passage.infons.0.is_empty()
            && self.passages.first()? == &((0, self.lengths.0), vec![])
        {
            return None;
        }
        let entry = |bounds: (u32, u32), infons: &mut Infons| {
            let mut entry = Map::new();
            entry.insert("offset".to_owned(), json!(bounds.0));
            entry.insert("length".to_owned(), json!(bounds.1 - bounds.0));
            if !infons.0.is_empty() {
                let infons = std::mem::take(infons).into_object();
                entry.insert("infons".to_owned(), Value::Object(infons));
            }
            entry
        };
        let described = passages
            .iter_mut()
            .zip(&self.passages)
            .map(|(passage, placed)| {
                let mut described = entry(placed.0, &mut passage.infons);
                if !placed.1.is_empty() {
                    let sentences = passage.sentences.iter_mut().flatten().zip(&placed.1);
                    let sentences = sentences.map(|(sentence, bounds)| {
                        Value::Object(entry(*bounds, &mut sentence.infons))
                    });
                    described.insert("sentences".to_owned(), sentences.collect());
                }
                Value::Object(described)
            });
        let described: Vec<Value> = described.collect();
        (!described.is_empty()).then_some(Value::Array(described))
    }
}
