// The table: shows the server's events beat by beat, and narrows touches down to a move. It contains no game.

import { Board } from "./board.js";
import { newest } from "./first.js";
import { Head } from "./head.js";
import { followVersion, versioned } from "./version.js";
import { $, afterPaint, arrange, breathe, make, said, unpacked } from "./words.js";

const start = JSON.parse(document.querySelector("[data-start]").textContent);
const board = new Board($("board"));
const head = new Head(start, send);
board.hear = (sound) => head.sound.play(sound);
const story = $("story");
let turn = start;
let known = start.n;
let touched = [];
let hint = start.point || [];
let hintName = start.press || "";
let queue = Promise.resolve();
let waiting = 0;
let hurry = false; // a touch skips the rest of the beats being shown
let sending = false;
let revealing = false; // a reveal is being shown
let told = []; // sentences since the player's own last move
let shown = start.n; // the last event that the page shows
let due = 0; // the player's own move, as an event that the page must show before the next choice

// The question, and narrowing it down

const MANY = 60; // of more moves than this, not all are shown as buttons
const fits = (move) => touched.every((id, at) => move.touch[at] === id);
const candidates = () => (turn.moves || []).filter(fits);
const isBusy = () => sending || revealing || shown < due;

// Bring the page up to date: once, however many changes there are, and after the frame in which the page responds to a
// touch or key. The data itself (what was touched, whether a move is being sent) is always current.
let isDue = false;
function show() {
  if (isDue) return;
  isDue = true;
  $("moves").ariaBusy = "true";
  afterPaint(() => { if (isDue) showNow(); });
}

// A touch or key that comes before the update acts on what the update will show.
function upToDate() {
  if (isDue) showNow();
}

function showNow() {
  isDue = false;
  const form = $("moves");
  const had = [form, board.root, $("question"), $("notice"), $("matters"), $("tools")].some((part) => part.contains(document.activeElement)) || board.hasLostFocus;
  const open = isBusy() ? [] : candidates();
  const next = open.map((move) => move.touch[touched.length]).filter(Boolean);
  const again = touched.length && open.some((move) => move.touch.length === touched.length) ? touched.slice(-1) : [];
  board.light([...next, ...again], touched, hint);
  arrange(form, [...(turn.step ? lesson(turn.step) : []), ...listed(open), ...(touched.length ? [other] : [])]);
  form.classList.toggle("narrowed", touched.length > 0);
  form.ariaBusy = isBusy() ? "true" : null;
  if ($("undo")) $("undo").hidden = !turn.undo || revealing;
  if ($("hint")) $("hint").hidden = !turn.moves?.length || revealing;
  document.body.classList.toggle("my-move", Boolean(turn.asked && open.length));
  const here = document.activeElement; // a piece that can no longer be touched is about to lose the focus
  const isNowhere = here === document.body || here === $("question") || (board.root.contains(here) && !here.hasAttribute("tabindex"));
  if (had && isNowhere) focusOn(next);
  board.hasLostFocus = false;
}

const other = make("button", { type: "button", className: "quiet", textContent: "Other…", onclick: clear });

// The button to go on from a lesson step that is only read.
function lesson({ read }) {
  return read ? [make("button", { type: "button", className: "strong", textContent: "Go on", onclick: goOn })] : [];
}

async function goOn({ currentTarget: button }) {
  button.disabled = true; // once is enough
  const answer = await post("next", {});
  if (!answer.ok) { button.disabled = false; notice(answer.why, answer.html); }
}

// The focus goes to what can be touched next; while there is nothing, it waits at the question.
function focusOn(next) {
  const found = board.pieces.get(next[0]) || $("moves").querySelector("summary, button") || $("question");
  found.focus({ preventScroll: true });
}

// A button for each move. Of very many, those that begin with the same word are folded together, and made when
// unfolded.
function listed(open) {
  const runs = [];
  for (const move of open) {
    const word = move.name.split(" ")[0];
    if (runs.at(-1)?.word !== word) runs.push({ word, moves: [] });
    runs.at(-1).moves.push(move);
  }
  return runs.flatMap(({ moves }) => (open.length <= MANY || moves.length <= MANY / 2 ? moves.map(button) : folded(moves)));
}

function folded(moves) {
  const found = make("details", { className: "many" }, make("summary", { textContent: `${labelOf(moves[0])} … ${labelOf(moves.at(-1))}` }));
  found.addEventListener("toggle", () => found.append(...moves.map(button)), { once: true });
  if (moves.some((move) => move.name === hintName)) found.open = true;
  return found;
}

// A move's label in plain words.
const labelOf = ({ label, html }) => make("span", {}, ...said(label, html)).textContent;

const buttons = new WeakMap(); // the button of each move, kept while the question stays
function button(move) {
  let found = buttons.get(move);
  if (!found) {
    found = $("button").content.firstElementChild.cloneNode(true);
    Object.assign(found, { type: "button", value: move.name, className: move.back ? "back" : "" });
    found.dataset.name = move.name;
    found.firstElementChild.replaceChildren(...said(move.label, move.html));
    found.lastElementChild.textContent = move.name;
    found.onclick = () => send(move.name);
    found.onpointerenter = found.onfocus = () => board.light(board.lit, move.touch, hint);
    found.onpointerleave = found.onblur = () => board.light(board.lit, touched, hint);
    buttons.set(move, found);
  }
  found.classList.toggle("hint", hintName === move.name);
  return found;
}

function touch(id, mayFinish = true) {
  if (isBusy() || !id) return;
  if (touched.at(-1) === id) {
    const whole = candidates().filter((move) => move.touch.length === touched.length);
    if (whole.length === 1 && mayFinish) { send(whole[0].name); return; }
    touched.pop();
    show();
    return;
  }
  const before = touched;
  touched = [...touched, id];
  let open = candidates();
  if (!open.length) { touched = [id]; open = candidates(); }
  if (!open.length) { touched = before; return; }
  board.press(id);
  if (open.length === 1 && mayFinish) send(open[0].name);
  else show();
}

function clear() {
  touched = [];
  show();
}

// Sending: a key is never played twice, so a move is sent until there is an answer

async function send(name) {
  if (isBusy()) return false;
  sending = true;
  if (isSure() && !(await mayPlay(name))) {
    sending = false;
    clear();
    return false;
  }
  notice("");
  show();
  const message = { name, key: crypto.randomUUID?.() || String(Math.random()).slice(2) };
  if (turn.asked) message.ask = turn.ask;
  const answer = await post("moves", message);
  sending = false;
  touched = [];
  if (answer.ok) { due = answer.n; board.forget(); told = []; }
  else {
    notice(answer.why, answer.html);
    if (answer.code === "stale" || answer.code === "late") connect(null);
  }
  show();
  return answer.ok;
}

// Players can choose to confirm moves that cannot be taken back.
async function mayPlay(name) {
  const move = (turn.moves || []).find((each) => each.name === name);
  if (!move || move.back) return true;
  const answer = await (await fetch(`/tables/${start.table}/final?move=${encodeURIComponent(name)}`)).json();
  return !answer.final || confirmed(`${labelOf(move)}? It cannot be taken back.`, "Play it");
}

// Ask for confirmation; it stays open if the player does something else instead.
function confirmed(text, label) {
  return new Promise((resolve) => {
    const button = (textContent, isYes) => make("button", { type: "button", textContent, className: isYes ? "strong" : "", onclick: () => { notice(""); resolve(isYes); } });
    const yes = button(label, true);
    remark(make("p", { className: "told" }, text, " ", yes, " ", button("No", false)));
    yes.focus({ preventScroll: true });
  });
}

// Something that may make the game unrated: the server says so first, and it is done if the player agrees.
async function unrating(what, label, act) {
  const answer = await act();
  if (answer.code !== "unrated") return answer;
  if (!(await confirmed(sentence(answer.why), label))) return { ok: false, why: "" };
  await post("unrate", { text: what });
  return act();
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;

async function post(what, message) {
  for (let tries = 0; ; tries++) {
    try {
      const response = await fetch(`/tables/${start.table}/${what}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(message),
      });
      if (response.status !== 503) return await response.json();
    } catch {
      $("lost").hidden = false;
    }
    if (tries > 60) return { ok: false, why: "the server does not answer" };
    await new Promise((wake) => setTimeout(wake, Math.min(4000, 300 * 2 ** tries)));
  }
}

function notice(words, html, className = "wrong") {
  remark(...(words ? [make("p", { className }, ...said(words, html))] : []));
}

// Below the question, and in view where its box is scrolled.
function remark(...nodes) {
  $("notice").replaceChildren(...nodes);
  if (nodes.length) $("notice").scrollIntoView({ block: "nearest" });
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.matches("[data-moves]")) event.preventDefault();
  if (form.matches("[data-why]")) { event.preventDefault(); why(form); }
  if (!form.matches("[data-send]")) return;
  event.preventDefault();
  const message = Object.fromEntries(new FormData(form));
  if ("seat" in message) message.seat = Number(message.seat);
  const action = form.getAttribute("action").split("/").at(-1);
  const label = form.querySelector("button").textContent;
  form.closest("details")?.removeAttribute("open"); // a menu would cover what is asked or said now
  if (form.dataset.confirm && !(await confirmed(form.dataset.confirm, label))) return;
  const answer = await unrating("back", label, () => post(action, message));
  notice(answer.ok ? "" : answer.why, answer.html);
  if (!answer.ok) return;
  if (action === "say") form.reset();
  if (action === "sit") location.reload();
  if (action === "rise") location.href = "/";
  if (answer.table) location.href = `/tables/${answer.table}`;
});

async function why(form) {
  const name = new FormData(form).get("move");
  const answer = await (await fetch(`/tables/${start.table}/why?move=${encodeURIComponent(name)}`)).json();
  notice(answer.why || `${name} is allowed.`, answer.html);
}

document.querySelector("[data-play-it]")?.addEventListener("click", (event) => {
  if (event.target.form.reportValidity()) send(new FormData(event.target.form).get("move").trim());
});

// What a strong player would do here and why, in words and pointed at.
async function askHint() {
  const { ask } = turn;
  const answer = await unrating("hint", "Show the hint", async () => (await fetch(`/tables/${start.table}/hint`)).json());
  if (answer.code === "lost") { unsolvable(answer.why); return; }
  if (!answer.move) { notice(answer.why, answer.html); return; }
  if (turn.ask !== ask) return;
  hintName = answer.move;
  hint = (turn.moves || []).find((move) => move.name === answer.move)?.touch || [];
  $("live").textContent = answer.says;
  head.say(answer.says, answer.html);
  showNow();
  document.querySelector("[data-moves] .hint")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}
$("hint")?.addEventListener("click", askHint);

// A puzzle that can no longer be solved: the player can take back or be shown a solution.
function unsolvable(why) {
  const back = make("button", { type: "button", className: "strong", textContent: "Take back", onclick: () => { notice(""); $("undo")?.requestSubmit(); } });
  const show = make("button", { type: "button", textContent: "Show the solution", onclick: () => $("solution").requestSubmit() });
  remark(make("p", { className: "told" }, sentence(why), " ", back, " ", show));
}

// In a first game, explain what is new.
function explainNew(situations, isLoaded = false) {
  const found = newest(situations || [], start.table, isLoaded);
  if (found) head.say(found.says, found.html);
}

// Touch and mouse

let hold = null;
let drop = null;
let tap = { at: 0, x: 0, y: 0 };
const fingers = new Map();
const FAR = 7; // pixels that a finger may tremble
const TWICE = 350; // milliseconds between the two taps of a double tap

board.root.addEventListener("pointerdown", (event) => {
  upToDate();
  skip();
  fingers.set(event.pointerId, event);
  if (fingers.size === 2) { letGo(); return; }
  const id = event.button === 0 ? board.at(event.clientX, event.clientY) : null;
  const region = board.regionUnder(event.clientX, event.clientY);
  hold = { id, x: event.clientX, y: event.clientY, ghost: null, region, pan: !id && region?.scale > 1 };
  if (id || hold.pan) event.preventDefault();
});

// A finger that carries a piece, or pans a zoomed picture, does not scroll the page.
board.root.addEventListener("touchstart", (event) => {
  const { clientX, clientY } = event.touches[0];
  if (event.touches.length > 1 || board.at(clientX, clientY) || board.regionUnder(clientX, clientY)?.scale > 1) event.preventDefault();
}, { passive: false });

addEventListener("pointermove", (event) => {
  if (fingers.size === 2 && fingers.has(event.pointerId)) { pinch(event); return; }
  if (!hold) return;
  const dx = event.clientX - hold.x, dy = event.clientY - hold.y;
  if (hold.pan) {
    hold.moved ||= Math.hypot(dx, dy) > FAR;
    hold.region.pan(dx, dy);
    hold.x = event.clientX;
    hold.y = event.clientY;
    return;
  }
  if (!hold.id || (!hold.ghost && Math.hypot(dx, dy) < FAR)) return;
  if (!hold.ghost) lift();
  if (!hold?.ghost) return;
  hold.ghost.style.translate = `${event.clientX}px ${event.clientY}px`;
  aim(board.at(event.clientX, event.clientY));
});

// Where the carried piece would land.
function aim(id) {
  if (hold.aim === id) return;
  board.pieces.get(hold.aim)?.classList.remove("aim");
  hold.shade?.remove();
  hold.aim = id;
  const onto = board.pieces.get(id);
  if (!onto) return;
  onto.classList.add("aim");
  if (id === hold.id) return;
  const box = onto.getBoundingClientRect();
  hold.shade = board.copy(hold.source);
  hold.shade.classList.add("shade");
  hold.shade.style.translate = `${(box.left + box.right) / 2}px ${(box.top + box.bottom) / 2}px`;
  document.body.append(hold.shade);
}

function lift() {
  if (touched.at(-1) !== hold.id) touch(hold.id, false);
  upToDate();
  const source = board.carried(hold.id);
  const ghost = board.copy(source);
  document.body.append(ghost);
  source.classList.add("carried");
  Object.assign(hold, { ghost, source });
}

function letGo() {
  if (hold) aim(null);
  hold?.ghost?.remove();
  hold?.source?.classList.remove("carried");
  hold = null;
}

addEventListener("pointerup", (event) => {
  fingers.delete(event.pointerId);
  if (!hold) return;
  const { id, ghost, region, pan, moved } = hold;
  const { clientX, clientY } = event;
  letGo();
  if (!ghost) {
    if (id) tapped(id, event);
    else if (region && !moved) beside(region, event, pan);
    return;
  }
  const onto = board.at(clientX, clientY);
  const whole = candidates().filter((move) => move.touch.length === touched.length);
  if (onto && onto !== touched.at(-1)) touch(onto);
  else if (whole.length === 1 && board.on(clientX, clientY, touched.at(-1))) dropped(whole[0].name, clientX, clientY);
  else clear();
});

// What is too small for a finger, or too small to read, is zoomed in on first, and played by the next touch.
function tapped(id, event) {
  const { region } = board.pieces.get(id);
  const by = event.pointerType === "touch" ? Math.max(board.tooSmall(id), region.tooFine()) : 1;
  if (by === 1) { touch(id); return; }
  region.zoomAt(by, event.clientX, event.clientY);
}

// A tap on something that cannot be touched: twice, it zooms; once, it says what is there.
function beside(region, { clientX, clientY, timeStamp, pointerType }) {
  const again = timeStamp - tap.at < TWICE && Math.hypot(clientX - tap.x, clientY - tap.y) < 30;
  tap = { at: again ? 0 : timeStamp, x: clientX, y: clientY };
  if (again) { region.zoomAt(region.scale > 1 ? 0 : 2.2, clientX, clientY); return; }
  const fine = pointerType === "touch" ? region.tooFine() : 1;
  if (fine > 1) { region.zoomAt(fine, clientX, clientY); return; }
  explain(board.named(clientX, clientY), board.under(clientX, clientY));
}

// What is there, and if it cannot be touched now why not, with the §.
async function explain(g, pieces) {
  const mine = turn.asked && turn.moves?.length && !isBusy();
  const words = g ? [sentence(g.getAttribute("aria-label"))] : [];
  let why = start.seat < 0 || mine ? [] : ["It is not your turn."];
  if (mine && pieces.length) {
    const asked = new URLSearchParams([...touched.map((id) => ["touched", id]), ...pieces.map((id) => ["piece", id])]);
    const answer = await (await fetch(`/tables/${start.table}/why?${asked}`)).json();
    why = answer.why ? said(sentence(answer.why), answer.html && sentence(answer.html)) : [];
  }
  tellNow([words, why]);
}

// Some sentences under the board.
function tellNow(sentences) {
  const nodes = sentences.filter(({ length }) => length).flatMap((each) => [" ", ...each]).slice(1);
  if (nodes.length) remark(make("p", { className: "told" }, ...nodes));
}

// If picking the piece up was a move by itself, the place where it was dropped is touched next, once there is a new
// question.
async function dropped(name, x, y) {
  drop = { x, y, before: turn };
  if (!(await send(name))) drop = null;
  settle();
}

function settle() {
  if (!drop || isBusy() || turn === drop.before) return;
  upToDate();
  const onto = board.on(drop.x, drop.y);
  drop = null;
  if (onto) touch(onto);
}

addEventListener("pointercancel", (event) => {
  fingers.delete(event.pointerId);
  letGo();
});

function pinch(event) {
  const before = [...fingers.values()];
  fingers.set(event.pointerId, event);
  const now = [...fingers.values()];
  const span = ([a, b]) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  const x = (now[0].clientX + now[1].clientX) / 2, y = (now[0].clientY + now[1].clientY) / 2;
  board.regionUnder(x, y)?.zoomAt(span(now) / Math.max(1, span(before)), x, y);
}

board.root.addEventListener("wheel", (event) => {
  const region = board.regionUnder(event.clientX, event.clientY);
  if (!region || (!event.ctrlKey && region.scale === 1)) return;
  event.preventDefault();
  if (event.ctrlKey) region.zoomAt(event.deltaY < 0 ? 1.1 : 0.9, event.clientX, event.clientY);
  else region.pan(-event.deltaX, -event.deltaY);
}, { passive: false });

$("zoom").hidden = false;
$("zoom").addEventListener("click", (event) => { if (event.target.dataset.zoomBy) board.zoom(Number(event.target.dataset.zoomBy)); });

// Keyboard

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
board.root.addEventListener("keydown", (event) => {
  upToDate();
  const g = document.activeElement.closest(".piece");
  if (!g) return;
  const isAsking = document.querySelector(".why")?.open; // then every piece can be reached, and says why not
  if (ARROWS[event.key]) { event.preventDefault(); board.step(g, ...ARROWS[event.key], isAsking); }
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  if (board.lit.has(g.id)) touch(g.id);
  else if (isAsking) explain(g, board.underMiddle(g));
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && touched.length) clear();
  const isTyping = event.target.closest?.("input, textarea, select");
  const isPlain = !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.key === "w" && isPlain) again();
  else if (isPlain && event.key !== "Tab") skip();
});

// Finish the animation that is being shown, once the page has responded to the touch or key that wants it.
function skip() {
  hurry = true;
  const shown = [...board.running];
  if (shown.length) requestAnimationFrame(() => setTimeout(() => board.finish(shown)));
}

// Show what the others did again, on the board and in words.
function again() {
  tellNow(told.map((item) => [...said("", item)[0].childNodes]));
  board.recall();
}
$("again").addEventListener("click", () => { document.querySelector(".menu").open = false; again(); });

// The event stream

let stream = null;
let losing = 0;

function connect(since = known) {
  stream?.close();
  stream = new EventSource(versioned(`/tables/${start.table}/events${since === null ? "" : `?since=${since}`}`));
  followVersion(stream);
  stream.onmessage = (event) => { heard(); const at = performance.now(); queue = queue.then(() => hear(JSON.parse(event.data), at)); waiting++; };
  stream.addEventListener("here", (event) => {
    heard();
    const [{ table }, at] = [JSON.parse(event.data), performance.now()];
    queue = queue.then(() => head.show(table, at)); // in step with the beats that are still to be shown
  });
  stream.onopen = heard;
  stream.onerror = () => {
    losing ||= setTimeout(() => { $("lost").hidden = false; }, 1200);
    if (stream.readyState === EventSource.CLOSED) setTimeout(connect, 1500);
  };
}

function heard() {
  clearTimeout(losing);
  losing = 0;
  $("lost").hidden = true;
}

addEventListener("online", () => connect());
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

async function hear(news, at) {
  waiting--;
  if (news.n <= known && !news.picture && news.story === undefined) return;
  const isNew = news.n > known;
  known = news.n;
  if (news.story !== undefined) { story.replaceChildren(...said("", news.story)); toEnd(); }
  if (news.picture) board.whole(news.picture);
  for (const item of said("", news.items)) tell(item);
  const spoken = [];
  hurry = false;
  for (const beat of news.beats || []) {
    if (beat.hold) reveal(beat);
    if (beat.say) { tell(said("", beat.item)[0]); spoken.push(beat.say); told.push(beat.item); }
    await board.beat(beat, waiting > 3 || hurry ? 0 : beat.ms);
    if (beat.hold && waiting <= 3 && !hurry) await board.hold(beat.hold);
  }
  if (revealing) unreveal();
  if (news.table.stage === "over") $("end-title").replaceChildren(...said(news.question, news.html));
  head.show(news.table, at);
  await breathe();
  const wasAsked = turn.asked;
  const isSame = Boolean(wasAsked && news.asked && turn.ask === news.ask);
  turn = { asked: news.asked, ask: news.ask, moves: unpacked(news.moves), step: news.step, undo: news.undo };
  if (news.late) notice(sentence(news.late));
  shown = news.n;
  document.documentElement.dataset.shown = shown;
  if (!isSame) { hint = news.point || []; hintName = news.press || ""; }
  if (isNew) touched = touched.every((id) => board.pieces.has(id)) && candidates().length ? touched : [];
  $("question").replaceChildren(...said(news.question, news.html));
  $("live").textContent = spoken.join(" ");
  showNow();
  settle();
  head.turn(turn, wasAsked, isSame);
  if (!isSame) explainNew(news.situations);
}

// While a reveal is shown, nobody is asked. If it is on cards that a small screen folds away, they are unfolded.
function reveal(beat) {
  if (board.isUnseen(beat)) document.body.classList.add("unfolded");
  if (revealing) return;
  revealing = true;
  document.body.classList.add("revealing");
  $("question").textContent = "This is what everybody has chosen.";
  showNow();
}

function unreveal() {
  revealing = false;
  document.body.classList.remove("revealing", "unfolded");
}

// Successive actions of a player are joined into one sentence, without the name and the full stop between them.
function goesOn(last, item) {
  if (!item.dataset.seat || last?.dataset.seat !== item.dataset.seat) return false;
  last.lastChild.remove();
  item.firstChild.remove();
  last.append(",", ...item.childNodes);
  return true;
}

let atEnd = true;
let isToEnd = false; // at most once before the next frame, however much is told
const toEnd = () => {
  if (!atEnd || isToEnd) return;
  isToEnd = true;
  requestAnimationFrame(() => { isToEnd = false; story.scrollTop = story.scrollHeight; });
};
let lastTop = 0; // only scrolling up leaves the end; growth of the last item does not
story.addEventListener("scroll", () => {
  const isNear = story.scrollHeight - story.scrollTop - story.clientHeight < 60;
  atEnd = isNear || (atEnd && story.scrollTop >= lastTop);
  lastTop = story.scrollTop;
});
new ResizeObserver(toEnd).observe(story);

function tell(item) {
  if (!goesOn(story.lastElementChild, item)) story.append(item);
  while (story.children.length > 300) story.firstElementChild.remove();
  toEnd();
}

// The rest

// A switch that the browser remembers.
function switched(name, show = () => {}) {
  const button = $(name);
  const set = (on) => { button?.setAttribute("aria-pressed", String(on)); show(on); };
  set(remembered(name));
  button?.addEventListener("click", () => {
    const on = !isOn(name);
    try { localStorage.setItem(name, on ? "yes" : "no"); } catch { /* private windows may keep nothing */ }
    set(on);
  });
}
function remembered(name) {
  try { return localStorage.getItem(name) === "yes"; } catch { return false; }
}
function isOn(name) { return $(name)?.getAttribute("aria-pressed") === "true"; }
function isSure() { return isOn("sure"); }
switched("notation", (on) => document.documentElement.classList.toggle("with-notation", on));
switched("sure");

// What a tool unfolds may be below the edge of its box.
for (const tool of document.querySelectorAll(".tools details")) {
  tool.addEventListener("toggle", () => { if (tool.open) tool.scrollIntoView({ block: "nearest" }); });
}

$("peek").addEventListener("click", ({ currentTarget }) => {
  const isOpen = document.querySelector(".play").classList.toggle("peek");
  currentTarget.setAttribute("aria-pressed", String(isOpen));
});

// After a reload nothing that the page had shown counts as missed.
const SEEN = `seen ${start.table}`;
addEventListener("pagehide", () => { try { sessionStorage.setItem(SEEN, shown); } catch { /* private windows may keep nothing */ } });
try { if (Number(sessionStorage.getItem(SEEN) ?? -1) >= start.n) document.querySelector(".missed")?.remove(); } catch { /* nothing was kept */ }

const words = $("words");
words?.addEventListener("toggle", async () => {
  if (words.open) words.querySelector("pre").textContent = await (await fetch(`/tables/${start.table}/words`)).text();
});

document.querySelector("[data-copy]")?.addEventListener("click", async (event) => {
  try { await navigator.clipboard.writeText(location.href); event.target.textContent = "Copied"; } catch { event.target.textContent = location.href; }
});

head.show(start.head);
head.turn(turn, true);
showNow();
toEnd();
connect();
explainNew(start.situations, true);
document.documentElement.dataset.shown = shown;
document.documentElement.dataset.ready = "yes";
