//! Attributes of the tokens of a sequence.

use super::Template;
use super::kind::{KINDS, kind};
use super::program::{Function, Piece, Program, Slot};
use super::values::{
    prefix_len, push_lower, push_number, push_shape, push_short_shape, suffix_start,
};
use crate::error::{Error, Result, check_len};

/// A substring of the arena.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    end: usize,
}

/// The value of a prefix or suffix that is longer than the token.
const ABSENT: Span = Span {
    start: usize::MAX,
    end: usize::MAX,
};

/// Extracts the attributes of a [`Template`]; reuses its buffers from sequence to sequence.
///
/// Every function is evaluated once per token, not once per window offset.
#[derive(Clone, Debug)]
pub struct Extractor {
    program: Program,
    /// The constants, followed by the values of the current sequence.
    arena: String,
    /// Length of the constants in the arena.
    constants: usize,
    kinds: [Span; KINDS.len()],
    /// `false` and `true`.
    bools: [Span; 2],
    /// `_B-1`, `_B-2`, …
    before: Vec<Span>,
    /// `_B+1`, `_B+2`, …
    after: Vec<Span>,
    /// Values, row-major (token, slot).
    values: Vec<Span>,
    /// The current attribute.
    attribute: String,
}

impl Extractor {
    /// An extractor for a template.
    pub fn new(template: &Template) -> Self {
        let program = template.program.clone();
        let mut arena = String::new();
        let kinds = KINDS.map(|kind| append(&mut arena, |out| out.push_str(kind)));
        let bools = ["false", "true"].map(|bool| append(&mut arena, |out| out.push_str(bool)));
        let mut edges = |sign: &str| -> Vec<Span> {
            let edge = |distance| {
                append(&mut arena, |out| {
                    out.push_str("_B");
                    out.push_str(sign);
                    push_number(out, distance);
                })
            };
            (1..=program.reach).map(edge).collect()
        };
        let (before, after) = (edges("-"), edges("+"));
        Self {
            program,
            constants: arena.len(),
            arena,
            kinds,
            bools,
            before,
            after,
            values: Vec::new(),
            attribute: String::new(),
        }
    }

    /// Calls `sink(token, attribute)` for every attribute of every token, in the order of the tokens and of the lines
    /// of the template.
    ///
    /// `columns[c][t]` is the value of column `c` at token `t`; columns the template does not use may follow.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are too few columns or their lengths differ; `sink` is not called.
    pub fn extract(
        &mut self,
        columns: &[&[&str]],
        mut sink: impl FnMut(usize, &str),
    ) -> Result<()> {
        let len = self.check(columns)?;
        self.arena.truncate(self.constants);
        self.values.clear();
        for token in 0..len {
            self.evaluate(columns, token);
        }
        let mut attribute = std::mem::take(&mut self.attribute);
        for token in 0..len {
            'lines: for line in &self.program.lines {
                attribute.clear();
                for piece in &line.pieces {
                    let Some(value) = self.value(piece, token, len) else {
                        continue 'lines;
                    };
                    attribute.push_str(&piece.literal);
                    attribute.push_str(value);
                }
                attribute.push_str(&line.tail);
                sink(token, &attribute);
            }
        }
        self.attribute = attribute;
        Ok(())
    }

    /// The number of tokens.
    fn check(&self, columns: &[&[&str]]) -> Result<usize> {
        let expected = self.program.columns;
        match columns.first() {
            Some(first) if columns.len() >= expected => {
                for column in columns {
                    check_len("values in a column", first.len(), column.len())?;
                }
                Ok(first.len())
            }
            _ => Err(Error::Shape {
                what: "columns",
                expected,
                found: columns.len(),
            }),
        }
    }

    /// Computes the values of every slot at a token.
    fn evaluate(&mut self, columns: &[&[&str]], token: usize) {
        let row = self.values.len();
        for slot in &self.program.slots {
            let Slot {
                function,
                column,
                value,
            } = *slot;
            let word = columns[column][token];
            let arena = &mut self.arena;
            // The unchanged value comes first, and other values can be substrings of it.
            let copied = self.values.get(row + value).copied().unwrap_or(ABSENT);
            let inside = |start: usize, end: usize| Span {
                start: copied.start + start,
                end: copied.start + end,
            };
            let span = match function {
                Function::Value => append(arena, |out| out.push_str(word)),
                Function::Lower if is_ascii_lower(word) => copied,
                Function::Lower => append(arena, |out| push_lower(out, word)),
                Function::Shape => append(arena, |out| push_shape(out, word)),
                Function::ShortShape => append(arena, |out| push_short_shape(out, word)),
                Function::Length => append(arena, |out| push_number(out, word.chars().count())),
                Function::Kind => self.kinds[kind(word)],
                Function::Prefix(n) => prefix_len(word, n).map_or(ABSENT, |end| inside(0, end)),
                Function::Suffix(n) => {
                    suffix_start(word, n).map_or(ABSENT, |start| inside(start, word.len()))
                }
                Function::Test(regex) => {
                    self.bools[usize::from(self.program.regexes[regex].is_match(word))]
                }
                Function::Match(regex) => match self.program.regexes[regex].find(word) {
                    Some(found) => inside(found.start(), found.end()),
                    None => inside(0, 0),
                },
                Function::LowerMatch(regex) => match self.program.regexes[regex].find(word) {
                    Some(found) => append(arena, |out| push_lower(out, found.as_str())),
                    None => inside(0, 0),
                },
            };
            self.values.push(span);
        }
    }

    /// The value a piece refers to, seen from a token; `None` for a prefix or suffix longer than the token.
    #[inline]
    fn value(&self, piece: &Piece, token: usize, len: usize) -> Option<&str> {
        let index = piece.position.index(token, len);
        let span = match usize::try_from(index) {
            Ok(index) if index < len => self.values[index * self.program.slots.len() + piece.slot],
            Ok(index) => self.after[index - len],
            Err(_) => self.before[index.unsigned_abs() - 1],
        };
        self.arena.get(span.start..span.end)
    }
}

/// Appends to the arena and returns what was appended.
fn append(arena: &mut String, push: impl FnOnce(&mut String)) -> Span {
    let start = arena.len();
    push(arena);
    let end = arena.len();
    Span { start, end }
}

/// Whether a word has only ASCII characters and no upper-case letters.
fn is_ascii_lower(word: &str) -> bool {
    word.bytes()
        .all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase())
}
