//! What comes of a matching: integers, and which spans they are.

use super::{Answer, EVERY, LANES, MODES, Matcher, Mode, Placed, lane_of};

/// What became of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A pair that agrees in what the mode asks for.
    Correct,
    /// A pair that does not.
    Incorrect,
    /// A pair of other bounds, in the mode that gives it half the credit.
    Partial,
    /// A gold span without a partner.
    Missed,
    /// A pred span without a partner.
    Spurious,
}

/// How often each came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// [`Outcome::Correct`].
    pub correct: u64,
    /// [`Outcome::Incorrect`].
    pub incorrect: u64,
    /// [`Outcome::Partial`].
    pub partial: u64,
    /// [`Outcome::Missed`].
    pub missed: u64,
    /// [`Outcome::Spurious`].
    pub spurious: u64,
}

impl Row {
    fn add(&mut self, other: &Self) {
        self.correct += other.correct;
        self.incorrect += other.incorrect;
        self.partial += other.partial;
        self.missed += other.missed;
        self.spurious += other.spurious;
    }

    fn of(&mut self, outcome: Outcome) -> &mut u64 {
        match outcome {
            Outcome::Correct => &mut self.correct,
            Outcome::Incorrect => &mut self.incorrect,
            Outcome::Partial => &mut self.partial,
            Outcome::Missed => &mut self.missed,
            Outcome::Spurious => &mut self.spurious,
        }
    }
}

/// What was counted in any number of documents, a row for each mode; a commutative monoid under
/// [`PartialCounts::merge`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartialCounts {
    /// Over all spans.
    pub overall: [Row; MODES],
    /// One a type, by number: over the spans of that type by themselves.
    pub types: Vec<[Row; MODES]>,
}

impl PartialCounts {
    /// Adds counts whose types are numbered alike.
    pub fn merge(&mut self, other: &Self) {
        self.fit(other.types.len());
        let add = |mine: &mut [Row; MODES], theirs: &[Row; MODES]| {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                mine.add(theirs);
            }
        };
        add(&mut self.overall, &other.overall);
        for (mine, theirs) in self.types.iter_mut().zip(&other.types) {
            add(mine, theirs);
        }
    }

    fn fit(&mut self, types: usize) {
        if self.types.len() < types {
            self.types.resize(types, Default::default());
        }
    }

    /// Counts so many spans of a type in every lane.
    fn every(&mut self, ty: u32, outcome: Outcome, n: u64) {
        for mode in 0..MODES {
            *self.overall[mode].of(outcome) += n;
            *self.types[ty as usize][mode].of(outcome) += n;
        }
    }

    /// Counts so many spans of a type that are correct in every mode, overall and by type.
    pub fn add_correct(&mut self, ty: u32, n: u64) {
        self.fit(ty as usize + 1);
        self.every(ty, Outcome::Correct, n);
    }

    fn lane(&mut self, lane: usize, ty: u32) -> &mut Row {
        let mode = lane % MODES;
        if LANES[lane].own_type {
            &mut self.types[ty as usize][mode]
        } else {
            &mut self.overall[mode]
        }
    }
}

impl Answer {
    fn outcome(self, lane: usize) -> Outcome {
        let bit = 1 << lane;
        match (self.paired & bit != 0, self.correct & bit != 0) {
            (false, _) => Outcome::Spurious,
            (true, true) => Outcome::Correct,
            (true, false) if LANES[lane].mode == Mode::Partial => Outcome::Partial,
            (true, false) => Outcome::Incorrect,
        }
    }
}

impl Matcher {
    /// True where both sides of the last run are the same and every span is correct in every mode.
    pub fn all_correct(&self) -> bool {
        self.same
    }

    /// Counts what the last run came to; `gold` and `pred` are those of the run.
    pub fn count(&self, gold: &[Placed], pred: &[Placed], counts: &mut PartialCounts) {
        if self.same {
            for span in gold {
                counts.add_correct(span.ty, 1);
            }
            return;
        }
        let types = gold.iter().chain(pred).map(|span| span.ty as usize + 1);
        counts.fit(types.max().unwrap_or(0));
        for (span, &answer) in pred.iter().zip(&self.answers) {
            if answer == Answer::RIGHT {
                counts.every(span.ty, Outcome::Correct, 1);
            } else if answer == Answer::default() {
                counts.every(span.ty, Outcome::Spurious, 1);
            } else {
                for lane in 0..LANES.len() {
                    *counts.lane(lane, span.ty).of(answer.outcome(lane)) += 1;
                }
            }
        }
        for (span, &taken) in gold.iter().zip(&self.taken) {
            if taken == EVERY {
                continue;
            }
            if taken == 0 {
                counts.every(span.ty, Outcome::Missed, 1);
                continue;
            }
            for lane in (0..LANES.len()).filter(|lane| taken & 1 << lane == 0) {
                counts.lane(lane, span.ty).missed += 1;
            }
        }
    }

    /// Calls `found` with what became of each span in the last run: of pred spans in their order, then
    /// of the gold spans that were missed. Spans are numbered from 0, those of pred and of gold by
    /// themselves; with a type, the spans of that type alone are matched and numbered.
    pub fn outcomes(
        &self,
        gold: &[Placed],
        pred: &[Placed],
        mode: Mode,
        ty: Option<u32>,
        mut found: impl FnMut(Outcome, usize),
    ) {
        let lane = lane_of(mode, ty.is_some());
        let wanted = |span: &Placed| ty.is_none_or(|ty| span.ty == ty);
        if self.same {
            for (at, _) in pred.iter().filter(|span| wanted(span)).enumerate() {
                found(Outcome::Correct, at);
            }
            return;
        }
        let answers = pred.iter().zip(&self.answers).filter(|(s, _)| wanted(s));
        for (at, (_, answer)) in answers.enumerate() {
            found(answer.outcome(lane), at);
        }
        let taken = gold.iter().zip(&self.taken).filter(|(s, _)| wanted(s));
        for (at, (_, taken)) in taken.enumerate() {
            if taken & 1 << lane == 0 {
                found(Outcome::Missed, at);
            }
        }
    }
}
