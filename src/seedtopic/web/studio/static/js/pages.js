// Rows of a long list, loaded a page at a time when they become visible.

const SIZE = 100;
const KEPT = 40;

export class Pages {
  // `fetchPage(offset, limit)` returns a promise of { total, documents }.
  constructor(fetchPage, onArrival) {
    this.fetchPage = fetchPage;
    this.onArrival = onArrival;
    this.pages = new Map();
    this.asked = new Set();
    this.total = this.checked = this.confirmable = 0;
    this.queue = null; // the progress of the queue, if these are its rows
  }

  row(index) {
    return this.pages.get(Math.floor(index / SIZE))?.[index % SIZE];
  }

  // Loads the missing rows between two rows.
  async need(first, last) {
    const numbers = [];
    for (let page = Math.floor(first / SIZE); page <= Math.floor(last / SIZE); page += 1) numbers.push(page);
    await Promise.all(numbers.map((number) => this.#load(number)));
  }

  async #load(number) {
    if (this.pages.has(number) || this.asked.has(number)) return;
    this.asked.add(number);
    try {
      const found = await this.fetchPage(number * SIZE, SIZE);
      const { total, checked = 0, confirmable = 0, queue = null } = found;
      Object.assign(this, { total, checked, confirmable, queue });
      this.pages.set(number, found.documents);
      if (this.pages.size > KEPT) this.pages.delete(this.pages.keys().next().value);
      this.onArrival(this);
    } finally {
      this.asked.delete(number);
    }
  }

  indexOf(id) {
    for (const [number, rows] of this.pages) {
      const place = rows.findIndex((row) => row.id === id);
      if (place >= 0) return number * SIZE + place;
    }
    return -1;
  }
}
