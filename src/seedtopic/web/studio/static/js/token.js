// The secret of the address, by which the studio knows its own page. It is taken out of the address at once, so
// that it is neither on the screen, nor in the history of the browser, nor sent to anybody. This tab keeps it,
// for a reload; other sites cannot read it, nor can servers on other ports of this machine.

const KEY = "seedtopic.token";

function given() {
  const found =
    new URLSearchParams(location.hash.slice(1)).get("token") ?? new URLSearchParams(location.search).get("token");
  if (found === null) return null;
  history.replaceState(history.state, "", location.pathname);
  return found;
}

function kept(found) {
  try {
    if (found !== null) sessionStorage.setItem(KEY, found);
    return found ?? sessionStorage.getItem(KEY) ?? "";
  } catch {
    return found ?? ""; // without storage, until the page is closed
  }
}

export const token = kept(given());

// The address of another studio on the same port differs in its secret only, which does not load the page again.
addEventListener("hashchange", () => {
  const found = given();
  if (found === null) return;
  kept(found);
  location.reload();
});
