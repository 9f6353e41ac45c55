//! Measures the seconds needed to label sentences whose attributes are already numbered:
//! `tagging_speed MODEL COLUMNS ROUNDS`.
//!
//! COLUMNS is a file with one token per line, columns separated by tabs, and an empty line after each sentence. The
//! model must contain a template. Prints the number of tokens and the seconds of each round.

#![allow(clippy::print_stdout)] // The program prints its results.

use std::error::Error;
use std::time::Instant;

use spanrs_crf::{AttributeIndex, Decoder, Extractor, Model, Sequences, Template, metadata_text};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, columns, rounds] = &arguments[..] else {
        return Err("usage: tagging_speed MODEL COLUMNS ROUNDS".into());
    };
    let model = Model::from_bytes(&std::fs::read(model)?)?;
    let template = metadata_text(model.metadata(), "template")?.ok_or("no template")?;
    let mut extractor =
        Extractor::new(&Template::parse(&template)?.with_lexicons(model.lexicons())?);
    let index = AttributeIndex::new(model.attributes());
    let text = std::fs::read_to_string(columns)?;
    let mut sequences = Sequences::new(index.attributes());
    for sentence in text
        .split("\n\n")
        .filter(|sentence| !sentence.trim().is_empty())
    {
        let rows: Vec<Vec<&str>> = sentence
            .lines()
            .map(|line| line.split('\t').collect())
            .collect();
        let column = |at: usize| rows.iter().filter_map(|row| row.get(at).copied()).collect();
        let columns: Vec<Vec<&str>> = (0..rows[0].len()).map(column).collect();
        let columns: Vec<&[&str]> = columns.iter().map(Vec::as_slice).collect();
        let mut added = Ok(());
        extractor.find(&columns, &index, |_, attributes| {
            added = added.clone().and(sequences.indicators(attributes));
        })?;
        added?;
        sequences.end();
    }
    println!("{}", sequences.tokens());
    let mut decoder = Decoder::new(&model);
    for _ in 0..rounds.parse()? {
        let start = Instant::now();
        for at in 0..sequences.len() {
            decoder.read(&sequences, at);
            decoder.best()?;
        }
        println!("{}", start.elapsed().as_secs_f64());
    }
    Ok(())
}
