//! What objects mean whose keys are types or names.

use super::super::fields::Fields;
use super::super::json::{Data, Entry, Value};
use super::super::json_strings::Text;
use super::super::tag_lines::is_tag;
use super::super::vocabulary::{Field, can_be_type, field, is_no_name, says_none};
use super::{Interpreter, Layout, Origin, as_text};

impl Interpreter<'_> {
    /// Interprets an object whose keys are types, or names; `ty` is the type of the enclosing
    /// entry.
    pub(super) fn map(&mut self, value: &Value, entries: &[Entry], ty: Option<&str>) {
        let may_have_mentions = |entry: &Entry| match &entry.value.data {
            Data::Number(_) => false,
            Data::Other => !entry.value.is_complete,
            _ => entry
                .key
                .is_none_or(|key| !self.is_remark(&key.decode(self.source))),
        };
        if !entries.iter().any(may_have_mentions) {
            let message = "the object has no mentions; ask the model for names and their types";
            return self.draft.fault("no_mentions", message, value.at);
        }
        let tagged = self.tagged.len();
        for entry in entries {
            let Some(key) = entry.key else {
                self.value(&entry.value, ty);
                continue;
            };
            let name = self.decode(key);
            if name.ends_with("_attributes") {
                self.keys_are_types = true;
                continue;
            }
            match &entry.value.data {
                _ if self.is_remark(&name) => {}
                Data::Null => self.reach(Layout::Empty),
                Data::Text(text) => self.map_entry(value, key, *text),
                Data::Object(inner) => self.map_object(&entry.value, inner, key, &name),
                Data::List(items) => self.map_list(&entry.value, items, key, ty),
                _ => self.value(&entry.value, Some(&name)),
            }
        }
        self.end_sentence(tagged);
    }

    fn is_remark(&self, key: &str) -> bool {
        field(key) == Field::Remark && !self.query.is_type(key)
    }

    /// Interprets an entry with a list: names of the type that is the key, or types of the name
    /// that is the key.
    fn map_list(&mut self, value: &Value, items: &[Value], key: Text, ty: Option<&str>) {
        let name = self.decode(key);
        if !can_be_type(&name) && !self.query.is_type(&name) {
            let message = "the key cannot be a type, so the names have none";
            return self.draft.fault("no_type", message, key.start);
        }
        let is_type = |text: Text| self.query.is_type(&text.decode(self.source));
        let are_types = !self.query.is_type(&name)
            && !items.is_empty()
            && items.iter().all(|item| as_text(item).is_some_and(is_type));
        if are_types {
            for item in items.iter().filter_map(as_text) {
                let ty = self.decode(item);
                self.draft.name(Some(&ty), &name, key.start);
            }
            return self.reach(Layout::TypeLists);
        }
        match self.inner_type(&name, ty, items) {
            Some(ty) => {
                self.value(value, Some(&ty));
                self.reach(Layout::TypeLists);
            }
            None => {
                let message = "it is unknown whether this key or that of the enclosing object is \
                               the type; pass types=";
                self.draft.fault("ambiguous", message, key.start);
            }
        }
    }

    /// The type of a list: its key, or that of the enclosing entry; None if it is undecidable. A
    /// type of the schema, or of common schemas, counts.
    fn inner_type(&self, key: &str, outer: Option<&str>, items: &[Value]) -> Option<String> {
        let Some(outer) = outer.filter(|_| items.iter().any(|item| as_text(item).is_some())) else {
            return Some(key.to_owned());
        };
        let has_schema = !self.query.has_no_types();
        match (self.query.is_usual(outer), self.query.is_usual(key)) {
            (true, false) => Some(outer.to_owned()),
            (false, true) => Some(key.to_owned()),
            (true, true) if has_schema => Some(key.to_owned()),
            _ => None,
        }
    }

    /// Interprets an entry whose key and value are strings.
    fn map_entry(&mut self, value: &Value, key: Text, text: Text) {
        let name = self.decode(key);
        let is_sure = [key, text]
            .iter()
            .any(|text| self.query.is_type(&text.decode(self.source)));
        if !value.is_complete && !is_sure && field(&name) != Field::Unknown {
            return self.cut_off(value.at);
        }
        let is_container = field(&name) == Field::Container;
        let ty = Some(&*name).filter(|name| can_be_type(name) && !is_container);
        if self.embedded(text, ty) {
            if ty.is_some() {
                self.reach(Layout::TypeLists);
            }
            return;
        }
        let pair = self.pair(key, text, None, None);
        if is_no_name(&pair.right, self.query) {
            return self.reach(Layout::Empty);
        }
        if is_container && !is_sure && !is_tag(&pair.right) {
            if says_none(&pair.right, self.query) {
                return self.reach(Layout::Empty);
            }
            let message = "the string is not a list of mentions; ask the model for JSON";
            return self.draft.fault("no_mentions", message, text.start);
        }
        self.add_pair(Origin::Map, pair);
    }

    /// Interprets an entry whose value is an object: `{"Anna": {"type": "PER"}}`, or mentions of a
    /// type.
    fn map_object(&mut self, value: &Value, inner: &[Entry], key: Text, name: &str) {
        let fields = Fields::of(self.source, inner, self.query);
        let is_described = !fields.types.is_empty()
            && fields.text.is_none()
            && fields.texts.is_none()
            && fields.containers.is_empty();
        if !is_described {
            return self.value(value, Some(name));
        }
        if !value.is_complete {
            return self.cut_off(value.at);
        }
        self.reach(Layout::Objects);
        let ty = self.decode(fields.types[0]);
        self.located(
            Some(ty),
            name.to_owned(),
            fields.start,
            fields.end,
            key.start,
        );
    }
}
