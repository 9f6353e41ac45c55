//! Model files: safetensors with a JSON header.
//!
//! Names of tensors begin with the component, such as `tagger.` or `parser.`; the tensors of a missing component are
//! absent. All tensors are one-dimensional and little-endian. The tensors of segmenters and of
//! morphology are described there (`segmenter/file`, `morphology/file`); those of taggers and parsers are:
//!
//! | tensor | type | content |
//! |---|---|---|
//! | `buckets`, `long`, `dense` | u8, u8, i16 | compact table: see `weights/compact` |
//! | `levels`, `hash` | i32, u32 | compact table: the integers of 127 levels, number of the hash function |
//! | `features`, `ends` | u64, u64 | hash of each feature, and the end of its row |
//! | `classes`, `weights` | u16, i32 | class and weight of each entry; weights are multiplied by `scale` |
//! | `tagdict`, `known_tags`, `names` | u8 | words or names of features, each followed by a line feed |
//! | `tagdict_ends`, `known_tags_ends`, `names_ends` | u64 | end in bytes of each word or name |
//! | `tagdict_numbers`, `known_tags_numbers` | u32 | number of each word: a class, or a set of tags |
//!
//! Weights are either a compact table (trained models) or exact (published features, and models of versions 1 and 2).
//! The tensors in the last three rows exist only for taggers. `names` has a line per feature, or is empty. Ends of
//! words and names are written only if one of them contains a line feed, which could not be distinguished from a
//! separating line feed.
//!
//! The metadata of the safetensors header has one entry, `spanrs.dep`: JSON with the format
//! version, the classes and options of tagger and parser, and the model's own metadata
//! ([`Header`]).
//!
//! # Hostile files
//!
//! Files are not trusted. safetensors checks that tensors are inside the file; this module checks types, lengths, the
//! ranges of all numbers and the order within rows before a table is built, so that prediction cannot index out of
//! bounds, and memory is proportional to the size of the file.

mod parser;
mod strings;
mod tagger;
mod weights;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spanrs_base::{TensorError, TensorFile, TensorWriter};

use crate::error::{Error, Result};
use crate::model::Model;
use crate::morphology::{MorphologyHeader, put_morphology, read_morphology};
use crate::segmenter::{Segmenter, SegmenterHeader};
use parser::{ParserHeader, put_parser};
use tagger::{TaggerHeader, has_first_templates, put_tagger};
pub(crate) use weights::put_weights;

/// Latest version of the format; files of later versions are rejected.
///
/// Version 2 adds `upos_history` of the tagger, and version 3 compact tables, more templates of the tagger, segmenters
/// and morphology. Models without them are written with the first version that has what they need.
const VERSION: u64 = 3;
/// Key of the entry in the metadata of the safetensors header.
const KEY: &str = "spanrs.dep";

/// Returns the error for a damaged or unknown file, with the reason.
pub(crate) fn damaged(what: impl std::fmt::Display) -> Error {
    Error::File(what.to_string())
}

/// Checks that strings have no control characters, such as tabs and line feeds, which fields of CoNLL-U cannot contain.
pub(crate) fn check_fields<'a>(what: &str, fields: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut wrong = fields.filter(|field| field.contains(char::is_control));
    match wrong.next() {
        Some(field) => Err(damaged(format!(
            "{what} {field:?} contains a control character"
        ))),
        None => Ok(()),
    }
}

impl From<TensorError> for Error {
    fn from(error: TensorError) -> Self {
        damaged(error)
    }
}

/// The JSON in the header: everything except tensors.
#[derive(Serialize, Deserialize)]
struct Header {
    /// From 1 to [`VERSION`].
    version: u64,
    /// See [`Model::padded`].
    padded: bool,
    /// None for a model without a segmenter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    segmenter: Option<SegmenterHeader>,
    /// None for a model without a tagger.
    tagger: Option<TaggerHeader>,
    /// None for a model without morphology.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    morphology: Option<MorphologyHeader>,
    /// None for a model without a parser.
    parser: Option<ParserHeader>,
    /// The model's own metadata; its keys keep their order.
    metadata: serde_json::Map<String, serde_json::Value>,
}

/// The version in the header, which is checked before the rest is read.
#[derive(Deserialize)]
struct Version {
    #[serde(default)]
    version: serde_json::Value,
}

impl Model {
    /// Returns the bytes of a model file. Equal models have equal files.
    ///
    /// # Errors
    /// [`Error::File`] if the metadata is not a JSON object.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_dep::{Error, Model};
    /// let model = |metadata: &str| {
    ///     Model { metadata: metadata.to_owned(), ..Model::default() }
    /// };
    /// let bytes = model(r#"{"note": "empty"}"#).to_bytes().unwrap();
    /// assert!(Model::from_bytes(&bytes).unwrap().tagger.is_none());
    /// assert!(matches!(model("no JSON").to_bytes(), Err(Error::File(_))));
    /// assert!(matches!(Model::from_bytes(&bytes[..20]), Err(Error::File(_))));
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut tensors = TensorWriter::default();
        let weights = [
            self.tagger.as_ref().map(|tagger| &tagger.weights),
            self.parser.as_ref().map(|parser| &parser.weights),
        ];
        let mut weights = weights.into_iter().flatten();
        let is_compact = weights.any(|weights| weights.compact_table().is_some());
        let tagger = self
            .tagger
            .as_ref()
            .map(|tagger| put_tagger(tagger, &mut tensors));
        let parser = self
            .parser
            .as_ref()
            .map(|parser| put_parser(parser, &mut tensors));
        let segmenter = self.segmenter.as_ref();
        let segmenter = segmenter
            .map(|segmenter| segmenter.put(&mut tensors))
            .transpose()?;
        let morphology = self.morphology.as_ref();
        let morphology = morphology.map(|morphology| put_morphology(morphology, &mut tensors));
        let has_new_parts = segmenter.is_some() || morphology.is_some();
        let version = match &tagger {
            _ if is_compact || has_new_parts => VERSION,
            Some(tagger) if !has_first_templates(&tagger.templates) => VERSION,
            Some(tagger) if tagger.upos_history => 2,
            _ => 1,
        };
        let header = Header {
            version,
            padded: self.padded,
            segmenter,
            tagger,
            morphology,
            parser,
            metadata: serde_json::from_str(&self.metadata).map_err(damaged)?,
        };
        let header = serde_json::to_string(&header).map_err(damaged)?;
        Ok(tensors.finish(KEY, header)?)
    }

    /// Reads a model file and builds its tables. All content is checked; memory is proportional to the size of the
    /// file.
    ///
    /// # Errors
    /// [`Error::File`] if the file is not a safetensors file, was not written by spanrs, has an unsupported version,
    /// contains inconsistent tensors, or contains invalid parser templates; the message gives the reason.
    pub fn from_bytes(file: &[u8]) -> Result<Self> {
        let file = TensorFile::open(file, KEY, "a tagger or parser of spanrs")?;
        let entry = file.header();
        let Version { version } = serde_json::from_str(entry).map_err(damaged)?;
        if !version.as_u64().is_some_and(|n| (1..=VERSION).contains(&n)) {
            return Err(damaged(format!(
                "format version {version}; this spanrs reads versions 1 to {VERSION}"
            )));
        }
        let header: Header = serde_json::from_str(entry).map_err(damaged)?;
        let tensors = Tensors(file);
        let segmenter = header.segmenter;
        let segmenter = segmenter
            .map(|header| Segmenter::read(&header, &tensors))
            .transpose()?;
        let tagger = header
            .tagger
            .map(|header| tensors.tagger(header))
            .transpose()?;
        let morphology = header.morphology;
        let morphology = morphology
            .map(|header| read_morphology(header, &tensors))
            .transpose()?;
        let parser = header
            .parser
            .map(|header| tensors.parser(header))
            .transpose()?;
        let metadata = serde_json::to_string(&header.metadata).map_err(damaged)?;
        Ok(Self {
            segmenter: segmenter.map(Arc::new),
            tagger: tagger.map(Arc::new),
            morphology: morphology.map(Arc::new),
            parser: parser.map(Arc::new),
            padded: header.padded,
            metadata,
        })
    }
}

/// The tensors of a file.
pub(crate) struct Tensors<'a>(pub(crate) TensorFile<'a>);
