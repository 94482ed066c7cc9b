"use strict";

Sections.push({
  id: "summary",
  title: "Result",
  wide: true,

  missing(workload) {
    return workload.best === null
      ? `No configuration was measured: ${plural(workload.failed.length, "configuration")} failed or were dropped. The section on failures says why.`
      : null;
  },

  draw(body, workload) {
    const tile = (value, text) => element("div", { class: "tile" }, element("b", {}, value), element("span", {}, text));
    const tiles = [tile(timeText(workload.bestTime()), "best time")];
    if (workload.default !== null && workload.time(workload.default) !== null) {
      const gain = workload.time(workload.default) / workload.bestTime();
      const bound = workload.isDropped(workload.default) ? "about " : "";
      tiles.push(tile(`${bound}${digits(gain)}x`, "as fast as the default"));
    }
    if (workload.form.roof_time_ns > 0) {
      tiles.push(tile(percent(workload.roofShare(workload.best)), `of the ${workload.form.binding_roof} roof, by the work of [work]`));
    }
    const { flops, bytes } = workload.work;
    if (flops > 0) tiles.push(tile(withPrefix(flops / (workload.bestTime() * 1e-9), "FLOP/s"), "arithmetic"));
    if (bytes > 0) tiles.push(tile(withPrefix(bytes / (workload.bestTime() * 1e-9), "B/s"), "useful bandwidth"));
    tiles.push(tile(workload.measured.length.toLocaleString("en"), "measured"));
    if (workload.dropped.length > 0) tiles.push(tile(workload.dropped.length.toLocaleString("en"), "dropped as too slow"));
    if (workload.failed.length > 0) tiles.push(tile(workload.failed.length.toLocaleString("en"), "failed"));
    if (workload.form.sample) body.append(element("p", {}, `This page shows ${workload.form.sample}.`));
    if (workload.rows.replayed?.[workload.best]) {
      body.append(element("p", {}, "The best time was replayed from a recording. No GPU of this database's machine measured it."));
    }
    if (workload.rows.imported?.[workload.best]) {
      body.append(element("p", {}, "The best time was imported from a file. warptune has neither measured nor verified it."));
    }
    body.append(element("div", { class: "tiles" }, ...tiles), this.comparison(workload), Copies.buttons(workload, workload.best, "the best"));
  },

  comparison(workload) {
    const other = workload.default !== null && workload.default !== workload.best ? workload.default : null;
    const rows = other === null ? [workload.best] : [other, workload.best];
    const heading = other === null ? ["parameter", "best"] : ["parameter", "default", "best"];
    const right = [1, 2];
    const parameters = workload.parameters.map((parameter, p) => {
      const cells = rows.map((row) => workload.value(p, row));
      const differs = new Set(cells).size > 1;
      return [parameter.name, ...cells.map((cell) => (differs ? element("strong", {}, cell) : cell))];
    });
    const figures = [["time", ...rows.map((row) => workload.timeText(row))]];
    for (const [name, text] of Object.entries(resourceNames)) {
      if (rows.every((row) => workload.resource(name, row) === null)) continue;
      figures.push([text, ...rows.map((row) => resourceText(name, workload.resource(name, row)))]);
    }
    const counted = workload.counterNames
      .filter((name) => name in workload.metrics && rows.some((row) => workload.counter(name, row) !== null));
    const counterTable = (caption, names) => table(caption, ["counter", ...heading.slice(1)], names.map((name) => {
      const metric = workload.metric(name);
      return [element("span", { title: `${name}: ${metric.description}` }, metric.title),
        ...rows.map((row) => metricText(metric.unit, workload.counter(name, row)))];
    }), right);
    const core = counted.filter((name) => workload.metric(name).core);
    const others = counted.filter((name) => !workload.metric(name).core);
    const tables = [table(other === null ? "Parameters of the best" : "Parameters; those that differ are bold", heading, parameters, right), table("The launch and its resources", ["launch", ...heading.slice(1)], figures, right)];
    if (core.length > 0) tables.push(counterTable("Counters of one launch", core));
    if (others.length > 0) {
      tables.push(element("details", { class: "others" },
        element("summary", {}, plural(others.length, "further counter")), counterTable("Further counters", others)));
    }
    return element("div", { class: "tables" }, ...tables);
  },
});
