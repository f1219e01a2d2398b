// A page that was made by another version of the server than the one it listens to is loaded again: once for each
// version, and with what was typed in it.

const RELOADED = "reloaded for"; // the versions for which this tab has been loaded again
const TYPED = "typed"; // what is typed again after that

export const versioned = (address) => `${address}${address.includes("?") ? "&" : "?"}version=${document.documentElement.dataset.version}`;

export function followVersion(stream) {
  stream.addEventListener("stale", (event) => {
    const { version } = JSON.parse(event.data);
    try {
      const done = JSON.parse(sessionStorage.getItem(RELOADED) || "[]");
      if (done.includes(version)) return;
      sessionStorage.setItem(RELOADED, JSON.stringify([...done, version]));
      sessionStorage.setItem(TYPED, JSON.stringify(typed()));
    } catch { return; } // a browser that keeps nothing would do it again and again
    stream.close();
    location.reload();
  });
}

const fields = () => [...document.querySelectorAll("form :is(input:not([type]), input[type=text], textarea)")];
const nameOf = (field) => `${field.form.getAttribute("action")} ${field.name}`;
const typed = () => fields().filter((field) => field.value !== field.defaultValue).map((field) => [nameOf(field), field.value, field === document.activeElement]);

function typeAgain() {
  try {
    const found = new Map(fields().map((field) => [nameOf(field), field]));
    for (const [name, value, hadFocus] of JSON.parse(sessionStorage.getItem(TYPED) || "[]")) {
      if (!found.has(name)) continue;
      found.get(name).value = value;
      if (hadFocus) found.get(name).focus({ preventScroll: true });
    }
    sessionStorage.removeItem(TYPED);
  } catch { /* a browser that keeps nothing */ }
}

typeAgain();
