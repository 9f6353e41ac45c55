//! Prints precision, recall and F1 of two column files, for each type and over all spans.
//!
//! ```sh
//! cargo run -p spanrs --example score -- examples/gold.conll examples/pred.conll
//! ```

// A command-line program may print.
#![allow(clippy::print_stderr, clippy::print_stdout)]

use std::path::Path;
use std::process::ExitCode;

use spanrs::eval::outcomes::Score;
use spanrs::{FileScore, ScoreOptions, score_paths};

fn main() -> ExitCode {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    let [gold, pred] = paths.as_slice() else {
        eprintln!("usage: score GOLD PRED");
        return ExitCode::FAILURE;
    };
    match score_paths(Path::new(gold), Path::new(pred), &ScoreOptions::default()) {
        Ok(scored) => {
            for warning in &scored.warnings {
                eprintln!("warning: {warning}");
            }
            print!("{}", table(&scored));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns one line for each type and one for the micro average.
fn table(scored: &FileScore) -> String {
    let summary = scored.summary();
    let mut table = format!(
        "{:<12} {:>9} {:>9} {:>9} {:>9}\n",
        "type", "precision", "recall", "f1", "support"
    );
    for (ty, outcomes) in &summary.types {
        table += &line(scored.counts.type_name(*ty), &outcomes.score);
    }
    table + &line("micro", &summary.all.score)
}

fn line(name: &str, score: &Score) -> String {
    let [precision, recall, f1] = score.values;
    let support = score.support;
    format!("{name:<12} {precision:>9.4} {recall:>9.4} {f1:>9.4} {support:>9}\n")
}
