// Tables are sorted by a click on a heading, and can be searched.
{
  const compareTexts = new Intl.Collator("en", { numeric: true }).compare;

  function sortBy(table, column, descending) {
    const value = (row) => {
      const { dataset, textContent } = row.cells[column];
      return dataset.value === undefined ? textContent.trim() : dataset.value && Number(dataset.value);
    };
    const rows = [...table.tBodies[0].rows].map((row) => [value(row), row]);
    rows.sort(([one], [other]) => {
      if (one === "" || other === "") return (one === "") - (other === ""); // what is not known comes last
      const order = typeof one === "number" && typeof other === "number" ? one - other : compareTexts(one, other);
      return descending ? -order : order;
    });
    table.tBodies[0].append(...rows.map(([, row]) => row));
    for (const head of table.tHead.rows[0].cells) head.removeAttribute("aria-sort");
    table.tHead.rows[0].cells[column].setAttribute("aria-sort", descending ? "descending" : "ascending");
  }

  for (const table of document.querySelectorAll("table.data")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (head.classList.contains("words")) return; // lists of words have no order
      const button = Object.assign(document.createElement("button"), { type: "button" });
      head.dataset.head = head.textContent; // for paper, on which a button is not repeated on each page
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const sorted = head.getAttribute("aria-sort");
        // Numbers begin with the largest, texts with A.
        sortBy(table, column, sorted ? sorted === "ascending" : head.classList.contains("number"));
      });
    });
    const tools = Object.assign(document.createElement("div"), { className: "tools" });
    table.before(tools);
    addSearch(tools, table.dataset.rows, [...table.tBodies[0].rows]);
  }
}
