//! The compiled form of a template.

use regex::Regex;

use super::fingerprint::Fingerprint;

/// A function of one value of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Value,
    Lower,
    Shape,
    ShortShape,
    Prefix(usize),
    Suffix(usize),
    Length,
    Kind,
    /// Whether the regular expression of this index matches.
    Test(usize),
    /// First match of the regular expression of this index.
    Match(usize),
    LowerMatch(usize),
}

/// A function applied to a column; its values are computed once per token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) function: Function,
    pub(super) column: usize,
    /// The slot with the unchanged values of the column; smaller than the slot's own index or equal
    /// to it.
    pub(super) value: usize,
}

/// A position in the sequence.
#[derive(Clone, Copy, Debug)]
pub(super) enum Position {
    /// Relative to the current token.
    Relative(isize),
    /// From the first token, counted from 0.
    Start(isize),
    /// From the number of tokens; -1 is the last token.
    End(isize),
}

impl Position {
    /// The index in a sequence of `len` tokens, seen from token `current`; may be outside the
    /// sequence.
    #[inline]
    pub(super) fn index(self, current: usize, len: usize) -> isize {
        match self {
            Self::Relative(offset) => current as isize + offset,
            Self::Start(index) => index,
            Self::End(offset) => len as isize + offset,
        }
    }

    /// An upper bound of the distance to the sequence.
    fn reach(self) -> usize {
        match self {
            Self::Relative(offset) | Self::Start(offset) | Self::End(offset) => {
                offset.unsigned_abs()
            }
        }
    }
}

/// Literal text followed by the value of a slot.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) literal: Box<str>,
    /// Fingerprint of the literal.
    pub(super) fingerprint: Fingerprint,
    pub(super) slot: usize,
    pub(super) position: Position,
}

/// A line that yields an attribute.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) pieces: Box<[Piece]>,
    /// Literal text after the last piece.
    pub(super) tail: Box<str>,
    /// Fingerprint of the tail.
    pub(super) tail_fingerprint: Fingerprint,
}

/// The lines of a template with the slots they refer to.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) lines: Vec<Line>,
    pub(super) slots: Vec<Slot>,
    pub(super) regexes: Vec<Regex>,
    pub(super) columns: usize,
    /// Largest distance of a position outside the sequence to the sequence.
    pub(super) reach: usize,
}

impl Program {
    pub(super) fn new() -> Self {
        Self {
            lines: Vec::new(),
            slots: Vec::new(),
            regexes: Vec::new(),
            columns: 1,
            reach: 0,
        }
    }

    /// Refers to a function of a column at a position, after literal text.
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

    /// The slot of a function and a column, added if there is none. Without `value` it is the
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

    /// The index of a regular expression, added if there is none with the same pattern.
    pub(super) fn regex(&mut self, regex: Regex) -> usize {
        let same = |known: &Regex| known.as_str() == regex.as_str();
        self.regexes.iter().position(same).unwrap_or_else(|| {
            self.regexes.push(regex);
            self.regexes.len() - 1
        })
    }
}
