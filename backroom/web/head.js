// What surrounds the board: seats, clocks, requests, expired time, the end.

import { face } from "./face.js";
import { Sound } from "./sound.js";
import { $, make, renew, said } from "./words.js";

export class Head {
  constructor(start, send) {
    this.start = start;
    this.send = send;
    this.title = document.title;
    this.said = null;
    this.chairs = []; // the data that each seat was filled in from
    this.parts = document.querySelectorAll("[data-when]");
    setInterval(() => this.tick(), 250);
    this.sound = new Sound($("sound"));
    $("end-close").addEventListener("click", () => this.fold(true));
    $("end-open").addEventListener("click", () => this.fold(false));
  }

  // The end lies over the board; folded away, the board is visible and a button brings it back.
  fold(isFolded) {
    $("end").hidden = isFolded;
    $("end-open").hidden = !isFolded;
    (isFolded ? $("end-open") : $("end-close")).focus();
  }

  // The current data of the table, and when it arrived: clocks count from then.
  show(news, at = performance.now()) {
    const isFirst = !this.news;
    this.news = news;
    this.since = at;
    const mine = this.start.seat;
    news.seats.forEach((chair, seat) => this.chair(chair, seat));
    write($("watchers"), news.watchers ? `${news.watchers} watching` : "");
    renew($("matters"), this.matters(news, mine));
    const others = news.seats.filter((chair, seat) => seat !== mine && chair.owned && !chair.bot && !chair.left);
    const isLost = Boolean(news.lost?.[mine]);
    for (const part of this.parts) {
      const isNow = part.dataset.when.split(" ").includes(news.stage);
      part.hidden = !isNow || ("company" in part.dataset && (!others.length || isLost || Boolean(news.request))) || ("mine" in part.dataset && (isLost || (part.querySelector("[action$='/bot']") && Boolean(news.seats[mine]?.bot))));
    }
    const say = document.querySelector(".say"); // with bots alone there is nobody to talk to
    if (say) say.hidden = mine >= 0 && !news.watchers && !news.seats.some(({ owned, bot }, seat) => (owned || !bot) && seat !== mine);
    const rated = $("rated");
    if (rated) write(rated, news.rated ? "This game counts on the ladder." : "This game does not count on the ladder.");
    const invite = $("invite");
    if (invite) invite.hidden = news.stage !== "open";
    if (news.stage === "over") this.end(news, mine, isFirst);
    this.tick();
  }

  form(action, label, fields = {}, className = "") {
    const inputs = Object.entries(fields).map(([name, value]) => make("input", { type: "hidden", name, value }));
    const form = make("form", { method: "post" }, ...inputs, make("button", { textContent: label, className }));
    form.setAttribute("action", `/tables/${this.start.table}/${action}`);
    form.setAttribute("data-send", "");
    return form;
  }

  // Fill in a seat of the page, if something about it has changed; its clock runs by itself.
  chair(chair, seat) {
    const { ms, runs, ...rest } = chair;
    const of = JSON.stringify(rest);
    if (this.chairs[seat] === of) return;
    this.chairs[seat] = of;
    const found = $("seats").children[seat];
    const part = (name) => found.querySelector(name);
    found.classList.toggle("asked", chair.asked);
    Object.assign(part(".dot"), { className: `dot ${chair.state}`, title: chair.state });
    part(".face")?.remove();
    if (!chair.free) part(".looks").prepend(face(chair.name, Boolean(chair.bot && !chair.owned)));
    write(part("b"), chair.called || chair.name);
    write(part(".level"), chair.level || "");
    write(part(".more"), chair.more || "");
    part(".score").hidden = !chair.won;
    write(part(".sr"), chair.asked ? "to answer" : "");
    const [action, label] = chair.ways?.[found.dataset.role] || ["", ""];
    const form = part("form");
    form.hidden = !action || seat === this.start.seat; // one's own way back is below the question
    form.setAttribute("action", `/tables/${this.start.table}/${action}`);
    write(form.querySelector("button"), label);
  }

  matters(news, mine) {
    const found = [];
    const line = (text, ...more) => found.push(make("div", { className: "matter" }, make("span", { textContent: text }), ...more));
    if (this.said) found.push(make("div", { className: "matter advice" }, make("span", {}, ...said(...this.said))));
    const [back, label] = news.seats[mine]?.ways?.owner || [];
    if (back) found.push(make("div", { className: "matter" }, this.form(back, label, { seat: mine }, "strong")));
    const waits = [];
    if (news.ready && news.stage === "playing") waits.push(make("span", { textContent: `${news.ready[0]} of ${news.ready[1]} ready` }));
    if (news.ends !== undefined) waits.push(make("span", { className: "countdown" }));
    if (waits.length) found.push(make("div", { className: "matter" }, ...waits));
    if (news.request) {
      const who = news.seats[news.request.seat].name;
      const wants = news.request.what === "end" ? `${who} offers to end the game without a result.` : `${who} asks to take a move back.`;
      if (news.request.waits.includes(mine)) line(wants, this.form("agree", "Agree", {}, "strong"), this.form("refuse", "No"));
      else line(`${wants} Waiting for ${news.request.waits.map((seat) => news.seats[seat].name).join(", ")}.`);
    }
    for (const seat of news.flagged || []) {
      const who = news.seats[seat].name;
      if (mine >= 0 && seat !== mine && news.stage === "playing") {
        line(`The time of ${who} is over.`, this.form("choose", "Wait", { text: "wait" }), this.form("choose", "Let a bot move", { text: "bot" }), this.form("choose", `End the game: ${who} loses`, { text: "end" }));
      } else line(seat === mine ? "Your time is over. You can still move until the others have chosen." : `The time of ${who} is over.`);
    }
    return found;
  }

  // Who has won and why, the standings, and what can be done next.
  end(news, mine, isFirst) {
    const told = news.result?.seats || [];
    const seats = news.seats.map((chair, seat) => ({ name: chair.name, has: told[seat] || chair.seat, won: chair.won, score: news.score?.[seat] ?? 0, rating: news.ratings?.[seat], sign: $("seats").children[seat].querySelector(".glyph") }));
    const hasPlaces = new Set(seats.map(({ score }) => score)).size > 2; // otherwise everybody but the winners has lost alike
    const rows = seats.sort((a, b) => b.score - a.score).map(({ name, has, won, score, rating, sign }) => make("li", { className: won ? "won" : "" }, make("span", { className: "place", textContent: won ? "♛" : hasPlaces ? `${1 + seats.filter((other) => other.score > score).length}.` : "" }), make("b", {}, ...(sign ? [sign.cloneNode(true)] : []), name), make("span", { className: "dim", textContent: has }), ...(rating ? [ratingOf(rating)] : [])));
    renew($("end-seats"), news.score && news.score.length > 1 ? rows : []);
    const onward = this.start.solo ? "To the new one" : "To the rematch";
    const again = news.next && mine < 0
      ? make("a", { className: "button strong", href: `/tables/${news.next}`, textContent: onward })
      : this.form("rematch", news.next ? onward : this.start.solo ? "Again" : "Rematch", {}, document.querySelector(".after .strong") && !news.next ? "" : "strong");
    const way = (path, textContent) => make("a", { className: "button", href: `/tables/${this.start.table}/${path}`, textContent });
    const outcome = this.start.lesson ? "" : outcomeFor(mine, news);
    if (outcome && !$("end-title").querySelector(".outcome")) $("end-title").prepend(make("span", { className: "outcome", textContent: outcome }), " ");
    if (this.start.lesson) renew($("end-ways"), this.afterLesson());
    else renew($("end-ways"), [...(mine >= 0 || news.next ? [again] : []), way("replay?at=0", "Replay"), way("replay", "Analyse"), make("button", { type: "button", textContent: "Share", onclick: share })]);
    if (this.wasOver) return;
    this.wasOver = true;
    $("end").hidden = false;
    const here = document.activeElement;
    if (!isFirst && (here === document.body || document.querySelector(".play").contains(here))) $("end-title").focus({ preventScroll: true });
    this.sound.play("end");
  }

  // After a lesson people go on to a first game.
  afterLesson() {
    const first = make("form", { method: "post" }, make("input", { type: "hidden", name: "first", value: this.start.game }), make("button", { textContent: "Play a first game", className: "strong" }));
    first.setAttribute("action", "/tables");
    const again = make("form", { method: "post" }, make("button", { textContent: "The lesson again" }));
    again.setAttribute("action", `/learn/${this.start.game}`);
    return [first, again];
  }

  // A message that stays until the next turn.
  say(words, html) {
    this.said = words ? [words, html] : null;
    if (this.news) renew($("matters"), this.matters(this.news, this.start.seat));
    this.tick();
  }

  turn(turn, wasAsked, isSame = false) {
    const mine = Boolean(turn.asked && turn.moves?.length);
    const title = mine ? `● ${this.title}` : this.title;
    if (document.title !== title) document.title = title;
    if (!isSame) this.say("");
    if (mine && !wasAsked) this.sound.turn();
  }

  tick() {
    if (!this.news) return;
    const gone = performance.now() - this.since;
    if (this.news.clock !== "none") this.news.seats.forEach((chair, seat) => {
      const clock = $("seats").children[seat].querySelector(".clock");
      clock.hidden = this.news.stage === "over";
      const left = Math.max(0, chair.ms - (chair.runs ? gone : 0));
      write(clock, time(left));
      clock.classList.toggle("low", left < 30000 && this.news.clock === "bank");
    });
    const countdown = this.news.ends === undefined ? null : $("matters").querySelector(".countdown");
    if (countdown) {
      const left = Math.max(0, this.news.ends - gone);
      write(countdown, left > 0 ? inSeconds(left) : "Too late");
    }
  }
}

// Unchanged text is not written again, since that would lay out the page again.
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// What the end means for the player who reads, if anybody has won.
function outcomeFor(mine, { seats, result }) {
  if (mine < 0 || seats.length === 1 || !result?.winners.length) return "";
  return result.winners.includes(mine) ? "You have won." : "You have lost.";
}

// A rating before and after the game.
function ratingOf([before, after]) {
  const way = after >= before ? "up" : "down";
  return make("span", { className: `rating ${way}`, title: "rating before and after" , textContent: `${before.toFixed(1)} → ${after.toFixed(1)}` });
}

async function share({ target }) {
  const url = location.href.replace(/[?#].*/, "");
  try { await navigator.clipboard.writeText(url); target.textContent = "Link copied"; } catch { target.textContent = url; }
}

function inSeconds(ms) {
  const seconds = Math.ceil(ms / 1000);
  return `${seconds} ${seconds === 1 ? "second" : "seconds"}`;
}

function time(ms) {
  const seconds = Math.ceil(ms / 1000);
  if (seconds >= 2 * 24 * 3600) return `${Math.floor(seconds / 86400)} days`;
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)}:${String(Math.floor(seconds / 60) % 60).padStart(2, "0")} h`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
