//! The documents of an annotation project, reduced to statistics.

use foldhash::HashMap;
use spanrs_base::Interner;

use super::gamma::{Continuum, Unit};
use super::labels::{Labels, OUTSIDE, Run, for_each_pair, push};
use super::overlap::{by_bounds, common, shared};
use super::row::{Columns, Key, Row, RowBuilder};
use super::unitizing::{difference, for_each_gap, join};

/// A span in characters, or in tokens for documents without text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectSpan {
    /// First position, from 0.
    pub start: u32,
    /// One past the last position.
    pub end: u32,
    /// Number of the type ([`Project::intern`]).
    pub ty: u32,
    /// Start and end of each fragment of a discontinuous span, ascending; otherwise empty.
    pub pieces: Vec<(u32, u32)>,
}

impl ProjectSpan {
    /// Creates a contiguous span.
    pub fn new(start: u32, end: u32, ty: u32) -> Self {
        let pieces = Vec::new();
        Self {
            start,
            end,
            ty,
            pieces,
        }
    }
}

/// What an annotator who saw a document marked.
#[derive(Clone, Debug)]
pub enum Content {
    /// Spans, in any order.
    Spans(Vec<ProjectSpan>),
    /// A label of each position that is not a tag, such as a part of speech: numbers of
    /// [`Project::intern`].
    Labels(Vec<u32>),
}

/// The annotations of a document by one annotator.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Index of the annotator, from 0.
    pub annotator: u32,
    /// The annotations; empty if the annotator left the document without annotations.
    pub content: Content,
}

/// Facts about a document that two or more annotators saw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// Index of the document among all added documents.
    pub index: u32,
    /// Number of annotators.
    pub annotators: u32,
    /// Number of positions.
    pub length: u32,
}

/// Statistics of the documents of an annotation project.
///
/// # Examples
/// ```
/// use spanrs_eval::agreement::{Answer, Content, Project, ProjectSpan};
/// let mut project = Project::default();
/// let person = project.intern("PER");
/// let answer = |annotator, end| Answer {
///     annotator,
///     content: Content::Spans(vec![ProjectSpan::new(0, end, person)]),
/// };
/// project.add(10, None, vec![answer(0, 3), answer(1, 3)]);
/// project.add(10, None, vec![answer(0, 3), answer(1, 2)]);
/// let values = project.layout().values();
/// assert_eq!(values.whole[..3], [0.5, 1.0, 0.5]);
/// ```
#[derive(Debug, Default)]
pub struct Project {
    types: Interner<str>,
    pub(super) labels: Labels,
    pub(super) columns: Columns,
    pub(super) rows: Vec<Row>,
    pub(super) facts: Vec<Facts>,
    /// Number of each pair of annotators, the smaller index first.
    pairs: HashMap<(u32, u32), u32>,
    /// Pairs by number.
    pub(super) pair_names: Vec<(u32, u32)>,
    /// Number of common documents of each pair.
    pub(super) pair_documents: Vec<u32>,
    builder: RowBuilder,
    /// Units of the compared documents by annotator, for gamma; None if they are not kept.
    units: Option<Vec<AnswerUnits>>,
    /// Number of added documents.
    documents: u32,
    /// Documents with one annotator.
    alone: u32,
    /// Documents without annotators.
    unseen: u32,
    /// Units that were joined to overlapping units of the same type and annotator.
    joined: u64,
}

/// Units of a document by annotator.
type AnswerUnits = Vec<(u32, Vec<Unit>)>;

/// An answer, prepared for comparison.
struct Prepared {
    annotator: u32,
    /// Spans by type, sorted by bounds.
    spans: Vec<ProjectSpan>,
    /// Spans sorted by bounds.
    bounds: Vec<ProjectSpan>,
    runs: Vec<Run>,
    /// All units, if they are kept.
    all: Vec<Unit>,
    /// Units of each type, ascending by type; overlapping units are joined.
    units: Vec<(u32, Vec<(u32, u32)>)>,
}

impl Project {
    /// Creates a project that keeps the units of all documents, for [`Project::continua`].
    pub fn keeping_units() -> Self {
        Self {
            units: Some(Vec::new()),
            ..Self::default()
        }
    }

    /// Returns the documents that several annotators saw as continua, with the units in tokens or
    /// characters; None if units were not kept.
    ///
    /// - `pair`: only these two annotators, and only the documents that both saw.
    /// - `ty`: only units of this type.
    pub fn continua(&self, pair: Option<(u32, u32)>, ty: Option<u32>) -> Option<Vec<Continuum>> {
        let is_wanted =
            |annotator: u32| pair.is_none_or(|pair| annotator == pair.0 || annotator == pair.1);
        let continuum = |(answers, facts): (&AnswerUnits, &Facts)| {
            let answers = answers.iter().filter(|answer| is_wanted(answer.0));
            let of_type = |(_, units): &(u32, Vec<Unit>)| -> Vec<Unit> {
                let units = units.iter().copied();
                units
                    .filter(|unit| ty.is_none_or(|ty| unit.category == ty))
                    .collect()
            };
            let units: Vec<_> = answers.map(of_type).collect();
            (units.len() > 1).then_some(Continuum {
                units,
                length: facts.length,
            })
        };
        let documents = self.units.as_ref()?.iter().zip(&self.facts);
        Some(documents.filter_map(continuum).collect())
    }

    /// Returns the number of a type or label.
    pub fn intern(&mut self, name: &str) -> u32 {
        self.types.intern(name)
    }

    /// Returns the names of types, by number.
    pub fn types(&self) -> impl ExactSizeIterator<Item = &str> {
        self.types.names()
    }

    /// Returns the numbers of documents that were compared, have one annotator, and have none.
    pub fn documents(&self) -> (usize, u32, u32) {
        (self.facts.len(), self.alone, self.unseen)
    }

    /// Returns the number of units that were joined to overlapping units for unitizing.
    pub fn joined(&self) -> u64 {
        self.joined
    }

    /// Adds a document.
    ///
    /// - `length`: number of characters, or of tokens if spans are in tokens. Bounds of spans
    ///   beyond the length are reduced to it.
    /// - `tokens`: first character of each token and one past the last, ascending; kappa and alpha
    ///   then use tokens, and a token has the types of the spans that overlap it. Without tokens
    ///   they use the positions of spans.
    /// - `answers`: of everyone who saw the document, each annotator once.
    ///
    /// Takes O(m^2 n log n) time for m annotators with n spans each, in addition to the overlaps of
    /// spans.
    pub fn add(&mut self, length: u32, tokens: Option<&[(u32, u32)]>, answers: Vec<Answer>) {
        let index = self.documents;
        self.documents += 1;
        if answers.len() < 2 {
            *(if answers.is_empty() {
                &mut self.unseen
            } else {
                &mut self.alone
            }) += 1;
            return;
        }
        let positions = tokens.map_or(length, |tokens| tokens.len() as u32);
        let mut answers: Vec<Prepared> = answers
            .into_iter()
            .map(|answer| self.prepare(answer, length, tokens))
            .collect();
        answers.sort_by_key(|answer| answer.annotator);
        if let Some(kept) = &mut self.units {
            let of_answer =
                |answer: &mut Prepared| (answer.annotator, std::mem::take(&mut answer.all));
            kept.push(answers.iter_mut().map(of_answer).collect());
        }
        let annotators = answers.len() as u32;
        self.put(Key::Positions { annotators }, positions);
        self.put(Key::Answers { length: positions }, annotators);
        for answer in &answers {
            self.add_units(answer, positions);
        }
        for (at, first) in answers.iter().enumerate() {
            for second in &answers[at + 1..] {
                self.add_pair(first, second, positions, annotators);
            }
        }
        self.rows.push(self.builder.finish());
        self.facts.push(Facts {
            index,
            annotators,
            length: positions,
        });
    }

    fn put(&mut self, key: Key, value: u32) {
        self.builder.add(&mut self.columns, key, f64::from(value));
    }

    /// Sorts the spans of an answer, and computes its labels and units.
    fn prepare(&mut self, answer: Answer, length: u32, tokens: Option<&[(u32, u32)]>) -> Prepared {
        let annotator = answer.annotator;
        let mut spans = match answer.content {
            Content::Spans(spans) => spans,
            Content::Labels(labels) => {
                let runs = self.runs_of_labels(&labels);
                let (spans, bounds, units, all) = Default::default();
                return Prepared {
                    annotator,
                    spans,
                    bounds,
                    runs,
                    all,
                    units,
                };
            }
        };
        clamp(&mut spans, length);
        let place = |start, end| tokens.map_or((start, end), |tokens| covered(tokens, start, end));
        let mut ranges = Vec::with_capacity(spans.len());
        let mut units: Vec<(u32, u32, u32)> = Vec::with_capacity(spans.len());
        for span in &spans {
            let (start, end) = place(span.start, span.end);
            if start < end {
                units.push((span.ty, start, end));
            }
            if span.pieces.is_empty() {
                ranges.push((start, end, span.ty));
            }
            for &(start, end) in &span.pieces {
                let (start, end) = place(start, end);
                ranges.push((start, end, span.ty));
            }
        }
        let runs = self.labels.runs(&ranges);
        let mut all = Vec::new();
        if self.units.is_some() {
            all.extend(units.iter().map(|&(category, start, end)| Unit {
                start,
                end,
                category,
            }));
        }
        let units = self.units_by_type(units);
        spans.sort_by(by_bounds);
        let bounds = spans.clone();
        spans.sort_by_key(|span| span.ty);
        Prepared {
            annotator,
            spans,
            bounds,
            runs,
            all,
            units,
        }
    }

    fn runs_of_labels(&mut self, labels: &[u32]) -> Vec<Run> {
        let mut runs = vec![Run {
            start: 0,
            label: OUTSIDE,
        }];
        for (at, &label) in (0..).zip(labels) {
            push(&mut runs, at, self.labels.number(&[label]));
        }
        runs
    }

    fn units_by_type(&mut self, mut units: Vec<(u32, u32, u32)>) -> Vec<(u32, Vec<(u32, u32)>)> {
        units.sort_unstable();
        let by_type = units.chunk_by(|first, second| first.0 == second.0);
        by_type
            .map(|of_type| {
                let mut bounds: Vec<_> = of_type.iter().map(|unit| (unit.1, unit.2)).collect();
                self.joined += u64::from(join(&mut bounds));
                (of_type[0].0, bounds)
            })
            .collect()
    }

    /// Adds the lengths of units and gaps.
    fn add_units(&mut self, answer: &Prepared, positions: u32) {
        for (ty, units) in &answer.units {
            let (columns, builder) = (&mut self.columns, &mut self.builder);
            for (start, end) in units {
                let length = end - start;
                builder.add(columns, Key::Units { ty: *ty, length }, 1.0);
            }
            for_each_gap(units, positions, |length| {
                builder.add(columns, Key::Gaps { ty: *ty, length }, 1.0);
            });
            // The gap of an annotator without units of this type is in `Key::Answers`.
            builder.add(
                columns,
                Key::Gaps {
                    ty: *ty,
                    length: positions,
                },
                -1.0,
            );
        }
    }

    fn add_pair(&mut self, first: &Prepared, second: &Prepared, positions: u32, annotators: u32) {
        let names = (first.annotator, second.annotator);
        let pair = *self.pairs.entry(names).or_insert_with(|| {
            self.pair_names.push(names);
            self.pair_documents.push(0);
            self.pair_names.len() as u32 - 1
        });
        self.pair_documents[pair as usize] += 1;
        let (columns, builder) = (&mut self.columns, &mut self.builder);
        for_each_pair(&first.runs, &second.runs, positions, |a, b, number| {
            let number = f64::from(number);
            let cell = Key::Cell {
                pair,
                first: a,
                second: b,
            };
            builder.add(columns, cell, number);
            let (first, second) = (a.min(b), a.max(b));
            builder.add(
                columns,
                Key::Coincidence {
                    annotators,
                    first,
                    second,
                },
                number,
            );
        });
        for_each_type(
            &first.spans,
            &second.spans,
            |span| span.ty,
            |ty, first, second| {
                let shared = shared(first, second);
                for (key, number) in [
                    (Key::Spans { pair, ty }, shared.spans),
                    (Key::Exact { pair, ty }, shared.exact),
                    (Key::Overlap { pair, ty }, shared.overlap),
                ] {
                    builder.add(columns, key, f64::from(number));
                }
            },
        );
        let untyped = common(&first.bounds, &second.bounds, by_bounds);
        builder.add(columns, Key::Untyped { pair }, f64::from(untyped));
        for_each_type(
            &first.units,
            &second.units,
            |units| units.0,
            |ty, first, second| {
                let units = |side: &[(u32, Vec<(u32, u32)>)]| side.first().map(|of| of.1.clone());
                let (first, second) = (units(first), units(second));
                let total = difference(&first.unwrap_or_default(), &second.unwrap_or_default());
                builder.add(columns, Key::Difference { ty, annotators }, total);
            },
        );
    }
}

/// Calls `each` with every type of two slices that are sorted by type, and the items of the type.
fn for_each_type<T>(
    mut first: &[T],
    mut second: &[T],
    ty: impl Fn(&T) -> u32,
    mut each: impl FnMut(u32, &[T], &[T]),
) {
    loop {
        let next = [first, second]
            .into_iter()
            .filter_map(|side| side.first().map(&ty))
            .min();
        let Some(next) = next else {
            return;
        };
        let split = |side: &[T]| side.iter().take_while(|item| ty(item) == next).count();
        let (left, rest) = first.split_at(split(first));
        let (right, other_rest) = second.split_at(split(second));
        each(next, left, right);
        (first, second) = (rest, other_rest);
    }
}

/// Reduces bounds beyond the length of a document to the length.
fn clamp(spans: &mut [ProjectSpan], length: u32) {
    for span in spans {
        span.end = span.end.min(length);
        span.start = span.start.min(span.end);
        for piece in &mut span.pieces {
            piece.1 = piece.1.min(length);
            piece.0 = piece.0.min(piece.1);
        }
    }
}

/// Returns the range of the tokens that overlap a range of characters; empty for an empty range.
fn covered(tokens: &[(u32, u32)], start: u32, end: u32) -> (u32, u32) {
    let first = tokens.partition_point(|token| token.1 <= start);
    if start >= end {
        return (first as u32, first as u32);
    }
    let last = tokens.partition_point(|token| token.0 < end);
    (first as u32, last.max(first) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_spans_cover_no_token() {
        let tokens = [(0, 5), (6, 9)];
        assert_eq!(covered(&tokens, 2, 2), (0, 0));
        assert_eq!(covered(&tokens, 7, 7), (1, 1));
        assert_eq!(covered(&tokens, 2, 3), (0, 1));
        assert_eq!(covered(&tokens, 5, 6), (1, 1));
        assert_eq!(covered(&tokens, 4, 7), (0, 2));
    }
}
