// Which words of two texts have no partner in the other: the longest common subsequence of words.
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]/;
const MOST_CELLS = 4_000_000;

function wordsOf(text) {
  if (UNSPACED.test(text) && Intl.Segmenter) {
    return Array.from(new Intl.Segmenter(undefined, { granularity: "word" }).segment(text), (one) => one.segment);
  }
  return text.match(/\s+|\S+/g) || [];
}

const keyOf = (word) => word.toLowerCase().replace(/^[\p{P}\p{S}]+|[\p{P}\p{S}]+$/gu, "");

// Per word of `mine` whether it is missing in `theirs`; null when the texts are too long to compare.
function missingIn(mine, theirs) {
  const a = mine.map(keyOf);
  const kept = a.flatMap((key, place) => (key.trim() ? [place] : []));
  const b = theirs.map(keyOf).filter((key) => key.trim());
  if (kept.length * b.length > MOST_CELLS) return null;
  const width = b.length + 1;
  const length = new Uint32Array((kept.length + 1) * width);
  for (let i = kept.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      length[at] = a[kept[i]] === b[j] ? length[at + width + 1] + 1 : Math.max(length[at + width], length[at + 1]);
    }
  }
  const missing = new Array(mine.length).fill(false);
  for (let i = 0, j = 0; i < kept.length; ) {
    const at = i * width + j;
    if (j < b.length && a[kept[i]] === b[j]) {
      i++;
      j++;
    } else if (j >= b.length || length[at + width] >= length[at + 1]) missing[kept[i++]] = true;
    else j++;
  }
  // A space between two such words goes with them.
  for (let at = 1; at < mine.length - 1; at++) if (!a[at].trim() && missing[at - 1] && missing[at + 1]) missing[at] = true;
  return missing;
}

function markWords(node, words, missing) {
  node.replaceChildren();
  for (let place = 0; place < words.length; place++) {
    let end = place + 1;
    while (end < words.length && missing[end] === missing[place]) end++;
    const text = words.slice(place, end).join("");
    node.append(missing[place] ? make("mark", {}, text) : text);
    place = end - 1;
  }
}

function markDifferences(sides) {
  const texts = Array.from(sides.querySelectorAll(".said"));
  const words = texts.map((node) => (node.querySelector("i") ? [] : wordsOf(node.textContent)));
  texts.forEach((node, place) => {
    const missing = words[place].length ? missingIn(words[place], words[place === 0 ? 1 : 0]) : null;
    if (missing) markWords(node, words[place], missing);
  });
}
