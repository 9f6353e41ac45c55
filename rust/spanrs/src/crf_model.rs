//! A CRF with the template and the scheme given in its metadata.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};
use spanrs_base::{Limits, Position};
use spanrs_crf::{
    AttributeIndex, Columns, Error, Extractor, IndexedTemplate, Inputs, Model, Template,
    TrainingOptions, metadata_temperature, metadata_text,
};
use spanrs_io::Source;
use spanrs_tags::{Error as TagsError, Scheme};

use crate::crf_scheme::{detect_scheme, scheme_constraint};
use crate::error::Error as FileError;

/// The reason why a model cannot be trained, or cannot be used with its metadata.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CrfModelError {
    /// The model, its metadata or its input is invalid.
    #[error(transparent)]
    Crf(#[from] Error),
    /// The scheme is unknown, or a label is not a tag of the scheme.
    #[error(transparent)]
    Tags(#[from] TagsError),
}

impl CrfModelError {
    /// Returns the error with the model file as its position.
    fn in_file(self, path: &Path) -> FileError {
        let position = Position::file(&path.display().to_string());
        match self {
            Self::Crf(error) => FileError::Crf { position, error },
            Self::Tags(error) => FileError::Tags { position, error },
        }
    }
}

/// A model that is ready to label sequences.
pub struct CrfModel {
    model: Model,
    template: Option<Extractor>,
    /// The attributes for the template, created when first needed.
    index: OnceLock<AttributeIndex>,
}

impl CrfModel {
    /// Prepares a model for labelling, with the template, the scheme and the temperature from its
    /// metadata (`template`, `scheme`, `temperature`), and with its lexicons.
    ///
    /// # Errors
    /// [`CrfModelError`] for metadata that is not a JSON object, for an invalid template, scheme or
    /// temperature, and for a template with a lexicon that the model does not have.
    pub fn new(mut model: Model) -> Result<Self, CrfModelError> {
        let template = metadata_text(model.metadata(), "template")?;
        let lexicons = model.lexicons();
        let template =
            template.map(|text| Template::parse(&text).and_then(|own| own.with_lexicons(lexicons)));
        let template = template.transpose();
        let template = template.map_err(|error| Error::Input(error.to_string()))?;
        if let Some(scheme) = metadata_text(model.metadata(), "scheme")? {
            let constraint = scheme_constraint(Scheme::from_name(&scheme)?, model.labels())?;
            model = model.constrained(constraint)?;
        }
        let temperature = metadata_temperature(model.metadata())?;
        model = model.with_temperature(temperature.unwrap_or(1.0))?;
        Ok(Self {
            model,
            template: template.map(|template| Extractor::new(&template)),
            index: OnceLock::new(),
        })
    }

    /// Trains a model on sentences with a label for each token. If the labels are tags, the model
    /// predicts only tag sequences that are legal in their scheme, which is detected.
    ///
    /// For threads, progress and interruption, or without the restriction to a scheme, use
    /// [`Model::fit_with`], [`CrfModel::new`] and [`CrfModel::with_scheme`].
    ///
    /// # Errors
    /// Same as [`Model::fit`].
    ///
    /// # Examples
    /// ```
    /// use spanrs::CrfModel;
    /// use spanrs::crf::{Columns, Template};
    /// let template = Template::parse("U00:%x[0,0]\nU01:%x[0,1]").unwrap();
    /// let mut sentences = Columns::default();
    /// sentences.push([["Ada", "NNP"], ["wrote", "VBD"]])?;
    /// let model = CrfModel::fit(&template, &sentences, [["B-PER", "O"]], &Default::default())?;
    /// assert_eq!(model.tag(sentences)?, [["B-PER", "O"]]);
    /// # Ok::<(), spanrs::CrfModelError>(())
    /// ```
    pub fn fit<L: AsRef<[S]>, S: AsRef<str>>(
        template: &Template,
        sentences: &Columns,
        labels: impl IntoIterator<Item = L> + Clone,
        options: &TrainingOptions,
    ) -> Result<Self, CrfModelError> {
        let model = Model::fit(template, sentences, labels.clone(), options)?;
        Self::new(model)?.with_scheme(detect_scheme(labels))
    }

    /// Returns the model with another scheme, to which decoding is restricted; None for no
    /// restriction.
    ///
    /// # Errors
    /// [`CrfModelError::Tags`] for a label that is not a tag of the scheme.
    pub fn with_scheme(self, scheme: Option<Scheme>) -> Result<Self, CrfModelError> {
        let scheme = scheme.map_or(Value::Null, |scheme| scheme.name().into());
        self.with_metadata("scheme", scheme)
    }

    /// Returns the model with one more entry in its metadata; null removes an entry.
    ///
    /// # Errors
    /// Same as [`CrfModel::new`].
    pub(crate) fn with_metadata(self, name: &str, value: Value) -> Result<Self, CrfModelError> {
        let message = |error: serde_json::Error| Error::Input(error.to_string());
        let entries = serde_json::from_str(self.model.metadata());
        let mut entries: Map<String, Value> = entries.map_err(message)?;
        entries.remove(name);
        if !value.is_null() {
            entries.insert(name.to_owned(), value);
        }
        let metadata = Value::Object(entries).to_string();
        Self::new(self.model.unconstrained().with_metadata(metadata))
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// [`FileError::Io`] if the file cannot be read; [`FileError::Crf`] and [`FileError::Tags`]
    /// for a file that is damaged or not a model.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        // Models are larger than documents.
        let limits = Limits {
            document_bytes: isize::MAX as usize,
            ..Limits::default()
        };
        let bytes = Source::from(path.to_owned()).contents(limits)?;
        let model = Model::from_bytes(&bytes).map_err(CrfModelError::from);
        model
            .and_then(Self::new)
            .map_err(|error| error.in_file(path))
    }

    /// Writes a model file, which [`CrfModel::load`], `spanrs crf tag` and `spanrs.crf.CRF.load`
    /// read. An existing file is replaced when the new file is complete.
    ///
    /// # Errors
    /// [`FileError::Write`] if the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let bytes = self.model.to_bytes().map_err(CrfModelError::from);
        let bytes = bytes.map_err(|error| error.in_file(path))?;
        // The target of a symbolic link is replaced, not the link.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if path.exists() && !path.is_file() {
            return Ok(fs::write(&path, bytes)?);
        }
        let mut part = path.clone().into_os_string();
        part.push(format!(".{}.part", std::process::id()));
        let mut file = File::create_new(&part)?;
        let written = file.write_all(&bytes);
        let written = written.and_then(|()| fs::rename(&part, &path));
        // The error of writing is more useful than an error of removing.
        Ok(written.inspect_err(|_| drop(fs::remove_file(&part)))?)
    }

    /// Returns the most probable labels of each sentence, from a template. Uses one thread;
    /// [`Inputs::decode`] uses several, and has other results of decoding.
    ///
    /// # Errors
    /// [`Error::Input`] for a model without a template; [`Error::InSequence`] for a sentence that
    /// has fewer columns than the template reads or cannot be labelled.
    pub fn tag(&self, sentences: impl Into<Arc<Columns>>) -> Result<Vec<Vec<&str>>, CrfModelError> {
        let inputs = Inputs::Columns(sentences.into());
        let never = || false;
        let best = inputs.decode(&self.model, self.template(), 1, never, |decoder, _| {
            decoder.best()
        });
        let names: Vec<&str> = self.model.labels().names().collect();
        let named = |labels: Vec<usize>| labels.into_iter().map(|label| names[label]).collect();
        Ok(best.map_err(Error::from)?.into_iter().map(named).collect())
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
