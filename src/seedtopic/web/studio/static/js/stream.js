// A stream of events, like EventSource, which cannot send headers: the secret would have to be in its address.

export class Stream extends EventTarget {
  #ended = new AbortController();

  constructor(path, headers) {
    super();
    this.#read(path, headers).catch(() => this.#fail());
  }

  close() {
    this.#ended.abort();
  }

  async #read(path, headers) {
    const response = await fetch(path, { headers, cache: "no-store", signal: this.#ended.signal });
    if (!response.ok) throw new Error(`status ${response.status}`);
    this.dispatchEvent(new Event("open"));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const events = (text + part.value).split("\n\n");
      text = events.pop();
      for (const event of events) this.#dispatch(event);
    }
    throw new Error("the stream has ended");
  }

  #dispatch(event) {
    const fields = Object.fromEntries(
      event.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trimStart()]),
    );
    if ("data" in fields) this.dispatchEvent(new MessageEvent(fields.event ?? "message", { data: fields.data }));
  }

  #fail() {
    if (!this.#ended.signal.aborted) this.dispatchEvent(new Event("error"));
  }
}
