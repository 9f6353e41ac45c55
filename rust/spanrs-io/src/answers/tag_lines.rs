//! Lines of tokens and tags.

use super::Mention;
use super::draft::Draft;
use super::query::Query;

/// Tokens and tags, joined to a text with mentions.
///
/// Tags are read like conlleval reads them: an inside tag after another type begins a span.
#[derive(Default)]
pub(super) struct TokenTags {
    text: String,
    characters: u64,
    mentions: Vec<Mention>,
    /// True if the last mention goes on with the next inside tag.
    is_open: bool,
    separator: Option<char>,
}

impl TokenTags {
    pub(super) fn push(&mut self, token: &str, tag: &str, at: usize) {
        if let Some(separator) = self.separator.replace(' ') {
            self.text.push(separator);
            self.characters += 1;
        }
        let start = self.characters;
        self.text.push_str(token);
        self.characters += token.chars().count() as u64;
        let Some((prefix, ty)) = tag.split_once('-') else {
            self.is_open = false;
            return;
        };
        let continues = self.is_open && matches!(prefix, "I" | "M" | "E" | "L");
        match self.mentions.last_mut() {
            Some(last) if continues && last.ty.as_deref() == Some(ty) => {
                last.text.push(' ');
                last.text.push_str(token);
                last.end = Some(self.characters);
            }
            _ => self.mentions.push(Mention {
                ty: Some(ty.to_owned()),
                text: token.to_owned(),
                start: Some(start),
                end: Some(self.characters),
                at,
            }),
        }
        self.is_open = !matches!(prefix, "E" | "L" | "S" | "U" | "W");
    }

    /// Ends a sentence: the next token begins a line.
    fn end_sentence(&mut self) {
        self.is_open = false;
        if self.separator.is_some() {
            self.separator = Some('\n');
        }
    }

    pub(super) fn finish(self, draft: &mut Draft) {
        for mention in self.mentions {
            draft.mention(mention);
        }
        draft.text = Some(self.text);
    }
}

/// True for `O` and for tags such as `B-PER`.
pub(super) fn is_tag(tag: &str) -> bool {
    match tag.split_once('-') {
        Some((prefix, ty)) => {
            matches!(prefix, "B" | "I" | "E" | "L" | "S" | "U" | "M" | "W")
                && ty.starts_with(|c: char| c.is_alphanumeric())
                && !ty.contains(char::is_whitespace)
        }
        None => tag == "O",
    }
}

/// The token and the tag of a line: its first and last column.
fn columns(line: &str) -> Option<(&str, &str)> {
    let (before, tag) = match line.trim_end().rsplit_once('\t') {
        Some(columns) => columns,
        None => line.trim_end().rsplit_once([' ', ':', '/'])?,
    };
    let token = match before.contains('\t') {
        true => before.split('\t').next()?,
        false => before.split_ascii_whitespace().next()?,
    };
    let (token, tag) = (token.trim(), tag.trim());
    (!token.is_empty() && is_tag(tag)).then_some((token, tag))
}

/// Reads lines of tokens and tags; None unless most lines have this form.
///
/// Lines before the first and after the last line of this form are prose. Lines in between are
/// faults.
pub(super) fn read(text: &str, _: &Query) -> Option<Draft> {
    let mut rows = TokenTags::default();
    let mut draft = Draft::new("tag-lines");
    let (mut tagged, mut has_begin) = (0, false);
    let mut pending: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        if line.trim().is_empty() {
            rows.end_sentence();
        } else if let Some((token, tag)) = columns(line.trim()) {
            if tagged > 0 {
                for at in pending.drain(..) {
                    draft.fault("not_a_row", "the line has no token and tag", at);
                }
            } else if !pending.is_empty() {
                draft.repair("prose");
                pending.clear();
            }
            has_begin |= tag.len() > 1;
            tagged += 1;
            rows.push(token, tag, start);
        } else {
            rows.end_sentence();
            pending.push(start);
            if pending.len() > tagged + 10 {
                // Prose with an accidental match.
                return None;
            }
        }
    }
    if tagged == 0 || !has_begin && tagged < 2 || draft.faults.len() > tagged {
        return None;
    }
    if !pending.is_empty() {
        draft.repair("prose");
    }
    rows.finish(&mut draft);
    Some(draft)
}
