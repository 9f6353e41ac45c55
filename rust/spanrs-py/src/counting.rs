//! State of a `Counter`, and scheme detection.

use spanrs::Alignment;
use spanrs_eval::{Scorer, Side};
use spanrs_tags::{Detection, Error as TagsError, Evidence, Reader, Reading, Scheme, are_many};

use crate::error::{Error, Result};
use crate::options::scheme_or_auto;

/// Tokens of gold from which a scheme is guessed at first.
const SAMPLE: u64 = 1 << 16;

pub(crate) struct Counting {
    pub(crate) reader: Reader,
    pub(crate) scorer: Scorer,
    /// False while the scheme of gold is still to be found out.
    pub(crate) decided: bool,
    pub(crate) pred_scheme: PredScheme,
    pub(crate) detection: Option<Detection>,
    /// What speaks for the scheme of pred, where it is not that of gold and was found out.
    pub(crate) pred_detection: Option<Detection>,
    pub(crate) alignments: Alignments,
}

/// How the tokens of files agree, over all pairs of files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alignments {
    /// The first tokens that differ.
    pub(crate) examples: Vec<String>,
    /// Warnings about the columns of files.
    pub(crate) warnings: Vec<String>,
}

impl Alignments {
    pub(crate) fn add(&mut self, alignment: Alignment) {
        if self.examples.is_empty() {
            self.examples = alignment.examples;
        }
    }

    /// Adds warnings, each once.
    pub(crate) fn warn(&mut self, warnings: Vec<String>) {
        for warning in warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }
}

/// How the scheme of pred is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PredScheme {
    /// It is that of gold.
    AsGold,
    /// It is named.
    Named(Scheme),
    /// To be detected with the first tags of pred other than `O`: that of gold, unless they are clearly in another
    /// one.
    Undetected,
}

impl PredScheme {
    /// `None`: detect if the scheme of gold is detected, else use that of gold.
    pub(crate) fn from_name(name: Option<&str>, scheme_is_open: bool) -> Result<Self> {
        Ok(match name.map(scheme_or_auto).transpose()? {
            None if scheme_is_open => Self::Undetected,
            None => Self::AsGold,
            Some(None) => Self::Undetected,
            Some(Some(scheme)) => Self::Named(scheme),
        })
    }
}

impl Counting {
    /// Runs `count`, finding out the scheme first where that is still open.
    ///
    /// `evidence` gathers what speaks for a scheme on a side, from about so many tokens, and says whether
    /// that was everything. A scheme that a sample of gold suggests is kept if all of gold turns out not
    /// to violate it: every scheme preferred to it is violated by the sample already. Otherwise all of
    /// gold decides, so the result never depends on the size of the sample. Pred decides only where gold
    /// has no tag but `O`.
    pub(crate) fn run(
        &mut self,
        mut evidence: impl FnMut(&mut Reader, Side, u64) -> Result<(Evidence, bool)>,
        mut count: impl FnMut(&mut Reader, &mut Scorer) -> Result<()>,
    ) -> Result<()> {
        if self.decided && self.pred_scheme != PredScheme::Undetected {
            return self.count(&mut count);
        }
        let mut ask = |reader: &mut Reader, side, most| -> Result<(Detection, bool)> {
            let (evidence, whole) = evidence(reader, side, most)?;
            let detection = evidence.decide(reader.tags(), reader.dialect());
            Ok((
                detection.map_err(|error| Error::TagsOf { side, error })?,
                whole,
            ))
        };
        let before = (self.reader.clone(), self.decided, self.pred_scheme);
        let counted = self.count_in_found_schemes(&mut ask, &mut count);
        let (part, detection) = match counted {
            Ok(counted) => counted,
            Err(error) => {
                (self.reader, self.decided, self.pred_scheme) = before;
                return Err(error);
            }
        };
        check(&part)?;
        self.scorer.add_part(part, &self.reader);
        self.detection = self.detection.take().or(detection);
        Ok(())
    }

    /// Detects undecided schemes, then counts into a separate scorer.
    fn count_in_found_schemes(
        &mut self,
        ask: &mut impl FnMut(&mut Reader, Side, u64) -> Result<(Detection, bool)>,
        count: &mut impl FnMut(&mut Reader, &mut Scorer) -> Result<()>,
    ) -> Result<(Scorer, Option<Detection>)> {
        let (mut part, detection) = if self.decided {
            let mut part = self.scorer.part(&self.reader);
            count(&mut self.reader, &mut part)?;
            (part, None)
        } else {
            let (part, detection) = self.count_in_found_scheme(ask, count)?;
            (part, Some(detection))
        };
        if self.pred_scheme == PredScheme::Undetected && self.find_pred_scheme(&mut part, ask)? {
            part = self.scorer.part(&self.reader);
            count(&mut self.reader, &mut part)?;
        }
        Ok((part, detection))
    }

    /// Finds out the scheme of pred, where `part` has tags of it; true where it is not the one that `part` was
    /// counted in.
    fn find_pred_scheme(
        &mut self,
        part: &mut Scorer,
        ask: &mut impl FnMut(&mut Reader, Side, u64) -> Result<(Detection, bool)>,
    ) -> Result<bool> {
        let labelled = part.labelled_in_pred(&self.reader);
        if labelled == 0 || !self.decided {
            return Ok(false);
        }
        self.pred_scheme = PredScheme::AsGold;
        // Violations are seldom, so all of pred is read again only where there are enough of them, or tags with
        // other prefixes than those of gold's scheme.
        let gold_scheme = self.reader.scheme();
        if self.reader.reading() == Reading::Refuse
            || gold_scheme == Scheme::Token
            || part.violations(Side::Pred).count == 0
            || !are_many(part.violations(Side::Pred).count, labelled)
                && !self.reader.has_foreign_prefixes()
        {
            return Ok(false);
        }
        let detection = match ask(&mut self.reader, Side::Pred, u64::MAX) {
            Ok((detection, _)) => detection,
            // Tags of no scheme are violations of that of gold, and many of them are warned of.
            Err(Error::TagsOf {
                error: TagsError::NoScheme { .. },
                ..
            }) => return Ok(false),
            Err(error) => return Err(error),
        };
        if !detection.contradicts(gold_scheme) {
            return Ok(false);
        }
        self.pred_scheme = PredScheme::Named(detection.scheme);
        self.scorer.change_reader(&self.reader);
        self.reader = self.reader.clone().with_pred_scheme(detection.scheme)?;
        self.pred_detection = Some(detection);
        Ok(true)
    }

    /// Detects the scheme of gold, then counts into a separate scorer.
    fn count_in_found_scheme(
        &mut self,
        ask: &mut impl FnMut(&mut Reader, Side, u64) -> Result<(Detection, bool)>,
        count: &mut impl FnMut(&mut Reader, &mut Scorer) -> Result<()>,
    ) -> Result<(Scorer, Detection)> {
        let (mut detection, mut whole) = ask(&mut self.reader, Side::Gold, SAMPLE)?;
        if !detection.is_decided() && !whole {
            (detection, whole) = ask(&mut self.reader, Side::Gold, u64::MAX)?;
        }
        if !detection.is_decided() {
            (detection, whole) = ask(&mut self.reader, Side::Pred, u64::MAX)?;
        }
        self.take(&detection)?;
        let mut part = self.scorer.part(&self.reader);
        let mut result = count(&mut self.reader, &mut part);
        let violated = part.violations(Side::Gold).count > 0;
        // A dialect may hide violations: then all of gold is asked too.
        let blind = self.reader.dialect().unknown_is_outside;
        if result.is_ok() && !whole && (violated || blind) {
            let scheme = detection.scheme;
            (detection, _) = ask(&mut self.reader, Side::Gold, u64::MAX)?;
            if detection.scheme != scheme {
                self.take(&detection)?;
                part = self.scorer.part(&self.reader);
                result = count(&mut self.reader, &mut part);
            }
        }
        result.map(|()| (part, detection))
    }

    /// Counts by itself, and adds what was counted if all went well: a failed update counts nothing.
    fn count(
        &mut self,
        count: &mut impl FnMut(&mut Reader, &mut Scorer) -> Result<()>,
    ) -> Result<()> {
        let mut part = self.scorer.part(&self.reader);
        count(&mut self.reader, &mut part)?;
        check(&part)?;
        self.scorer.add_part(part, &self.reader);
        Ok(())
    }

    /// Reads in these schemes from now on, if none was found out yet.
    pub(crate) fn set_schemes(&mut self, scheme: Scheme, pred_scheme: PredScheme) -> Result<()> {
        if self.pred_scheme == PredScheme::Undetected {
            self.pred_scheme = pred_scheme;
        }
        if !self.decided {
            self.read_in(scheme)?;
        } else if let PredScheme::Named(pred_scheme) = self.pred_scheme {
            self.scorer.change_reader(&self.reader);
            self.reader = self.reader.clone().with_pred_scheme(pred_scheme)?;
        }
        Ok(())
    }

    /// Only `O` was counted until now, so the ids of types may change.
    fn read_in(&mut self, scheme: Scheme) -> Result<()> {
        let tags = self.reader.tags().clone();
        let (reading, dialect) = (self.reader.reading(), self.reader.dialect().clone());
        self.scorer.change_reader(&self.reader);
        self.reader = Reader::with_vocabulary(tags, scheme, reading, dialect)?;
        if let PredScheme::Named(pred_scheme) = self.pred_scheme {
            self.reader = self.reader.clone().with_pred_scheme(pred_scheme)?;
        }
        self.decided = true;
        Ok(())
    }

    /// Reads in the detected scheme from now on. As long as nothing but `O` was seen nothing is decided,
    /// and no scheme reads anything else into it.
    fn take(&mut self, detection: &Detection) -> Result<()> {
        if detection.is_decided() {
            self.read_in(detection.scheme)?;
        }
        Ok(())
    }

    /// Under `refuse`, raises if there is anything to refuse.
    pub(crate) fn refuse(&self) -> Result<()> {
        if self.reader.reading() != Reading::Refuse {
            return Ok(());
        }
        for (name, side) in [("gold", Side::Gold), ("pred", Side::Pred)] {
            let violations = self.scorer.violations(side);
            if violations.count > 0 {
                return Err(spanrs::Error::Malformed {
                    path: name.to_owned(),
                    scheme: match side {
                        Side::Gold => self.reader.scheme(),
                        Side::Pred => self.reader.pred_scheme(),
                    },
                    violations: violations.clone(),
                }
                .into());
            }
        }
        Ok(())
    }
}

/// Refuses what the matcher could not match.
fn check(part: &Scorer) -> Result<()> {
    part.failure()
        .map_or(Ok(()), |error| Err(Error::unmatched(0, error)))
}
