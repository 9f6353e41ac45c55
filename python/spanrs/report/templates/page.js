/* Sections of examples: filters, search, selection and keys. */

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
    this.sort = selection("sort by", [["frequency", "frequency"], ["sentence", "sentence"]], changed);
    this.sort.select.name = "sort";
    this.sort.select.title = "frequency: the most frequent kinds and types first";
    this.search = element("input");
    this.search.type = "search";
    this.search.placeholder = "tokens and types";
    this.search.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(changed, 120);
    });
    const steps = element(
      "div",
      "steps wide-control",
      button("← previous", "previous (k or p)", () => this.step(-1)),
      button("next →", "next (j or n)", () => this.step(1)),
      button("clear", "clear all filters", () => this.clear()),
    );
    filters.append(this.kind.label, ...this.types.map(({ label }) => label));
    filters.append(this.sort.label, element("label", "wide-control", "search (/)", this.search), steps);
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
    const found = kind === ALL ? [] : [(at) => data.kindsOf(data.rows[at]).has(Number(kind))];
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
    this.status.textContent = `${counted(this.shown.length)} of ${total} entries shown${selected}`;
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
    this.folded = this.root.closest("details:not([open])");
    if (this.folded) this.folded.open = true;
    this.rows.print();
    if (this.shown.length > MOST_PRINTED)
      this.status.textContent = `The first ${MOST_PRINTED} of ${counted(this.shown.length)} are printed.`;
  }

  printed() {
    if (this.folded) this.folded.open = false;
    this.rows.printed();
    this.say();
  }
}

/* Open the folded section that a link leads to. */
function unfold(target) {
  const folded = target?.closest("details") ?? target?.parentElement?.querySelector(":scope > details.folded");
  if (folded) folded.open = true;
}

function followHash(sections) {
  unfold(document.getElementById(location.hash.slice(1)));
  const found = /^#e(\d+)$/.exec(location.hash);
  const section = found && sections.find((one) => one.has(Number(found[1])));
  if (!section) return;
  unfold(section.root);
  section.jump(Number(found[1]));
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
