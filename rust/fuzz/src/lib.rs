//! Fuzz targets: functions that take any bytes and panic if an invariant does not hold.
//!
//! Each target is a module with a function `run`. The program `libfuzzer.rs` passes libFuzzer's inputs to the targets,
//! and `tests/replay.rs` the inputs in `seeds/` and `regressions/`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // Findings are reported by panics.

pub mod annotation_formats;
pub mod answers;
pub mod arrow;
pub mod brat;
pub mod columns;
pub mod columns_pair;
pub mod conlleval;
pub mod conllu;
pub mod convert_job;
pub mod counts_bytes;
pub mod crf_tag;
pub mod exact;
pub mod fair;
pub mod fair_files;
pub mod fake_xml;
pub mod ground;
pub mod jsonl;
pub mod label_studio;
pub mod mat;
pub mod mat_documents;
pub mod mat_json;
pub mod partial;
pub mod repeated;
pub mod span_file;
pub mod tag_convert;
pub mod tag_readings;
pub mod task_xml;
pub mod xml_inline;

pub mod documents;
pub mod input;
pub mod json;
pub mod mat_rows;
pub mod pair_input;
pub mod span_input;
pub mod tag_input;

// Reference implementations from the tests of the matchers.
#[path = "../../spanrs-eval/tests/common/mod.rs"]
mod common;
#[path = "../../spanrs-eval/tests/common/fair_steps.rs"]
mod fair_steps;
#[path = "../../spanrs-eval/tests/common/matchers.rs"]
mod matchers;
#[allow(dead_code)] // The tests use more of this module.
#[path = "../../spanrs-eval/tests/common/partial_rows.rs"]
mod partial_rows;
#[path = "../../spanrs-eval/tests/common/schemas.rs"]
mod schemas;
#[path = "../../spanrs-tags/tests/common/mod.rs"]
mod tag_laws;
#[path = "../../spanrs-eval/tests/common/ways_to_score.rs"]
mod ways_to_score;

/// A target: takes an input and panics on a finding.
pub type Target = fn(&[u8]);

/// All targets by name, in the order in which `make fuzz` runs them.
pub const TARGETS: &[(&str, Target)] = &[
    ("columns", columns::run),
    ("columns_pair", columns_pair::run),
    ("conlleval", conlleval::run),
    ("conllu", conllu::run),
    ("convert_job", convert_job::run),
    ("crf_tag", crf_tag::run),
    ("span_file", span_file::run),
    ("mat_json", mat_json::run),
    ("xml_inline", xml_inline::run),
    ("fake_xml", fake_xml::run),
    ("jsonl", jsonl::run),
    ("label_studio", label_studio::run),
    ("brat", brat::run),
    ("written_mat_json", annotation_formats::written_mat_json),
    ("written_xml_inline", annotation_formats::written_xml_inline),
    ("written_brat", annotation_formats::written_brat),
    ("written_doccano", annotation_formats::written_doccano),
    ("written_prodigy", annotation_formats::written_prodigy),
    (
        "written_label_studio",
        annotation_formats::written_label_studio,
    ),
    ("label_studio_min", annotation_formats::label_studio_min),
    ("label_studio_csv", annotation_formats::label_studio_csv),
    ("webanno_tsv", annotation_formats::webanno_tsv),
    ("uima_xmi", annotation_formats::uima_xmi),
    ("gate_xml", annotation_formats::gate_xml),
    ("bioc_xml", annotation_formats::bioc_xml),
    ("bioc_json", annotation_formats::bioc_json),
    ("pubtator", annotation_formats::pubtator),
    ("jsonl_spans", annotation_formats::jsonl_spans),
    ("csv_spans", annotation_formats::csv_spans),
    ("task_xml", task_xml::run),
    ("repeated", repeated::run),
    ("tag_readings", tag_readings::run),
    ("tag_convert", tag_convert::run),
    ("exact", exact::run),
    ("partial", partial::run),
    ("fair", fair::run),
    ("fair_files", fair_files::run),
    ("mat", mat::run),
    ("mat_documents", mat_documents::run),
    ("answers", answers::run),
    ("arrow", arrow::run),
    ("counts_bytes", counts_bytes::run),
    ("ground", ground::run),
];

/// The target given by the environment variable `FUZZ_TARGET`.
pub fn chosen_target() -> Target {
    let wanted = std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET must be set to a target");
    let target = TARGETS.iter().find(|(name, _)| *name == wanted);
    target
        .unwrap_or_else(|| panic!("unknown target {wanted:?}"))
        .1
}
