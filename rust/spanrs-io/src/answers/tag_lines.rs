//! Lines of tokens and tags.

use super::Mention;
use super::draft::{Draft, Mentions};
use super::query::Query;
use super::vocabulary::is_common_type;

/// Tokens and tags, joined to a text with mentions.
///
/// Tags are read like conlleval reads them: an inside tag after another type begins a span.
#[derive(Default)]
pub(super) struct TokenTags {
    text: String,
    characters: u64,
    mentions: Mentions,
    /// True if an inside tag that follows continues the last mention.
    is_open: bool,
    separator: Option<char>,
}

impl TokenTags {
    /// Adds a token, which begins at a byte offset of the answer.
    pub(super) fn push(&mut self, token: &str, tag: &str, at: usize, draft: &mut Draft) {
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
        let is_inside = self.is_open && continues(prefix);
        self.is_open = !ends_span(prefix);
        let last = self.mentions.list.last_mut();
        if let Some(last) = last.filter(|last| is_inside && last.ty.as_deref() == Some(ty)) {
            last.text.push(' ');
            last.text.push_str(token);
            last.end = Some(self.characters);
        } else if self.mentions.exceeds(token, Some(ty), at, draft) {
            self.is_open = false;
        } else {
            self.mentions.list.push(Mention {
                ty: Some(ty.to_owned()),
                text: token.to_owned(),
                start: Some(start),
                end: Some(self.characters),
                at,
            });
        }
    }

    /// Ends a sentence: the next token begins a line.
    pub(super) fn end_sentence(&mut self) {
        self.is_open = false;
        if self.separator.is_some() {
            self.separator = Some('\n');
        }
    }

    /// True if there are no tokens.
    pub(super) fn is_empty(&self) -> bool {
        self.separator.is_none()
    }

    /// Adds the mentions, with the text and the offsets in it if all its tokens are known.
    pub(super) fn finish(mut self, draft: &mut Draft, is_whole_text: bool) {
        if self.is_empty() {
            return;
        }
        if is_whole_text {
            draft.text = Some(self.text);
        } else {
            for mention in &mut self.mentions.list {
                (mention.start, mention.end) = (None, None);
            }
        }
        draft.extend(self.mentions);
    }
}

/// True for the prefix of a tag that continues a span.
pub(super) fn continues(prefix: &str) -> bool {
    matches!(prefix, "I" | "M" | "E" | "L")
}

/// True for the prefix of a tag that ends a span.
pub(super) fn ends_span(prefix: &str) -> bool {
    matches!(prefix, "E" | "L" | "S" | "U" | "W")
}

/// True for `O` and for tags such as `B-PER`.
pub(super) fn is_tag(tag: &str) -> bool {
    match tag.split_once('-') {
        Some((prefix, ty)) => {
            matches!(prefix, "B" | "I" | "E" | "L" | "S" | "U" | "M" | "W")
                && ty.starts_with(char::is_alphanumeric)
                && ty.contains(char::is_alphabetic)
                && !ty.contains(char::is_whitespace)
        }
        None => tag == "O",
    }
}

/// The token and the tag in `Anna/B-PER` or `Anna:B-PER`.
fn slashed(word: &str) -> Option<(&str, &str)> {
    let (token, tag) = word
        .rsplit_once('/')
        .filter(|(_, tag)| is_tag(tag))
        .or_else(|| word.rsplit_once(':'))?;
    (!token.is_empty() && is_tag(tag)).then_some((token, tag))
}

/// The token and the tag of a line: its first and last column, or a word such as `Anna/B-PER`.
pub(super) fn token_and_tag(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (before, tag) = match line.rsplit_once('\t') {
        Some(columns) => columns,
        None => match line.rsplit_once(' ') {
            Some(columns) => columns,
            None => return slashed(line),
        },
    };
    let (token, has_more) = match before.contains('\t') {
        true => (before.split('\t').next()?.trim(), true),
        false => {
            let mut columns = before.split_ascii_whitespace();
            (columns.next()?, columns.next().is_some())
        }
    };
    let tag = tag.trim();
    if token.is_empty() || !is_tag(tag) {
        return None;
    }
    // The line consists of several tokens.
    let has_slashes = before
        .split_ascii_whitespace()
        .any(|word| slashed(word).is_some_and(|(_, tag)| tag.len() > 1));
    if has_slashes {
        return None;
    }
    let is_colon = !has_more && token.len() > 1;
    let token = token
        .strip_suffix(':')
        .filter(|_| is_colon)
        .unwrap_or(token);
    Some((token, tag))
}

/// The tokens and tags of a line: several words such as `Anna/B-PER`, or columns.
fn row(line: &str) -> Option<Vec<(&str, &str)>> {
    if let Some(columns) = token_and_tag(line) {
        return Some(vec![columns]);
    }
    line.split_ascii_whitespace().map(slashed).collect()
}

/// Reads lines of tokens and tags; None unless most lines have this form.
///
/// Lines before the first and after the last line of this form are prose. Lines in between are
/// faults.
pub(super) fn read(text: &str, query: &Query) -> Option<Draft> {
    let mut rows = TokenTags::default();
    let mut draft = Draft::new("tag-lines");
    let (mut tagged, mut has_begin) = (0, false);
    let mut pending: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let line_at = at;
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        if line.trim().is_empty() {
            rows.end_sentence();
        } else if let Some(row) = row(line) {
            if tagged > 0 {
                for at in pending.drain(..) {
                    draft.fault("not_a_row", "the line has no token and tag", at);
                }
            } else if !pending.is_empty() {
                draft.repair("prose");
                pending.clear();
            }
            let is_sentence = row.len() > 1;
            for (token, tag) in row {
                has_begin |= tag.len() > 1;
                tagged += 1;
                let token_at = line_at + token.as_ptr() as usize - line.as_ptr() as usize;
                rows.push(token, tag, token_at, &mut draft);
            }
            if is_sentence {
                rows.end_sentence();
            }
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
    if let ([mention], 1) = (&rows.mentions.list[..], tagged) {
        // A line such as "influenza B-Victoria" is not a token with a tag.
        let ty = mention.ty.as_deref().unwrap_or_default();
        if !query.is_type(ty) && !is_common_type(ty) && ty.contains(char::is_lowercase) {
            return None;
        }
    }
    if !pending.is_empty() {
        draft.repair("prose");
    }
    rows.finish(&mut draft, true);
    Some(draft)
}
