"use strict";

// Makes an element with properties and children. Text becomes text nodes only: no name or value can bring markup.
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && typeof value !== "string") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// A table of cells that are texts or elements; columns listed in `right` stand to the right.
function table(heading, rows, right = [], properties = {}) {
  const sided = (index) => (right.includes(index) ? { class: "number" } : {});
  const head = heading.map((cell, index) => element("th", { scope: "col", ...sided(index) }, cell));
  const body = rows.map((row) =>
    element("tr", {}, ...row.map((cell, index) =>
      index === 0 ? element("th", { scope: "row" }, cell) : element("td", sided(index), cell))));
  return element("div", { class: "scroll", tabindex: "0" },
    element("table", properties, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
}

// A labelled choice; `options` are [value, text] pairs. `chosen` gets the value now and at each change.
function choice(label, options, value, chosen) {
  const select = element("select", { onchange: () => chosen(select.value) },
    ...options.map(([key, text]) => element("option", { value: key }, text)));
  select.value = value;
  return element("label", { class: "choice" }, label + " ", select);
}

// A name that may break behind its underscores.
function breakable(name) {
  return element("span", {}, ...name.split(/(?<=_)/).flatMap((part, i) => (i === 0 ? [part] : [element("wbr"), part])));
}

function paragraph(text, kind = "note") {
  return element("p", { class: kind }, text);
}

// The parts of the page in their order, each { id, title, short, wide, missing(subject), draw(body, subject) }: `short` is the title among the
// contents; `missing` gives
// the line that says what is not known and what to do, or null.
const Sections = [];
