/* The data of lists of examples. */
const [KIND, SENTENCE, FIRST, LENGTH, LINE, DOCUMENT, TOKENS, MARKS, STARTS] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const [SIDE, TYPE, START, END, MARK_KIND, PIECES, NOTE] = [0, 1, 2, 3, 4, 5, 6];
const ALL = "all";
const NONE = "none";
const INVISIBLE = /([\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff])/u;

const counted = (number) => number.toLocaleString("en");
const escapeOf = (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
const escaped = (text) => text.split(INVISIBLE).map((part, at) => (at % 2 ? escapeOf(part) : part)).join("");

function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/* Text with visible escapes, as nodes. */
function visible(text) {
  return text.split(INVISIBLE).map((part, at) => (at % 2 ? element("i", "control", escapeOf(part)) : part));
}

/* The examples of a section, in their original order. */
class Data {
  /* `content` is the parsed JSON of data_block in report/examples.py. */
  constructor({ number, strings, kinds, examples, sides = [], order = "" }) {
    this.number = number;
    /* The name of the given order, if it is an order to be shown. */
    this.order = order;
    this.strings = strings;
    this.rows = examples;
    /* An example with several errors has a list of kinds. */
    for (const row of examples) row[KIND] = [row[KIND]].flat();
    this.looks = new Map(kinds.map(([kind, style, sign]) => [kind, { style, sign }]));
    this.context = strings.indexOf("match");
    this.kinds = new Map();
    /* Counts of types by side, in the given order or the order of occurrence, with gold first. */
    this.sides = new Map(sides.map((side) => [side, new Map()]));
    for (const row of examples) this.count(row);
    this.gold = strings.indexOf("gold");
    this.sides = new Map([...this.sides].sort(([a], [b]) => (b === this.gold) - (a === this.gold)));
    this.texts = [];
  }

  count(row) {
    for (const kind of this.kindsOf(row)) this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    for (const mark of row[MARKS]) if (!this.sides.has(mark[SIDE])) this.sides.set(mark[SIDE], new Map());
    for (const [side, counts] of this.sides)
      for (const type of this.types(row, side)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }

  isContext(row, mark) {
    return mark[MARK_KIND] === this.context && !row[KIND].includes(this.context);
  }

  /* Return the kinds of an example and of its marks. */
  kindsOf(row) {
    const marks = row[MARKS].filter((mark) => !this.isContext(row, mark));
    return new Set([...row[KIND], ...marks.map((mark) => mark[MARK_KIND])]);
  }

  types(row, side) {
    const marks = row[MARKS].filter((mark) => mark[SIDE] === side && !this.isContext(row, mark));
    return new Set(marks.map((mark) => mark[TYPE]));
  }

  /* Return the type of a mark with its note. */
  label(mark) {
    const note = mark[NOTE] === undefined ? "" : ` ${this.strings[mark[NOTE]]}`;
    return this.strings[mark[TYPE]] + note;
  }

  /* Return the searchable text. */
  text(at) {
    const row = this.rows[at];
    const join = (places, gap) => places.map((place) => this.strings[place]).join(gap);
    this.texts[at] ??= `${join(row[TOKENS], " ")}\n${row[MARKS].map((mark) => this.label(mark)).join("\n")}`.toLowerCase();
    return this.texts[at];
  }

  inOrder(sort) {
    const rows = this.rows.map((_, at) => at);
    if (sort === this.order) return rows;
    if (sort === "sentence") return rows.sort((a, b) => this.bySentence(a, b));
    const keys = this.rows.map((row) => this.confusion(row));
    const counts = new Map();
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    /* Examples of the same confusion stay together, even if several confusions are equally frequent. */
    const rank = new Map([...counts].sort(([, a], [, b]) => b - a).map(([key], at) => [key, at]));
    const ranks = keys.map((key) => rank.get(key));
    return rows.sort((a, b) => ranks[a] - ranks[b] || this.bySentence(a, b));
  }

  /* Names are numbered by first occurrence, so documents keep their order. */
  bySentence(a, b) {
    const [one, other] = [this.rows[a], this.rows[b]];
    return one[DOCUMENT] - other[DOCUMENT] || one[SENTENCE] - other[SENTENCE] || a - b;
  }

  confusion(row) {
    const sides = [...this.sides.keys()].map((side) => [...this.types(row, side)].sort().join(","));
    return `${[...new Set(row[KIND])].sort()} ${sides.join(" ")}`;
  }
}
