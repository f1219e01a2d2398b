// A first game: each situation is explained once, one at a time. The browser remembers which.

const told = { table: "", names: [], last: "" };

function recall(table) {
  try { Object.assign(told, JSON.parse(localStorage.getItem("explained") || "{}")); } catch { /* private windows may keep nothing */ }
  if (told.table !== table) Object.assign(told, { table, names: [], last: "" });
}

function keep() {
  try { localStorage.setItem("explained", JSON.stringify(told)); } catch { /* then it may be explained again */ }
}

// The first situation that has not been explained at this table. A page that is loaded again shows the last one again
// while it lasts.
export function newest(situations, table, isLoaded) {
  recall(table);
  const found = (isLoaded && situations.find(({ name }) => name === told.last))
    || situations.find(({ name }) => !told.names.includes(name));
  if (!found) return null;
  told.names = [...new Set([...told.names, found.name])];
  told.last = found.name;
  keep();
  return found;
}
