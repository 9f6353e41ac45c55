//! What objects and calls mean.

use std::collections::HashSet;

use super::super::fields::{Fields, is_json};
use super::super::json::{Data, Entry, Value};
use super::super::json_strings::Text;
use super::super::tag_lines::is_tag;
use super::super::vocabulary::{is_message_part, is_message_type};
use super::tags::{Tagged, TaggedOrigin};
use super::{Interpreter, Layout, as_text};

/// Maximum number of types of one name.
const MAX_TYPES: usize = 64;

impl Interpreter<'_> {
    /// Interprets an object: an item, a wrapper, tokens with tags, or a map of types.
    pub(super) fn object(&mut self, value: &Value, entries: &[Entry], ty: Option<&str>) {
        if entries.is_empty() {
            if value.is_complete {
                self.reach(Layout::Empty);
            }
            return;
        }
        if let Some(content) = self.message_content(entries) {
            return self.value(content, ty);
        }
        let fields = Fields::of(self.source, entries, self.query);
        let has_schema_key = entries.iter().any(|entry| {
            let key = entry.key.as_ref().map(|key| key.decode(self.source));
            key.is_some_and(|key| self.query.is_type(&key))
        });
        if has_schema_key && fields.types.is_empty() {
            return self.map(value, entries, ty);
        }
        if let (Some(tokens), Some(tags)) = (fields.tokens, fields.tags)
            && self.tags(tokens, tags)
        {
            return;
        }
        if !fields.containers.is_empty() {
            return self.containers(value, entries, &fields, ty);
        }
        if fields.has_fields
            || fields.text.is_some()
            || fields.texts.is_some() && !fields.types.is_empty()
        {
            return self.item(value, &fields, ty);
        }
        self.map(value, entries, ty);
    }

    /// The part of a message or tool call that has the mentions, as in
    /// `{"name": "extract", "arguments": "{\"entities\": []}"}`.
    fn message_content<'v>(&self, entries: &'v [Entry]) -> Option<&'v Value> {
        let find = |name: &str| {
            let entry = entries.iter().find(|entry| {
                let key = entry.key.as_ref();
                key.is_some_and(|key| key.decode(self.source) == name)
            });
            entry.map(|entry| &entry.value)
        };
        let is_object = |value: &&Value| matches!(value.data, Data::Object(_));
        let is_list =
            |value: &&Value| matches!(&value.data, Data::List(items) if !items.is_empty());
        let is_string =
            |value: &&Value| as_text(value).is_some_and(|text| is_json(&text.decode(self.source)));
        let is_call = || {
            find("type")
                .and_then(as_text)
                .is_some_and(|ty| is_message_type(&ty.decode(self.source)))
        };
        ["message", "function", "function_call"]
            .into_iter()
            .find_map(|key| find(key).filter(is_object))
            .or_else(|| find("tool_calls").filter(is_list))
            .or_else(|| {
                find("name")?;
                let arguments = find("arguments").or_else(|| find("parameters"))?;
                Some(arguments).filter(|value| is_object(value) || is_string(value))
            })
            .or_else(|| find("input").filter(is_object).filter(|_| is_call()))
    }

    /// Interprets an object that contains mentions, such as `{"entities": [...]}`. The object is a
    /// mention, too, if it has a name and a type of the schema or of common schemas.
    fn containers(
        &mut self,
        value: &Value,
        entries: &[Entry],
        fields: &Fields<'_>,
        ty: Option<&str>,
    ) {
        let stated = fields.types.first().map(|text| self.decode(*text));
        let stated = stated.filter(|ty| self.query.is_type(ty) || !is_message_type(ty));
        let is_item = stated.is_some() && fields.text.is_some();
        if let (true, Some(stated)) = (is_item, &stated) {
            let is_empty =
                |value: &&Value| matches!(&value.data, Data::List(items) if items.is_empty());
            if self.query.is_usual(stated) || fields.containers.iter().all(is_empty) {
                self.item(value, fields, ty);
            } else {
                let message = "it is unknown whether this is a mention or a document with \
                               mentions; pass types=";
                self.draft.fault("ambiguous", message, value.at);
            }
        }
        let ty = stated.as_deref().filter(|_| !is_item).or(ty);
        let is_langextract = entries.iter().any(|entry| {
            let key = entry.key.as_ref();
            key.is_some_and(|key| key.decode(self.source) == "extractions")
        });
        self.keys_are_types |= is_langextract;
        let text = fields.text.filter(|_| fields.is_text && !is_item);
        let text = text.map(|text| text.decode(self.source).chars().collect());
        let outer = text.map(|text| self.echo.replace(text));
        for container in &fields.containers {
            let has_strings = matches!(
                &container.data,
                Data::List(items) if items.iter().any(|item| as_text(item).is_some())
            );
            if has_strings && !value.is_complete && ty.or(self.query.ty()).is_none() {
                self.cut_off(value.at);
                continue;
            }
            self.value(container, ty);
        }
        if let Some(outer) = outer {
            self.echo = outer;
        }
        if self.layout == Layout::Strings && ty.is_some() {
            self.reach(Layout::TypeLists);
        }
    }

    /// Interprets an object that describes a mention.
    fn item(&mut self, value: &Value, fields: &Fields<'_>, ty: Option<&str>) {
        if !value.is_complete {
            return self.cut_off(value.at);
        }
        let types: Vec<String> = fields.types.iter().map(|text| self.decode(*text)).collect();
        let no_type = ty.or(self.query.ty()).map(str::to_owned);
        let mut types: Vec<Option<String>> = match types.is_empty() {
            true => vec![no_type],
            false => types.into_iter().map(Some).collect(),
        };
        if let Some(texts) = fields.texts.filter(|_| fields.text.is_none()) {
            return self.item_of_lists(value, texts, &types);
        }
        let mut distinct = HashSet::new();
        types.retain(|ty| distinct.insert(ty.clone()));
        if types.len() > MAX_TYPES {
            let message = format!("the name has more than {MAX_TYPES} types");
            return self.draft.fault("too_many", message, value.at);
        }
        let Some(text) = fields.text else {
            if fields.start.is_some() {
                return self.sliced(types[0].as_deref(), fields.start, fields.end, value.at);
            }
            let message = "the item has no name under a known key, such as \"text\"";
            return self.draft.fault("no_name", message, value.at);
        };
        if types[0].is_none() && fields.has_others() {
            let message = "no known key has the type; use \"type\", or pass types=";
            return self.draft.fault("no_type", message, value.at);
        }
        let is_message = |ty: &String| !self.query.is_type(ty) && is_message_part(ty);
        let is_message = types[0].as_ref().is_some_and(is_message);
        if (types[0].is_none() || is_message) && self.embedded(text, None) {
            return;
        }
        if is_message {
            let message =
                "the text of this message is not a list of mentions; ask the model for JSON";
            return self.draft.fault("no_mentions", message, text.start);
        }
        self.reach(Layout::Objects);
        let name = self.decode(text);
        if let [Some(tag)] = &types[..]
            && is_tag(tag)
            && !self.query.is_type(tag)
        {
            return self.tagged.push(Tagged {
                token: name,
                tag: tag.clone(),
                at: text.start,
                start: fields.start,
                end: fields.end,
                origin: TaggedOrigin::Item,
                ends_sentence: false,
            });
        }
        for ty in types {
            self.located(ty, name.clone(), fields.start, fields.end, text.start);
        }
    }

    /// Interprets an object with several names: of one type, or with a type for each of them.
    fn item_of_lists(&mut self, value: &Value, texts: &[Value], types: &[Option<String>]) {
        self.reach(Layout::Objects);
        match types {
            [ty] => {
                for text in texts {
                    self.value(text, ty.as_deref());
                }
            }
            _ if types.len() == texts.len() => {
                for (text, ty) in texts.iter().zip(types) {
                    self.value(text, ty.as_deref());
                }
            }
            _ => {
                let message = format!(
                    "{} names and {} types; ask the model for an object for each name",
                    texts.len(),
                    types.len()
                );
                self.draft.fault("ambiguous", message, value.at);
            }
        }
    }

    /// Interprets a call such as `Person(span="Anna")`.
    pub(super) fn call(&mut self, value: &Value, name: Text, entries: &[Entry], ty: Option<&str>) {
        if !value.is_complete {
            return self.cut_off(value.at);
        }
        let class = self.decode(name);
        let is_generic = [
            "entity",
            "mention",
            "span",
            "dict",
            "namedentity",
            "extraction",
        ]
        .contains(&&*class.to_lowercase());
        let fields = Fields::of(self.source, entries, self.query);
        if is_generic && !self.query.is_type(&class) && !fields.types.is_empty() {
            self.item(value, &fields, ty);
        } else if let Some(text) = fields.text {
            let text_name = self.decode(text);
            self.located(Some(class), text_name, fields.start, fields.end, text.start);
        } else {
            match entries {
                [entry] => self.value(&entry.value, Some(&class)),
                _ => {
                    let message = "the arguments do not include one name, such as span=";
                    return self.draft.fault("no_name", message, value.at);
                }
            }
        }
        self.reach(Layout::Calls);
    }
}
