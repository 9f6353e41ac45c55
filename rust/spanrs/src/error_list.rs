//! Errors of files in little memory.
//!
//! A corpus of millions of tokens has hundreds of thousands of errors. As a [`SpanError`] each has a
//! string for each of its tokens; here types and tokens are numbers of strings that are stored once.

use std::collections::BTreeMap;

use spanrs_base::{Interner, Jagged};

/// A span of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedSpan {
    /// Its type.
    pub ty: String,
    /// First token, from 0.
    pub start: i64,
    /// One past the last token.
    pub end: i64,
    /// Index of the span among those of its side of the sentence that are counted, from 0.
    pub index: u32,
    /// Its tokens, ascending, if it lacks some between its bounds.
    pub tokens: Option<Vec<i64>>,
}

/// An outcome that is no true positive, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanError {
    /// Index of the outcome in the criterion.
    pub outcome: u8,
    /// The file of gold, if several are scored.
    pub path: Option<String>,
    /// Sentence of the file, from 0.
    pub sentence: u64,
    /// Line, from 1, of the gold span, or of the pred span if there is no gold span. In column
    /// files the line of gold at which the span begins.
    pub line: u64,
    /// The gold span, if there is one.
    pub gold: Option<TypedSpan>,
    /// The pred span, if there is one.
    pub pred: Option<TypedSpan>,
    /// Index of the first of `tokens` in the sentence, from 0.
    pub first: usize,
    /// Number of tokens of the sentence, if it is known.
    pub length: Option<usize>,
    /// The tokens of the spans and their context; none if they are not known.
    pub tokens: Vec<String>,
}

/// A kind of error: outcome, gold type and pred type. Types are None if there is no such span.
pub type ErrorKind = (u8, Option<String>, Option<String>);

/// The errors of two files that were kept, in the order of the files; within a sentence in that of
/// the matcher.
#[derive(Clone, Debug, Default)]
pub struct SpanErrors {
    /// Number of errors of each kind, kept or not.
    pub numbers: BTreeMap<ErrorKind, u64>,
    /// The errors that were kept.
    errors: Vec<StoredError>,
    /// The file of gold of the errors that are found now.
    path: Option<u32>,
    /// Tokens of each error, as numbers.
    tokens: Jagged<u32>,
    /// Types and tokens by number.
    strings: Interner<str>,
}

/// A [`SpanError`] whose strings are numbers.
#[derive(Clone, Debug)]
struct StoredError {
    outcome: u8,
    path: Option<u32>,
    sentence: u64,
    line: u64,
    gold: Option<StoredSpan>,
    pred: Option<StoredSpan>,
    first: usize,
    length: Option<usize>,
}

/// A [`TypedSpan`] whose type is a number.
#[derive(Clone, Debug)]
struct StoredSpan {
    ty: u32,
    index: u32,
    start: i64,
    end: i64,
    tokens: Option<Box<[i64]>>,
}

impl SpanErrors {
    /// Names the file of the errors that follow; None if there is one file only.
    pub(crate) fn begin_file(&mut self, path: Option<&str>) {
        self.path = path.map(|path| self.strings.intern(path));
    }

    /// Appends an error that is kept.
    pub(crate) fn push(&mut self, error: &SpanError) {
        let mut stored = |span: &Option<TypedSpan>| {
            span.as_ref().map(|span| StoredSpan {
                ty: self.strings.intern(&span.ty),
                index: span.index,
                start: span.start,
                end: span.end,
                tokens: span.tokens.as_deref().map(Into::into),
            })
        };
        let (gold, pred) = (stored(&error.gold), stored(&error.pred));
        let tokens = error.tokens.iter().map(|token| self.strings.intern(token));
        self.tokens.push(tokens);
        self.errors.push(StoredError {
            outcome: error.outcome,
            path: self.path,
            sentence: error.sentence,
            line: error.line,
            gold,
            pred,
            first: error.first,
            length: error.length,
        });
    }

    /// Returns the number of errors that were kept.
    pub fn len(&self) -> usize {
        self.errors.len()
    }

    /// Returns true if no error was kept.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns an error by index; None if there is no such error.
    pub fn get(&self, at: usize) -> Option<SpanError> {
        let error = self.errors.get(at)?;
        let string = |number: u32| self.strings.name(number).unwrap_or_default().to_owned();
        let typed = |span: &Option<StoredSpan>| {
            span.as_ref().map(|span| TypedSpan {
                ty: string(span.ty),
                start: span.start,
                end: span.end,
                index: span.index,
                tokens: span.tokens.as_deref().map(<[i64]>::to_vec),
            })
        };
        let tokens = self.tokens.row(at);
        Some(SpanError {
            outcome: error.outcome,
            path: error.path.map(string),
            sentence: error.sentence,
            line: error.line,
            gold: typed(&error.gold),
            pred: typed(&error.pred),
            first: error.first,
            length: error.length,
            tokens: tokens.iter().map(|&token| string(token)).collect(),
        })
    }

    /// Returns the sentence and the index of the gold span of each error that has one.
    pub fn gold_places(&self) -> impl Iterator<Item = (u64, u32)> {
        let gold = self
            .errors
            .iter()
            .map(|error| (error.sentence, &error.gold));
        gold.filter_map(|(sentence, gold)| Some((sentence, gold.as_ref()?.index)))
    }
}
