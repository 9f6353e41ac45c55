//! Decoding of many sequences in parallel.
//!
//! The sequences are divided into one contiguous range per thread. Each thread has its own
//! [`Decoder`] (and its own extractor if a template is applied), and the results are concatenated
//! in the order of the sequences, so they do not depend on the number of threads. Templates are
//! applied to [`BATCH`] sequences at a time: memory for attributes is limited to one batch per
//! thread, regardless of the length of the input.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use spanrs_base::{Watch, Workers, even_ranges, limit_threads};

use crate::columns::Columns;
use crate::decoder::Decoder;
use crate::error::{Error, Result, check_len};
use crate::model::Model;
use crate::sequences::Sequences;
use crate::template::{AttributeIndex, Extractor};

/// Number of sequences to which the template is applied at a time.
const BATCH: usize = 256;

/// Sequences to decode: numbered attributes, or strings to which a template is applied batch by
/// batch.
#[derive(Clone, Debug)]
pub enum Inputs {
    /// Attributes of the tokens, in the numbering of the model.
    Features(Sequences),
    /// Strings of the tokens; decoding requires an [`IndexedTemplate`].
    Columns(Arc<Columns>),
    /// Strings of the tokens, and other attributes and vectors of the same tokens.
    Both(Arc<Columns>, Sequences),
}

/// A template, and an index of the attributes in the model, for looking up the template's
/// attributes. Attributes that are not in the model are skipped.
pub type IndexedTemplate<'a> = (&'a Extractor, &'a AttributeIndex);

/// An error with the index of the sequence in which it occurred, from 0.
pub type SequenceError = (Error, usize);

impl Inputs {
    /// Number of sequences.
    pub fn len(&self) -> usize {
        match self {
            Self::Features(sequences) => sequences.len(),
            Self::Columns(columns) | Self::Both(columns, _) => columns.len(),
        }
    }

    /// True if there are no sequences.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The attributes of a range of sequences, with the index of the first sequence that the
    /// returned collection contains.
    ///
    /// Sequences of attributes are borrowed as a whole, with the index 0; columns are converted, so
    /// the collection contains only the sequences of `range`. Sequence `at` of the input is
    /// sequence `at - index` of the collection. For columns without a template the collection is
    /// empty.
    ///
    /// # Errors
    /// [`Error::Shape`] from [`Extractor::find`], with the index of the sequence, if the template
    /// uses a column that the sequence does not have; [`Error::Sequence`] for columns if the range
    /// ends after the last sequence, and [`Error::Shape`] if other attributes are those of another number of tokens.
    pub fn features(
        &self,
        range: Range<usize>,
        template: Option<IndexedTemplate<'_>>,
    ) -> Result<(Cow<'_, Sequences>, usize), SequenceError> {
        let (columns, (extractor, index)) = match (self, template) {
            (Self::Columns(columns) | Self::Both(columns, _), Some(template)) => {
                (columns, template)
            }
            (Self::Features(sequences), _) => return Ok((Cow::Borrowed(sequences), 0)),
            (Self::Columns(_) | Self::Both(..), None) => {
                return Ok((Cow::Owned(Sequences::new(0)), range.start));
            }
        };
        let (sequence, sequences) = (range.end.saturating_sub(1), columns.len());
        if sequence >= sequences && !range.is_empty() {
            let error = Error::Sequence {
                sequence,
                sequences,
            };
            return Err((error, sequence));
        }
        let (mut extractor, first) = (extractor.clone(), range.start);
        let mut sequences = Sequences::new(index.attributes());
        for at in range {
            let columns = columns.columns(at);
            let columns: Vec<&[&str]> = columns.iter().map(Vec::as_slice).collect();
            // A sequence without tokens has no columns.
            if !columns.is_empty() {
                let own = self
                    .own(at, columns[0].len())
                    .map_err(|error| (error, at))?;
                let mut refused = None;
                let found = extractor.find(&columns, index, |token, attributes| {
                    let added = match &own {
                        None => sequences.indicators(attributes),
                        Some((own, first)) => {
                            let found = attributes.iter().map(|&attribute| (attribute, 1.0));
                            sequences.token(found.chain(own.items(first + token)))
                        }
                    };
                    refused = refused.take().or(added.err());
                });
                found
                    .and(refused.map_or(Ok(()), Err))
                    .map_err(|error| (error, at))?;
                if let Some((own, _)) = own {
                    sequences.copy_vectors(own, at);
                }
            }
            sequences.end();
        }
        Ok((Cow::Owned(sequences), first))
    }

    /// The other attributes and vectors beside the strings of a sequence, with the number of its first token.
    ///
    /// # Errors
    /// [`Error::Shape`] if they are those of another number of tokens.
    fn own(&self, at: usize, tokens: usize) -> Result<Option<(&Sequences, usize)>> {
        let Self::Both(_, own) = self else {
            return Ok(None);
        };
        if at >= own.len() {
            return Err(Error::Sequence {
                sequence: at,
                sequences: own.len(),
            });
        }
        let range = own.sequence(at);
        check_len("tokens with other features", tokens, range.len())?;
        Ok(Some((own, range.start)))
    }

    /// Applies `decode` to each sequence, given a decoder that has read the sequence, and the index
    /// of the sequence. The results are in the order of the sequences for any number of threads.
    ///
    /// `threads` is limited to the numbers of processors and sequences; 0 means 1. `watch` is
    /// called in the calling thread only; the other threads stop at their next sequence.
    ///
    /// # Errors
    /// The errors of [`Inputs::features`] and of `decode`, with the index of the sequence: the
    /// first error in the first range with an error. [`Error::Attribute`] for an attribute that the
    /// model does not have, [`Error::Input`] for columns without a template, and for vectors of another dimension than
    /// the model's, [`Error::Interrupted`]
    /// if the watch requests a stop.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{Features, Inputs, Model, Sequences};
    /// let (features, _) = Features::listed(2, 1, &[(0, 1)], &[]).unwrap();
    /// let [mut labels, mut attributes] = [(); 2].map(|()| spanrs_base::Interner::default());
    /// ["O", "PER"].map(|name| labels.intern(name));
    /// attributes.intern("w=Ada");
    /// let model = Model::new(labels, attributes, features, vec![1.0], "{}".into()).unwrap();
    /// let mut sequences = Sequences::new(1);
    /// for attributes in [&[0][..], &[]] {
    ///     sequences.indicators(attributes).unwrap();
    ///     sequences.end();
    /// }
    /// let inputs = Inputs::Features(sequences);
    /// let best = inputs.decode(&model, None, 2, || false, |decoder, _| decoder.best()).unwrap();
    /// assert_eq!(best, [[1], [0]]);
    /// ```
    pub fn decode<T: Send>(
        &self,
        model: &Model,
        template: Option<IndexedTemplate<'_>>,
        threads: usize,
        watch: Watch,
        decode: impl Fn(&mut Decoder, usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>, SequenceError> {
        if matches!(self, Self::Columns(_) | Self::Both(..))
            && template.is_none()
            && !self.is_empty()
        {
            let message = "decoding strings requires a template, but the model has none";
            return Err((Error::Input(message.to_owned()), 0));
        }
        let ranges = even_ranges(self.len(), limit_threads(threads));
        Workers::watched(watch).flat_map(ranges, |range, worker| {
            let mut decoder = Decoder::new(model);
            let mut decoded = Vec::with_capacity(range.len());
            for start in range.clone().step_by(BATCH) {
                let batch = start..range.end.min(start + BATCH);
                let (features, first) = self.features(batch.clone(), template)?;
                for at in batch {
                    worker.check().map_err(|stop| (stop.into(), at))?;
                    check_attributes(&features, at - first, model)
                        .and_then(|()| features.check_dimension(model.features().dimension()))
                        .map_err(|error| (error, at))?;
                    decoder.read(&features, at - first);
                    decoded.push(decode(&mut decoder, at).map_err(|error| (error, at))?);
                }
            }
            Ok(decoded)
        })
    }
}

/// Checks that all attributes of a sequence are attributes of the model.
///
/// # Errors
/// [`Error::Attribute`] for the first attribute that is not.
fn check_attributes(sequences: &Sequences, at: usize, model: &Model) -> Result<()> {
    let attributes = model.features().attributes();
    if sequences.attributes() <= attributes {
        return Ok(());
    }
    let items = sequences
        .sequence(at)
        .flat_map(|token| sequences.items(token));
    let mut beyond = items.filter(|(attribute, _)| *attribute as usize >= attributes);
    match beyond.next() {
        None => Ok(()),
        Some((attribute, _)) => Err(Error::Attribute {
            attribute,
            attributes,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Corpus, FeatureSelection, Features, NamedCorpus, Target, Template};

    /// A model that prefers label 1 for the attribute `U:Ada`.
    fn model() -> Model {
        let mut corpus = Corpus::new(2, 1);
        corpus.token([(0, 1.0)]).unwrap();
        corpus.end_sequence(Target::Labels(vec![1]), 1.0).unwrap();
        let features = Features::of(&corpus, FeatureSelection::default());
        let mut names = NamedCorpus::default();
        let _ = ["O", "PER"].map(|name| names.labels.intern(name));
        names.attributes.intern("U:Ada");
        let (labels, attributes) = (names.labels, names.attributes);
        Model::new(labels, attributes, features, vec![2.0], "{}".into()).unwrap()
    }

    #[test]
    fn results_of_threads_are_in_the_order_of_the_sequences() {
        let (model, mut columns) = (model(), Columns::default());
        for at in 0..600 {
            columns.value(if at % 3 == 0 { "Ada" } else { "x" });
            columns.end_token().unwrap();
            columns.end();
        }
        let inputs = Inputs::Columns(columns.into());
        let extractor = Extractor::new(&Template::parse("U:%x[0,0]").unwrap());
        let index = AttributeIndex::new(model.attributes());
        let template = Some((&extractor, &index));
        for threads in [1, 2] {
            let labels = inputs.decode(
                &model,
                template,
                threads,
                || false,
                |decoder, at| Ok((at, decoder.best()?[0])),
            );
            let expected: Vec<_> = (0..600).map(|at| (at, usize::from(at % 3 == 0))).collect();
            assert_eq!(labels.unwrap(), expected);
        }
    }

    #[test]
    fn inputs_of_another_model_are_refused() {
        let (model, mut columns) = (model(), Columns::default());
        let labels =
            |inputs: &Inputs| inputs.decode(&model, None, 1, || false, |decoder, _| decoder.best());
        assert_eq!(
            labels(&Inputs::Columns(columns.clone().into())),
            Ok(Vec::new())
        );
        columns.value("Ada");
        columns.end_token().unwrap();
        columns.end();
        let inputs = Inputs::Columns(columns.into());
        assert!(matches!(labels(&inputs), Err((Error::Input(_), 0))));
        let extractor = Extractor::new(&Template::parse("U:%x[0,0]").unwrap());
        let index = AttributeIndex::new(model.attributes());
        let refused = inputs.features(0..2, Some((&extractor, &index)));
        assert!(matches!(
            refused,
            Err((Error::Sequence { sequence: 1, .. }, 1))
        ));

        let mut sequences = Sequences::new(9);
        for attribute in [0, 8] {
            sequences.indicators(&[attribute]).unwrap();
            sequences.end();
        }
        let (attribute, attributes) = (8, 1);
        let error = Error::Attribute {
            attribute,
            attributes,
        };
        assert_eq!(labels(&Inputs::Features(sequences)), Err((error, 1)));
    }

    #[test]
    fn an_error_has_the_index_of_its_sequence() {
        let mut sequences = Sequences::new(1);
        (0..3).for_each(|_| sequences.end());
        let fail = |_: &mut Decoder, at| match at {
            2 => Err(Error::NoPath),
            _ => Ok(()),
        };
        let inputs = Inputs::Features(sequences);
        let found = inputs.decode(&model(), None, 1, || false, fail);
        assert_eq!(found, Err((Error::NoPath, 2)));
    }
}
