// The lobby's lists stay as they are on the server: asked for again while somebody looks, and changed where they have.

const EVERY = 3000;

async function renewLists() {
  if (document.hidden) return;
  const answer = await fetch("/lobby", { headers: { accept: "text/html" }, cache: "no-cache" });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const list of document.querySelectorAll("[data-lobby]")) {
    const news = fresh.querySelector(`[data-lobby="${list.dataset.lobby}"]`);
    if (!news || news.innerHTML.trim() === list.innerHTML.trim()) continue;
    const focus = list.contains(document.activeElement) && document.activeElement.getAttribute("href");
    list.replaceChildren(...news.childNodes);
    if (focus) list.querySelector(`[href="${focus}"]`)?.focus();
  }
}

const ask = () => renewLists().catch(() => { /* the server is away; the next time it may be back */ });
setInterval(ask, EVERY);
document.addEventListener("visibilitychange", ask);
document.documentElement.dataset.ready = "yes";
