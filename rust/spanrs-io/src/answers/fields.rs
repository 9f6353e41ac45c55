//! The fields of an object that describes a mention.

use super::json::{Data, Entry, Value};
use super::json_strings::Text;
use super::query::Query;
use super::vocabulary::{Field, field, is_text_key};

/// The fields of an object by their meaning. Of repeated keys the first counts.
#[derive(Default)]
pub(super) struct Fields<'v> {
    /// Several types if the value is a list.
    pub(super) types: Vec<Text>,
    pub(super) text: Option<Text>,
    /// Several names of one type.
    pub(super) texts: Option<&'v [Value]>,
    pub(super) start: Option<u64>,
    pub(super) end: Option<u64>,
    /// Values that contain mentions.
    pub(super) containers: Vec<&'v Value>,
    pub(super) tokens: Option<&'v Value>,
    /// A list of strings or of lists that may be tags of the tokens.
    pub(super) tags: Option<&'v Value>,
    /// True if a scalar field of a mention is present.
    pub(super) has_fields: bool,
    /// True if the name is under the key `text`, so that it may be the text of a document.
    pub(super) is_text: bool,
    entity: Option<Text>,
    rank: Option<u8>,
    /// The strings under keys of names, with their ranks, and under unknown keys.
    names: Vec<(u8, Text)>,
    others: Vec<Text>,
}

impl<'v> Fields<'v> {
    pub(super) fn of(source: &str, entries: &'v [Entry], query: &Query) -> Self {
        let mut fields = Self::default();
        for Entry { key, value } in entries {
            let Some(key) = key else { continue };
            let key = key.decode(source);
            fields.add(source, &key, value);
        }
        fields.assign_entity();
        if fields.types.is_empty() {
            fields.find_type(source, query);
        }
        fields
    }

    fn add(&mut self, source: &str, key: &str, value: &'v Value) {
        match (field(key), &value.data) {
            (Field::Type, Data::Text(text)) => {
                if self.types.is_empty() {
                    self.types.push(*text);
                }
                self.has_fields = true;
            }
            (Field::Type, Data::List(items)) => {
                self.tags.get_or_insert(value);
                let texts = items.iter().map(|item| match &item.data {
                    Data::Text(text) => Some(*text),
                    _ => None,
                });
                let texts: Option<Vec<Text>> = texts.collect();
                if let Some(texts) = texts
                    && self.types.is_empty()
                {
                    self.types = texts;
                }
            }
            (Field::Entity, Data::Text(text)) => {
                self.entity.get_or_insert(*text);
                self.has_fields = true;
            }
            (Field::Text(rank), Data::Text(text)) => {
                if self.rank.is_none_or(|best| rank < best) {
                    self.text = Some(*text);
                    self.rank = Some(rank);
                    self.is_text = is_text_key(key);
                }
                self.names.push((rank, *text));
                self.has_fields = true;
            }
            (Field::Text(_), Data::List(items)) => match offsets(items) {
                Some((start, end)) => (self.start, self.end) = (Some(start), Some(end)),
                None => self.texts = Some(items),
            },
            (Field::Start, Data::Number(number)) => self.start = *number,
            (Field::End, Data::Number(number)) => self.end = *number,
            (Field::Offsets, data) => self.add_offsets(data),
            (Field::Container, Data::List(items))
                if items.len() == 2 && offsets(items).is_some() =>
            {
                self.add_offsets(&value.data);
            }
            (Field::Container | Field::Entity, Data::List(_) | Data::Object(_)) => {
                self.containers.push(value);
                if matches!(value.data, Data::List(_)) {
                    self.tags.get_or_insert(value);
                }
            }
            (Field::Container, Data::Text(text)) if is_json(&text.decode(source)) => {
                self.containers.push(value);
            }
            (Field::Tokens, Data::List(_)) => self.tokens = Some(value),
            (Field::Unknown, Data::Text(text)) => self.others.push(*text),
            (Field::Start | Field::End, _) => self.has_fields = true,
            _ => {}
        }
    }

    /// Adds offsets in one value: a list, a list of lists, or an object with start and end.
    fn add_offsets(&mut self, data: &Data) {
        match data {
            Data::List(items) => {
                let inner = match items.first().map(|item| &item.data) {
                    Some(Data::List(inner)) => inner,
                    _ => items,
                };
                if let Some((start, end)) = offsets(inner) {
                    (self.start, self.end) = (Some(start), Some(end));
                }
            }
            Data::Object(entries) => {
                for Entry { value, .. } in entries {
                    if let Data::Number(number) = value.data {
                        match self.start {
                            None => self.start = number,
                            Some(_) => self.end = number,
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// True if unknown keys have strings.
    pub(super) fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// Finds the type under another key: the only string that is a type of the schema, or of common
    /// schemas if the schema is unknown and the key is one of names.
    fn find_type(&mut self, source: &str, query: &Query) {
        let is_type = |text: &Text| query.is_usual(&text.decode(source));
        let names = self.names.iter().map(|(_, text)| *text);
        let others = self.others.iter().copied();
        let others = others.filter(|_| !query.has_no_types());
        let mut types = names.chain(others).filter(is_type);
        let (Some(ty), None) = (types.next(), types.next()) else {
            return;
        };
        let names = self.names.iter().filter(|(_, text)| text.start != ty.start);
        if let Some((_, text)) = names.min_by_key(|(rank, _)| *rank) {
            self.text = Some(*text);
            self.types.push(ty);
        }
    }

    /// `entity` is the name if there is a type, and otherwise the type.
    fn assign_entity(&mut self) {
        let Some(entity) = self.entity else { return };
        match (self.types.is_empty(), self.text) {
            (false, None) => self.text = Some(entity),
            (true, Some(_)) => self.types.push(entity),
            (true, None) => self.text = Some(entity),
            (false, Some(_)) => {}
        }
    }
}

/// A list of exactly two numbers.
fn offsets(items: &[Value]) -> Option<(u64, u64)> {
    match items {
        [
            Value {
                data: Data::Number(Some(start)),
                ..
            },
            Value {
                data: Data::Number(Some(end)),
                ..
            },
        ] => Some((*start, *end)),
        _ => None,
    }
}

/// True for a string that contains a list or an object of JSON, such as the arguments of a tool.
pub(super) fn is_json(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('[') && text.ends_with(']') || text.starts_with('{') && text.ends_with('}')
}
