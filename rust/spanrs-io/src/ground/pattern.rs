//! Edit distances of one string to many others, by bit-parallel computation.

use super::similarity::TokenText;

/// Number of bits of a column.
const BITS: usize = u64::BITS as usize;

/// A string that is compared with many others.
///
/// The distance is the Levenshtein distance in which exchanging two adjacent characters is one edit
/// (optimal string alignment). Columns of the alignment of strings of up to 64 characters are two
/// words of bits, as described by Hyyro, A Bit-Vector Algorithm for Computing Levenshtein and
/// Damerau Edit Distances, Nordic Journal of Computing 10 (2003); longer strings are compared cell
/// by cell.
#[derive(Debug)]
pub(super) struct Pattern {
    /// The number of characters.
    pub(super) len: usize,
    characters: Vec<char>,
    /// Positions of ASCII characters, and of other characters, ascending.
    ascii: Box<[u64; 128]>,
    others: Vec<(char, u64)>,
}

/// A column of the alignment.
struct Column {
    positive: u64,
    negative: u64,
    /// Cells that equal the cell before them on the diagonal.
    diagonal: u64,
    /// Positions of the last character.
    last: u64,
}

impl Pattern {
    /// Prepares the comparison with a string.
    pub(super) fn new(characters: &[char]) -> Self {
        let mut ascii = Box::new([0; 128]);
        let mut others: Vec<(char, u64)> = Vec::new();
        for (at, &c) in characters.iter().enumerate().take(BITS) {
            match ascii.get_mut(c as usize) {
                Some(positions) => *positions |= 1 << at,
                None => others.push((c, 1 << at)),
            }
        }
        others.sort_unstable();
        others.dedup_by(|next, kept| {
            kept.1 |= if next.0 == kept.0 { next.1 } else { 0 };
            next.0 == kept.0
        });
        Self {
            len: characters.len(),
            characters: characters.to_vec(),
            ascii,
            others,
        }
    }

    /// Returns the positions of a character.
    #[inline]
    fn positions(&self, c: char) -> u64 {
        match self.ascii.get(c as usize) {
            Some(&positions) => positions,
            None => self
                .others
                .binary_search_by_key(&c, |entry| entry.0)
                .map_or(0, |at| self.others[at].1),
        }
    }

    /// Returns the distance to a string.
    pub(super) fn distance(&self, text: &[char]) -> usize {
        if self.characters == text {
            return 0;
        }
        if self.len > BITS {
            return distance_by_cells(&self.characters, text);
        }
        if self.len == 0 {
            return text.len();
        }
        let mut column = Column::new();
        text.iter().fold(self.len, |distance, &c| {
            let change = column.step(self.positions(c), self.len, 1);
            distance.wrapping_add_signed(change)
        })
    }

    /// Returns a lower bound of the distance to any part of a text.
    pub(super) fn least_distance(&self, text: &TokenText) -> usize {
        if self.len > BITS || self.len == 0 {
            return 0;
        }
        let mut column = Column::new();
        let (mut distance, mut least) = (self.len, self.len);
        for &c in &text.characters {
            distance = distance.wrapping_add_signed(column.step(self.positions(c), self.len, 0));
            least = least.min(distance);
        }
        least
    }
}

impl Column {
    fn new() -> Self {
        Self {
            positive: !0,
            negative: 0,
            diagonal: 0,
            last: 0,
        }
    }

    /// Adds a character of the text and returns the change of the last cell. `top` is the change of
    /// the cell above the first one: 1 for the distance to the whole text, 0 if the alignment may
    /// begin anywhere.
    #[inline]
    fn step(&mut self, positions: u64, len: usize, top: u64) -> isize {
        let exchanged = ((!self.diagonal & positions) << 1) & self.last;
        let carried = (positions & self.positive).wrapping_add(self.positive) ^ self.positive;
        self.diagonal = carried | positions | self.negative | exchanged;
        let increases = self.negative | !(self.diagonal | self.positive);
        let decreases = self.diagonal & self.positive;
        let bit = |word: u64| (word >> (len - 1) & 1) as isize;
        let change = bit(increases) - bit(decreases);
        let (increases, decreases) = (increases << 1 | top, decreases << 1);
        self.positive = decreases | !(self.diagonal | increases);
        self.negative = increases & self.diagonal;
        self.last = positions;
        change
    }
}

/// Returns the distance of two strings of any length.
fn distance_by_cells(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let (mut before, mut earlier) = (row.clone(), row.clone());
    for i in 1..=a.len() {
        (earlier, before, row) = (before, row, earlier);
        row[0] = i;
        for j in 1..=b.len() {
            let substituted = before[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substituted.min(before[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(earlier[j - 2] + 1);
            }
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text() -> impl Strategy<Value = Vec<char>> {
        prop::collection::vec(prop::sample::select(vec!['a', 'b', 'c', 'é', '東']), 0..70)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn distances_are_those_of_cells(a in text(), b in text()) {
            prop_assert_eq!(Pattern::new(&a).distance(&b), distance_by_cells(&a, &b));
        }

        #[test]
        fn no_part_of_a_text_is_nearer(a in text(), b in text(), from in 0..70_usize, to in 0..70_usize) {
            let mut whole = TokenText::default();
            whole.push_space(&b.iter().collect::<String>());
            let part = &b[from.min(to).min(b.len())..from.max(to).min(b.len())];
            prop_assert!(Pattern::new(&a).least_distance(&whole) <= distance_by_cells(&a, part));
        }
    }
}
