//! The spans in the labels of a CRF, as scoring reads them.

use spanrs_base::Vocabulary;
use spanrs_crf::{MAX_LABELS, Model, SpanTable};
use spanrs_tags::{CLOSE, Dialect, Error as TagsError, OPEN, Reader, Reading, Scheme};

use crate::crf_model::CrfModelError;

/// Returns where spans begin and end between the labels of a model, under the default reading of
/// [`crate::score()`], and the types of the spans, sorted by name.
///
/// # Errors
/// [`CrfModelError::Tags`] for a label that is not a tag of the scheme.
///
/// # Examples
/// ```
/// use spanrs::{CrfModel, span_table};
/// use spanrs::crf::{Columns, Inputs, Template};
/// use spanrs::tags::Scheme;
/// let template = Template::parse("U00:%x[0,0]").unwrap();
/// let mut sentences = Columns::default();
/// sentences.push([["Ada"], ["wrote"]])?;
/// let model = CrfModel::fit(&template, &sentences, [["B-PER", "O"]], &Default::default())?;
/// let (table, types) = span_table(Scheme::Bio, model.model())?;
/// let inputs = Inputs::Columns(sentences.into());
/// let spans = inputs.decode(model.model(), model.template(), 1, || false, |decoder, _| {
///     Ok(decoder.span_probabilities(&table)?.above(0.5))
/// });
/// let (span, probability) = spans.unwrap()[0][0];
/// assert_eq!((types[span.ty as usize].as_str(), span.start, span.end), ("PER", 0, 1));
/// assert!(0.5 < probability && probability < 1.0);
/// # Ok::<(), spanrs::CrfModelError>(())
/// ```
pub fn span_table(
    scheme: Scheme,
    model: &Model,
) -> Result<(SpanTable, Vec<String>), CrfModelError> {
    let mut tags = Vocabulary::new(MAX_LABELS);
    for name in model.labels().names() {
        tags.intern(name).map_err(TagsError::from)?;
    }
    let reader = Reader::with_vocabulary(tags, scheme, Reading::default(), Dialect::default())?;
    let side = reader.gold();
    let ids = 0..model.labels().len() as u32;
    if reader.has_foreign_prefixes() {
        let names: Vec<&str> = model.labels().names().collect();
        // Finds the label and raises the error.
        spanrs_tags::legal(scheme, &names, reader.dialect())?;
    }
    let inside = ids.clone().filter(|&id| !side.is_outside(id));
    let mut used: Vec<u32> = inside.map(|id| side.type_of(id)).collect();
    used.sort_by_key(|&ty| reader.type_name(ty));
    used.dedup();
    let mut numbers = vec![0; reader.types().len()];
    for (number, &ty) in (0_u32..).zip(&used) {
        numbers[ty as usize] = number;
    }
    let number = |id| (!side.is_outside(id)).then(|| numbers[side.type_of(id) as usize]);
    let table = SpanTable::new(ids.map(number).collect(), |before, here| {
        let [before, here] = [before, here].map(|label| label.map(|label| label as u32));
        // Under this reading every step depends on two tags only.
        let step = side.between(before, here).unwrap_or_default();
        (step & OPEN != 0, step & CLOSE != 0)
    });
    let names = used.iter().map(|&ty| reader.type_name(ty).to_owned());
    Ok((table, names.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use spanrs_base::Interner;
    use spanrs_crf::Features;

    /// A model of these labels, without weights.
    fn model(names: &[String]) -> Model {
        let (features, _) = Features::listed(names.len(), 0, &[], &[]).unwrap();
        let mut labels: Interner<str> = Interner::default();
        names.iter().for_each(|name| {
            labels.intern(name);
        });
        Model::new(
            labels,
            Interner::default(),
            features,
            Vec::new(),
            "{}".into(),
        )
        .unwrap()
    }

    #[test]
    fn labels_that_are_not_tags_are_refused() {
        let refused = span_table(Scheme::Bio, &model(&["O".into(), "X-PER".into()]));
        assert!(refused.unwrap_err().to_string().contains("X-PER"));
    }

    proptest! {
        #[test]
        fn spans_are_those_of_the_reader(
            scheme in prop::sample::select(Scheme::all().collect::<Vec<_>>()),
            labels in prop::collection::vec(0_usize..11, 0..9),
        ) {
            let dialect = Dialect::default();
            // Types in descending order: their numbers differ from those of the reader.
            let names = spanrs_tags::tags_of(scheme, &["LOC", "A"], &dialect);
            let (table, types) = span_table(scheme, &model(&names)).unwrap();
            let labels: Vec<usize> = labels.into_iter().map(|label| label % names.len()).collect();
            let mut reader = Reader::new(scheme, Reading::Conlleval, dialect).unwrap();
            let ids = reader.intern_all(labels.iter().map(|&label| names[label].as_str())).unwrap();
            let expected = reader.spans(&ids).into_iter();
            let expected = expected.map(|s| (s.start, s.end, reader.type_name(s.ty).to_owned()));
            let actual = table.spans(&labels).into_iter();
            let actual = actual.map(|s| (s.start, s.end, types[s.ty as usize].clone()));
            prop_assert_eq!(actual.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        }
    }
}
