/* Documents with the disputes of their annotators: filters, the text with its disputes, and the answers. */
/* Index of the estimate among the annotators, and the side of all marks. */
const [ESTIMATE, ANSWER] = [0, -1];
const percent = (value) => `${(100 * value).toFixed(0)}\u00a0%`;

/* Text with visible escapes, except for line breaks and tabs. */
function visibleLines(text) {
  return text.split(/(\r?\n|\t)/).flatMap((part, at) => (at % 2 ? part.replace("\r", "") : visible(part)));
}

/* The documents and their disputes; the entries are each document, followed by its disputes. */
class ReviewData extends Data {
  constructor(content) {
    super(content);
    this.annotators = content.annotators;
    this.documents = content.documents;
    this.unit = content.unit;
    this.disputeKinds = content.disputeKinds;
    this.gold = NaN;
    this.entries = [];
    for (const document of this.documents) {
      document.first = this.entries.length;
      document.unfolded = new Set();
      this.entries.push({ document, dispute: null });
      for (const dispute of document.disputes) this.entries.push({ document, dispute });
    }
  }

  /* Return the searchable text of a document. */
  searchable(document) {
    if (document.searchable === undefined) {
      const runs = document.parts.flatMap(([, part]) => (Array.isArray(part) ? part : []));
      const text = runs.map((run) => (Array.isArray(run) ? run[0] : run)).join("");
      document.searchable = `${document.label}\n${text}`.toLowerCase();
    }
    return document.searchable;
  }

  /* Return the number of disputes by kind and by type. */
  counts() {
    const [kinds, types] = [new Map(this.disputeKinds.map((kind) => [kind, 0])), new Map()];
    for (const { dispute } of this.entries) {
      if (!dispute) continue;
      for (const kind of dispute.kinds) kinds.set(kind, kinds.get(kind) + 1);
      for (const type of typesOf(dispute.answers)) types.set(type, (types.get(type) ?? 0) + 1);
    }
    return { kinds, types };
  }
}

const typesOf = (answers) => new Set(answers.flatMap(([, marks]) => marks.map((mark) => mark[TYPE])));

/* Return the index of the answer of an annotator, or -1 if the annotator did not see the document. */
const answerOf = (dispute, annotator) => dispute.answers.findIndex(([annotators]) => annotators.includes(annotator));

/* Return the differences between two annotators, or between one and all other annotators, or between all annotators, as
   pairs of answers with the kinds of their differences. The estimate is only compared if it is chosen. */
function differences(dispute, chosen) {
  const answers = chosen.map((annotator) => answerOf(dispute, annotator));
  if (answers.includes(-1)) return [];
  return dispute.pairs.filter(([left, right]) => {
    if (answers.length === 2) return left === Math.min(...answers) && right === Math.max(...answers);
    if (answers.length === 1 && answers[0] !== ESTIMATE) return left !== ESTIMATE && [left, right].includes(answers[0]);
    return answers.length ? left === ESTIMATE : left !== ESTIMATE;
  });
}

/* Return whether the filters admit a dispute; `kind` and `type` are null if all are admitted. */
function admits(data, dispute, { chosen, kind, type }) {
  const pairs = differences(dispute, chosen);
  const kinds = new Set(pairs.flatMap(([, , kindsOfPair]) => kindsOfPair));
  const estimateKind = data.strings.indexOf("estimate");
  const comparesEstimate = !chosen.length || chosen.includes(ESTIMATE);
  if (comparesEstimate && dispute.kinds.includes(estimateKind) && (pairs.length || !chosen.length)) kinds.add(estimateKind);
  if (!kinds.size || (kind !== null && !kinds.has(kind))) return false;
  if (type === null) return true;
  const compared = new Set(pairs.flatMap(([left, right]) => [left, right]));
  const answers = chosen.length ? dispute.answers.filter((_, at) => compared.has(at)) : dispute.answers;
  return typesOf(answers).has(type);
}

/* Return the elements of a run of text: [text, dispute or -1, types of the spans that end here]. */
function runElements(data, document, run, isLast, isAdmitted) {
  if (!Array.isArray(run)) return visibleLines(run);
  const [text, at, types] = run;
  let content = visibleLines(text);
  if (types) {
    const labels = types.map((type) => element("sub", "", ...visible(data.strings[type])));
    content = [element("span", "agreed", ...content), ...labels];
  }
  if (at < 0) return content;
  const dispute = document.disputes[at];
  const number = document.first + 1 + at;
  const mark = element("mark", isAdmitted(number) ? "" : "filtered", ...content);
  mark.style.setProperty("--heat", (dispute.dissenters / document.annotators.length).toFixed(2));
  mark.title = escaped(dispute.reason);
  mark.dataset.entry = number;
  if (isLast) mark.append(element("sup", "", counted(data.number + number)));
  return [mark];
}

/* Return the text of a document; `resized` is called when a part is unfolded. */
function documentText(data, document, isAdmitted, resized) {
  const text = element("div", "text");
  document.parts.forEach(([isShown, runs], place) => {
    if (!Array.isArray(runs)) {
      text.append(element("span", "omitted", ` … ${counted(runs)} characters are not in this page … `));
      return;
    }
    const build = () => runs.flatMap((run, at) => {
      const isLast = Array.isArray(run) && runs[at + 1]?.[1] !== run[1];
      return runElements(data, document, run, isLast, isAdmitted);
    });
    if (isShown || document.unfolded.has(place)) {
      text.append(...build());
      return;
    }
    const length = runs.reduce((sum, run) => sum + (Array.isArray(run) ? run[0] : run).length, 0);
    const unfold = button(`… ${counted(length)} characters …`, "show this part of the text", () => {
      document.unfolded.add(place);
      unfold.replaceWith(...build());
      resized();
    });
    unfold.className = "fold";
    text.append(unfold);
  });
  return text;
}

/* Return the names of annotators, each with its own direction. */
function names(data, annotators) {
  return annotators.flatMap((at, place) => [place ? ", " : "", element("bdi", "", ...visible(data.annotators[at]))]);
}

function linkTo(data, at) {
  const link = element("a", "", `#${counted(data.number + at)}`);
  link.href = `#e=${data.number + at}`;
  return link;
}

function documentRow(data, at, isAdmitted, resized) {
  const { document } = data.entries[at];
  const parts = [linkTo(data, at), element("bdi", "title", ...visible(document.label))];
  if (document.disputes.length) {
    const certainty = document.contradicted ? "estimate contradicts all annotators" : `lowest confidence ${percent(document.confidence)}`;
    const number = `${counted(document.number)} ${document.number === 1 ? "dispute" : "disputes"}`;
    const left = document.number - document.disputes.length;
    parts.push(`disagreement ${percent(document.disagreement)}`, certainty);
    parts.push(left ? `${number}, of which the last ${counted(left)} are not in this page` : number);
  } else parts.push("all agree");
  parts.push(element("span", "", ...names(data, document.annotators)));
  if (document.link) {
    const open = element("a", "", "open in the annotation tool ↗");
    open.href = document.link;
    open.target = "_blank";
    open.rel = "noopener noreferrer";
    parts.push(open);
  }
  const about = element("div", "about", ...parts.map((part) => (typeof part === "string" ? element("span", "", part) : part)));
  const row = element("div", "example document", about, documentText(data, document, isAdmitted, resized));
  row.lines = [];
  return row;
}

/* Return a row with the answers to a dispute: the estimate, then each answer with its annotators. */
function disputeRow(data, at) {
  const { dispute } = data.entries[at];
  const certainty = element("span", "", `confidence ${percent(dispute.confidence)}`);
  const reason = element("span", "reason", ...visible(dispute.reason));
  const row = element("div", "example dispute");
  row.append(element("div", "about", linkTo(data, at), ...badges(data, dispute.kinds), reason, certainty));
  row.lines = [];
  for (const [annotators, marks] of dispute.answers) {
    /* A document may have no estimate. */
    if (!annotators.length) continue;
    const isEstimate = annotators[0] === ESTIMATE;
    const who = element("div", isEstimate ? "who estimate" : "who", ...names(data, annotators));
    let content = element("div", "nothing", "nothing");
    if (marks.length) {
      /* Marks that equal the estimate are shown as context. */
      const tokens = [[], 0, 0, -1, -1, -1, dispute.tokens, marks, dispute.starts];
      const line = tokenLine(sideView(data, annotators), tokens);
      row.lines.push(line);
      content = line.tokens;
    }
    row.append(element("div", "answer", who, content));
  }
  return row;
}

/* Return the data with a single side, whose name is that of the annotators. */
function sideView(data, annotators) {
  const view = Object.create(data);
  view.sides = new Map([[ANSWER, new Map()]]);
  view.strings = Object.create(data.strings, { [ANSWER]: { value: annotators.map((at) => data.annotators[at]).join(", ") } });
  return view;
}

/* Orders of documents; documents without disputes are last, except in the order of the corpus. */
const ORDERS = {
  priority: () => 0,
  disagreement: (a, b) => b.disagreement - a.disagreement,
  "lowest confidence": (a, b) => a.confidence - b.confidence,
  "number of disputes": (a, b) => b.number - a.number,
};

class ReviewSection extends ListSection {
  constructor(root) {
    super(root, new ReviewData(contentOf(root)), "texts and disputes");
    this.rows.list.addEventListener("click", (event) => {
      const mark = event.target.closest("mark");
      if (mark && this.shown.includes(Number(mark.dataset.entry))) this.select(Number(mark.dataset.entry), true);
    });
  }

  row(at) {
    const { dispute } = this.data.entries[at];
    const row = dispute
      ? disputeRow(this.data, at)
      : documentRow(this.data, at, (entry) => this.admitted.has(entry), () => this.rows.measure());
    row.id = `e${this.data.number + at}`;
    row.setAttribute("role", "listitem");
    return row;
  }

  addControls(filters) {
    const changed = () => this.update();
    const named = this.data.annotators.map((name, at) => [at, escaped(name)]);
    const { kinds, types } = this.data.counts();
    const options = (counts) => [[ALL, "all"], ...[...counts].map(([at, count]) => [at, `${escaped(this.data.strings[at])} (${counted(count)})`])];
    const byCount = new Map([...types].sort(([, a], [, b]) => b - a));
    const orders = [...Object.keys(ORDERS), this.data.unit].map((name) => [name, name]);
    this.controls = {
      annotator: selection("annotator", [[ALL, "all"], ...named], changed),
      other: selection("differs from", [[ALL, "any annotator"], ...named], changed),
      kind: selection("kind", options(kinds), changed),
      type: selection("type", options(byCount), changed),
      sort: selection("sort by", orders, changed),
    };
    for (const [name, { select }] of Object.entries(this.controls)) select.name = name;
    this.controls.sort.select.title = "priority: mean of the disagreement and of the uncertainty of the estimate";
    filters.append(...Object.values(this.controls).map(({ label }) => label), ...this.searchAndSteps("text and names"));
    filters.hidden = false;
  }

  chosen(name) {
    const { value } = this.controls[name].select;
    return value === ALL ? null : Number(value);
  }

  /* Return the documents in the chosen order. */
  inOrder() {
    const sort = this.controls.sort.select.value;
    const documents = [...this.data.documents];
    if (sort === this.data.unit) return documents.sort((a, b) => a.index - b.index);
    return documents.sort((a, b) => !a.number - !b.number || ORDERS[sort](a, b));
  }

  update() {
    const chosen = ["annotator", "other"].map((name) => this.chosen(name)).filter((at) => at !== null);
    const filter = { chosen, kind: this.chosen("kind"), type: this.chosen("type") };
    const isFiltered = chosen.length > 0 || filter.kind !== null || filter.type !== null;
    const words = this.search.value.trim().toLowerCase();
    const entries = [];
    this.admitted = new Set();
    this.documents = 0;
    for (const document of this.inOrder()) {
      if (words && !this.data.searchable(document).includes(words)) continue;
      const places = document.disputes.map((_, at) => document.first + 1 + at);
      const admitted = places.filter((_, at) => !isFiltered || admits(this.data, document.disputes[at], filter));
      if (isFiltered && !admitted.length) continue;
      this.documents++;
      entries.push(document.first, ...admitted);
      for (const place of admitted) this.admitted.add(place);
    }
    this.positions = new Map(entries.map((entry, position) => [entry, position]));
    this.show(entries);
    this.setHash();
  }

  summary() {
    const disputes = this.data.entries.length - this.data.documents.length;
    const documents = `${counted(this.documents)} of ${counted(this.data.documents.length)} ${this.data.unit}s`;
    return `${documents} and ${counted(this.admitted.size)} of ${counted(disputes)} disputes shown`;
  }

  selected() {
    const { document, dispute } = this.data.entries[this.current];
    return escaped(dispute ? `${document.label}: ${dispute.reason}` : document.label);
  }

  clear() {
    for (const [name, { select }] of Object.entries(this.controls)) if (name !== "sort") select.value = ALL;
    this.search.value = "";
    this.update();
  }

  /* Step to the next dispute, or to the next document if it has none. */
  step(by) {
    this.stepTo(by, (entry) => this.data.entries[entry].dispute || !this.hasDispute(entry));
  }

  hasDispute(entry) {
    const next = this.shown[this.positions.get(entry) + 1];
    return next !== undefined && this.data.entries[next].dispute !== null;
  }

  key(key) {
    const by = { J: 1, N: 1, K: -1, P: -1 }[key];
    if (by) this.stepTo(by, (entry) => !this.data.entries[entry].dispute);
    return Boolean(by);
  }

  stepTo(by, isWanted) {
    let position = this.positions.get(this.current) ?? (by > 0 ? -1 : this.shown.length);
    do position += by;
    while (position >= 0 && position < this.shown.length && !isWanted(this.shown[position]));
    if (position >= 0 && position < this.shown.length) this.select(this.shown[position], true);
  }

  /* Scroll to an entry; the first dispute of a document is shown with the document if both fit. */
  reveal(position) {
    super.reveal(position);
    const isFirst = position > 0 && !this.data.entries[this.shown[position - 1]].dispute;
    if (!isFirst || this.rows.isVisible(position - 1)) return;
    this.rows.scrollTo(position - 1, 0);
    if (!this.rows.isVisible(position)) this.rows.scrollTo(position);
  }

  /* Return the filters and the selected entry as a fragment; names of annotators, kinds and types do not depend on the page. */
  hash() {
    const values = new URLSearchParams();
    for (const name of ["annotator", "other"]) if (this.chosen(name) !== null) values.set(name, this.data.annotators[this.chosen(name)]);
    for (const name of ["kind", "type"]) if (this.chosen(name) !== null) values.set(name, this.data.strings[this.chosen(name)]);
    if (this.controls.sort.select.value !== "priority") values.set("sort", this.controls.sort.select.value);
    if (this.search.value.trim()) values.set("search", this.search.value.trim());
    if (this.current >= 0) values.set("e", this.data.number + this.current);
    return `#${values}`;
  }

  setHash() {
    if (location.hash || this.hash() !== "#") history.replaceState(null, "", this.hash());
  }

  /* Set the filters and the selected entry from a fragment; unknown names are ignored. */
  follow() {
    const values = new URLSearchParams(location.hash.slice(1));
    const set = (name, options) => {
      const at = options.indexOf(values.get(name));
      const { select } = this.controls[name];
      select.value = [...select.options].some(({ value }) => value === String(at)) ? at : ALL;
    };
    for (const name of ["annotator", "other"]) set(name, this.data.annotators);
    for (const name of ["kind", "type"]) set(name, this.data.strings);
    const sort = values.get("sort");
    this.controls.sort.select.value = [...Object.keys(ORDERS), this.data.unit].includes(sort) ? sort : "priority";
    this.search.value = values.get("search") ?? "";
    const entry = Number(values.get("e")) - this.data.number;
    this.current = -1;
    this.update();
    if (this.data.entries[entry]) this.jump(entry + this.data.number);
  }
}

/* A link to an entry keeps the filters. */
addEventListener("click", (event) => {
  const found = /^#e=(\d+)$/.exec(event.target.closest?.("a")?.getAttribute("href") ?? "");
  if (!found) return;
  event.preventDefault();
  active.jump(Number(found[1]));
});

startSections([...document.querySelectorAll(".examples")].map((root) => new ReviewSection(root)), (sections) => {
  for (const section of sections) section.follow();
});
