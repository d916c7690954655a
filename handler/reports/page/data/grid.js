// A table that sorts and filters; of many rows only those near the visible part are in the document.
const ALL_AT_ONCE = 120;
const OVERSCAN = 12;

function grid(place, { label, columns, n, sort = null, printed = 500 }) {
  const scale = innerWidth < 640 ? 0.75 : 1;
  const body = make("tbody");
  const above = make("tr", { "aria-hidden": "true", class: "spacer" }, make("td", { colspan: columns.length }));
  const below = above.cloneNode(true);
  const heads = columns.map(headOf);
  const table = make(
    "table",
    { "aria-label": label, "aria-rowcount": n + 1, class: "grid" },
    make("colgroup", {}, ...columns.map(widthOf)),
    make("thead", {}, make("tr", { "aria-rowindex": 1 }, ...heads)),
    body,
  );
  const scroller = make("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": `Table: ${label}` }, table);
  const status = make("p", { role: "status", class: "note" });
  place.append(scroller, status);
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const height = 2.25 * rem;
  const live = new Map();
  let matches = null;
  let order = Uint32Array.from({ length: n }, (_, i) => i);
  let sorted = sort;
  let pending = false;
  let printing = false;
  table.style.minWidth = `${columns.reduce((sum, one) => sum + one.width * scale, 0)}rem`;

  function widthOf(column) {
    const node = make("col");
    node.style.width = `${column.width * scale}rem`;
    return node;
  }

  function headOf(column, at) {
    const button = make("button", { type: "button", onclick: () => sortBy(at) }, column.label);
    return make("th", { scope: "col", class: column.numeric ? "n" : null }, button);
  }

  function sortBy(at) {
    const down = sorted && sorted.at === at ? !sorted.down : columns[at].numeric && columns[at].firstDown === true;
    sorted = { at, down };
    arrange();
  }

  function arrange() {
    const found = [];
    for (let i = 0; i < n; i++) if (!matches || matches(i)) found.push(i);
    order = Uint32Array.from(found);
    if (sorted) {
      const keys = Array.from({ length: n }, (_, i) => columns[sorted.at].value(i));
      const turn = sorted.down ? -1 : 1;
      const blank = (key) => key === null || key === undefined || key === "";
      const collator = new Intl.Collator("en", { numeric: true });
      const compare = columns[sorted.at].numeric ? (a, b) => a - b : rankedBy(keys, collator);
      order.sort((i, j) => {
        const a = keys[i];
        const b = keys[j];
        if (blank(a) || blank(b)) return blank(a) - blank(b) || i - j;
        return turn * compare(a, b) || i - j;
      });
    }
    heads.forEach((head, at) => {
      if (sorted && sorted.at === at) head.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    scroller.scrollTop = 0;
    table.setAttribute("aria-rowcount", order.length + 1);
    status.textContent = order.length === n ? `${many(n, "row")}.` : `${whole.format(order.length)} of ${many(n, "row")}.`;
    refresh();
  }

  // Distinct texts are ranked once, for a collator is too slow for every comparison of many rows.
  function rankedBy(keys, collator) {
    const rank = new Map([...new Set(keys)].sort(collator.compare).map((key, at) => [key, at]));
    return (a, b) => rank.get(a) - rank.get(b);
  }

  function rowOf(i) {
    const cells = columns.map((column, at) =>
      make(at === 0 ? "th" : "td", { class: column.numeric ? "n" : null, scope: at === 0 ? "row" : null }, column.cell(i)),
    );
    return make("tr", {}, ...cells);
  }

  function show() {
    pending = false;
    let first = 0;
    let last = order.length;
    if (printing) last = Math.min(last, printed);
    else if (order.length > ALL_AT_ONCE) {
      first = Math.max(0, Math.floor(scroller.scrollTop / height) - OVERSCAN);
      last = Math.min(order.length, first + Math.ceil((scroller.clientHeight || 600) / height) + 2 * OVERSCAN);
    }
    const wanted = new Set(order.subarray(first, last));
    for (const [i, row] of live) {
      if (!wanted.has(i)) {
        row.remove();
        live.delete(i);
      }
    }
    let cursor = above.nextSibling;
    for (let at = first; at < last; at++) {
      let row = live.get(order[at]);
      if (!row) live.set(order[at], (row = rowOf(order[at])));
      row.setAttribute("aria-rowindex", at + 2);
      if (row === cursor) cursor = cursor.nextSibling;
      else body.insertBefore(row, cursor);
    }
    above.firstChild.style.height = `${first * height}px`;
    below.firstChild.style.height = `${printing ? 0 : (order.length - last) * height}px`;
    above.hidden = first === 0;
    below.hidden = printing || last === order.length;
  }

  function refresh() {
    for (const row of live.values()) row.remove();
    live.clear();
    show();
  }

  function setPrinting(value) {
    printing = value;
    const hidden = order.length - printed;
    scroller.dataset.cut = value && hidden > 0 ? `Not printed: ${many(hidden, "more row")}.` : "";
    show();
  }

  body.append(above, below);
  scroller.addEventListener("scroll", () => {
    if (!pending) requestAnimationFrame(show);
    pending = true;
  });
  addEventListener("beforeprint", () => setPrinting(true));
  addEventListener("afterprint", () => setPrinting(false));
  arrange();
  return {
    refresh,
    arrange,
    order: () => order,
    filter(test) {
      matches = test;
      arrange();
    },
  };
}
