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
    board.whole(found.svg, "");
    root.querySelector("[data-say]").replaceChildren(...linked(found.say || "The beginning.", game));
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

const signed = (part) => `${part < 0 ? "\u2212" : "+"}${percent(Math.abs(part))}`;

function showWorth() {
  if (!analysis) return;
  const line = analysis.lines[at - 1];
  const chosen = analysis.decisions.find((one) => one.line === line);
  const chance = analysis.chances.find((one) => one.line === line);
  let words = "";
  if (chosen) {
    const named = ({ move, worth }) => `${move} ${percent(worth)}`;
    const others = chosen.considered.filter((one) => one.move !== chosen.played).slice(0, 3).map(named);
    const is = chosen.error < 0.0005 ? "nothing better" : `cost ${percent(chosen.error)}`;
    words = `${named({ move: chosen.played, worth: chosen.worth })}: ${is}. Others: ${others.join(", ")}.`;
  } else if (chance) {
    words = Object.entries(chance.luck).map(([seat, luck]) => `${analysis.names[seat]} ${signed(luck)}`).join(", ");
    words = words && `Luck: ${words}.`;
  }
  root.querySelector("[data-worth]").textContent = words;
}

function worstOf(seat) {
  const mine = analysis.decisions.filter((one) => one.seat === seat && one.error >= 0.002 && analysis.lines.includes(one.line));
  return mine.sort((a, b) => b.error - a.error).slice(0, 5).map((one) => {
    const found = make("button", { type: "button", textContent: `${one.played} (\u2212${percent(one.error)})` });
    found.addEventListener("click", () => go(analysis.lines.indexOf(one.line) + 1));
    return found;
  });
}

function showAnalysis() {
  const head = ["", "Decisions", "They cost", "Luck", "The worst"].map((word) => make("th", { scope: "col", textContent: word }));
  const rows = analysis.seats.map((row) => make("tr", {}, ...[
    make("th", { scope: "row", textContent: analysis.names[row.seat] }),
    make("td", { textContent: row.decisions }),
    make("td", { textContent: percent(row.error) }),
    make("td", { textContent: analysis.chances.length ? signed(row.luck) : "" }),
    make("td", { className: "worst" }, ...worstOf(row.seat)),
  ]));
  const says = make("p", { className: "dim", textContent: "In parts of a win, by what each seat knew then." });
  const found = make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
  root.querySelector("[data-analysis]").replaceChildren(make("div", { className: "wide" }, found), says);
  showWorth();
}

root.querySelector("[data-analyse]")?.addEventListener("click", async (event) => {
  const button = event.target;
  const words = root.querySelector("[data-worth]");
  button.disabled = true;
  words.textContent = "Looking at every decision. This can take half a minute.";
  const answer = await fetch(`/tables/${table}/analysis?eyes=${eyes}`);
  const found = await answer.json();
  words.textContent = answer.ok ? "" : found.why;
  button.disabled = answer.ok;
  button.hidden = answer.ok;
  if (answer.ok) { analysis = found; showAnalysis(); }
});
