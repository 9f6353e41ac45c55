//! Readers and writers of other tools' model files, as plain data.
//!
//! Nothing here depends on how spanrs represents a model; see [`crfsuite`].

pub mod crfsuite;
