"use strict";

// Points of charts that are configurations.
const Points = {
  // The tooltip of points that are configurations. `extra(row)` gives lines about the axes of the chart.
  tooltip(workload, extra = () => []) {
    return {
      callbacks: {
        title: (items) => (items[0]?.raw.row === undefined ? items[0]?.raw.title ?? "" : workload.heading(items[0].raw.row)),
        label: (item) => (item.raw.row === undefined ? item.raw.lines ?? [] : [...extra(item.raw.row), ...workload.lines(item.raw.row)]),
      },
    };
  },

  // Whether there are so many points that they are drawn as small squares (`DotsController`).
  many(workload) {
    return workload.timed.length > 2000;
  },

  // Datasets with a point for each timed row; `place(row)` gives its { x, y }. With a parameter, there is one dataset for each of
  // its values. With -1, there is one for measured and one for dropped rows. Best and default are drawn on top.
  sets(workload, place, parameter = -1) {
    const points = (rows) => {
      const found = [];
      for (const row of rows) {
        const { x, y } = place(row);
        if (Number.isFinite(x) && Number.isFinite(y)) found.push({ row, x, y });
      }
      return found;
    };
    const many = Points.many(workload);
    const radius = many ? 2 : 3;
    const base = { type: "scatter", pointStyle: "circle", pointRadius: radius, pointHoverRadius: radius + 3, pointHitRadius: 4, borderWidth: 0, parsing: false,
      pointHoverBorderColor: Theme.colour("text"), pointHoverBorderWidth: 2 };
    const dots = many ? { type: "dots" } : {};
    const sets = [];
    if (parameter >= 0) {
      const values = workload.parameters[parameter].values;
      values.forEach((value, v) => {
        const rows = workload.timed.filter((row) => workload.rows.choices[parameter][row] === v);
        if (rows.length > 0) sets.push({ ...base, label: String(value), data: points(rows), backgroundColor: Theme.ordered(v, values.length), ...dots });
      });
    } else {
      sets.push({ ...base, label: "measured", data: points(workload.measured), backgroundColor: Theme.colour("point"), ...dots });
      if (workload.dropped.length > 0) {
        sets.push({ ...base, label: "dropped (first estimate)", data: points(workload.dropped), backgroundColor: "transparent",
          borderColor: Theme.colour("point-soft"), borderWidth: 1 });
      }
    }
    for (const set of sets) set.order = 3;
    const special = (row, label, style, colour) => {
      if (row === null || row === undefined) return;
      const data = points([row]);
      if (data.length === 0) return;
      sets.push({ ...base, label, data, pointStyle: style, pointRadius: 7, pointHoverRadius: 9, backgroundColor: Theme.colour(colour),
        borderColor: Theme.colour("card"), borderWidth: 1.5, order: 1 });
    };
    special(workload.default, "default", "triangle", "default");
    special(workload.best, "best", "rectRot", "best");
    return sets;
  },

  // A drop-down list with the parameter that colours the points.
  colourChoice(workload, parameter, chosen) {
    const options = [["-1", "nothing"], ...workload.varied.map((p) => [String(p), workload.parameters[p].name])];
    return choice("Colour by", options, workload.varied.includes(parameter) ? String(parameter) : "-1", (value) => chosen(Number(value)));
  },
};
