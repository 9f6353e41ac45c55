//! Lines about annotations: attributes, normalisations and notes.

use std::borrow::Cow;

use super::{AttributeLine, Line, NOTE, QUOTE, REFERENCE, Walk};
use crate::document::json::excerpt;
use crate::error::Result;

/// Advice on the syntax of attributes.
const ATTRIBUTE: &str = "write A1<tab>NAME T1, or A1<tab>NAME T1 VALUE";

impl<'a> Walk<'a> {
    /// Reads an attribute: id, name, target, and optionally a value.
    ///
    /// | line | attribute |
    /// |---|---|
    /// | `A1<tab>Negation T1` | `Negation` of T1 is true |
    /// | `M1<tab>Confidence T1 rather high` | `Confidence` of T1 is `rather high` |
    /// | `A2<tab>Negation E1` | `Negation` of the trigger of E1 is true |
    /// | `A2<tab>Negation R1` | left out with a report |
    /// | `A3<tab>Negation` | rejected: no target |
    pub(super) fn attribute(&mut self, line: &Line<'a>) -> Result<()> {
        let end = &line.text[line.text.len()..];
        let Some((id, body)) = line.text.split_once('\t') else {
            let message = format!("a tab and the name are missing; {ATTRIBUTE}");
            return Err(self.error(line, end, &message));
        };
        let Some((name, about)) = body.trim().split_once(char::is_whitespace) else {
            let message = format!("the name or the target is missing; {ATTRIBUTE}");
            return Err(self.error(line, body, &message));
        };
        let about = about.trim_start();
        let (target, value) = about
            .split_once(char::is_whitespace)
            .map_or((about, None), |(target, value)| {
                (target, Some(value.trim()))
            });
        self.describe(id, target, Cow::Borrowed(name), value.map(Cow::Borrowed));
        Ok(())
    }

    /// Reads a normalisation: id, type and target, an entry of a database, and the name of the
    /// entry. The prefixes `Annotation:` and `Referent:` of the BioNLP shared task of 2013 are
    /// skipped.
    pub(super) fn normalisation(&mut self, line: &Line<'a>) {
        let mut fields = line.text.splitn(3, '\t');
        let id = fields.next().unwrap_or_default();
        let mut parts = fields.next().unwrap_or_default().split_whitespace();
        let text = fields.next().unwrap_or_default().trim();
        let [ty, target, entry] = std::array::from_fn(|_| parts.next().unwrap_or_default());
        let target = target.strip_prefix("Annotation:").unwrap_or(target);
        let entry = entry.strip_prefix("Referent:").unwrap_or(entry);
        if entry.is_empty() || parts.next().is_some() {
            self.document.leave_out(|| {
                let id = excerpt(id, QUOTE);
                format!("{id} is malformed; write N1<tab>{REFERENCE} T1 DATABASE:ID<tab>TEXT")
            });
            return;
        }
        let value = match text {
            "" => Cow::Borrowed(entry),
            text => Cow::Owned(format!("{entry} {text}")),
        };
        self.describe(id, target, Cow::Borrowed(ty), Some(value));
    }

    /// Reads a note: id, type and target, and the text. A line without a tab is a comment.
    pub(super) fn note(&mut self, line: &Line<'a>) {
        let mut fields = line.text.splitn(3, '\t');
        let (id, Some(body)) = (fields.next().unwrap_or_default(), fields.next()) else {
            return;
        };
        let text = fields.next().unwrap_or_default();
        let mut parts = body.split_whitespace();
        let (Some(ty), Some(target), None) = (parts.next(), parts.next(), parts.next()) else {
            self.document.leave_out(|| {
                let id = excerpt(id, QUOTE);
                format!("{id} is malformed; write #1<tab>{} T1<tab>TEXT", NOTE.1)
            });
            return;
        };
        let name = match ty == NOTE.1 {
            true => Cow::Borrowed(NOTE.0),
            false => Cow::Owned(format!("#{ty}")),
        };
        self.describe(id, target, name, Some(Cow::Borrowed(text)));
    }

    /// Adds an attribute, a normalisation or a note, unless it is not about an annotation.
    fn describe(
        &mut self,
        id: &'a str,
        target: &'a str,
        name: Cow<'a, str>,
        value: Option<Cow<'a, str>>,
    ) {
        if target.starts_with(['T', 'E']) {
            let line = AttributeLine {
                id,
                target,
                name,
                value,
            };
            self.attributes.push(line);
            return;
        }
        let why = || {
            let [id, name, target] = [id, &*name, target].map(|part| excerpt(part, QUOTE));
            format!("{id} ({name}) is about {target}, which is not an annotation")
        };
        match target.starts_with(['R', '*']) {
            true => self.document.leave_out_relation(why),
            false => self.document.leave_out(why),
        }
    }
}
