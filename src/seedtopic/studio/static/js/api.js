// Requests to the studio. Two things can go wrong, and they are told apart: the studio says no, with a
// sentence (Refused), or it cannot be reached (Unreachable).

const MOST_KEPT_ALIVE = 60_000; // bytes; the limit, 64 KiB, is for all requests of a page together
const token = new URLSearchParams(location.search).get("token") ?? "";

export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

export class Unreachable extends Error {}

async function answer(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { ...options.headers, "X-Seedtopic-Token": token } });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Unreachable("The studio cannot be reached.");
  }
  if (response.ok) return response;
  if (response.status === 503) throw new Unreachable("The studio is not ready.");
  throw new Refused(response.status, await sentence(response));
}

async function sentence(response) {
  if (response.status === 403) {
    return "This address is no longer valid: open the one that the studio printed when it was started.";
  }
  try {
    return (await response.json()).error ?? `The studio answered with status ${response.status}.`;
  } catch {
    return `The studio answered with status ${response.status}.`;
  }
}

export async function get(path, parameters = {}, signal = undefined) {
  const query = new URLSearchParams(parameters).toString();
  return (await answer(query ? `${path}?${query}` : path, { signal })).json();
}

// A request in flight outlives a closed tab, unless it is so large that browsers refuse to send it that way.
export async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  const sent = new Blob([JSON.stringify(body)]);
  return (await answer(path, { method: "POST", headers, body: sent, keepalive: sent.size <= MOST_KEPT_ALIVE })).json();
}

// A file, as { blob, name }.
export async function file(path, parameters) {
  const response = await answer(`${path}?${new URLSearchParams(parameters)}`);
  const name = /filename="?([^";]+)"?/.exec(response.headers.get("Content-Disposition") ?? "")?.[1];
  return { blob: await response.blob(), name };
}

export const events = () => new EventSource(`/api/events?${new URLSearchParams({ token })}`);
