//! Relations, which refer to annotations by id or to concepts.

use std::collections::HashMap;

use serde_json::Value;

use super::super::annotated_text::Document;
use super::super::json::excerpt;
use super::read::{QUOTE, text_of};
use super::{Link, TYPE};

/// Attribute with the concept of an annotation, in PubTator and its corpora.
const IDENTIFIER: &str = "identifier";
/// Infons with the concepts of a relation: PubTator 3 and BioRED.
const CONCEPTS: [[&str; 2]; 2] = [["role1", "role2"], ["entity1", "entity2"]];

/// What is not read of a relation.
#[derive(Default)]
pub(super) struct Ignored {
    /// Roles that do not number the nodes.
    pub(super) roles: bool,
    /// Infons other than the type and the concepts.
    pub(super) infons: bool,
}

/// Annotations by id, for relations.
pub(super) struct Ids<'a> {
    /// None for ids of several annotations and of annotations that are left out.
    annotations: HashMap<&'a str, Option<u32>>,
    /// The first annotation of each concept; None before the first relation of concepts.
    concepts: Option<HashMap<String, u32>>,
    /// Whether the document has relations.
    needed: bool,
}

impl<'a> Ids<'a> {
    /// Creates an empty table; `needed` is whether the document has relations.
    pub(super) fn new(needed: bool) -> Self {
        Self {
            annotations: HashMap::new(),
            concepts: None,
            needed,
        }
    }

    /// Adds an annotation; `at` is its index, or None if it is left out.
    pub(super) fn add(&mut self, id: &'a str, at: Option<u32>) {
        if self.needed && !id.is_empty() {
            let entry = self.annotations.entry(id);
            entry.and_modify(|at| *at = None).or_insert(at);
        }
    }

    /// Returns the index of the annotation with an id.
    fn find(&self, id: &str) -> Option<u32> {
        self.annotations.get(id).copied().flatten()
    }

    /// Returns the index of the first annotation of a concept.
    fn find_concept(&mut self, document: &Document, concept: &str) -> Option<u32> {
        let concepts = self.concepts.get_or_insert_with(|| {
            let mut concepts = HashMap::new();
            for (at, annotation) in (0..).zip(&document.annotations) {
                let mut attributes = document.attributes(annotation);
                if let Some((_, concept)) = attributes.find(|(name, _)| *name == IDENTIFIER) {
                    concepts.entry(concept.to_owned()).or_insert(at);
                }
            }
            concepts
        });
        concepts.get(concept).copied()
    }

    /// Adds a relation: between the first annotations of its two concepts, or from its first node
    /// to each of the others. Without these annotations it is left out with a report.
    ///
    /// PubTator 3 has both concepts and nodes, and the nodes are not ids of annotations.
    pub(super) fn relate(&mut self, document: &mut Document, link: &Link) -> Ignored {
        let ty = type_of(link);
        let type_text = ty.map(|(_, value)| text_of(value)).unwrap_or_default();
        let concepts = CONCEPTS.iter().find_map(|keys| {
            let [one, two] = keys.map(|key| concept(link, key));
            Some((keys, [one?, two?]))
        });
        let is_read = |infon: &(String, Value)| {
            ty.is_some_and(|ty| std::ptr::eq(ty, infon))
                || concepts.is_some_and(|(keys, _)| keys.contains(&infon.0.as_str()))
        };
        let mut ignored = Ignored {
            roles: false,
            infons: !link.infons.0.iter().all(is_read),
        };
        if let Some((_, concepts)) = concepts {
            let found = concepts.map(|concept| self.find_concept(document, concept));
            if let [Some(from), Some(to)] = found {
                document.relate(&type_text, from, to);
            } else {
                document.leave_out_relation(|| {
                    let missing = concepts[usize::from(found[0].is_some())];
                    let missing = excerpt(missing, QUOTE);
                    format!(
                        "{}: no annotation has the identifier {missing}",
                        shown(link)
                    )
                });
            }
            return ignored;
        }
        let nodes = link.nodes.iter();
        let nodes = nodes.map(|node| (argument(&node.role), node.refid.as_str()));
        let mut nodes: Vec<(Option<u32>, &str)> = nodes.collect();
        if nodes.iter().all(|(number, _)| number.is_some()) {
            nodes.sort_by_key(|(number, _)| *number);
        } else {
            ignored.roles = link.nodes.iter().any(|node| !node.role.is_empty());
        }
        let [(_, first), others @ ..] = nodes.as_slice() else {
            document.leave_out_relation(|| format!("{} has no nodes", shown(link)));
            return ignored;
        };
        if others.is_empty() {
            document.leave_out_relation(|| format!("{} has only one node", shown(link)));
        }
        for (_, other) in others {
            match (self.find(first), self.find(other)) {
                (Some(from), Some(to)) => document.relate(&type_text, from, to),
                (found, _) => document.leave_out_relation(|| {
                    let missing = if found.is_some() { other } else { first };
                    let missing = excerpt(missing, QUOTE);
                    format!(
                        "{}: there is no annotation with the id {missing}, or there are several, or \
                         it is left out",
                        shown(link)
                    )
                }),
            }
        }
        ignored
    }
}

/// Returns the infon with the type of a relation.
fn type_of(link: &Link) -> Option<&(String, Value)> {
    let names = [TYPE, "relation type", "relation"];
    let find = |name: &&str| link.infons.0.iter().find(|(key, _)| key == name);
    names.iter().find_map(find)
}

/// Returns the concept in an infon: text, or an object with an identifier.
fn concept<'a>(link: &'a Link, key: &str) -> Option<&'a str> {
    let (_, value) = link.infons.0.iter().find(|(name, _)| name == key)?;
    value.get(IDENTIFIER).unwrap_or(value).as_str()
}

/// Describes a relation in messages.
pub(super) fn shown(link: &Link) -> String {
    let ty = type_of(link).map(|(_, value)| text_of(value));
    let [id, ty] = [&link.id, &ty.unwrap_or_default()].map(|text| excerpt(text, QUOTE));
    format!("relation {id} ({ty})")
}

/// Returns the number of a role `arg1`, `Arg2`, ...
fn argument(role: &str) -> Option<u32> {
    let number = role
        .get(..3)
        .filter(|name| name.eq_ignore_ascii_case("arg"));
    role.get(3..).filter(|_| number.is_some())?.parse().ok()
}
