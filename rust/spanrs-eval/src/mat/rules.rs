//! MATScore's rules: which types of annotations are scored, and under which labels.
//!
//! The label of an annotation is determined in this order: its type, or the first alias of the type
//! for which the annotation has all attributes; then the equivalence class of this name, if any.
//! Annotations whose label is ignored are removed from both sides before pairing. With the aliases
//! `Place` for `NP kind=l` and `Person` for `NP kind=p`, the class `Place -> LOC`, and `Person`
//! ignored:
//!
//! | annotation | alias | class | label |
//! |---|---|---|---|
//! | `NP kind=l` | `Place` | `LOC` | `LOC` |
//! | `NP kind=p` | `Person` | | none |
//! | `NP kind=x` | | | `NP` |
//!
//! Roles of types are defined by the task, or else by lists:
//!
//! | task | `content` | `tokens` | scored | tokens |
//! |---|---|---|---|---|
//! | set | any | any | content types of the task | token types of the task |
//! | | set | unset | types in `content` | none |
//! | | set | set | types in `content` | other types in `tokens` |
//! | | unset | unset | all but [`NO_CONTENT`] | `lex` |
//! | | unset | set | all but `tokens` and [`NO_CONTENT`] | types in `tokens` |

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use spanrs_base::{Alias, Category, Named, Tag, Task};

/// Types excluded by default: tokens, zones, and types that MAT uses internally.
pub const NO_CONTENT: [&str; 5] = ["lex", "zone", "SEGMENT", "VOTE", "untaggable"];

/// How discontinuous annotations are scored. MATScore's own formats have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pieces {
    /// Scored as one span from the start of the first piece to the end of the last.
    #[default]
    Cover,
    /// Scored as one span for each piece, all with the same label.
    Split,
    /// Refused with an error ([`Discontinuous`](super::Discontinuous)).
    Refuse,
}

impl Named for Pieces {
    const WHAT: &'static str = "pieces";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("cover", Self::Cover),
        ("split", Self::Split),
        ("refuse", Self::Refuse),
    ];
}

spanrs_base::serde_by_name!(Pieces);

/// Which annotations are scored, and under which labels.
///
/// The default scores every type except [`NO_CONTENT`] under its own name, and uses `lex` as the
/// token type. A task overrides `content` and `tokens`; equivalence classes and ignored labels
/// apply in either case.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// The annotation task, which defines content types, token types, zones and aliases. Other
    /// types are not scored.
    pub task: Option<Task>,
    /// Types that are scored, before aliases and classes. None for all types except token types and
    /// [`NO_CONTENT`].
    pub content: Option<HashSet<String>>,
    /// Types that are tokens. None for `lex`, or for no tokens if `content` is set. Types in
    /// `content` are never tokens.
    pub tokens: Option<HashSet<String>>,
    /// Equivalence classes: label -> label under which it is scored. Applied once, not repeatedly.
    pub classes: HashMap<String, String>,
    /// Labels that are ignored after equivalence classes were applied.
    pub ignore: HashSet<String>,
    /// How discontinuous annotations are scored.
    pub pieces: Pieces,
}

/// The role of the annotations of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The annotations are scored.
    Content {
        /// True if the label depends on the attributes of the annotation.
        aliases: bool,
    },
    /// The annotations are tokens.
    Token,
    /// The annotations are not used. Zones are found separately, with [`Rules::is_zone`].
    Nothing,
}

impl Rules {
    /// Returns the role of a type, determined by the task if there is one, else by `content`,
    /// `tokens` and the defaults, in this order.
    pub(super) fn role(&self, ty: &str) -> Role {
        let plain = Role::Content { aliases: false };
        if self.task.is_some() {
            let tag = self.tag(ty);
            return match tag.map_or(Category::Other, |tag| tag.category) {
                Category::Content => Role::Content {
                    aliases: tag.is_some_and(|tag| !tag.aliases.is_empty()),
                },
                Category::Token => Role::Token,
                Category::Zone | Category::Other => Role::Nothing,
            };
        }
        let token = match (&self.tokens, &self.content) {
            (Some(tokens), _) => tokens.contains(ty),
            (None, None) => ty == "lex",
            (None, Some(_)) => false,
        };
        match &self.content {
            Some(content) if content.contains(ty) => plain,
            _ if token => Role::Token,
            None if !NO_CONTENT.contains(&ty) => plain,
            _ => Role::Nothing,
        }
    }

    /// Returns true if `ty` is a zone of the task; false without a task.
    pub(super) fn is_zone(&self, ty: &str) -> bool {
        self.tag(ty)
            .is_some_and(|tag| tag.category == Category::Zone)
    }

    /// Returns the definition of a type in the task, if there is one.
    fn tag(&self, ty: &str) -> Option<&Tag> {
        self.task.as_ref()?.tags.iter().find(|tag| tag.name == ty)
    }

    /// Returns the label of an annotation of type `ty` with these attributes (name, value); None if
    /// the label is ignored.
    pub(super) fn label<'a, 'b>(
        &'a self,
        ty: &'a str,
        attributes: impl Iterator<Item = (&'b str, &'b str)> + Clone,
    ) -> Option<&'a str> {
        let label = self.alias(ty, attributes).unwrap_or(ty);
        let label = self.classes.get(label).map_or(label, |class| class);
        (!self.ignore.contains(label)).then_some(label)
    }

    /// Returns the first alias, in the order of the task, for which the annotation has all
    /// attributes.
    fn alias<'b>(
        &self,
        ty: &str,
        attributes: impl Iterator<Item = (&'b str, &'b str)> + Clone,
    ) -> Option<&str> {
        let has = |(name, value): &(String, String)| {
            let mut attributes = attributes.clone();
            attributes.any(|attribute| attribute == (name, value))
        };
        let fits = |alias: &&Alias| alias.attributes.iter().all(has);
        let alias = self.tag(ty)?.aliases.iter().find(fits);
        alias.map(|alias| &*alias.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> Option<HashSet<String>> {
        Some(names.iter().map(|&name| name.to_owned()).collect())
    }

    #[test]
    fn types_have_default_roles() {
        let rules = Rules::default();
        assert_eq!(rules.role("PERSON"), Role::Content { aliases: false });
        assert_eq!(rules.role("lex"), Role::Token);
        assert_eq!(rules.role("zone"), Role::Nothing);
    }

    #[test]
    fn named_content_leaves_no_default_tokens() {
        let mut rules = Rules {
            content: set(&["A"]),
            ..Rules::default()
        };
        assert_eq!(rules.role("lex"), Role::Nothing);
        assert_eq!(rules.role("B"), Role::Nothing);
        rules.tokens = set(&["w"]);
        assert_eq!(rules.role("w"), Role::Token);
    }

    #[test]
    fn the_first_alias_that_fits_is_mapped_to_its_class() {
        let alias = |name: &str, value: &str| Alias {
            name: name.to_owned(),
            attributes: vec![("kind".to_owned(), value.to_owned())],
        };
        let tag = Tag {
            name: "NP".to_owned(),
            category: Category::Content,
            aliases: vec![alias("Person", "p"), alias("Place", "l")],
        };
        let rules = Rules {
            task: Some(Task {
                name: String::new(),
                tags: vec![tag],
            }),
            classes: HashMap::from([("Place".to_owned(), "LOC".to_owned())]),
            ignore: HashSet::from(["Person".to_owned()]),
            ..Rules::default()
        };
        assert_eq!(rules.role("NP"), Role::Content { aliases: true });
        let label = |value| rules.label("NP", [("kind", value)].into_iter());
        assert_eq!(label("l"), Some("LOC"));
        assert_eq!(label("p"), None);
        assert_eq!(label("x"), Some("NP"));
    }
}
