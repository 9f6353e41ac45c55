//! Sentences of a column file whose tags may be stacked: `I-S|B-NP`, the outermost first.

use spanrs_base::Position;
use spanrs_base::Span;
use spanrs_io::{ColumnReader, Event};

use super::{Sentence, Types, Words};
use crate::Reporter;
use crate::error::{Error, Result};

/// What STTS, UPOS and PTB call punctuation, and names that FairEval's author used.
const PUNCTUATION: [&str; 22] = [
    "$.", "$,", "$(", "PUNCT", "PUNKT", "KOMMA", "COMMA", "KLAMMER", ".", ",", ":", "(", ")", "\"",
    "‘", "“", "’", "”", "``", "''", "-LRB-", "-RRB-",
];

/// True for parts of speech that are punctuation.
fn is_punctuation(pos: &[u8]) -> bool {
    PUNCTUATION.iter().any(|known| known.as_bytes() == pos)
}

/// A span that has begun.
struct Open {
    name: Box<[u8]>,
    start: i64,
    end: i64,
}

pub(super) struct Reader {
    rows: ColumnReader,
    ignore_punct: bool,
    open: Vec<Open>,
    /// In the order in which they ended.
    ended: Vec<Open>,
    /// Which tokens of the sentence are punctuation, by its own parts of speech.
    punctuation: Vec<bool>,
}

impl Reader {
    pub(super) fn new(rows: ColumnReader, ignore_punct: bool) -> Self {
        Self {
            rows,
            ignore_punct,
            open: Vec::new(),
            ended: Vec::new(),
            punctuation: Vec::new(),
        }
    }

    pub(super) fn path(&self) -> &str {
        self.rows.path()
    }

    pub(super) fn line(&self) -> u64 {
        self.rows.line()
    }

    /// The tokens of the sentence that are left out, where the file says what is punctuation.
    pub(super) fn punctuation(&self) -> Option<&[bool]> {
        (self.ignore_punct && self.rows.has_second()).then_some(&self.punctuation)
    }

    /// Tokens of the sentence.
    pub(super) fn tokens(&self) -> usize {
        self.punctuation.len()
    }

    /// Reads the next sentence and notes its first line and its tokens; false at the end of the file.
    /// [`Reader::spans`] gives its spans.
    pub(super) fn next(
        &mut self,
        words: &mut Words,
        first: &mut u64,
        reporter: &mut Reporter<'_, '_>,
    ) -> Result<bool> {
        self.punctuation.clear();
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
                    if self.rows.has_tokens() {
                        words.push(self.rows.token());
                    }
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

    /// Ends open spans until so many are left, the innermost first.
    fn end_to(&mut self, levels: usize) {
        while self.open.len() > levels {
            self.ended.extend(self.open.pop());
        }
    }

    /// Reads the tag of a token.
    fn token(&mut self, token: i64) -> Result<()> {
        let tag = self.rows.tag();
        if matches!(tag, b"O" | b"_" | b"") {
            self.end_from_outside();
            return Ok(());
        }
        // `I-S|` is how some write that nothing more is inside.
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

    fn error(&self, message: String) -> Error {
        Error::Stacked {
            position: Position::line(self.rows.path(), self.rows.line()),
            message: format!("{message} (in tag `{}`)", text(self.rows.tag())),
        }
    }

    #[cold]
    fn other(&self, part: &[u8], open: &[u8]) -> Error {
        self.error(format!(
            "`{}` goes on with a span of type {}; overlapping spans cannot be stacked: begin a span with B-, \
             keep the order of the levels, or write a span file",
            text(part),
            text(open)
        ))
    }

    #[cold]
    fn nothing(&self, part: &[u8]) -> Error {
        self.error(format!(
            "`{}` goes on with a span, but none is open at its level; begin it with B-",
            text(part)
        ))
    }

    #[cold]
    fn unknown(&self, part: &[u8]) -> Error {
        self.error(format!(
            "`{}` is no tag; levels are B-TYPE or I-TYPE, separated by |, and O, _ or nothing stand outside. Tags of \
             other schemes are evaluated by spanrs score --matcher fair, lines of spans by --format spans",
            text(part)
        ))
    }

    /// The spans of the sentence that was read, without the tokens that are left out; those that hold nothing
    /// else are none.
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
                sentence.push(Span {
                    start: span.start,
                    end: span.end,
                    ty,
                });
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
            if ignored[start..end].contains(&true) {
                let kept = (start..end).filter(|&token| !ignored[token]);
                sentence.push_tokens(placed, kept.map(|token| token as i64));
            } else {
                sentence.push(placed);
            }
        }
        Ok(())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
