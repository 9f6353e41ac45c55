//! Texts with inline XML, and lists of XML records.

use std::borrow::Cow;

use super::draft::{Draft, Mentions};
use super::query::Query;
use super::vocabulary::{Field, field};
use super::{MAX_DEPTH, MAX_NAME_BYTES, Mention};

/// Elements that are markup of the text, not mentions.
const NEUTRAL: &str = "answer output response result text p div br b i em strong u a ul ol li h1 \
                       h2 h3 table tr td th s doc document sentence paragraph root html body head \
                       code pre sub sup img hr entities extractions annotations think input";
/// Elements whose attribute has the type.
const GENERIC: &str = "entity span mark ne ner annotation mention ent e tag w namex enamex timex \
                       numex item extraction";

/// An open element.
struct Open {
    name: String,
    /// The type if the element is a mention.
    ty: Option<String>,
    /// Byte offset of the tag in the answer, and of the content.
    at: usize,
    content_at: usize,
    /// Length of the text before the content.
    start: usize,
    /// Number of mentions before the element.
    mentions: usize,
    /// Fields of a record: type and name, and where the name begins.
    record_type: Option<String>,
    record_text: Option<(String, usize)>,
}

/// Reads a text with elements.
#[derive(Default)]
struct Xml {
    text: String,
    open: Vec<Open>,
    /// Mentions whose offsets are bytes of the text.
    mentions: Mentions,
    draft: Draft,
    has_records: bool,
    is_too_deep: bool,
}

/// Reads inline XML; None if no element is a mention.
///
/// The text is the content without tags. An element is a mention unless it is HTML; its type is an
/// attribute such as `type`, or the name of the element.
pub(super) fn read(text: &str, query: &Query) -> Option<Draft> {
    let mut xml = Xml::default();
    let mut at = 0;
    while let Some(open) = memchr::memchr(b'<', &text.as_bytes()[at..]).map(|offset| at + offset) {
        xml.characters(&text[at..open]);
        at = match tag_at(text, open) {
            Some(tag) => {
                let end = tag.end;
                xml.tag(text, tag, open, query);
                end
            }
            None => {
                xml.text.push('<');
                open + 1
            }
        };
    }
    xml.characters(&text[at..]);
    for element in std::mem::take(&mut xml.open) {
        if element.ty.is_some() {
            let message = format!("<{}> is not closed and is not read", element.name);
            xml.draft.fault("unclosed", message, element.at);
        }
    }
    xml.finish()
}

/// A tag in the text.
struct Tag<'a> {
    name: &'a str,
    attributes: &'a str,
    is_end: bool,
    is_empty: bool,
    /// Byte offset after the tag.
    end: usize,
}

/// The tag at a `<`; None if this is not a tag.
fn tag_at(text: &str, at: usize) -> Option<Tag<'_>> {
    const MAX_TAG: usize = 500;
    let rest = &text[at + 1..];
    let (rest, is_end) = match rest.strip_prefix('/') {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    let window = &rest.as_bytes()[..rest.len().min(MAX_TAG)];
    let close = window.iter().position(|byte| matches!(byte, b'>' | b'<'))?;
    if window[close] == b'<' {
        return None;
    }
    let inner = &rest[..close];
    let (inner, is_empty) = match inner.strip_suffix('/') {
        Some(inner) => (inner, true),
        None => (inner, false),
    };
    let len = inner
        .find(|c: char| !c.is_alphanumeric() && !"_-.:".contains(c))
        .unwrap_or(inner.len());
    let (name, attributes) = inner.split_at(len);
    if !attributes.is_empty() && !attributes.starts_with(char::is_whitespace) {
        return None;
    }
    let is_plain = attributes.trim().is_empty();
    if !is_plain && (is_end || !attributes.contains('=')) {
        return None;
    }
    let end = text.len() - rest.len() + close + 1;
    Some(Tag {
        name,
        attributes,
        is_end,
        is_empty,
        end,
    })
}

fn is_one_of(words: &str, name: &str) -> bool {
    words
        .split_ascii_whitespace()
        .any(|word| word.eq_ignore_ascii_case(name))
}

/// The attribute that has the type.
fn type_attribute(attributes: &str) -> Option<String> {
    let mut rest = attributes;
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next()?;
        let (value, next) = match quote {
            '"' | '\'' => after[1..].split_once(quote)?,
            _ => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        let key = key.trim();
        if field(key) == Field::Type || matches!(key, "kind" | "entity" | "name" | "category") {
            return Some(decoded(value).into_owned());
        }
        rest = next;
    }
    None
}

impl Xml {
    /// Adds text, with entities decoded.
    fn characters(&mut self, text: &str) {
        self.text.push_str(&decoded(text));
    }

    fn tag(&mut self, source: &str, tag: Tag<'_>, at: usize, query: &Query) {
        if tag.is_end {
            self.close(source, &tag, at);
            return;
        }
        if tag.is_empty || tag.name.eq_ignore_ascii_case("br") {
            return;
        }
        if self.open.len() >= MAX_DEPTH {
            if !self.is_too_deep {
                let message = format!("elements nested deeper than {MAX_DEPTH} are not read");
                self.draft.fault("too_deep", message, at);
            }
            self.is_too_deep = true;
            return;
        }
        let stated = type_attribute(tag.attributes);
        let is_neutral = is_one_of(NEUTRAL, tag.name) && !query.is_type(tag.name);
        let is_generic = is_one_of(GENERIC, tag.name) && !query.is_type(tag.name);
        let is_field = matches!(field(tag.name), Field::Type | Field::Text(_));
        let ty = match stated {
            Some(ty) if is_generic || !is_neutral => Some(ty),
            _ if is_generic => query.ty().map(str::to_owned),
            _ if is_neutral || is_field && !query.is_type(tag.name) => None,
            _ => Some(tag.name.to_owned()),
        };
        self.open.push(Open {
            name: tag.name.to_owned(),
            ty,
            at,
            content_at: tag.end,
            start: self.text.len(),
            mentions: self.mentions.list.len(),
            record_type: None,
            record_text: None,
        });
    }

    fn close(&mut self, source: &str, tag: &Tag<'_>, at: usize) {
        let Some(position) = self.open.iter().rposition(|open| open.name == tag.name) else {
            if !self.is_too_deep && !is_one_of(NEUTRAL, tag.name) {
                let message = format!("</{}> closes no open element", tag.name);
                self.draft.fault("mismatched", message, at);
            }
            return;
        };
        for open in self.open.drain(position + 1..) {
            if open.ty.is_some() {
                let message = format!("<{}> is not closed and is not read", open.name);
                self.draft.fault("unclosed", message, open.at);
            }
        }
        if let Some(open) = self.open.pop() {
            self.element(source, open);
        }
    }

    /// Handles an element that ends here.
    fn element(&mut self, source: &str, open: Open) {
        let content = &self.text[open.start..];
        let trimmed = content.trim();
        let lead = content.len() - content.trim_start().len();
        let blanks = source[open.content_at..].len() - source[open.content_at..].trim_start().len();
        let name_at = open.content_at + blanks;
        if let (Some(ty), Some((text, at))) = (open.record_type, open.record_text) {
            self.mentions.list.truncate(open.mentions);
            self.has_records = true;
            let mention = Mention {
                ty: Some(ty),
                text,
                start: None,
                end: None,
                at,
            };
            self.mentions.push(mention, &mut self.draft);
        } else if let Some(ty) = open.ty {
            let start = open.start + lead;
            let end = start + trimmed.len();
            if self
                .mentions
                .exceeds(trimmed, Some(&ty), name_at, &mut self.draft)
            {
                return;
            }
            self.mentions.list.push(Mention {
                ty: Some(ty),
                text: trimmed.to_owned(),
                start: Some(start as u64),
                end: Some(end as u64),
                at: name_at,
            });
        } else if let Some(parent) = self.open.last_mut() {
            match field(&open.name) {
                _ if trimmed.len() > MAX_NAME_BYTES => {}
                Field::Type => parent.record_type = Some(trimmed.to_owned()),
                Field::Text(_) => parent.record_text = Some((trimmed.to_owned(), name_at)),
                _ => {}
            }
        }
    }

    /// Converts offsets to characters.
    fn finish(self) -> Option<Draft> {
        let Self {
            text,
            mut mentions,
            mut draft,
            has_records,
            ..
        } = self;
        if mentions.list.is_empty() && draft.faults.is_empty() {
            return None;
        }
        draft.layout = "xml";
        if mentions.list.is_empty() {
            draft.layout = "unreadable";
            draft.is_unreadable = true;
            return Some(draft);
        }
        super::marks::count_characters(&text, &mut mentions.list);
        draft.extend(mentions);
        match has_records {
            true => draft.layout = "xml-records",
            false => draft.text = Some(text),
        }
        Some(draft)
    }
}

/// The text with character references decoded.
fn decoded(text: &str) -> Cow<'_, str> {
    const NAMED: [(&str, &str); 6] = [
        ("amp", "&"),
        ("lt", "<"),
        ("gt", ">"),
        ("quot", "\""),
        ("apos", "'"),
        ("nbsp", "\u{a0}"),
    ];
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        result.push_str(before);
        let window = &after.as_bytes()[..after.len().min(12)];
        let end = window.iter().position(|byte| *byte == b';');
        let reference = end.map(|end| &after[..end]);
        let named = NAMED.iter().find(|(name, _)| Some(*name) == reference);
        let numbered = reference
            .and_then(|reference| reference.strip_prefix('#'))
            .and_then(|number| match number.strip_prefix(['x', 'X']) {
                Some(digits) => number_of(digits, 16),
                None => number_of(number, 10),
            })
            .and_then(char::from_u32);
        match (named, numbered, end) {
            (Some((_, text)), _, Some(end)) => {
                result.push_str(text);
                rest = &after[end + 1..];
            }
            (None, Some(character), Some(end)) => {
                result.push(character);
                rest = &after[end + 1..];
            }
            _ => {
                result.push('&');
                rest = after;
            }
        }
    }
    result.push_str(rest);
    Cow::Owned(result)
}

/// The number that digits write; None if there is a sign.
fn number_of(digits: &str, radix: u32) -> Option<u32> {
    let is_number = digits.chars().all(|c| c.is_digit(radix));
    is_number.then(|| u32::from_str_radix(digits, radix).ok())?
}
