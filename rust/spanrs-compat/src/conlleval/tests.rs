use super::*;

fn counted(rules: Rules, tokens: &[(&str, &str)]) -> Vec<(String, [u64; 3])> {
    let setting = Setting {
        rules,
        outside: b"O".to_vec(),
        raw: false,
    };
    let mut counts = Conlleval::new(setting);
    for (gold, pred) in tokens {
        counts.token(gold.as_bytes(), pred.as_bytes()).unwrap();
    }
    let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let types = counts.types();
    types
        .iter()
        .map(|(ty, n)| (name(ty), [n.gold, n.pred, n.both]))
        .filter(|(_, n)| *n != [0; 3])
        .collect()
}

#[test]
fn only_the_ports_read_s_as_a_single_token() {
    let twice = [("S-A", "S-A"), ("S-A", "S-A")];
    let row = |n| vec![("A".to_owned(), n)];
    assert_eq!(counted(Rules::Perl, &twice), row([1, 1, 1]));
    assert_eq!(counted(Rules::Python, &twice), row([2, 2, 2]));
    assert_eq!(counted(Rules::Sequences, &twice), row([2, 2, 2]));
}

#[test]
fn perl_reads_the_type_0_as_empty() {
    let row = vec![(String::new(), [1, 1, 1])];
    assert_eq!(counted(Rules::Perl, &[("B-0", "B-")]), row);
}

#[test]
fn a_tag_needs_a_type_in_sequences() {
    let setting = Setting {
        rules: Rules::Sequences,
        outside: b"O".to_vec(),
        raw: false,
    };
    assert_eq!(Conlleval::new(setting).token(b"O", b"PER"), Err(NoType));
}

#[test]
fn more_pairs_than_are_kept_lose_no_token() {
    let setting = Setting {
        rules: Rules::Perl,
        outside: b"O".to_vec(),
        raw: false,
    };
    let mut counts = Conlleval::new(setting);
    for at in 0..PAIRS + 10 {
        counts.token(format!("{at}").as_bytes(), b"O").unwrap();
    }
    assert_eq!(counts.tokens(), PAIRS as u64 + 10);
}
