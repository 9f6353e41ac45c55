//! Agreement between annotators.

pub mod gamma;
