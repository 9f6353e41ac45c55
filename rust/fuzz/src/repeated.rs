//! Files of many repeated pieces.

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
/// Processor time that no file of this length may take; most take a hundredth of it.
const SECONDS: f64 = 2.0;

/// Reading takes time in proportion to the length of a file, whatever it repeats. The first byte chooses the
/// format; then come pieces, each with its length and how often it is repeated.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let format = input.byte();
    let mut text = Vec::new();
    while !input.is_empty() && text.len() < MOST {
        let length = input.below(32);
        // One time for most pieces, tens of thousands of times for others.
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
    // Whether a file is read or refused does not matter here.
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
                cut: Cut::perl(br"\s+").expect("this is a pattern"),
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

/// Seconds that this thread has run; None if the system does not report it.
fn processor_time() -> Option<f64> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = told.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}
