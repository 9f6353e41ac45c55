//! Layers of annotations in WebAnno TSV and UIMA XMI: names, selection, and the feature that is the
//! type of an annotation.
//!
//! A layer is a UIMA type such as `webanno.custom.Claim`, whose annotations have features. The type
//! of an annotation in a [`Document`](super::Document) is the value of one feature:
//!
//! | layer | type of its annotations |
//! |---|---|
//! | part of speech, chunk, chain | `PosValue`, `chunkValue`, `referenceType` |
//! | a feature is named `value` | this feature |
//! | has a single feature, or a single feature with text | this feature |
//! | in DKPro Core or created in INCEpTION | the first feature with text that is set |
//! | others, and if the feature is not set | the name of the layer without its package |
//!
//! All other features are attributes. The attribute `layer` is the name of the layer, without
//! `webanno.custom.`, the package of the layers that users of INCEpTION create; annotations of the
//! layer for named entities do not have it. Reversing these rules when writing restores the layers.
//!
//! Layers of token and sentence properties (parts of speech, lemmas, dependencies, ...) are read
//! only if they are selected by name.

use std::borrow::Cow;

use super::json::excerpt;

/// The layer of annotations without the attribute `layer`.
pub(super) const NAMED_ENTITY: &str = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity";
/// The type of tokens.
pub(super) const TOKEN_TYPE: &str = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token";
/// The type of sentences.
pub(super) const SENTENCE_TYPE: &str =
    "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence";
/// The layer of parts of speech.
pub(super) const POS: &str = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS";
/// The type that all annotations inherit from.
pub(super) const ANNOTATION: &str = "uima.tcas.Annotation";
/// The attribute with the name of the layer.
pub(super) const LAYER: &str = "layer";
/// The layer of relations that is written, and the one for relations between tokens.
pub(super) const RELATIONS: &str = "webanno.custom.Relation";
pub(super) const TOKEN_RELATIONS: &str = "webanno.custom.TokenRelation";

/// The package of the layers that users create.
const CUSTOM: &str = "webanno.custom.";
const DKPRO: &str = "de.tudarmstadt.ukp.dkpro.core.";
/// Packages of properties of tokens and sentences.
const LINGUISTIC: [&str; 5] = [
    "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.",
    "de.tudarmstadt.ukp.dkpro.core.api.segmentation.",
    "de.tudarmstadt.ukp.dkpro.core.api.syntax.",
    "org.apache.ctakes.typesystem.type.syntax.",
    "org.apache.ctakes.typesystem.type.textspan.",
];
/// Features that are types, by layer.
const TYPE_FEATURES: [(&str, &str); 3] = [
    (POS, "PosValue"),
    (
        "de.tudarmstadt.ukp.dkpro.core.api.syntax.type.chunk.Chunk",
        "chunkValue",
    ),
    (
        "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink",
        "referenceType",
    ),
];
/// Names of features that attributes cannot have: they are written with an underscore behind them.
const RESERVED: [&str; 5] = ["value", "begin", "end", "sofa", "layer"];

/// Returns the name of a type without its package.
pub(super) fn short_name(layer: &str) -> &str {
    layer.rsplit('.').next().unwrap_or(layer)
}

/// Returns true for properties of tokens and sentences, which are not read by default.
pub(super) fn is_linguistic(layer: &str) -> bool {
    LINGUISTIC.iter().any(|package| layer.starts_with(package))
}

/// Returns the value of the attribute `layer`; None for the layer of named entities.
pub(super) fn attribute_of_layer(layer: &str) -> Option<&str> {
    (layer != NAMED_ENTITY).then(|| layer.strip_prefix(CUSTOM).unwrap_or(layer))
}

/// Returns the layer for a value of the attribute `layer`, and whether its name is the one given.
/// Names that UIMA does not allow or that have another meaning are changed.
pub(super) fn layer_of_attribute(attribute: Option<&str>) -> (Cow<'_, str>, bool) {
    let Some(name) = attribute else {
        return (Cow::Borrowed(NAMED_ENTITY), true);
    };
    let valid = !name.is_empty() && name.split('.').all(is_identifier);
    let special = [TOKEN_TYPE, SENTENCE_TYPE, RELATIONS, TOKEN_RELATIONS];
    let taken = name.starts_with("uima.")
        || name.starts_with("spanrs.")
        || name.starts_with("de.tudarmstadt.ukp.clarin.webanno.")
        || name.starts_with("de.tudarmstadt.ukp.dkpro.core.api.metadata.")
        || special.contains(&name)
        || special
            .iter()
            .any(|special| special.strip_prefix(CUSTOM) == Some(name));
    if valid && !taken {
        let layer = match name.contains('.') {
            true => Cow::Borrowed(name),
            false => Cow::Owned(format!("{CUSTOM}{name}")),
        };
        return (layer, true);
    }
    let name = match taken {
        true => format!("{}_", short_name(name)),
        false => name.to_owned(),
    };
    let parts = name.split('.').map(identifier).collect::<Vec<_>>();
    match parts.as_slice() {
        [only] => (Cow::Owned(format!("{CUSTOM}{only}")), false),
        _ => (Cow::Owned(parts.join(".")), false),
    }
}

/// Returns the name of the feature that is the type of an annotation in a layer that is written.
pub(super) fn type_feature(layer: &str) -> &'static str {
    let known = TYPE_FEATURES.iter().find(|(name, _)| *name == layer);
    known.map_or("value", |&(_, feature)| feature)
}

/// Returns the name of the feature for an attribute, and whether it corresponds to the attribute:
/// characters that UIMA does not allow are replaced.
pub(super) fn feature_of_attribute<'a>(layer: &str, attribute: &'a str) -> (Cow<'a, str>, bool) {
    if !is_identifier(attribute) {
        return (
            Cow::Owned(feature_of_identifier(layer, identifier(attribute))),
            false,
        );
    }
    match is_reserved(layer, attribute) {
        true => (Cow::Owned(format!("{attribute}_")), true),
        false => (Cow::Borrowed(attribute), true),
    }
}

/// Returns the name of the feature for an attribute whose name is an identifier.
fn feature_of_identifier(layer: &str, mut attribute: String) -> String {
    if is_reserved(layer, &attribute) {
        attribute.push('_');
    }
    attribute
}

/// Returns the name of the attribute for a feature: reverses [`feature_of_attribute`].
pub(super) fn attribute_of_feature<'a>(layer: &str, feature: &'a str) -> &'a str {
    match feature.strip_suffix('_') {
        // The attribute of this name is the layer.
        _ if feature == LAYER => "layer_",
        Some(attribute) if is_reserved(layer, attribute) => attribute,
        _ => feature,
    }
}

/// Returns true for the names of features with another meaning, and for these names with
/// underscores behind them.
fn is_reserved(layer: &str, attribute: &str) -> bool {
    let name = attribute.trim_end_matches('_');
    RESERVED.contains(&name) || name == type_feature(layer)
}

/// Returns true for names that UIMA and XML allow: a letter, then letters, digits and underscores.
fn is_identifier(name: &str) -> bool {
    name.starts_with(is_letter)
        && name.chars().all(is_identifier_part)
        && !name.starts_with("ROLE_")
        && !name.starts_with("BT_")
}

fn is_identifier_part(c: char) -> bool {
    is_letter(c) || c.is_ascii_digit() || c == '_'
}

/// Returns true for letters that may begin names in XML 1.0 and in Java.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic()
        || matches!(c, '\u{C0}'..='\u{2FF}' | '\u{370}'..='\u{1FFF}' | '\u{3001}'..='\u{D7FF}')
            && c.is_alphabetic()
            && c != '\u{37E}'
}

/// Replaces the characters that are not allowed in an identifier.
fn identifier(name: &str) -> String {
    let replaced = name.chars();
    let mut replaced: String = replaced
        .map(|c| if is_identifier_part(c) { c } else { '_' })
        .collect();
    if !replaced.starts_with(is_letter) || !is_identifier(&replaced) {
        replaced.insert(0, 'x');
    }
    replaced
}

/// Features of an annotation, from which its type is chosen.
pub(super) struct Features<'a> {
    /// Name of the layer.
    pub(super) layer: &'a str,
    /// Number of features of the layer with values that are not references.
    pub(super) primitive: usize,
    /// The only feature of the layer with values that are text.
    pub(super) only_text: Option<&'a str>,
    /// Whether a feature of the layer is named `value`.
    pub(super) has_value: bool,
}

impl Features<'_> {
    /// Returns the feature that is the type of an annotation, of which `set` are the features that
    /// are set: name, and whether the value is text.
    pub(super) fn type_feature<'s>(
        &self,
        mut set: impl Iterator<Item = (&'s str, bool)> + Clone,
    ) -> Option<&'s str> {
        let known = TYPE_FEATURES.iter().find(|(name, _)| *name == self.layer);
        let name = match known {
            Some((_, feature)) => Some(*feature),
            None if self.has_value => Some("value"),
            None if self.primitive == 1 => return set.next().map(|(name, _)| name),
            None => self.only_text,
        };
        if let Some(name) = name {
            return set
                .find(|(feature, _)| *feature == name)
                .map(|(name, _)| name);
        }
        let created = self.layer.starts_with(CUSTOM) || self.layer.starts_with(DKPRO);
        let mut set = set.filter(|_| created);
        set.find(|(_, is_text)| *is_text).map(|(name, _)| name)
    }
}

/// The layers that are read.
pub(super) struct Choice {
    /// Full name of the selected layer; None for all but linguistic layers.
    wanted: Option<String>,
    /// The layers with the annotations that the relations of the selected layer connect; empty
    /// unless a layer of relations is selected.
    bases: Vec<String>,
}

impl Choice {
    /// Selects a layer by its full name, or its name without its package. `layers` are the layers
    /// of the file; for layers of relations, with the layer whose annotations they connect.
    ///
    /// # Errors
    /// A message, if no layer has this name, or several have.
    pub(super) fn new<'a>(
        wanted: Option<&str>,
        layers: impl Iterator<Item = (&'a str, Option<&'a str>)> + Clone,
    ) -> Result<Self, String> {
        let Some(name) = wanted else {
            let (wanted, bases) = (None, Vec::new());
            return Ok(Self { wanted, bases });
        };
        let listed = |layers: Vec<&str>| match layers.is_empty() {
            true => "none".to_owned(),
            false => excerpt(&layers.join(", "), 400),
        };
        let mut matching: Vec<_> = layers.clone().filter(|(layer, _)| *layer == name).collect();
        if matching.is_empty() {
            matching = layers
                .clone()
                .filter(|(layer, _)| short_name(layer) == name)
                .collect();
        }
        match matching.as_slice() {
            [] => Err(format!(
                "no layer {name:?}; the file has {}",
                listed(layers.map(|(layer, _)| layer).collect())
            )),
            [(layer, base)] => Ok(Self {
                wanted: Some((*layer).to_owned()),
                bases: base.iter().map(|base| (*base).to_owned()).collect(),
            }),
            several => Err(format!(
                "several layers are named {name:?}; use the full name: {}",
                listed(several.iter().map(|(layer, _)| *layer).collect())
            )),
        }
    }

    /// Selects a layer that a file does not have.
    pub(super) fn nothing() -> Self {
        let (wanted, bases) = (Some(String::new()), Vec::new());
        Self { wanted, bases }
    }

    /// Returns true if a layer is read: a layer of spans, given with the layers that it inherits
    /// from, or a layer of relations.
    pub(super) fn reads<'a>(&self, mut layers: impl Iterator<Item = &'a str> + Clone) -> bool {
        let Some(wanted) = &self.wanted else {
            return !layers.any(is_linguistic);
        };
        layers.any(|layer| layer == wanted || self.bases.iter().any(|base| base == layer))
    }

    /// Returns true if all relations between the annotations that are read are read.
    pub(super) fn reads_relations(&self, layer: &str) -> bool {
        match &self.wanted {
            None => !is_linguistic(layer),
            Some(wanted) => self.bases.is_empty() || layer == wanted,
        }
    }

    /// Returns true if relations of annotations that are not read are reported.
    pub(super) fn is_default(&self) -> bool {
        self.wanted.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_layers_and_attributes_are_restored() {
        for name in ["Claim", "a.b.C", "\u{c9}t\u{e9}"] {
            let (layer, same) = layer_of_attribute(Some(name));
            assert!(same, "{name}");
            assert_eq!(attribute_of_layer(&layer), Some(name));
        }
        assert_eq!(layer_of_attribute(None).0, NAMED_ENTITY);
        for (name, expected) in [
            ("", "webanno.custom.x"),
            ("a b", "webanno.custom.a_b"),
            ("uima.tcas.Annotation", "webanno.custom.Annotation_"),
            ("Relation", "webanno.custom.Relation_"),
            ("1.2", "x1.x2"),
        ] {
            assert_eq!(layer_of_attribute(Some(name)), (expected.into(), false));
        }
        for name in ["sure", "value", "value_", "begin", "identifier"] {
            let (feature, same) = feature_of_attribute(NAMED_ENTITY, name);
            assert!(same && feature != "value", "{name}");
            assert_eq!(attribute_of_feature(NAMED_ENTITY, &feature), name);
        }
        assert_eq!(
            feature_of_attribute(NAMED_ENTITY, "a-b"),
            ("a_b".into(), false)
        );
        assert_eq!(
            feature_of_attribute(NAMED_ENTITY, "ROLE_a"),
            ("xROLE_a".into(), false)
        );
    }

    #[test]
    fn a_layer_is_selected_by_its_full_or_short_name() {
        let layers = [
            ("a.Claim", None),
            ("b.Claim", None),
            ("b.Link", Some("a.Claim")),
        ];
        let choice = |name| Choice::new(name, layers.into_iter());
        assert!(choice(None).unwrap().reads(["a.Claim"].into_iter()));
        assert!(
            !choice(Some("b.Claim"))
                .unwrap()
                .reads(["a.Claim"].into_iter())
        );
        let link = choice(Some("Link")).unwrap();
        assert!(link.reads(["a.Claim"].into_iter()) && !link.reads_relations("b.Other"));
        assert_eq!(
            choice(Some("Claim")).err().unwrap(),
            "several layers are named \"Claim\"; use the full name: a.Claim, b.Claim"
        );
        assert_eq!(
            choice(Some("X")).err().unwrap(),
            "no layer \"X\"; the file has a.Claim, b.Claim, b.Link"
        );
    }
}
