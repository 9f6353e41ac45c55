//! What JSON and Python values mean.

mod maps;
mod objects;
mod tags;

use std::collections::HashMap;

use super::Mention;
use super::draft::Draft;
use super::embedded::read_string;
use super::json::{Data, Value};
use super::json_strings::Text;
use super::orientation::{Orientation, Pair};
use super::query::Query;
use super::tag_lines::{TokenTags, is_tag};
use super::vocabulary::{can_be_type, is_common_type, is_no_name};
use tags::Tagged;

/// How completely a value describes its mentions, in increasing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layout {
    Unreadable,
    Empty,
    Strings,
    Pairs,
    TypeLists,
    Objects,
    Calls,
    Tags,
}

/// Where a pair of strings comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// An object whose keys and values are strings.
    Map,
    /// A list of two strings.
    Tuple,
}

/// Collects the mentions of values.
pub(super) struct Interpreter<'a> {
    source: &'a str,
    query: &'a Query,
    /// Number of strings that the source is in, as for the arguments of a tool call.
    depth: usize,
    pub(super) draft: Draft,
    layout: Layout,
    /// Pairs whose order is decided at the end.
    pairs: Vec<(Origin, Pair)>,
    /// Items whose types may be tags of tokens, which is decided at the end.
    tagged: Vec<Tagged>,
    /// Tokens with tags.
    rows: TokenTags,
    /// True if keys are known to be types, as in langextract's extractions.
    keys_are_types: bool,
    /// The text that the answer repeats, for mentions that have only offsets.
    echo: Option<Vec<char>>,
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(source: &'a str, query: &'a Query, depth: usize) -> Self {
        Self {
            source,
            query,
            depth,
            draft: Draft::default(),
            layout: Layout::Unreadable,
            pairs: Vec::new(),
            tagged: Vec::new(),
            rows: TokenTags::default(),
            keys_are_types: false,
            echo: None,
        }
    }

    /// Decides open pairs; returns the layout and the draft.
    pub(super) fn finish(mut self) -> (Layout, Draft) {
        let is_whole_text = self.emit_tagged();
        self.emit_pairs(Origin::Map);
        self.emit_pairs(Origin::Tuple);
        self.drop_no_names();
        let is_whole_text = is_whole_text && self.draft.mentions.list.is_empty();
        std::mem::take(&mut self.rows).finish(&mut self.draft, is_whole_text);
        let mut draft = self.draft;
        if self.layout > Layout::Empty && draft.mentions.list.is_empty() {
            self.layout = match draft.faults.is_empty() {
                true => Layout::Empty,
                false => Layout::Unreadable,
            };
        }
        draft.layout = match self.layout {
            Layout::Unreadable => "unreadable",
            Layout::Empty => "empty",
            Layout::Strings => "strings",
            Layout::Pairs => "pairs",
            Layout::TypeLists => "type-lists",
            Layout::Objects => "objects",
            Layout::Calls => "calls",
            Layout::Tags => "tags",
        };
        draft.is_unreadable = self.layout == Layout::Unreadable;
        draft.is_weak = self.layout == Layout::Strings && self.query.ty().is_none();
        (self.layout, draft)
    }

    /// Drops names such as "None" that are the only mention of their type.
    fn drop_no_names(&mut self) {
        let query = self.query;
        let is_none =
            |mention: &Mention| mention.start.is_none() && is_no_name(&mention.text, query);
        let mentions = &mut self.draft.mentions.list;
        if !mentions.iter().any(is_none) {
            return;
        }
        let mut counts: HashMap<Option<String>, usize> = HashMap::new();
        for mention in mentions.iter() {
            match counts.get_mut(&mention.ty) {
                Some(count) => *count += 1,
                None => _ = counts.insert(mention.ty.clone(), 1),
            }
        }
        mentions.retain(|mention| !(is_none(mention) && counts.get(&mention.ty) == Some(&1)));
    }

    /// Interprets JSON in a string; false if there is none.
    fn embedded(&mut self, text: Text, ty: Option<&str>) -> bool {
        let embedded = read_string(self.source, text, self.query, ty, self.depth);
        let Some((layout, mut draft)) = embedded.filter(|(layout, _)| *layout > Layout::Unreadable)
        else {
            return false;
        };
        if draft.text.take().is_some() {
            for mention in &mut draft.mentions.list {
                (mention.start, mention.end) = (None, None);
            }
        }
        self.reach(layout);
        self.draft.append(draft);
        true
    }

    fn reach(&mut self, layout: Layout) {
        self.layout = self.layout.max(layout);
    }

    fn decode(&self, text: Text) -> String {
        text.decode(self.source).into_owned()
    }

    /// Interprets a value; `ty` is the type that an enclosing value states.
    pub(super) fn value(&mut self, value: &Value, ty: Option<&str>) {
        match &value.data {
            Data::Text(text) => self.string(*text, ty),
            Data::List(items) => {
                let is_tuple = self.source[value.at..].starts_with('(');
                self.list(value, items, ty, is_tuple);
            }
            Data::Object(entries) => self.object(value, entries, ty),
            Data::Call(name, entries) => self.call(value, *name, entries, ty),
            Data::Null => self.not_a_name("null", value.at),
            Data::Number(_) => self.not_a_name("a number", value.at),
            Data::Other if value.is_complete => self.not_a_name("no string", value.at),
            Data::Other => {}
        }
    }

    fn not_a_name(&mut self, what: &str, at: usize) {
        let message = format!("expected a name, but this is {what}");
        self.draft.fault("not_a_name", message, at);
    }

    /// Interprets a string: a name, a name with its type in parentheses, or JSON.
    fn string(&mut self, text: Text, ty: Option<&str>) {
        if self.embedded(text, ty) {
            return;
        }
        let name = self.decode(text);
        if ty.is_none()
            && let Some((name, stated)) = split_parentheses(&name)
            && (self.query.is_type(stated) || self.query.has_no_types() && is_common_type(stated))
        {
            self.reach(Layout::Pairs);
            self.draft.name(Some(stated), name, text.start);
            return;
        }
        self.reach(Layout::Strings);
        let ty = ty.or(self.query.ty());
        self.draft.name(ty, &name, text.start);
    }

    /// Interprets a list: a pair if it is inside another list, or a list of mentions.
    fn list(&mut self, value: &Value, items: &[Value], ty: Option<&str>, is_inner: bool) {
        if items.is_empty() {
            if value.is_complete {
                self.reach(Layout::Empty);
            }
            return;
        }
        let strings: Vec<Text> = items.iter().filter_map(as_text).collect();
        let numbers = items
            .iter()
            .filter(|item| matches!(item.data, Data::Number(_)));
        if is_inner && !value.is_complete && !strings.is_empty() {
            return self.cut_off(value.at);
        }
        let is_flat = strings.len() + numbers.count() == items.len();
        if is_flat && ty.is_none() && (is_inner || self.is_pair_by_schema(&strings)) {
            return self.tuple(value, items, &strings);
        }
        if is_flat && ty.is_some() && is_inner && strings.len() == 1 && items.len() == 3 {
            return self.tuple_of_type(value, items, strings[0], ty);
        }
        let are_tags = strings.len() == items.len()
            && strings.iter().all(|text| is_tag(&text.decode(self.source)))
            && strings.iter().any(|text| text.end - text.start > 1);
        if are_tags {
            let message = "a list of tags without tokens; ask the model for the tokens, too";
            self.draft.fault("tags_without_tokens", message, value.at);
            return;
        }
        let is_none = |text: &Text| is_no_name(&text.decode(self.source), self.query);
        if items.len() == 1 && value.is_complete && strings.iter().any(is_none) {
            return self.reach(Layout::Empty);
        }
        let tagged = self.tagged.len();
        if strings.len() == items.len() && self.tagged_strings(&strings) {
            return;
        }
        for item in items {
            match &item.data {
                Data::List(inner) => self.list(item, inner, ty, true),
                _ => self.value(item, ty),
            }
        }
        self.end_sentence(tagged);
    }

    /// True for two strings of which the schema contains one.
    fn is_pair_by_schema(&self, strings: &[Text]) -> bool {
        match strings {
            [left, right] => {
                let (left, right) = (left.decode(self.source), right.decode(self.source));
                self.query.is_type(&left) != self.query.is_type(&right)
            }
            _ => false,
        }
    }

    /// Interprets an inner list of strings and numbers.
    fn tuple(&mut self, value: &Value, items: &[Value], strings: &[Text]) {
        if !value.is_complete {
            return self.cut_off(value.at);
        }
        let (start, end) = offsets(items);
        match strings {
            [] => self.not_a_name("a list of numbers", value.at),
            [text] if items.len() == 1 => self.string(*text, None),
            [ty] => {
                let ty = self.decode(*ty);
                self.sliced(Some(&ty), start, end, value.at);
            }
            [left, right] => {
                let pair = self.pair(*left, *right, start, end);
                self.add_pair(Origin::Tuple, pair);
            }
            [first, second, ..] => {
                let mut types = strings
                    .iter()
                    .filter(|text| self.query.is_type(&text.decode(self.source)));
                let Some(ty) = types.next().copied().filter(|_| types.next().is_none()) else {
                    let message = "more than two strings, of which none is known to be the type; \
                                   pass types=";
                    return self.draft.fault("ambiguous", message, value.at);
                };
                let name = if ty.start == first.start {
                    second
                } else {
                    first
                };
                let (ty, at) = (self.decode(ty), name.start);
                let text = self.decode(*name);
                self.reach(Layout::Pairs);
                self.located(Some(ty), text, start, end, at);
            }
        }
    }

    /// Interprets a name with offsets in a list of a type.
    fn tuple_of_type(&mut self, value: &Value, items: &[Value], text: Text, ty: Option<&str>) {
        if !value.is_complete {
            return self.cut_off(value.at);
        }
        let (start, end) = offsets(items);
        let name = self.decode(text);
        self.reach(Layout::Strings);
        self.located(ty.map(str::to_owned), name, start, end, text.start);
    }

    fn pair(&self, left: Text, right: Text, start: Option<u64>, end: Option<u64>) -> Pair {
        Pair {
            left: self.decode(left),
            right: self.decode(right),
            left_at: left.start,
            right_at: right.start,
            start,
            end,
        }
    }

    /// Reports an item without its end, unless the scanner has reported the end of the answer.
    fn cut_off(&mut self, at: usize) {
        if self.draft.repairs.contains("truncated") {
            return;
        }
        let message = "the item is not complete and is not read";
        self.draft.fault("truncated", message, at);
    }

    /// Adds a mention with the offsets that the answer states.
    fn located(
        &mut self,
        ty: Option<String>,
        text: String,
        start: Option<u64>,
        end: Option<u64>,
        at: usize,
    ) {
        self.draft.mention(Mention {
            ty,
            text,
            start,
            end,
            at,
        });
    }

    /// Adds a mention that has only offsets, if the answer repeats the text.
    fn sliced(&mut self, ty: Option<&str>, start: Option<u64>, end: Option<u64>, at: usize) {
        let text = (|| {
            let (start, end) = (usize::try_from(start?).ok()?, usize::try_from(end?).ok()?);
            Some(
                self.echo
                    .as_ref()?
                    .get(start..end)?
                    .iter()
                    .collect::<String>(),
            )
        })();
        match text {
            Some(text) => {
                self.reach(Layout::Objects);
                self.located(ty.map(str::to_owned), text, start, end, at);
            }
            None => {
                let message = "offsets without a name; ask the model for the name";
                self.draft.fault("no_name", message, at);
            }
        }
    }

    /// Decides which strings of pairs are types.
    fn emit_pairs(&mut self, origin: Origin) {
        let all = std::mem::take(&mut self.pairs);
        let (pairs, others) = all.into_iter().partition(|(from, _)| *from == origin);
        let pairs: Vec<(Origin, Pair)> = pairs;
        self.pairs = others;
        let strings = pairs.iter().map(|(_, pair)| (&*pair.left, &*pair.right));
        let orientation = Orientation::new(strings, self.query);
        let default = match origin {
            Origin::Tuple => (!orientation.has_evidence).then_some(false),
            Origin::Map => self.keys_are_types.then_some(true),
        };
        for (_, pair) in pairs {
            let is_left = match origin {
                Origin::Map if self.keys_are_types => Some(true),
                _ => orientation.is_left(&pair.left, &pair.right).or(default),
            };
            match is_left {
                Some(true) => {
                    let (start, end) = (pair.start, pair.end);
                    self.located(Some(pair.left), pair.right, start, end, pair.right_at);
                }
                Some(false) => {
                    let (start, end) = (pair.start, pair.end);
                    self.located(Some(pair.right), pair.left, start, end, pair.left_at);
                }
                None => {
                    let message = "it is unknown which of the two strings is the type; pass types=";
                    self.draft.fault("ambiguous", message, pair.left_at);
                }
            }
        }
    }
}

fn as_text(value: &Value) -> Option<Text> {
    match value.data {
        Data::Text(text) => Some(text),
        _ => None,
    }
}

/// The first two numbers among items.
fn offsets(items: &[Value]) -> (Option<u64>, Option<u64>) {
    let mut numbers = items.iter().filter_map(|item| match item.data {
        Data::Number(number) => number,
        _ => None,
    });
    let (start, end) = (numbers.next(), numbers.next());
    (start.filter(|_| end.is_some()), end)
}

/// Splits `Anna (PER)` into name and type.
fn split_parentheses(text: &str) -> Option<(&str, &str)> {
    let (name, ty) = text.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    let name = name.trim_end();
    (!name.is_empty() && can_be_type(ty)).then_some((name, ty.trim()))
}
