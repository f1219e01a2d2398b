// Looking at a game again, step by step, through anybody's eyes.

import { Board } from "./board.js";
import { linked } from "./words.js";

const root = document.querySelector("[data-replay]");
const range = root.querySelector("input[data-at]");
const { table, game } = root.dataset;
const board = new Board(root.querySelector("[data-board]"));
const last = Number(root.dataset.last);
let eyes = root.dataset.eyes;
let at = Number(root.dataset.at);
let wanted = at;
let isBusy = false;

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
