//! Usual names of keys and types, and phrases that mean "none".

use super::query::{Query, folded};

/// The meaning of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// The type of a mention.
    Type,
    /// The name; of several, the one with the smallest rank.
    Text(u8),
    /// The name, or the type if another key has the name.
    Entity,
    Start,
    End,
    /// Start and end together.
    Offsets,
    /// Mentions.
    Container,
    /// Tokens, for lists of tags.
    Tokens,
    /// Anything else that is not a mention.
    Remark,
    Unknown,
}

const TYPE_KEYS: &str = "type label entitytype entitygroup entitylabel entityclass entitycategory \
                         class category tag nertag nertype extractionclass labels typename \
                         tags nertags biotags";
/// From the most to the least specific.
const TEXT_KEYS: &str = "mention extractiontext entitytext entitymention span surface surfaceform \
                         spantext text word phrase name entityname string value term";
const START_KEYS: &str = "start startpos startoffset startchar charstart startindex begin \
                          beginoffset startposition from";
const END_KEYS: &str = "end endpos endoffset endchar charend endindex endposition to stop";
const OFFSET_KEYS: &str = "offset offsets position positions charinterval indices charspan range";
const CONTAINER_KEYS: &str = "entities extractions results result mentions namedentities output \
                              outputs answer answers predictions prediction data items spans \
                              annotations ner names values response entitylist entity texts \
                              extractedentities children examples list content choices \
                              toolcalls functioncall";
const TOKEN_KEYS: &str = "tokens words tokenizedtext";
const REMARK_KEYS: &str = "score confidence probability id attributes extractionindex groupindex \
                           alignmentstatus tokeninterval reason reasoning explanation rationale \
                           analysis thought thoughts context sentence document note notes comment \
                           comments description summary language input relations relationships \
                           documentid meta metadata status source index count total error message \
                           query prompt question task schema version model refusal role \
                           object created usage finishreason stopreason logprobs systemfingerprint";
/// Values of the key `type` that name a part of a message or a tool call, not a mention.
const MESSAGE_TYPES: &str = "text function tooluse toolcall functioncall message object json \
                             document sentence paragraph array";

/// Names of types in common schemas.
const COMMON_TYPES: &str = "per person people persons loc location locations gpe org organization \
                            organisation organizations organisations company companies \
                            corporation date dates time money percent event events product \
                            products facility fac norp misc miscellaneous language law cardinal \
                            ordinal quantity city country place disease drug chemical gene protein \
                            species symptom medication dosage vehicle weapon dna rna \
                            人名 人物 地名 地点 机构名 机构 组织 组织机构 时间 日期";
const COMMON_TYPES_OF_WORDS: [&str; 3] = ["work of art", "cell type", "cell line"];

/// Words in phrases such as "There are no named entities in this text".
const NONE_WORDS: &str = "no none nothing not any n a na null empty there are is were was named \
                          entities entity mentions mention found present in this the text sentence \
                          passage input given provided identified detected of type types mentioned \
                          could be to extract extracted specified that match requested listed list \
                          contain contains does do it have has i you and or following from here \
                          tagged words spans span result results answer";
const NEGATIONS: [&str; 8] = ["no", "none", "nothing", "not", "na", "null", "empty", "n"];

fn contains(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|entry| entry == word)
}

/// Words that alone mean that there is no name. `Na`, `No` and `Not` can be names.
const NO_NAMES: [&str; 12] = [
    "none", "nothing", "null", "nil", "n/a", "[]", "-", "–", "—", "无", "没有", "なし",
];

/// A key in lower case without `_`, `-` and spaces.
fn squeezed(key: &str) -> String {
    key.to_lowercase().replace(['_', '-', ' '], "")
}

/// True for the value of a key such as `type` that describes a part of a message or a tool call.
pub(super) fn is_message_type(ty: &str) -> bool {
    ty.len() <= 40 && contains(MESSAGE_TYPES, &squeezed(ty))
}

/// True for the value of a key `type` of a part of a message that is text.
pub(super) fn is_message_part(ty: &str) -> bool {
    matches!(
        ty,
        "text" | "output_text" | "message" | "refusal" | "thinking"
    )
}

/// True for the key under which a mention, or a document, has its text.
pub(super) fn is_text_key(key: &str) -> bool {
    key.len() <= 40 && matches!(&*squeezed(key), "text" | "texts")
}

/// The meaning of a key, ignoring case, `_`, `-` and spaces.
pub(super) fn field(key: &str) -> Field {
    if key.len() > 40 {
        return Field::Unknown;
    }
    let key = squeezed(key);
    if contains(TYPE_KEYS, &key) {
        return Field::Type;
    }
    if key == "entity" {
        return Field::Entity;
    }
    if let Some(rank) = TEXT_KEYS
        .split_ascii_whitespace()
        .position(|text_key| text_key == key)
    {
        return Field::Text(rank as u8);
    }
    let fields = [
        (START_KEYS, Field::Start),
        (END_KEYS, Field::End),
        (OFFSET_KEYS, Field::Offsets),
        (CONTAINER_KEYS, Field::Container),
        (TOKEN_KEYS, Field::Tokens),
        (REMARK_KEYS, Field::Remark),
    ];
    fields
        .into_iter()
        .find(|(words, _)| contains(words, &key))
        .map_or(Field::Unknown, |(_, field)| field)
}

/// True for types of common schemas, such as `PER` and `Location`.
pub(super) fn is_common_type(name: &str) -> bool {
    if name.len() > 40 {
        return false;
    }
    let name = folded(name);
    contains(COMMON_TYPES, &name) || COMMON_TYPES_OF_WORDS.contains(&&*name)
}

/// True if a string can be the name of a type: a few words without punctuation.
pub(super) fn can_be_type(name: &str) -> bool {
    let name = name.trim();
    !name.is_empty()
        && name.len() <= 60
        && name.split_whitespace().count() <= 4
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || " _-/.&".contains(c))
        && name.chars().any(char::is_alphabetic)
        && field(name) != Field::Remark
}

/// True for a string that means "no name": `None`, `N/A`, `-` or "No entities".
///
/// Of single words only those that are hardly ever names count: `NO` and `Na` are chemicals.
pub(super) fn is_no_name(name: &str, query: &Query) -> bool {
    let name = name.trim().trim_end_matches(['.', '!']);
    if name.len() > 200 || name.is_empty() {
        return name.is_empty();
    }
    if NO_NAMES.contains(&&*name.to_lowercase()) || name == "NA" {
        return true;
    }
    name.split_whitespace().nth(1).is_some() && says_none(name, query)
}

/// True if the whole text is a phrase such as "None" or "No entities found.".
pub(super) fn says_none(text: &str, query: &Query) -> bool {
    let text = text.trim();
    if text.is_empty() || text.len() > 200 {
        return false;
    }
    let lower = text.to_lowercase();
    if lower.contains([':', '[', '{', '<', '@', '#', '|']) {
        return false;
    }
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    if NO_NAMES.contains(&lower.trim_end_matches(['.', '!', '。'])) {
        return true;
    }
    let is_allowed = |word: &&str| {
        contains(NONE_WORDS, word)
            || query.is_type(word)
            || is_common_type(word)
            || query
                .ty()
                .is_some_and(|ty| folded(ty).split(' ').any(|part| part == *word))
    };
    words.iter().any(|word| NEGATIONS.contains(word)) && words.iter().all(is_allowed)
}
