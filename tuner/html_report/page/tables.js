"use strict";

// A table with a caption. Cells are texts or elements. Columns listed in `right` are aligned to the right.
function table(caption, heading, rows, right = [], properties = {}) {
  const sided = (index) => (right.includes(index) ? { class: "number" } : {});
  const head = heading.map((cell, index) => element("th", { scope: "col", ...sided(index) }, cell));
  const body = rows.map((row) =>
    element("tr", {}, ...row.map((cell, index) =>
      index === 0 ? element("th", { scope: "row" }, cell) : element("td", sided(index), cell))));
  return scrolling(caption, element("table", properties, captionOf(caption),
    element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
}

// The caption of a table. It stays where it is while the table scrolls.
function captionOf(text) {
  return element("caption", {}, element("span", {}, text));
}

// Puts a wide part into a frame that scrolls sideways. Shadows and a line of text show at which sides there is more. Only a
// frame with more to show can have the focus.
function scrolling(name, part) {
  const inner = element("div", { class: "scroll", role: "group", "aria-label": name }, part);
  const hint = element("p", { class: "more", hidden: true }, "There is more to the side: scroll, or use the arrow keys.");
  const frame = element("div", { class: "frame" }, element("div", { class: "window" }, inner), hint);
  const mark = () => {
    const room = inner.scrollWidth - inner.clientWidth;
    frame.classList.toggle("more-left", inner.scrollLeft > 1);
    frame.classList.toggle("more-right", inner.scrollLeft < room - 1);
    inner.style.setProperty("--frame", `${inner.clientWidth}px`);
    hint.hidden = room <= 1;
    if (room > 1) inner.tabIndex = 0;
    else inner.removeAttribute("tabindex");
  };
  inner.addEventListener("scroll", mark, { passive: true });
  const watch = new ResizeObserver(mark);
  watch.observe(inner);
  watch.observe(part);
  return frame;
}
