"use strict";

// The panel that shows one configuration whole, beside the best.
const Detail = {
  show(subject, row) {
    const dialog = document.getElementById("detail");
    const best = subject.best ?? row;
    const others = row === best ? [row] : [row, best];
    const parameters = subject.parameters.map((parameter, p) => {
      const cells = others.map((other) => subject.value(p, other));
      const differs = new Set(cells).size > 1;
      return [parameter.name, ...cells.map((cell) => (differs ? element("strong", {}, cell) : cell))];
    });
    const figures = [["time", ...others.map((other) => subject.timeText(other))]];
    if (subject.form.roof_time_ns > 0) {
      figures.push(["of the roof", ...others.map((other) => percent(subject.roofShare(other)))]);
    }
    for (const [name, text] of Object.entries(resourceNames)) {
      if (subject.resource(name, row) !== null) {
        figures.push([text, ...others.map((other) => resourceText(name, subject.resource(name, other)))]);
      }
    }
    for (const name of subject.counterNames) {
      const metric = subject.metric(name);
      figures.push([metric.title, ...others.map((other) => metricText(metric.unit, subject.counter(name, other)))]);
    }
    const heading = ["", "this", ...(others.length > 1 ? ["best"] : [])];
    const command = subject.configuration(row).join(" ");
    dialog.replaceChildren(
      element("div", { class: "bar" },
        element("h2", { id: "detail-title" }, subject.heading(row)),
        element("button", { type: "button", onclick: () => dialog.close() }, "Close")),
      element("p", { class: "configuration" }, command),
      table(heading, parameters.concat(figures), [1, 2]));
    if (!dialog.open) dialog.show();
  },
};

const resourceNames = {
  registers_per_thread: "registers a thread",
  shared_bytes: "shared bytes a block",
  local_bytes: "local bytes a thread",
  threads_per_block: "threads a block",
  blocks: "blocks",
  blocks_per_sm: "blocks an SM",
  theoretical_occupancy: "occupancy limit",
};

function resourceText(name, value) {
  if (value === null) return "-";
  return name === "theoretical_occupancy" ? (value > 0 ? `${digits(100 * value)} %` : "-") : value.toLocaleString("en");
}
