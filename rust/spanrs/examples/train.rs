//! Trains a tagger on a column file and saves it for `spanrs crf tag MODEL FILE`.
//!
//! ```sh
//! cargo run --release -p spanrs --example train -- examples/crf/train.conll ner.model
//! ```

// A command-line program may print.
#![allow(clippy::print_stderr)]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use spanrs::ColumnFile;
use spanrs::crf::{Template, TrainingOptions, TrainingRun};
use spanrs::crf_files::{fit, read_tagged};

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

fn run(train: &Path, model: &Path) -> Result<(), Box<dyn Error>> {
    // The token, its neighbours, its shape and its last characters.
    let template = Template::parse(
        "U00:%x[0,0]\nU01:%x[-1,0]\nU02:%x[1,0]\nU03:%shape[0,0]\nU04:%suffix[0,0,3]",
    )?;
    let sentences = read_tagged(&ColumnFile::from(train), Some(&[]), &mut |_| true)?;
    for warning in &sentences.warnings {
        eprintln!("warning: {warning}");
    }
    let run = TrainingRun {
        after: Box::new(|state, _| {
            eprintln!("iteration {} loss {:.2}", state.iteration, state.loss);
            Ok(true)
        }),
        ..TrainingRun::default()
    };
    fit(&sentences, &template, &TrainingOptions::default(), run)?.save(model)?;
    Ok(())
}
