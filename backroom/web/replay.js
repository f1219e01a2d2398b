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
  }
  isBusy = false;
}

const steps = { first: () => 0, back: () => wanted - 1, on: () => wanted + 1, last: () => last };
root.addEventListener("click", (event) => {
  const step = event.target.closest("[data-go]")?.dataset.go;
  if (step) { event.preventDefault(); go(steps[step]()); }
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
  if (answer.ok) { analysis = found; showAnalysis(); }
});
