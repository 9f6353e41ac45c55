/* A list of which only the visible rows are in the document. */
/* Pixels above and below the list for which rows are built, so that scrolling shows no gaps. */
const MARGIN = 400;
const MOST_PRINTED = 200;

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
    const width = this.list.clientWidth;
    if (this.printing || !this.items.length || !width || width === this.width) return;
    const first = this.heights.find(this.list.scrollTop);
    const current = this.current();
    const visible = this.isVisible(current);
    this.forget();
    if (visible) this.scrollTo(current);
    else this.scrollTo(first, 0);
  }

  render() {
    // In a closed list rows have no height; the list is drawn when it is opened.
    if (this.printing || !this.items.length || !this.list.clientWidth) return;
    const { heights, list } = this;
    const top = list.scrollTop;
    const anchor = heights.find(top);
    const offset = top - heights.top(anchor);
    const start = heights.find(Math.max(top - MARGIN, 0));
    const end = heights.find(top + list.clientHeight + MARGIN) + 1;
    const added = this.fill(start, end);
    if (!added) return;
    fitLabels(added);
    this.measure();
    /* The height of rows above the visible ones may differ from the estimate. */
    const wanted = heights.top(anchor) + offset;
    if (Math.abs(wanted - list.scrollTop) > 1) list.scrollTop = wanted;
    this.soon();
  }

  /* Build the rows of a range and remove others; return the new rows, or null if nothing changed. */
  fill(start, end) {
    const added = [];
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
      added.push(made);
    }
    this.start = start;
    return changed || added.length ? added : null;
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
    const rows = this.items.slice(0, MOST_PRINTED).map(this.build);
    this.holder.replaceChildren(...rows);
    fitPrintedLabels(rows);
  }

  printed() {
    const top = this.list.scrollTop;
    this.printing = false;
    this.forget();
    this.list.scrollTop = top;
    this.render();
  }
}
