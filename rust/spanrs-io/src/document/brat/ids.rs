//! Ids of annotations.

use std::collections::HashMap;

/// Marks a number without an annotation.
const NONE: u32 = u32::MAX;
/// Number of ids that may be missing before the numbers are no longer indices.
const GAPS: usize = 1 << 10;

/// Indices of annotations by id. Nearly all ids are `T1`, `T2`, ..., for which hashing takes longer
/// than reading the rest of the line.
#[derive(Default)]
pub(super) struct Ids<'a> {
    /// Index of the annotation for each number; [`NONE`] if there is none.
    numbered: Vec<u32>,
    /// Indices for ids of another form, and for numbers that are much larger than the number of
    /// annotations.
    others: HashMap<&'a str, u32>,
}

impl<'a> Ids<'a> {
    /// Returns the index of the annotation with an id.
    pub(super) fn get(&self, id: &str) -> Option<u32> {
        let numbered = number(id).and_then(|number| self.numbered.get(number));
        match numbered {
            Some(&index) if index != NONE => Some(index),
            _ if self.others.is_empty() => None,
            _ => self.others.get(id).copied(),
        }
    }

    /// Adds the id of annotation `index`, the number of annotations before it; returns the index of
    /// an annotation that has the id as well.
    pub(super) fn insert(&mut self, id: &'a str, index: u32) -> Option<u32> {
        if let Some(first) = self.get(id) {
            return Some(first);
        }
        match number(id).filter(|&number| number <= 2 * index as usize + GAPS) {
            Some(number) => {
                if number >= self.numbered.len() {
                    self.numbered.resize(number + 1, NONE);
                }
                self.numbered[number] = index;
            }
            None => drop(self.others.insert(id, index)),
        }
        None
    }
}

/// Returns the number in an id such as `T12`; None for other ids, also with zeros before the number.
fn number(id: &str) -> Option<usize> {
    let digits = id.strip_prefix('T')?.as_bytes();
    if !(1..=9).contains(&digits.len()) || digits[0] == b'0' {
        return None;
    }
    digits.iter().try_fold(0, |number, digit| {
        let is_digit = digit.is_ascii_digit();
        is_digit.then(|| number * 10 + usize::from(digit - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_any_form_are_found() {
        let ids = [
            "T1",
            "T01",
            "T3",
            "",
            "T",
            "T900000",
            "T-1",
            "X1",
            "T2",
            "T0",
            "T+4",
            "T9999999999",
        ];
        let mut table = Ids::default();
        for (index, id) in (0..).zip(ids) {
            assert_eq!(table.get(id), None, "{id}");
            assert_eq!(table.insert(id, index), None);
        }
        for (index, id) in (0..).zip(ids) {
            assert_eq!(table.get(id), Some(index), "{id}");
            assert_eq!(table.insert(id, 99), Some(index));
        }
        // A number that was too large is still found when it no longer is.
        assert_eq!(table.insert("T900000", 900_000), Some(5));
        assert_eq!(table.get("T900001"), None);
    }
}
