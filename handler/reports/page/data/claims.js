// What vision.claims says: of each frame in the table of all, and a choice of kind above the worst.
const kindMark = (kind) => make("span", { class: "kind", "data-kind": kind }, kind);

// Claims by frame, and how many frames have each kind; null where the metric was not asked for.
function claimIndex() {
  const { frames } = data;
  if (!frames || !frames.claims) return null;
  const { kinds, words, rows, kind, answer, reference, more } = frames.claims;
  const first = new Uint32Array(frames.n + 1);
  for (const row of rows) first[row + 1]++;
  for (let i = 0; i < frames.n; i++) first[i + 1] += first[i];
  const left = new Map(more[0].map((row, at) => [row, more[1][at]]));
  const kindsAt = (i) => [...new Set(kind.slice(first[i], first[i + 1]))];
  const counts = new Uint32Array(kinds.length);
  for (let i = 0; i < frames.n; i++) for (const one of kindsAt(i)) counts[one]++;
  let count = 0;
  for (let i = 0; i < frames.n; i++) if (first[i] < first[i + 1]) count++;
  return {
    kinds,
    counts,
    text: (i) => kindsAt(i).map((one) => kinds[one]).join(", "),
    has: (i, name) => (name === "any" ? first[i] < first[i + 1] : kindsAt(i).some((one) => kinds[one] === name)),
    count,
    left: (i) => left.get(i) || 0,
    of: (i) =>
      rows.slice(first[i], first[i + 1]).map((_, at) => ({
        kind: kinds[kind[first[i] + at]],
        answer: words[answer[first[i] + at]],
        reference: words[reference[first[i] + at]],
      })),
  };
}

// The claims of one frame without its texts.
function claimList(claims, i) {
  const said = (side, text) => [`${side}: `, text ? make("bdi", {}, text) : "says nothing of it"];
  const items = claims.of(i).map((one) => make("li", {}, kindMark(one.kind), " ", ...said("Model", one.answer), " · ", ...said("Person", one.reference)));
  const left = claims.left(i) ? make("p", { class: "note" }, `${many(claims.left(i), "more claim")} in samples.jsonl.`) : null;
  return items.length ? make("div", { class: "claims" }, make("ol", {}, ...items), left) : null;
}

function kindChoice(id, label, options) {
  const select = make("select", { id }, ...options.map(([value, text]) => make("option", { value }, text)));
  return { select, label: make("label", { for: id }, label, select) };
}

// The choice of kind for the table of all frames; null where there is nothing to choose.
function kindFilter(claims, onChoice) {
  if (!claims || !claims.kinds.length) return null;
  const kinds = claims.kinds.map((kind, at) => [kind, `${kind} (${whole.format(claims.counts[at])})`]).sort();
  const made = kindChoice("frame-kind", "Claims", [["", "All"], ["any", `Any kind (${whole.format(claims.count)})`], ...kinds]);
  made.select.addEventListener("change", () => onChoice(made.select.value));
  return made;
}

function worstByKind() {
  const articles = [...document.querySelectorAll("#worst .worst")];
  const kindsOf = articles.map((one) => (one.dataset.kinds || "").split("\n").filter(Boolean));
  const kinds = [...new Set(kindsOf.flat())].sort();
  if (!kinds.length) return;
  const number = (kind) => kindsOf.filter((one) => one.includes(kind)).length;
  const { select, label } = kindChoice("worst-kind", "Claims", [["", "All"], ...kinds.map((kind) => [kind, `${kind} (${number(kind)})`])]);
  const status = make("p", { role: "status", class: "note" });
  select.addEventListener("change", () => {
    articles.forEach((one, at) => (one.hidden = Boolean(select.value) && !kindsOf[at].includes(select.value)));
    const n = articles.filter((one) => !one.hidden).length;
    status.textContent = select.value ? `${whole.format(n)} of ${many(articles.length, data.noun)}.` : "";
  });
  articles[0].before(make("div", { class: "controls" }, label, status));
}
