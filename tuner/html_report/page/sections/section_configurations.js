"use strict";

Sections.push({
  id: "configurations",
  title: "Configurations",
  wide: true,

  missing(workload) {
    return workload.timed.length === 0 ? "No configuration has a time." : null;
  },

  // The columns, each as [title, right, text(row), value(row) for sorting, hint].
  columns(workload) {
    const columns = [
      ["time", true, (row) => workload.timeText(row), (row) => workload.time(row), "median"],
      ["x best", true, (row) => (workload.isDropped(row) ? "-" : workload.relative(row).toFixed(3)), (row) => workload.time(row), "time over the best time"],
    ];
    if (workload.form.roof_time_ns > 0) {
      columns.push(["of roof", true, (row) => (workload.isDropped(row) ? "-" : percent(workload.roofShare(row))), (row) => workload.time(row), "minimum time that the roofs allow over the time"]);
    }
    for (const p of workload.varied) {
      columns.push([workload.parameters[p].name, true, (row) => workload.value(p, row), (row) => workload.rows.choices[p][row], workload.parameters[p].description]);
    }
    for (const [name, title] of [["registers_per_thread", "registers"], ["shared_bytes", "shared bytes"], ["theoretical_occupancy", "occupancy limit"]]) {
      if (name in workload.form.resources) {
        columns.push([title, true, (row) => resourceText(name, workload.resource(name, row)), (row) => workload.resource(name, row), resourceNames[name]]);
      }
    }
    for (const name of workload.counterNames) {
      const metric = workload.metric(name);
      columns.push([shortened(metric.title), true, (row) => metricText(metric.unit, workload.counter(name, row)), (row) => workload.counter(name, row), `${name} ${metric.description}`]);
    }
    return columns;
  },

  draw(body, workload) {
    const state = Kept.of(this.id, { shown: 20, column: 0, down: false, filter: "" });
    const columns = this.columns(workload);
    const place = element("div");
    const said = element("p", { class: "note", id: "filter-said", role: "status" });
    const draw = () => this.update({ place, said, input }, workload, columns, state, draw);
    const { input, label } = Filter.field(workload, state.filter, (text) => { state.filter = text; draw(); });
    this.filterBy = (text) => {
      input.value = state.filter = text;
      draw();
    };
    body.append(
      element("div", { class: "choices" },
        choice("Show", [["20", "20"], ["100", "100"], ["500", "500"]], String(state.shown), (value) => { state.shown = Number(value); draw(); }),
        label),
      said, Filter.help(workload), place);
    draw();
  },

  // Says what the filter keeps, or what is wrong with it. The table stays as it was while there is a mistake.
  update(parts, workload, columns, state, draw) {
    const { rows, mistake, conditions } = Filter.apply(workload, state.filter);
    parts.input.setAttribute("aria-invalid", String(mistake !== null));
    parts.said.classList.toggle("mistake", mistake !== null);
    if (mistake !== null) {
      parts.said.replaceChildren(...Filter.answer(state.filter, mistake));
      if (parts.place.childElementCount > 0) return;
    } else {
      const count = `${Math.min(state.shown, rows.length).toLocaleString("en")} of ${plural(rows.length, "configuration")}.`;
      parts.said.textContent = rows.length > 0 ? count : Filter.whyNone(workload, conditions);
    }
    parts.place.replaceChildren(this.table(workload, rows, columns, state, draw));
  },

  sorted(rows, columns, state) {
    const value = columns[state.column][3];
    const side = state.down ? -1 : 1;
    if (state.column === 0 && !state.down) return rows;
    return [...rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return (x === null) - (y === null);
      return side * (x - y);
    });
  },

  table(workload, rows, columns, state, draw) {
    const heading = columns.map(([title, , , , hint], index) => element("button", {
      type: "button", title: hint ?? "", onclick: () => {
        state.down = state.column === index && !state.down;
        state.column = index;
        draw();
        document.querySelectorAll("#configurations thead button")[index].focus();
      },
    }, breakable(title), state.column === index ? (state.down ? " ▼" : " ▲") : ""));
    const shown = this.sorted(rows, columns, state).slice(0, state.shown).map((row) => {
      const mark = row === workload.best ? "◆ " : row === workload.default ? "▲ " : "";
      const first = button(mark + columns[0][2](row), () => Detail.show(workload, row), { class: "row" });
      return [first, ...columns.slice(1).map(([, , text]) => text(row))];
    });
    const made = table("Configurations. ◆ is the best, ▲ the default. Click a heading to sort, or a time for its configuration.",
      heading, shown, columns.map((_, index) => index), { class: "configurations" });
    made.querySelectorAll("thead th").forEach((cell, index) => {
      if (index === state.column) cell.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    });
    return made;
  },
});
