//! Blocks of sentences beside the same sentences one by one, and beside the definition.
#![allow(clippy::unwrap_used, clippy::expect_used)] // In helpers of tests, too, a panic is the report.

mod common;
#[path = "common/tag_pairs.rs"]
mod tag_pairs;

use std::ops::Range;

use common::{Table, by_sets, documents, sum, totals};
use proptest::prelude::*;
use spanrs_eval::outcomes::Key;
use spanrs_eval::{Exact, Located, Scorer, Side, TagBlock, count_parts};
use spanrs_tags::{Reader, Reading, Scheme};
use tag_pairs::{KEEP, Pair, intern, late, line, long, made, reader, violations};

fn exact() -> Scorer {
    Scorer::new(Box::new(Exact::default()), KEEP)
}

/// Everything a scorer gives.
#[derive(Debug, PartialEq)]
struct Told {
    counts: Table,
    documents: Vec<Table>,
    violations: Vec<(u64, Vec<Located>)>,
}

fn tell(mut scorer: Scorer, reader: &Reader) -> Told {
    scorer.end_document(reader, None);
    let counts = scorer.counts(reader);
    for (number, row) in (0..).zip(counts.rows()) {
        assert_eq!(row.key, &Key::Number(number));
    }
    Told {
        counts: totals(&counts),
        documents: documents(&counts),
        violations: violations(&scorer),
    }
}

/// Sentence by sentence. Documents are as many sentences as `size` says, over and over.
fn one_by_one(made: (Scheme, Reading), pairs: &[Pair], size: usize) -> Told {
    let mut reader = reader(made);
    let mut scorer = exact().by_document();
    for (at, pair) in pairs.iter().enumerate() {
        let (gold, pred) = intern(&mut reader, pair);
        let line = |side, token| line(side, at as u64, token);
        scorer.add(&reader, &gold, &pred, line);
        if (at + 1) % size == 0 {
            scorer.end_document(&reader, None);
        }
    }
    tell(scorer, &reader)
}

/// By sets of spans and by the list of violations.
fn by_definition(made: (Scheme, Reading), pairs: &[Pair], size: usize) -> Told {
    let mut reader = reader(made);
    let mut documents = Vec::new();
    let mut violations = vec![(0, Vec::new()); 2];
    for (chunk, group) in pairs.chunks(size).enumerate() {
        let mut document = Table::new();
        for (at, pair) in group.iter().enumerate() {
            let (gold, pred) = intern(&mut reader, pair);
            by_sets(&mut document, &reader, &gold, &pred);
            let sentence = (chunk * size + at) as u64;
            for (found, (side, ids)) in violations
                .iter_mut()
                .zip([(Side::Gold, &gold), (Side::Pred, &pred)])
            {
                for violation in reader.violations(ids) {
                    found.0 += 1;
                    if found.1.len() < KEEP {
                        found.1.push(Located {
                            sentence,
                            line: line(side, sentence, violation.index),
                            violation,
                        });
                    }
                }
            }
        }
        documents.push(document);
    }
    Told {
        counts: sum(&documents),
        documents,
        violations,
    }
}

/// How sentences are put into blocks.
#[derive(Clone, Debug)]
struct Ways {
    /// Sentences that are put in together.
    together: usize,
    /// In room for all of them, not each in room of its own.
    one_room: bool,
    /// Room that is asked for beyond the sentence, as where tokens are left out.
    spare: usize,
    /// Blocks are counted after each run, not only where they are full.
    eager: bool,
}

fn ways() -> impl Strategy<Value = Ways> {
    (1..5_usize, any::<bool>(), 0..40_usize, any::<bool>()).prop_map(
        |(together, one_room, spare, eager)| Ways {
            together,
            one_room,
            spare,
            eager,
        },
    )
}

/// A scorer that is fed by blocks as long as it takes them.
struct Blocks {
    reader: Reader,
    scorer: Scorer,
    block: TagBlock,
    /// Sentences that stand before the block.
    before: u64,
    /// Sentences in the block.
    waiting: u64,
    ways: Ways,
}

impl Blocks {
    fn flush(&mut self) {
        let before = self.before;
        self.before += std::mem::take(&mut self.waiting);
        let line = |side, sentence, token| line(side, before + sentence, token);
        self.scorer.add_block(&self.reader, &mut self.block, line);
    }

    fn run(&mut self, pairs: &[Pair]) {
        let run: Vec<_> = pairs
            .iter()
            .map(|pair| intern(&mut self.reader, pair))
            .collect();
        if self.reader.tags().len() > TagBlock::TAGS {
            // What was gathered while there were few tags is counted before it is too late.
            self.flush();
        }
        if !self.scorer.prepare_blocks(&self.reader) {
            for (gold, pred) in run {
                let before = self.before;
                let line = |side, token| line(side, before, token);
                self.scorer.add(&self.reader, &gold, &pred, line);
                self.before += 1;
            }
            return;
        }
        // Room for all of them, or for each.
        let rooms = if self.ways.one_room { run.len() } else { 1 };
        for few in run.chunks(rooms) {
            let tokens = few.iter().map(|(gold, _)| gold.len()).sum::<usize>();
            let (g, p) = self.block.reserve(tokens + self.ways.spare);
            let ids = few.iter().flat_map(|(gold, pred)| gold.iter().zip(pred));
            for ((g, p), (gold, pred)) in g.iter_mut().zip(p).zip(ids) {
                (*g, *p) = (*gold as u8, *pred as u8);
            }
            for (gold, _) in few {
                self.block.end(gold.len());
                self.waiting += 1;
            }
        }
        if self.ways.eager || self.block.is_full() {
            self.flush();
        }
    }
}

fn in_blocks(made: (Scheme, Reading), pairs: &[Pair], size: usize, ways: &Ways) -> Told {
    let mut blocks = Blocks {
        reader: reader(made),
        scorer: exact().by_document(),
        block: TagBlock::default(),
        before: 0,
        waiting: 0,
        ways: ways.clone(),
    };
    for document in pairs.chunks(size) {
        for run in document.chunks(ways.together) {
            blocks.run(run);
        }
        blocks.flush();
        blocks.scorer.end_document(&blocks.reader, None);
    }
    tell(blocks.scorer, &blocks.reader)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(700))]

    #[test]
    fn blocks_count_what_sentences_count_and_the_definition_says(
        made in made(), pairs in late(), size in 1..9_usize, ways in ways(),
    ) {
        let expected = by_definition(made, &pairs, size);
        prop_assert_eq!(&one_by_one(made, &pairs, size), &expected);
        prop_assert_eq!(&in_blocks(made, &pairs, size, &ways), &expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn sentences_may_be_longer_than_a_block(made in made(), pairs in long(), ways in ways()) {
        let expected = by_definition(made, &pairs, 9);
        prop_assert_eq!(&one_by_one(made, &pairs, 9), &expected);
        prop_assert_eq!(&in_blocks(made, &pairs, 9, &ways), &expected);
    }

    #[test]
    fn parts_come_to_the_whole_and_to_its_first_error(
        made in made(),
        pairs in late(),
        cuts in proptest::collection::vec(0..8_usize, 0..5),
        bad in proptest::collection::vec(0..40_usize, 0..3),
    ) {
        let mut reader = reader(made);
        let ids: Vec<_> = pairs.iter().map(|pair| intern(&mut reader, pair)).collect();
        let count = |range: Range<usize>, scorer: &mut Scorer| {
            for at in range {
                if bad.contains(&at) {
                    return Err(at);
                }
                scorer.add(&reader, &ids[at].0, &ids[at].1, |_, _| 0);
            }
            Ok(())
        };
        let mut borders: Vec<_> = cuts.iter().map(|&cut| cut.min(ids.len())).collect();
        borders.extend([0, ids.len()]);
        borders.sort_unstable();
        let parts: Vec<_> = borders.windows(2).map(|pair| pair[0]..pair[1]).collect();
        let (mut whole, mut split) = (exact(), exact());
        let expected = count(0..ids.len(), &mut whole);
        let counted = count_parts(&mut split, &reader, &parts, || false, |range, part, _| count(range, part));
        prop_assert_eq!(counted, expected);
        if expected.is_err() {
            // Nothing is added then.
            whole = exact();
        }
        prop_assert_eq!(tell(split, &reader), tell(whole, &reader));
    }
}

#[test]
fn readings_of_neighbours_take_blocks_until_there_are_too_many_tags() {
    for reading in [
        Reading::Conlleval,
        Reading::Refuse,
        Reading::Seqeval,
        Reading::Strict,
        Reading::Discard,
        Reading::Ncrfpp,
    ] {
        let mut reader = reader((Scheme::Bio, reading));
        let mut scorer = exact();
        for number in 0..TagBlock::TAGS {
            assert!(scorer.prepare_blocks(&reader), "{reading} {number}");
            reader.intern(&format!("B-{number}")).unwrap();
        }
        assert!(scorer.prepare_blocks(&reader));
        reader.intern("I-1").unwrap();
        assert!(!scorer.prepare_blocks(&reader));
    }
    assert!(!exact().prepare_blocks(&reader((Scheme::Iobes, Reading::SeqevalStrict))));
}
