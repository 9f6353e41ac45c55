//! The header of WebAnno TSV: layers and their columns.

use super::super::json::excerpt;

/// The layers of a file, in the order of their columns.
#[derive(Default)]
pub(super) struct Schema<'a> {
    pub(super) layers: Vec<LayerColumns<'a>>,
    /// Number of columns of all layers.
    pub(super) columns: usize,
}

/// A layer and its columns.
pub(super) struct LayerColumns<'a> {
    /// Full name of the layer.
    pub(super) name: &'a str,
    pub(super) kind: Kind,
    pub(super) columns: Vec<Column<'a>>,
    /// Index of the first column, among the columns of all layers.
    pub(super) first: usize,
    /// Number of columns with values of features.
    pub(super) primitive: usize,
    /// Whether a feature is named `value`.
    pub(super) has_value: bool,
    /// Whether the layer is read.
    pub(super) read: bool,
}

/// The kind of a layer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Span,
    Chain,
    Relation,
}

/// A column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Column<'a> {
    /// The value of a feature, by name.
    Feature(&'a str),
    /// Only shows that there is an annotation.
    Placeholder,
    /// Roles of slots, with the name of the feature.
    Role(&'a str),
    /// Targets of the slots of the previous column, with the layer of the targets.
    Target(&'a str),
    /// Number of the link of a chain, and the value of `referenceRelation`.
    Link,
    /// Source of a relation, with the layer of its annotations.
    Base(&'a str),
}

impl<'a> LayerColumns<'a> {
    /// Returns the layer whose annotations a relation connects; None for other layers.
    pub(super) fn base(&self) -> Option<&'a str> {
        self.columns.iter().find_map(|column| match column {
            Column::Base(base) => Some(*base),
            _ => None,
        })
    }
}

impl<'a> Schema<'a> {
    /// Adds the layer of a line of the header. Returns false if the line does not declare a layer.
    ///
    /// # Errors
    /// A message, if a declaration is not valid.
    pub(super) fn add(&mut self, line: &'a str) -> Result<bool, String> {
        let (kind, declaration) = match line.split_once('=') {
            Some(("#T_SP", declaration)) => (Kind::Span, declaration),
            Some(("#T_CH", declaration)) => (Kind::Chain, declaration),
            Some(("#T_RL", declaration)) => (Kind::Relation, declaration),
            _ => return Ok(false),
        };
        let mut fields = declaration.split('|').filter(|field| !field.is_empty());
        let Some(name) = fields.next() else {
            return Err("the name of the layer is missing; write #T_SP=NAME|FEATURE".to_owned());
        };
        let mut columns = Vec::new();
        for field in fields {
            let after_role = matches!(columns.last(), Some(Column::Role(_)));
            columns.push(column(kind, field, after_role)?);
        }
        let base = columns
            .iter()
            .filter(|c| matches!(c, Column::Base(_)))
            .count();
        if kind == Kind::Relation && base != 1 {
            let name = excerpt(name, 100);
            return Err(format!(
                "the layer {name} of relations needs the layer that it connects; write \
                 #T_RL=NAME|FEATURE|BT_LAYER"
            ));
        }
        if columns.is_empty() {
            columns.push(Column::Placeholder);
        }
        let features = || columns.iter().filter(|c| matches!(c, Column::Feature(_)));
        let layer = LayerColumns {
            name,
            kind,
            first: self.columns,
            primitive: features().count(),
            has_value: features().any(|column| *column == Column::Feature("value")),
            read: true,
            columns,
        };
        self.columns += layer.columns.len();
        self.layers.push(layer);
        Ok(true)
    }
}

/// Returns the column for a field of a declaration; `after_role` if the previous column has roles.
fn column(kind: Kind, field: &str, after_role: bool) -> Result<Column<'_>, String> {
    if kind == Kind::Span && after_role {
        return Ok(Column::Target(field));
    }
    if kind == Kind::Span
        && let Some(role) = field.strip_prefix("ROLE_")
    {
        let (_, feature) = role.split_once(':').unwrap_or(("", role));
        let feature = feature.split('_').next().unwrap_or(feature);
        return Ok(Column::Role(feature));
    }
    if kind == Kind::Span && field.contains('.') {
        return Err(format!(
            "{} is the layer of the targets of slots, but no column with their roles (ROLE_...) \
             precedes it",
            excerpt(field, 100)
        ));
    }
    if kind == Kind::Relation
        && let Some(base) = field.strip_prefix("BT_")
    {
        return Ok(Column::Base(base));
    }
    if kind == Kind::Chain && field == "referenceRelation" {
        return Ok(Column::Link);
    }
    Ok(Column::Feature(field))
}
