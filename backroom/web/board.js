// The picture on the table: it knows pieces by their ids and nothing of any game.

const SVG = "http://www.w3.org/2000/svg";
const NEAR = 26; // how far beside a piece, in pixels, a finger still means it
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Board {
  constructor(root) {
    this.root = root;
    this.lit = new Set();
    this.path = [];
    this.running = [];
    this.scale = 1;
    this.x = this.y = 0;
    this.take(root.dataset.z || "");
  }

  // Learn what is there, after the whole picture has come.
  take(heights) {
    this.svg = this.root.querySelector("svg");
    this.pieces = new Map();
    if (!this.svg) return;
    this.svg.setAttribute("role", "group");
    this.layer = this.svg.querySelector(".pieces");
    this.name = this.svg.dataset.name;
    const levels = heights.split(" ").filter(Boolean).flatMap((run) => {
      const [count, z] = run.split("x").map(Number);
      return Array(count).fill(z);
    });
    [...this.layer.children].forEach((g, at) => { g.z = levels[at] || 0; this.pieces.set(g.id, g); });
    for (const g of this.pieces.values()) this.shine(g, false);
    this.place();
  }

  whole(text, heights) {
    this.finish();
    const fresh = parsed(text);
    const old = this.root.querySelector("svg");
    if (old) old.replaceWith(fresh);
    else this.root.replaceChildren(fresh);
    this.take(heights);
  }

  // One beat: what is new or other, and what is gone. Resolves when everything has come to rest.
  async beat(patch, ms) {
    if (patch.svg) { this.whole(patch.svg, patch.z); return; }
    if (!this.layer) return;
    const lost = new Map();
    for (const id of patch.gone || []) {
      const g = this.pieces.get(id);
      if (!g) continue;
      this.pieces.delete(id);
      const kind = kindOf(g);
      if (!lost.has(kind)) lost.set(kind, []);
      lost.get(kind).push(g);
    }
    const moving = [];
    for (const row of patch.up || []) {
      const [id, z] = row;
      const g = this.piece(...row);
      const old = this.pieces.get(id);
      let from = old;
      if (!old) from = nearest(lost.get(kindOf(g)), g);
      g.z = z;
      if (old && old === document.activeElement) this.held = id;
      if (old && old.z === z) old.replaceWith(g);
      else { old?.remove(); this.insert(g); }
      this.pieces.set(id, g);
      moving.push([g, from && placeOf(from), placeOf(g), old && kindOf(old) !== kindOf(g)]);
    }
    for (const [id, over] of patch.under || []) this.layer.insertBefore(this.pieces.get(id), this.pieces.get(over) || null);
    const still = !ms || calm.matches || document.hidden;
    for (const left of lost.values()) for (const g of left) this.vanish(g, still ? 0 : ms);
    if (still) return;
    for (const [g, from, to, turned] of moving) {
      if (from && from !== to) this.run(g, [{ transform: from }, { transform: to }], ms);
      else if (!from) this.run(g, [{ opacity: 0, transform: `${to} scale(0.6)` }, { opacity: 1, transform: `${to} scale(1)` }], ms);
      else if (turned) this.run(g, [{ opacity: 0.2 }, { opacity: 1 }], ms);
    }
    await Promise.allSettled(this.running.map((motion) => motion.finished));
    this.running = [];
  }

  // A piece as the server's own printer makes it.
  piece(id, z, kind, x = 0, y = 0, turn = 0, label = "", face = "") {
    const name = `${this.name}-${kind}`;
    const g = drawn("g", { id, class: `piece ${kind}`, transform: `translate(${x} ${y})${turn ? ` rotate(${turn})` : ""}` });
    if (label) {
      g.setAttribute("aria-label", label);
      g.append(drawn("title"));
      g.firstChild.textContent = label;
    }
    g.append(drawn("use", { href: `#${name}` }));
    if (face) {
      const text = this.svg.getElementById(`${name}-face`)?.cloneNode() || drawn("text");
      text.removeAttribute("id");
      text.textContent = face;
      g.append(text);
    }
    return g;
  }

  insert(g) {
    const above = [...this.layer.children].find((other) => other.z > g.z);
    this.layer.insertBefore(g, above || null);
  }

  run(g, frames, ms) {
    this.running.push(g.animate(frames, { duration: ms, easing: "cubic-bezier(.3,.1,.2,1)" }));
  }

  vanish(g, ms) {
    if (!ms) { g.remove(); return; }
    g.removeAttribute("id");
    const motion = g.animate([{ opacity: 1 }, { opacity: 0 }], { duration: ms, fill: "forwards" });
    this.running.push(motion);
    motion.finished.finally(() => g.remove());
  }

  finish() {
    for (const motion of this.running) motion.finish();
  }

  // What can be touched next, and what was touched on the way there.
  light(lit, path, hint = []) {
    this.lit = new Set(lit);
    this.path = path;
    for (const [id, g] of this.pieces) {
      this.shine(g, this.lit.has(id));
      g.classList.toggle("path", path.includes(id));
      g.classList.toggle("hint", hint.includes(id));
    }
    if (this.held && this.lit.has(this.held)) this.pieces.get(this.held).focus({ preventScroll: true });
    this.held = null;
  }

  shine(g, on) {
    g.classList.toggle("lit", on);
    const use = g.querySelector(":scope > use");
    if (use) {
      const plain = use.getAttribute("href").slice(1).replace(/-lit$/, "");
      const bright = `${plain}-lit`;
      use.setAttribute("href", `#${on && this.svg.getElementById(bright) ? bright : plain}`);
    }
    if (on) {
      g.setAttribute("tabindex", "0");
      g.setAttribute("role", "button");
      if (!g.hasAttribute("aria-label")) g.setAttribute("aria-label", g.id.replaceAll("-", " "));
    } else {
      g.removeAttribute("tabindex");
      if (g.hasAttribute("aria-label")) g.setAttribute("role", "img");
      else g.removeAttribute("role");
    }
  }

  // The piece that a finger at this place means: one that it is on, or the nearest that is near enough.
  at(x, y, among = this.lit) {
    let best = null;
    let least = Infinity;
    for (const id of among) {
      const box = this.pieces.get(id)?.getBoundingClientRect();
      if (!box) continue;
      const out = Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
      if (out > NEAR) continue;
      const middle = Math.hypot((box.left + box.right) / 2 - x, (box.top + box.bottom) / 2 - y);
      const far = out * 1000 + middle;
      if (far < least) { least = far; best = id; }
    }
    return best;
  }

  // The piece that can be touched just here; with another one named, any piece at all but that one.
  on(x, y, besides = null) {
    for (const id of besides ? this.pieces.keys() : this.lit) {
      const box = this.pieces.get(id)?.getBoundingClientRect();
      if (id !== besides && box && x >= box.left && x <= box.right && y >= box.top && y <= box.bottom) return id;
    }
    return null;
  }

  // What is carried when this piece is dragged: what lies on it, or itself.
  carried(id) {
    const under = this.pieces.get(id);
    const box = under.getBoundingClientRect();
    let found = under;
    let most = 0;
    for (const g of this.pieces.values()) {
      if (g.z <= under.z || this.lit.has(g.id)) continue;
      const b = g.getBoundingClientRect();
      const x = (b.left + b.right) / 2, y = (b.top + b.bottom) / 2;
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
      const height = g.z * 1e6 + [...this.layer.children].indexOf(g);
      if (height > most) { most = height; found = g; }
    }
    return found;
  }

  // From the piece with the focus to the next lit one in a direction.
  step(from, dx, dy) {
    const here = middleOf(from);
    let best = null;
    let least = Infinity;
    for (const id of this.lit) {
      const g = this.pieces.get(id);
      if (!g || g === from) continue;
      const there = middleOf(g);
      const along = (there.x - here.x) * dx + (there.y - here.y) * dy;
      const beside = Math.abs((there.x - here.x) * dy) + Math.abs((there.y - here.y) * dx);
      if (along <= 1) continue;
      if (along + 2 * beside < least) { least = along + 2 * beside; best = g; }
    }
    best?.focus();
  }

  zoom(by, x = 0.5, y = 0.5) {
    const scale = by === 0 ? 1 : Math.min(5, Math.max(1, this.scale * by));
    const box = this.root.getBoundingClientRect();
    const cx = (x - 0.5) * box.width, cy = (y - 0.5) * box.height;
    this.x = cx - ((cx - this.x) * scale) / this.scale;
    this.y = cy - ((cy - this.y) * scale) / this.scale;
    this.scale = scale;
    this.place();
  }

  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.place();
  }

  place() {
    if (!this.svg) return;
    const box = this.root.getBoundingClientRect();
    const most = (this.scale - 1) / 2;
    this.x = Math.max(-most * box.width, Math.min(most * box.width, this.x));
    this.y = Math.max(-most * box.height, Math.min(most * box.height, this.y));
    this.svg.style.transform = this.scale === 1 ? "" : `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
    this.root.classList.toggle("zoomed", this.scale > 1);
  }
}

function parsed(text) {
  const found = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return document.importNode(found, true);
}

function drawn(tag, attributes = {}) {
  const found = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  return found;
}

const kindOf = (g) => g.classList[1] || "";

function placeOf(g) {
  const said = g.getAttribute("transform") || "";
  const [, x, y] = said.match(/translate\(([-\d.e]+) ([-\d.e]+)\)/) || [0, 0, 0];
  const [, turn] = said.match(/rotate\(([-\d.e]+)\)/) || [0, 0];
  return `translate(${x}px, ${y}px) rotate(${turn}deg)`;
}

function middleOf(g) {
  const box = g.getBoundingClientRect();
  return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
}

// Of the pieces that have gone, the one of the same kind that is likeliest to have become this one.
function nearest(gone, g) {
  if (!gone?.length) return null;
  const spot = (piece) => (piece.getAttribute("transform") || "").match(/[-\d.]+/g)?.map(Number) || [0, 0];
  const [x, y] = spot(g);
  const far = gone.map((piece) => { const [a, b] = spot(piece); return Math.hypot(a - x, b - y); });
  const at = far.indexOf(Math.min(...far));
  const [found] = gone.splice(at, 1);
  found.remove();
  return found;
}
