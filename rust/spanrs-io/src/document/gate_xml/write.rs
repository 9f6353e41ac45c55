//! Writing of GATE's XML, as GATE writes it.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::super::annotated_text::{Answer, Document, TOKEN};
use super::super::losses::Losses;
use super::super::write::WriteFormat;
use super::super::xml_stream::escape;
use super::sets::{name_of, source_of};
use super::{GATE_TOKEN, ID, SOURCE, STRING, WRAPPER, xstream};

/// Writes GATE's XML.
pub(in crate::document) struct Writer;

impl WriteFormat for Writer {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        let mut xml = Xml { out, replaced: 0 };
        xml.raw("<?xml version='1.0' encoding='UTF-8'?>\n<GateDocument version=\"3\">\n");
        xml.raw("<!-- The document's features-->\n\n<GateDocumentFeatures>\n");
        document_features(&mut xml, document);
        xml.raw("</GateDocumentFeatures>\n");
        xml.raw("<!-- The document content area with serialized nodes -->\n\n<TextWithNodes>");
        let nodes = nodes(&mut xml, document);
        xml.raw("</TextWithNodes>\n");
        let (sets, set_of) = sets(document, losses);
        let ids = annotations(&mut xml, document, &nodes, (&sets, &set_of));
        relations(&mut xml, document, &ids, (&sets, &set_of));
        xml.raw("</GateDocument>\n");
        let tokens = document.annotations.iter();
        let tokens = tokens.filter(|annotation| document.type_of(annotation) == GATE_TOKEN);
        losses.add(
            "annotations of type Token, which are read as tokens",
            tokens.count(),
        );
        losses.add(
            "characters that XML does not allow, replaced by spaces",
            xml.replaced,
        );
        Ok(())
    }
}

/// Appends XML.
struct Xml<'a> {
    out: &'a mut Vec<u8>,
    /// Number of characters that XML does not allow.
    replaced: usize,
}

impl Xml<'_> {
    /// Appends markup.
    fn raw(&mut self, markup: &str) {
        self.out.extend_from_slice(markup.as_bytes());
    }

    /// Appends text.
    fn text(&mut self, text: &str) {
        self.replaced += escape(text, false, self.out);
    }

    /// Appends an attribute.
    fn attribute(&mut self, name: &str, value: &str) {
        self.raw(" ");
        self.raw(name);
        self.raw("=\"");
        self.replaced += escape(value, true, self.out);
        self.raw("\"");
    }

    /// Appends a feature.
    fn feature(&mut self, name: &str, value: &Value) {
        self.raw("<Feature>\n  <Name className=\"java.lang.String\">");
        self.text(name);
        self.raw("</Name>\n  <Value className=\"");
        let class = match value {
            Value::String(_) => STRING,
            Value::Bool(_) => "java.lang.Boolean",
            Value::Number(number) if number.is_f64() => "java.lang.Double",
            Value::Number(number) if number.is_u64() && !number.is_i64() => "java.math.BigInteger",
            Value::Number(number) => match number.as_i64().map(i32::try_from) {
                Some(Ok(_)) => "java.lang.Integer",
                _ => "java.lang.Long",
            },
            Value::Null | Value::Array(_) | Value::Object(_) => WRAPPER,
        };
        self.raw(class);
        self.raw("\">");
        match value {
            Value::String(text) => self.text(text),
            Value::Null | Value::Array(_) | Value::Object(_) => {
                let (wrapped, replaced) = xstream::wrap(value);
                self.replaced += replaced;
                self.text(&String::from_utf8_lossy(&wrapped));
            }
            other => self.raw(&other.to_string()),
        }
        self.raw("</Value>\n</Feature>\n");
    }
}

/// Appends the features of the document: id, name and metadata. Metadata that are read as id or
/// name precede other metadata, so that the file does not change when it is written again.
fn document_features(xml: &mut Xml<'_>, document: &Document) {
    let all = || document.metadata.iter().enumerate();
    let mut moved = [None; 2];
    let is_id =
        |name: &str, value: &Value| name == ID && value.as_str().is_some_and(|id| !id.is_empty());
    match &document.id {
        Some(id) => xml.feature(ID, &Value::String(id.clone())),
        None => {
            if let Some((at, (_, id))) = all().find(|(_, (name, value))| is_id(name, value)) {
                moved[0] = Some(at);
                xml.feature(ID, id);
            }
        }
    }
    // The first source with a name is read as the name.
    let named = all().find_map(|(at, (name, value))| {
        let source = value.as_str().filter(|_| name == SOURCE)?;
        Some((at, source, name_of(source)?))
    });
    match (&document.name, named) {
        (Some(name), None) => xml.feature(SOURCE, &Value::String(source_of(name))),
        (Some(name), Some((_, _, other))) if *name != other => {
            xml.feature(SOURCE, &Value::String(source_of(name)));
        }
        (_, Some((at, source, name))) if source == source_of(&name) => {
            moved[1] = Some(at);
            xml.feature(SOURCE, &Value::String(source_of(&name)));
        }
        _ => {}
    }
    for (_, (name, value)) in all().filter(|(at, _)| !moved.contains(&Some(*at))) {
        xml.feature(name, value);
    }
}

/// Appends the text with its nodes, and returns the ids of the nodes by offset: offsets in UTF-16
/// code units, as in GATE.
fn nodes(xml: &mut Xml<'_>, document: &Document) -> HashMap<u32, u32> {
    let bounds = document.annotations.iter().flat_map(|a| [a.start, a.end]);
    let bounds: BTreeSet<u32> = bounds.collect();
    let mut nodes = HashMap::with_capacity(bounds.len());
    let mut rest = document.text.as_str();
    let (mut at, mut units) = (0, 0_u32);
    for bound in bounds {
        let length = (bound - at) as usize;
        let end = rest
            .char_indices()
            .nth(length)
            .map_or(rest.len(), |(byte, _)| byte);
        let (part, behind) = rest.split_at(end);
        xml.text(part);
        units += part.encode_utf16().count() as u32;
        (rest, at) = (behind, bound);
        xml.raw(&format!("<Node id=\"{units}\"/>"));
        nodes.insert(bound, units);
    }
    xml.text(rest);
    nodes
}

/// Returns the names of the annotation sets, of which the first is the default set, and the set of
/// each layer.
fn sets<'a>(document: &'a Document, losses: &mut Losses) -> (Vec<Option<&'a str>>, Vec<usize>) {
    let mut sets = vec![None];
    let mut set_of = Vec::with_capacity(document.layers.len());
    let mut names = HashSet::new();
    for layer in &document.layers {
        let name = layer.name.as_deref().filter(|name| !name.is_empty());
        if !names.insert(name) {
            losses.add(
                "annotators with the same name as another of the document",
                1,
            );
        }
        if name.is_none() && layer.answer == Answer::Empty {
            losses.add(
                "annotators without a name who found nothing in a document",
                1,
            );
        }
        let at = sets.iter().position(|set| *set == name);
        set_of.push(at.unwrap_or(sets.len()));
        if at.is_none() {
            sets.push(name);
        }
    }
    (sets, set_of)
}

/// The names of annotation sets, and the set of each layer.
type Sets<'a> = (&'a [Option<&'a str>], &'a [usize]);

/// Appends the annotation sets, and returns the ids of the annotations.
fn annotations(
    xml: &mut Xml<'_>,
    document: &Document,
    nodes: &HashMap<u32, u32>,
    (sets, set_of): Sets<'_>,
) -> Vec<usize> {
    let mut members = vec![Vec::new(); sets.len()];
    for (at, annotation) in document.annotations.iter().enumerate() {
        let set = set_of.get(annotation.layer as usize).copied().unwrap_or(0);
        members[set].push(at);
    }
    let mut ids = vec![0; document.annotations.len()];
    let mut next = 0;
    for (name, members) in sets.iter().zip(members) {
        match name {
            None => xml.raw("<!-- The default annotation set -->\n\n<AnnotationSet"),
            Some(name) => {
                xml.raw("<!-- Named annotation set -->\n\n<AnnotationSet");
                xml.attribute("Name", name);
            }
        }
        xml.raw(">\n");
        for at in members {
            ids[at] = next;
            let annotation = &document.annotations[at];
            let node = |offset: u32| nodes.get(&offset).copied().unwrap_or_default().to_string();
            let ty = match document.type_of(annotation) {
                TOKEN => GATE_TOKEN,
                ty => ty,
            };
            xml.raw("<Annotation");
            xml.attribute("Id", &next.to_string());
            xml.attribute("Type", ty);
            xml.attribute("StartNode", &node(annotation.start));
            xml.attribute("EndNode", &node(annotation.end));
            xml.raw(">\n");
            for (name, value) in document.attribute_values(annotation) {
                xml.feature(name, value);
            }
            xml.raw("</Annotation>\n");
            next += 1;
        }
        xml.raw("</AnnotationSet>\n\n");
    }
    ids
}

/// Appends the relations, each in the set of its first annotation.
fn relations(xml: &mut Xml<'_>, document: &Document, ids: &[usize], (sets, set_of): Sets<'_>) {
    let mut members = vec![Vec::new(); sets.len()];
    for relation in &document.relations {
        let from = document.annotations.get(relation.from as usize);
        let layer = from.map_or(0, |annotation| annotation.layer as usize);
        members[set_of.get(layer).copied().unwrap_or(0)].push(relation);
    }
    let mut next = ids.len();
    for (name, members) in sets.iter().zip(members) {
        if members.is_empty() {
            continue;
        }
        xml.raw("<!-- Relation Set -->\n\n<RelationSet");
        if let Some(name) = name {
            xml.attribute("Name", name);
        }
        xml.raw(">\n");
        for relation in members {
            let id = |at: u32| ids.get(at as usize).copied().unwrap_or_default();
            xml.raw("<Relation");
            xml.attribute("Id", &next.to_string());
            xml.attribute("Type", document.type_of_relation(relation));
            let ends = format!("{};{}", id(relation.from), id(relation.to));
            xml.attribute("Members", &ends);
            xml.raw(">\n<UserData></UserData>\n</Relation>\n");
            next += 1;
        }
        xml.raw("</RelationSet>\n\n");
    }
}
