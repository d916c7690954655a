// One sample in a dialog, at an address of its own: #frame-INDEX.
function frameDialog(table, threshold, claims) {
  const dialog = document.getElementById("frame");
  const { frames, metrics } = data;
  const rows = frames.index ? new Map(frames.index.map((index, i) => [index, i])) : null;
  const rowOf = (index) => (rows ? rows.get(index) : index < frames.n ? index : undefined);
  const indexOf = (i) => (frames.index ? frames.index[i] : i);
  let opener = null;
  let pressed = null;

  const fact = (label, value) => make("div", {}, make("dt", {}, isolated(label)), make("dd", {}, value));

  function factsOf(i) {
    const facts = [
      fact("Session", isolated(nameOf(frames.session, i))),
      fact("Assistant", isolated(nameOf(frames.assistant, i))),
      ...frames.tags.filter((one) => one.codes[i] >= 0).map((one) => fact(one.name, isolated(nameOf(one, i)))),
    ];
    metrics.forEach((metric, at) => {
      facts.push(fact(metric.label, scoreCell(i, at, threshold)));
      for (const one of frames.metrics[at].evidence) if (one.codes[i] >= 0) facts.push(fact(one.label, isolated(nameOf(one, i))));
    });
    return make("dl", { class: "facts" }, ...facts);
  }

  function textsOf(index, i) {
    const worst = document.getElementById(`worst-${index}`);
    if (worst) return Array.from(worst.querySelectorAll(".asked, .sides, .claims, pre"), (node) => node.cloneNode(true));
    const list = claims && i !== undefined ? [claimList(claims, i)].filter(Boolean) : [];
    return [...list, make("p", { class: "note" }, "Texts are kept for the samples listed as worst only; the input holds the others.")];
  }

  function steps(i) {
    const order = table.order();
    const at = order.indexOf(i);
    const step = (text, target) => {
      pressed = text;
      location.replace(`#frame-${indexOf(target)}`);
    };
    const button = (text, to) => {
      const target = at < 0 ? undefined : order[to];
      return make("button", { type: "button", disabled: target === undefined, onclick: () => step(text, target) }, text);
    };
    const close = make("button", { type: "button", class: "close", onclick: () => dialog.close() }, "Close");
    return make("div", { class: "controls" }, button("Previous", at - 1), button("Next", at + 1), close);
  }

  function show(index) {
    const i = rowOf(index);
    const title = make("h2", { id: "frame-title", tabindex: -1 });
    if (i === undefined) title.append("This sample is not on this page");
    else title.append("Sample ", isolated(frames.ids[i]));
    const content = i === undefined ? textsOf(index) : [factsOf(i), ...textsOf(index, i)];
    dialog.replaceChildren(title, ...content, i === undefined ? make("button", { type: "button", onclick: () => dialog.close() }, "Close") : steps(i));
    if (!dialog.open) {
      opener = document.activeElement;
      dialog.showModal();
    }
    const same = [...dialog.querySelectorAll("button:enabled")].find((one) => one.textContent === pressed);
    (same || title).focus();
    pressed = null;
  }

  dialog.addEventListener("close", () => {
    if (location.hash.startsWith("#frame-")) history.replaceState(null, "", location.pathname + location.search);
    if (opener && opener.isConnected) opener.focus({ preventScroll: true });
  });
  const follow = () => {
    const found = /^#frame-(\d{1,15})$/.exec(location.hash);
    if (found) show(Number(found[1]));
    else if (dialog.open) dialog.close();
  };
  addEventListener("hashchange", follow);
  follow();
}
