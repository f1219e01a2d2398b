// What a table's page looks like in numbers: regions, lit pieces, buttons and the sizes of letters.
() => {
  const box = (e) => {
    const { left, top, right, bottom, width, height } = e.getBoundingClientRect();
    return { left, top, right, bottom, width, height };
  };
  const isShown = (e) => e.getClientRects().length > 0;
  const regions = [...document.querySelectorAll(".region")].filter(isShown);
  const texts = [];
  const note = (size, text, region) => texts.push({ size: Math.round(size * 10) / 10, text: text.textContent, region: region.dataset.region });
  const scaleOf = ({ a, b }) => Math.hypot(a, b);
  // By how much what a shape is put together from is drawn larger than the shape.
  const within = (text, shape) => {
    let by = 1;
    for (let at = text; at !== shape; at = at.parentNode) {
      const turned = at.transform?.baseVal.consolidate();
      if (turned) by *= scaleOf(turned.matrix);
    }
    return by;
  };
  for (const region of regions) {
    const scale = scaleOf(region.querySelector("svg").getScreenCTM());
    for (const text of region.querySelectorAll("svg text")) {
      if (text.textContent.trim() && isShown(text)) note(parseFloat(getComputedStyle(text).fontSize) * scaleOf(text.getScreenCTM()), text, region);
    }
    for (const use of region.querySelectorAll("use")) {
      const shape = document.getElementById(use.getAttribute("href").slice(1));
      for (const text of shape?.querySelectorAll("text") || []) {
        note(parseFloat(text.getAttribute("font-size")) * within(text, shape) * scale, text, region);
      }
    }
  }
  const controls = [...document.querySelectorAll(".ask button, .ask summary, .ask .button")];
  return {
    wide: document.documentElement.scrollWidth - innerWidth,
    regions: regions.map((r) => ({ ...box(r), number: r.dataset.region })),
    dock: box(document.querySelector(".ask")),
    lit: [...document.querySelectorAll(".piece.lit")].map((g) => ({ id: g.id, seen: isShown(g), ...box(g), region: g.closest(".region").dataset.region })),
    buttons: controls.filter((b) => isShown(b) && !b.closest(".menu ul")).map((b) => ({ text: b.textContent, ...box(b) })),
    texts,
  };
}
