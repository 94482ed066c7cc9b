"use strict";

Sections.push({
  id: "summary",
  title: "Result",
  wide: true,

  missing(subject) {
    return subject.best === null
      ? `No configuration was measured: ${plural(subject.failed.length, "configuration")} failed or were dropped. The failures below say why.`
      : null;
  },

  draw(body, subject) {
    const tile = (value, text) => element("div", { class: "tile" }, element("b", {}, value), element("span", {}, text));
    const tiles = [tile(timeText(subject.bestTime()), "best time")];
    if (subject.default !== null && subject.time(subject.default) !== null) {
      const gain = subject.time(subject.default) / subject.bestTime();
      const bound = subject.isDropped(subject.default) ? "about " : "";
      tiles.push(tile(`${bound}${digits(gain)}x`, "as fast as the default"));
    }
    if (subject.form.roof_time_ns > 0) {
      tiles.push(tile(percent(subject.roofShare(subject.best)), `of the ${subject.form.binding_roof} roof`));
    }
    const { flops, bytes } = subject.work;
    if (flops > 0) tiles.push(tile(withPrefix(flops / (subject.bestTime() * 1e-9), "FLOP/s"), "arithmetic"));
    if (bytes > 0) tiles.push(tile(withPrefix(bytes / (subject.bestTime() * 1e-9), "B/s"), "useful bandwidth"));
    tiles.push(tile(subject.measured.length.toLocaleString("en"), "measured"));
    if (subject.dropped.length > 0) tiles.push(tile(subject.dropped.length.toLocaleString("en"), "dropped as slower"));
    if (subject.failed.length > 0) tiles.push(tile(subject.failed.length.toLocaleString("en"), "failed"));
    if (subject.form.sample) body.append(element("p", {}, `All below is drawn from ${subject.form.sample}.`));
    body.append(element("div", { class: "tiles" }, ...tiles), this.comparison(subject));
  },

  comparison(subject) {
    const other = subject.default !== null && subject.default !== subject.best ? subject.default : null;
    const rows = other === null ? [subject.best] : [other, subject.best];
    const heading = other === null ? ["parameter", "best"] : ["parameter", "default", "best"];
    const right = [1, 2];
    const parameters = subject.parameters.map((parameter, p) => {
      const cells = rows.map((row) => subject.value(p, row));
      const differs = new Set(cells).size > 1;
      return [parameter.name, ...cells.map((cell) => (differs ? element("strong", {}, cell) : cell))];
    });
    const figures = [["time", ...rows.map((row) => subject.timeText(row))]];
    for (const [name, text] of Object.entries(resourceNames)) {
      if (rows.every((row) => subject.resource(name, row) === null)) continue;
      figures.push([text, ...rows.map((row) => resourceText(name, subject.resource(name, row)))]);
    }
    const counted = subject.counterNames
      .filter((name) => name in subject.metrics && rows.some((row) => subject.counter(name, row) !== null));
    const counterTable = (names) => table(["counter", ...heading.slice(1)], names.map((name) => {
      const metric = subject.metric(name);
      return [element("span", { title: `${name}: ${metric.description}` }, metric.title),
        ...rows.map((row) => metricText(metric.unit, subject.counter(name, row)))];
    }), right);
    const core = counted.filter((name) => subject.metric(name).core);
    const others = counted.filter((name) => !subject.metric(name).core);
    const tables = [table(heading, parameters, right), table(["launch", ...heading.slice(1)], figures, right)];
    if (core.length > 0) tables.push(counterTable(core));
    if (others.length > 0) {
      tables.push(element("details", { class: "others" },
        element("summary", {}, plural(others.length, "further counter")), counterTable(others)));
    }
    return element("div", { class: "tables" }, ...tables);
  },
});
