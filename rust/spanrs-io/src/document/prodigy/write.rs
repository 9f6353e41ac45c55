//! Writes Prodigy's JSON Lines.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::document::annotated_text::{Annotation, Answer, Document, Relation};
use crate::document::char_index::CharIndex;
use crate::document::json::write_line;
use crate::document::losses::Losses;
use crate::document::metadata::{facts, id_value};
use crate::document::write::WriteFormat;

/// Writes a record per layer; a document without layers is written as a record without an
/// annotator. Name and metadata are members of `meta`.
///
/// An id that equals the name is not written, because the name is read as the id.
#[derive(Default)]
pub(in crate::document) struct Writer;

/// A record.
#[derive(Serialize)]
struct Record<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    text: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tokens: Vec<Token<'a>>,
    spans: Vec<Span<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relations: Vec<Link<'a>>,
    answer: &'static str,
    #[serde(rename = "_annotator_id", skip_serializing_if = "Option::is_none")]
    annotator: Option<&'a str>,
    #[serde(rename = "_session_id", skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    meta: &'a Map<String, Value>,
}

/// A token.
#[derive(Serialize)]
struct Token<'a> {
    text: &'a str,
    start: u32,
    end: u32,
    id: usize,
    /// Whether a space follows.
    ws: bool,
}

/// A span, or the end of a relation.
#[derive(Serialize)]
struct Span<'a> {
    start: u32,
    end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_start: Option<usize>,
    /// Index of the last token.
    #[serde(skip_serializing_if = "Option::is_none")]
    token_end: Option<usize>,
    /// None for a token.
    label: Option<&'a str>,
}

/// A relation. In Prodigy, the index of a span is that of its last token.
#[derive(Serialize)]
struct Link<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    child: Option<usize>,
    head_span: Span<'a>,
    child_span: Span<'a>,
    label: &'a str,
}

/// A document with its annotations by layer.
struct Layers<'a> {
    document: &'a Document,
    index: CharIndex<'a>,
    /// Indices of the tokens of each layer.
    tokens: Vec<Vec<usize>>,
    /// Indices of the other annotations of each layer.
    spans: Vec<Vec<usize>>,
    /// The relations of each layer.
    relations: Vec<Vec<Relation>>,
    /// The first layer with tokens, whose tokens are those of layers without tokens.
    tokenised: usize,
}

impl<'a> Layers<'a> {
    /// Groups the annotations by layer. Relations between annotations of different layers are
    /// counted in `losses`.
    fn new(document: &'a Document, losses: &mut Losses) -> Self {
        let count = document.layers.len().max(1);
        let (mut tokens, mut spans) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (at, annotation) in document.annotations.iter().enumerate() {
            let group = match document.is_token(annotation) {
                true => &mut tokens,
                false => &mut spans,
            };
            if let Some(group) = group.get_mut(annotation.layer as usize) {
                group.push(at);
            }
        }
        let tokenised = tokens.iter().position(|tokens| !tokens.is_empty());
        let mut layers = Self {
            document,
            index: CharIndex::new(&document.text),
            tokens,
            spans,
            relations: vec![Vec::new(); count],
            tokenised: tokenised.unwrap_or_default(),
        };
        let mut crossing = 0;
        for relation in &document.relations {
            match layers.layer_of(relation) {
                Some(layer) => layers.relations[layer].push(*relation),
                None => crossing += 1,
            }
        }
        losses.add(
            "relations between annotations of different annotators",
            crossing,
        );
        layers
    }

    /// Returns the layer whose tokens are written in the record of a layer.
    fn tokens_of(&self, layer: usize) -> usize {
        match self.tokens.get(layer).is_some_and(Vec::is_empty) {
            true => self.tokenised,
            false => layer,
        }
    }

    /// Returns the layer of a relation; None if its annotations are not in one record.
    fn layer_of(&self, relation: &Relation) -> Option<usize> {
        let ends =
            [relation.from, relation.to].map(|at| self.document.annotations.get(at as usize));
        let [Some(from), Some(to)] = ends else {
            return None;
        };
        let is_token = |a: &Annotation| self.document.is_token(a);
        let layer = if is_token(from) { to.layer } else { from.layer } as usize;
        let contains = |a: &Annotation| match is_token(a) {
            true => self.tokens_of(layer) == a.layer as usize,
            false => layer == a.layer as usize,
        };
        (layer < self.relations.len() && contains(from) && contains(to)).then_some(layer)
    }

    /// Returns the record of a layer without id, annotator and metadata.
    fn record<'m>(
        &self,
        layer: usize,
        meta: &'m Map<String, Value>,
        losses: &mut Losses,
    ) -> Record<'m>
    where
        'a: 'm,
    {
        let document = self.document;
        let tokens = &self.tokens[self.tokens_of(layer)];
        let given = document.layers.get(layer);
        let answer = match given.map(|layer| layer.answer) {
            Some(Answer::Rejected) => "reject",
            Some(Answer::Skipped) => "ignore",
            _ => "accept",
        };
        let mut record = Record {
            id: None,
            text: &document.text,
            tokens: self.tokens(tokens),
            spans: Vec::new(),
            relations: Vec::new(),
            answer,
            annotator: None,
            session: None,
            meta,
        };
        let (spans, relations) = (&self.spans[layer], &self.relations[layer]);
        if answer != "accept" {
            // They do not count, and are not read.
            losses.add("annotations of skipped or rejected documents", spans.len());
            losses.add(
                "relations of skipped or rejected documents",
                relations.len(),
            );
            return record;
        }
        let bounds = Bounds::new(document, tokens);
        let span = |at: usize| bounds.span(document, &document.annotations[at]);
        record.spans = spans.iter().map(|&at| span(at)).collect();
        let link = |relation: &Relation| {
            let (head_span, child_span) =
                (span(relation.from as usize), span(relation.to as usize));
            Link {
                head: head_span.token_end,
                child: child_span.token_end,
                head_span,
                child_span,
                label: document.type_of_relation(relation),
            }
        };
        record.relations = relations.iter().map(link).collect();
        record
    }

    /// Returns tokens as in Prodigy.
    fn tokens(&self, tokens: &[usize]) -> Vec<Token<'a>> {
        let token = |(id, &at): (usize, &usize)| {
            let Annotation { start, end, .. } = self.document.annotations[at];
            Token {
                text: self.index.between(start, end).unwrap_or_default(),
                start,
                end,
                id,
                ws: self.index.between(end, end + 1) == Some(" "),
            }
        };
        tokens.iter().enumerate().map(token).collect()
    }
}

/// Indices of the tokens of a record by their bounds.
struct Bounds {
    starts: HashMap<u32, usize>,
    ends: HashMap<u32, usize>,
}

impl Bounds {
    fn new(document: &Document, tokens: &[usize]) -> Self {
        let bounds = |bound: fn(&Annotation) -> u32| {
            let all = tokens.iter().enumerate().rev();
            all.map(|(id, &at)| (bound(&document.annotations[at]), id))
                .collect()
        };
        Self {
            starts: bounds(|a| a.start),
            ends: bounds(|a| a.end),
        }
    }

    /// Returns an annotation, with its first and its last token if it consists of whole tokens.
    fn span<'a>(&self, document: &'a Document, annotation: &Annotation) -> Span<'a> {
        let &Annotation { start, end, .. } = annotation;
        let first = self.starts.get(&start).copied();
        let last = self.ends.get(&end).copied();
        let tokens = first.zip(last).filter(|(first, last)| first <= last);
        let label = document.type_of(annotation);
        Span {
            start,
            end,
            token_start: tokens.map(|tokens| tokens.0),
            token_end: tokens.map(|tokens| tokens.1),
            label: (!document.is_token(annotation)).then_some(label),
        }
    }
}

impl WriteFormat for Writer {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        let meta = facts(document, losses, |key, _| key == "id");
        let layers = Layers::new(document, losses);
        let is_text = |text: &&str| !text.is_empty();
        let name = document.name.as_deref().filter(is_text);
        let id = document.id.as_deref().filter(is_text);
        let id = id.filter(|id| Some(*id) != name);
        let nameless = document.layers.iter().filter(|layer| layer.name.is_none());
        if id.is_none() && nameless.count() > 1 {
            losses.add(
                "documents whose unnamed annotators become separate documents, because they have no id",
                1,
            );
        }
        for layer in 0..document.layers.len().max(1) {
            let given = document.layers.get(layer);
            let annotator = given.and_then(|layer| layer.name.as_deref());
            let annotator = annotator.filter(is_text);
            let record = Record {
                id: id.map(id_value),
                annotator,
                session: annotator,
                ..layers.record(layer, &meta, losses)
            };
            write_line(out, &record)?;
        }
        Ok(())
    }
}
