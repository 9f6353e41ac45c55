//! Rows with a 16-bit weight for every class, added as vectors.

use prefetch_index::prefetch_index;

use super::many::Scores;

/// Number of weights in a cache line.
const LANES: usize = 32;

/// A part of a row: the weights of 32 consecutive classes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Line([i16; LANES]);

/// Rows in whole cache lines, in the order of the classes; classes without a weight, and the padding after the last
/// class, have 0.
#[derive(Clone, Debug)]
pub(super) struct DenseRows {
    /// The rows, one after the other.
    lines: Vec<Line>,
    /// Number of lines of a row: the number of classes divided by 32, rounded up.
    per_row: usize,
}

impl DenseRows {
    /// Returns no rows.
    pub(super) fn new(classes: usize) -> Self {
        Self {
            lines: Vec::new(),
            per_row: classes.div_ceil(LANES),
        }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.lines.len() / self.per_row.max(1)
    }

    /// Adds a row of (class, weight) pairs, and returns its number. Weights that do not fit into 16 bits are replaced
    /// by the nearest number that does.
    pub(super) fn push(&mut self, row: &[(u32, i32)]) -> u32 {
        let (number, start) = (self.len(), self.lines.len());
        self.lines.resize(start + self.per_row, Line::default());
        for &(class, weight) in row {
            let (class, largest) = (class as usize, i32::from(i16::MAX));
            self.lines[start + class / LANES].0[class % LANES] =
                weight.clamp(-largest, largest) as i16;
        }
        number as u32
    }

    /// Returns all numbers, with the padding.
    pub(super) fn numbers(&self) -> impl Iterator<Item = i16> {
        self.lines.iter().flat_map(|line| line.0)
    }

    /// Returns rows for their numbers; None if they are not whole rows, or a weight in the padding is not 0.
    pub(super) fn of_numbers(numbers: &[i16], classes: usize) -> Option<Self> {
        let (lines, rest) = numbers.as_chunks::<LANES>();
        let per_row = classes.div_ceil(LANES);
        let mut rows = numbers.chunks_exact((per_row * LANES).max(1));
        let is_padded = rows.all(|row| row[classes..].iter().all(|&weight| weight == 0));
        let is_whole = rest.is_empty() && lines.len().is_multiple_of(per_row.max(1));
        (is_whole && is_padded).then(|| Self {
            lines: lines.iter().map(|line| Line(*line)).collect(),
            per_row,
        })
    }

    /// Requests a row, without waiting for it.
    #[inline(always)]
    pub(super) fn prefetch(&self, row: u32) {
        for line in 0..self.per_row {
            prefetch_index(&self.lines, row as usize * self.per_row + line);
        }
    }

    /// Adds rows to the scores, four at a time, so that each score is read and written once for four rows. Inlined into
    /// kernels that are compiled for several instruction sets.
    #[inline(always)]
    pub(super) fn add(&self, rows: &[u32], scores: &mut Scores) {
        let row = |number: u32| &self.lines[number as usize * self.per_row..][..self.per_row];
        let (scores, _) = scores.as_chunks_mut::<LANES>();
        let scores = &mut scores[..self.per_row];
        let (fours, rest) = rows.as_chunks::<4>();
        for rows in fours {
            let [a, b, c, d] = rows.map(row);
            for (at, scores) in scores.iter_mut().enumerate() {
                let [a, b, c, d] = [&a[at].0, &b[at].0, &c[at].0, &d[at].0];
                for (at, score) in scores.iter_mut().enumerate() {
                    *score +=
                        i32::from(a[at]) + i32::from(b[at]) + i32::from(c[at]) + i32::from(d[at]);
                }
            }
        }
        for &number in rest {
            for (scores, line) in scores.iter_mut().zip(row(number)) {
                for (score, weight) in scores.iter_mut().zip(line.0) {
                    *score += i32::from(weight);
                }
            }
        }
    }

    /// Returns the weight of a class in a row.
    pub(super) fn get(&self, row: u32, class: u32) -> i32 {
        let (line, class) = (class as usize / LANES, class as usize % LANES);
        i32::from(self.lines[row as usize * self.per_row + line].0[class])
    }
}
