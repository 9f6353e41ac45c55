//! The compiled form of a template.
//!
//! `U02:%x[-1,0]/%lower[0,0]!` is compiled to
//!
//! | | literal | slot | position |
//! |---|---|---|---|
//! | piece 0 | `U02:` | 0: `Value` of column 0 | `Relative(-1)` |
//! | piece 1 | `/` | 1: `Lower` of column 0 | `Relative(0)` |
//! | tail | `!` | | |
//!
//! Slots and regular expressions are shared by all lines.

use regex::Regex;

use super::fingerprint::Fingerprint;
use crate::lexicon::LexiconKind;

/// A function of one value of a column. Prefixes and suffixes have a length in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    /// The value itself.
    Value,
    /// The value in lower case.
    Lower,
    /// The shape: upper-case letters as `X`, other letters as `x`, digits as `0`.
    Shape,
    /// The shape with runs of a character reduced to one.
    ShortShape,
    /// The first characters; absent if there are fewer.
    Prefix(usize),
    /// The last characters; absent if there are fewer.
    Suffix(usize),
    /// Number of characters, in decimal.
    Length,
    /// Category of the token ([`super::kind`]).
    Kind,
    /// `true` if the regular expression with this index matches anywhere, else `false`.
    Test(usize),
    /// First match of the regular expression with this index; empty if there is none.
    Match(usize),
    /// The same match, in lower case.
    LowerMatch(usize),
    /// Position in a phrase of the gazetteer with this index.
    In(usize),
    /// Cluster of the token; absent if it has none.
    Cluster {
        /// Index of the clusters.
        lexicon: usize,
        /// Maximum number of characters.
        len: usize,
    },
}

/// A lexicon that macros use, and where the first of these is.
#[derive(Clone, Debug)]
pub(super) struct LexiconUse {
    /// The name.
    pub(super) name: Box<str>,
    /// The kind.
    pub(super) kind: LexiconKind,
    /// Line of the name, from 1.
    pub(super) line: usize,
    /// Column of the name in characters, from 1.
    pub(super) column: usize,
}

/// A function applied to a column; its values are computed once per token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// The function.
    pub(super) function: Function,
    /// The column, from 0.
    pub(super) column: usize,
    /// Index of the slot with the unchanged values of the column; at most the slot's own index.
    pub(super) value: usize,
}

/// A position in the sequence.
#[derive(Clone, Copy, Debug)]
pub(super) enum Position {
    /// Relative to the current token.
    Relative(isize),
    /// Counted from the first token, which is 0.
    Start(isize),
    /// Counted from the end of the sequence; -1 is the last token.
    End(isize),
}

impl Position {
    /// The index in a sequence of `len` tokens, if `current` is the current token. Negative before
    /// the sequence, `len` or more after it.
    #[inline]
    pub(super) fn index(self, current: usize, len: usize) -> isize {
        match self {
            Self::Relative(offset) => current as isize + offset,
            Self::Start(index) => index,
            Self::End(offset) => len as isize + offset,
        }
    }

    /// An upper bound on the distance between the position and the sequence, for any token in any
    /// sequence.
    fn reach(self) -> usize {
        match self {
            Self::Relative(offset) | Self::Start(offset) | Self::End(offset) => {
                offset.unsigned_abs()
            }
        }
    }
}

/// Literal text followed by the value of a slot at a position.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// The text, often empty between two macros.
    pub(super) literal: Box<str>,
    /// Fingerprint of the literal.
    pub(super) fingerprint: Fingerprint,
    /// Index of the slot.
    pub(super) slot: usize,
    /// Position of the token whose value is used.
    pub(super) position: Position,
}

/// A line that yields an attribute: pieces, then a tail.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Literals and values, in order; empty for a bias.
    pub(super) pieces: Box<[Piece]>,
    /// Literal text after the last piece.
    pub(super) tail: Box<str>,
    /// Fingerprint of the tail.
    pub(super) tail_fingerprint: Fingerprint,
}

/// The lines of a template with the slots they refer to. Immutable once parsed.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Lines that yield an attribute, in the order of the template.
    pub(super) lines: Vec<Line>,
    /// Distinct functions of columns. The value slot of a column comes before the other slots of
    /// the column.
    pub(super) slots: Vec<Slot>,
    /// Distinct regular expressions.
    pub(super) regexes: Vec<Regex>,
    /// Distinct lexicons, in the order of their first use.
    pub(super) lexicons: Vec<LexiconUse>,
    /// Number of columns needed, at least 1.
    pub(super) columns: usize,
    /// Largest distance between a position outside the sequence and the sequence.
    pub(super) reach: usize,
}

impl Program {
    /// A program without lines.
    pub(super) fn new() -> Self {
        Self {
            lines: Vec::new(),
            slots: Vec::new(),
            regexes: Vec::new(),
            lexicons: Vec::new(),
            columns: 1,
            reach: 0,
        }
    }

    /// Makes a piece from literal text and a function of a column at a position. Adds slots as
    /// needed and updates `columns` and `reach`.
    pub(super) fn piece(
        &mut self,
        literal: &str,
        function: Function,
        column: usize,
        position: Position,
    ) -> Piece {
        self.columns = self.columns.max(column + 1);
        self.reach = self.reach.max(position.reach());
        let value = self.slot(Function::Value, column, None);
        Piece {
            literal: literal.into(),
            fingerprint: Fingerprint::of(literal),
            slot: self.slot(function, column, Some(value)),
            position,
        }
    }

    /// The slot for a function and a column, added if it does not exist. Without `value` it is the
    /// column's value slot.
    fn slot(&mut self, function: Function, column: usize, value: Option<usize>) -> usize {
        let same = |slot: &Slot| slot.function == function && slot.column == column;
        self.slots.iter().position(same).unwrap_or_else(|| {
            let added = self.slots.len();
            let value = value.unwrap_or(added);
            self.slots.push(Slot {
                function,
                column,
                value,
            });
            added
        })
    }

    /// The index of a regular expression, added if no expression has the same pattern.
    pub(super) fn regex(&mut self, regex: Regex) -> usize {
        let same = |known: &Regex| known.as_str() == regex.as_str();
        self.regexes.iter().position(same).unwrap_or_else(|| {
            self.regexes.push(regex);
            self.regexes.len() - 1
        })
    }
}
