// Making elements, and sentences whose § lead to the rulebook. Nothing that people write is ever markup.

export function make(tag, properties = {}, ...children) {
  const found = Object.assign(document.createElement(tag), properties);
  found.append(...children);
  return found;
}

// New children where something has changed; the others stay, with their focus and under their finger.
const madeAs = new WeakMap();
export function renew(parent, children) {
  children.forEach((child, place) => {
    madeAs.set(child, child.outerHTML);
    const was = parent.children[place];
    if (!was) parent.append(child);
    else if (madeAs.get(was) !== madeAs.get(child)) was.replaceWith(child);
  });
  while (parent.children.length > children.length) parent.lastElementChild.remove();
}

// A part of the win.
export const percent = (worth) => `${(100 * worth).toFixed(1)}\u202f%`;

export function linked(text, game) {
  return text.split(/(§\d+(?:\.\d+)?)/).filter(Boolean).map((part) => {
    if (!/^§\d/.test(part)) return part;
    return make("a", { href: `/rules/${game}#s${part.slice(1)}`, target: "_blank", textContent: part });
  });
}
