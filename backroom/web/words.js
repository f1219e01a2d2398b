// Finds and makes elements, and shows texts that the server has made. Nothing that people write is ever markup.

// The element of the page with this attribute, looked up only once: a page with a picture is long.
const marked = new Map();
export function $(name) {
  if (!marked.has(name)) marked.set(name, document.querySelector(`[data-${name}]`));
  return marked.get(name);
}

export function make(tag, properties = {}, ...children) {
  const found = Object.assign(document.createElement(tag), properties);
  found.append(...children);
  return found;
}

// Replace the children that have changed; the others keep their focus, and a press on them that has begun.
const madeAs = new WeakMap();
export function renew(parent, children) {
  children.forEach((child, place) => {
    if (parent.children[place] === child) return;
    madeAs.set(child, child.outerHTML);
    const was = parent.children[place];
    if (!was) parent.append(child);
    else if (madeAs.get(was) !== madeAs.get(child)) was.replaceWith(child);
  });
  while (parent.children.length > children.length) parent.lastElementChild.remove();
}

// Exactly these children, in this order; those that were there already are left in place.
export function arrange(parent, children) {
  const kept = new Set(children);
  for (const child of [...parent.childNodes]) if (!kept.has(child)) child.remove();
  let at = parent.firstChild;
  for (const child of children) {
    if (child === at) at = at.nextSibling;
    else parent.insertBefore(child, at);
  }
}

// Work that can wait until the page has been painted once more; a hidden page paints nothing.
export function afterPaint(act) {
  if (document.hidden) setTimeout(act);
  else requestAnimationFrame(() => setTimeout(act));
}

// Yield, so that a waiting touch or key is handled first.
export const breathe = () => globalThis.scheduler?.yield?.() || new Promise((wake) => setTimeout(wake));

// A share of the win as a percentage.
export const percent = (worth) => `${(100 * worth).toFixed(1)}\u202f%`;

// An SVG element.
export function drawn(tag, attributes = {}, text = "") {
  const found = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  found.textContent = text;
  return found;
}

// The moves of an event; a long list comes in a compact form (`server/tables/packing.py`).
export function unpacked(moves) {
  if (typeof moves[0] !== "string") return moves;
  const [names, labels, touches] = moves.map(whole);
  return names.map((name, at) => {
    const [marks, ...touch] = touches[at].split(" ");
    const isMarkup = marks.includes("h");
    return { name, label: isMarkup ? undefined : labels[at], html: isMarkup ? labels[at] : undefined, touch, back: marks.includes("b") };
  });
}

// The lines of a text from their compact form (`scene/lines.py`), in which each begins with two numbers: the letters that
// it repeats of the line before, at its beginning and at its end.
export function whole(text) {
  let last = "";
  return text.split("\x7f").map((line) => {
    const [first, end] = [line.charCodeAt(0) - 48, line.charCodeAt(1) - 48];
    last = last.slice(0, first) + line.slice(2) + last.slice(last.length - end);
    return last;
  });
}

// The nodes of a text, which the server sends as plain words, and also as HTML if it has glyphs or links.
export function said(words, html) {
  if (!html) return words ? [words] : [];
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return [...holder.content.childNodes];
}
