// Finds and makes elements, and sentences whose § link to the rulebook. Nothing that people write is ever markup.

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

// Replace the children that have changed; the others stay, with their focus and under their finger.
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

// A share of the win.
export const percent = (worth) => `${(100 * worth).toFixed(1)}\u202f%`;

// A small picture of the game in a text: drawn from the page's sheet, with alternative words.
export const SVG = "http://www.w3.org/2000/svg";
function glyph([name, words]) {
  const { width = 1, height = 1 } = document.getElementById(`glyph-${name}`)?.viewBox.baseVal || {};
  const [found, title, use] = ["svg", "title", "use"].map((tag) => document.createElementNS(SVG, tag));
  const put = (element, all) => { for (const [key, value] of Object.entries(all)) element.setAttribute(key, value); };
  put(found, { class: "glyph", viewBox: `0 0 ${width} ${height}`, ...(words ? { role: "img", "aria-label": words } : { "aria-hidden": "true" }) });
  put(use, { href: `#glyph-${name}`, width, height });
  title.textContent = words;
  found.append(...(words ? [title] : []), use);
  return found;
}

// Nodes for a text, or for its parts: strings, and glyphs as pairs of a name and words.
export function linked(said, game) {
  if (Array.isArray(said)) return said.flatMap((part) => (Array.isArray(part) ? glyph(part) : linked(part, game)));
  return said.split(/(§\d+(?:\.\d+)?)/).filter(Boolean).map((part) => {
    if (!/^§\d/.test(part)) return part;
    return make("a", { href: `/rules/${game}#s${part.slice(1)}`, target: "_blank", textContent: part });
  });
}
