// Requests to the studio. Two kinds of failure are kept apart: the studio refuses, with a sentence (Refused),
// or it cannot be reached (Unreachable).

import { Stream } from "./stream.js";
import { token } from "./token.js";

const MOST_BYTES = 1_000_000; // LARGEST_BODY of web/studio/app.py
const MOST_KEPT_ALIVE = 60_000; // bytes; 64 KiB for all running requests together

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
    return "This address is no longer valid: open the address that the studio printed when it started.";
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

// A request in flight outlives a closed tab, if the browser allows it; the browser refuses larger ones.
// A body that is too large for the studio is not sent: the studio would close the connection while reading it.
export async function post(path, content) {
  const body = new Blob([JSON.stringify(content)]);
  if (body.size > MOST_BYTES) throw new Refused(413, "It is larger than 1 MB, the most that the studio accepts.");
  const headers = { "Content-Type": "application/json" };
  const keepalive = body.size <= MOST_KEPT_ALIVE;
  return (await answer(path, { method: "POST", headers, body, keepalive })).json();
}

// A file, as { blob, name }.
export async function file(path, parameters) {
  const response = await answer(`${path}?${new URLSearchParams(parameters)}`);
  const name = /filename="?([^";]+)"?/.exec(response.headers.get("Content-Disposition") ?? "")?.[1];
  return { blob: await response.blob(), name };
}

export const events = () => new Stream("/api/events", { "X-Seedtopic-Token": token });
