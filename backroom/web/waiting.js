// Somebody who looks for an opponent waits at a new table, and polls for a better one.

const waiting = document.querySelector("[data-waiting]");
const offer = document.querySelector("[data-bot-offer]");
const EVERY = 4000;
const OFFERED_AFTER = 12000; // milliseconds until a bot is offered

async function look() {
  if (document.hidden || !waiting.isConnected) return;
  const { waiting: game, here, seats, pace } = waiting.dataset;
  const answer = await fetch(`/find/${game}`, { method: "POST", headers: { accept: "application/json" }, body: new URLSearchParams({ here, seats, pace }) });
  const { table } = await answer.json();
  if (table && table !== here) location.href = `/tables/${table}`;
}

if (waiting) {
  offer.hidden = true;
  setTimeout(() => { offer.hidden = false; }, OFFERED_AFTER);
  setInterval(() => look().catch(() => { /* the server is away; tried again */ }), EVERY);
}
