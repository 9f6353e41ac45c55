//! Feature templates: syntax, functions, sequence edges, errors, and a naive interpreter.
#![allow(clippy::unwrap_used, clippy::panic)] // A panic in a test helper also reports the failure.

use proptest::prelude::*;
use spanrs_crf::{AttributeIndex, Error, Extractor, Template};

/// The attributes of each token.
fn extract(template: &str, columns: &[&[&str]]) -> Vec<Vec<String>> {
    let template = Template::parse(template).unwrap();
    let mut attributes = vec![Vec::new(); columns[0].len()];
    let mut last = 0;
    Extractor::new(&template)
        .extract(columns, |token, attribute| {
            assert!(token >= last, "tokens come in order");
            last = token;
            attributes[token].push(attribute.to_owned());
        })
        .unwrap();
    attributes
}

/// The value of a macro for a sequence of one token.
fn value(call: &str, word: &str) -> String {
    let found = extract(&format!("U={call}"), &[&[word]]);
    assert_eq!(found[0].len(), 1, "{call} of {word:?}");
    found[0][0][2..].to_owned()
}

/// The example of the CRF++ documentation: the current token is `the DT`.
#[test]
fn crfpp_documentation() {
    let words: &[&str] = &["He", "reckons", "the", "current", "account"];
    let tags: &[&str] = &["PRP", "VBZ", "DT", "JJ", "NN"];
    let template = "# Unigram\n\nU00:%x[0,0]\nU01:%x[0,1]\nU02:%x[-1,0]\nU03:%x[-2,1]\nU04:%x[0,0]/%x[0,1]\n\
                    U05:ABC%x[0,1]123\nU\nU06:\n\n# Bigram\nB\n";
    let found = extract(template, &[words, tags]);
    let the = [
        "U00:the",
        "U01:DT",
        "U02:reckons",
        "U03:PRP",
        "U04:the/DT",
        "U05:ABCDT123",
        "U",
        "U06:",
    ];
    assert_eq!(found[2], the);
    let he = [
        "U00:He",
        "U01:PRP",
        "U02:_B-1",
        "U03:_B-2",
        "U04:He/PRP",
        "U05:ABCPRP123",
        "U",
        "U06:",
    ];
    assert_eq!(found[0], he);
}

#[test]
fn edges_have_numbered_values_for_every_function() {
    let calls = [
        "x",
        "X",
        "lower",
        "shape",
        "short_shape",
        "length",
        "kind",
        "prefix",
        "suffix",
        "t",
        "T",
        "m",
        "M",
    ];
    for name in calls {
        let argument = match name {
            "prefix" | "suffix" => ",9",
            "t" | "T" | "m" | "M" => ",\"B\"",
            _ => "",
        };
        let template = format!("U:%{name}[-2,0{argument}]/%{name}[+3,0{argument}]");
        let found = extract(&template, &[&["a", "b"]]);
        assert_eq!(found, [["U:_B-2/_B+2"], ["U:_B-1/_B+3"]], "{name}");
    }
    let far = extract("U:%x[-999,0]%x[999,0]", &[&["a"]]);
    assert_eq!(far, [["U:_B-999_B+999"]]);
}

#[test]
fn absolute_positions() {
    let template = "u:%x[@1,0] %x[@-1,0] %x[@3,0] %x[ @-3 , 0 ] %x[@+2,0]";
    let found = extract(template, &[&["a", "b"]]);
    assert_eq!(found, [["u:a b _B+1 _B-1 b"], ["u:a b _B+1 _B-1 b"]]);
    assert_eq!(
        extract("u:%x[@999,0]%x[@-999,0]", &[&["a"]]),
        [["u:_B+998_B-998"]]
    );
}

#[test]
fn functions() {
    let word = "McDonald's-10";
    for (call, expected) in [
        ("%x[0,0]", "McDonald's-10"),
        ("%X[0,0]", "mcdonald's-10"),
        ("%lower[0,0]", "mcdonald's-10"),
        (r#"%t[0,0,"\d$"]"#, "true"),
        (r#"%T[0,0,"^\d"]"#, "false"),
        (r#"%m[0,0,"\d+"]"#, "10"),
        (r#"%m[0,0,"Z"]"#, ""),
        (r#"%M[0,0,"^\u\l"]"#, "mc"),
        (r#"%M[0,0,"Z"]"#, ""),
        ("%prefix[0,0,3]", "McD"),
        ("%suffix[0,0,3]", "-10"),
        ("%prefix[0,0,13]", "McDonald's-10"),
        ("%shape[0,0]", "XxXxxxxx'x-00"),
        ("%short_shape[0,0]", "XxXx'x-0"),
        ("%length[0,0]", "13"),
        ("%kind[0,0]", "has_digit"),
    ] {
        assert_eq!(value(call, word), expected, "{call}");
    }
}

#[test]
fn unicode() {
    for (call, word, expected) in [
        ("%lower[0,0]", "ÉCOLE", "école"),
        ("%lower[0,0]", "ΟΔΥΣΣΕΥΣ", "οδυσσευς"),
        ("%lower[0,0]", "İ", "i\u{307}"),
        ("%prefix[0,0,2]", "Ärger", "Är"),
        ("%prefix[0,0,2]", "aß", "aß"),
        ("%suffix[0,0,2]", "Straße", "ße"),
        ("%suffix[0,0,3]", "東京都", "東京都"),
        ("%shape[0,0]", "Éa٣½東!😀", "Xx00x!😀"),
        ("%short_shape[0,0]", "東京10😀😀", "x0😀"),
        ("%length[0,0]", "東京😀", "3"),
        (r#"%t[0,0,"^\u"]"#, "École", "true"),
        (r#"%m[0,0,"\a+"]"#, "10Übergrößen!", "Übergrößen"),
    ] {
        assert_eq!(value(call, word), expected, "{call} of {word}");
    }
    assert_eq!(extract("U\nU:%suffix[0,0,3]", &[&["ää"]]), [["U"]]);
}

#[test]
fn kinds() {
    for (kind, words) in [
        ("url", &["http://t.co/x", "HTTPS://A.b", "www.x.org"][..]),
        ("mention", &["@paulwalk", "@_x", "@1"]),
        ("hashtag", &["#NLP", "#1", "#é"]),
        (
            "number",
            &["10", "3.5", "-1,000", "12:30", "5%", "$10", "£3", "½", "٣"],
        ),
        ("has_digit", &["B2B", "2nd", "10x", "(1)"]),
        ("all_caps", &["NATO", "U.S.", "ÉÀ", "A-B"]),
        ("init_cap", &["Paris", "I", "J.", "Élan", "Tel-aviv"]),
        ("mixed_case", &["iPhone", "McDonald", "'Tis"]),
        ("lower_case", &["the", "it's", "über", "éa東"]),
        ("other", &["東京", "", "ال"]),
        ("punctuation", &[".", "...", "@", "#", "“", "…", "、"]),
        ("symbol", &["😀", ":-😀", "€", " "]),
    ] {
        for word in words {
            assert_eq!(value("%kind[0,0]", word), kind, "{word:?}");
        }
    }
}

#[test]
fn prefixes_longer_than_the_token_yield_no_attribute() {
    let template = "U0:%prefix[0,0,3]\nU1:%x[0,0]|%suffix[1,0,3]\nU2:%prefix[0,0,1]";
    let found = extract(template, &[&["ab", "abc", ""]]);
    assert_eq!(
        found,
        [
            vec!["U1:ab|abc", "U2:a"],
            vec!["U0:abc", "U2:a"],
            vec!["U1:|_B+1"]
        ]
    );
}

#[test]
fn wapiti_classes() {
    for (pattern, word, expected) in [
        (r"^\u*$", "NATO", "true"),
        (r"\U", "NATO", "false"),
        (r"\U", "NATO1", "true"),
        (r"^\l\l*$", "nato", "true"),
        (r"\L", "nato", "false"),
        (r".\p.", "a-b", "true"),
        (r".\p.", "$a", "false"),
        (r"^\p*$", "$\u{a0}", "false"),
        (r"^\p*$", "$€“", "true"),
        (r"\P", "...", "false"),
        (r"^\A", "1a", "true"),
        (r"^[\a\d]+$", "a1é", "true"),
        (r"[\p\d]", "ab", "false"),
        (r"\\u", r"\u", "true"),
        (r"\u{e9}\p{Lu}", "éÉ", "true"),
        (r#"a\"b"#, "a\"b", "true"),
        (r"%x[0,0]?", "%x0", "true"),
        (r"\s\w\.", "a b.", "true"),
        (r"(?i)É", "é", "true"),
    ] {
        let call = format!("%t[0,0,\"{pattern}\"]");
        assert_eq!(value(&call, word), expected, "{pattern} in {word}");
    }
}

#[test]
fn lines() {
    let template =
        "\u{feff}# comment %\r\n\r\n  \t\r\nU:a#b %x[ 0 , 0 ] \r\nu\r\n*\r\nB\r\nB01:x\r\nb\r\nU";
    assert_eq!(extract(template, &[&["w"]]), [["U:a#b w ", "u", "*", "U"]]);
    let parsed = Template::parse(template).unwrap();
    assert_eq!(parsed.text(), template);
    assert_eq!((parsed.columns(), parsed.attributes()), (1, 4));
    assert_eq!(Template::parse("B").unwrap().attributes(), 0);
    assert_eq!(Template::parse("U%x[0,12]%x[0,3]").unwrap().columns(), 13);
    // CRF++ also keeps identical lines.
    assert_eq!(
        extract("U:%x[0,0]\nU:%x[1,0]", &[&["a", "a"]])[0],
        ["U:a", "U:a"]
    );
}

#[test]
fn errors_name_line_and_column() {
    for (template, line, column, part) in [
        ("", 1, 1, "empty"),
        ("# only\n\n", 1, 1, "write one attribute per line"),
        ("U\nX00:%x[0,0]", 2, 1, "must begin with U"),
        (" U", 1, 1, "must begin with U"),
        ("U\n\nB00:%x[0,0]", 3, 1, "begin the line with U"),
        ("b:%x[0,0]", 1, 1, "one score per pair of labels"),
        ("*:%x[0,0]", 1, 1, "begin the line with U"),
        ("U:100%", 1, 6, "expected a function after %"),
        ("U:%%x[0,0]", 1, 3, "expected a function after %"),
        (
            "Uäöü:%foo[0,0]",
            1,
            6,
            "unknown function %foo; expected one of %x, %X",
        ),
        ("U:%x", 1, 5, "expected [offset,column]"),
        ("U:%x(0,0)", 1, 5, "expected [offset,column]"),
        ("U:%x[a,0]", 1, 6, "expected an offset"),
        ("U:%x[-,0]", 1, 7, "expected an offset"),
        ("U:%x[*1,0]", 1, 6, "read from a column"),
        ("U:%x[@0,0]", 1, 6, "@1 for the first token"),
        ("U:%x[0]", 1, 7, "expected a comma and the column"),
        ("U:%x[0,-1]", 1, 8, "expected the column"),
        ("U:%x[0,1000]", 1, 8, "1000 is too large; the limit is 999"),
        ("U:%x[99999999999999999999999,0]", 1, 6, "too large"),
        ("U:%x[0,0", 1, 9, "expected ]"),
        ("U:%x[0,0,3]", 1, 9, "expected ]"),
        ("U:%prefix[0,0]", 1, 14, "number of characters"),
        ("U:%suffix[0,0,0]", 1, 15, "at least 1"),
        ("U:%suffix[0,0,x]", 1, 15, "from 1"),
        ("U:%t[0,0]", 1, 9, "regular expression in double quotes"),
        ("U:%m[0,0,a]", 1, 10, "regular expression in double quotes"),
        ("U:%m[0,0,\"a\\\"]", 1, 10, "no closing double quote"),
        (
            "U:%m[0,0,\"(\"]",
            1,
            11,
            "\"(\" is not valid: unclosed group",
        ),
        ("U:%m[0,0,\"a\"", 1, 13, "expected ]"),
    ] {
        let error = Template::parse(template).unwrap_err();
        assert_eq!(
            (error.line, error.column),
            (line, column),
            "{template}: {error}"
        );
        assert!(error.message.contains(part), "{template}: {error}");
    }
    let error = Template::parse("U:%x[0]").unwrap_err().to_string();
    assert!(
        error.starts_with("template line 1, column 7: expected a comma"),
        "{error}"
    );
}

#[test]
fn columns_must_fit() {
    let template = Template::parse("U:%x[0,1]").unwrap();
    let mut extractor = Extractor::new(&template);
    let mut extract = |columns: &[&[&str]]| extractor.extract(columns, |_, _| ());
    let few = |found| Error::Shape {
        what: "columns",
        expected: 2,
        found,
    };
    assert_eq!(extract(&[]), Err(few(0)));
    assert_eq!(extract(&[&["a"]]), Err(few(1)));
    let unequal = Error::Shape {
        what: "values in a column",
        expected: 1,
        found: 2,
    };
    assert_eq!(extract(&[&["a"], &["b", "c"]]), Err(unequal.clone()));
    assert_eq!(extract(&[&["a"], &["b"], &["c", "d"]]), Err(unequal));
    assert_eq!(extract(&[&["a"], &["b"], &["c"]]), Ok(()));
}

#[test]
fn empty_sequences_and_reuse() {
    let template = Template::parse("U:%x[-1,0]/%lower[0,0]/%x[@1,0]\nU").unwrap();
    let mut extractor = Extractor::new(&template);
    let mut found = Vec::new();
    for words in [&["A", "B"][..], &[], &["C"], &[]] {
        let push = |token, attribute: &str| found.push((token, attribute.to_owned()));
        extractor.extract(&[words], push).unwrap();
    }
    let expected = [
        (0, "U:_B-1/a/A"),
        (0, "U"),
        (1, "U:A/b/A"),
        (1, "U"),
        (0, "U:_B-1/c/C"),
        (0, "U"),
    ];
    assert_eq!(
        found,
        expected.map(|(token, attribute)| (token, attribute.to_owned()))
    );
}

#[test]
fn built_in_templates() {
    let sizes = Template::BUILTIN.map(|name| {
        let template = Template::builtin(name).unwrap();
        let again = Template::parse(template.text()).unwrap();
        assert_eq!(again.attributes(), template.attributes());
        let columns = vec![&["Washington", "Wednesday", "Australia"][..]; template.columns()];
        let found = extract(template.text(), &columns);
        for attributes in found {
            assert_eq!(attributes.len(), template.attributes());
            let distinct: std::collections::BTreeSet<_> = attributes.iter().collect();
            assert_eq!(
                distinct.len(),
                attributes.len(),
                "{name}: attributes have distinct names"
            );
        }
        (name, template.columns(), template.attributes())
    });
    assert_eq!(sizes, [("ner", 1, 27), ("chunking", 2, 20), ("pos", 1, 34)]);
    assert!(Template::builtin("NER").is_none());
}

#[test]
fn templates_are_shared_between_threads() {
    fn shared<T: Clone + Send + Sync + 'static>() {}
    shared::<Template>();
    shared::<Extractor>();
}

/// A macro for the naive interpreter.
#[derive(Clone, Debug)]
struct Call {
    function: &'static str,
    absolute: bool,
    offset: isize,
    column: usize,
    n: usize,
}

/// Literal text and macros of a line.
type Items = Vec<(String, Option<Call>)>;

impl Call {
    fn text(&self) -> String {
        let at = if self.absolute { "@" } else { "" };
        let place = format!("{at}{},{}", self.offset, self.column);
        match self.function {
            "prefix" | "suffix" => format!("%{}[{place},{}]", self.function, self.n),
            "t" | "m" | "M" => format!("%{}[{place},\"\\d+|[A-Z]\"]", self.function),
            function => format!("%{function}[{place}]"),
        }
    }

    fn value(&self, columns: &[Vec<String>], token: usize) -> Option<String> {
        let len = columns[0].len() as isize;
        let index = match (self.absolute, self.offset) {
            (false, offset) => token as isize + offset,
            (true, 1..) => self.offset - 1,
            (true, offset) => len + offset,
        };
        if index < 0 {
            return Some(format!("_B{index}"));
        }
        if index >= len {
            return Some(format!("_B+{}", index - len + 1));
        }
        let word = &columns[self.column][index as usize];
        let chars: Vec<char> = word.chars().collect();
        let shape: Vec<char> = chars
            .iter()
            .map(|c| match c {
                c if c.is_uppercase() => 'X',
                c if c.is_alphabetic() => 'x',
                c if c.is_numeric() => '0',
                c => *c,
            })
            .collect();
        let matched = || {
            let start = chars
                .iter()
                .position(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
            start.map(|start| {
                let digits = chars[start..]
                    .iter()
                    .take_while(|c| c.is_ascii_digit())
                    .count();
                chars[start..start + digits.max(1)]
                    .iter()
                    .collect::<String>()
            })
        };
        Some(match self.function {
            "x" => word.clone(),
            "X" | "lower" => word.to_lowercase(),
            "shape" => shape.into_iter().collect(),
            "short_shape" => {
                let mut short = shape;
                short.dedup();
                short.into_iter().collect()
            }
            "length" => chars.len().to_string(),
            "prefix" => chars.get(..self.n)?.iter().collect(),
            "suffix" => chars
                .get(chars.len().checked_sub(self.n)?..)?
                .iter()
                .collect(),
            "t" => matched().is_some().to_string(),
            "m" => matched().unwrap_or_default(),
            "M" => matched().unwrap_or_default().to_lowercase(),
            other => panic!("{other}"),
        })
    }
}

fn naive(lines: &[Items], columns: &[Vec<String>]) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    for token in 0..columns[0].len() {
        for items in lines {
            let value = |(literal, call): &(String, Option<Call>)| {
                let value = match call {
                    Some(call) => call.value(columns, token)?,
                    None => String::new(),
                };
                Some(format!("{literal}{value}"))
            };
            let parts: Option<Vec<String>> = items.iter().map(value).collect();
            out.extend(parts.map(|parts| (token, format!("U{}", parts.concat()))));
        }
    }
    out
}

fn calls() -> impl Strategy<Value = Call> {
    let functions = [
        "x",
        "X",
        "lower",
        "shape",
        "short_shape",
        "length",
        "prefix",
        "suffix",
        "t",
        "m",
        "M",
    ];
    let offset = -4..=4isize;
    (
        prop::sample::select(functions.to_vec()),
        any::<bool>(),
        offset,
        0..2usize,
        1..5usize,
    )
        .prop_map(|(function, absolute, offset, column, n)| Call {
            function,
            absolute: absolute && offset != 0,
            offset,
            column,
            n,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn agrees_with_a_naive_interpreter(
        lines in prop::collection::vec(
            prop::collection::vec(("[a-z:|/ä]{0,3}", prop::option::of(calls())), 0..4), 1..6),
        words in prop::collection::vec(("[A-Za-z0-9'.@ÉßΣ東😀]{0,6}", "[A-ZΣ]{1,3}"), 0..6),
    ) {
        let text: Vec<String> = lines.iter().map(|items: &Items| {
            let item = |(literal, call): &(String, Option<Call>)| {
                format!("{literal}{}", call.as_ref().map(Call::text).unwrap_or_default())
            };
            format!("U{}", items.iter().map(item).collect::<String>())
        }).collect();
        let (first, second): (Vec<String>, Vec<String>) = words.into_iter().unzip();
        let expected = naive(&lines, &[first.clone(), second.clone()]);
        let template = Template::parse(&text.join("\n")).unwrap();
        let mut extractor = Extractor::new(&template);
        let first: Vec<&str> = first.iter().map(String::as_str).collect();
        let second: Vec<&str> = second.iter().map(String::as_str).collect();
        let mut found = Vec::new();
        let push = |token, attribute: &str| found.push((token, attribute.to_owned()));
        extractor.extract(&[&first, &second], push).unwrap();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn parsing_never_panics(text in "[UBub*#x%\\[\\],@\\-0-9\"(a\\\\\n]{0,30}") {
        if let Err(error) = Template::parse(&text) {
            prop_assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty());
        }
    }
}

/// Looking up by hash finds the same attributes as looking up the attribute strings.
#[test]
fn found_attributes_are_those_that_are_spelt_out() {
    let mut random = spanrs_base::Rng::new(11);
    let own = "U:%x[@1,0]/%x[@-1,1]-%x[-3,0]\nU%prefix[1,0,3]%suffix[0,1,2]\nU\nU%t[0,0,\"a\"]x";
    let own = Template::parse(own).unwrap();
    let builtin = Template::BUILTIN.map(|name| Template::builtin(name).unwrap());
    let empty = Template::parse("B").unwrap();
    for template in builtin.into_iter().chain([own, empty]) {
        let mut extractor = Extractor::new(&template);
        let mut attributes = spanrs_base::Interner::<str>::default();
        for round in 0..100 {
            let mut word = || -> String {
                let letters = ['a', 'B', 'é', '1', '@', '日'];
                let len = random.below(5);
                (0..len)
                    .map(|_| letters[random.below(6) as usize])
                    .collect()
            };
            let words: Vec<[String; 2]> = (0..round % 6).map(|_| [word(), word()]).collect();
            let columns =
                [0, 1].map(|at| words.iter().map(|row| row[at].as_str()).collect::<Vec<_>>());
            let columns = [&columns[0][..], &columns[1][..]];
            let mut spelt = vec![Vec::new(); words.len()];
            let spell = |token: usize, name: &str| spelt[token].push(name.to_owned());
            extractor.extract(&columns, spell).unwrap();
            let expected = spelt.iter().map(|names| {
                let known = names.iter().filter_map(|name| attributes.get(name));
                known.collect::<Vec<u32>>()
            });
            let expected: Vec<Vec<u32>> = expected.collect();
            let index = AttributeIndex::new(&attributes);
            let mut found = Vec::new();
            extractor
                .find(&columns, &index, |_, ids| found.push(ids.to_vec()))
                .unwrap();
            assert_eq!(found, expected);
            // Half of the attributes are known from now on.
            for name in spelt.iter().flatten().step_by(2) {
                attributes.intern(name);
            }
        }
    }
}
