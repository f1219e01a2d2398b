// Scripts for all pages: light or dark, forms that show what is needed, and the progress of compiling.
"use strict";

const theme = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
if (theme()) document.documentElement.dataset.theme = theme();

document.addEventListener("DOMContentLoaded", () => {
  document.documentElement.classList.add("scripted");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  document.querySelector("[data-theme-switch]")?.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
    const next = now === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    try { localStorage.setItem("theme", next); } catch { /* private windows may keep nothing */ }
  });
  const form = document.querySelector("[data-new-table]");
  if (form) watchForm(form);
  document.querySelector("[data-copy-link]")?.addEventListener("click", async ({ currentTarget: button }) => {
    const label = button.dataset.label ||= button.textContent;
    try { await navigator.clipboard.writeText(location.href); button.textContent = "Copied"; } catch { button.textContent = "Copy it from the address bar"; }
    setTimeout(() => { button.textContent = label; }, 2000); // the next click may copy another address
  });
  for (const button of document.querySelectorAll("[data-share]")) {
    button.hidden = !navigator.share;
    button.addEventListener("click", () => navigator.share({ title: button.dataset.title, url: button.dataset.share }).catch(() => { /* it was not shared */ }));
  }
  for (const form of document.querySelectorAll("form[data-waits]")) form.addEventListener("submit", wait);
  refill();
  document.addEventListener("submit", keep, true);
  const bar = document.querySelector("[data-compiling]");
  if (bar) watchCompiling(bar);
});

function watchForm(form) {
  const show = () => {
    const said = new FormData(form);
    const seats = Number(said.get("seats") || form.querySelectorAll("[data-seat]").length);
    for (const row of form.querySelectorAll("[data-seat]")) row.hidden = Number(row.dataset.seat) >= seats;
    for (const row of form.querySelectorAll("[data-clock]")) row.hidden = !row.dataset.clock.split(" ").includes(said.get("clock"));
    for (const row of form.querySelectorAll("[data-other]")) row.hidden = said.get(`option-${row.dataset.other}`) !== "*";
  };
  form.addEventListener("change", show);
  show();
}

// A form that is refused shows again what was typed into it, except passwords and files.
const KEPT = "typed";
const nameOf = (form) => `${form.getAttribute("action")} ${form.querySelector("[name=what]")?.value || ""}`;

function keep({ target: form }) {
  if (form.closest("[data-table]")) return; // a script sends this form and leaves it as it is
  const typed = [...new FormData(form)].filter(([name, value]) => typeof value === "string" && form.querySelector(`[name="${CSS.escape(name)}"]`)?.type !== "password");
  try { sessionStorage.setItem(KEPT, JSON.stringify({ form: nameOf(form), typed })); } catch { /* private windows may keep nothing */ }
}

function refill() {
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(KEPT));
    sessionStorage.removeItem(KEPT);
  } catch { return; }
  const form = kept && document.querySelector("main > .wrong") && [...document.forms].find((each) => nameOf(each) === kept.form);
  for (const [name, value] of form ? kept.typed : []) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement && field.type !== "hidden" && field.value !== value) field.value = value;
  }
}

// A form that starts a game: its button says that it waits, if rules must be compiled first, and submits when they are.
async function wait(event) {
  const form = event.target;
  const button = event.submitter;
  if (form.ariaBusy === "true") { event.preventDefault(); return; }
  const label = button?.textContent;
  const say = (text) => { if (button) button.textContent = text; };
  const stop = () => { form.ariaBusy = null; say(label); };
  form.ariaBusy = "true";
  addEventListener("pageshow", ({ persisted }) => { if (persisted) stop(); }); // going back in history finds the button as it was
  if (form.dataset.go || !document.querySelector("[data-compiling]")) { say("One moment\u2026"); return; }
  event.preventDefault();
  say("Starts by itself when the rules are ready\u2026");
  for (;;) {
    try {
      const news = await (await fetch("/compiling")).json();
      if (news.over || news.ready.includes(form.dataset.waits)) break;
    } catch { /* tried again */ }
    await new Promise((wake) => setTimeout(wake, 500));
  }
  stop();
  form.dataset.go = "yes";
  form.requestSubmit(button);
}

async function watchCompiling(bar) {
  for (;;) {
    await new Promise((wake) => setTimeout(wake, 700));
    let news;
    try { news = await (await fetch("/compiling")).json(); } catch { continue; }
    if (news.over && news.failed) { bar.textContent = news.failed; return; }
    if (news.over) { bar.remove(); return; }
    bar.querySelector("progress").max = news.steps || 1;
    bar.querySelector("progress").value = news.done;
    bar.querySelector("[data-doing]").textContent = news.doing;
  }
}
