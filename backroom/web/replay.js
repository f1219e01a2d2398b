// Looking at a game again, step by step, through anybody's eyes.

import { Board } from "./board.js";
import { linked, make, percent } from "./words.js";

const root = document.querySelector("[data-replay]");
const range = root.querySelector("input[data-at]");
const { table, game } = root.dataset;
const board = new Board(root.querySelector("[data-board]"));
const last = Number(root.dataset.last);
let eyes = root.dataset.eyes;
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
    const found = await (await fetch(`/tables/${table}/scene?at=${next}&eyes=${eyes}`)).json();
    at = next;
    board.whole(found.stage, "");
    root.querySelector("[data-say]").replaceChildren(...linked(found.say.length ? found.say : "The beginning.", game));
    root.querySelector("[data-number]").textContent = at;
    const here = `?at=${at}&eyes=${eyes}`;
    root.querySelector("[data-picture]").href = `/tables/${table}/picture.svg${here}`;
    history.replaceState(null, "", here);
    showWorth();
    showPlace();
  }
  isBusy = false;
}

const steps = { first: () => 0, back: () => wanted - 1, on: () => wanted + 1, last: () => last };
root.addEventListener("click", (event) => {
  const step = event.target.closest("[data-go]")?.dataset.go;
  if (step) { event.preventDefault(); play(false); go(steps[step]()); }
});

// The step in the list of moves that is shown, always in sight.
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
  if (step) { event.preventDefault(); go(Number(step.dataset.to)); }
});

// By itself, one step after the other, until the end or until somebody else steps.
const EVERY = 900;
const button = root.querySelector("[data-play]");
let playing = 0;
function play(isOn) {
  clearInterval(playing);
  playing = isOn ? setInterval(() => (at >= last ? play(false) : go(at + 1)), EVERY) : 0;
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
root.querySelector("[data-eyes-choice]").addEventListener("change", (event) => {
  location.href = `?at=${at}&eyes=${event.target.value}`;
});

// What the moves were worth

const LEAST = 0.002; // what costs less is not worth a word
const signed = (part) => `${part < 0 ? "\u2212" : "+"}${Math.abs(part).toFixed(2)}`;
const named = ({ label, worth }) => `${label} ${percent(worth)}`;

function inWords(one) {
  const others = one.considered.filter(({ move }) => move !== one.played).slice(0, 3).map(named);
  const cost = one.error < LEAST ? "nothing is better" : `\u2212${percent(one.error)}`;
  const rest = others.length ? ` Others: ${others.join(", ")}.` : "";
  return `${named(one)}, ${cost}.${rest}`;
}

// Of the lines since the one before that these eyes noticed.
function showWorth() {
  if (!analysis) return;
  const [after, until] = [analysis.lines[at - 2] || 0, analysis.lines[at - 1] || 0];
  const isHere = ({ line }) => line > after && line <= until;
  const chosen = analysis.decisions.filter(isHere);
  const lucky = analysis.chances.filter(isHere).flatMap(({ luck }) => Object.entries(luck));
  const costly = chosen.filter((one) => one.error >= LEAST);
  const words = (costly.length ? costly : chosen.slice(-1)).map(inWords);
  if (lucky.length) words.push(`Luck: ${lucky.map(([seat, luck]) => `${analysis.names[seat]} ${signed(luck)}`).join(", ")}.`);
  root.querySelector("[data-worth]").replaceChildren(...words.map((word) => make("span", { textContent: word })));
}

function worstOf(seat) {
  const mine = analysis.decisions.filter((one) => one.seat === seat && one.error >= LEAST);
  return mine.sort((a, b) => b.error - a.error).slice(0, 5).map((one) => {
    const found = make("button", { type: "button", textContent: `${one.label} \u2212${percent(one.error)}` });
    const place = analysis.lines.findIndex((line) => line >= one.line);
    found.addEventListener("click", () => go(place < 0 ? last : place + 1));
    return found;
  });
}

function showAnalysis() {
  const seats = analysis.seats.map(({ seat, decisions, error, luck }) => {
    const lucky = analysis.chances.length ? `; luck ${signed(luck)}` : "";
    const words = `${decisions} decisions cost ${error.toFixed(2)} of a win${lucky}`;
    return make("div", {}, make("p", {}, make("b", { textContent: analysis.names[seat] }), `: ${words}`), make("p", { className: "worst" }, ...worstOf(seat)));
  });
  root.querySelector("[data-analysis]").replaceChildren(...seats);
  showWorth();
}

// Each choice that cost something is marked in the list.
function markErrors() {
  for (const one of analysis.decisions.filter(({ error }) => error >= LEAST)) {
    const number = analysis.lines.findIndex((line) => line >= one.line) + 1;
    const step = listed.findLast((each) => Number(each.dataset.to) <= number);
    step?.append(make("span", { className: "cost", textContent: `\u2212${percent(one.error)}` }));
  }
}

// The chances of winning: of two that of the first seat, for the other has the rest; else a line for each.
const SVG = "http://www.w3.org/2000/svg";
const place = (number) => (1000 * number) / Math.max(1, last);
function drawn(tag, attributes) {
  const found = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  return found;
}
function showCurve() {
  const figure = root.querySelector("[data-curve]");
  const height = (worth) => 156 - 152 * Math.max(0, Math.min(1, worth));
  const isDuel = analysis.seats.length === 2;
  const lines = (isDuel ? [0] : analysis.seats.map(({ seat }) => seat)).map((seat) => analysis.decisions
    .filter((one) => isDuel || one.seat === seat)
    .map((one) => `${place(analysis.lines.findIndex((line) => line >= one.line) + 1)},${height(one.seat === seat ? one.worth : 1 - one.worth)}`));
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
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    go(Math.round((last * (event.clientX - box.left)) / box.width));
  });
}

root.querySelector("[data-analyse]")?.addEventListener("click", async (event) => {
  const button = event.target;
  const words = root.querySelector("[data-worth]");
  button.disabled = true;
  words.textContent = "Looking at every decision; this can take half a minute.";
  const answer = await fetch(`/tables/${table}/analysis?eyes=${eyes}`);
  const found = await answer.json();
  words.textContent = answer.ok ? "" : found.why;
  button.disabled = answer.ok;
  button.hidden = answer.ok;
  if (answer.ok) { analysis = found; showAnalysis(); markErrors(); showCurve(); }
});

showPlace();
document.documentElement.dataset.ready = "yes";
