// What a newcomer's eye falls on: all that can be pressed and is seen, the most prominent first. A strong button stands
// out most (3), then what is pointed at (2), then what is lit (1), then the plain buttons of moves (0). Null while there
// is nothing to press, or something still moves. A sealed answer that may still be changed does not call for another one.
(() => {
  if (document.documentElement.dataset.ready !== "yes" || document.getAnimations().length) return null;
  if (document.querySelector("[data-moves][aria-busy]")) return null;
  const isSeen = (found) => {
    const box = found.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && found.checkVisibility({ visibilityProperty: true });
  };
  const spot = (found, key, emphasis) => {
    const box = found.getBoundingClientRect();
    return { key, emphasis, x: box.x + box.width / 2, y: box.y + box.height / 2, isPiece: found.matches(".piece") };
  };
  const all = [];
  for (const found of document.querySelectorAll("main button.strong:enabled, main .button.strong")) {
    if (isSeen(found)) all.push(spot(found, found.textContent.trim(), 3));
  }
  const isAsked = document.body.classList.contains("my-move");
  const lit = (isAsked ? [...document.querySelectorAll(".piece.lit")] : []).filter((piece) => !piece.matches(".path:not(.hint)"));
  for (const piece of lit) if (isSeen(piece)) all.push(spot(piece, piece.id, piece.matches(".hint") ? 2 : 1));
  for (const found of document.querySelectorAll("[data-moves] button[data-name]:not(.back)")) {
    if (isAsked && isSeen(found)) all.push(spot(found, found.dataset.name, found.matches(".hint") ? 2 : 0));
  }
  const shown = [document.querySelector("[data-question]")?.textContent, ...document.querySelectorAll(".piece.path")];
  return all.length ? { all: all.sort((a, b) => b.emphasis - a.emphasis), place: shown.map((each) => each?.id || each).join("|") + document.documentElement.dataset.shown } : null;
})()
