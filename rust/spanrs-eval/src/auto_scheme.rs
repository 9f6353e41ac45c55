//! Scoring in schemes that are detected.

use spanrs_tags::{Detection, Error as TagsError, Evidence, Reader, Reading, Scheme, are_many};

use crate::input::InputError;
use crate::scorer::{Scorer, Side};

/// Tokens of gold from which a scheme is guessed at first.
const SAMPLE: u64 = 1 << 16;

/// A [`Scorer`] with the reader of its tags, whose schemes may still be undecided.
pub struct AutoSchemeScorer {
    /// Reads tags in the schemes that are decided.
    pub reader: Reader,
    /// Counts.
    pub scorer: Scorer,
    /// False while the scheme of gold is undecided.
    pub decided: bool,
    /// How the scheme of pred is determined.
    pub pred_scheme: PredScheme,
    /// The evidence for the scheme of gold, where it was detected.
    pub detection: Option<Detection>,
    /// The evidence for the scheme of pred, where it is not that of gold and was detected.
    pub pred_detection: Option<Detection>,
}

/// How the scheme of pred is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredScheme {
    /// It is that of gold.
    AsGold,
    /// It is named.
    Named(Scheme),
    /// To be detected with the first tags of pred other than `O`: that of gold, unless they are clearly in another
    /// one.
    Undetected,
}

/// Evidence of a side, and whether it is from all of its tokens.
type Found<E> = Result<(Evidence, bool), E>;

/// The scheme that fits the evidence, and whether that is from all tokens.
type Decided<E> = Result<(Result<Detection, TagsError>, bool), E>;

/// Collects the evidence of a side from about so many tokens, and decides.
type Ask<'a, E> = &'a mut dyn FnMut(&mut Reader, Side, u64) -> Decided<E>;

/// The scheme of a side.
fn detect<E: From<InputError>>(
    ask: Ask<'_, E>,
    reader: &mut Reader,
    side: Side,
    most: u64,
) -> Result<(Detection, bool), E> {
    let (decided, whole) = ask(reader, side, most)?;
    let detection = decided.map_err(|error| InputError::TagsOf { side, error })?;
    Ok((detection, whole))
}

impl AutoSchemeScorer {
    /// Scores with a reader. With `decided` false its scheme is that of gold's tags, which is detected.
    pub fn new(reader: Reader, scorer: Scorer, decided: bool, pred_scheme: PredScheme) -> Self {
        Self {
            reader,
            scorer,
            decided,
            pred_scheme,
            detection: None,
            pred_detection: None,
        }
    }

    /// Runs `count`, after the scheme is detected where it is undecided.
    ///
    /// `evidence` collects the evidence of a side from about so many tokens, and says whether these were all. A scheme
    /// that a sample of gold suggests is kept if gold as a whole does not violate it: every scheme preferred to it is
    /// violated by the sample already. Otherwise all of gold decides, so the result never depends on the size of the
    /// sample. Pred decides only where gold has no tag but `O`.
    ///
    /// # Errors
    /// Those of `evidence` and `count`; [`InputError`] where no scheme fits the tags, or the matcher refuses spans.
    /// Nothing is counted then.
    pub fn run<E: From<InputError>>(
        &mut self,
        mut evidence: impl FnMut(&mut Reader, Side, u64) -> Found<E>,
        mut count: impl FnMut(&mut Reader, &mut Scorer) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.decided && self.pred_scheme != PredScheme::Undetected {
            return self.count(&mut count);
        }
        let mut ask: Ask<'_, E> = &mut |reader, side, most| {
            let (evidence, whole) = evidence(reader, side, most)?;
            Ok((evidence.decide(reader.tags(), reader.dialect()), whole))
        };
        let before = (
            self.reader.clone(),
            self.decided,
            self.pred_scheme,
            self.pred_detection.clone(),
        );
        let counted = self.count_in_found_schemes(&mut ask, &mut count);
        let counted = counted.and_then(|counted| {
            counted.0.check()?;
            Ok(counted)
        });
        let (part, detection) = match counted {
            Ok(counted) => counted,
            Err(error) => {
                let pred_detection;
                (self.reader, self.decided, self.pred_scheme, pred_detection) = before;
                self.pred_detection = pred_detection;
                return Err(error);
            }
        };
        self.scorer.add_part(part, &self.reader);
        self.detection = self.detection.take().or(detection);
        Ok(())
    }

    /// Detects undecided schemes, then counts into a separate scorer.
    fn count_in_found_schemes<E: From<InputError>>(
        &mut self,
        ask: Ask<'_, E>,
        count: &mut impl FnMut(&mut Reader, &mut Scorer) -> Result<(), E>,
    ) -> Result<(Scorer, Option<Detection>), E> {
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
    fn find_pred_scheme<E: From<InputError>>(
        &mut self,
        part: &mut Scorer,
        ask: Ask<'_, E>,
    ) -> Result<bool, E> {
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
        let detection = match ask(&mut self.reader, Side::Pred, u64::MAX)?.0 {
            Ok(detection) => detection,
            // Tags of no scheme are violations of that of gold, and many of them are warned of.
            Err(TagsError::NoScheme { .. }) => return Ok(false),
            Err(error) => {
                let side = Side::Pred;
                return Err(InputError::TagsOf { side, error }.into());
            }
        };
        if !detection.contradicts(gold_scheme) {
            return Ok(false);
        }
        self.pred_scheme = PredScheme::Named(detection.scheme);
        self.scorer.change_reader(&self.reader);
        let reader = self.reader.clone();
        self.reader = reader
            .with_pred_scheme(detection.scheme)
            .map_err(InputError::from)?;
        self.pred_detection = Some(detection);
        Ok(true)
    }

    /// Detects the scheme of gold, then counts into a separate scorer.
    fn count_in_found_scheme<E: From<InputError>>(
        &mut self,
        ask: Ask<'_, E>,
        count: &mut impl FnMut(&mut Reader, &mut Scorer) -> Result<(), E>,
    ) -> Result<(Scorer, Detection), E> {
        let (mut detection, mut whole) = detect(ask, &mut self.reader, Side::Gold, SAMPLE)?;
        if !detection.is_decided() && !whole {
            (detection, whole) = detect(ask, &mut self.reader, Side::Gold, u64::MAX)?;
        }
        if !detection.is_decided() {
            (detection, whole) = detect(ask, &mut self.reader, Side::Pred, u64::MAX)?;
        }
        self.take(&detection).map_err(InputError::from)?;
        let mut part = self.scorer.part(&self.reader);
        let mut result = count(&mut self.reader, &mut part);
        let violated = part.violations(Side::Gold).count > 0;
        // A dialect may hide violations: then all of gold is asked too.
        let hides_violations = self.reader.dialect().unknown_is_outside;
        if result.is_ok() && !whole && (violated || hides_violations) {
            let scheme = detection.scheme;
            (detection, _) = detect(ask, &mut self.reader, Side::Gold, u64::MAX)?;
            if detection.scheme != scheme {
                self.take(&detection).map_err(InputError::from)?;
                part = self.scorer.part(&self.reader);
                result = count(&mut self.reader, &mut part);
            }
        }
        result.map(|()| (part, detection))
    }

    /// Counts by itself, and adds what was counted if all went well: a failed update counts nothing.
    fn count<E: From<InputError>>(
        &mut self,
        count: &mut impl FnMut(&mut Reader, &mut Scorer) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut part = self.scorer.part(&self.reader);
        count(&mut self.reader, &mut part)?;
        part.check()?;
        self.scorer.add_part(part, &self.reader);
        Ok(())
    }

    /// Names of the scheme as far as it is decided, of the scheme of pred where it is another one (`auto` where it is
    /// still to be detected), and of the reading.
    pub fn names(&self) -> (Option<&'static str>, Option<&'static str>, &'static str) {
        let reader = &self.reader;
        let pred_scheme = match self.pred_scheme {
            // It may yet turn out to be that of gold.
            PredScheme::Named(scheme) if !self.decided => Some(scheme.name()),
            PredScheme::Undetected if self.decided => Some("auto"),
            _ => reader
                .has_two_schemes()
                .then(|| reader.pred_scheme().name()),
        };
        let scheme = self.decided.then(|| reader.scheme().name());
        (scheme, pred_scheme, reader.reading().name())
    }

    /// Reads in these schemes from now on, if none was found out yet.
    ///
    /// # Errors
    /// [`TagsError`] where the reading is not one for the scheme.
    pub fn set_schemes(
        &mut self,
        scheme: Scheme,
        pred_scheme: PredScheme,
    ) -> Result<(), TagsError> {
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
    fn read_in(&mut self, scheme: Scheme) -> Result<(), TagsError> {
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
    fn take(&mut self, detection: &Detection) -> Result<(), TagsError> {
        if detection.is_decided() {
            self.read_in(detection.scheme)?;
        }
        Ok(())
    }
}
