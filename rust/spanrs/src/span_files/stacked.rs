//! Reading the sentences of a column file whose tags may be stacked: `I-S|B-NP`, the outermost
//! first.
//!
//! The open spans are on a stack, one for each level. A tag is read level by level: `B-` at a level
//! ends the spans at this and inner levels and begins a new span; `I-` continues the span at its
//! level, which must have the same type. Open spans at levels that the tag does not have are ended
//! first. `O`, `_` and an empty tag end all spans.
//!
//! | token | tag | open after it | ended |
//! |---|---|---|---|
//! | 0 | `B-S` | S 0 | |
//! | 1 | `I-S\|B-NP` | S 0, NP 1 | |
//! | 2 | `I-S\|B-NP` | S 0, NP 2 | NP 1-2 |
//! | 3 | `O` | | S 0-3, NP 2-3 |
//!
//! Spans are returned in the order in which they end: the innermost first within a tag, the
//! outermost first at the end of a sentence and where no span continues.

use spanrs_base::Position;
use spanrs_base::Span;
use spanrs_io::{ColumnReader, Event};

use super::sentence::{Sentence, Types};
use crate::Reporter;
use crate::error::{Error, Result};
use crate::sentence::Tokens;

/// Parts of speech that are punctuation: the tags of STTS, UPOS and PTB, and names used by
/// FairEval's author.
const PUNCTUATION: [&str; 22] = [
    "$.", "$,", "$(", "PUNCT", "PUNKT", "KOMMA", "COMMA", "KLAMMER", ".", ",", ":", "(", ")", "\"",
    "‘", "“", "’", "”", "``", "''", "-LRB-", "-RRB-",
];

/// Returns true for parts of speech that are punctuation.
fn is_punctuation(pos: &[u8]) -> bool {
    PUNCTUATION.iter().any(|known| known.as_bytes() == pos)
}

/// A span that has begun.
struct Open {
    /// The type of the span.
    name: Box<[u8]>,
    /// First token, from 0.
    start: i64,
    /// One past the last token so far.
    end: i64,
}

/// Reader of the sentences of a column file with stacked tags.
pub(super) struct Reader {
    /// The rows; the second tag is the part of speech.
    rows: ColumnReader,
    /// Whether punctuation is excluded.
    ignore_punct: bool,
    /// The open spans, outermost first.
    open: Vec<Open>,
    /// Spans of the sentence in the order in which they ended.
    ended: Vec<Open>,
    /// Whether each token of the sentence is punctuation, according to the parts of speech of this
    /// file. The length is the number of tokens.
    punctuation: Vec<bool>,
    /// The line of each token of the sentence.
    lines: Vec<u64>,
}

impl Reader {
    /// Reads from the rows of a column file.
    pub(super) fn new(rows: ColumnReader, ignore_punct: bool) -> Self {
        Self {
            rows,
            ignore_punct,
            open: Vec::new(),
            ended: Vec::new(),
            punctuation: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &str {
        self.rows.path()
    }

    /// Returns the number of the last line read, from 1.
    pub(super) fn line(&self) -> u64 {
        self.rows.line()
    }

    /// Returns which tokens of the sentence are punctuation; None if punctuation is not excluded,
    /// or the file has no parts of speech.
    pub(super) fn punctuation(&self) -> Option<&[bool]> {
        (self.ignore_punct && self.rows.has_second()).then_some(&self.punctuation)
    }

    /// Returns the number of tokens of the sentence.
    pub(super) fn tokens(&self) -> usize {
        self.punctuation.len()
    }

    /// Reads the next sentence: stores its first line in `first` and its tokens in `words`; false
    /// at the end of the file. [`Reader::spans`] returns the spans of the sentence.
    ///
    /// # Errors
    /// Errors from reading the file; [`Error::Stacked`] for tags that contradict each other;
    /// [`Error::Stopped`].
    pub(super) fn next(
        &mut self,
        words: &mut Tokens,
        first: &mut u64,
        reporter: &mut Reporter<'_, '_>,
    ) -> Result<bool> {
        self.punctuation.clear();
        self.lines.clear();
        while let Some(event) = self.rows.next_event()? {
            reporter.line(|| self.rows.bytes_read())?;
            match event {
                Event::Document => {}
                Event::Sentence => {
                    self.end_from_outside();
                    return Ok(true);
                }
                Event::Token => {
                    let token = self.punctuation.len() as i64;
                    if token == 0 {
                        *first = self.rows.line();
                    }
                    self.lines.push(self.rows.line());
                    words.push_token(&self.rows);
                    self.punctuation.push(is_punctuation(self.rows.second()));
                    self.token(token)?;
                }
            }
        }
        Ok(false)
    }

    /// Ends all open spans, the outermost first.
    fn end_from_outside(&mut self) {
        self.ended.append(&mut self.open);
    }

    /// Ends open spans, the innermost first, until `levels` remain.
    fn end_to(&mut self, levels: usize) {
        while self.open.len() > levels {
            self.ended.extend(self.open.pop());
        }
    }

    /// Reads the tag of the token with this index. A bar at the end of a tag, which some files have
    /// if there is no inner level, is dropped.
    ///
    /// | open before | tag | outcome |
    /// |---|---|---|
    /// | nothing | `B-S\|B-NP` | opens S and NP |
    /// | S, NP | `I-S` | ends NP, continues S |
    /// | S, NP | `I-S\|B-NP` | continues S, ends NP and opens another |
    /// | S | `B-S` | ends S and opens another |
    /// | S | `I-NP` | refused: a span of type S is open |
    /// | S | `I-S\|I-NP` | refused: nothing is open at the second level |
    /// | any | `B-`, `X`, `S-NP` | refused: not a tag |
    ///
    /// # Errors
    /// [`Error::Stacked`] for a level that is neither `B-TYPE` nor `I-TYPE`, and for `I-` if the
    /// open span has another type, or if none is open.
    fn token(&mut self, token: i64) -> Result<()> {
        let tag = self.rows.tag();
        if matches!(tag, b"O" | b"_" | b"") {
            self.end_from_outside();
            return Ok(());
        }
        // Some files write `I-S|` if there is no inner level.
        let tag: Box<[u8]> = tag.strip_suffix(b"|").unwrap_or(tag).into();
        let levels = tag.split(|&byte| byte == b'|').count();
        self.end_to(levels);
        for (level, part) in tag.split(|&byte| byte == b'|').enumerate() {
            match part {
                [b'B', b'-', name @ ..] if !name.is_empty() => {
                    if level == 0 {
                        self.end_from_outside();
                    }
                    self.end_to(level);
                    self.open.push(Open {
                        name: name.into(),
                        start: token,
                        end: token + 1,
                    });
                }
                [b'I', b'-', name @ ..] if !name.is_empty() => match self.open.get_mut(level) {
                    Some(open) if *open.name == *name => open.end = token + 1,
                    Some(open) => {
                        let other = open.name.clone();
                        return Err(self.other(part, &other));
                    }
                    None => return Err(self.nothing(part)),
                },
                _ => return Err(self.unknown(part)),
            }
        }
        Ok(())
    }

    /// Returns [`Error::Stacked`] at the last line read, with the whole tag.
    fn error(&self, message: String) -> Error {
        Error::Stacked {
            position: Position::line(self.rows.path(), self.rows.line()),
            message: format!("{message} (in tag `{}`)", text(self.rows.tag())),
        }
    }

    /// Returns the error for a level that continues a span of another type.
    #[cold]
    fn other(&self, part: &[u8], open: &[u8]) -> Error {
        self.error(format!(
            "`{}` continues a span of type {}; overlapping spans cannot be stacked: begin a span with B-, \
             keep the order of the levels, or write a span file",
            text(part),
            text(open)
        ))
    }

    /// Returns the error for a level that continues a span although no span is open.
    #[cold]
    fn nothing(&self, part: &[u8]) -> Error {
        self.error(format!(
            "`{}` continues a span, but none is open at its level; begin it with B-",
            text(part)
        ))
    }

    /// Returns the error for a level that is not a tag.
    #[cold]
    fn unknown(&self, part: &[u8]) -> Error {
        self.error(format!(
            "`{}` is not a tag; levels are B-TYPE or I-TYPE, separated by |; tokens outside spans have O, _ or \
             an empty tag. For tags of other schemes use spanrs score --matcher fair, for span files --format spans",
            text(part)
        ))
    }

    /// Moves the spans of the sentence to `sentence`, without the tokens `ignored`. Spans of only
    /// ignored tokens are dropped; `line` is the line of the sentence, for errors.
    ///
    /// With token 3 excluded, the span 2-4 becomes 2-3, 3-5 becomes 4-5, 2-5 has the tokens 2 and
    /// 4, and 3-4 is dropped.
    ///
    /// # Errors
    /// [`Error::Tags`] for too many types.
    pub(super) fn spans(
        &mut self,
        ignored: Option<&[bool]>,
        sentence: &mut Sentence,
        types: &mut Types<'_>,
        line: u64,
    ) -> Result<()> {
        for span in self.ended.drain(..) {
            let place = || Position::line(self.rows.path(), line);
            let Some(ty) = types.id(&span.name, place)? else {
                continue;
            };
            let Some(ignored) = ignored else {
                let (start, end) = (span.start, span.end);
                sentence.push(Span { start, end, ty }, self.lines[start as usize]);
                continue;
            };
            let (start, end) = (span.start as usize, span.end as usize);
            let words = ignored.get(start..end).unwrap_or_default();
            let Some(before) = words.iter().position(|ignored| !ignored) else {
                continue;
            };
            let behind = words.iter().rev().take_while(|ignored| **ignored).count();
            let (start, end) = (start + before, end - behind);
            let placed = Span {
                start: start as i64,
                end: end as i64,
                ty,
            };
            let line = self.lines[start];
            if ignored[start..end].contains(&true) {
                let kept = (start..end).filter(|&token| !ignored[token]);
                sentence.push_tokens(placed, line, kept.map(|token| token as i64));
            } else {
                sentence.push(placed, line);
            }
        }
        Ok(())
    }
}

/// Returns bytes as text, for messages.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
