// The lobby's lists arrive by a stream, each when it has changed. Without a stream they are polled.

import { followVersion, versioned } from "./version.js";

const EVERY = 3000; // milliseconds between polls, while the stream is silent
const SILENCE = 40000; // milliseconds of silence after which a stream is given up: it sends a heartbeat every 15 seconds
const AGAIN = 10000; // milliseconds before a refused stream is tried again

let stream = null;
let heard = 0; // when the stream was last heard

const hangUp = () => { stream?.close(); stream = null; heard = 0; };

// Not while rules are compiled: pictures of boards wait for that, and a browser has few connections to one server.
function listen() {
  if (stream || document.hidden || document.querySelector("[data-compiling]")) return;
  stream = new EventSource(versioned("/lobby/events"));
  followVersion(stream);
  stream.addEventListener("beat", () => { heard = Date.now(); });
  stream.addEventListener("list", (event) => {
    heard = Date.now();
    show(JSON.parse(event.data).html);
  });
  stream.addEventListener("boards", (event) => {
    heard = Date.now();
    for (const table of JSON.parse(event.data).tables) if (document.querySelector(boardOf(table))) stale.add(table);
    lookAgain();
  });
  stream.addEventListener("error", () => {
    heard = 0;
    if (stream?.readyState === EventSource.CLOSED) hangUp(); // refused; a broken stream is reopened by the browser
  });
}

// Boards of games that can be watched are fetched again when they have changed: visible ones at once, others when they
// scroll into view.
const boardOf = (table) => `[data-board="${table}"]`;
const stale = new Set();
const onScreen = new Set();
const watching = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) onScreen[isIntersecting ? "add" : "delete"](target);
  lookAgain();
});

function lookAgain() {
  for (const image of onScreen) {
    if (stale.delete(image.dataset.board)) image.src = `${image.src.split("?")[0]}?${Date.now()}`;
  }
}

const watchBoards = () => {
  watching.disconnect();
  onScreen.clear();
  for (const image of document.querySelectorAll("[data-board]")) watching.observe(image);
};

// Put lists in their places, and leave alone what has not changed: pictures stay until there are new ones.
const whole = new Map([...document.querySelectorAll("[data-lobby]")].map((list) => [list.dataset.lobby, list.innerHTML.trim()]));

function show(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  for (const news of fresh.querySelectorAll("[data-lobby]")) {
    const list = document.querySelector(`[data-lobby="${news.dataset.lobby}"]`);
    const text = news.innerHTML.trim();
    if (!list || text === whole.get(news.dataset.lobby)) continue;
    whole.set(news.dataset.lobby, text);
    const boards = [...list.querySelectorAll("[data-board]")].map((image) => [image, news.querySelector(boardOf(image.dataset.board))]).filter(([, fresh]) => fresh);
    for (const [, fresh] of boards) fresh.removeAttribute("src");
    const focus = list.contains(document.activeElement) && document.activeElement.getAttribute("href");
    list.replaceChildren(...news.childNodes);
    for (const [image, fresh] of boards) fresh.replaceWith(image);
    if (focus) list.querySelector(`[href="${focus}"]`)?.focus();
    watchBoards();
  }
  count();
}

async function ask() {
  if (document.hidden || Date.now() - heard < SILENCE) return;
  if (heard) hangUp();
  const answer = await fetch("/lobby", { headers: { accept: "text/html" }, cache: "no-cache" });
  if (answer.ok) show(await answer.text());
}

// The time left, in the words of `time_left`; and in the title the number of games waiting for this player.
function count() {
  const moves = document.querySelectorAll("#moves ~ .tables li").length;
  document.title = moves ? `(${moves}) Backroom` : "Backroom";
  for (const left of document.querySelectorAll("[data-ends]")) {
    const minutes = Math.floor(Math.max(0, left.dataset.ends - Date.now()) / 60000);
    const [size, word] = minutes >= 2880 ? [1440, "day"] : minutes >= 60 ? [60, "hour"] : [1, "minute"];
    const number = Math.floor(minutes / size);
    left.textContent = number ? `${number} ${word}${number === 1 ? "" : "s"} left` : "less than a minute left";
  }
}

const goOn = () => ask().catch(() => { /* the server is away; it may be back next time */ });
setInterval(goOn, EVERY);
setInterval(listen, AGAIN);
setInterval(count, 30000);
document.addEventListener("visibilitychange", () => { if (document.hidden) hangUp(); else listen(); });
watchBoards();
listen();
count();
document.documentElement.dataset.ready = "yes";
