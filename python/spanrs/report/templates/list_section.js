/* Lists with filters, search, selection and keys; a class for each kind of list extends ListSection. */

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

/* Return the data of a section. */
function contentOf(root) {
  return JSON.parse(root.querySelector('script[type="application/json"]').textContent);
}

/* A section with a list: its controls, the items that the filters admit, and the selected item. */
class ListSection {
  /* `name` describes the items; `data.number` is the number of the first item. */
  constructor(root, data, name) {
    this.root = root;
    this.data = data;
    this.status = root.querySelector(".shown");
    this.current = -1;
    this.shown = [];
    const list = root.querySelector(".list");
    list.hidden = false;
    list.setAttribute("aria-label", name);
    this.rows = new VirtualList(list, (at) => this.build(at), () => this.shown.indexOf(this.current));
    this.addSearch();
    this.addControls(root.querySelector(".filters"));
    list.addEventListener("click", (event) => {
      const row = event.target.closest(".example");
      if (row && !event.target.closest("button")) this.select(Number(row.id.slice(1)) - this.data.number, false);
    });
  }

  build(at) {
    const row = this.row(at);
    if (at === this.current) row.setAttribute("aria-current", "true");
    return row;
  }

  addSearch() {
    this.search = element("input");
    this.search.type = "search";
    this.search.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.update(), 120);
    });
  }

  /* Return the label with the search, and the buttons. */
  searchAndSteps(placeholder) {
    this.search.placeholder = placeholder;
    const steps = element(
      "div",
      "steps wide-control",
      button("← previous", "previous (k or p)", () => this.step(-1)),
      button("next →", "next (j or n)", () => this.step(1)),
      button("clear", "clear all filters", () => this.clear()),
    );
    return [element("label", "wide-control", "search (/)", this.search), steps];
  }

  /* Show the items that the filters admit. */
  show(items) {
    this.shown = items;
    this.rows.show(items);
    const position = items.indexOf(this.current);
    if (position < 0) this.current = -1;
    else this.rows.scrollTo(position);
    this.say();
  }

  say() {
    const selected = this.current < 0 ? "" : ` · selected: ${this.selected()}`;
    this.status.textContent = this.summary() + selected;
  }

  selected() {
    return `no. ${counted(this.shown.indexOf(this.current) + 1)}`;
  }

  step(by) {
    if (!this.shown.length) return;
    const position = this.shown.indexOf(this.current);
    const next = position < 0 ? 0 : Math.min(Math.max(position + by, 0), this.shown.length - 1);
    this.select(this.shown[next], true);
  }

  /* Act on a key that only this kind of list has; return whether there is such a key. */
  key() {
    return false;
  }

  /* Scroll to an item. */
  reveal(position) {
    if (!this.rows.isVisible(position)) this.rows.scrollTo(position);
  }

  /* Select an item. */
  select(at, reveal) {
    active = this;
    this.current = at;
    const position = this.shown.indexOf(at);
    if (reveal) this.reveal(position);
    for (const row of this.root.querySelectorAll(".example[aria-current]")) row.removeAttribute("aria-current");
    this.rows.built.get(position)?.setAttribute("aria-current", "true");
    history.replaceState(null, "", this.hash());
    this.say();
    if (reveal) this.rows.list.scrollIntoView({ block: "nearest" });
  }

  /* Return the fragment of a link to the selected item. */
  hash() {
    return `#e${this.data.number + this.current}`;
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
  else if (!active.key(event.key)) return;
  event.preventDefault();
}

/* The section on which keys act: the section used most recently. */
let active = null;

/* Start sections; `follow` shows what the fragment of the address leads to. */
function startSections(sections, follow) {
  if (!sections.length) return;
  active = sections[0];
  for (const section of sections) section.root.addEventListener("focusin", () => { active = section; });
  addEventListener("hashchange", () => follow(sections));
  addEventListener("keydown", onKey);
  addEventListener("beforeprint", () => sections.forEach((section) => section.print()));
  addEventListener("afterprint", () => sections.forEach((section) => section.printed()));
  follow(sections);
}
