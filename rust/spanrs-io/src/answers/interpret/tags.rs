//! Tokens with tags in JSON: lists of tokens and of tags, and items whose types are tags.

use std::collections::HashSet;

use super::super::Mention;
use super::super::json::{Data, Value};
use super::super::json_strings::Text;
use super::super::orientation::Pair;
use super::super::tag_lines::{continues, is_tag, token_and_tag};
use super::super::vocabulary::is_common_type;
use super::{Interpreter, Layout, Origin, as_text, offsets};

/// An item whose type may be the tag of a token.
pub(super) struct Tagged {
    pub(super) token: String,
    pub(super) tag: String,
    pub(super) at: usize,
    pub(super) start: Option<u64>,
    pub(super) end: Option<u64>,
    /// What the item is if the tags belong to no scheme.
    pub(super) origin: TaggedOrigin,
    /// True for the last token of a list.
    pub(super) ends_sentence: bool,
}

/// What an item with a tag is if its tag belongs to no scheme.
pub(super) enum TaggedOrigin {
    /// A mention whose type is the tag.
    Item,
    /// A name, which includes the tag, with the type of the list.
    Name(String),
    /// A pair; the tag is the left string if `tag_is_left`.
    Pair {
        origin: Origin,
        pair: Pair,
        tag_is_left: bool,
    },
}

impl Interpreter<'_> {
    /// Interprets lists of tokens and tags; false if they are no such lists.
    pub(super) fn tags(&mut self, tokens: &Value, tags: &Value) -> bool {
        let (Some(tokens), Data::List(items)) = (self.strings(tokens), &tags.data) else {
            return false;
        };
        if let Some(tags) = self.strings(tags) {
            if tags.len() != tokens.len() || !tags.iter().all(|(tag, _)| is_tag(tag)) {
                return false;
            }
            for ((token, at), (tag, _)) in tokens.iter().zip(&tags) {
                self.rows.push(token, tag, *at, &mut self.draft);
            }
            self.rows.end_sentence();
            self.reach(Layout::Tags);
            return true;
        }
        for item in items {
            let Data::List(parts) = &item.data else {
                return false;
            };
            let (start, end) = offsets(parts);
            let types: Vec<Text> = parts.iter().filter_map(as_text).collect();
            let ([ty], Some(start), Some(last)) = (&types[..], start, end) else {
                return false;
            };
            let words = usize::try_from(start).ok().zip(usize::try_from(last).ok());
            // GLiNER's training data: the last token is included.
            let words = words.and_then(|(start, last)| tokens.get(start..last.checked_add(1)?));
            match words {
                Some(words @ [(_, at), ..]) => {
                    let words: Vec<&str> = words.iter().map(|(word, _)| &**word).collect();
                    let ty = self.decode(*ty);
                    self.draft.name(Some(&ty), &words.join(" "), *at);
                }
                _ => self
                    .draft
                    .fault("outside", "there are no such tokens", item.at),
            }
        }
        self.reach(Layout::Tags);
        true
    }

    /// The strings of a list, with their positions; None if it has other items.
    fn strings(&self, value: &Value) -> Option<Vec<(String, usize)>> {
        let Data::List(items) = &value.data else {
            return None;
        };
        let texts = items.iter().map(as_text);
        texts
            .map(|text| text.map(|text| (self.decode(text), text.start)))
            .collect()
    }

    /// Adds a pair, which may be a token and its tag.
    pub(super) fn add_pair(&mut self, origin: Origin, pair: Pair) {
        let query = self.query;
        let is_tag = |text: &str| is_tag(text) && !query.is_type(text);
        self.reach(Layout::Pairs);
        let tag_is_left = match (is_tag(&pair.left), is_tag(&pair.right)) {
            (_, true) if !query.is_usual(&pair.left) => false,
            (true, false) if !query.is_usual(&pair.right) => true,
            _ => return self.pairs.push((origin, pair)),
        };
        let (token, tag, at) = match tag_is_left {
            true => (&pair.right, &pair.left, pair.right_at),
            false => (&pair.left, &pair.right, pair.left_at),
        };
        self.tagged.push(Tagged {
            token: token.clone(),
            tag: tag.clone(),
            at,
            start: pair.start,
            end: pair.end,
            origin: TaggedOrigin::Pair {
                origin,
                pair,
                tag_is_left,
            },
            ends_sentence: false,
        });
    }

    /// Adds strings such as `Anna/B-PER`; false unless all strings have this form.
    pub(super) fn tagged_strings(&mut self, strings: &[Text]) -> bool {
        let first = self.tagged.len();
        for text in strings {
            let name = self.decode(*text);
            let Some((token, tag)) = token_and_tag(&name) else {
                self.tagged.truncate(first);
                return false;
            };
            self.tagged.push(Tagged {
                token: token.to_owned(),
                tag: tag.to_owned(),
                at: text.start,
                start: None,
                end: None,
                origin: TaggedOrigin::Name(name),
                ends_sentence: false,
            });
        }
        self.end_sentence(first);
        true
    }

    /// Ends a sentence if there are tokens from an index on.
    pub(super) fn end_sentence(&mut self, first: usize) {
        if let Some(last) = self.tagged.get_mut(first..).and_then(<[_]>::last_mut) {
            last.ends_sentence = true;
        }
    }

    /// Reads the items whose types may be tags; returns whether all tokens of the text are known.
    pub(super) fn emit_tagged(&mut self) -> bool {
        let tagged = std::mem::take(&mut self.tagged);
        if tagged.is_empty() {
            return true;
        }
        if !self.has_scheme(&tagged) {
            self.emit_untagged(tagged);
            return true;
        }
        self.reach(Layout::Tags);
        if tagged
            .iter()
            .all(|item| item.start.is_some() && item.end.is_some())
        {
            self.emit_located(tagged);
            return false;
        }
        let has_outside = tagged.iter().any(|item| item.tag == "O");
        let is_whole = has_outside && self.rows.is_empty();
        for item in tagged {
            self.rows
                .push(&item.token, &item.tag, item.at, &mut self.draft);
            if item.ends_sentence {
                self.rows.end_sentence();
            }
        }
        is_whole
    }

    /// True if tags belong to a scheme, unlike the types `E-mail` and `B-cell`: there is an outside
    /// tag, or a type with tags of its begin and its inside, or all types are known or in capitals.
    fn has_scheme(&self, tagged: &[Tagged]) -> bool {
        let tags = tagged.iter().filter_map(|item| item.tag.split_once('-'));
        let of = |wanted: &'static str| {
            let tags = tags.clone().filter(move |(prefix, _)| *prefix == wanted);
            tags.map(|(_, ty)| ty).collect::<HashSet<&str>>()
        };
        if tagged.iter().any(|item| item.tag == "O") || !of("B").is_disjoint(&of("I")) {
            return true;
        }
        tagged.iter().all(|item| {
            let (prefix, ty) = item.tag.split_once('-').unwrap_or_default();
            let is_left = matches!(
                item.origin,
                TaggedOrigin::Pair {
                    tag_is_left: true,
                    ..
                }
            );
            let is_capitals =
                ty.chars().any(char::is_alphabetic) && !ty.chars().any(char::is_lowercase);
            self.query.is_type(ty)
                || is_common_type(ty)
                || is_capitals && !is_left && matches!(prefix, "B" | "I")
        })
    }

    /// Adds mentions whose types only look like tags.
    fn emit_untagged(&mut self, tagged: Vec<Tagged>) {
        for item in tagged {
            let (start, end) = (item.start, item.end);
            match item.origin {
                TaggedOrigin::Item => {
                    self.reach(Layout::Objects);
                    self.located(Some(item.tag), item.token, start, end, item.at);
                }
                TaggedOrigin::Name(name) => {
                    self.reach(Layout::Strings);
                    let ty = self.query.ty().map(str::to_owned);
                    self.located(ty, name, start, end, item.at);
                }
                TaggedOrigin::Pair { origin, pair, .. } => self.pairs.push((origin, pair)),
            }
        }
    }

    /// Joins tokens with stated offsets, as in the output of transformers, which omits tokens
    /// without an entity: tokens belong together if at most one character separates them.
    fn emit_located(&mut self, tagged: Vec<Tagged>) {
        let mut last: Option<Mention> = None;
        let mut is_open = false;
        for item in tagged {
            let Some((prefix, ty)) = item.tag.split_once('-') else {
                is_open = false;
                continue;
            };
            let piece = item.token.strip_prefix("##").unwrap_or(&item.token);
            let piece = piece.trim_start_matches(['▁', 'Ġ']);
            let gap = last
                .as_ref()
                .and_then(|last| item.start?.checked_sub(last.end?));
            match (&mut last, gap) {
                (Some(mention), Some(gap @ (0 | 1)))
                    if is_open && continues(prefix) && mention.ty.as_deref() == Some(ty) =>
                {
                    mention.text.push_str(if gap == 1 { " " } else { "" });
                    mention.text.push_str(piece);
                    mention.end = item.end;
                }
                _ => {
                    let mention = Mention {
                        ty: Some(ty.to_owned()),
                        text: piece.to_owned(),
                        start: item.start,
                        end: item.end,
                        at: item.at,
                    };
                    if let Some(mention) = last.replace(mention) {
                        self.draft.mention(mention);
                    }
                }
            }
            is_open = !super::super::tag_lines::ends_span(prefix) && !item.ends_sentence;
        }
        if let Some(mention) = last {
            self.draft.mention(mention);
        }
    }
}
