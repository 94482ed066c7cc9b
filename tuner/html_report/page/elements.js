"use strict";

// Makes an element with properties and children. Text becomes text nodes, so that no name or value can add markup.
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

// A drop-down list with a label. `options` are [value, text] pairs. `chosen` is called with the value at each change.
function choice(label, options, value, chosen) {
  const select = element("select", { onchange: () => chosen(select.value) },
    ...options.map(([key, text]) => element("option", { value: key }, text)));
  select.value = value;
  return element("label", { class: "choice" }, label + " ", select);
}

function button(text, pressed, properties = {}) {
  return element("button", { type: "button", onclick: pressed, ...properties }, text);
}

// A name that may wrap after its underscores.
function breakable(name) {
  return element("span", {}, ...name.split(/(?<=_)/).flatMap((part, i) => (i === 0 ? [part] : [element("wbr"), part])));
}

function paragraph(text, kind = "note") {
  return element("p", { class: kind }, text);
}

// Says a text to screen readers.
function speak(text) {
  document.getElementById("spoken").textContent = text;
}

// The sections of the page in their order. Each is { id, title, short, wide, hidden(), missing(workload), draw(body, workload) }.
// `short` is the title in the contents. A section that is `hidden` has no card. `missing` returns null if the section can be
// drawn. Otherwise it returns the line that says what is missing and what to do.
const Sections = [];
