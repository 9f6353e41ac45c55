/* Tables that are wider than the page: marks the edges beyond which more columns follow, for the style sheet, and makes
   the table focusable, so that it can be scrolled with the arrow keys. */
function watchWide(wide) {
  const heading = wide.querySelector("caption") ?? wide.closest("section")?.querySelector("h2, h3");
  const update = () => {
    const rest = wide.scrollWidth - wide.clientWidth;
    const scrollable = rest > 1;
    wide.classList.toggle("scrollable", scrollable);
    wide.classList.toggle("before", scrollable && wide.scrollLeft > 1);
    wide.classList.toggle("after", scrollable && wide.scrollLeft < rest - 1);
    const attributes = { tabindex: 0, role: "region", "aria-label": `${heading?.textContent ?? "table"}, scrollable` };
    for (const [name, value] of Object.entries(attributes)) {
      if (scrollable) wide.setAttribute(name, value);
      else wide.removeAttribute(name);
    }
  };
  wide.addEventListener("scroll", update, { passive: true });
  const observer = new ResizeObserver(update);
  observer.observe(wide);
  observer.observe(wide.firstElementChild);
}

document.querySelectorAll(".wide").forEach(watchWide);
