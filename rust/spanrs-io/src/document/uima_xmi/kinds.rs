//! What the types of a UIMA CAS become in a document.

use std::collections::HashMap;

use super::super::json::excerpt;
use super::super::uima_layers::{
    ANNOTATION, Choice, Features, SENTENCE_TYPE, TOKEN_TYPE, is_linguistic, short_name,
};
use super::type_system::{Feature, Range, Resolved};

/// Type of facts about a document that DKPro Core has no feature for.
pub(super) const METADATA: &str = "spanrs.Metadata";
const CTAKES_TOKEN: &str = "org.apache.ctakes.typesystem.type.syntax.BaseToken";
const CAS_METADATA: &str = "de.tudarmstadt.ukp.clarin.webanno.api.type.CASMetadata";
/// Types that describe annotations, but are none.
const DESCRIPTIONS: [&str; 4] = [
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.TagsetDescription",
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.TagDescription",
    "de.tudarmstadt.ukp.clarin.webanno.api.type.LayerDefinition",
    "de.tudarmstadt.ukp.clarin.webanno.api.type.FeatureDefinition",
];

/// What the feature structures of a type become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Token,
    /// Annotations.
    Span,
    /// Relations, with the indexes of the features for source and target.
    Relation {
        from: usize,
        to: usize,
    },
    /// Relations of cTAKES, whose ends are arguments with an annotation.
    Arguments {
        from: usize,
        to: usize,
    },
    /// Links of slots, with the indexes of the features for the role and the target.
    Slot {
        role: usize,
        target: usize,
    },
    /// Facts about the document.
    Facts,
    /// Facts about the document in a layer of their own.
    FactLayer,
    /// Facts about the document with name and value.
    Metadata,
    /// Lists of feature structures or values.
    List,
    /// Feature structures that become attributes of the annotations that refer to them.
    Object,
    /// Sentences and descriptions of layers, which are not read.
    Skipped,
}

/// A type of a file.
pub(super) struct Kind {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) supertypes: Vec<String>,
    pub(super) features: Vec<Feature>,
    /// Whether the feature structures are read.
    pub(super) read: bool,
    /// Indexes of the features, by name.
    index: HashMap<String, u32>,
    /// Number of features with values that are not references or lists.
    primitive: usize,
    /// The only feature with values that are text.
    only_text: Option<usize>,
}

impl Kind {
    /// Returns the kind for a type.
    pub(super) fn new(name: &str, resolved: Resolved) -> Self {
        let Resolved {
            supertypes,
            features,
        } = resolved;
        let role = role(name, &supertypes, &features);
        let mut index = HashMap::new();
        for (at, feature) in features.iter().enumerate() {
            index.entry(feature.name.clone()).or_insert(at as u32);
        }
        let texts = features
            .iter()
            .enumerate()
            .filter(|(_, f)| f.range == Range::Text);
        let texts: Vec<usize> = texts.map(|(at, _)| at).take(2).collect();
        Self {
            primitive: features.iter().filter(|f| f.range.is_primitive()).count(),
            only_text: texts.first().copied().filter(|_| texts.len() == 1),
            index,
            name: name.to_owned(),
            role,
            supertypes,
            features,
            read: role != Role::Skipped,
        }
    }

    /// Returns the index of a feature.
    pub(super) fn index_of(&self, feature: &str) -> Option<u32> {
        self.index.get(feature).copied()
    }

    /// Returns true for layers, which can be selected.
    pub(super) fn is_layer(&self) -> bool {
        matches!(self.role, Role::Span | Role::Relation { .. })
    }

    /// Returns true for properties of tokens and sentences.
    pub(super) fn is_linguistic(&self) -> bool {
        self.is_layer() && self.supertypes.iter().any(|name| is_linguistic(name))
    }

    /// Returns true if the kind is a layer that is read, or not a layer.
    pub(super) fn is_chosen(&self, choice: &Choice) -> bool {
        match self.role {
            Role::Span => choice.reads(self.supertypes.iter().map(String::as_str)),
            Role::Relation { .. } => choice.reads_relations(&self.name),
            role => role != Role::Skipped,
        }
    }

    /// Returns the type of the annotations that the relations of this kind connect.
    pub(super) fn base(&self) -> Option<&str> {
        match self.role {
            Role::Relation { from, .. } => Some(self.features.get(from)?.range_name.as_str()),
            _ => None,
        }
    }

    /// Returns the feature that is the type of an annotation, of whose features `set` are set.
    pub(super) fn type_feature<'s>(
        &self,
        set: impl Iterator<Item = (&'s str, bool)> + Clone,
    ) -> Option<&'s str> {
        let features = Features {
            layer: &self.name,
            primitive: self.primitive,
            only_text: self.only_text.map(|at| self.features[at].name.as_str()),
            has_value: self.index.contains_key("value"),
        };
        features.type_feature(set)
    }

    /// Returns the type of annotations without a feature that is the type.
    pub(super) fn short_name(&self) -> &str {
        short_name(&self.name)
    }
}

/// Returns the role of a type.
fn role(name: &str, supertypes: &[String], features: &[Feature]) -> Role {
    let inherits = |wanted: &str| supertypes.iter().any(|name| name == wanted);
    let feature = |wanted: &str| features.iter().position(|f| f.name == wanted);
    let reference =
        |wanted: &str| feature(wanted).filter(|&at| features[at].range == Range::Reference);
    let pair = |from, to| reference(from).zip(reference(to));
    if inherits(TOKEN_TYPE) || inherits(CTAKES_TOKEN) {
        return Role::Token;
    }
    if inherits(SENTENCE_TYPE) || DESCRIPTIONS.contains(&name) {
        return Role::Skipped;
    }
    if inherits("uima.tcas.DocumentAnnotation") || name == CAS_METADATA {
        return Role::Facts;
    }
    if name == METADATA {
        return Role::Metadata;
    }
    if inherits(ANNOTATION) {
        return match pair("Governor", "Dependent").or_else(|| pair("source", "target")) {
            Some((from, to)) => Role::Relation { from, to },
            None => Role::Span,
        };
    }
    if name.starts_with("uima.cas.") && (name.ends_with("Array") || name.ends_with("List")) {
        return Role::List;
    }
    if let Some((role, target)) = feature("role").zip(reference("target")) {
        return Role::Slot { role, target };
    }
    if let Some((from, to)) = pair("arg1", "arg2") {
        return Role::Arguments { from, to };
    }
    // The first links of chains have no values of their own.
    match inherits("uima.cas.AnnotationBase") && reference("first").is_none() {
        true => Role::FactLayer,
        false => Role::Object,
    }
}

/// Returns a name for messages.
pub(super) fn quoted(name: &str) -> String {
    excerpt(name, 100)
}
