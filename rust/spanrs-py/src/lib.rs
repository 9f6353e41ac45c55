//! The Python binding: converts arguments, calls the core crates, converts results. It contains no logic.
//!
//! Only this crate depends on pyo3 and numpy, and only this crate may contain `unsafe`.
#![allow(unsafe_code)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod agreement;
mod answers;
mod arrow;
mod compat;
mod counts;
mod crf;
mod criteria;
mod dep;
mod document_writer;
mod documents;
mod error;
mod files;
mod ground;
mod ids;
mod lazy_globals;
mod locks;
mod mat;
mod nested_lists;
mod options;
mod partial;
mod plain;
mod py_sequence;
mod records;
mod resample;
mod scheme_evidence;
mod scorer;
mod sentences;
mod span_lists;
mod span_tuples;
mod tag_interner;
mod tags;
mod text_alignment;

use pyo3::prelude::*;

/// The compiled module of spanrs. It is private and may change at any time.
// Lists are read through borrowed references, which is sound only under the GIL. A free-threaded interpreter enables
// the GIL when loading the module.
#[pymodule(gil_used = true)]
mod _spanrs {
    #[pymodule_export]
    use crate::agreement::AgreementProject;
    #[pymodule_export]
    use crate::answers::read_answers;
    #[pymodule_export]
    use crate::compat::{
        Conlleval, IobesReader, IobesWriter, distinct_tags, fair_compare, fair_evaluation,
        faireval_files, ncrfpp_counts, ncrfpp_spans, nervaluate_conll, nervaluate_dicts,
        nervaluate_entities, nervaluate_pairs, nervaluate_tags, same_shape, seqeval_counts,
        seqeval_entities, token_outcomes,
    };
    #[pymodule_export]
    use crate::counts::{Counts, DocumentTotals};
    #[pymodule_export]
    use crate::crf::{
        CrfItems, CrfLexicon, CrfModel, CrfSentences, CrfTrainer, CrowdAnswers, CrowdCrf,
        CrowdCrfState, crf_options, crf_template_lexicons, crf_templates,
    };
    #[pymodule_export]
    use crate::criteria::{criteria, matchers};
    #[pymodule_export]
    use crate::dep::{
        DepModel, Paragraphs, SyntaxFile, Treebank, dep_document_name, dep_evaluate, dep_jackknife,
        dep_selection_passes, dep_templates, dep_train_morphology, dep_train_parser,
        dep_train_published, dep_train_segmenter, dep_train_tagger,
    };
    #[pymodule_export]
    use crate::document_writer::{DocumentWriter, Projection, document_formats, tokenize};
    #[pymodule_export]
    use crate::documents::{
        DocumentReader, PyDocument, TagRecords, declared_encoding, documents_of,
        read_conll_documents, read_documents, read_tasks,
    };
    #[pymodule_export]
    use crate::files::{
        PySource, convert_file, detect_file, recognise, running_text, spans_file, validate_file,
    };
    #[pymodule_export]
    use crate::ground::{ground, normalized};
    #[pymodule_export]
    use crate::lazy_globals::initialise_globals;
    #[pymodule_export]
    use crate::mat::{MatOutcome, MatScorer};
    #[pymodule_export]
    use crate::partial::{partial_count, partial_outcomes};
    #[pymodule_export]
    use crate::py_sequence::item_access;
    #[pymodule_export]
    use crate::records::{default_options, records};
    #[pymodule_export]
    use crate::resample::Systems;
    #[pymodule_export]
    use crate::scheme_evidence::SchemeEvidence;
    #[pymodule_export]
    use crate::scorer::{ErrorFinder, FileErrors, Scorer, score_readings};
    #[pymodule_export]
    use crate::sentences::{SentenceReader, SpanReader};
    #[pymodule_export]
    use crate::span_lists::{
        SpanLists, span_details, span_errors, span_lists, span_lists_of_ids, span_lists_of_tags,
    };
    #[pymodule_export]
    use crate::span_tuples::span_lists_of_tuples;
    #[pymodule_export]
    use crate::tags::{
        convert, convert_batch, detect, legal, read_ids, read_spans, read_spans_batch, readings,
        scheme_name, schemes, tags_of, validate, write_tags,
    };
    #[pymodule_export]
    use crate::text_alignment::{TextAlignment, align_texts};

    use pyo3::prelude::*;
    use pyo3::types::PyModule;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("NO_CONTENT", spanrs::eval::mat::NO_CONTENT.to_vec())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        // A private module needs no `__all__`, and its stub then need not list all names.
        module.delattr("__all__")
    }
}

/// Number of items between two checks for Ctrl-C.
const PAUSE: usize = 1 << 14;

/// Checks for Ctrl-C every [`PAUSE`] items; `at` is the index of the current item.
#[inline]
pub(crate) fn pause(at: usize) -> PyResult<()> {
    match at % PAUSE == PAUSE - 1 {
        true => Python::attach(|py| py.check_signals()),
        false => Ok(()),
    }
}

/// Returns true if a signal handler has raised an exception, as after Ctrl-C. The exception remains set until
/// the error for the interrupted work is raised, and replaces this error.
pub(crate) fn stop() -> bool {
    Python::attach(|py| match py.check_signals() {
        Ok(()) => false,
        Err(raised) => {
            raised.restore(py);
            true
        }
    })
}
