//! Regions of Label Studio: labelled stretches whose offsets count UTF-16 code units.

use serde_json::{Map, Value};

use super::Document;
use super::label_studio::{list, short};

/// A document, and where its code units are.
pub(super) struct Regions {
    pub(super) document: Document,
    /// Where, in code units, the characters begin that have two.
    pairs: Vec<u32>,
    /// Length of the text in code units.
    units: u64,
}

/// What an offset in code units is.
enum Place {
    Character(u32),
    WithinCharacter,
    Beyond,
}

impl Regions {
    /// A document without annotations.
    pub(super) fn new(text: String) -> Self {
        let (mut pairs, mut units) = (Vec::new(), 0_u64);
        if text.is_ascii() {
            units = text.len() as u64;
        } else {
            for character in text.chars() {
                if character.len_utf16() == 2 {
                    pairs.push(units as u32);
                }
                units += character.len_utf16() as u64;
            }
        }
        Self {
            document: Document::new(text),
            pairs,
            units,
        }
    }

    fn place(&self, unit: u64) -> Place {
        if unit > self.units {
            return Place::Beyond;
        }
        let unit = unit as u32;
        let before = self.pairs.partition_point(|&pair| pair < unit);
        match before.checked_sub(1).map(|last| self.pairs[last]) {
            Some(pair) if pair + 1 == unit => Place::WithinCharacter,
            _ => Place::Character(unit - before as u32),
        }
    }

    /// Adds a region: an annotation for each of its labels.
    pub(super) fn add(
        &mut self,
        value: &Map<String, Value>,
        at: impl Fn() -> String,
    ) -> Result<(), String> {
        let offset = |key: &str| {
            let found = value.get(key).unwrap_or(&Value::Null);
            found.as_u64().ok_or_else(|| {
                let found = short(found);
                format!("{}: \"{key}\" is {found}, not a whole number from 0", at())
            })
        };
        let (start, end) = (offset("start")?, offset("end")?);
        let labels = value.get("labels").unwrap_or(&Value::Null);
        let places = (self.place(start), self.place(end));
        for label in list(labels, || format!("{}.labels", at()))? {
            let Value::String(label) = label else {
                return Err(format!("{}: {} is no label", at(), short(label)));
            };
            let units = self.units;
            match places {
                (Place::Character(start), Place::Character(end)) => {
                    let ty = self.document.intern(label);
                    self.document.push(ty, start, end);
                }
                (Place::Beyond, _) | (_, Place::Beyond) => self.document.leave_out(|| {
                    format!(
                        "{label} {start}-{end} reaches beyond the text of {units} UTF-16 code units"
                    )
                }),
                _ => self.document.leave_out(|| {
                    format!(
                        "{label} {start}-{end}, in UTF-16 code units, begins or ends within a character"
                    )
                }),
            }
        }
        Ok(())
    }
}
