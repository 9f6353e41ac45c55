//! Documents created from values in memory.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::annotated_text::{Document, Layer};

/// An annotation as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Annotation", deny_unknown_fields)]
pub struct PlainAnnotation {
    /// The label.
    #[serde(rename = "type")]
    pub ty: String,
    /// First character, from 0.
    pub start: i64,
    /// One past the last character.
    pub end: i64,
    /// Additional attributes, by name. [`Document::plain`] returns all values as text.
    #[serde(default, serialize_with = "as_map", deserialize_with = "from_map")]
    pub attributes: Vec<(String, Value)>,
    /// Start and end of each fragment of a discontinuous annotation; empty for a contiguous
    /// annotation.
    #[serde(default)]
    pub pieces: Vec<(i64, i64)>,
    /// Index of the layer; 0 for a document without layers.
    #[serde(default)]
    pub layer: i64,
}

/// A relation as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Relation", deny_unknown_fields)]
pub struct PlainRelation {
    /// The label.
    #[serde(rename = "type")]
    pub ty: String,
    /// Index of the source annotation.
    pub source: i64,
    /// Index of the target annotation.
    pub target: i64,
}

/// A document as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Document", deny_unknown_fields)]
pub struct PlainDocument {
    /// The text.
    pub text: String,
    /// The annotations, in the order of the file.
    #[serde(default)]
    pub annotations: Vec<PlainAnnotation>,
    /// The id in the file.
    #[serde(default)]
    pub id: Option<String>,
    /// Reports of annotations and relations that were not read.
    #[serde(default)]
    pub left_out: Vec<String>,
    /// The relations, in the order of the file.
    #[serde(default)]
    pub relations: Vec<PlainRelation>,
    /// The name for users, such as the name of the original file.
    #[serde(default)]
    pub name: Option<String>,
    /// Further facts about the document, by name.
    #[serde(default, serialize_with = "as_map", deserialize_with = "from_map")]
    pub metadata: Vec<(String, Value)>,
    /// The annotators, annotation sets or span groups; empty for formats without them.
    #[serde(default)]
    pub layers: Vec<Layer>,
}

/// Error: the values are not a valid document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoDocument {
    /// Offsets of an annotation or of one of its pieces are negative or too large.
    #[error("annotation {ty} {start}-{end}: offsets count characters from 0")]
    Offsets {
        /// The type of the annotation.
        ty: String,
        /// Start of the annotation, or of its piece.
        start: i64,
        /// End of the annotation, or of its piece.
        end: i64,
    },
    /// The layer of an annotation does not exist.
    #[error("annotation {ty} has the layer {layer}: there are {layers} layers, numbered from 0")]
    Layer {
        /// The type of the annotation.
        ty: String,
        /// Index of the layer.
        layer: i64,
        /// Number of layers.
        layers: usize,
    },
    /// At least one annotation of a relation does not exist.
    #[error(
        "relation {ty} from annotation {from} to {to}: there are {annotations} annotations, numbered from 0"
    )]
    Ends {
        /// The type of the relation.
        ty: String,
        /// Index of the source annotation.
        from: i64,
        /// Index of the target annotation.
        to: i64,
        /// Number of annotations.
        annotations: usize,
    },
}

impl TryFrom<PlainDocument> for Document {
    type Error = NoDocument;

    /// Checks the document.
    ///
    /// # Errors
    /// [`NoDocument`] for the first annotation with an offset outside of 0 to 2^32 - 1, or for the
    /// first relation with an annotation that does not exist.
    ///
    /// ```
    /// use spanrs_io::document::{Document, PlainAnnotation, PlainDocument};
    /// let ada = |start| PlainDocument {
    ///     text: "Ada".to_owned(),
    ///     annotations: vec![PlainAnnotation { ty: "PER".to_owned(), start, end: 3, ..Default::default() }],
    ///     ..Default::default()
    /// };
    /// assert_eq!(Document::try_from(ada(0)).unwrap().plain(), ada(0));
    /// let error = Document::try_from(ada(-1)).unwrap_err().to_string();
    /// assert_eq!(error, "annotation PER -1-3: offsets count characters from 0");
    /// ```
    fn try_from(plain: PlainDocument) -> Result<Self, NoDocument> {
        let mut document = Self::new(plain.text);
        document.id = plain.id;
        document.name = plain.name;
        document.metadata = plain.metadata;
        let layers = plain.layers.len();
        for why in plain.left_out {
            document.leave_out(|| why);
        }
        for PlainAnnotation {
            ty,
            start,
            end,
            attributes,
            pieces,
            layer,
        } in plain.annotations
        {
            let known = u32::try_from(layer).ok();
            let Some(index) = known.filter(|&at| (at as usize) < layers.max(1)) else {
                return Err(NoDocument::Layer { ty, layer, layers });
            };
            let (start, end) = offsets(&ty, start, end)?;
            let pieces = pieces
                .into_iter()
                .map(|(start, end)| offsets(&ty, start, end));
            let pieces: Result<Vec<_>, _> = pieces.collect();
            let id = document.intern(&ty);
            document.push(id, start, end);
            document.set_pieces(&pieces?);
            if let Some(last) = document.annotations.last_mut() {
                last.layer = index;
            }
            for (name, value) in attributes {
                document.add_attribute(&name, value);
            }
        }
        document.layers = plain.layers;
        let annotations = document.annotations.len();
        let index = |at: i64| {
            u32::try_from(at)
                .ok()
                .filter(|&at| (at as usize) < annotations)
        };
        for PlainRelation { ty, source, target } in plain.relations {
            let Some((from, to)) = index(source).zip(index(target)) else {
                let (from, to) = (source, target);
                return Err(NoDocument::Ends {
                    ty,
                    from,
                    to,
                    annotations,
                });
            };
            document.relate(&ty, from, to);
        }
        Ok(document.close())
    }
}

impl Document {
    /// Returns the document as plain data.
    pub fn plain(&self) -> PlainDocument {
        let annotations = self.annotations.iter().map(|annotation| PlainAnnotation {
            ty: self.type_of(annotation).to_owned(),
            start: annotation.start.into(),
            end: annotation.end.into(),
            attributes: self
                .attributes(annotation)
                .map(|(name, value)| (name.to_owned(), value.into()))
                .collect(),
            pieces: self
                .pieces(annotation)
                .iter()
                .map(|&(start, end)| (start.into(), end.into()))
                .collect(),
            layer: annotation.layer.into(),
        });
        let relations = self.relations.iter().map(|relation| PlainRelation {
            ty: self.type_of_relation(relation).to_owned(),
            source: relation.from.into(),
            target: relation.to.into(),
        });
        PlainDocument {
            text: self.text.clone(),
            annotations: annotations.collect(),
            id: self.id.clone(),
            left_out: [&self.left_out[..], &self.relations_left_out].concat(),
            relations: relations.collect(),
            name: self.name.clone(),
            metadata: self.metadata.clone(),
            layers: self.layers.clone(),
        }
    }
}

fn as_map<S: Serializer>(pairs: &[(String, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// Deserialises a map as pairs, in the order of the map.
fn from_map<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, Value)>, D::Error> {
    Ok(Map::deserialize(deserializer)?.into_iter().collect())
}

/// Converts offsets to the offset type of documents.
fn offsets(ty: &str, start: i64, end: i64) -> Result<(u32, u32), NoDocument> {
    match (u32::try_from(start), u32::try_from(end)) {
        (Ok(start), Ok(end)) => Ok((start, end)),
        _ => Err(NoDocument::Offsets {
            ty: ty.to_owned(),
            start,
            end,
        }),
    }
}
