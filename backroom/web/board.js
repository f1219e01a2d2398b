// The picture on the table, in regions. It knows pieces by their ids, and nothing about any game.

import { afterPaint, drawn, whole } from "./words.js";

const NEAR = 26; // pixels beside a piece within which a touch still means it
const LEAST = 32; // pixels; a smaller piece is zoomed in on before it is played
const NARROW = 26; // pixels; the least width of a piece that is twice LEAST long
const GOOD = 44; // pixels; the size that a piece is zoomed to
const READABLE = 11; // pixels; smaller letters are zoomed in on by a touch
const MOST = 6; // the largest zoom
const AT_ONCE = 80; // pieces that are lit or dimmed in one frame
const MOST_TURNING = 30; // pieces that turn over at the same time; of more, each just shows its new face
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// One part of the picture with its own viewport: it can be zoomed and panned by itself.
class Region {
  constructor(element) {
    this.element = element;
    this.svg = element.querySelector("svg");
    this.layer = this.svg.querySelector(".pieces");
    this.scale = 1;
    this.x = this.y = 0;
  }

  // The size in pixels of its smallest letters.
  smallestText() {
    const unit = scaleOf(this.svg.getScreenCTM());
    let least = Infinity;
    const note = (text, by) => { if (text.textContent.trim() && by) least = Math.min(least, parseFloat(text.getAttribute("font-size") || getComputedStyle(text).fontSize) * by); };
    for (const text of this.svg.querySelectorAll("text")) note(text, text.getClientRects().length && scaleOf(text.getScreenCTM()));
    for (const name of new Set([...this.svg.querySelectorAll("use")].map((use) => use.getAttribute("href").slice(1)))) {
      for (const text of document.getElementById(name)?.querySelectorAll("text") || []) note(text, unit);
    }
    return least;
  }

  // The zoom at which it can be read; 1 if it can be read now, or is zoomed already.
  tooFine() {
    const size = this.smallestText();
    return this.scale > 1 || size >= READABLE - 0.5 ? 1 : Math.min(MOST, (READABLE + 1) / size);
  }

  zoom(by, x = 0.5, y = 0.5) {
    const scale = by === 0 ? 1 : Math.min(MOST, Math.max(1, this.scale * by));
    const box = this.element.getBoundingClientRect();
    const cx = (x - 0.5) * box.width, cy = (y - 0.5) * box.height;
    this.x = cx - ((cx - this.x) * scale) / this.scale;
    this.y = cy - ((cy - this.y) * scale) / this.scale;
    this.scale = scale < 1.02 ? 1 : scale;
    this.place();
  }

  // Zoom by this factor, with this point of the screen in the middle.
  zoomAt(by, clientX, clientY) {
    const before = this.element.getBoundingClientRect();
    this.zoom(by, (clientX - before.left) / before.width, (clientY - before.top) / before.height);
  }

  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.place();
  }

  place() {
    const box = this.element.getBoundingClientRect();
    const most = (this.scale - 1) / 2;
    this.x = Math.max(-most * box.width, Math.min(most * box.width, this.x));
    this.y = Math.max(-most * box.height, Math.min(most * box.height, this.y));
    this.svg.style.transform = this.scale === 1 ? "" : `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
    this.element.classList.toggle("zoomed", this.scale > 1);
  }
}

export class Board {
  constructor(root) {
    this.root = root;
    this.lit = new Set();
    this.path = [];
    this.running = [];
    this.fresh = new Set(); // pieces that have moved since the player's own last move
    this.past = []; // where the pieces in `fresh` came from, beat by beat
    this.take();
  }

  // Index the pieces, after the whole picture has arrived.
  take() {
    this.pieces = new Map();
    this.todo = new Set(); // pieces that are still to be lit or dimmed
    this.renewed = new Set(); // pieces made since they were last lit
    this.marked = { lit: new Set(), path: new Set(), hint: new Set() }; // the ids that are lit
    this.regions = [...this.root.querySelectorAll("[data-region]")]
      .sort((a, b) => a.dataset.region - b.dataset.region)
      .map((element) => new Region(element));
    this.kinds = new Map([...(this.root.querySelector(".kinds")?.content.querySelectorAll(".piece") || [])].map((g) => [kindOf(g), g]));
    for (const region of this.regions) for (const g of region.layer.children) this.own(g, region);
    for (const g of this.pieces.values()) this.shine(g, false);
  }

  whole(html) {
    this.finish();
    if (this.root.contains(document.activeElement)) this.hasLostFocus = true;
    const fresh = new DOMParser().parseFromString(html, "text/html").body;
    this.root.replaceChildren(...[...fresh.children].map((child) => document.importNode(child, true)));
    this.take();
  }

  own(g, region) {
    g.region = region;
    g.z = Number(g.dataset.z || 0);
    this.pieces.set(g.id, g);
  }

  regionUnder(x, y) {
    return this.regions.find(({ element }) => isIn(element.getBoundingClientRect(), x, y));
  }

  // Whether a beat changes only pieces that this screen has no room for, none of them on the board.
  isUnseen(patch) {
    const changed = this.rows(patch).map(({ region }) => region.element);
    return changed.some((region) => !region.getClientRects().length) && !changed.some((region) => region.closest(".role.board"));
  }

  // One beat: pieces that are new or changed, and pieces that are gone. Resolves when everything has come to rest.
  async beat(patch, ms) {
    if (patch.picture) { this.whole(patch.picture); return; }
    if (!this.regions.length) return;
    const still = !ms || calm.matches || document.hidden;
    const lost = new Map();
    for (const id of patch.gone || []) {
      const g = this.pieces.get(id);
      if (!g) continue;
      if (g === document.activeElement) this.hasLostFocus = true;
      this.pieces.delete(id);
      const kind = kindOf(g);
      if (!lost.has(kind)) lost.set(kind, []);
      lost.get(kind).push(g);
    }
    // Measure everything before changing anything: a measurement after a change forces the browser to lay out the page.
    const rows = this.rows(patch).map(({ row, isPut, region }) => {
      const g = this.piece(row);
      const old = this.pieces.get(g.id);
      const from = old || nearest(lost.get(kindOf(g)), g);
      return { g, old, from, isPut, region, start: from && !still && from.region !== region ? from.getBoundingClientRect() : null };
    });
    for (const { g, old, from, isPut, region } of rows) {
      if (old && old === document.activeElement) { this.held = g.id; this.hasLostFocus = true; }
      if (isPut) from?.remove();
      else old.replaceWith(g);
      this.own(g, region);
      this.renewed.add(g.id);
    }
    for (const [id, region, above] of patch.put || []) this.regions[region].layer.insertBefore(this.pieces.get(id), this.pieces.get(above) || null);
    const moving = rows.map(({ g, old, from, start }) => [g, from && placeOf(from), placeOf(g), old && kindOf(old) !== kindOf(g) ? old : null, start]);
    const seen = moving.filter(([g, from, to, , start]) => (start || from !== to) && isThing(g));
    for (const [g] of seen) this.mark(g);
    if (seen.length) this.past.push(seen.map(([g, from, to]) => [g.id, from || `${to} scale(0.6)`]));
    for (const left of lost.values()) for (const g of left) this.vanish(g, still ? 0 : ms);
    if (still) return;
    this.hear?.(soundOf(moving, seen));
    const isTurning = moving.filter(([, , , turned]) => turned).length <= MOST_TURNING;
    const flights = new Map(moving.filter(([, , , , start]) => start).map(([g, , , , start]) => [g, this.flight(g, start, ms)]));
    for (const [g, from, to, turned, start] of moving) {
      if (isDie(g) && (turned || !from)) this.roll(g, to, ms);
      else if (start) flights.get(g)();
      else if (from && from !== to) this.run(g, [{ transform: from }, { transform: to }], ms);
      else if (!from) this.run(g, [{ opacity: 0, transform: `${to} scale(0.6)` }, { opacity: 1, transform: `${to} scale(1)` }], ms);
      else if (turned && isTurning) this.turn(g, turned, to, ms);
    }
    await Promise.allSettled(this.running.map((motion) => motion.finished));
    this.running = [];
  }

  // A die tumbles to its place.
  roll(g, to, ms) {
    const frames = [{ transform: `${to} translate(-70px, -40px) rotate(-540deg) scale(1.3)`, opacity: 0.4 }, { transform: `${to} translate(6px, 4px) rotate(30deg)`, opacity: 1, offset: 0.75 }, { transform: to }];
    this.run(g, frames, 2 * ms);
  }

  // A piece that shows another face turns over: first the old face goes, then the new one comes.
  turn(g, old, to, ms) {
    old.removeAttribute("id");
    g.after(old);
    const half = { duration: ms / 2, easing: "ease-in", fill: "forwards" };
    const going = old.animate([{ transform: `${to} scale(1, 1)` }, { transform: `${to} scale(0, 1)` }], half);
    going.finished.finally(() => old.remove());
    this.running.push(going);
    this.run(g, [{ transform: `${to} scale(0, 1)`, opacity: 0 }, { transform: `${to} scale(0, 1)`, opacity: 0, offset: 0.5 }, { transform: `${to} scale(0, 1)`, opacity: 1, offset: 0.51 }, { transform: `${to} scale(1, 1)`, opacity: 1 }], ms);
  }

  // A pause to look at a picture; a touch ends it.
  async hold(ms) {
    if (!ms || calm.matches || document.hidden) return;
    const motion = this.root.animate([{ opacity: 1 }, { opacity: 1 }], { duration: ms });
    this.running.push(motion);
    await Promise.allSettled([motion.finished]);
    this.running = [];
  }

  // What moves stays marked until the player moves; pieces that are only text do not count.
  mark(g) {
    this.fresh.add(g.id);
    g.classList.add("fresh");
  }

  forget() {
    for (const id of this.fresh) this.pieces.get(id)?.classList.remove("fresh");
    this.fresh.clear();
    this.past = [];
  }

  // Show again what has moved since the player's own last move, one thing after the other, from where it was to where
  // it is.
  async recall() {
    this.finish();
    for (const beat of [...this.past]) {
      for (const [id, from] of beat) {
        const g = this.pieces.get(id);
        if (!g) continue;
        if (calm.matches) g.animate([{ opacity: 1 }, { opacity: 0.15 }, { opacity: 1 }], { duration: 900 });
        else this.run(g, [{ transform: from }, { transform: placeOf(g) }], 420);
      }
      await Promise.allSettled(this.running.map((motion) => motion.finished));
      this.running = [];
    }
  }

  // The pieces that a patch draws, and the region of each. A row of two only changes the kind.
  rows({ up = [], kinds = {}, put = [] }) {
    const places = new Map(put);
    const turned = Object.entries(kinds).flatMap(([kind, ids]) => whole(ids).map((id) => [id, kind]));
    return [...up, ...turned].map((row) => {
      const place = places.get(row[0]);
      return { row, isPut: place !== undefined, region: place === undefined ? this.pieces.get(row[0]).region : this.regions[place] };
    });
  }

  // A piece: a copy of the one that the server has drawn of its kind, filled in.
  piece([id, kind, ...rest]) {
    const [place, z = 0, label = "", face = ""] = rest.length ? rest : filledIn(this.pieces.get(id));
    const g = this.kinds.get(kind).cloneNode(true);
    g.id = id;
    g.setAttribute("transform", place);
    if (z) g.dataset.z = z; else delete g.dataset.z;
    const title = childOf(g, "title");
    title.textContent = label;
    if (label) g.setAttribute("aria-label", label);
    else { g.removeAttribute("aria-label"); title.remove(); }
    for (const text of g.querySelectorAll(":scope > text")) {
      text.textContent = face;
      if (!face) text.remove();
    }
    if (this.fresh.has(id)) g.classList.add("fresh");
    return g;
  }

  run(g, frames, ms) {
    this.running.push(g.animate(frames, { duration: ms, easing: "cubic-bezier(.3,.1,.2,1)" }));
  }

  // From one region to another: a copy flies over the page, and the piece itself appears when it has landed. Starting
  // it changes the page, so everything is measured before.
  flight(g, start, ms) {
    const end = g.getBoundingClientRect();
    const ghost = this.copy(g, end);
    const from = `translate(${start.left + start.width / 2}px, ${start.top + start.height / 2}px) scale(${Math.max(0.1, start.width / Math.max(1, end.width))})`;
    const to = `translate(${end.left + end.width / 2}px, ${end.top + end.height / 2}px) scale(1)`;
    return () => {
      document.body.append(ghost);
      const motion = ghost.animate([{ transform: from }, { transform: to }], { duration: ms, easing: "cubic-bezier(.3,.1,.2,1)" });
      this.running.push(motion, g.animate([{ opacity: 0 }, { opacity: 0 }], { duration: ms }));
      motion.finished.finally(() => ghost.remove());
    };
  }

  // A copy of a piece as it is seen, to be carried over the page.
  copy(source, box = source.getBoundingClientRect()) {
    const unit = source.region.svg.getScreenCTM().a;
    const ghost = drawn("svg", { class: "ghost", viewBox: `${-box.width / 2 / unit} ${-box.height / 2 / unit} ${box.width / unit} ${box.height / unit}` });
    const clone = source.cloneNode(true);
    clone.removeAttribute("id");
    const inner = source.getBBox();
    const turned = (source.getAttribute("transform") || "").match(/rotate\([^)]*\)/)?.[0] || "";
    clone.setAttribute("transform", `${turned} translate(${-inner.x - inner.width / 2} ${-inner.y - inner.height / 2})`);
    ghost.style.width = `${box.width}px`;
    ghost.style.height = `${box.height}px`;
    ghost.style.margin = `${-box.height / 2}px 0 0 ${-box.width / 2}px`;
    ghost.style.fontFamily = source.region.svg.getAttribute("font-family");
    ghost.append(clone);
    return ghost;
  }

  vanish(g, ms) {
    if (!ms) { g.remove(); return; }
    g.removeAttribute("id");
    const motion = g.animate([{ opacity: 1 }, { opacity: 0 }], { duration: ms, fill: "forwards" });
    this.running.push(motion);
    motion.finished.finally(() => g.remove());
  }

  finish(motions = this.running) {
    for (const motion of motions) motion.finish();
  }

  // Light what can be touched next, and what was touched on the way there.
  light(lit, path, hint = []) {
    const before = this.marked;
    const now = this.marked = { lit: new Set(lit), path: new Set(path), hint: new Set(hint) };
    this.lit = now.lit;
    this.path = path;
    // Only what changes is visited: a phone has no time for all pieces at every touch. Pieces that have or may get the
    // focus come first; of very many, the rest comes after the next frame.
    const last = [...this.todo, ...this.renewed, ...before.lit, ...before.path, ...before.hint];
    this.renewed.clear();
    this.todo = new Set([document.activeElement?.id, ...now.path, ...now.hint, ...now.lit, ...last]);
    this.work();
    if (this.held && this.lit.has(this.held)) this.pieces.get(this.held).focus({ preventScroll: true });
    this.held = null;
  }

  work() {
    const { lit, path, hint } = this.marked;
    let changed = 0;
    for (const id of this.todo) {
      if (changed > AT_ONCE) { if (!this.isDue) { this.isDue = true; afterPaint(() => { this.isDue = false; this.work(); }); } return; }
      this.todo.delete(id);
      const g = this.pieces.get(id);
      if (!g) continue;
      if (g.isLit !== lit.has(id)) { this.shine(g, lit.has(id)); changed++; }
      g.classList.toggle("path", path.has(id));
      g.classList.toggle("hint", hint.has(id));
    }
  }

  // What is touched is marked at once; what follows from it may come later.
  press(id) {
    this.pieces.get(id)?.classList.add("path");
    this.renewed.add(id);
  }

  shine(g, on) {
    g.isLit = on;
    g.classList.toggle("lit", on);
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

  // The piece that a touch at this place means: one under the finger, or the nearest that is near enough.
  at(x, y, among = this.lit) {
    let best = null;
    let least = Infinity;
    const region = this.regionUnder(x, y);
    for (const id of among) {
      const g = this.pieces.get(id);
      if (!g || (region && g.region !== region)) continue;
      const box = g.getBoundingClientRect();
      const out = Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
      if (out > NEAR) continue;
      const middle = Math.hypot((box.left + box.right) / 2 - x, (box.top + box.bottom) / 2 - y);
      const far = out * 1000 + middle;
      if (far < least) { least = far; best = id; }
    }
    return best;
  }

  // The zoom at which a finger can hit a piece reliably; 1 if it is large enough now.
  tooSmall(id) {
    const g = this.pieces.get(id);
    const box = g.getBoundingClientRect();
    const [size, length] = [box.width, box.height].sort((a, b) => a - b);
    const isLarge = size >= LEAST - 0.5 || (size >= NARROW && length >= 2 * LEAST);
    return isLarge || g.region.scale > 1 ? 1 : Math.max(1.5, Math.min(MOST, GOOD / Math.max(1, size)));
  }

  // The piece at this place that can be touched; with `besides`, any piece but that one.
  on(x, y, besides = null) {
    for (const id of besides ? this.pieces.keys() : this.lit) {
      const box = this.pieces.get(id)?.getBoundingClientRect();
      if (id !== besides && box && isIn(box, x, y)) return id;
    }
    return null;
  }

  // The topmost piece under the finger that has a label.
  named(x, y) {
    let best = null;
    for (const g of this.pieces.values()) {
      if (g.hasAttribute("aria-label") && isIn(g.getBoundingClientRect(), x, y) && (!best || g.z >= best.z)) best = g;
    }
    return best;
  }

  // The ids of all pieces under the finger, the topmost first.
  under(x, y) {
    return [...this.pieces.values()].filter((g) => isIn(g.getBoundingClientRect(), x, y)).reverse().map((g) => g.id).slice(0, 12);
  }

  // The piece that is carried when this one is dragged: what lies on it, or itself.
  carried(id) {
    const under = this.pieces.get(id);
    const box = under.getBoundingClientRect();
    let found = under;
    let most = 0;
    for (const g of this.pieces.values()) {
      if (g.region !== under.region || g.z <= under.z || this.lit.has(g.id) || !isThing(g)) continue;
      const b = g.getBoundingClientRect();
      const x = (b.left + b.right) / 2, y = (b.top + b.bottom) / 2;
      if (!isIn(box, x, y)) continue;
      const height = g.z * 1e6 + [...g.region.layer.children].indexOf(g);
      if (height > most) { most = height; found = g; }
    }
    return found;
  }

  // Move the focus from its piece to the next lit one in this direction, or to the next of all that have a label.
  step(from, dx, dy, isAnyPiece) {
    const here = middleOf(from);
    let best = null;
    let least = Infinity;
    for (const id of isAnyPiece ? this.pieces.keys() : this.lit) {
      const g = this.pieces.get(id);
      if (!g || g === from || (isAnyPiece && !g.hasAttribute("aria-label"))) continue;
      const there = middleOf(g);
      const along = (there.x - here.x) * dx + (there.y - here.y) * dy;
      const beside = Math.abs((there.x - here.x) * dy) + Math.abs((there.y - here.y) * dx);
      if (along <= 1) continue;
      if (along + 2 * beside < least) { least = along + 2 * beside; best = g; }
    }
    if (best && !this.lit.has(best.id)) best.setAttribute("tabindex", "-1");
    best?.focus();
  }

  // The ids of all pieces under the middle of one, as if a finger were there.
  underMiddle(g) {
    const { x, y } = middleOf(g);
    return this.under(x, y);
  }

  // Reset the zoom of all regions, or zoom the first one in or out.
  zoom(by) {
    if (by === 0) for (const region of this.regions) region.zoom(0);
    else this.regions[0]?.zoom(by);
  }
}

const scaleOf = ({ a, b }) => Math.hypot(a, b);

const isIn = (box, x, y) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;

function childOf(g, tag) {
  let child = g.firstElementChild;
  while (child && child.localName !== tag) child = child.nextElementSibling;
  return child;
}

// The sound of these pieces moving: dice roll, what turns over or goes from a hand to the table is a card, the rest is
// wood.
function soundOf(moving, seen) {
  if (moving.some(([g, from, , turned]) => isDie(g) && (turned || !from))) return "dice";
  if (moving.some(([g, , , turned, start]) => (turned || start) && isThing(g))) return "card";
  return seen.length ? "wood" : "";
}

// Whether a piece is more than text: its shape has content.
const isThing = (g) => document.getElementById(childOf(g, "use")?.getAttribute("href").slice(1))?.childElementCount > 0;

// The kinds of dice are called so in every game; a used die has another kind.
const isDie = (g) => /^die-\d$/.test(kindOf(g));

const kindOf = (g) => g.classList[1] || "";

// What a piece has besides its kind: place, height, label and text, as in a row of a patch.
const filledIn = (g) => [g.getAttribute("transform"), g.dataset.z, g.getAttribute("aria-label") || "", childOf(g, "text")?.textContent];

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

// Of the pieces that are gone, the one of the same kind that most likely became this one.
function nearest(gone, g) {
  if (!gone?.length) return null;
  const spot = (piece) => (piece.getAttribute("transform") || "").match(/[-\d.]+/g)?.map(Number) || [0, 0];
  const [x, y] = spot(g);
  const far = gone.map((piece) => { const [a, b] = spot(piece); return Math.hypot(a - x, b - y); });
  return gone.splice(far.indexOf(Math.min(...far)), 1)[0];
}
