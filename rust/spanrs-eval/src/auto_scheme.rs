//! Scoring tags whose scheme must be detected.
//!
//! The scheme of gold is detected from a sample first. The sample is sufficient if all of gold
//! conforms to the detected scheme: the sample already violates every scheme that detection prefers
//! to the detected one, so the whole corpus would give the same result. Otherwise all of gold is
//! read again for detection and, if the result changes, counted again. The result never depends on
//! the size of the sample.
//!
//! Pred is assumed to be in the scheme of gold. If pred violates that scheme often, or has prefixes
//! that do not exist in the scheme, the scheme of pred is detected from all of pred, and used if
//! the evidence is clear ([`Detection::contradicts`]).
//!
//! As long as only `O` has been seen, no scheme is decided, and detection continues with the next
//! update.

use serde::Deserialize;
use spanrs_tags::{
    Detection, Dialect, Error as TagsError, Evidence, Reader, Reading, Scheme, are_many,
};

use crate::input::InputError;
use crate::matcher::Matcher;
use crate::scorer::Scorer;
use crate::side::Side;
use crate::type_filter::TypeFilter;

/// Number of gold tokens in the sample from which the scheme is first detected.
const SAMPLE: u64 = 1 << 16;

/// A [`Scorer`] and the reader of its tags, whose schemes may be undecided.
///
/// An update ([`AutoSchemeScorer::run`]) that fails leaves counts and schemes as they were.
///
/// # Examples
///
/// ```
/// use spanrs_eval::input::InputError;
/// use spanrs_eval::{AutoSchemeScorer, Exact, PredScheme, Scorer};
/// use spanrs_tags::{Dialect, Evidence, Reader, Reading, Scheme};
/// let reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
/// let scorer = Scorer::new(Box::new(Exact::default()), 0);
/// let mut auto = AutoSchemeScorer::new(reader, scorer, false, PredScheme::AsGold);
/// let tags = ["B-A", "E-A", "O"];
/// let counted = auto.run::<InputError>(
///     |reader, _, _| {
///         let mut evidence = Evidence::default();
///         evidence.add(&reader.intern_all(tags)?);
///         Ok((evidence, true))
///     },
///     |reader, scorer| {
///         let ids = reader.intern_all(tags)?;
///         scorer.add(reader, &ids, &ids, |_, _| 0);
///         Ok(())
///     },
/// );
/// assert!(counted.is_ok());
/// assert_eq!(auto.reader.scheme(), Scheme::Iobes);
/// ```
pub struct AutoSchemeScorer {
    /// Reads tags in the decided schemes; before they are decided, in the scheme with which the
    /// reader was created.
    pub reader: Reader,
    /// The counts.
    pub scorer: Scorer,
    /// Whether the scheme of gold is decided.
    pub decided: bool,
    /// How the scheme of pred is determined.
    pub pred_scheme: PredScheme,
    /// The evidence for the scheme of gold; None if the scheme was given.
    pub detection: Option<Detection>,
    /// The evidence for the scheme of pred; None unless this scheme was detected and differs from
    /// the scheme of gold.
    pub pred_detection: Option<Detection>,
}

/// Options of an [`AutoSchemeScorer`] as plain data.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScorerOptions {
    /// Which types are counted.
    pub filter: TypeFilter,
    /// The scheme of gold; None detects it.
    pub scheme: Option<Scheme>,
    /// The scheme of pred if it is known and differs from the scheme of gold.
    pub pred_scheme: Option<Scheme>,
    /// Whether to detect the scheme of pred if `pred_scheme` is None.
    pub detect_pred: bool,
    /// How malformed tags are read.
    pub reading: Reading,
    /// How tags are spelt.
    pub dialect: Dialect,
    /// Number of violations to keep on each side; at least one if violations are refused.
    pub max_violations: usize,
    /// Whether to keep a row of counts for each document.
    pub by_document: bool,
}

impl ScorerOptions {
    /// Creates the scorer.
    ///
    /// # Errors
    /// Same as [`Reader::new`] and [`Reader::with_pred_scheme`].
    pub fn build(self, matcher: Box<dyn Matcher>) -> Result<AutoSchemeScorer, TagsError> {
        let keep = self
            .max_violations
            .max(usize::from(self.reading == Reading::Refuse));
        let mut scorer = Scorer::new(matcher, keep).with_filter(self.filter);
        if self.by_document {
            scorer = scorer.by_document();
        }
        let scheme = self.scheme.unwrap_or(Scheme::Bio);
        let mut reader = Reader::new(scheme, self.reading, self.dialect)?;
        let pred_scheme = PredScheme::new(self.pred_scheme, self.detect_pred);
        if let PredScheme::Named(pred_scheme) = pred_scheme {
            reader = reader.with_pred_scheme(pred_scheme)?;
        }
        Ok(AutoSchemeScorer::new(
            reader,
            scorer,
            self.scheme.is_some(),
            pred_scheme,
        ))
    }
}

/// How the scheme of pred is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredScheme {
    /// The scheme of gold.
    AsGold,
    /// A scheme that was given or has been detected.
    Named(Scheme),
    /// Detected from the first tags of pred other than `O`: the scheme of gold, unless the tags are
    /// clearly in another scheme.
    Undetected,
}

impl PredScheme {
    /// Returns the given scheme, or else how the scheme is determined.
    pub fn new(scheme: Option<Scheme>, detect: bool) -> Self {
        match scheme {
            Some(scheme) => Self::Named(scheme),
            None if detect => Self::Undetected,
            None => Self::AsGold,
        }
    }
}

/// The evidence from a side, and whether it covers all tokens of the side.
type Found<E> = Result<(Evidence, bool), E>;

/// The detected scheme or why no scheme fits, and whether the evidence covers all tokens.
type Decided<E> = Result<(Result<Detection, TagsError>, bool), E>;

/// Collects the evidence from about the given number of tokens of a side and detects its scheme.
type Ask<'a, E> = &'a mut dyn FnMut(&mut Reader, Side, u64) -> Decided<E>;

/// Detects the scheme of a side from about `max_tokens` tokens.
///
/// # Errors
/// The errors of `ask`; [`InputError::TagsOf`] if no scheme fits.
fn detect<E: From<InputError>>(
    ask: Ask<'_, E>,
    reader: &mut Reader,
    side: Side,
    max_tokens: u64,
) -> Result<(Detection, bool), E> {
    let (decided, whole) = ask(reader, side, max_tokens)?;
    let detection = decided.map_err(|error| InputError::TagsOf { side, error })?;
    Ok((detection, whole))
}

impl AutoSchemeScorer {
    /// Creates a scorer. If `decided` is false, the scheme of gold is detected; the scheme of
    /// `reader` is then replaced.
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

    /// Runs `count` after detecting the undecided schemes.
    ///
    /// `evidence` collects the evidence from about the given number of tokens of a side, and
    /// returns whether these were all tokens. `count` counts the sentences of this update with the
    /// given reader and scorer; it is called again if another scheme is found. The tags of pred
    /// determine the scheme of gold only if all tags of gold are `O`.
    ///
    /// # Errors
    /// The errors of `evidence` and `count`; [`InputError`] if no scheme fits the tags or the
    /// matcher refuses spans. Nothing is then counted.
    pub fn run<E: From<InputError>>(
        &mut self,
        mut evidence: impl FnMut(&mut Reader, Side, u64) -> Found<E>,
        mut count: impl FnMut(&mut Reader, &mut Scorer) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.decided && self.pred_scheme != PredScheme::Undetected {
            return self.count(&mut count);
        }
        let mut ask: Ask<'_, E> = &mut |reader, side, max_tokens| {
            let (evidence, whole) = evidence(reader, side, max_tokens)?;
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

    /// Detects undecided schemes and counts into a separate scorer; returns this scorer and the
    /// evidence for the scheme of gold.
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

    /// Determines the scheme of pred once `part` has counted tags of pred. Returns true if `part`
    /// was counted in another scheme.
    ///
    /// All of pred is read again only if there is a reason: more than a tenth of its tags are
    /// violations ([`are_many`]), or there are violations and some tag has a prefix that does not
    /// exist in the scheme of gold. With [`Reading::Refuse`] or in [`Scheme::Token`], pred is
    /// always in the scheme of gold. Tags that fit no scheme are not an error here; they are
    /// counted as violations.
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
        // Violations are rare, so all of pred is read again only if there are enough of them, or
        // tags with prefixes that gold's scheme does not have.
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
            // Tags that fit no scheme are violations of gold's scheme, and there is a warning if
            // there are many.
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

    /// Detects the scheme of gold and counts into a separate scorer.
    ///
    /// 1. Detect from a sample of gold; from all of gold if the sample has only `O`; from pred if
    ///    gold has only `O`.
    /// 2. Count in the detected scheme.
    /// 3. If gold violates this scheme, or if the dialect may hide violations, detect from all of
    ///    gold, and count again if the scheme changes.
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
        self.adopt_detected_scheme(&detection)
            .map_err(InputError::from)?;
        let mut part = self.scorer.part(&self.reader);
        let mut result = count(&mut self.reader, &mut part);
        let violated = part.violations(Side::Gold).count > 0;
        // If the dialect may hide violations, all of gold is used for detection.
        let hides_violations = self.reader.dialect().unknown_is_outside;
        if result.is_ok() && !whole && (violated || hides_violations) {
            let scheme = detection.scheme;
            (detection, _) = detect(ask, &mut self.reader, Side::Gold, u64::MAX)?;
            if detection.scheme != scheme {
                self.adopt_detected_scheme(&detection)
                    .map_err(InputError::from)?;
                part = self.scorer.part(&self.reader);
                result = count(&mut self.reader, &mut part);
            }
        }
        result.map(|()| (part, detection))
    }

    /// Counts into a part, which is added only if no error occurred: a failed update counts
    /// nothing.
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

    /// Returns the names of the scheme of gold, of the scheme of pred and of the reading.
    ///
    /// The first is None until the scheme of gold is decided. The second is None if pred is read in
    /// the scheme of gold, or if both schemes are not detected yet; it is `auto` if only the scheme
    /// of pred is not detected yet.
    pub fn names(&self) -> (Option<&'static str>, Option<&'static str>, &'static str) {
        let reader = &self.reader;
        let pred_scheme = match self.pred_scheme {
            // The scheme of gold may still turn out to be the same.
            PredScheme::Named(scheme) if !self.decided => Some(scheme.name()),
            PredScheme::Undetected if self.decided => Some("auto"),
            _ => reader
                .has_two_schemes()
                .then(|| reader.pred_scheme().name()),
        };
        let scheme = self.decided.then(|| reader.scheme().name());
        (scheme, pred_scheme, reader.reading().name())
    }

    /// Sets the schemes that have not been decided or detected yet, for example to the schemes of
    /// stored counts.
    ///
    /// # Errors
    /// [`TagsError::ReadingNotForScheme`] if the reading is not defined for a scheme.
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

    /// Replaces the reader by a reader for `scheme` with the same tags. Only `O` has been counted
    /// before, so the ids of types may change.
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

    /// Uses the detected scheme from now on. If only `O` was seen, no scheme is decided, because
    /// every scheme reads `O` in the same way.
    fn adopt_detected_scheme(&mut self, detection: &Detection) -> Result<(), TagsError> {
        if detection.is_decided() {
            self.read_in(detection.scheme)?;
        }
        Ok(())
    }
}
