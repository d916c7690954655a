// The distribution of scores, and a line through it that can be moved.
// One unit of a plot is one pixel at the width it is first drawn in, so that its text is as large as the page's.
const plotSize = (place, height, top, least, most) => {
  const width = Math.min(most, Math.max(least, place.clientWidth || most));
  return { width, height, left: 10, right: 10, top, bottom: 26 };
};

function scoresOf(at) {
  const column = data.frames.metrics[at];
  return column.scores || scoresOf(column.as);
}

function ascending(values) {
  return Float64Array.from(values.filter((value) => value !== null)).sort();
}

function spanOf(sorted) {
  const step = sorted[sorted.length - 1] - sorted[0] > 0.2 ? 0.1 : 0.02;
  const low = Math.floor(sorted[0] / step + 1e-9) * step;
  return { low, high: Math.max(low + step, Math.ceil(sorted[sorted.length - 1] / step - 1e-9) * step) };
}

// As many bars as the numbers can fill: half as many again as Rice's rule has.
const binsFor = (n, most) => Math.min(most, Math.max(20, Math.round(3 * Math.cbrt(n))));

// Bars of equal width; the scale of x goes with them.
function histogram(sorted, span, { bins, size }) {
  const width = (span.high - span.low) / bins;
  const edges = Array.from({ length: bins + 1 }, (_, at) => span.low + at * width);
  const counts = edges.slice(1).map((edge, at) => {
    const end = at === bins - 1 ? sorted.length : countBelow(sorted, edge);
    return end - (at === 0 ? 0 : countBelow(sorted, edges[at]));
  });
  const most = Math.max(...counts);
  const x = (value) => size.left + ((value - span.low) / (span.high - span.low)) * (size.width - size.left - size.right);
  const room = size.height - size.top - size.bottom;
  const bars = () =>
    counts.map((count, at) =>
      draw("rect", {
        x: (x(edges[at]) + 0.5).toFixed(2),
        width: Math.max(0.5, x(edges[at + 1]) - x(edges[at]) - 1).toFixed(2),
        y: (size.height - size.bottom - (count / most) * room).toFixed(2),
        height: ((count / most) * room).toFixed(2),
      }),
    );
  return { x, bars, counts, most };
}

function ticks(span, x, size, form) {
  const about = (span.high - span.low) / (size.width < 400 ? 4 : 8);
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10].find((one) => one >= about - 1e-9) || about;
  const marks = [];
  for (let value = Math.ceil(span.low / step - 1e-9) * step; value <= span.high + 1e-9; value += step) {
    const text = form === "percent" ? `${Math.round(value * 100)}%` : String(Math.round(value * 100) / 100);
    const atEdge = x(value) - size.left < 8 ? " first" : size.width - size.right - x(value) < 8 ? " last" : "";
    marks.push(draw("text", { x: x(value), y: size.height - 8, class: `tick${atEdge}` }, text));
  }
  const base = size.height - size.bottom;
  return [draw("line", { x1: size.left, x2: size.width - size.right, y1: base, y2: base, class: "axis" }), ...marks];
}

function describePlot(sorted, label) {
  const middle = sorted[Math.floor(sorted.length / 2)];
  const [low, high] = [sorted[0], sorted[sorted.length - 1]];
  return `Distribution of ${label} over ${whole.format(sorted.length)}: lowest ${low.toFixed(3)}, median ${middle.toFixed(3)}, highest ${high.toFixed(3)}`;
}

function smallPlots() {
  const counted = data.threshold ? scoresOf(data.threshold.metric) : null;
  for (const place of document.querySelectorAll(".plot")) {
    const { form, label } = data.metrics[Number(place.dataset.metric)];
    const scores = scoresOf(Number(place.dataset.metric));
    const sorted = ascending(scores);
    if (scores === counted || form === "truth" || new Set(sorted).size < 3) continue;
    const size = plotSize(place, 110, 6, 240, 480);
    const span = spanOf(sorted);
    const { x, bars } = histogram(sorted, span, { bins: binsFor(sorted.length, 30), size });
    const box = { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": describePlot(sorted, label) };
    place.append(make("p", { class: "note" }, `${label} of each ${data.noun}`), draw("svg", box, draw("g", { class: "bars" }, ...bars()), ...ticks(span, x, size, form)));
  }
}

// Returns { value(), onMove(listener) }, or null when there is nothing to move a line through.
function movableThreshold() {
  const place = host("threshold");
  const sorted = data.threshold && place ? ascending(scoresOf(data.threshold.metric)) : [];
  if (!sorted.length) {
    if (place) place.replaceChildren(make("p", {}, "Nothing was scored, so there is no distribution."));
    return null;
  }
  const size = plotSize(place, 240, 22, 300, 1200);
  const span = spanOf(sorted);
  const given = data.threshold.value;
  const short = Number(given.toPrecision(6));
  span.low = Math.min(span.low, given);
  span.high = Math.max(span.high, given);
  const plot = histogram(sorted, span, { bins: binsFor(sorted.length, size.width < 500 ? 30 : 60), size });
  const listeners = [];
  let value = given;

  const left = draw("rect", { x: 0, y: 0, width: 0, height: size.height });
  const line = draw("line", { class: "threshold", y1: size.top - 8, y2: size.height - size.bottom });
  const handle = draw("circle", { class: "handle", cy: size.top - 12, r: 8 });
  const picture = draw(
    "svg",
    { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": describePlot(sorted, "similarity"), class: "movable" },
    draw("defs", {}, draw("clipPath", { id: "left-of-line" }, left)),
    draw("g", { class: "bars" }, ...plot.bars()),
    draw("g", { class: "bars flagged", "clip-path": "url(#left-of-line)" }, ...plot.bars()),
    ...ticks(span, plot.x, size),
    line,
    handle,
  );
  const range = { min: span.low.toFixed(3), max: span.high.toFixed(3) };
  const slider = make("input", { type: "range", id: "threshold-slider", step: 0.001, ...range });
  const number = make("input", { type: "number", id: "threshold-number", step: 0.001, min: -1, max: 1, inputmode: "decimal" });
  const back = make("button", { type: "button", id: "threshold-back" }, `Back to ${short}`);
  const status = make("p", { role: "status", id: "threshold-status", class: "lead" });
  const result = make("p", { id: "threshold-report", class: "note" });

  function move(to, from) {
    value = Math.min(1, Math.max(-1, to));
    const at = Math.min(size.width, Math.max(0, plot.x(value)));
    left.setAttribute("width", at);
    for (const name of ["x1", "x2"]) line.setAttribute(name, at);
    handle.setAttribute("cx", at);
    if (from !== slider) slider.value = value;
    if (from !== number) number.value = String(Math.round(value * 1e6) / 1e6);
    slider.setAttribute("aria-valuetext", value.toFixed(3));
    back.disabled = value === given;
    status.textContent = inWords(value);
    for (const listener of listeners) listener(value);
  }

  function inWords(threshold) {
    const n = sorted.length;
    const below = countBelow(sorted, threshold);
    const [low, high] = wilson(below, n);
    const drawn = data.frames.index ? " drawn" : "";
    return `${whole.format(below)} of ${many(n, data.noun)}${drawn} (${shown(below / n, "percent")}) fall below ${Math.round(threshold * 1e6) / 1e6}; 95% interval ${shown(low, "percent")} to ${shown(high, "percent")} (Wilson).`;
  }

  function fromPointer(event) {
    const box = picture.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * size.width;
    const share = (x - size.left) / (size.width - size.left - size.right);
    const to = span.low + Math.min(1, Math.max(0, share)) * (span.high - span.low);
    move(Math.round(to * 1000) / 1000, picture);
  }

  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    fromPointer(event);
  });
  picture.addEventListener("pointermove", (event) => {
    if (picture.hasPointerCapture(event.pointerId)) fromPointer(event);
  });
  slider.addEventListener("input", () => move(Number(slider.value), slider));
  number.addEventListener("input", () => {
    if (number.value !== "" && Number.isFinite(number.valueAsNumber)) move(number.valueAsNumber, number);
  });
  back.addEventListener("click", () => move(given, back));
  result.textContent = `The report itself was made with ${short}. Moving the line changes this page only.`;
  place.replaceChildren(
    status,
    picture,
    make(
      "div",
      { class: "controls" },
      make("label", { for: "threshold-slider", class: "grow" }, "Threshold", slider),
      make("label", { for: "threshold-number" }, "Exactly", number),
      back,
    ),
    result,
  );
  move(given, null);
  return { value: () => value, onMove: (listener) => listeners.push(listener) };
}
