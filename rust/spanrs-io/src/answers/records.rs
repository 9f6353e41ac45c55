//! Lines of keys and values: `type: PER` and `text: Anna`, also with YAML's bullets.

use super::Mention;
use super::draft::Draft;
use super::pieces::{COLONS, COMMAS, Piece, bare, content_of, is_introduction, pieces};
use super::query::Query;
use super::vocabulary::{Field, field, is_no_name};

/// The values of a record so far.
#[derive(Default)]
struct Record<'a> {
    values: Vec<(Field, Piece<'a>)>,
}

/// Reads records; None if there are none.
///
/// Every line must have usual keys of types, names, offsets and remarks, except for a first line
/// that ends with a colon. A record ends before a bullet, a blank line, or a repeated key.
pub(super) fn read(text: &str, query: &Query) -> Option<Draft> {
    let mut draft = Draft::new("records");
    let mut record = Record::default();
    let mut count = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (content, offset, is_bullet) = content_of(line);
        let start = at + offset;
        at += line.len();
        if is_bullet || content.is_empty() {
            count += usize::from(record.finish(&mut draft, query));
        }
        if content.is_empty() {
            continue;
        }
        let Some(values) = values_of(content, start, query) else {
            if count == 0 && record.values.is_empty() && is_introduction(content) {
                draft.repair("prose");
                continue;
            }
            return None;
        };
        for (field, value) in values {
            if record.values.iter().any(|(previous, _)| *previous == field) {
                count += usize::from(record.finish(&mut draft, query));
            }
            record.values.push((field, value));
        }
    }
    count += usize::from(record.finish(&mut draft, query));
    if draft.repairs.contains("prose") && is_yaml_key(text) {
        draft.repairs.remove("prose");
    }
    (count > 0).then_some(draft)
}

/// True if the first line is the key of a YAML list, such as `entities:`.
fn is_yaml_key(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    let key = first.trim_end().trim_end_matches(COLONS);
    field(key) == Field::Container
}

/// The values of a line; None unless all its keys are known.
fn values_of<'a>(line: &'a str, start: usize, query: &Query) -> Option<Vec<(Field, Piece<'a>)>> {
    let mut values: Vec<(Field, Piece<'a>)> = Vec::new();
    let mut from = 0;
    let parts = pieces(line, COMMAS);
    for (index, (part, part_at)) in parts.iter().enumerate() {
        let next = parts.get(index + 1);
        let next_has_key = next.is_some_and(|(next, _)| key_of(next, query).is_some());
        if next.is_some() && !next_has_key {
            continue;
        }
        let (field, value_at) = key_of(&line[from..], query)?;
        let value_at = from + value_at;
        let (value, offset) = bare(line.get(value_at..part_at + part.len())?);
        if !value.is_empty() {
            values.push((field, (value, start + value_at + offset)));
        }
        from = next.map_or(line.len(), |next| next.1);
    }
    Some(values)
}

/// The meaning of the key at the start of a text, and the offset after its colon.
fn key_of(text: &str, query: &Query) -> Option<(Field, usize)> {
    let (at, colon) = text
        .char_indices()
        .take(60)
        .find(|(_, c)| COLONS.contains(c))?;
    let (key, _) = bare(&text[..at]);
    let is_key = !query.is_type(key)
        && matches!(
            field(key),
            Field::Type
                | Field::Text(_)
                | Field::Entity
                | Field::Start
                | Field::End
                | Field::Remark
        );
    is_key.then(|| (field(key), at + colon.len_utf8()))
}

impl Record<'_> {
    /// Adds the mention of the record, which becomes empty; returns whether there is one.
    fn finish(&mut self, draft: &mut Draft, query: &Query) -> bool {
        let values = std::mem::take(&mut self.values);
        let has_mention =
            |field: &Field| matches!(field, Field::Type | Field::Text(_) | Field::Entity);
        let Some((_, first)) = values.iter().find(|(field, _)| has_mention(field)) else {
            return false;
        };
        let get = |wanted: Field| values.iter().find(|(field, _)| *field == wanted);
        let mut names: Vec<(u8, Piece<'_>)> = values
            .iter()
            .filter_map(|(field, value)| match field {
                Field::Text(rank) => Some((*rank, *value)),
                _ => None,
            })
            .collect();
        names.sort_by_key(|(rank, _)| *rank);
        let entity = get(Field::Entity).map(|(_, value)| *value);
        let mut ty = get(Field::Type).map(|(_, value)| value.0);
        if ty.is_none() && names.len() > 1 {
            // `name: PER` and `text: Anna`
            let position = names.iter().position(|(_, (name, _))| query.is_usual(name));
            ty = position.map(|position| names.remove(position).1.0);
        }
        let name = match (names.first(), ty) {
            (Some((_, name)), _) => {
                ty = ty.or(entity.map(|entity| entity.0));
                Some(*name)
            }
            (None, Some(_)) => entity,
            (None, None) => None,
        };
        let (Some((name, at)), Some(ty)) = (name, ty.or(query.ty())) else {
            let message = "the record needs a type and a name, as in \"type: PER, text: Anna\"";
            draft.fault("not_a_row", message, first.1);
            return false;
        };
        if is_no_name(name, query) {
            return true;
        }
        if name.starts_with(['[', '{']) {
            let message = "expected a name, but this is a list or an object";
            draft.fault("not_a_name", message, at);
            return true;
        }
        let number = |wanted: Field| get(wanted).and_then(|(_, value)| value.0.parse().ok());
        draft.mention(Mention {
            ty: Some(ty.to_owned()),
            text: name.to_owned(),
            start: number(Field::Start),
            end: number(Field::End),
            at,
        });
        true
    }
}
