// What surrounds the board: seats, clocks, requests, expired time, the end.

import { face } from "./face.js";
import { Sound } from "./sound.js";
import { $, linked, make, renew } from "./words.js";

export class Head {
  constructor(start, send) {
    this.start = start;
    this.send = send;
    this.title = document.title;
    this.said = "";
    this.chairs = []; // the element of each seat, and the data it was made from
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
    renew($("seats"), news.seats.map((chair, seat) => this.chair(chair, seat, mine)));
    write($("watchers"), news.watchers ? `${news.watchers} watching` : "");
    renew($("matters"), this.matters(news, mine));
    const others = news.seats.filter((chair, seat) => seat !== mine && chair.owned && !chair.bot && !chair.left);
    const isLost = Boolean(news.lost?.[mine]);
    for (const part of this.parts) {
      const isNow = part.dataset.when.split(" ").includes(news.stage);
      part.hidden = !isNow || ("company" in part.dataset && (!others.length || isLost || Boolean(news.request))) || ("mine" in part.dataset && (isLost || (part.querySelector("[action$='/bot']") && Boolean(news.seats[mine]?.bot))));
    }
    const rated = $("rated");
    if (rated) write(rated, news.rated ? "This game counts on the ladder." : "This game does not count on the ladder.");
    const invite = $("invite");
    if (invite) invite.hidden = news.stage !== "open";
    if (news.stage === "over") this.end(news, mine, isFirst);
    this.tick();
  }

  form(deed, label, fields = {}, className = "") {
    const inputs = Object.entries(fields).map(([name, value]) => make("input", { type: "hidden", name, value }));
    const form = make("form", { method: "post" }, ...inputs, make("button", { textContent: label, className }));
    form.setAttribute("action", `/tables/${this.start.table}/${deed}`);
    form.setAttribute("data-send", "");
    return form;
  }

  // A seat, rebuilt if something about it has changed; its clock runs by itself.
  chair(chair, seat, mine) {
    const { ms, runs, ...rest } = chair;
    const { stage, clock, lost } = this.news;
    const of = JSON.stringify([rest, stage, clock, lost?.[seat], this.hasWon(seat)]);
    if (this.chairs[seat]?.of !== of) this.chairs[seat] = { of, found: this.seat(chair, seat, mine) };
    return this.chairs[seat].found;
  }

  seat(chair, seat, mine) {
    const { stage } = this.news;
    const found = make("div", { className: "seat" });
    found.classList.toggle("asked", chair.asked);
    found.classList.toggle("mine", seat === mine);
    found.classList.toggle("away", !chair.free && !chair.here);
    const state = chair.free ? "free" : chair.left ? "left" : chair.here ? "here" : "away";
    const dot = make("span", { className: `dot ${state}`, title: state });
    const name = make("b", { textContent: chair.free ? "free" : chair.name });
    const lost = this.news.lost?.[seat] || "";
    const level = chair.bot ? [make("small", { className: "level", textContent: chair.owned ? `${chair.bot} plays` : chair.bot }), " "] : [];
    const more = [chair.name.includes(`(${chair.seat})`) ? "" : chair.seat, seat === mine ? "you" : "", lost, chair.left && !lost ? "has left" : ""];
    const looks = chair.free ? [dot] : [make("span", { className: "looks" }, face(chair.name, Boolean(chair.bot && !chair.owned)), dot)];
    found.append(...looks, make("span", { className: "who" }, name, " ", ...level, make("span", { className: "dim", textContent: more.filter(Boolean).join(", ") })));
    if (this.hasWon(seat)) found.append(make("span", { className: "score", textContent: "♛", title: "has won" }));
    if (this.news.clock !== "none" && stage !== "over") found.append(make("span", { className: "clock" }));
    if (chair.asked) found.append(make("span", { className: "sr", textContent: "to answer" }));
    const way = chair.ways?.[seat === mine ? "owner" : mine >= 0 ? "player" : "guest"];
    if (way && this.start.known) found.append(this.form(...way, { seat }, seat === mine ? "strong" : ""));
    return found;
  }

  matters(news, mine) {
    const found = [];
    const line = (text, ...more) => found.push(make("div", { className: "matter" }, make("span", { textContent: text }), ...more));
    if (this.said.length) found.push(make("div", { className: "matter advice" }, make("span", {}, ...linked(this.said, this.start.game))));
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
      } else line(`The time of ${who} is over.`);
    }
    return found;
  }

  hasWon(seat) {
    return Boolean(this.news.result && this.news.seats.length > 1 && this.news.result.winners.includes(seat));
  }

  // Who has won and why, the standings, and what can be done next.
  end(news, mine, isFirst) {
    const told = news.result?.seats || [];
    const seats = news.seats.map((chair, seat) => ({ name: chair.name, has: told[seat] || chair.seat, won: this.hasWon(seat), score: news.score?.[seat] ?? 0, rating: news.ratings?.[seat] }));
    const hasPlaces = new Set(seats.map(({ score }) => score)).size > 2; // otherwise everybody but the winners has lost alike
    const rows = seats.sort((a, b) => b.score - a.score).map(({ name, has, won, score, rating }) => make("li", { className: won ? "won" : "" }, make("span", { className: "place", textContent: won ? "♛" : hasPlaces ? `${1 + seats.filter((other) => other.score > score).length}.` : "" }), make("b", { textContent: name }), make("span", { className: "dim", textContent: has }), ...(rating ? [ratingOf(rating)] : [])));
    renew($("end-seats"), news.score && news.score.length > 1 ? rows : []);
    const onward = this.start.solo ? "To the new one" : "To the rematch";
    const again = news.next && mine < 0
      ? make("a", { className: "button strong", href: `/tables/${news.next}`, textContent: onward })
      : this.form("rematch", news.next ? onward : this.start.solo ? "Again" : "Rematch", {}, document.querySelector(".after .strong") && !news.next ? "" : "strong");
    const way = (path, textContent) => make("a", { className: "button", href: `/tables/${this.start.table}/${path}`, textContent });
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
  say(text) {
    this.said = text;
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
      const clock = $("seats").children[seat]?.querySelector(".clock");
      if (!clock) return;
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
