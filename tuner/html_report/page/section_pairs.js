"use strict";

Sections.push({
  id: "pairs",
  title: "Pairs of parameters",
  short: "Pairs",

  missing(subject) {
    return subject.measured.length < 2 || subject.varied.length < 2
      ? "A map of two parameters needs two that vary among the measured configurations." : null;
  },

  draw(body, subject) {
    const names = subject.varied.map((p) => [String(p), subject.parameters[p].name]);
    const state = { down: this.start(subject)[0], across: this.start(subject)[1], figure: "best" };
    const place = element("div");
    const draw = () => place.replaceChildren(this.map(subject, Number(state.down), Number(state.across), state.figure));
    const change = (member) => (value) => { state[member] = value; draw(); };
    body.append(
      element("div", { class: "choices" },
        choice("Down", names, state.down, change("down")),
        choice("Across", names, state.across, change("across")),
        choice("Show", [["best", "best time"], ["median", "median time"], ["count", "number measured"]], "best", change("figure"))),
      place, paragraph(`Times in ${subject.unit[0]}; the stronger the colour the better. A cell shows its fastest configuration whole.`));
    draw();
  },

  // The two whose values' bests differ most.
  start(subject) {
    const effects = Sections.find((section) => section.id === "effects");
    const order = subject.varied.map((p) => effects.statistics(subject, p)).filter((panel) => panel.values.length > 0)
      .sort((a, b) => b.reach - a.reach).map((panel) => String(panel.parameter));
    return [order[0], order[1] ?? order[0]];
  },

  map(subject, down, across, figure) {
    const cells = new Map();
    for (const row of subject.timed) {
      const key = `${subject.rows.choices[down][row]},${subject.rows.choices[across][row]}`;
      if (!cells.has(key)) cells.set(key, []);
      cells.get(key).push(row);
    }
    const figures = new Map([...cells].map(([key, rows]) => [key, this.figure(subject, rows, figure)]));
    const [low, high] = Charts.limits([...figures.values()], true, 0);
    const values = (parameter) => subject.parameters[parameter].values
      .map((value, v) => [v, String(value)])
      .filter(([v]) => subject.timed.some((row) => subject.rows.choices[parameter][row] === v));
    const head = element("tr", {}, element("th", { class: "corner" }, `${subject.parameters[across].name} →`, element("br"), `${subject.parameters[down].name} ↓`),
      ...values(across).map(([, text]) => element("th", { scope: "col" }, text)));
    const body = values(down).map(([v, text]) => element("tr", {}, element("th", { scope: "row" }, text),
      ...values(across).map(([w]) => this.cell(subject, cells.get(`${v},${w}`), figures.get(`${v},${w}`), figure, low, high))));
    return element("div", { class: "scroll", tabindex: "0" },
      element("table", { class: "map" }, element("thead", {}, head), element("tbody", {}, ...body)));
  },

  figure(subject, rows, figure) {
    if (figure === "count") return rows.length;
    const times = rows.map((row) => subject.time(row)).sort((a, b) => a - b);
    return figure === "best" ? times[0] : quantile(times, 0.5);
  },

  cell(subject, rows, value, figure, low, high) {
    if (rows === undefined) return element("td", { class: "none", title: "no valid configuration was measured" }, "–");
    const share = high > low ? Math.log(value / low) / Math.log(high / low) : 0;
    // Strong where it is good: fast, or often measured.
    const strength = figure === "count" ? share : 1 - share;
    const text = figure === "count" ? value.toLocaleString("en") : allDigits(value / subject.unit[1], 4);
    const relative = figure === "count" ? "" : `, ${digits(value / subject.bestTime())} x the best`;
    const button = element("button", { type: "button", onclick: () => Detail.show(subject, rows[0]) }, text);
    return element("td", {
      style: `--strength:${(8 + 84 * strength).toFixed(0)}%`, class: strength > 0.5 ? "strong" : "",
      title: `${plural(rows.length, "configuration")}${relative}; the fastest: ${subject.configuration(rows[0]).join(" ")}`,
    }, button);
  },
});
