//! What objects and calls mean.

use super::super::fields::Fields;
use super::super::json::{Data, Entry, Value};
use super::super::json_strings::Text;
use super::super::query::folded;
use super::super::vocabulary::{Field, can_be_type, field};
use super::{Interpreter, Layout, Origin, as_text};

impl Interpreter<'_> {
    /// Interprets an object: an item, a wrapper, tokens with tags, or a map of types.
    pub(super) fn object(&mut self, value: &Value, entries: &[Entry], ty: Option<&str>) {
        if entries.is_empty() {
            if value.is_complete {
                self.reach(Layout::Empty);
            }
            return;
        }
        let fields = Fields::of(self.source, entries);
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

    /// Interprets an object that contains mentions, such as `{"entities": [...]}`.
    fn containers(
        &mut self,
        value: &Value,
        entries: &[Entry],
        fields: &Fields<'_>,
        ty: Option<&str>,
    ) {
        let stated = fields.types.first().map(|text| self.decode(*text));
        let ty = stated.as_deref().or(ty);
        let is_langextract = entries.iter().any(|entry| {
            let key = entry.key.as_ref();
            key.is_some_and(|key| key.decode(self.source) == "extractions")
        });
        self.keys_are_types |= is_langextract;
        if let Some(text) = fields.text {
            self.echo = Some(text.decode(self.source).chars().collect());
        }
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
        self.echo = None;
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
        let types: Vec<Option<String>> = match types.is_empty() {
            true => vec![no_type],
            false => types.into_iter().map(Some).collect(),
        };
        if let Some(texts) = fields.texts.filter(|_| fields.text.is_none()) {
            self.reach(Layout::Objects);
            for text in texts {
                for ty in &types {
                    self.value(text, ty.as_deref());
                }
            }
            return;
        }
        let Some(text) = fields.text else {
            if fields.start.is_some() {
                return self.sliced(types[0].as_deref(), fields.start, fields.end, value.at);
            }
            let message = "the item has no name under a known key, such as \"text\"";
            return self.draft.fault("no_name", message, value.at);
        };
        if types[0].is_none() && fields.has_others {
            let message = "no known key has the type; use \"type\", or pass types=";
            return self.draft.fault("no_type", message, value.at);
        }
        self.reach(Layout::Objects);
        let name = self.decode(text);
        for ty in types {
            self.located(ty, name.clone(), fields.start, fields.end, text.start);
        }
    }

    /// Interprets an object whose keys are types, or names.
    fn map(&mut self, value: &Value, entries: &[Entry], ty: Option<&str>) {
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
            let is_remark = field(&name) == Field::Remark && !self.query.is_type(&name);
            match &entry.value.data {
                _ if is_remark => {}
                Data::Null => self.reach(Layout::Empty),
                Data::Text(text) => self.map_entry(value, key, *text),
                Data::Object(inner) => self.map_object(&entry.value, inner, key, &name),
                Data::List(_) if !can_be_type(&name) && !self.query.is_type(&name) => {
                    let message = "the key cannot be a type, so the names have none";
                    self.draft.fault("no_type", message, key.start);
                }
                Data::List(items) => {
                    let are_types = !self.query.is_type(&name)
                        && !items.is_empty()
                        && items.iter().filter_map(as_text).count() == items.len()
                        && items
                            .iter()
                            .filter_map(as_text)
                            .all(|text| self.query.is_type(&text.decode(self.source)));
                    if are_types {
                        for item in items.iter().filter_map(as_text) {
                            let ty = self.decode(item);
                            self.draft.name(Some(&ty), &name, key.start);
                        }
                    } else {
                        self.value(&entry.value, Some(&name));
                    }
                    self.reach(Layout::TypeLists);
                }
                _ => self.value(&entry.value, Some(&name)),
            }
        }
    }

    /// Interprets an entry whose key and value are strings.
    fn map_entry(&mut self, value: &Value, key: Text, text: Text) {
        let is_sure = [key, text]
            .iter()
            .any(|text| self.query.is_type(&text.decode(self.source)));
        if !value.is_complete && !is_sure && field(&key.decode(self.source)) != Field::Unknown {
            return self.cut_off(value.at);
        }
        let pair = self.pair(key, text, None, None);
        if folded(&pair.right) == "none" || pair.right.trim().is_empty() {
            return self.reach(Layout::Empty);
        }
        self.pairs.push((Origin::Map, pair));
        self.reach(Layout::Pairs);
    }

    /// Interprets an entry whose value is an object: `{"Anna": {"type": "PER"}}`, or mentions of a
    /// type.
    fn map_object(&mut self, value: &Value, inner: &[Entry], key: Text, name: &str) {
        let fields = Fields::of(self.source, inner);
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
        let fields = Fields::of(self.source, entries);
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
