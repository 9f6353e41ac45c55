//! UIE's structured extraction language.
//!
//! `<extra_id_0> <extra_id_0> person <extra_id_5> Anna <extra_id_1> <extra_id_1>` is a bracket with
//! a mention in it; `<extra_id_5>` separates type and name. The readable form is
//! `((person: Anna))`.

use super::MAX_VALUES;
use super::draft::Draft;
use super::query::Query;

const OPEN: &str = "<extra_id_0>";
const CLOSE: &str = "<extra_id_1>";
const SEPARATOR: &str = "<extra_id_5>";
/// Marks a name that is not in the text.
const NULL: &str = "<extra_id_6>";

#[derive(Clone, Copy, PartialEq)]
enum Token {
    Open,
    Close,
    Separator,
}

/// Reads structured extraction language; None if there is none.
///
/// Roles inside a mention, which have the same form, are skipped.
pub(super) fn read(text: &str, _: &Query) -> Option<Draft> {
    let trimmed = text.trim_start();
    let is_plain = !text.contains(OPEN);
    if is_plain && !trimmed.starts_with("((") && trimmed != "()" {
        return None;
    }
    let mut reader = Reader::default();
    let mut tokens = tokens(text, is_plain).peekable();
    while let Some((token, start, end)) = tokens.next() {
        let next = tokens.peek().map_or(text.len(), |next| next.1);
        let kind = tokens.peek().map(|next| next.0);
        if reader.mentions() >= MAX_VALUES {
            break;
        }
        reader.token(text, (token, start, end), (kind, next), is_plain);
        if reader.is_closed {
            break;
        }
    }
    let (mut draft, is_closed) = (reader.draft, reader.is_closed);
    if !is_closed {
        draft.repair("truncated");
        let message = "the answer ends inside brackets; the last item may be missing";
        draft.fault("truncated", message, text.trim_end().len());
    }
    draft.layout = "sel";
    if draft.mentions.list.is_empty() && !draft.faults.is_empty() {
        draft.is_unreadable = true;
        draft.layout = "unreadable";
    }
    Some(draft)
}

/// Reads markers one after another.
#[derive(Default)]
struct Reader {
    draft: Draft,
    depth: usize,
    /// Byte offsets of the type and the name of the mention at depth 2.
    ty: (usize, usize),
    name: Option<(usize, usize)>,
    /// True after a role, so that the name has ended.
    has_role: bool,
    /// True in brackets that belong to the name, as in `Anna (Smith)`.
    is_in_name: bool,
    is_ambiguous: bool,
    /// True after the last bracket.
    is_closed: bool,
}

impl Reader {
    fn mentions(&self) -> usize {
        self.draft.mentions.list.len()
    }

    /// Handles a marker; `next` is the kind and the offset of the next one.
    fn token(
        &mut self,
        text: &str,
        (token, start, end): (Token, usize, usize),
        (kind, next): (Option<Token>, usize),
        is_plain: bool,
    ) {
        match token {
            Token::Open => {
                self.depth += 1;
                if self.depth == 2 {
                    (self.ty, self.name) = ((end, next), None);
                    (self.has_role, self.is_ambiguous) = (false, false);
                } else if self.depth == 3 {
                    self.is_in_name = is_plain && !self.has_role && kind == Some(Token::Close);
                    self.has_role |= !self.is_in_name;
                    self.is_ambiguous |= is_plain && kind == Some(Token::Open);
                }
            }
            Token::Separator if self.depth == 2 && self.name.is_none() => {
                self.name = Some((end, next));
            }
            Token::Separator => {
                if let Some(name) = self
                    .name
                    .as_mut()
                    .filter(|_| self.depth == 2 && !self.has_role)
                {
                    name.1 = next;
                }
            }
            Token::Close => {
                if self.depth == 2 {
                    self.add(text, start);
                } else if let Some(name) = self
                    .name
                    .as_mut()
                    .filter(|_| self.depth == 3 && self.is_in_name)
                {
                    name.1 = next;
                    self.is_in_name = false;
                }
                self.depth = self.depth.saturating_sub(1);
                self.is_closed = self.depth == 0;
            }
        }
    }

    /// Adds the mention that ends at an offset.
    fn add(&mut self, text: &str, at: usize) {
        let Some((from, to)) = self.name else {
            let message = "the item has no separator of type and name";
            return self.draft.fault("no_name", message, at);
        };
        let raw = &text[from..to];
        let name = raw.trim();
        let name_at = from + raw.len() - raw.trim_start().len();
        if self.is_ambiguous {
            let message = "brackets in brackets: it is unknown where the name ends";
            self.draft.fault("ambiguous", message, name_at);
        } else if name == NULL {
            let message = "the model states that the name is not in the text";
            self.draft.fault("no_name", message, name_at);
        } else {
            let ty = text[self.ty.0..self.ty.1].trim();
            self.draft.name(Some(ty), name, name_at);
        }
    }
}

/// The markers of a text with their byte offsets.
fn tokens(text: &str, is_plain: bool) -> impl Iterator<Item = (Token, usize, usize)> {
    let bytes = text.as_bytes();
    let plain = memchr::memchr3_iter(b'(', b')', b':', bytes).filter(move |_| is_plain);
    let plain = plain.map(move |at| match bytes[at] {
        b'(' => (Token::Open, at, at + 1),
        b')' => (Token::Close, at, at + 1),
        _ => (Token::Separator, at, at + 1),
    });
    let special = memchr::memmem::find_iter(bytes, "<extra_id_").filter(move |_| !is_plain);
    let special = special.filter_map(move |at| {
        let markers = [
            (OPEN, Token::Open),
            (CLOSE, Token::Close),
            (SEPARATOR, Token::Separator),
        ];
        let (marker, token) = markers
            .into_iter()
            .find(|(marker, _)| text[at..].starts_with(marker))?;
        Some((token, at, at + marker.len()))
    });
    plain.chain(special)
}
