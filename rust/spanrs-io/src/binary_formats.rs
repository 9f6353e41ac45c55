//! Binary files passed to readers of text: models, tables and saved counts.

/// First bytes of known binary formats, each with advice for the error message.
const BINARY: &[(&[u8], &str)] = &[
    (
        b"PAR1",
        "this is Parquet; omit the format, or specify parquet",
    ),
    (
        b"ARROW1",
        "this is an Arrow file; omit the format, or specify arrow",
    ),
    (
        b"spanrs result\x01",
        "these are counts saved by spanrs score --save; display them with spanrs merge",
    ),
];
/// The error message for a file that begins like a known binary format, with advice.
pub(crate) fn binary_format(head: &[u8]) -> Option<&'static str> {
    // A safetensors file: the length of a JSON header as 64 bits, then the header.
    if head.get(4..9) == Some(b"\0\0\0\0{") {
        return Some("this is a model, not a text file; check the order of the arguments");
    }
    let known = BINARY.iter().find(|(magic, _)| head.starts_with(magic));
    known.map(|(_, message)| *message)
}
