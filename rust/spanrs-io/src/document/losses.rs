//! Counts of items that a format cannot represent.

use serde::Serialize;

/// Items of one kind that were not written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The kind, a plural noun: `relations`.
    pub kind: String,
    /// Number of items.
    pub number: u64,
    /// The document of the first item: `document 7`.
    pub first: String,
}

/// Counts items that are not written, by kind.
///
/// ```
/// use spanrs_io::document::Losses;
/// let mut losses = Losses::default();
/// losses.begin_document("document 4".to_owned());
/// losses.add("relations", 2);
/// losses.add("tokens", 0);
/// assert_eq!((losses.list()[0].number, &*losses.list()[0].first), (2, "document 4"));
/// assert_eq!(losses.list().len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Losses {
    /// The document that is being written.
    place: String,
    /// In the order of first occurrence. There are few kinds, so lookup is linear.
    kinds: Vec<Loss>,
}

impl Losses {
    /// Sets the name of the document that is written next.
    pub fn begin_document(&mut self, place: String) {
        self.place = place;
    }

    /// Returns the name of the document that is being written.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Adds `number` items of a kind.
    pub fn add(&mut self, kind: &str, number: usize) {
        if number == 0 {
            return;
        }
        match self.kinds.iter_mut().find(|loss| loss.kind == kind) {
            Some(loss) => loss.number += number as u64,
            None => self.kinds.push(Loss {
                kind: kind.to_owned(),
                number: number as u64,
                first: self.place.clone(),
            }),
        }
    }

    /// Returns the losses in the order of first occurrence.
    pub fn list(&self) -> &[Loss] {
        &self.kinds
    }
}
