"use strict";

// The panel that shows everything about one configuration, next to the best one.
const Detail = {
  show(workload, row) {
    const dialog = document.getElementById("detail");
    const best = workload.best ?? row;
    const others = row === best ? [row] : [row, best];
    const parameters = workload.parameters.map((parameter, p) => {
      const cells = others.map((other) => workload.value(p, other));
      const differs = new Set(cells).size > 1;
      return [parameter.name, ...cells.map((cell) => (differs ? element("strong", {}, cell) : cell))];
    });
    const figures = [["time", ...others.map((other) => workload.timeText(other))]];
    if (workload.form.roof_time_ns > 0) {
      figures.push(["of the roof", ...others.map((other) => percent(workload.roofShare(other)))]);
    }
    for (const [name, text] of Object.entries(resourceNames)) {
      if (workload.resource(name, row) !== null) {
        figures.push([text, ...others.map((other) => resourceText(name, workload.resource(name, other)))]);
      }
    }
    for (const name of workload.counterNames) {
      const metric = workload.metric(name);
      figures.push([metric.title, ...others.map((other) => metricText(metric.unit, workload.counter(name, other)))]);
    }
    const heading = ["", "this", ...(others.length > 1 ? ["best"] : [])];
    const command = workload.configuration(row).join(" ");
    dialog.replaceChildren(
      element("div", { class: "bar" },
        element("h2", { id: "detail-title" }, workload.heading(row)),
        element("button", { type: "button", onclick: () => dialog.close() }, "Close")),
      element("p", { class: "configuration" }, command),
      table(heading, parameters.concat(figures), [1, 2]));
    if (!dialog.open) dialog.show();
  },
};

const resourceNames = {
  registers_per_thread: "registers per thread",
  shared_bytes: "shared bytes per block",
  local_bytes: "local bytes per thread",
  threads_per_block: "threads per block",
  blocks: "blocks",
  blocks_per_sm: "blocks per SM",
  theoretical_occupancy: "occupancy limit",
};

function resourceText(name, value) {
  if (value === null) return "-";
  return name === "theoretical_occupancy" ? (value > 0 ? `${digits(100 * value)} %` : "-") : value.toLocaleString("en");
}
