//! UIMA type systems: which types inherit from which, and the features of types.

use std::collections::HashMap;

use super::super::json::excerpt;
use super::super::uima_layers::{ANNOTATION, NAMED_ENTITY, POS, SENTENCE_TYPE, TOKEN_TYPE};
use super::xml::{Node, Xml, local};
use crate::error::Result;

/// Maximum number of types that a type inherits from. Types rarely inherit from more than ten.
const SUPERTYPES: usize = 100;
/// Maximum number of characters of a name that are quoted in messages.
const QUOTE: usize = 100;

/// The values of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Range {
    Text,
    Boolean,
    Integer,
    Float,
    /// A list of texts.
    Texts,
    /// A list of numbers or booleans, in the element or, if `shared`, in an element of its own.
    Values {
        shared: bool,
    },
    /// A feature structure or a list of feature structures.
    Reference,
}

impl Range {
    /// Returns true for values that are neither lists nor references.
    pub(super) fn is_primitive(self) -> bool {
        matches!(
            self,
            Self::Text | Self::Boolean | Self::Integer | Self::Float
        )
    }
}

/// A feature of a type.
#[derive(Clone, Debug)]
pub(super) struct Feature {
    pub(super) name: String,
    pub(super) range: Range,
    /// The name of the type of the values.
    pub(super) range_name: String,
}

/// A description of a type.
#[derive(Clone, Debug, Default)]
struct Description {
    supertype: String,
    /// Names of features and of their types, and whether values are shared.
    features: Vec<(String, String, bool)>,
}

/// A type system.
pub(super) struct TypeSystem {
    types: HashMap<String, Description>,
    /// Whether the type system is read from a file.
    pub(super) is_given: bool,
    /// Whether the file refers to other files, which are not read.
    pub(super) has_imports: bool,
}

/// A type with everything that it inherits.
pub(super) struct Resolved {
    /// The type, and the types that it inherits from.
    pub(super) supertypes: Vec<String>,
    /// All features, except `sofa`, `begin` and `end`.
    pub(super) features: Vec<Feature>,
}

/// A type that is known: name, supertype, and names and types of features.
type Known = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

/// Types that UIMA predefines: name, supertype, and features with their types.
const PREDEFINED: &[Known] = &[
    ("uima.cas.AnnotationBase", "uima.cas.TOP", &[]),
    (ANNOTATION, "uima.cas.AnnotationBase", &[]),
    (
        "uima.tcas.DocumentAnnotation",
        ANNOTATION,
        &[("language", "uima.cas.String")],
    ),
    (
        "uima.cas.FSArray",
        "uima.cas.TOP",
        &[("elements", "uima.cas.TOP")],
    ),
    (
        "uima.cas.StringArray",
        "uima.cas.TOP",
        &[("elements", "uima.cas.StringArray")],
    ),
    (
        "uima.cas.BooleanArray",
        "uima.cas.TOP",
        &[("elements", "uima.cas.BooleanArray")],
    ),
    (
        "uima.cas.ByteArray",
        "uima.cas.TOP",
        &[("elements", "uima.cas.ByteArray")],
    ),
    (
        "uima.cas.ShortArray",
        "uima.cas.TOP",
        &[("elements", "uima.cas.ShortArray")],
    ),
    (
        "uima.cas.IntegerArray",
        "uima.cas.TOP",
        &[("elements", "uima.cas.IntegerArray")],
    ),
    (
        "uima.cas.LongArray",
        "uima.cas.TOP",
        &[("elements", "uima.cas.LongArray")],
    ),
    (
        "uima.cas.FloatArray",
        "uima.cas.TOP",
        &[("elements", "uima.cas.FloatArray")],
    ),
    (
        "uima.cas.DoubleArray",
        "uima.cas.TOP",
        &[("elements", "uima.cas.DoubleArray")],
    ),
    (
        "uima.cas.FSHashSet",
        "uima.cas.TOP",
        &[("elements", "uima.cas.TOP")],
    ),
    ("uima.cas.EmptyFSList", "uima.cas.TOP", &[]),
    ("uima.cas.EmptyStringList", "uima.cas.TOP", &[]),
    ("uima.cas.EmptyIntegerList", "uima.cas.TOP", &[]),
    ("uima.cas.EmptyFloatList", "uima.cas.TOP", &[]),
    (
        "uima.cas.NonEmptyFSList",
        "uima.cas.TOP",
        &[("head", "uima.cas.TOP"), ("tail", "uima.cas.TOP")],
    ),
    (
        "uima.cas.NonEmptyStringList",
        "uima.cas.TOP",
        &[("head", "uima.cas.String"), ("tail", "uima.cas.TOP")],
    ),
    (
        "uima.cas.NonEmptyIntegerList",
        "uima.cas.TOP",
        &[("head", "uima.cas.Integer"), ("tail", "uima.cas.TOP")],
    ),
    (
        "uima.cas.NonEmptyFloatList",
        "uima.cas.TOP",
        &[("head", "uima.cas.Float"), ("tail", "uima.cas.TOP")],
    ),
];

/// Types that are known without a type system.
const WELL_KNOWN: &[Known] = &[
    (
        TOKEN_TYPE,
        ANNOTATION,
        &[
            ("parent", ANNOTATION),
            ("lemma", ANNOTATION),
            ("stem", ANNOTATION),
            ("pos", ANNOTATION),
            ("morph", ANNOTATION),
            ("id", "uima.cas.String"),
            ("form", ANNOTATION),
            ("syntacticFunction", "uima.cas.String"),
            ("order", "uima.cas.Integer"),
        ],
    ),
    (SENTENCE_TYPE, ANNOTATION, &[("id", "uima.cas.String")]),
    (
        NAMED_ENTITY,
        ANNOTATION,
        &[
            ("value", "uima.cas.String"),
            ("identifier", "uima.cas.String"),
        ],
    ),
    (
        POS,
        ANNOTATION,
        &[
            ("PosValue", "uima.cas.String"),
            ("coarseValue", "uima.cas.String"),
        ],
    ),
    (
        "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Lemma",
        ANNOTATION,
        &[("value", "uima.cas.String")],
    ),
    (
        "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData",
        "uima.tcas.DocumentAnnotation",
        &[
            ("documentTitle", "uima.cas.String"),
            ("documentId", "uima.cas.String"),
            ("documentUri", "uima.cas.String"),
            ("collectionId", "uima.cas.String"),
            ("documentBaseUri", "uima.cas.String"),
            ("isLastSegment", "uima.cas.Boolean"),
        ],
    ),
    (
        "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.TagsetDescription",
        ANNOTATION,
        &[
            ("layer", "uima.cas.String"),
            ("name", "uima.cas.String"),
            ("input", "uima.cas.Boolean"),
            ("tags", "uima.cas.FSArray"),
            ("componentName", "uima.cas.String"),
            ("modelLocation", "uima.cas.String"),
            ("modelVariant", "uima.cas.String"),
            ("modelLanguage", "uima.cas.String"),
            ("modelVersion", "uima.cas.String"),
        ],
    ),
    (
        "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.TagDescription",
        "uima.cas.TOP",
        &[
            ("name", "uima.cas.String"),
            ("description", "uima.cas.String"),
        ],
    ),
    (
        "de.tudarmstadt.ukp.clarin.webanno.api.type.LayerDefinition",
        "uima.cas.TOP",
        &[("name", "uima.cas.String"), ("uiName", "uima.cas.String")],
    ),
    (
        "de.tudarmstadt.ukp.clarin.webanno.api.type.FeatureDefinition",
        "uima.cas.TOP",
        &[
            ("name", "uima.cas.String"),
            ("uiName", "uima.cas.String"),
            ("layer", "uima.cas.TOP"),
        ],
    ),
    (
        "de.tudarmstadt.ukp.clarin.webanno.api.type.CASMetadata",
        ANNOTATION,
        &[
            ("username", "uima.cas.String"),
            ("projectId", "uima.cas.Long"),
            ("projectName", "uima.cas.String"),
            ("sourceDocumentId", "uima.cas.Long"),
            ("sourceDocumentName", "uima.cas.String"),
            ("lastChangedOnDisk", "uima.cas.Long"),
        ],
    ),
];

impl TypeSystem {
    /// Returns the types that UIMA predefines.
    fn predefined() -> Self {
        let mut types = Self {
            types: HashMap::new(),
            is_given: true,
            has_imports: false,
        };
        types.add_all(PREDEFINED);
        types
    }

    /// Returns the types that are known without a type system.
    pub(super) fn well_known() -> Self {
        let mut types = Self::predefined();
        types.add_all(WELL_KNOWN);
        types.is_given = false;
        types
    }

    fn add_all(&mut self, all: &[Known]) {
        for (name, supertype, features) in all {
            let features = features.iter();
            let features =
                features.map(|(name, range)| ((*name).to_owned(), (*range).to_owned(), false));
            let supertype = (*supertype).to_owned();
            let features = features.collect();
            self.types.insert(
                (*name).to_owned(),
                Description {
                    supertype,
                    features,
                },
            );
        }
    }

    /// Reads a type system.
    ///
    /// # Errors
    /// The errors of [`Xml::next`], and [`Code::BadDocument`](crate::Code::BadDocument) for a file
    /// without types.
    pub(super) fn parse(name: &str, source: &str, nesting: usize) -> Result<Self> {
        let mut xml = Xml::new(name, source, nesting);
        let mut types = Self::predefined();
        let mut open: Vec<String> = Vec::new();
        let mut fields: HashMap<String, String> = HashMap::new();
        let mut features: Vec<(String, String, bool)> = Vec::new();
        let (mut text, mut described) = (String::new(), false);
        loop {
            match xml.next()? {
                Node::Start(start) => {
                    let element = local(start.name().0);
                    match element {
                        "typeDescription" => {
                            fields.clear();
                            features.clear();
                        }
                        "typeSystemDescription" => described = true,
                        "import" => types.has_imports = true,
                        _ => {}
                    }
                    text.clear();
                    open.push(element.to_owned());
                }
                Node::Text(part) => text.push_str(&part),
                Node::End => {
                    let element = open.pop().unwrap_or_default();
                    let field =
                        |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
                    match (element.as_str(), open.last().map(String::as_str)) {
                        ("typeDescription", _) => {
                            let name = field("typeDescription.name").to_owned();
                            let supertype = field("typeDescription.supertypeName").to_owned();
                            types.add(name, supertype, std::mem::take(&mut features));
                        }
                        ("featureDescription", _) => {
                            let name = field("featureDescription.name").to_owned();
                            let range = field("featureDescription.rangeTypeName").to_owned();
                            let shared =
                                field("featureDescription.multipleReferencesAllowed") == "true";
                            features.push((name, range, shared));
                            fields.retain(|field, _| !field.starts_with("featureDescription."));
                        }
                        (_, Some(parent @ ("typeDescription" | "featureDescription"))) => {
                            fields.insert(format!("{parent}.{element}"), text.trim().to_owned());
                        }
                        _ => {}
                    }
                    text.clear();
                }
                Node::Eof if described => return Ok(types),
                Node::Eof => {
                    let message = "this is not a UIMA type system, which has an element \
                                   typeSystemDescription";
                    return Err(xml.error_at(0, message));
                }
            }
        }
    }

    /// Adds a description. Features of several descriptions of a type are merged, as in UIMA.
    fn add(&mut self, name: String, supertype: String, features: Vec<(String, String, bool)>) {
        let is_predefined = name.starts_with("uima.cas.") || name == ANNOTATION;
        if name.is_empty() || is_predefined {
            return;
        }
        let description = self.types.entry(name).or_default();
        if description.supertype.is_empty() || description.supertype == ANNOTATION {
            description.supertype = supertype;
        }
        description.features.extend(features);
    }

    /// Returns true if a type has this name, or this name without its package.
    pub(super) fn has_name(&self, name: &str) -> bool {
        let mut names = self.types.keys();
        self.types.contains_key(name)
            || names.any(|known| super::super::uima_layers::short_name(known) == name)
    }

    /// Returns a type with everything that it inherits.
    ///
    /// # Errors
    /// A message, if the type, or one that it inherits from, does not exist.
    pub(super) fn resolve(&self, name: &str) -> std::result::Result<Resolved, String> {
        let mut resolved = Resolved {
            supertypes: Vec::new(),
            features: Vec::new(),
        };
        let mut next = name;
        while !next.is_empty() && next != "uima.cas.TOP" {
            let Some(description) = self.types.get(next) else {
                return Err(self.missing(name, next));
            };
            if resolved.supertypes.len() == SUPERTYPES {
                return Err(format!(
                    "the type {} inherits from more than {SUPERTYPES} types, or from itself",
                    excerpt(name, QUOTE)
                ));
            }
            resolved.supertypes.push(next.to_owned());
            for (name, range_name, shared) in &description.features {
                if !matches!(name.as_str(), "sofa" | "begin" | "end") {
                    resolved.features.push(Feature {
                        name: name.clone(),
                        range: self.range(range_name, *shared),
                        range_name: range_name.clone(),
                    });
                }
            }
            next = &description.supertype;
        }
        Ok(resolved)
    }

    /// Returns the message about a type that does not exist.
    fn missing(&self, name: &str, missing: &str) -> String {
        let (of, missing) = match name == missing {
            true => (String::new(), excerpt(missing, QUOTE)),
            false => (
                format!(", from which {} inherits,", excerpt(name, QUOTE)),
                excerpt(missing, QUOTE),
            ),
        };
        if !self.is_given {
            return format!(
                "the type {missing} is described in the type system, which was not found; put the \
                 file TypeSystem.xml of the export next to this file, or pass it"
            );
        }
        let advice = match self.has_imports {
            true => "it imports other files, which are not read: merge them into one file",
            false => "use the type system of the same export",
        };
        format!("the type {missing}{of} is not in the type system; {advice}")
    }

    /// Returns the kind of the values of a type.
    fn range(&self, name: &str, shared: bool) -> Range {
        match name.strip_prefix("uima.cas.") {
            Some("String") => Range::Text,
            Some("Boolean") => Range::Boolean,
            Some("Byte" | "Short" | "Integer" | "Long") => Range::Integer,
            Some("Float" | "Double") => Range::Float,
            Some("StringArray" | "StringList") => Range::Texts,
            Some("FSArray" | "FSList") => Range::Reference,
            Some(list) if list.ends_with("Array") || list.ends_with("List") => {
                Range::Values { shared }
            }
            _ => {
                // Subtypes of String have lists of allowed values.
                let mut next = name;
                for _ in 0..SUPERTYPES {
                    match self.types.get(next) {
                        Some(description) if description.supertype == "uima.cas.String" => {
                            return Range::Text;
                        }
                        Some(description) => next = &description.supertype,
                        None => break,
                    }
                }
                Range::Reference
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(types: &str) -> Result<TypeSystem> {
        let source = format!(
            "<?xml version='1.0'?><typeSystemDescription xmlns='http://uima.apache.org/resourceSpecifier'>\
             <name>x</name><types>{types}</types></typeSystemDescription>"
        );
        TypeSystem::parse("t", &source, 100)
    }

    #[test]
    fn types_inherit_features() {
        let types = parse(
            "<typeDescription><name>a.B</name><supertypeName>a.A</supertypeName><features>\
             <featureDescription><name>tone</name><rangeTypeName>a.Tone</rangeTypeName></featureDescription>\
             </features></typeDescription>\
             <typeDescription><name>a.A</name><description>d &amp; e</description>\
             <supertypeName>uima.tcas.Annotation</supertypeName><features>\
             <featureDescription><name>n</name><rangeTypeName>uima.cas.Long</rangeTypeName></featureDescription>\
             </features></typeDescription>\
             <typeDescription><name>a.Tone</name><supertypeName>uima.cas.String</supertypeName></typeDescription>",
        )
        .unwrap();
        let resolved = types.resolve("a.B").unwrap();
        assert_eq!(
            resolved.supertypes,
            ["a.B", "a.A", ANNOTATION, "uima.cas.AnnotationBase"]
        );
        let features: Vec<_> = resolved
            .features
            .iter()
            .map(|f| (&*f.name, f.range))
            .collect();
        assert_eq!(features, [("tone", Range::Text), ("n", Range::Integer)]);
        assert!(types.has_name("B") && !types.has_name("C"));
    }

    #[test]
    fn types_that_inherit_from_themselves_are_refused() {
        let cycle = "<typeDescription><name>a.A</name><supertypeName>a.B</supertypeName></typeDescription>\
                     <typeDescription><name>a.B</name><supertypeName>a.A</supertypeName></typeDescription>";
        let message = parse(cycle).unwrap().resolve("a.A").err().unwrap();
        assert_eq!(
            message,
            "the type a.A inherits from more than 100 types, or from itself"
        );
        let message = parse("").unwrap().resolve("a.A").err().unwrap();
        assert_eq!(
            message,
            "the type a.A is not in the type system; use the type system of the same export"
        );
        assert!(TypeSystem::parse("t", "<x/>", 9).is_err());
    }
}
