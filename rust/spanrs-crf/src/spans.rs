//! Probabilities of spans: the sum over all labellings that contain a span.
//!
//! The labels of a sequence are a Markov chain under the model. With the messages of
//! forward-backward, the probability of label `y` at token `t` given label `x` at token `t - 1` is
//!
//! ```text
//! p_t(y | x) = M(x, y) * e_t(y) * b_t(y) / (c_t * b_{t-1}(x))
//! ```
//!
//! A labelling contains the span [s, e) of a type exactly if a span begins between the labels of
//! `s - 1` and `s`, no span begins or ends inside, and the span ends between the labels of `e - 1`
//! and `e`. Whether a span begins or ends depends on two neighbouring labels only ([`SpanTable`]),
//! so the probability is a product of restricted transition matrices:
//!
//! ```text
//! mass_s(y)     = sum over x, span begins at (x, y), of p(y_{s-1} = x) * p_s(y | x)
//! mass_{t+1}(y) = sum over x, (x, y) continues, of mass_t(x) * p_{t+1}(y | x)
//! p(span)       = sum over x of mass_{e-1}(x) * sum over y, span ends at (x, y), of p_e(y | x)
//! ```
//!
//! Only labels of the type have mass. Kuleshov and Liang (2015, "Calibrated structured prediction")
//! call such sums the marginals of events.

use spanrs_base::Span;

use crate::error::{Error, Result};
use crate::lattice::Lattice;
use crate::transitions::Transitions;

/// A reading of labels as spans, which decides by pairs of neighbouring labels where spans begin
/// and end.
///
/// ```
/// use spanrs_crf::SpanTable;
/// // O, B-x, I-x: I-x continues a span after B-x and I-x, else it begins one.
/// let types = vec![None, Some(0), Some(0)];
/// let begins = |before: Option<usize>, here: Option<usize>| match here {
///     Some(1) => true,
///     Some(2) => before.unwrap_or(0) == 0,
///     _ => false,
/// };
/// let table = SpanTable::new(types, |before, here| {
///     let inside = before.is_some_and(|label| label > 0);
///     (begins(before, here), inside && here != Some(2))
/// });
/// let found: Vec<_> = table.spans(&[1, 2, 0, 2]).iter().map(|s| (s.start, s.end)).collect();
/// assert_eq!(found, [(0, 2), (3, 4)]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SpanTable {
    /// Type of the spans to which each label belongs; None for labels outside of spans.
    types: Vec<Option<u32>>,
    /// The labels of each type.
    by_type: Vec<Vec<usize>>,
    /// Whether a span begins between two labels, row-major (before, here) with `labels + 1` rows and
    /// columns; the last row and column are the border of the sequence.
    begins: Vec<bool>,
    /// Whether a span ends between two labels, in the same layout.
    ends: Vec<bool>,
}

impl SpanTable {
    /// Creates a table. `types` has the type of each label, and `between` returns whether a span begins
    /// and whether a span ends between two neighbouring labels; a label of None is the border of the
    /// sequence. Spans begin only before labels with a type, and end only after such labels.
    pub fn new(
        types: Vec<Option<u32>>,
        between: impl Fn(Option<usize>, Option<usize>) -> (bool, bool),
    ) -> Self {
        let size = types.len() + 1;
        let label = |at: usize| (at < types.len()).then_some(at);
        let pairs = (0..size * size).map(|pair| between(label(pair / size), label(pair % size)));
        let (begins, ends) = pairs.unzip();
        let most = types.iter().flatten().max();
        let mut by_type = vec![Vec::new(); most.map_or(0, |&ty| ty as usize + 1)];
        for (label, ty) in types.iter().enumerate() {
            if let Some(ty) = ty {
                by_type[*ty as usize].push(label);
            }
        }
        Self {
            types,
            by_type,
            begins,
            ends,
        }
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.types.len()
    }

    /// Index of a pair of labels in the tables.
    fn pair(&self, before: Option<usize>, here: Option<usize>) -> usize {
        let border = self.types.len();
        before.unwrap_or(border) * (border + 1) + here.unwrap_or(border)
    }

    /// Whether a span begins at `here`.
    fn begins(&self, before: Option<usize>, here: usize) -> bool {
        self.begins[self.pair(before, Some(here))]
    }

    /// Whether a span ends before `here`.
    fn ends(&self, before: usize, here: Option<usize>) -> bool {
        self.ends[self.pair(Some(before), here)]
    }

    /// Whether both labels, of one type, belong to the same span.
    fn continues(&self, before: usize, here: usize) -> bool {
        !self.begins(Some(before), here) && !self.ends(before, Some(here))
    }

    /// The labels of a type; none for a type that no label has.
    fn labels_of(&self, ty: u32) -> &[usize] {
        self.by_type.get(ty as usize).map_or(&[], Vec::as_slice)
    }

    /// The spans of a labelling, in the order of the text.
    ///
    /// # Panics
    /// If a label is out of range.
    pub fn spans(&self, labels: &[usize]) -> Vec<Span> {
        let (mut spans, mut start) = (Vec::new(), 0);
        let mut before: Option<usize> = None;
        for (at, here) in (0..).zip(labels.iter().copied().map(Some).chain([None])) {
            let pair = self.pair(before, here);
            if let (true, Some(ty)) = (self.ends[pair], before.and_then(|label| self.types[label]))
            {
                let end = at;
                spans.push(Span { start, end, ty });
            }
            if self.begins[pair] {
                start = at;
            }
            before = here;
        }
        spans
    }
}

/// Probabilities of the spans of one sequence; see [`crate::Decoder::span_probabilities`].
#[derive(Clone, Debug)]
pub struct SpanProbabilities<'a> {
    table: &'a SpanTable,
    /// The lattice after forward-backward.
    lattice: &'a Lattice,
    transitions: &'a Transitions,
    /// Exponentials of the transition scores minus the largest, row-major (from, to).
    potentials: Vec<f64>,
}

impl<'a> SpanProbabilities<'a> {
    /// Probabilities from a lattice on which forward-backward ran with these transitions. The table
    /// has as many labels as the lattice.
    pub(crate) fn new(
        table: &'a SpanTable,
        lattice: &'a Lattice,
        transitions: &'a Transitions,
    ) -> Self {
        let max = transitions.max();
        let scores = transitions.scores().iter();
        Self {
            table,
            lattice,
            transitions,
            potentials: scores.map(|score| (score - max).exp()).collect(),
        }
    }

    /// The probability of label `to` at a token, given label `from` at the previous token; 0 if `from`
    /// is impossible.
    fn step(&self, token: usize, from: usize, to: usize) -> f64 {
        let (lattice, width) = (self.lattice, self.lattice.width);
        let before = lattice.messages.backward[(token - 1) * width + from];
        let here = token * width + to;
        if lattice.in_logs {
            if before == f64::NEG_INFINITY {
                return 0.0;
            }
            let score = self.transitions.score(from, to) + lattice.scores[here];
            return (score + lattice.messages.backward[here] - before).exp();
        }
        match before > 0.0 {
            true => {
                self.potentials[from * lattice.labels + to] * lattice.messages.next[here] / before
            }
            false => 0.0,
        }
    }

    /// The probability that a token has a label and that a span begins at the token.
    fn begin(&self, token: usize, label: usize) -> f64 {
        if token == 0 {
            return match self.table.begins(None, label) {
                true => self.lattice.marginal(0, label),
                false => 0.0,
            };
        }
        let before = (0..self.lattice.labels).filter(|&from| self.table.begins(Some(from), label));
        let joint = |from| self.lattice.marginal(token - 1, from) * self.step(token, from, label);
        before.map(joint).sum()
    }

    /// The probability that a span ends before `end`, given the label of the token before.
    fn end(&self, end: usize, label: usize) -> f64 {
        if end == self.lattice.tokens {
            return f64::from(u8::from(self.table.ends(label, None)));
        }
        let after = (0..self.lattice.labels).filter(|&to| self.table.ends(label, Some(to)));
        after.map(|to| self.step(end, label, to)).sum()
    }

    /// Extends an open span by a token: `mass` has the probability of each label of the type at the
    /// token before, and is replaced; `buffer` is work space.
    fn extend(&self, token: usize, labels: &[usize], mass: &mut Vec<f64>, buffer: &mut Vec<f64>) {
        buffer.clear();
        buffer.extend(labels.iter().map(|&to| {
            let before = labels.iter().zip(&*mass);
            let before = before.filter(|(from, _)| self.table.continues(**from, to));
            before
                .map(|(&from, mass)| mass * self.step(token, from, to))
                .sum::<f64>()
        }));
        std::mem::swap(mass, buffer);
    }

    /// The probability of the event that the labelling has exactly this span; 0 for a type that no
    /// label has. Takes `O(length * labels^2)` with the number of labels of the type, plus
    /// `O(labels^2)`.
    ///
    /// # Errors
    /// [`Error::Input`] for a span that is empty or ends after the last token.
    pub fn of(&self, span: impl Into<Span<i64>>) -> Result<f64> {
        let (span, tokens) = (span.into(), self.lattice.tokens);
        let bounds = (usize::try_from(span.start), usize::try_from(span.end));
        let (Ok(start), Ok(end), false) = (bounds.0, bounds.1, span.is_empty()) else {
            return Err(outside(span, tokens));
        };
        if end > tokens {
            return Err(outside(span, tokens));
        }
        let labels = self.table.labels_of(span.ty);
        let mut mass: Vec<f64> = labels
            .iter()
            .map(|&label| self.begin(start, label))
            .collect();
        let mut buffer = Vec::with_capacity(mass.len());
        for token in start + 1..end {
            self.extend(token, labels, &mut mass, &mut buffer);
        }
        let ends = labels.iter().map(|&label| self.end(end, label));
        Ok(total(ends, &mass))
    }

    /// The spans with at least this probability, which is above 0, by start, end and type. They may
    /// overlap.
    ///
    /// A span is extended while the probability that it is still open is at least the threshold. At
    /// each token these probabilities sum to at most 1, so at most `1 / threshold` spans are open,
    /// and the time is `O(tokens * labels^2 / threshold)` at most.
    pub fn above(&self, threshold: f64) -> Vec<(Span, f64)> {
        let tokens = self.lattice.tokens;
        let border = |token: usize, is_end: bool| {
            let all = (0..self.lattice.labels).map(move |label| match is_end {
                _ if self.table.types[label].is_none() => 0.0,
                true => self.end(token + 1, label),
                false => self.begin(token, label),
            });
            all.collect::<Vec<f64>>()
        };
        let ends: Vec<Vec<f64>> = (0..tokens).map(|token| border(token, true)).collect();
        let (mut found, mut mass, mut buffer) = (Vec::new(), Vec::new(), Vec::new());
        for start in 0..tokens {
            let begins = border(start, false);
            for (ty, labels) in (0..).zip(&self.table.by_type) {
                mass.clear();
                mass.extend(labels.iter().map(|&label| begins[label]));
                for (token, ends) in ends.iter().enumerate().skip(start) {
                    if token > start {
                        self.extend(token, labels, &mut mass, &mut buffer);
                    }
                    // NaN does not occur: the messages are finite.
                    if mass.iter().sum::<f64>() < threshold {
                        break;
                    }
                    let own = labels.iter().map(|&label| ends[label]);
                    let probability = total(own, &mass);
                    if probability >= threshold {
                        let (start, end) = (start as u32, token as u32 + 1);
                        found.push((Span { start, end, ty }, probability));
                    }
                }
            }
        }
        found.sort_by_key(|(span, _)| *span);
        found
    }
}

/// The error for a span that is not part of the sequence.
fn outside(span: Span<i64>, tokens: usize) -> Error {
    Error::Input(format!(
        "the span [{}, {}) is empty or outside of the sequence, which has {tokens} tokens",
        span.start, span.end
    ))
}

/// The sum of products, at most 1: rounding can exceed it.
fn total(ends: impl Iterator<Item = f64>, mass: &[f64]) -> f64 {
    let sum: f64 = ends.zip(mass).map(|(end, mass)| end * mass).sum();
    sum.min(1.0)
}
