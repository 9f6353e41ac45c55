/* Lists of examples. Only the visible rows are in the document. */
const [KIND, SENTENCE, FIRST, LENGTH, LINE, DOCUMENT, TOKENS, MARKS] = [0, 1, 2, 3, 4, 5, 6, 7];
const [SIDE, TYPE, START, END, MARK_KIND, PIECES, NOTE] = [0, 1, 2, 3, 4, 5, 6];
const ALL = "all";
const NONE = "none";
/* Pixels above and below the list for which rows are built, so that scrolling shows no gaps. */
const MARGIN = 400;
const MOST_PRINTED = 200;
/* Maximum number of strips of a side; spans that need more are not drawn. */
const MOST_STRIPS = 6;
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

/* Tops of rows of different heights: a Fenwick tree of differences from an estimate. */
class Heights {
  constructor(count, estimate) {
    this.count = count;
    this.estimate = estimate;
    this.deviations = new Float64Array(count);
    this.tree = new Float64Array(count + 1);
  }

  set(at, height) {
    const change = height - this.estimate - this.deviations[at];
    this.deviations[at] += change;
    for (let node = at + 1; change && node <= this.count; node += node & -node) this.tree[node] += change;
  }

  top(at) {
    let sum = at * this.estimate;
    for (let node = at; node > 0; node -= node & -node) sum += this.tree[node];
    return sum;
  }

  /* Return the row at a vertical position. */
  find(height) {
    let at = 0;
    let sum = 0;
    for (let step = 2 ** Math.floor(Math.log2(this.count || 1)); step >= 1; step /= 2) {
      const next = at + step;
      if (next > this.count) continue;
      const top = sum + step * this.estimate + this.tree[next];
      if (top <= height) [at, sum] = [next, top];
    }
    return Math.min(at, this.count - 1);
  }
}

/* The examples of a section, in their original order. */
class Data {
  constructor(text) {
    const { number, strings, kinds, examples, sides = [] } = JSON.parse(text);
    this.number = number;
    this.strings = strings;
    this.rows = examples;
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
    this.kinds.set(row[KIND], (this.kinds.get(row[KIND]) ?? 0) + 1);
    for (const mark of row[MARKS]) if (!this.sides.has(mark[SIDE])) this.sides.set(mark[SIDE], new Map());
    for (const [side, counts] of this.sides)
      for (const type of this.types(row, side)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }

  isContext(row, mark) {
    return mark[MARK_KIND] === this.context && row[KIND] !== this.context;
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
    return `${row[KIND]} ${sides.join(" ")}`;
  }
}

/* Distribute the spans of a side over strips without overlap. */
function stripsOf(marks) {
  const strips = [];
  for (const mark of [...marks].sort((a, b) => a[START] - b[START] || b[END] - a[END])) {
    const end = Math.max(mark[END], mark[START] + 1);
    const free = strips.find((strip) => strip.end <= mark[START]);
    if (free) [free.marks, free.end] = [[...free.marks, mark], end];
    else if (strips.length < MOST_STRIPS) strips.push({ marks: [mark], end });
  }
  return strips.map((strip) => strip.marks);
}

/* Return the piece of a strip at a token. */
function stripPiece(data, row, marks, token) {
  const mark = marks.find((one) => token >= one[START] && token < Math.max(one[END], one[START] + 1));
  if (!mark) return element("span", "strip");
  const { style, sign } = data.looks.get(mark[MARK_KIND]);
  const context = data.isContext(row, mark);
  const [side, type] = [data.strings[mark[SIDE]], data.label(mark)];
  const piece = element("span", `strip span ${style}`);
  piece.classList.toggle("begin", token === mark[START]);
  piece.classList.toggle("end", token >= mark[END] - 1);
  piece.classList.toggle("gap", Array.isArray(mark[PIECES]) && !mark[PIECES].includes(token));
  piece.classList.toggle("context", context);
  piece.classList.toggle("empty", mark[START] === mark[END]);
  piece.title = escaped(`${side}: ${type}, tokens ${mark[START] + 1} to ${mark[END]}, ${data.strings[mark[MARK_KIND]]}`);
  /* Lines may wrap: with several systems each piece shows the name of its side. */
  const name = data.sides.size > 2 && mark[SIDE] !== data.gold ? `${side} ` : "";
  if (token === Math.max(mark[START], row[FIRST]))
    piece.append(...visible(name + type), context || !sign ? "" : ` ${sign}`);
  else piece.append("\u00a0");
  return piece;
}

/* Return the strips of an example: gold above the words, other sides below. */
function stripsOfSides(data, row) {
  const end = row[FIRST] + row[TOKENS].length;
  return [...data.sides.keys()].flatMap((side) => {
    const marks = row[MARKS].filter((mark) => mark[SIDE] === side && mark[START] <= end && mark[END] >= row[FIRST]);
    const above = side === data.gold;
    return stripsOf(marks).map((own, at) => ({ marks: own, above, name: at ? "" : data.strings[side] }));
  });
}

function tokenColumn(className, word, strips, piece) {
  const pieces = strips.map((strip) => {
    const made = piece(strip);
    made.classList.toggle("above", strip.above);
    return made;
  });
  const [above, below] = [true, false].map((wanted) => pieces.filter((_, at) => strips[at].above === wanted));
  return element("span", className, ...above, element("span", "word", ...word), ...below);
}

function tokenColumns(data, row) {
  const end = row[FIRST] + row[TOKENS].length;
  const strips = stripsOfSides(data, row);
  const name = (strip) => element("span", "strip", ...visible(strip.name));
  const cut = () => tokenColumn("token cut", ["…"], strips, () => element("span", "strip"));
  const columns = row[TOKENS].map((token, at) =>
    tokenColumn("token", visible(data.strings[token]), strips, (strip) => stripPiece(data, row, strip.marks, row[FIRST] + at)),
  );
  const before = row[FIRST] > 0 ? [cut()] : [];
  const after = row[LENGTH] > end ? [cut()] : [];
  return [tokenColumn("token sides", ["\u00a0"], strips, name), ...before, ...columns, ...after];
}

function aboutExample(data, at) {
  const row = data.rows[at];
  const number = data.number + at;
  const { style, sign } = data.looks.get(row[KIND]);
  const link = element("a", "", `#${counted(number)}`);
  link.href = `#e${number}`;
  const badge = element("span", `badge ${style}`, `${sign} `, ...visible(data.strings[row[KIND]]));
  const parts = [link, badge, element("span", "", `sentence ${counted(row[SENTENCE] + 1)}`)];
  const end = row[FIRST] + row[TOKENS].length;
  if (row[FIRST] > 0 || row[LENGTH] > end) {
    const of = row[LENGTH] >= 0 ? ` of ${counted(row[LENGTH])}` : "";
    parts.push(element("span", "", `tokens ${counted(row[FIRST] + 1)} to ${counted(end)}${of}`));
  }
  if (row[LINE] >= 0) parts.push(element("span", "", `line ${counted(row[LINE])}`));
  if (row[DOCUMENT] >= 0) parts.push(element("bdi", "", ...visible(data.strings[row[DOCUMENT]])));
  return element("div", "about", ...parts);
}

function exampleRow(data, at) {
  const tokens = element("div", "tokens", ...tokenColumns(data, data.rows[at]));
  /* The direction depends on the first letter, so that Hebrew and Arabic run from right to left. */
  tokens.dir = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(
    data.rows[at][TOKENS].map((token) => data.strings[token]).join(" "),
  ) ? "rtl" : "ltr";
  const row = element("div", "example", aboutExample(data, at), tokens);
  row.id = `e${data.number + at}`;
  row.setAttribute("role", "listitem");
  return row;
}

/* A scrolling list that builds only the rows near the visible ones. */
class VirtualList {
  constructor(list, build, current) {
    this.list = list;
    this.space = list.querySelector(".space");
    this.holder = list.querySelector(".rows");
    this.build = build;
    this.current = current;
    this.estimate = 90;
    this.items = [];
    this.built = new Map();
    this.printing = false;
    this.waiting = false;
    list.addEventListener("scroll", () => this.soon());
    new ResizeObserver(() => this.resized()).observe(list);
  }

  /* Show new items, starting with the first. */
  show(items) {
    this.items = items;
    this.forget();
    this.list.scrollTop = 0;
    this.render();
  }

  forget() {
    this.built.clear();
    this.holder.replaceChildren();
    this.width = this.list.clientWidth;
    this.heights = new Heights(this.items.length, this.estimate);
    this.fit();
  }

  fit() {
    this.space.style.height = `${this.heights.top(this.items.length)}px`;
  }

  soon() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.render();
    });
  }

  resized() {
    if (this.printing || !this.items.length || this.list.clientWidth === this.width) return;
    const first = this.heights.find(this.list.scrollTop);
    const current = this.current();
    const visible = this.isVisible(current);
    this.forget();
    if (visible) this.scrollTo(current);
    else this.scrollTo(first, 0);
  }

  render() {
    if (this.printing || !this.items.length) return;
    const { heights, list } = this;
    const top = list.scrollTop;
    const anchor = heights.find(top);
    const offset = top - heights.top(anchor);
    const start = heights.find(Math.max(top - MARGIN, 0));
    const end = heights.find(top + list.clientHeight + MARGIN) + 1;
    if (!this.fill(start, end)) return;
    this.measure();
    /* The height of rows above the visible ones may differ from the estimate. */
    const wanted = heights.top(anchor) + offset;
    if (Math.abs(wanted - list.scrollTop) > 1) list.scrollTop = wanted;
    this.soon();
  }

  /* Build the rows of a range and remove others; return false if nothing changed. */
  fill(start, end) {
    let changed = false;
    for (const [at, row] of this.built) {
      if (at >= start && at < end) continue;
      row.remove();
      this.built.delete(at);
      changed = true;
    }
    let next = this.holder.firstElementChild;
    for (let at = start; at < end; at++) {
      const row = this.built.get(at);
      if (row) {
        next = row.nextElementSibling;
        continue;
      }
      const made = this.build(this.items[at]);
      made.setAttribute("aria-posinset", at + 1);
      made.setAttribute("aria-setsize", this.items.length);
      this.holder.insertBefore(made, next);
      this.built.set(at, made);
      changed = true;
    }
    this.start = start;
    return changed;
  }

  measure() {
    let sum = 0;
    for (const [at, row] of this.built) {
      const { height } = row.getBoundingClientRect();
      this.heights.set(at, height);
      sum += height;
    }
    this.estimate = sum / this.built.size || this.estimate;
    this.holder.style.top = `${this.heights.top(this.start)}px`;
    this.fit();
  }

  /* Scroll an item to an offset from the top of the list; twice, because the first pass measures the rows. */
  scrollTo(at, below = this.list.clientHeight / 4) {
    for (let times = 0; times < 2; times++) {
      this.list.scrollTop = Math.max(this.heights.top(at) - below, 0);
      this.render();
    }
  }

  isVisible(at) {
    if (!this.built.has(at)) return false;
    const [top, bottom] = [this.heights.top(at), this.heights.top(at + 1)];
    return top >= this.list.scrollTop && bottom <= this.list.scrollTop + this.list.clientHeight;
  }

  print() {
    this.printing = true;
    this.built.clear();
    this.holder.replaceChildren(...this.items.slice(0, MOST_PRINTED).map(this.build));
  }

  printed() {
    const top = this.list.scrollTop;
    this.printing = false;
    this.forget();
    this.list.scrollTop = top;
    this.render();
  }
}

/* A labelled selection; options are pairs of a value and a text. */
function selection(name, options, changed) {
  const select = element("select");
  for (const [value, text] of options) select.append(new Option(text, value));
  select.addEventListener("change", changed);
  return { select, label: element("label", "", name, select) };
}

function button(text, title, action) {
  const made = element("button", "", text);
  made.type = "button";
  made.title = title;
  made.addEventListener("click", action);
  return made;
}

/* A section of examples: its controls and its list. */
class ExampleSection {
  constructor(root) {
    this.root = root;
    this.data = new Data(root.querySelector('script[type="application/json"]').textContent);
    this.status = root.querySelector(".shown");
    this.current = -1;
    this.orders = {};
    const list = root.querySelector(".list");
    list.hidden = false;
    list.setAttribute("aria-label", "examples");
    this.rows = new VirtualList(list, (at) => this.build(at), () => this.shown.indexOf(this.current));
    this.addControls();
    list.addEventListener("click", (event) => {
      const row = event.target.closest(".example");
      if (row) this.select(Number(row.id.slice(1)) - this.data.number, false);
    });
    this.update();
  }

  build(at) {
    const row = exampleRow(this.data, at);
    if (at === this.current) row.setAttribute("aria-current", "true");
    return row;
  }

  addControls() {
    const filters = this.root.querySelector(".filters");
    const changed = () => this.update();
    this.kind = selection("kind", this.options(this.data.kinds, false), changed);
    this.kind.select.name = "kind";
    this.types = [...this.data.sides].map(([side, counts]) => {
      const name = escaped(this.data.strings[side]);
      const made = selection(`${name} type`, this.options(counts, true), changed);
      made.select.name = name;
      return { side, ...made };
    });
    this.sort = selection("sort by", [["frequency", "frequency of confusion"], ["sentence", "sentence"]], changed);
    this.sort.select.name = "sort";
    this.search = element("input");
    this.search.type = "search";
    this.search.placeholder = "tokens and types";
    this.search.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(changed, 120);
    });
    const steps = element(
      "div",
      "steps",
      button("← previous", "previous (k or p)", () => this.step(-1)),
      button("next →", "next (j or n)", () => this.step(1)),
      button("clear", "clear all filters", () => this.clear()),
    );
    filters.append(this.kind.label, ...this.types.map(({ label }) => label));
    filters.append(element("label", "", "search (/)", this.search), this.sort.label, steps);
    filters.hidden = false;
  }

  /* Return the options of a selection, the most frequent first. */
  options(counts, none) {
    const sorted = [...counts].sort(([, a], [, b]) => b - a);
    const named = sorted.map(([place, count]) => [place, `${escaped(this.data.strings[place])} (${counted(count)})`]);
    return [[ALL, "all"], ...named, ...(none ? [[NONE, "(none)"]] : [])];
  }

  /* Return predicates on the index of a row, one per filter. */
  filters() {
    const { data } = this;
    const kind = this.kind.select.value;
    const words = this.search.value.trim().toLowerCase();
    const found = kind === ALL ? [] : [(at) => data.rows[at][KIND] === Number(kind)];
    for (const { side, select } of this.types) {
      if (select.value === NONE) found.push((at) => data.types(data.rows[at], side).size === 0);
      else if (select.value !== ALL)
        found.push((at) => data.types(data.rows[at], side).has(Number(select.value)));
    }
    if (words) found.push((at) => data.text(at).includes(words));
    return found;
  }

  update() {
    const sort = this.sort.select.value;
    this.orders[sort] ??= this.data.inOrder(sort);
    const filters = this.filters();
    this.shown = this.orders[sort].filter((at) => filters.every((admits) => admits(at)));
    this.rows.show(this.shown);
    const position = this.shown.indexOf(this.current);
    if (position < 0) this.current = -1;
    else this.rows.scrollTo(position);
    this.say();
  }

  say() {
    const total = counted(this.data.rows.length);
    const selected = this.current < 0 ? "" : ` · selected: no. ${counted(this.shown.indexOf(this.current) + 1)}`;
    this.status.textContent = `${counted(this.shown.length)} of ${total}${selected}`;
  }

  clear() {
    for (const { select } of [this.kind, ...this.types]) select.value = ALL;
    this.search.value = "";
    this.update();
  }

  step(by) {
    if (!this.shown.length) return;
    const position = this.shown.indexOf(this.current);
    const next = position < 0 ? 0 : Math.min(Math.max(position + by, 0), this.shown.length - 1);
    this.select(this.shown[next], true);
  }

  /* Select an example. */
  select(at, reveal) {
    active = this;
    this.current = at;
    const position = this.shown.indexOf(at);
    if (reveal && !this.rows.isVisible(position)) this.rows.scrollTo(position);
    for (const row of this.root.querySelectorAll(".example[aria-current]")) row.removeAttribute("aria-current");
    this.rows.built.get(position)?.setAttribute("aria-current", "true");
    history.replaceState(null, "", `#e${this.data.number + at}`);
    this.say();
    if (reveal) this.rows.list.scrollIntoView({ block: "nearest" });
  }

  /* Return whether the section has an example with this number. */
  has(number) {
    return number >= this.data.number && number < this.data.number + this.data.rows.length;
  }

  jump(number) {
    const at = number - this.data.number;
    if (!this.shown.includes(at)) this.clear();
    this.select(at, true);
    this.rows.list.scrollIntoView({ block: "nearest" });
  }

  print() {
    this.rows.print();
    if (this.shown.length > MOST_PRINTED)
      this.status.textContent = `The first ${MOST_PRINTED} of ${counted(this.shown.length)} are printed.`;
  }

  printed() {
    this.rows.printed();
    this.say();
  }
}

function followHash(sections) {
  const found = /^#e(\d+)$/.exec(location.hash);
  if (found) sections.find((section) => section.has(Number(found[1])))?.jump(Number(found[1]));
}

function onKey(event) {
  const typing = event.target.closest?.("input, select, textarea");
  if (typing && event.key === "Escape") {
    typing.blur();
    /* The search is kept, so that keys step through its results. */
    event.preventDefault();
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = { j: 1, n: 1, k: -1, p: -1 }[event.key];
  if (step) active.step(step);
  else if (event.key === "/") active.search.focus();
  else return;
  event.preventDefault();
}

/* The section on which keys act: the section used most recently. */
let active = null;

function start() {
  const sections = [...document.querySelectorAll(".examples")].map((root) => new ExampleSection(root));
  if (!sections.length) return;
  active = sections[0];
  for (const section of sections) section.root.addEventListener("focusin", () => { active = section; });
  addEventListener("hashchange", () => followHash(sections));
  addEventListener("keydown", onKey);
  addEventListener("beforeprint", () => sections.forEach((section) => section.print()));
  addEventListener("afterprint", () => sections.forEach((section) => section.printed()));
  followHash(sections);
}

start();
