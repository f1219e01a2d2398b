// The replay of a game, step by step, from any seat's view.

import { Board } from "./board.js";
import { drawn, make, percent, said } from "./words.js";

const root = document.querySelector("[data-replay]");
const range = root.querySelector("input[data-at]");
const { table } = root.dataset;
const board = new Board(root.querySelector("[data-board]"));
const last = Number(root.dataset.last);
let reader = root.dataset.reader;
let at = Number(root.dataset.at);
let wanted = at;
let isBusy = false;
let analysis = null;

async function go(to) {
  wanted = Math.max(0, Math.min(last, to));
  range.value = wanted;
  if (isBusy) return;
  isBusy = true;
  while (wanted !== at) {
    const next = wanted;
    const found = await (await fetch(`/tables/${table}/scene?at=${next}&reader=${reader}`)).json();
    const before = Math.abs(next - at) === 1 && !calm.matches ? places() : null;
    at = next;
    board.whole(found.picture);
    if (before) slide(before);
    root.querySelector("[data-say]").replaceChildren(...said("The beginning.", found.say));
    root.querySelector("[data-number]").textContent = at;
    const here = `?at=${at}&reader=${reader}`;
    for (const way of root.querySelectorAll("[data-moment]")) way.href = way.href.replace(/\?.*/, here);
    history.replaceState(null, "", here);
    showWorth();
    showPlace();
  }
  isBusy = false;
}

// Pieces that have moved slide to their new place.
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const SLIDE = 260; // milliseconds
function places() {
  return new Map([...board.pieces].map(([id, g]) => [id, { kind: g.classList[1], box: g.getBoundingClientRect() }]));
}
function slide(before) {
  const gone = [...before].filter(([id]) => !board.pieces.has(id)).map(([, was]) => was);
  for (const [id, g] of board.pieces) {
    const now = g.getBoundingClientRect();
    const was = (before.get(id) || becomes(gone, g.classList[1], now))?.box;
    if (!was) continue;
    const unit = g.ownerSVGElement.getScreenCTM().a;
    const [dx, dy] = [(was.x - now.x) / unit, (was.y - now.y) / unit];
    if (Math.hypot(dx, dy) > 1) g.animate([{ translate: `${dx}px ${dy}px` }, { translate: "0 0" }], { duration: SLIDE, easing: "ease-out" });
  }
}

// One of several identical pieces goes and another comes: the nearest that has gone is taken to have come here.
function becomes(gone, kind, { x, y }) {
  const far = ({ box }) => Math.hypot(box.x - x, box.y - y);
  const found = gone.filter((each) => each.kind === kind).sort((a, b) => far(a) - far(b))[0];
  if (found) gone.splice(gone.indexOf(found), 1);
  return found;
}

// Steps of a deal are passed over, except the last, which tells of it.
const quiet = new Set(root.dataset.quiet.split(" ").map(Number));
function beside(by) {
  let to = wanted + by;
  while (to > 0 && to < last && quiet.has(to)) to += by;
  return to;
}
const steps = { first: () => 0, back: () => beside(-1), on: () => beside(1), last: () => last };
root.addEventListener("click", (event) => {
  const step = event.target.closest("[data-go]")?.dataset.go;
  if (step) { event.preventDefault(); play(false); go(steps[step]()); }
});

// The current step in the list of moves, always in view.
const list = root.querySelector("[data-turns]");
const listed = [...list.querySelectorAll("[data-to]")];
function showPlace() {
  const here = listed.findLast((step) => Number(step.dataset.to) <= at);
  for (const step of listed) step.toggleAttribute("aria-current", step === here);
  here?.setAttribute("aria-current", "step");
  const top = here ? here.offsetTop : 0;
  if (top < list.scrollTop || top + 40 > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
  root.querySelector("[data-curve] .now")?.setAttribute("d", `M${place(at)} 0V160`);
}
list.addEventListener("click", (event) => {
  const step = event.target.closest("[data-to]");
  if (step) { event.preventDefault(); lookAt(Number(step.dataset.to)); }
});

// Go to another step with the board in view: on a phone it is above the list.
function lookAt(step) {
  go(step);
  board.root.scrollIntoView({ block: "nearest" });
}

// Play automatically, one step after the other, until the end or until somebody steps by hand.
const EVERY = 900;
const button = root.querySelector("[data-play]");
let playing = 0;
function play(isOn) {
  clearInterval(playing);
  playing = isOn ? setInterval(() => (at >= last ? play(false) : go(steps.on())), EVERY) : 0;
  button.textContent = isOn ? "\u23f8" : "\u25b6";
  button.setAttribute("aria-pressed", String(isOn));
}
button.addEventListener("click", () => {
  if (!playing && at >= last) go(0);
  play(!playing);
});

const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
  if (event.key in keys) { event.preventDefault(); play(false); go(steps[keys[event.key]]()); }
  if (event.key === " " && !event.target.closest("a, button")) { event.preventDefault(); button.click(); }
});

range.addEventListener("input", () => go(Number(range.value)));
root.querySelector("[data-reader-choice]").addEventListener("change", (event) => {
  location.href = `?at=${at}&reader=${event.target.value}`;
});

// The analysis

const LEAST = Number(root.dataset.least); // errors below this are not mentioned
const signed = (part) => `${part < 0 ? "\u2212" : "+"}${Math.abs(part).toFixed(2)}`;
const named = ({ label, worth }) => `${label} ${percent(worth)}`;

function inWords(one) {
  const others = one.considered.filter(({ move }) => move !== one.played).slice(0, 3).map(named);
  const cost = one.error < LEAST ? "nothing is better" : `\u2212${percent(one.error)}`;
  const rest = others.length ? ` Others: ${others.join(", ")}.` : "";
  return `${named(one)}, ${cost}.${rest}`;
}

// The decisions in the lines that lead to a step, after the step before it.
function chosenAt(step) {
  const [after, until] = [analysis.lines[step - 2] || 0, analysis.lines[step - 1] || 0];
  return analysis.decisions.filter(({ line }) => line > after && line <= until);
}

function showWorth() {
  if (!analysis) return;
  const chosen = chosenAt(at);
  const [after, until] = [analysis.lines[at - 2] || 0, analysis.lines[at - 1] || 0];
  const lucky = analysis.chances.filter(({ line }) => line > after && line <= until).flatMap(({ luck }) => Object.entries(luck));
  const costly = chosen.filter((one) => one.error >= LEAST);
  const words = (costly.length ? costly : chosen.slice(-1)).map(inWords);
  if (lucky.length) words.push(`Luck: ${lucky.map(([seat, luck]) => `${analysis.names[seat]} ${signed(luck)}`).join(", ")}.`);
  const next = at < last && chosenAt(at + 1).find((one) => one.error >= LEAST);
  if (next) words.push(`Next: ${analysis.names[next.seat]} plays \u201c${next.label}\u201d; better is \u201c${next.considered[0].label}\u201d.`);
  root.querySelector("[data-worth]").replaceChildren(...words.map((word) => make("span", { textContent: word })));
  drawWays(next);
}

// On the board, before a choice that cost something: one arrow for the better move, and one for the move played.
function drawWays(one) {
  root.querySelector(".ways")?.remove();
  if (!one) return;
  const frame = board.root.getBoundingClientRect();
  const picture = drawn("svg", { class: "ways", viewBox: `0 0 ${frame.width} ${frame.height}`, "aria-hidden": "true" });
  const best = one.considered[0].move;
  for (const [kind, move] of [["played", one.played], ["better", best]]) {
    const spots = (one.touches[move] || []).map((id) => board.pieces.get(id)?.getBoundingClientRect()).filter(Boolean)
      .map((box) => [box.x + box.width / 2 - frame.x, box.y + box.height / 2 - frame.y]);
    picture.append(...way(kind, spots));
  }
  board.root.append(picture);
}

// A ring around a single piece; an arrow from the first to the last of several.
function way(kind, spots) {
  if (!spots.length) return [];
  const [[x, y], [toX, toY]] = [spots[0], spots.at(-1)];
  const length = Math.hypot(toX - x, toY - y);
  if (length < 12) return [drawn("circle", { class: kind, cx: toX, cy: toY, r: 20 })];
  const [ux, uy] = [(toX - x) / length, (toY - y) / length];
  const head = [[toX, toY], [toX - 18 * ux + 9 * uy, toY - 18 * uy - 9 * ux], [toX - 18 * ux - 9 * uy, toY - 18 * uy + 9 * ux]];
  return [
    drawn("path", { class: kind, d: `M${x} ${y}L${toX - 12 * ux} ${toY - 12 * uy}` }),
    drawn("polygon", { class: kind, points: head.map((point) => point.join(",")).join(" ") }),
  ];
}
new ResizeObserver(() => { if (analysis) showWorth(); }).observe(board.root);

// The step that a choice leads to.
function stepOf({ line }) {
  const place = analysis.lines.findIndex((noticed) => noticed >= line);
  return place < 0 ? last : place + 1;
}

function worstOf(seat) {
  const mine = analysis.decisions.filter((one) => one.seat === seat && one.error >= LEAST);
  return mine.sort((a, b) => b.error - a.error).slice(0, 5).map((one) => {
    const found = make("button", { type: "button", textContent: `${one.label} \u2212${percent(one.error)}` });
    found.addEventListener("click", () => lookAt(stepOf(one) - 1)); // before the choice
    return found;
  });
}

// Each seat unfolds to its costliest choices; the seat with the largest total is open.
function showAnalysis() {
  const open = new Set([...root.querySelectorAll("[data-analysis] details[open]")].map((each) => each.dataset.seat));
  const most = Math.max(...analysis.seats.map(({ error }) => error));
  const seats = analysis.seats.map(({ seat, decisions, error, luck }) => {
    const lucky = analysis.chances.length ? `; luck ${signed(luck)}` : "";
    const words = `: ${decisions} decisions cost ${error.toFixed(2)} of a win${lucky}`;
    const found = make("details", { open: open.size ? open.has(String(seat)) : error === most && error >= LEAST }, make("summary", {}, make("b", { textContent: analysis.names[seat] }), words), make("p", { className: "worst" }, ...worstOf(seat)));
    found.dataset.seat = seat;
    return found;
  });
  root.querySelector("[data-analysis]").replaceChildren(...seats);
  showWorth();
}

// Mark each choice in the list that cost something: at the sentence that tells of it, which comes after its last part.
function markErrors(decisions) {
  for (const one of decisions.filter(({ error }) => error >= LEAST)) {
    const after = listed.filter((each) => Number(each.dataset.to) >= stepOf(one));
    const step = after.find((each) => [undefined, String(one.seat)].includes(each.closest("li").dataset.seat)) || after[0];
    step?.append(make("span", { className: "cost", textContent: `\u2212${percent(one.error)}` }));
  }
}

// The chances of winning: for two seats that of the first, since the other has the rest; otherwise a line for each.
const place = (number) => (1000 * number) / Math.max(1, last);
function showCurve() {
  const figure = root.querySelector("[data-curve]");
  const height = (worth) => 156 - 152 * Math.max(0, Math.min(1, worth));
  const isDuel = analysis.seats.length === 2;
  const lines = (isDuel ? [0] : analysis.seats.map(({ seat }) => seat)).map((seat) => analysis.decisions
    .filter((one) => isDuel || one.seat === seat)
    .map((one) => `${place(stepOf(one))},${height(one.seat === seat ? one.worth : 1 - one.worth)}`));
  const picture = figure.querySelector("svg");
  picture.replaceChildren(
    drawn("path", { class: "half", d: "M0 80H1000" }),
    ...lines.map((points, seat) => drawn("polyline", { class: `line-${seat}`, points: points.join(" ") })),
    drawn("path", { class: "now", d: `M${place(at)} 0V160` }),
  );
  figure.querySelector("figcaption").replaceChildren(...lines.map((_, seat) => {
    const sample = drawn("svg", { viewBox: "0 0 30 10", "aria-hidden": "true" });
    sample.append(drawn("polyline", { class: `line-${seat}`, points: "0,5 30,5" }));
    return make("span", {}, sample, `${analysis.names[seat]}\u2019s chance of winning`);
  }));
  figure.hidden = false;
}
root.querySelector("[data-curve] svg").addEventListener("click", (event) => {
  const box = event.currentTarget.getBoundingClientRect();
  go(Math.round((last * (event.clientX - box.left)) / box.width));
});

// The analysis is shown as it arrives: each response has what is newer than the one before.
async function analyse() {
  const button = root.querySelector("[data-analyse]");
  const words = root.querySelector("[data-progress]");
  button.disabled = true;
  for (let after = 0; ;) {
    const answer = await fetch(`/tables/${table}/analysis?reader=${reader}&after=${after}`);
    const found = await answer.json();
    if (!answer.ok) { words.textContent = found.why; button.disabled = false; return; }
    const [decisions, chances] = [found.decisions, found.chances];
    analysis = { ...found, decisions: [...(analysis?.decisions || []), ...decisions], chances: [...(analysis?.chances || []), ...chances] };
    after = found.done;
    showAnalysis();
    markErrors(decisions);
    if (analysis.decisions.length) showCurve();
    const isOver = found.wrong || (found.of && found.done >= found.of);
    words.textContent = found.wrong || (isOver ? "" : found.of ? `Looked at ${found.done} of ${found.of} moves\u2026` : "Waiting for its turn\u2026");
    if (isOver) { button.hidden = true; return; }
  }
}
root.querySelector("[data-analyse]")?.addEventListener("click", analyse);
if (board.root.hasAttribute("data-analysed")) analyse();

showPlace();
document.documentElement.dataset.ready = "yes";
