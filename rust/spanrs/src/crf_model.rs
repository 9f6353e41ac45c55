//! A CRF with the template and the scheme given in its metadata.

use std::sync::OnceLock;

use spanrs_base::Interner;
use spanrs_crf::{
    AttributeIndex, Constraint, Error, Extractor, IndexedTemplate, Model, Template, metadata_text,
};
use spanrs_tags::{Dialect, Error as TagsError, Scheme};

/// The reason why a model cannot be used with its metadata.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CrfModelError {
    /// The model or its metadata is invalid.
    #[error(transparent)]
    Crf(#[from] Error),
    /// The scheme is unknown, or a label is not a tag of the scheme.
    #[error(transparent)]
    Tags(#[from] TagsError),
}

/// A model that is ready to label sequences.
pub struct CrfModel {
    model: Model,
    template: Option<Extractor>,
    /// The attributes for the template, created when first needed.
    index: OnceLock<AttributeIndex>,
}

/// Returns the transitions between labels that are legal under a scheme.
///
/// # Errors
/// [`TagsError`] for a label that is not a tag of the scheme.
pub fn scheme_constraint(
    scheme: Scheme,
    labels: &Interner<str>,
) -> Result<Constraint, CrfModelError> {
    let names: Vec<&str> = labels.names().collect();
    let flags = spanrs_tags::legal(scheme, &names, &Dialect::default())?;
    Ok(Constraint::of_table(names.len(), &flags)?)
}

impl CrfModel {
    /// Prepares a model for labelling, with the template and the scheme from its metadata
    /// (`template`, `scheme`).
    ///
    /// # Errors
    /// [`CrfModelError`] for metadata that is not a JSON object, and for an invalid template or
    /// scheme.
    pub fn new(mut model: Model) -> Result<Self, CrfModelError> {
        let template = metadata_text(model.metadata(), "template")?;
        let template = template.map(|text| Template::parse(&text)).transpose();
        let template = template.map_err(|error| Error::Input(error.to_string()))?;
        if let Some(scheme) = metadata_text(model.metadata(), "scheme")? {
            let constraint = scheme_constraint(Scheme::from_name(&scheme)?, model.labels())?;
            model = model.constrained(constraint)?;
        }
        Ok(Self {
            model,
            template: template.map(|template| Extractor::new(&template)),
            index: OnceLock::new(),
        })
    }

    /// Returns the model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns true if a template creates the features.
    pub fn has_template(&self) -> bool {
        self.template.is_some()
    }

    /// Returns the template, with the index of its attributes, if there is one.
    pub fn template(&self) -> Option<IndexedTemplate<'_>> {
        let template = self.template.as_ref()?;
        let index = || AttributeIndex::new(self.model.attributes());
        Some((template, self.index.get_or_init(index)))
    }
}
