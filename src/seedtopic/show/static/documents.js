// Documents can be searched and opened all at once; a category without a document that is found is hidden, too.
for (const list of document.querySelectorAll(".documents")) {
  const documents = [...list.querySelectorAll("details")];
  const tools = Object.assign(document.createElement("div"), { className: "tools" });
  const every = Object.assign(document.createElement("button"), { type: "button", textContent: "Open all" });
  every.addEventListener("click", () => {
    const open = !documents.every((one) => one.open);
    for (const one of documents) one.open = open;
  });
  list.addEventListener("toggle", () => {
    every.textContent = documents.every((one) => one.open) ? "Close all" : "Open all";
  }, true);
  list.before(tools);
  addSearch(tools, "documents", documents);
  tools.append(every);
  tools.addEventListener("input", () => {
    for (const group of list.querySelectorAll(".group")) {
      group.hidden = ![...group.querySelectorAll("details")].some((one) => !one.hidden);
    }
  });
}
