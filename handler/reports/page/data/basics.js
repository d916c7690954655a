// Elements and figures. Text reaches the page through textContent and setAttribute only.
const data = JSON.parse(document.getElementById("data").textContent);
const whole = new Intl.NumberFormat("en-US");
// Ties go to the even digit, as in the parts of the page that Python wrote.
const decimals = [0, 1, 2, 3].map((n) => {
  const rule = { minimumFractionDigits: n, maximumFractionDigits: n, roundingMode: "halfEven", useGrouping: false };
  return new Intl.NumberFormat("en-US", rule);
});
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const make = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const draw = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
const host = (name) => document.querySelector(`#${name} .live`);
const many = (n, noun) => `${whole.format(n)} ${noun}${n === 1 ? "" : "s"}`.replace(/rys$/, "ries");

function shown(value, form) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (form === "percent") return `${decimals[1].format(value * 100)}%`;
  if (form === "count") return whole.format(value);
  if (form === "signed") return `${value >= 0 ? "+" : ""}${decimals[2].format(value)}`;
  if (form === "truth") return value ? "yes" : "no";
  return decimals[3].format(value);
}

// Wilson's score interval of a proportion at 95 %.
function wilson(successes, n) {
  const z = 1.959963984540054;
  const share = successes / n;
  const centre = share + (z * z) / (2 * n);
  const spread = z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
  const scale = 1 + (z * z) / n;
  const low = successes === 0 ? 0 : Math.max(0, (centre - spread) / scale);
  return [low, successes === n ? 1 : Math.min(1, (centre + spread) / scale)];
}

// How many of the ascending values are less than x.
function countBelow(ascending, x) {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
const goTo = (name) => document.getElementById(name).scrollIntoView({ behavior: reducedMotion ? "auto" : "smooth" });
