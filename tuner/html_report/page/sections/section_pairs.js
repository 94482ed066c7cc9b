"use strict";

Sections.push({
  id: "pairs",
  title: "Pairs of parameters",
  short: "Pairs",

  missing(workload) {
    return workload.measured.length < 2 || workload.varied.length < 2
      ? "A map of two parameters needs two that vary among the measured configurations." : null;
  },

  draw(body, workload) {
    const names = workload.varied.map((p) => [String(p), workload.parameters[p].name]);
    const [down, across] = this.start(workload);
    const state = Kept.of(this.id, { down, across, figure: "best" });
    const place = element("div");
    const draw = () => place.replaceChildren(this.map(workload, Number(state.down), Number(state.across), state.figure));
    const change = (member) => (value) => { state[member] = value; draw(); };
    body.append(
      element("div", { class: "choices" },
        choice("Down", names, state.down, change("down")),
        choice("Across", names, state.across, change("across")),
        choice("Show", Object.entries(this.figures), state.figure, change("figure"))),
      place);
    draw();
  },

  // The two parameters with the largest difference between the best times of their values.
  start(workload) {
    const effects = Sections.find((section) => section.id === "effects");
    const order = workload.varied.map((p) => effects.statistics(workload, p)).filter((panel) => panel.values.length > 0)
      .sort((a, b) => b.reach - a.reach).map((panel) => String(panel.parameter));
    return [order[0], order[1] ?? order[0]];
  },

  figures: { best: "Best time", median: "Median time", count: "Number of configurations" },

  map(workload, down, across, figure) {
    const cells = new Map();
    for (const row of workload.timed) {
      const key = `${workload.rows.choices[down][row]},${workload.rows.choices[across][row]}`;
      if (!cells.has(key)) cells.set(key, []);
      cells.get(key).push(row);
    }
    const figures = new Map([...cells].map(([key, rows]) => [key, this.figure(workload, rows, figure)]));
    const [low, high] = Charts.limits([...figures.values()], true, 0);
    const values = (parameter) => workload.parameters[parameter].values
      .map((value, v) => [v, String(value)])
      .filter(([v]) => workload.timed.some((row) => workload.rows.choices[parameter][row] === v));
    const head = element("tr", {}, element("th", { class: "corner" }, `${workload.parameters[across].name} →`, element("br"), `${workload.parameters[down].name} ↓`),
      ...values(across).map(([, text]) => element("th", { scope: "col" }, text)));
    const body = values(down).map(([v, text]) => element("tr", {}, element("th", { scope: "row" }, text),
      ...values(across).map(([w]) => this.cell(workload, cells.get(`${v},${w}`), figures.get(`${v},${w}`), figure, low, high))));
    const title = `${this.figures[figure]} by ${workload.parameters[down].name} and ${workload.parameters[across].name}`;
    const unit = figure === "count" ? "" : `, in ${workload.unit[0]}`;
    return scrolling(title, element("table", { class: "map" },
      captionOf(`${title}${unit}. A stronger colour is better. Click a cell for its fastest configuration.`),
      element("thead", {}, head), element("tbody", {}, ...body)));
  },

  figure(workload, rows, figure) {
    if (figure === "count") return rows.length;
    const times = rows.map((row) => workload.time(row)).sort((a, b) => a - b);
    return figure === "best" ? times[0] : quantile(times, 0.5);
  },

  cell(workload, rows, value, figure, low, high) {
    if (rows === undefined) return element("td", { class: "none", title: "no valid configuration was measured" }, "–");
    const share = high > low ? Math.log(value / low) / Math.log(high / low) : 0;
    // The colour is strong where the value is good: fast, or often measured.
    const strength = figure === "count" ? share : 1 - share;
    const text = figure === "count" ? value.toLocaleString("en") : allDigits(value / workload.unit[1], 4);
    const relative = figure === "count" ? "" : `, ${digits(value / workload.bestTime())} x the best`;
    const button = element("button", { type: "button", onclick: () => Detail.show(workload, rows[0]) }, text);
    return element("td", {
      style: `--strength:${(6 + 49 * strength).toFixed(0)}%`,
      title: `${plural(rows.length, "configuration")}${relative}; the fastest: ${workload.configuration(rows[0]).join(" ")}`,
    }, button);
  },
});
