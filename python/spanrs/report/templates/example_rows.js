/* Rows of lists of examples: the words, with the spans of gold above and of other sides below. */
/* Maximum number of strips of a side; spans that need more are not drawn. */
const MOST_STRIPS = 6;
/* Pixels between a label and the next label or the end of the line. */
const LABEL_GAP = 3;

/* Return the positions of the tokens of an example, followed by the end of the last token. */
function positions(data, row) {
  const [count, starts] = [row[TOKENS].length, row[STARTS]];
  if (!starts) return Array.from({ length: count + 1 }, (_, at) => row[FIRST] + at);
  return [...starts, count ? starts[count - 1] + data.strings[row[TOKENS][count - 1]].length : 0];
}

const endOf = (mark) => Math.max(mark[END], mark[START] + 1);

/* Distribute the spans of a side over strips without overlap; each strip has the mark of each token. */
function stripsOf(marks, places) {
  const strips = [];
  for (const mark of [...marks].sort((a, b) => a[START] - b[START] || b[END] - a[END])) {
    let free = strips.find((strip) => strip.end <= mark[START]);
    if (!free && strips.length < MOST_STRIPS) strips.push((free = { marks: [], end: 0, at: 0 }));
    if (!free) continue;
    free.end = endOf(mark);
    /* Marks are in order, so the sweep over the tokens continues. */
    while (free.at < places.length - 1 && places[free.at + 1] <= mark[START]) free.at++;
    for (let at = free.at; at < places.length - 1 && places[at] < free.end; at++) free.marks[at] = mark;
  }
  return strips.map((strip) => strip.marks);
}

/* Return the piece of a strip at a token. */
function stripPiece(data, row, strip, at, places) {
  const mark = strip.marks[at];
  if (!mark) return element("span", "strip");
  const token = places[at];
  const { style, sign } = data.looks.get(mark[MARK_KIND]);
  const context = data.isContext(row, mark);
  const [side, type] = [data.strings[mark[SIDE]], data.label(mark)];
  const piece = element("span", `strip span ${style}`);
  piece.classList.toggle("begin", token === mark[START]);
  piece.classList.toggle("end", places[at + 1] >= mark[END]);
  piece.classList.toggle("gap", Array.isArray(mark[PIECES]) && !mark[PIECES].includes(token));
  piece.classList.toggle("context", context);
  piece.classList.toggle("empty", mark[START] === mark[END]);
  const unit = row[STARTS] ? "characters" : "tokens";
  piece.title = escaped(`${side}: ${type}, ${unit} ${mark[START] + 1} to ${mark[END]}, ${data.strings[mark[MARK_KIND]]}`);
  if (strip.marks[at - 1] === mark) {
    strip.labels[strip.labels.length - 1].last = piece;
    return piece;
  }
  /* Lines may wrap: with several systems each label has the name of its side. */
  const name = data.sides.size > 2 && mark[SIDE] !== data.gold ? `${side} ` : "";
  const label = element("span", "name", ...visible(name + type), context || !sign ? "" : ` ${sign}`);
  /* A type has its own direction, so that its beginning is shown if it is cut. */
  label.dir = "auto";
  piece.classList.add("labelled");
  piece.append(label);
  strip.labels.push({ label, piece, last: piece });
  return piece;
}

/* Return the strips of an example: gold above the words, other sides below. */
function stripsOfSides(data, row, places) {
  const [first, end] = [places[0], places[places.length - 1]];
  return [...data.sides.keys()].flatMap((side) => {
    const marks = row[MARKS].filter((mark) => mark[SIDE] === side && mark[START] <= end && mark[END] >= first);
    const above = side === data.gold;
    const strips = stripsOf(marks, places);
    return strips.map((own, at) => ({ marks: own, above, name: at ? "" : data.strings[side], labels: [] }));
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

/* Return the columns of an example and the labels of each strip. */
function tokenColumns(data, row) {
  const places = positions(data, row);
  const end = row[FIRST] + row[TOKENS].length;
  const strips = stripsOfSides(data, row, places);
  const name = (strip) => element("span", "strip", ...visible(strip.name));
  const cut = () => tokenColumn("token cut", ["… "], strips, () => element("span", "strip"));
  /* The space after a word belongs to its column, so that copied text has spaces. */
  const space = row[STARTS] ? "" : " ";
  const columns = row[TOKENS].map((token, at) =>
    tokenColumn("token", [...visible(data.strings[token]), space], strips, (strip) => stripPiece(data, row, strip, at, places)),
  );
  const before = row[FIRST] > 0 && !row[STARTS] ? [cut()] : [];
  const after = row[LENGTH] > end ? [cut()] : [];
  const sides = tokenColumn("token sides", ["\u00a0"], strips, name);
  return { columns: [sides, ...before, ...columns, ...after], labels: strips.map((strip) => strip.labels) };
}

/* Return a badge for each kind of an example, with its number if there are several errors of this kind. */
function badges(data, kinds) {
  const numbers = new Map();
  for (const kind of kinds) numbers.set(kind, (numbers.get(kind) ?? 0) + 1);
  return [...numbers].map(([kind, number]) => {
    const { style, sign } = data.looks.get(kind);
    const times = number > 1 ? ` ×${counted(number)}` : "";
    return element("span", `badge ${style}`, `${sign} `, ...visible(data.strings[kind]), times);
  });
}

function aboutExample(data, at) {
  const row = data.rows[at];
  const number = data.number + at;
  const link = element("a", "", `#${counted(number)}`);
  link.href = `#e${number}`;
  const parts = [link, ...badges(data, row[KIND]), element("span", "", `sentence ${counted(row[SENTENCE] + 1)}`)];
  const places = positions(data, row);
  const [first, end] = [places[0], places[places.length - 1]];
  if (row[FIRST] > 0 || row[LENGTH] > end || row[STARTS]) {
    const of = row[LENGTH] >= 0 ? ` of ${counted(row[LENGTH])}` : "";
    const unit = row[STARTS] ? "characters" : "tokens";
    parts.push(element("span", "", `${unit} ${counted(first + 1)} to ${counted(end)}${of}`));
  }
  if (row[LINE] >= 0) parts.push(element("span", "", `line ${counted(row[LINE])}`));
  if (row[DOCUMENT] >= 0) parts.push(element("bdi", "", ...visible(data.strings[row[DOCUMENT]])));
  return element("div", "about", ...parts);
}

/* Return the line of words of an example, and the labels of its strips. */
function tokenLine(data, row) {
  const { columns, labels } = tokenColumns(data, row);
  const tokens = element("div", row[STARTS] ? "tokens pieces" : "tokens", ...columns);
  /* The direction depends on the first letter, so that Hebrew and Arabic run from right to left. */
  tokens.dir = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(
    row[TOKENS].map((token) => data.strings[token]).join(" "),
  ) ? "rtl" : "ltr";
  return { tokens, labels };
}

/* Rows have the property `lines` for the functions that fit labels. */
function exampleRow(data, at) {
  const line = tokenLine(data, data.rows[at]);
  const row = element("div", "example", aboutExample(data, at), line.tokens);
  row.id = `e${data.number + at}`;
  row.setAttribute("role", "listitem");
  row.lines = [line];
  return row;
}

/* Labels do not widen their tokens; they continue over the next tokens, up to the next label or the end of the line.
   All rows are measured before the first change, because each change would invalidate the layout. */
function fitLabels(rows) {
  const lines = rows.flatMap((row) => row.lines);
  const blank = lines.flatMap(blankStrips);
  for (const strip of blank) strip.hidden = true;
  const fitted = lines.flatMap(({ tokens, labels: strips }) => {
    const line = tokens.getBoundingClientRect();
    /* Distances from the start of the line, so that both directions are alike. */
    const across = (box) =>
      tokens.dir === "rtl" ? [line.right - box.right, line.right - box.left] : [box.left - line.left, box.right - line.left];
    const measured = (element) => {
      const box = element.getBoundingClientRect();
      const [start, end] = across(box);
      return { start, end, top: box.top };
    };
    return strips.flatMap((labels) => fitStrip(labels, measured, line.width));
  });
  for (const { label, last, width, shift, leaves } of fitted) {
    label.style.maxWidth = `${width}px`;
    if (shift) label.style[label.closest(".tokens").dir === "rtl" ? "right" : "left"] = `${-shift}px`;
    label.parentElement.classList.toggle("moved", shift > 0);
    last.classList.toggle("open", leaves);
  }
}

/* Return the width of the labels of a strip; a label that would be cut by the end of the line is moved back. */
function fitStrip(labels, measured, lineWidth) {
  const pieces = labels.map(({ piece, last }) => [measured(piece), measured(last)]);
  const fitted = [];
  let free = { end: 0, top: NaN };
  labels.forEach(({ label, last: lastPiece }, at) => {
    const [{ start, top }, last] = pieces[at];
    const next = pieces[at + 1]?.[0];
    const hasNext = next && next.top === top;
    const end = (hasNext ? next.start : lineWidth) - LABEL_GAP;
    const { start: labelStart, end: labelEnd } = measured(label);
    const wanted = labelEnd - labelStart;
    const from = free.top === top ? free.end + LABEL_GAP : 0;
    const shift = hasNext ? 0 : Math.max(Math.min(labelStart + wanted - end, labelStart - from), 0);
    const width = Math.max(Math.min(wanted, end - labelStart + shift), 0);
    /* The frame of the span would cross the label. */
    const leaves = last.top === top && labelStart - shift + width > last.end;
    /* Fractions of pixels would cut labels that fit. */
    const rounded = width < wanted ? Math.floor(width) : Math.ceil(wanted);
    fitted.push({ label, last: lastPiece, width: rounded, shift: Math.ceil(shift), leaves });
    free = last.top === top ? { end: Math.max(last.end, labelStart - shift + width), top } : { end: last.end, top: last.top };
  });
  return fitted;
}

/* Return the strips without spans on the second and further lines of an example, which would only add white space. */
function blankStrips({ tokens }) {
  const lines = new Map();
  for (const column of tokens.children) {
    const top = column.offsetTop;
    if (!lines.has(top)) lines.set(top, []);
    lines.get(top).push([...column.children]);
  }
  return [...lines.values()].slice(1).flatMap((columns) =>
    columns[0].flatMap((child, at) => {
      const pieces = columns.map((column) => column[at]);
      return child.className !== "word" && pieces.every((piece) => !piece.classList.contains("span")) ? pieces : [];
    }),
  );
}

/* Lines wrap elsewhere on paper, so a label ends at the next label of its strip, wherever lines end. Widths are relative
   to the font size, which is smaller in print. */
function fitPrintedLabels(rows) {
  const fitted = rows.flatMap((row) => row.lines).flatMap(({ tokens, labels: strips }) => {
    const columns = [...tokens.children];
    const places = new Map(columns.map((column, at) => [column, at]));
    const ends = [0];
    for (const column of columns) ends.push(ends[ends.length - 1] + column.getBoundingClientRect().width);
    const [startOf, endOfPiece] = [0, 1].map((next) => (piece) => ends[places.get(piece.parentElement) + next]);
    return strips.flatMap((labels) =>
      labels.map(({ label, piece, last }, at) => {
        const start = startOf(piece);
        const next = at + 1 < labels.length ? startOf(labels[at + 1].piece) - start - LABEL_GAP : Infinity;
        const width = Math.min(label.getBoundingClientRect().width, next);
        const size = Number.parseFloat(getComputedStyle(label).fontSize);
        return { label, last, most: next / size, leaves: start + width > endOfPiece(last) };
      }),
    );
  });
  for (const { label, last, most, leaves } of fitted) {
    if (most < Infinity) label.style.maxWidth = `${Math.max(most, 0)}em`;
    last.classList.toggle("open", leaves);
  }
}
