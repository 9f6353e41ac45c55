//! Drop-in replacements: the compiled part of `spanrs.compat`. The algorithms are in the crate `spanrs-compat`.

mod conlleval;
mod faireval;
mod iobes;
mod ncrfpp;
mod nervaluate;
mod seqeval;

pub(crate) use conlleval::Conlleval;
pub(crate) use faireval::{fair_compare, fair_evaluation, faireval_files};
pub(crate) use iobes::{IobesReader, IobesWriter};
pub(crate) use ncrfpp::{ncrfpp_counts, ncrfpp_spans};
pub(crate) use nervaluate::{
    nervaluate_conll, nervaluate_dicts, nervaluate_entities, nervaluate_pairs, nervaluate_tags,
};
pub(crate) use seqeval::{
    distinct_tags, same_shape, seqeval_counts, seqeval_entities, token_outcomes,
};
