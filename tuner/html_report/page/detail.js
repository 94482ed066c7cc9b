"use strict";

// The panel that shows everything about one configuration, next to the best one.
const Detail = {
  shown: null,

  show(workload, row) {
    const dialog = document.getElementById("detail");
    const best = workload.best ?? row;
    const others = row === best ? [row] : [row, best];
    const heading = ["", "this", ...(others.length > 1 ? ["best"] : [])];
    dialog.replaceChildren(
      element("div", { class: "bar" },
        element("h2", { id: "detail-title" }, workload.heading(row)),
        button("Close", Detail.close)),
      element("p", { class: "configuration" }, workload.configuration(row).join(" ")),
      Copies.buttons(workload, row, "this configuration"),
      table("This configuration beside the best", heading, Detail.parameters(workload, others).concat(Detail.figures(workload, others)), [1, 2]));
    Detail.from = dialog.open ? Detail.from : document.activeElement;
    if (!dialog.open) dialog.show();
    Detail.shown = { workload: workload.key, wanted: workload.named(row) };
    Links.write(workload, row);
  },

  // After newer data has come: shows the same configuration again, or closes the panel if the configuration is gone.
  again(workload, { workload: key, wanted }) {
    const row = workload.key === key ? workload.find(wanted) : null;
    if (row === null) Detail.close();
    else Detail.show(workload, row);
  },

  parameters(workload, rows) {
    return workload.parameters.map((parameter, p) => {
      const cells = rows.map((row) => workload.value(p, row));
      const differs = new Set(cells).size > 1;
      return [parameter.name, ...cells.map((cell) => (differs ? element("strong", {}, cell) : cell))];
    });
  },

  figures(workload, rows) {
    const lines = [["time", ...rows.map((row) => workload.timeText(row))]];
    if (workload.form.roof_time_ns > 0 && rows.every((row) => workload.time(row) !== null)) {
      lines.push(["of the roof", ...rows.map((row) => percent(workload.roofShare(row)))]);
    }
    for (const [name, text] of Object.entries(resourceNames)) {
      if (workload.resource(name, rows[0]) !== null) {
        lines.push([text, ...rows.map((row) => resourceText(name, workload.resource(name, row)))]);
      }
    }
    for (const name of workload.counterNames) {
      const metric = workload.metric(name);
      lines.push([metric.title, ...rows.map((row) => metricText(metric.unit, workload.counter(name, row)))]);
    }
    return lines;
  },

  // Closes the panel. The focus returns to the element that had it when the panel opened.
  close() {
    const dialog = document.getElementById("detail");
    if (!dialog.open) return;
    const inside = dialog.contains(document.activeElement);
    dialog.close();
    Detail.shown = null;
    Links.clear();
    if (inside && Detail.from?.isConnected) Detail.from.focus();
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
