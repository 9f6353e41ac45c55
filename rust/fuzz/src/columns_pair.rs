//! Fuzz target for scoring two column files against each other.

use spanrs::{ErrorFinder, ErrorOptions, OnMisaligned, Rows, Sides, score, score_and_list};
use spanrs_eval::{Exact, Scorer, Side};
use spanrs_io::{Column, ColumnReader, Columns};
use spanrs_tags::{Dialect, Reader, Reading};

use crate::columns::{Read, Row, is_guessed, options, read};
use crate::common::{Table, by_sets, documents, sum, totals};
use crate::input::{CHUNK, Input, chunk, lines, split_at_byte};
use crate::tag_input::{reading, scheme};

/// Number of violations kept for each side.
const KEEP: usize = 3;

/// Result of scoring: counts in total and by document, and for both sides the number of violations and the first lines
/// with violations.
type Scored = (Table, Vec<Table>, [(u64, Vec<u64>); 2]);

/// Asserts that scoring gives the same counts as reading both files and comparing sets of spans, regardless of buffer
/// boundaries; that it fails exactly if a file is rejected or the tokens differ; and that a file scored against itself
/// has no errors. The first bytes choose the size of the buffers, the options, scheme and reading. The files are
/// separated by NUL; without NUL, gold and pred are columns of one file.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let chunk = chunk(&mut input);
    let columns = options(&mut input);
    let scheme = scheme(&mut input);
    let reading = reading(&mut input, scheme);
    let reader = Reader::new(scheme, reading, Dialect::default()).expect("the reading is defined");
    let bytes = input.rest();
    if !bytes.contains(&0) {
        one_file(bytes, &columns, &reader);
        return;
    }
    let columns = Columns {
        second: None,
        ..columns
    };
    let (gold, pred) = split_at_byte(bytes, 0);
    let result = two_files(gold, pred, CHUNK, &columns, &reader);
    assert_eq!(result, by_definition(gold, pred, &columns, &reader));
    if let Some((counts, ..)) = &result {
        for size in [CHUNK, chunk] {
            errors_are_counted(counts, [gold, pred], size, &columns, &reader);
        }
    }
    if !is_guessed(gold, &columns) && !is_guessed(pred, &columns) {
        assert_eq!(result, two_files(gold, pred, chunk, &columns, &reader));
    }
    if let Some((counts, ..)) = two_files(gold, gold, chunk, &columns, &reader) {
        let of = |outcome| {
            counts
                .keys()
                .filter(move |(_, known, ..)| *known == outcome)
        };
        assert_eq!(of("missed").chain(of("spurious")).next(), None);
        assert!(of("mistyped").next().is_none() || reading == Reading::Seqeval);
        let size = |outcome| counts.get(&("corpus", outcome, None, None));
        assert_eq!(size("correct_tokens"), size("tokens"));
    }
}

fn rows(bytes: &[u8], chunk: usize, columns: &Columns) -> spanrs_io::Result<Box<ColumnReader>> {
    Ok(Box::new(ColumnReader::new(
        lines(bytes, chunk)?,
        columns.clone(),
    )?))
}

fn two_files(
    gold: &[u8],
    pred: &[u8],
    chunk: usize,
    columns: &Columns,
    reader: &Reader,
) -> Option<Scored> {
    let gold = rows(gold, chunk, columns).ok()?;
    let pred = rows(pred, 2 * chunk, columns).ok()?;
    scored(Sides::Two { gold, pred }, reader)
}

fn scored(sides: Sides, reader: &Reader) -> Option<Scored> {
    let mut reader = reader.clone();
    let mut scorer = Scorer::new(Box::new(Exact::default()), KEEP).by_document();
    if let Err(error) = score(
        sides,
        &mut reader,
        &mut scorer,
        OnMisaligned::Refuse,
        Rows::Documents,
        &mut |_| true,
    ) {
        assert!(!error.to_string().is_empty());
        return None;
    }
    let counts = scorer.counts(&reader);
    let violations = [Side::Gold, Side::Pred].map(|side| {
        let found = scorer.violations(side);
        (
            found.count,
            found.first.iter().map(|located| located.line).collect(),
        )
    });
    Some((totals(&counts), documents(&counts), violations))
}

/// Asserts that as many missed and spurious spans are listed as were counted, each on a line of gold.
fn errors_are_counted(
    counts: &Table,
    [gold, pred]: [&[u8]; 2],
    chunk: usize,
    columns: &Columns,
    reader: &Reader,
) {
    // With a different buffer size, other lines may decide whether lines are comments.
    let guessed = is_guessed(gold, columns) || is_guessed(pred, columns);
    if chunk != CHUNK && guessed {
        return;
    }
    let open = |bytes| rows(bytes, chunk, columns).expect("the file was read");
    let sides = Sides::Two {
        gold: open(gold),
        pred: open(pred),
    };
    let options = ErrorOptions {
        criterion: 0,
        wrong: vec![1, 2],
        paired: None,
        context: 1,
        most: None,
    };
    let mut finder = ErrorFinder::new(Box::new(Exact::default()), options);
    let mut scorer = Scorer::new(Box::new(Exact::default()), 0);
    let scored = score_and_list(
        sides,
        &mut reader.clone(),
        &mut scorer,
        Some(&mut finder),
        (OnMisaligned::Refuse, Rows::Documents),
        &mut |_| true,
    );
    scored.expect("the files were scored");
    let found = finder.finish();
    let lines = gold.split(|&byte| byte == b'\n').count() as u64;
    for name in ["missed", "spurious"] {
        let listed: u64 = (0..found.len())
            .filter_map(|at| found.get(at))
            .filter(|error| error.outcome == name)
            .map(|error| {
                assert!(error.line.is_some_and(|line| (1..=lines).contains(&line)));
                1
            })
            .sum();
        let counted = counts.iter().filter(|((_, known, ..), _)| *known == name);
        assert_eq!(listed, counted.map(|(_, number)| *number).sum::<u64>());
    }
}

/// A token, its tag and its line.
type Token = (String, String, u64);

/// The sentences of a file, by document; documents without sentences are dropped.
fn sentences(rows: &[Row], second: bool) -> Vec<Vec<Vec<Token>>> {
    let (mut documents, mut document, mut sentence) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        match row {
            Row::Token(token, tag, other, line) => {
                let tag = if second { other } else { tag };
                sentence.push((token.clone(), tag.clone(), *line));
            }
            Row::Sentence => document.push(std::mem::take(&mut sentence)),
            Row::Document => documents.push(std::mem::take(&mut document)),
        }
    }
    documents.push(document);
    documents.retain(|document| !document.is_empty());
    documents
}

/// None for a file that is rejected.
fn readable((rows, refused): Read) -> Option<Vec<Row>> {
    refused.is_none().then_some(rows)
}

/// Reference implementation: reads both files, compares their tokens and counts sets of spans.
fn by_definition(gold: &[u8], pred: &[u8], columns: &Columns, reader: &Reader) -> Option<Scored> {
    let tokens = |bytes: &[u8]| Some(rows(bytes, CHUNK, columns).ok()?.has_tokens());
    let compare = tokens(gold)? && tokens(pred)?;
    let gold = sentences(&readable(read(gold, CHUNK, columns))?, false);
    let pred = sentences(&readable(read(pred, CHUNK, columns))?, false).concat();
    let all = gold.concat();
    let aligned = all.len() == pred.len()
        && all.iter().zip(&pred).all(|(g, p)| {
            g.len() == p.len() && (!compare || g.iter().zip(p).all(|(g, p)| g.0 == p.0))
        });
    aligned.then(|| count(&gold, &pred, reader))?
}

fn one_file(bytes: &[u8], columns: &Columns, reader: &Reader) {
    let columns = Columns {
        second: columns.second.clone().or(Some(Column::Index(-2))),
        ..columns.clone()
    };
    let found = rows(bytes, CHUNK, &columns)
        .ok()
        .and_then(|rows| scored(Sides::One(rows), reader));
    let expected = readable(read(bytes, CHUNK, &columns)).and_then(|rows| {
        let (gold, pred) = (sentences(&rows, false), sentences(&rows, true).concat());
        count(&gold, &pred, reader)
    });
    assert_eq!(found, expected);
}

/// Counts sentences with the same numbers of tokens; None if violations are rejected.
fn count(documents: &[Vec<Vec<Token>>], pred: &[Vec<Token>], reader: &Reader) -> Option<Scored> {
    let mut reader = reader.clone();
    let mut pred = pred.iter();
    let mut found = Vec::new();
    let mut violations = [(0, Vec::new()), (0, Vec::new())];
    for document in documents {
        let mut counts = Table::new();
        for (gold, pred) in document.iter().zip(&mut pred) {
            let mut ids = |side: &[Token]| -> Vec<u32> {
                let tags = side.iter().map(|(_, tag, _)| &**tag);
                reader.intern_all(tags).expect("there are few tags")
            };
            let both = [(gold, ids(gold)), (pred, ids(pred))];
            by_sets(&mut counts, &reader, &both[0].1, &both[1].1);
            for ((side, ids), (count, lines)) in both.iter().zip(&mut violations) {
                for violation in reader.violations(ids) {
                    *count += 1;
                    if lines.len() < KEEP {
                        lines.push(side[violation.index as usize].2);
                    }
                }
            }
        }
        found.push(counts);
    }
    if reader.reading() == Reading::Refuse && violations.iter().any(|(count, _)| *count > 0) {
        return None;
    }
    Some((sum(&found), found, violations))
}
