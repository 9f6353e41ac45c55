//! Fuzz target for span files.

use spanrs_io::{Code, SpanFileReader, SpanLine};

use crate::input::{CHUNK, Input, chunk, depends_on_buffer, is_plain, lines};

/// A line: None for a blank line, otherwise type, boundaries and tokens.
type Line = Option<(String, i64, i64, Vec<i64>)>;

/// The lines up to the first rejected line, and the reason and position of the error.
type Read = (Vec<Line>, Option<(Code, u64)>);

/// Asserts that reading equals splitting strings, regardless of buffer boundaries, that written spans are read back
/// unchanged, and that strict reading gives the same lines up to the first line it rejects. The first byte chooses the
/// size of the buffer.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let chunk = chunk(&mut input);
    let bytes = input.rest();
    let whole = read(bytes, CHUNK, false);
    let pieces = read(bytes, chunk, false);
    match whole.1 {
        Some((code, _)) if depends_on_buffer(code) => {
            assert!(pieces.1.is_some() && pieces.0.starts_with(&whole.0));
        }
        _ => assert_eq!(whole, pieces),
    }
    let strict = read(bytes, CHUNK, true);
    assert!(whole.0.starts_with(&strict.0));
    if strict.1.is_none() {
        assert_eq!(whole, strict);
    }
    if is_plain(bytes) {
        assert_eq!(whole, by_splitting(bytes));
    }
    let written = write(&whole.0);
    if is_plain(written.as_bytes()) {
        let again = read(written.as_bytes(), chunk, false);
        assert_eq!(again, (whole.0, None), "{written:?}");
    }
}

fn read(bytes: &[u8], chunk: usize, strict: bool) -> Read {
    let mut found = Vec::new();
    let mut each = || -> spanrs_io::Result<()> {
        let mut reader = SpanFileReader::new(lines(bytes, chunk)?);
        if strict {
            reader = reader.strict();
        }
        while let Some(line) = reader.next_line()? {
            found.push((line == SpanLine::Span).then(|| {
                let name = std::str::from_utf8(reader.name()).expect("names are UTF-8");
                let (begin, end) = reader.bounds();
                assert!(1 <= begin && begin <= end);
                let tokens = reader.tokens().unwrap_or_default();
                assert!(tokens.windows(2).all(|pair| pair[0] < pair[1]));
                assert!(tokens.iter().all(|token| (begin..=end).contains(token)));
                assert_ne!(
                    tokens.len() as i64,
                    end - begin + 1,
                    "token lists are omitted only if complete"
                );
                (name.to_owned(), begin, end, tokens.to_vec())
            }));
        }
        Ok(())
    };
    let refused = each().err().map(|error| {
        assert!(!error.message.contains('\n'), "{error}");
        (error.code, error.position.line)
    });
    (found, refused)
}

/// Reference implementation with strings.
fn by_splitting(bytes: &[u8]) -> Read {
    let text = std::str::from_utf8(bytes).expect("plain bytes are UTF-8");
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        match line_by_splitting(line.strip_suffix('\n').unwrap_or(line)) {
            Ok(line) => found.push(line),
            Err(code) => return (found, Some((code, number))),
        }
    }
    (found, None)
}

fn line_by_splitting(line: &str) -> Result<Line, Code> {
    if line.trim_matches([' ', '\t']).is_empty() {
        return Ok(None);
    }
    let columns: Vec<&str> = line.split('\t').collect();
    let [name, begin, end, list] = columns[..] else {
        return Err(Code::Ragged);
    };
    let number = |text: &str| {
        let text = text.trim_matches([' ', '\t', '\x0C']);
        let digits =
            !text.is_empty() && text.len() <= 18 && text.bytes().all(|b| b.is_ascii_digit());
        let number = if digits {
            text.parse().unwrap_or(0)
        } else {
            0_i64
        };
        (number > 0).then_some(number).ok_or(Code::BadSpan)
    };
    if name.is_empty() || name.starts_with(' ') || name.ends_with(' ') {
        return Err(Code::BadSpan);
    }
    let (begin, end) = (number(begin)?, number(end)?);
    let mut tokens = Vec::new();
    if !list.trim_matches([' ', '\t', '\x0C']).is_empty() {
        for item in list.split(',') {
            tokens.push(number(item)?);
        }
    }
    if end < begin || tokens.iter().any(|token| !(begin..=end).contains(token)) {
        return Err(Code::BadSpan);
    }
    tokens.sort_unstable();
    tokens.dedup();
    if tokens.len() as i64 == end - begin + 1 {
        tokens.clear();
    }
    Ok(Some((name.to_owned(), begin, end, tokens)))
}

fn write(found: &[Line]) -> String {
    let line = |line: &Line| match line {
        None => "\n".to_owned(),
        Some((name, begin, end, tokens)) => {
            let tokens: Vec<String> = tokens.iter().map(i64::to_string).collect();
            format!("{name}\t{begin}\t{end}\t{}\n", tokens.join(", "))
        }
    };
    found.iter().map(line).collect()
}
