//! Splits a JSON stream of collections into documents. Only one document at a time is in memory.

use spanrs_base::{Limits, Position};

use super::records::{Text, is_blank};
use crate::error::{Code, Error, Result};
use crate::source::Source;

/// Reads the documents of collections: objects with a list of documents under one of several keys.
///
/// The file is a collection, a document, a list of these, or several of these one after another,
/// such as JSON Lines. An object without a list of documents is a document. Only the text between
/// documents is checked here.
pub(super) struct JsonDocuments {
    text: Text,
    /// Beginning of error messages.
    what: &'static str,
    /// Keys of lists of documents.
    keys: &'static [&'static str],
    state: State,
    /// Whether collections or documents are in a list.
    listed: bool,
    /// The members of the current collection other than its documents, as a JSON object, or a
    /// document.
    outer: Vec<u8>,
    /// Position of the current collection.
    from: Position,
    /// Whether the current collection has a list of documents.
    has_list: bool,
    /// Number of members behind a list of documents.
    late: u64,
    item: Vec<u8>,
}

/// A part of a file.
pub(super) enum Piece {
    /// The members of a collection before its documents, as a JSON object.
    Collection,
    /// A document.
    Document,
}

/// The part of the file that is expected next.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// The first collection or document, or a list of them.
    Begin,
    /// A collection or a document, or the end of the list or the file.
    Outer,
    /// A comma, or the end of the list; if there is no list, like [`State::Outer`].
    Behind,
    /// The first member or the end of an object.
    FirstMember,
    /// A comma or the end of an object.
    BehindMember,
    /// The first document or the end of a list of documents.
    FirstDocument,
    /// A comma or the end of a list of documents.
    BehindDocument,
    /// Nothing but white space.
    End,
}

impl JsonDocuments {
    /// Opens a source; error messages about the text between documents begin with `what`.
    ///
    /// # Errors
    /// Same as [`Lines::open`](super::records::Lines::open).
    pub(super) fn open(
        source: &Source,
        limits: Limits,
        what: &'static str,
        keys: &'static [&'static str],
    ) -> Result<Self> {
        Ok(Self {
            text: Text::open(source, limits)?,
            what,
            keys,
            state: State::Begin,
            listed: false,
            outer: Vec::new(),
            from: Position::file(source.name()),
            has_list: false,
            late: 0,
            item: Vec::new(),
        })
    }

    /// Returns the name of the source.
    pub(super) fn name(&self) -> &str {
        self.text.name()
    }

    /// Returns the number of members behind a list of documents, which are not read.
    pub(super) fn late(&self) -> u64 {
        self.late
    }

    /// Returns the next part with its position and its text; None at the end. A document that is
    /// truncated by the end of the file is returned unchanged.
    ///
    /// # Errors
    /// [`Code::BadDocument`] with line and column for invalid text between documents;
    /// [`Code::Encoding`], [`Code::DocumentTooLong`], and the errors of [`Error::read`].
    pub(super) fn next(&mut self) -> Result<Option<(Piece, Position, &str)>> {
        loop {
            let next = self.peek()?;
            match self.state {
                State::Begin if next == Some(b'[') => {
                    self.take();
                    self.listed = true;
                    self.state = State::Outer;
                }
                State::Begin | State::Outer | State::Behind | State::End => {
                    if self.outer_end(next)? {
                        return Ok(None);
                    }
                }
                State::FirstMember | State::BehindMember if next == Some(b'}') => {
                    self.take_outer();
                    self.state = State::Behind;
                    if !self.has_list {
                        let outer = super::encoding::utf8_from(&self.from, &self.outer)?;
                        return Ok(Some((Piece::Document, self.from.clone(), outer)));
                    }
                }
                State::FirstMember | State::BehindMember => {
                    match (self.state, next) {
                        (State::FirstMember, Some(b'"')) => {}
                        (State::BehindMember, Some(b',')) => self.take_outer(),
                        (State::FirstMember, _) => {
                            return Err(self.wrong("expected a name in quotes or `}`"));
                        }
                        _ => return Err(self.wrong("expected `,` or `}`")),
                    }
                    if self.member()? {
                        let outer = super::encoding::utf8_from(&self.from, &self.outer)?;
                        return Ok(Some((Piece::Collection, self.from.clone(), outer)));
                    }
                }
                State::FirstDocument | State::BehindDocument if next == Some(b']') => {
                    self.take();
                    self.state = State::BehindMember;
                }
                State::FirstDocument if next == Some(b'{') => return self.document(),
                State::FirstDocument => return Err(self.wrong("expected an object or `]`")),
                State::BehindDocument => {
                    self.comma(next)?;
                    return self.document();
                }
            }
        }
    }

    /// Reads what follows outside of collections and documents: the beginning of an object, or the
    /// end of a list. Returns true at the end of the file.
    fn outer_end(&mut self, next: Option<u8>) -> Result<bool> {
        match (self.state, next) {
            (State::End, None) => return Ok(true),
            (State::Outer | State::Behind, None) if !self.listed => return Ok(true),
            (State::Outer | State::Behind, Some(b']')) if self.listed => {
                self.take();
                self.state = State::End;
            }
            (State::Behind, _) if self.listed => {
                self.comma(next)?;
                self.begin_object();
            }
            (State::End, Some(_)) => return Err(self.wrong("trailing characters")),
            (_, Some(b'{')) => self.begin_object(),
            _ => return Err(self.wrong("expected an object")),
        }
        Ok(false)
    }

    /// Reads a comma in a list, which must be followed by an object.
    fn comma(&mut self, next: Option<u8>) -> Result<()> {
        if next != Some(b',') {
            return Err(self.wrong("expected `,` or `]`"));
        }
        self.take();
        match self.peek()? {
            Some(b'{') => Ok(()),
            _ => Err(self.wrong("expected an object after the comma")),
        }
    }

    /// Returns an error at the current position.
    #[cold]
    fn wrong(&self, message: &str) -> Error {
        let message = format!("{}: {message}", self.what);
        Error::new(Code::BadDocument, self.text.here(), message)
    }

    /// Begins an object, whose brace is next.
    fn begin_object(&mut self) {
        self.from = self.text.here();
        self.outer.clear();
        self.has_list = false;
        self.state = State::FirstMember;
        self.take_outer();
    }

    /// Reads a member of an object, from its name. Returns true if it is a list of documents, of
    /// which the bracket has been read.
    fn member(&mut self) -> Result<bool> {
        if self.peek()? != Some(b'"') {
            return Err(self.wrong("expected a name in quotes"));
        }
        let begin = self.outer.len();
        self.value()?;
        let key = &self.outer[begin..];
        let in_quotes = |name: &&str| {
            let inner = key
                .strip_prefix(b"\"")
                .and_then(|key| key.strip_suffix(b"\""));
            inner == Some(name.as_bytes())
        };
        let is_key = self.keys.iter().any(in_quotes);
        if self.peek()? != Some(b':') {
            return Err(self.wrong("expected `:`"));
        }
        self.take_outer();
        let next = self.peek()?;
        self.state = State::BehindMember;
        if is_key && next == Some(b'[') && !self.has_list {
            self.take();
            self.has_list = true;
            self.state = State::FirstDocument;
            // The name without a value is removed, with the comma before it.
            self.outer.truncate(begin);
            let end = self.outer.iter().rposition(|&byte| !is_blank(byte));
            let end = end.filter(|&end| self.outer[end] == b',');
            self.outer.truncate(end.unwrap_or(begin));
            self.outer.push(b'}');
            return Ok(true);
        }
        if next.is_none() {
            return Err(self.wrong("the file is truncated"));
        }
        self.value()?;
        if self.has_list {
            self.late += 1;
            self.outer.clear();
        }
        Ok(false)
    }

    /// Reads a document of a list.
    fn document(&mut self) -> Result<Option<(Piece, Position, &str)>> {
        self.state = State::BehindDocument;
        let from = self.text.here();
        self.item.clear();
        self.text.cut_value(&mut self.item, &from)?;
        let item = super::encoding::utf8_from(&from, &self.item)?;
        Ok(Some((Piece::Document, from, item)))
    }

    /// Appends a value to the current object.
    fn value(&mut self) -> Result<()> {
        let mut outer = std::mem::take(&mut self.outer);
        let read = self.text.cut_value(&mut outer, &self.from);
        self.outer = outer;
        read
    }

    /// Consumes the byte that was peeked at.
    fn take(&mut self) {
        if let Some(byte) = self.text.next_byte() {
            self.text.take(byte);
        }
    }

    /// Consumes the byte that was peeked at, and appends it to the current object.
    fn take_outer(&mut self) {
        self.outer.extend(self.text.next_byte());
        self.take();
    }

    /// Skips white space and returns the next byte without consuming it; None at the end. White
    /// space in an object is kept, so that positions in it are positions in the file.
    fn peek(&mut self) -> Result<Option<u8>> {
        let in_object = matches!(self.state, State::FirstMember | State::BehindMember);
        loop {
            self.text.fill()?;
            match self.text.next_byte() {
                Some(byte) if is_blank(byte) => {
                    // The length of the object is checked with the next value.
                    if in_object && !self.has_list {
                        self.outer.push(byte);
                    }
                    self.text.take(byte);
                }
                next => return Ok(next),
            }
        }
    }
}
