//! Annotation tasks: the types of a project and their roles.
//!
//! The data model follows MAT's `task.xml`. A task maps the type of an annotation, and optionally
//! the values of its attributes, to a label that is scored:
//!
//! | annotation | tag of the task | label |
//! |---|---|---|
//! | `ENAMEX` with `type=PER` | `ENAMEX`, alias `PER` for (`type`, `PER`) | `PER` |
//! | `ENAMEX` with no `type` | the same | `ENAMEX` |
//! | `lex` | `lex`, category [`Category::Token`] | not scored, delimits the tokens |

use serde::{Deserialize, Serialize};

use crate::Named;

/// The role of an annotation type in a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Annotations that are scored.
    Content,
    /// Tokens; their boundaries define the units of token scores.
    Token,
    /// Regions of the text that have been annotated; text outside of all zones has not been
    /// annotated.
    Zone,
    /// Any other role; such annotations are not scored.
    Other,
}

impl Named for Category {
    const WHAT: &'static str = "category";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("content", Self::Content),
        ("token", Self::Token),
        ("zone", Self::Zone),
        ("other", Self::Other),
    ];
}

crate::serde_by_name!(Category);

/// A label for the annotations of a type whose attributes have certain values.
///
/// An alias applies to an annotation that has all of `attributes` with exactly these values;
/// additional attributes do not matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alias {
    /// The label that replaces the name of the type.
    pub name: String,
    /// Required attributes as (name, value) pairs.
    pub attributes: Vec<(String, String)>,
}

/// An annotation type in a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// The name of the type, as it appears in annotations.
    pub name: String,
    /// The role of annotations of this type.
    pub category: Category,
    /// Labels that depend on attributes, in the order of the file; the first alias that applies to
    /// an annotation is used.
    pub aliases: Vec<Alias>,
}

/// An annotation task (MAT's `task.xml`): the annotation types of a project.
///
/// # Examples
///
/// ```
/// use spanrs_base::{Alias, Category, Tag, Task};
/// let alias = Alias { name: "PER".into(), attributes: vec![("type".into(), "PER".into())] };
/// let enamex = Tag { name: "ENAMEX".into(), category: Category::Content, aliases: vec![alias] };
/// let task = Task { name: "news".into(), tags: vec![enamex] };
/// let content = |tag: &&Tag| tag.category == Category::Content;
/// assert_eq!(task.tags.iter().filter(content).count(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Task {
    /// The name of the task; empty if the file contains none.
    pub name: String,
    /// The types, in the order of the file.
    pub tags: Vec<Tag>,
}
