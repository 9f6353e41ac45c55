use spanrs_base::Position;
use spanrs_eval::{Scorer, Side};
use spanrs_tags::Reader;

use crate::error::{Error, Result};
use crate::pairs::walk;
use crate::score::Sides;
use crate::{Progress, Rows};

/// Scores files under several readings in one pass.
///
/// The files must have been scored before under another reading, so that misaligned tokens are not reported again.
///
/// # Errors
/// As [`crate::score`], without [`crate::Error::Malformed`]: violations are in the scorers.
pub fn score_readings(
    sides: Sides,
    targets: &mut [(&mut Reader, &mut Scorer)],
    rows: Rows,
    progress: &mut Progress<'_>,
) -> Result<()> {
    let Some(((first, first_scorer), others)) = targets.split_first_mut() else {
        return Ok(());
    };
    // Tags get the same ids in all readers, because each has them in the order of the first.
    let mut known = 0;
    walk(sides, first, progress, |reader, pair, path| {
        let line = |side, token| match side {
            Side::Gold => pair.gold.line(token),
            Side::Pred => pair.pred.line(token),
        };
        let ends = pair.begins_document && rows == Rows::Documents;
        let mut new = Vec::new();
        if reader.tags().len() > known {
            new.extend(reader.tags().names().skip(known).map(str::to_owned));
            known = reader.tags().len();
        }
        if ends {
            first_scorer.end_document(reader, None);
        }
        first_scorer.add(reader, &pair.gold.ids, &pair.pred.ids, line);
        if rows == Rows::Sentences {
            first_scorer.end_document(reader, None);
        }
        for (reader, scorer) in others.iter_mut() {
            for tag in &new {
                reader
                    .intern_bytes(tag.as_bytes())
                    .map_err(|error| Error::Tags {
                        position: Position::line(path, pair.gold.line(0)),
                        error,
                    })?;
            }
            if ends {
                scorer.end_document(reader, None);
            }
            scorer.add(reader, &pair.gold.ids, &pair.pred.ids, line);
            if rows == Rows::Sentences {
                scorer.end_document(reader, None);
            }
        }
        Ok(())
    })?;
    for (reader, scorer) in targets {
        scorer.end_document(reader, None);
    }
    Ok(())
}
