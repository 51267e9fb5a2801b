// The contents: the section on the screen is marked; a click closes the list where it covers the page.
{
  const contents = document.getElementById("contents");
  const links = new Map([...contents.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const onScreen = new Set();
  const watch = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      if (isIntersecting) onScreen.add(target.id);
      else onScreen.delete(target.id);
    }
    const current = [...links.keys()].find((id) => onScreen.has(id));
    for (const [id, link] of links) link.ariaCurrent = id === current ? "true" : null;
  }, { rootMargin: "-10% 0px -60% 0px" });
  for (const id of links.keys()) watch.observe(document.getElementById(id));
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") && contents.matches(":popover-open")) contents.hidePopover();
  });
}
