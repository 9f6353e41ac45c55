//! Fuzz target for files with many repeated pieces.

use std::fs;

use spanrs::compat::conlleval::{ConllevalText, Cut, Layout, Rules, Setting};
use spanrs::{Alignment, OnMisaligned, Rows, Sides, score};
use spanrs_eval::{Exact, Scorer};
use spanrs_io::document::{Format, Reader};
use spanrs_io::{ColumnReader, Columns, SpanFileReader, read_tasks};
use spanrs_tags::{Dialect, Reading, Scheme};

use crate::brat;
use crate::input::{CHUNK, Input, lines, split_at_byte};

/// Longest file, in bytes.
const MOST: usize = 1 << 16;
/// Upper limit of processor time for a file of this length; most files take one hundredth of this time.
const SECONDS: f64 = 2.0;

/// Asserts that reading takes time proportional to the length of a file, regardless of its content. The first byte
/// chooses the format; it is followed by pieces, each with its length and number of repetitions.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let format = input.byte();
    let mut text = Vec::new();
    while !input.is_empty() && text.len() < MOST {
        let length = input.below(32);
        // Most pieces occur once, others tens of thousands of times.
        let times = 1 << (input.byte() >> 4);
        let piece: Vec<u8> = (0..length).map(|_| input.byte()).collect();
        let times = times.min(MOST / (length + 1));
        text.extend(piece.iter().cycle().take(times * length));
    }
    text.truncate(MOST);
    let before = processor_time();
    read(format, &text);
    if let (Some(before), Some(after)) = (before, processor_time()) {
        let seconds = after - before;
        assert!(seconds < SECONDS, "{seconds:.1} s for {} bytes", text.len());
    }
}

fn read(format: u8, text: &[u8]) {
    let documents = [
        Format::MatJson,
        Format::XmlInline,
        Format::FakeXmlInline,
        Format::Doccano,
        Format::Prodigy,
        Format::LabelStudio,
    ];
    // It does not matter whether the file is accepted or rejected.
    match usize::from(format) % 11 {
        at @ 0..6 => drop(Reader::new(documents[at]).read("input", text)),
        6 => {
            let (annotations, text) = split_at_byte(text, 0);
            drop(brat::open(annotations, text));
        }
        7 => drop(read_tasks("input", &String::from_utf8_lossy(text))),
        8 => {
            if let Ok(lines) = lines(text, CHUNK) {
                let mut spans = SpanFileReader::new(lines);
                while let Ok(Some(_)) = spans.next_line() {}
            }
        }
        9 => {
            let (gold, pred) = split_at_byte(text, 0);
            columns(gold, pred);
        }
        _ => {
            let layout = Layout {
                cut: Cut::perl(br"\s+").expect("the pattern is valid"),
                boundary: b"-X-".to_vec(),
                trim: false,
            };
            let setting = Setting {
                rules: Rules::Perl,
                outside: b"O".to_vec(),
                raw: false,
            };
            let mut reader = ConllevalText::new(layout, setting, Default::default());
            drop(reader.feed(text).and_then(|()| reader.end()));
        }
    }
}

fn columns(gold: &[u8], pred: &[u8]) -> Option<Alignment> {
    let rows = |bytes| {
        ColumnReader::new(lines(bytes, CHUNK).ok()?, Columns::default())
            .ok()
            .map(Box::new)
    };
    let (gold, pred) = (rows(gold)?, rows(pred)?);
    let mut reader =
        spanrs_tags::Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).ok()?;
    let mut scorer = Scorer::new(Box::new(Exact::default()), 10).by_document();
    score(
        Sides::Two { gold, pred },
        &mut reader,
        &mut scorer,
        OnMisaligned::Refuse,
        Rows::Documents,
        &mut |_| true,
    )
    .ok()
}

/// Processor time of this thread in seconds; None if the system does not report it.
fn processor_time() -> Option<f64> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = told.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}
