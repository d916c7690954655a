// The tables of sessions, of tag values and of all samples.
const nameOf = (column, i) => (column.codes[i] < 0 ? "" : column.names[column.codes[i]]);
const isolated = (text) => make("bdi", {}, text);

function intervalCell(column, i) {
  const value = column.values[i];
  if (value === null || value === undefined) return "–";
  const text = make("span", { class: "value" }, shown(value, column.form));
  if (!column.low || column.low[i] === null || column.low[i] === undefined) return text;
  const [from, to] = column.axis;
  const x = (one) => 4 + ((one - from) / (to - from || 1)) * 92;
  const words = `${shown(column.low[i], column.form)} to ${shown(column.high[i], column.form)}`;
  const bar = draw(
    "svg",
    { viewBox: "0 0 100 12", class: "mini", role: "img", "aria-label": `interval ${words}` },
    draw("title", {}, words),
    draw("line", { class: "axis", x1: 4, x2: 96, y1: 6, y2: 6 }),
    draw("rect", { class: "range", x: x(column.low[i]), width: Math.max(1, x(column.high[i]) - x(column.low[i])), y: 3, height: 6, rx: 2 }),
    draw("rect", { class: "dot", x: x(value) - 1, width: 2, y: 1, height: 10 }),
  );
  return make("span", { class: "with-bar" }, bar, text);
}

function summaryColumns(table, nameCell) {
  const told = table.names.filter((one, at) => at === 0 || new Set(one.values).size > 1);
  const names = told.map((one, at) => ({
    label: one.label,
    width: 12,
    value: (i) => one.values[i],
    cell: (i) => (at === 0 ? nameCell(one.values[i], i) : isolated(one.values[i])),
  }));
  const figures = table.columns.map((one) => ({
    label: one.label,
    width: one.low ? 13 : one.form === "text" ? 9 : 7,
    numeric: one.form !== "text",
    firstDown: true,
    value: (i) => one.values[i],
    cell: (i) => intervalCell(one, i),
  }));
  return [...names, ...figures];
}

function searchBox(label, id, onInput) {
  const input = make("input", { type: "search", id, autocomplete: "off", spellcheck: "false" });
  input.addEventListener("input", () => onInput(input.value.trim().toLowerCase()));
  return { label: make("label", { for: id, class: "grow" }, label, input), input };
}

function groupTables() {
  const place = host("groups");
  if (!place) return;
  place.replaceChildren();
  for (const table of data.groups) {
    place.append(make("h3", {}, "By ", isolated(table.by)));
    grid(place, { label: `By ${table.by}`, columns: summaryColumns(table, isolated), n: table.n });
  }
}

// Share of a session's samples below the line, as it stands; null where rows are missing from the page.
function shareBelow(threshold) {
  const { frames, sessions } = data;
  if (!threshold || frames.index) return null;
  const scores = scoresOf(data.threshold.metric);
  const found = new Map();
  for (let i = 0; i < frames.n; i++) {
    if (scores[i] === null) continue;
    const key = JSON.stringify([nameOf(frames.session, i), nameOf(frames.assistant, i)]);
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(scores[i]);
  }
  const [names, assistants] = sessions.names;
  const sorted = names.values.map((name, i) => Float64Array.from(found.get(JSON.stringify([name, assistants.values[i]])) || []).sort());
  const share = (i) => (sorted[i].length ? countBelow(sorted[i], threshold.value()) / sorted[i].length : null);
  return { label: "Below the line", width: 7, numeric: true, firstDown: true, value: share, cell: (i) => shown(share(i), "percent") };
}

function sessionTable(threshold, follow) {
  const place = host("sessions");
  if (!place) return;
  const table = data.sessions;
  const open = (name) => make("button", { type: "button", class: "link", onclick: () => follow(name) }, isolated(name));
  const columns = summaryColumns(table, data.frames.n ? open : isolated);
  const share = shareBelow(threshold);
  if (share) columns.push(share);
  place.replaceChildren();
  const box = searchBox("Find a session or assistant", "session-search", (text) => {
    made.filter(text ? (i) => table.names.some((one) => one.values[i].toLowerCase().includes(text)) : null);
  });
  if (table.n > 1) place.append(make("div", { class: "controls" }, box.label));
  const made = grid(place, { label: "Sessions", columns, n: table.n, sort: { at: 0, down: false } });
  if (share) threshold.onMove(() => made.refresh());
}

function stateOf(i, at) {
  const { why, reasons, map } = data.frames.metrics[at];
  const lookup = map || (data.frames.metrics[at].map = new Map(why[0].map((row, k) => [row, reasons[why[1][k]]])));
  return lookup.get(i) || null;
}

function scoreCell(i, at, threshold) {
  const { form } = data.metrics[at];
  const reason = stateOf(i, at);
  if (reason) return make("small", { title: reason }, reason);
  const score = scoresOf(at)[i];
  if (form === "below") return score < threshold.value() ? make("strong", { class: "flag" }, "below") : "not below";
  return shown(score, form);
}

function sampleColumns(threshold, claims) {
  const { frames, metrics } = data;
  const place = (i) => (frames.index ? frames.index[i] : i);
  const text = (label, column) => ({ label, width: 11, value: (i) => nameOf(column, i), cell: (i) => isolated(nameOf(column, i)) });
  const columns = [
    { label: "Sample", width: 13, value: (i) => frames.ids[i], cell: (i) => make("a", { href: `#frame-${place(i)}` }, isolated(frames.ids[i])) },
    text("Session", frames.session),
  ];
  if (frames.assistant.names.length > 1) columns.push(text("Assistant", frames.assistant));
  frames.tags.forEach((one) => columns.push(text(one.name, one)));
  if (claims) columns.push({ label: "Claims", width: 11, value: claims.text, cell: claims.text });
  metrics.forEach((metric, at) => {
    columns.push({
      label: metric.label,
      width: 9,
      numeric: true,
      value: (i) => (metric.form === "below" && scoresOf(at)[i] !== null ? Number(scoresOf(at)[i] < threshold.value()) : scoresOf(at)[i]),
      cell: (i) => scoreCell(i, at, threshold),
    });
  });
  return columns;
}

// Frames by the verdict of the metric that gives one: [value, text, test] of each choice.
function verdictChoices() {
  const columns = data.frames.metrics.flatMap((one) => one.evidence.filter((column) => column.label === "Verdict"));
  const choices = (column) => ["contradicted", "undecided"].filter((name) => column.names.includes(name));
  const test = (column, name) => (i) => nameOf(column, i) === name;
  return columns.flatMap((column) => choices(column).map((name) => [name, name[0].toUpperCase() + name.slice(1), test(column, name)]));
}

function sampleTable(threshold, claims) {
  const place = host("frames");
  if (!place) return null;
  const { frames, metrics } = data;
  const wanted = { text: "", state: "all", session: null, kind: "" };
  const hay = [];
  const hayOf = (i) =>
    (hay[i] ??= [frames.ids[i], nameOf(frames.session, i), nameOf(frames.assistant, i), ...frames.tags.map((one) => nameOf(one, i))].join("\n").toLowerCase());
  const verdicts = verdictChoices();
  const isUnscored = (i) => metrics.some((_, at) => stateOf(i, at) !== null);
  const tests = {
    all: () => true,
    below: (i) => threshold && scoresOf(data.threshold.metric)[i] !== null && scoresOf(data.threshold.metric)[i] < threshold.value(),
    unscored: isUnscored,
    ...Object.fromEntries(verdicts.map(([name, , test]) => [name, test])),
  };
  const apply = () => {
    chip.hidden = wanted.session === null;
    chip.replaceChildren("Session ", isolated(wanted.session || ""), make("span", { "aria-hidden": "true" }, " ×"));
    const code = wanted.session === null ? -1 : frames.session.names.indexOf(wanted.session);
    const test = tests[wanted.state];
    const fits = (i) => (wanted.session === null || frames.session.codes[i] === code) && (!wanted.kind || claims.has(i, wanted.kind));
    made.filter((i) => fits(i) && test(i) && (!wanted.text || hayOf(i).includes(wanted.text)));
  };
  const box = searchBox("Find by sample, session, assistant or tag", "frame-search", (text) => {
    wanted.text = text;
    apply();
  });
  const option = (value, text) => make("option", { value }, text);
  const below = threshold ? [option("below", "Below the line")] : [];
  const states = [option("all", "All"), ...below, ...verdicts.map(([name, text]) => option(name, text)), option("unscored", "Skipped or in error")];
  const state = make("select", { id: "frame-state" }, ...states);
  const kind = kindFilter(claims, (value) => {
    wanted.kind = value;
    apply();
  });
  state.addEventListener("change", () => {
    wanted.state = state.value;
    apply();
  });
  const chip = make("button", { type: "button", id: "frame-session", hidden: true, "aria-label": "Show all sessions again" });
  chip.addEventListener("click", () => {
    wanted.session = null;
    apply();
    box.input.focus();
  });
  const drawn = `Of ${whole.format(frames.total)} samples, ${whole.format(frames.n)} were drawn at random (seed ${data.seed}) for this page; samples.jsonl holds all. Figures above are of all, the distribution and this table of those drawn.`;
  place.replaceChildren(
    ...(frames.index ? [make("p", { class: "caution", id: "sampled" }, drawn)] : []),
    make("div", { class: "controls" }, box.label, make("label", { for: "frame-state" }, "Show", state), kind && kind.label, chip),
  );
  const made = grid(place, { label: "All samples", columns: sampleColumns(threshold, claims), n: frames.n, printed: 50 });
  if (threshold) threshold.onMove(() => (wanted.state === "below" ? apply() : made.refresh()));
  return {
    order: made.order,
    show(change) {
      Object.assign(wanted, { text: "", state: "all", session: null, kind: "" }, change);
      if (kind) kind.select.value = wanted.kind;
      box.input.value = wanted.text;
      state.value = wanted.state;
      apply();
      goTo("frames");
      box.input.focus({ preventScroll: true });
    },
  };
}
