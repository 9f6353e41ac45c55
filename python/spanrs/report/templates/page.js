/* Sections of examples: filters, search, selection and keys. */

/* A section of examples: its controls and its list. */
class ExampleSection extends ListSection {
  constructor(root) {
    super(root, new Data(contentOf(root)), "examples");
    this.orders = {};
    this.update();
  }

  row(at) {
    return exampleRow(this.data, at);
  }

  addControls(filters) {
    const changed = () => this.update();
    this.kind = selection("kind", this.options(this.data.kinds, false), changed);
    this.kind.select.name = "kind";
    this.types = [...this.data.sides].map(([side, counts]) => {
      const name = escaped(this.data.strings[side]);
      const made = selection(`${name} type`, this.options(counts, true), changed);
      made.select.name = name;
      return { side, ...made };
    });
    const orders = [this.data.order, "frequency", "sentence"].filter((name) => name);
    this.sort = selection("sort by", orders.map((name) => [name, name]), changed);
    this.sort.select.name = "sort";
    this.sort.select.title = "frequency: the most frequent kinds and types first";
    filters.append(this.kind.label, ...this.types.map(({ label }) => label));
    filters.append(this.sort.label, ...this.searchAndSteps("tokens and types"));
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
    this.show(this.orders[sort].filter((at) => filters.every((admits) => admits(at))));
  }

  summary() {
    return `${counted(this.shown.length)} of ${counted(this.data.rows.length)} entries shown`;
  }

  clear() {
    for (const { select } of [this.kind, ...this.types]) select.value = ALL;
    this.search.value = "";
    this.update();
  }

  /* Return whether the section has an example with this number. */
  has(number) {
    return number >= this.data.number && number < this.data.number + this.data.rows.length;
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

startSections([...document.querySelectorAll(".examples")].map((root) => new ExampleSection(root)), followHash);
