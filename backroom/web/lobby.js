// The lobby's lists come by a stream, each when it has changed. While there is none they are asked for now and then.

const EVERY = 3000; // between two questions, while the stream is silent
const SILENCE = 40000; // after which a stream is given up: it has a beat every 15 seconds
const AGAIN = 10000; // before a stream that was refused is tried again

let stream = null;
let heard = 0; // when the stream said something last

const hangUp = () => { stream?.close(); stream = null; heard = 0; };

// Not while rules are compiled: pictures of boards wait for that, and a browser has few connections to one server.
function listen() {
  if (stream || document.hidden || document.querySelector("[data-compiling]")) return;
  stream = new EventSource("/lobby/events");
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
    if (stream?.readyState === EventSource.CLOSED) hangUp(); // refused; what only breaks the browser opens again
  });
}

// Boards of games that can be watched are looked at again when they have changed: those on the screen at once, others when they come to it.
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

// Put lists where they belong, and leave alone what has not changed: pictures stay until there are new ones.
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

// How much time is left, in the words of `time_left`; and in the title how often it is one's move.
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

const goOn = () => ask().catch(() => { /* the server is away; the next time it may be back */ });
setInterval(goOn, EVERY);
setInterval(listen, AGAIN);
setInterval(count, 30000);
document.addEventListener("visibilitychange", () => { if (document.hidden) hangUp(); else listen(); });
watchBoards();
listen();
count();
document.documentElement.dataset.ready = "yes";
