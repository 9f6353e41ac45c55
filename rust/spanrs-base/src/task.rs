use crate::Named;

/// Role of the annotations of a type in a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Annotations that are scored.
    Content,
    /// Tokens.
    Token,
    /// Parts of the text that are annotated.
    Zone,
    /// Any other role.
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

/// Another label for the annotations of a type that have all these attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The label.
    pub name: String,
    /// (name, value)
    pub attributes: Vec<(String, String)>,
}

/// A type of annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Its name.
    pub name: String,
    /// Its role.
    pub category: Category,
    /// In the order of the file; the first whose attributes an annotation has applies.
    pub aliases: Vec<Alias>,
}

/// An annotation task (MAT's task.xml): the types of annotations of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// Its name.
    pub name: String,
    /// Its types.
    pub tags: Vec<Tag>,
}
