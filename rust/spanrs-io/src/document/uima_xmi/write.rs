//! Writes XMI of a UIMA CAS, and its type system.
//!
//! The type system describes the types and features of all documents written so far. It belongs to
//! all files in a directory, and is therefore complete only after the last document:
//! [`Writer::companion`] returns it after [`Writer::finish`], as `TypeSystem.xml`.
//!
//! Sentences are the lines of the text, because UIMA software expects sentences; they are not read.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use serde_json::Value;

use super::super::annotated_text::{Annotation, Document};
use super::super::losses::Losses;
use super::super::tokenize::lines;
use super::super::uima_layers::{
    ANNOTATION, LAYER, NAMED_ENTITY, RELATIONS, SENTENCE_TYPE, TOKEN_TYPE, feature_of_attribute,
    layer_of_attribute, short_name, type_feature,
};
use super::super::utf16::Utf16Index;
use super::super::write::{Companion, WriteFormat};
use super::kinds::METADATA;

const DOCUMENT_TYPE: &str = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData";
/// Features of [`DOCUMENT_TYPE`] that are facts about the document.
const FACTS: [&str; 5] = [
    "language",
    "documentUri",
    "collectionId",
    "documentBaseUri",
    "isLastSegment",
];
/// Id of the text.
const SOFA: u32 = 1;

/// Writes XMI.
#[derive(Default)]
pub(crate) struct Writer {
    /// Features by type, of all documents.
    types: BTreeMap<String, BTreeSet<String>>,
    finished: bool,
}

impl WriteFormat for Writer {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        let control = |c: &char| is_forbidden(*c);
        if let Some((at, character)) = document.text.chars().enumerate().find(|(_, c)| control(c)) {
            return Err(format!(
                "the text has the character U+{:04X} at {at}, which XML 1.0 does not allow; replace \
                 it by a space",
                u32::from(character)
            ));
        }
        let mut file = File {
            types: &mut self.types,
            document,
            losses,
            utf16: Utf16Index::new(&document.text),
            elements: String::new(),
            namespaces: Namespaces::default(),
            next: SOFA + 1,
        };
        file.facts();
        file.sentences();
        let ids = file.annotations();
        file.relations(&ids);
        file.finish(out);
        Ok(())
    }

    fn finish(&mut self, _: &mut Vec<u8>) {
        self.finished = true;
    }

    fn companion(&mut self) -> Option<Companion> {
        self.finished.then(|| Companion {
            name: "TypeSystem.xml",
            bytes: type_system(&self.types).into_bytes(),
        })
    }
}

/// Prefixes of namespaces.
#[derive(Default)]
struct Namespaces {
    /// Prefixes by package.
    prefixes: BTreeMap<String, String>,
    /// Number of prefixes by their last part.
    numbers: HashMap<String, usize>,
}

impl Namespaces {
    /// Returns the name of the element of a type.
    fn element(&mut self, ty: &str) -> String {
        let (package, name) = ty.rsplit_once('.').unwrap_or(("uima.noNamespace", ty));
        if !self.prefixes.contains_key(package) {
            let last = package.rsplit('.').next().unwrap_or(package);
            let number = self.numbers.entry(last.to_owned()).or_default();
            *number += 1;
            let prefix = match (*number, last) {
                (1, last) if last != "xmi" && last != "cas" && !last.starts_with("xml") => {
                    last.to_owned()
                }
                // A dot cannot be part of another package's name.
                (number, last) => format!("ns.{last}.{number}"),
            };
            self.prefixes.insert(package.to_owned(), prefix);
        }
        format!("{}:{name}", self.prefixes[package])
    }
}

/// A file that is written.
struct File<'d, 'w> {
    types: &'w mut BTreeMap<String, BTreeSet<String>>,
    document: &'d Document,
    losses: &'w mut Losses,
    utf16: Utf16Index,
    elements: String,
    namespaces: Namespaces,
    /// The id of the next feature structure.
    next: u32,
}

impl<'d> File<'d, '_> {
    /// Begins an element, and returns its id. Features of types that users define are added to the
    /// type system.
    fn begin(&mut self, ty: &str) -> u32 {
        let element = self.namespaces.element(ty);
        let id = self.next;
        self.next += 1;
        let _ = write!(
            self.elements,
            "  <{element} xmi:id=\"{id}\" sofa=\"{SOFA}\""
        );
        id
    }

    /// Writes the bounds of an annotation.
    fn bounds(&mut self, start: u32, end: u32) {
        let (start, end) = (self.utf16.unit(start), self.utf16.unit(end));
        let _ = write!(self.elements, " begin=\"{start}\" end=\"{end}\"");
    }

    /// Writes the value of a feature.
    fn feature(&mut self, name: &str, value: &str) {
        let value = match value.contains(is_forbidden) {
            true => {
                self.losses.add(
                    "values with characters that XML does not allow, replaced by spaces",
                    1,
                );
                Cow::Owned(value.replace(is_forbidden, " "))
            }
            false => Cow::Borrowed(value),
        };
        let _ = write!(self.elements, " {name}=\"");
        escape(&value, &mut self.elements);
        self.elements.push('"');
    }

    /// Ends an element.
    fn end(&mut self) {
        self.elements.push_str("/>\n");
    }

    /// Writes the facts about the document. Features of DKPro Core are used for the facts at the
    /// beginning of the list of facts; order and types of all facts are restored by reading.
    fn facts(&mut self) {
        let document = self.document;
        self.begin(DOCUMENT_TYPE);
        self.bounds(0, document.text.chars().count() as u32);
        if let Some(name) = &document.name {
            self.feature("documentTitle", name);
        }
        if let Some(id) = &document.id {
            self.feature("documentId", id);
        }
        let mut used: Vec<&str> = Vec::new();
        let mut facts = document.metadata.iter().peekable();
        while let Some((name, value)) = facts.peek() {
            let text = match value {
                Value::String(text) if name != "isLastSegment" => Cow::Borrowed(text.as_str()),
                Value::Bool(value) if name == "isLastSegment" => Cow::Owned(value.to_string()),
                _ => break,
            };
            if !FACTS.contains(&name.as_str()) || used.contains(&name.as_str()) {
                break;
            }
            used.push(name);
            self.feature(name, &text);
            facts.next();
        }
        self.end();
        for (name, value) in facts {
            self.begin(METADATA);
            self.feature("name", name);
            match value {
                Value::String(text) => self.feature("value", text),
                other => self.feature("json", &other.to_string()),
            }
            self.end();
            self.types.entry(METADATA.to_owned()).or_default();
        }
    }

    /// Writes the sentences.
    fn sentences(&mut self) {
        let characters = super::super::char_index::CharIndex::new(&self.document.text);
        for (start, end) in lines(&self.document.text) {
            let line = characters.between(start, end).unwrap_or_default();
            let before = line.len() - line.trim_start().len();
            let start = start + line[..before].chars().count() as u32;
            let end = start + line.trim().chars().count() as u32;
            self.begin(SENTENCE_TYPE);
            self.bounds(start, end);
            self.end();
        }
    }

    /// Writes the annotations, tokens first, and returns their ids.
    fn annotations(&mut self) -> Vec<u32> {
        let document = self.document;
        let mut ids = vec![0; document.annotations.len()];
        for tokens in [true, false] {
            for (annotation, number) in document.annotations.iter().zip(&mut ids) {
                if document.is_token(annotation) != tokens {
                    continue;
                }
                *number = match tokens {
                    true => self.token(annotation),
                    false => self.span(annotation),
                };
                self.end();
            }
        }
        ids
    }

    /// Writes a token.
    fn token(&mut self, token: &Annotation) -> u32 {
        let attributes = self.document.attributes(token).count();
        self.losses.add("attributes of tokens", attributes);
        let id = self.begin(TOKEN_TYPE);
        self.bounds(token.start, token.end);
        id
    }

    /// Writes an annotation.
    fn span(&mut self, annotation: &Annotation) -> u32 {
        let document = self.document;
        let attribute = document
            .attributes(annotation)
            .find(|(name, _)| *name == LAYER);
        let (layer, same) = layer_of_attribute(attribute.map(|(_, value)| value));
        self.losses.add(
            "names of layers that UIMA does not allow, changed",
            usize::from(!same),
        );
        let id = self.begin(&layer);
        self.bounds(annotation.start, annotation.end);
        let ty = document.type_of(annotation);
        let mut used = vec![Cow::Borrowed(type_feature(&layer))];
        self.losses.add(
            "annotations without a type, read as the name of the layer",
            usize::from(ty.is_empty()),
        );
        // As the file is read, so that it is written again unchanged.
        let ty = Some(ty).filter(|ty| !ty.is_empty());
        self.feature(type_feature(&layer), ty.unwrap_or(short_name(&layer)));
        let mut has_layer = false;
        for (name, value) in document.attributes(annotation) {
            if name == LAYER && !std::mem::replace(&mut has_layer, true) {
                continue;
            }
            let (feature, same) = feature_of_attribute(&layer, name);
            self.losses.add(
                "names of attributes that UIMA does not allow, changed",
                usize::from(!same),
            );
            if used.contains(&feature) {
                self.losses.add("further attributes of the same name", 1);
                continue;
            }
            self.feature(&feature, value);
            used.push(feature);
        }
        let known = self.types.entry(layer.into_owned()).or_default();
        for feature in used {
            if !known.contains(&*feature) {
                known.insert(feature.into_owned());
            }
        }
        id
    }

    /// Writes the relations.
    fn relations(&mut self, ids: &[u32]) {
        for relation in &self.document.relations {
            let ends = ids
                .get(relation.from as usize)
                .zip(ids.get(relation.to as usize));
            let target = self.document.annotations.get(relation.to as usize);
            let (Some((from, to)), Some(target)) = (ends, target) else {
                continue;
            };
            self.begin(RELATIONS);
            self.bounds(target.start, target.end);
            let _ = write!(self.elements, " Governor=\"{from}\" Dependent=\"{to}\"");
            let ty = self.document.type_of_relation(relation);
            self.losses.add(
                "relations without a type, read as the name of their layer",
                usize::from(ty.is_empty()),
            );
            let ty = Some(ty).filter(|ty| !ty.is_empty());
            self.feature("label", ty.unwrap_or(short_name(RELATIONS)));
            self.end();
            self.types.entry(RELATIONS.to_owned()).or_default();
        }
    }

    /// Writes the file around the elements.
    fn finish(mut self, out: &mut Vec<u8>) {
        let mut head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                        <xmi:XMI xmlns:xmi=\"http://www.omg.org/XMI\" xmlns:cas=\"http:///uima/cas.ecore\""
            .to_owned();
        for (package, prefix) in &self.namespaces.prefixes {
            let _ = write!(
                head,
                " xmlns:{prefix}=\"http:///{}.ecore\"",
                package.replace('.', "/")
            );
        }
        head.push_str(" xmi:version=\"2.0\">\n  <cas:NULL xmi:id=\"0\"/>\n");
        out.extend_from_slice(head.as_bytes());
        let _ = write!(
            self.elements,
            "  <cas:Sofa xmi:id=\"{SOFA}\" sofaNum=\"1\" sofaID=\"_InitialView\" mimeType=\"text\" \
             sofaString=\""
        );
        escape(&self.document.text, &mut self.elements);
        let _ = write!(
            self.elements,
            "\"/>\n  <cas:View sofa=\"{SOFA}\" members=\""
        );
        for id in SOFA + 1..self.next {
            let blank = if id == SOFA + 1 { "" } else { " " };
            let _ = write!(self.elements, "{blank}{id}");
        }
        self.elements.push_str("\"/>\n</xmi:XMI>\n");
        out.extend_from_slice(self.elements.as_bytes());
    }
}

/// Returns true for characters that XML 1.0 does not allow.
fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// Appends the value of an XML attribute.
fn escape(value: &str, out: &mut String) {
    for character in value.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            _ => out.push(character),
        }
    }
}

/// Returns the type system for types of annotations.
fn type_system(types: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                   <typeSystemDescription xmlns=\"http://uima.apache.org/resourceSpecifier\">\n  <types>\n"
        .to_owned();
    let text = "uima.cas.String";
    let document = [
        ("documentTitle", text),
        ("documentId", text),
        ("documentUri", text),
        ("collectionId", text),
        ("documentBaseUri", text),
        ("isLastSegment", "uima.cas.Boolean"),
    ];
    describe(
        &mut out,
        DOCUMENT_TYPE,
        "uima.tcas.DocumentAnnotation",
        &document,
    );
    describe(&mut out, SENTENCE_TYPE, ANNOTATION, &[]);
    describe(&mut out, TOKEN_TYPE, ANNOTATION, &[]);
    if types.contains_key(METADATA) {
        let features = [("name", text), ("value", text), ("json", text)];
        describe(&mut out, METADATA, "uima.cas.AnnotationBase", &features);
    }
    if types.contains_key(RELATIONS) {
        let features = [
            ("Governor", ANNOTATION),
            ("Dependent", ANNOTATION),
            ("label", text),
        ];
        describe(&mut out, RELATIONS, ANNOTATION, &features);
    }
    let mut named_entity: BTreeSet<&str> = ["identifier", "value"].into();
    let more = types.get(NAMED_ENTITY);
    named_entity.extend(more.into_iter().flatten().map(String::as_str));
    let features: Vec<_> = named_entity.into_iter().map(|name| (name, text)).collect();
    describe(&mut out, NAMED_ENTITY, ANNOTATION, &features);
    for (ty, features) in types {
        if ![METADATA, RELATIONS, NAMED_ENTITY].contains(&ty.as_str()) {
            let features: Vec<_> = features.iter().map(|name| (name.as_str(), text)).collect();
            describe(&mut out, ty, ANNOTATION, &features);
        }
    }
    out.push_str("  </types>\n</typeSystemDescription>\n");
    out
}

/// Writes the description of a type with its features.
fn describe(out: &mut String, name: &str, supertype: &str, features: &[(&str, &str)]) {
    let _ = write!(
        out,
        "    <typeDescription>\n      <name>{name}</name>\n      <description/>\n      \
         <supertypeName>{supertype}</supertypeName>\n"
    );
    if !features.is_empty() {
        out.push_str("      <features>\n");
        for (feature, range) in features {
            let _ = write!(
                out,
                "        <featureDescription>\n          <name>{feature}</name>\n          \
                 <description/>\n          <rangeTypeName>{range}</rangeTypeName>\n        \
                 </featureDescription>\n"
            );
        }
        out.push_str("      </features>\n");
    }
    out.push_str("    </typeDescription>\n");
}
