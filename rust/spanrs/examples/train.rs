//! Trains a tagger on a column file and saves it for `spanrs crf tag MODEL FILE`.
//!
//! ```sh
//! cargo run --release -p spanrs --example train -- examples/crf/train.conll ner.model
//! ```

// A command-line program may print.
#![allow(clippy::print_stderr)]

use std::path::Path;
use std::process::ExitCode;

use spanrs::crf::{Template, TrainingOptions, TrainingRun};
use spanrs::crf_files::{fit, read_tagged};
use spanrs::{ColumnFile, Error};

fn main() -> ExitCode {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    let [train, model] = paths.as_slice() else {
        eprintln!("usage: train FILE MODEL");
        return ExitCode::FAILURE;
    };
    match run(Path::new(train), Path::new(model)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(train: &Path, model: &Path) -> Result<(), Error> {
    let sentences = read_tagged(&ColumnFile::from(train), Some(&[]), &mut |_| true)?;
    for warning in &sentences.warnings {
        eprintln!("warning: {warning}");
    }
    let Some(template) = Template::builtin("ner") else {
        return Ok(());
    };
    let progress = TrainingRun {
        after: Box::new(|iteration, _| {
            eprintln!(
                "iteration {} loss {:.2}",
                iteration.iteration, iteration.loss
            );
            Ok(true)
        }),
        ..TrainingRun::default()
    };
    fit(&sentences, &template, &TrainingOptions::default(), progress)?.save(model)
}
