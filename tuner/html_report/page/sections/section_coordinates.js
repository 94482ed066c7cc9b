"use strict";

// Parallel coordinates of the fastest configurations. A press on a value of an axis keeps the configurations with that value.
Sections.push({
  id: "coordinates",
  title: "Fastest configurations across the parameters",
  short: "Coordinates",
  wide: true,

  missing(workload) {
    return workload.timed.length < 2 || workload.varied.length < 2
      ? "Lines across the parameters need two configurations with a time and two parameters that vary." : null;
  },

  draw(body, workload) {
    const plot = new Coordinates(workload, body.clientWidth);
    const state = Kept.of(this.id, { share: workload.timed.length > 3000 ? "0.01" : "0.05", kept: new Map() });
    const most = Math.max(...plot.axes.map(({ used }) => used.length));
    const canvas = element("canvas", { tabindex: "0", role: "img", style: `width:${plot.width}px;height:${Math.max(280, 56 + 24 * most)}px`,
      "aria-label": "Parallel coordinates. Up and down arrows go from line to line by time, Enter shows one." });
    const values = element("div", { class: "axes" });
    const said = element("span", { role: "status" });
    const view = { workload, plot, state, canvas, values, said, marked: null };
    const draw = () => this.update(view);
    const shares = [["0.01", "1 %"], ["0.05", "5 %"], ["0.2", "20 %"], ["1", "all"]];
    body.append(element("div", { class: "choices" },
      choice("Fastest", shares, state.share, (value) => { state.share = value; draw(); }),
      button("All values", () => { state.kept.clear(); draw(); }),
      button("Show in the table", () => this.toTable(view))));
    body.append(element("figure", {},
      scrolling("Parallel coordinates", element("div", { class: "coordinates", style: `width:${plot.width}px` }, canvas, values)),
      element("figcaption", {}, element("span", {}, said, " A line is a configuration; the thick one is the best. Press a value to keep only its configurations, " +
        "a line to see its configuration. Faint lines are all configurations."), Pictures.button(this.title, () => Pictures.of(this.picture(view), `${this.title}: ${workload.title}`)))));
    for (let a = 0; a <= plot.axes.length; ++a) values.append(this.axis(view, a, draw));
    canvas.addEventListener("keydown", (event) => this.key(view, event));
    canvas.addEventListener("click", (event) => {
      const row = plot.nearest(event.offsetX, event.offsetY, canvas.clientHeight);
      if (row !== null) this.mark(view, row);
      if (row !== null) Detail.show(workload, row);
    });
    draw();
  },

  // Keeps the fastest of those rows that have the pressed values.
  update(view) {
    const { workload, plot, state, canvas, said } = view;
    const fits = (row) => [...state.kept].every(([p, kept]) => kept.size === 0 || kept.has(workload.rows.choices[p][row]));
    const kept = workload.timed.filter(fits);
    plot.show(kept.slice(0, Math.max(1, Math.ceil(Number(state.share) * kept.length))));
    view.marked = null;
    plot.paint(canvas, null);
    const [fastest, slowest] = view.values.querySelectorAll(".times");
    fastest.textContent = timeText(plot.shown.length > 0 ? plot.fastest : null, 4);
    slowest.textContent = timeText(plot.shown.length > 0 ? plot.slowest : null, 4);
    for (const pressed of view.values.querySelectorAll("button")) {
      pressed.setAttribute("aria-pressed", String(state.kept.get(Number(pressed.dataset.parameter))?.has(Number(pressed.dataset.value)) ?? false));
    }
    const shown = plot.shown.length;
    said.textContent = kept.length === 0 ? "No configuration has all of these values."
      : `The ${shown === 1 ? "fastest" : `${shown.toLocaleString("en")} fastest`} of ${plural(kept.length, "configuration")}: ${workload.timeText(plot.shown[0])}` +
        `${shown > 1 ? ` to ${workload.timeText(plot.shown[shown - 1])}` : ""}.`;
  },

  // The name of an axis, and its values as buttons. Arrow keys go from value to value, so that an axis is one stop of Tab.
  axis(view, a, draw) {
    const { workload, plot, state, canvas } = view;
    const height = Number.parseFloat(canvas.style.height);
    const at = (share) => `top:${plot.y(share, height).toFixed(1)}px`;
    const axis = plot.axes[a];
    const style = `left:${plot.x(a)}px`;
    if (axis === undefined) {
      return element("div", { class: "axis", style }, element("b", {}, "time"),
        element("span", { class: "times", style: at(0) }), element("span", { class: "times", style: at(1) }));
    }
    const buttons = axis.used.map((v, i) => button(String(workload.parameters[axis.parameter].values[v]), () => {
      const kept = state.kept.get(axis.parameter) ?? new Set();
      if (!kept.delete(v)) kept.add(v);
      state.kept.set(axis.parameter, kept);
      draw();
    }, { style: at(axis.places.get(v)), "data-parameter": String(axis.parameter), "data-value": String(v), title: String(workload.parameters[axis.parameter].values[v]), tabindex: i === 0 ? "0" : "-1" }));
    const group = element("div", { class: "axis", style, role: "group", "aria-label": axis.name }, element("b", { title: axis.name }, breakable(axis.name)), ...buttons);
    group.addEventListener("keydown", (event) => this.walk(buttons, event));
    return group;
  },

  walk(buttons, event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = buttons.indexOf(document.activeElement);
    const next = buttons[at + step];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    buttons[at].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  },

  mark(view, row) {
    view.marked = row;
    view.plot.paint(view.canvas, row);
    speak([view.workload.heading(row), ...view.workload.lines(row)].join(", "));
  },

  key(view, event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 25, PageUp: -25, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Enter" && view.marked !== null) Detail.show(view.workload, view.marked);
    if (step === undefined || view.plot.shown.length === 0) return;
    event.preventDefault();
    const { shown } = view.plot;
    const last = shown.length - 1;
    const at = shown.indexOf(view.marked);
    this.mark(view, shown[Math.min(Math.max(at + step, 0), last)]);
  },

  // Filters the table by the pressed values.
  toTable({ workload, state }) {
    const quoted = (value) => (typeof value === "string" ? JSON.stringify(value) : String(value));
    const conditions = [...state.kept].filter(([, kept]) => kept.size > 0).map(([p, kept]) => {
      const { name, values } = workload.parameters[p];
      const parts = [...kept].map((v) => `${name} == ${quoted(values[v])}`);
      return parts.length > 1 ? `(${parts.join(" || ")})` : parts[0];
    });
    const table = Sections.find(({ id }) => id === "configurations");
    table.filterBy(conditions.join(" && "));
    document.getElementById("configurations").scrollIntoView();
    document.querySelector("#configurations input").focus({ preventScroll: true });
  },

  // The chart with the names and values of its axes, which are not part of the canvas on the page.
  picture({ workload, plot, canvas }) {
    const scale = canvas.width / canvas.clientWidth;
    const copy = element("canvas", { width: canvas.width, height: canvas.height });
    const ctx = copy.getContext("2d");
    ctx.scale(scale, scale);
    ctx.drawImage(canvas, 0, 0, plot.width, canvas.clientHeight);
    ctx.textAlign = "center";
    ctx.font = `11px ${Chart.defaults.font.family}`;
    ctx.lineWidth = 4;
    const write = (text, x, y) => {
      ctx.strokeStyle = Theme.colour("card");
      ctx.fillStyle = Theme.colour("text");
      ctx.strokeText(text, x, y);
      ctx.fillText(text, x, y);
    };
    plot.axes.forEach(({ parameter, name, used, places }, a) => {
      write(name, plot.x(a), 14);
      for (const v of used) write(String(workload.parameters[parameter].values[v]), plot.x(a), plot.y(places.get(v), canvas.clientHeight) + 4);
    });
    const last = plot.axes.length;
    write("time", plot.x(last), 14);
    write(timeText(plot.fastest, 3), plot.x(last), plot.y(0, canvas.clientHeight) - 4);
    write(timeText(plot.slowest, 3), plot.x(last), plot.y(1, canvas.clientHeight) + 12);
    Object.defineProperty(copy, "clientWidth", { value: plot.width });
    return copy;
  },
});
