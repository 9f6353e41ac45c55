/* Tables of class "sortable": a click on a column head sorts the rows of the first body; further bodies are totals. */
const NUMBER = /^[+\-−]?(\d[\d,]*(\.\d*)?|\.\d+)(e[+\-]?\d+)?(?=$|[\s%±])/i;

/* Return the number at the beginning of a cell, or NaN. */
function cellNumber(text) {
  const found = NUMBER.exec(text.trim());
  return found ? Number(found[0].replace(/,/g, "").replace("−", "-")) : NaN;
}

/* A column has numbers if all its cells with digits are numbers; other cells, such as "undefined", have no value. */
function sortKeys(rows, column) {
  const texts = rows.map((row) => row.cells[column].textContent.trim());
  const filled = texts.filter((text) => /\d/.test(text));
  const numbers = filled.length > 0 && filled.every((text) => !Number.isNaN(cellNumber(text)));
  return { numbers, keys: texts.map((text) => (numbers ? cellNumber(text) : text)) };
}

/* Return the rows in order; undefined numbers come last in both directions, equal rows keep their order. */
function sortRows(rows, column, down) {
  const { numbers, keys } = sortKeys(rows, column);
  const sign = down ? -1 : 1;
  const compare = (a, b) => {
    if (!numbers) return sign * keys[a].localeCompare(keys[b]);
    const [lost, other] = [Number.isNaN(keys[a]), Number.isNaN(keys[b])];
    return lost || other ? lost - other : sign * (keys[a] - keys[b]);
  };
  return rows.map((_, at) => at).sort(compare).map((at) => rows[at]);
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const rows = [...body.rows];
  heads.forEach((head, column) => {
    if (head.tagName !== "TH") return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      /* The first click sorts numbers in descending order and names in ascending order. */
      const first = sortKeys(rows, column).numbers ? "descending" : "ascending";
      const second = first === "descending" ? "ascending" : "descending";
      const order = head.ariaSort === first ? second : first;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
      body.append(...sortRows(rows, column, order === "descending"));
    });
  });
}

document.querySelectorAll("table.sortable").forEach(makeSortable);
