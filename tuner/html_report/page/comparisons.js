"use strict";

// Charts with a line for each of several workloads. Most show times divided by the best time of their own workload, so that GPUs
// and sizes share the axes.
const Comparisons = {
  // The charts that these workloads have, each as [key, title, draw(body, members)].
  figures(members) {
    const shown = [
      ["spread", "how far configurations are from the best", Comparisons.spread],
      ["course", "best so far", Comparisons.course],
    ];
    for (const size of Comparisons.sizes(members)) {
      shown.push([`size ${size}`, `best by ${size}`, (body, all) => Comparisons.bySize(body, all, size)]);
    }
    const names = members[0].parameters.map(({ name }) => name);
    const common = names.filter((name) => members.every((workload) => workload.varied.some((p) => workload.parameters[p].name === name)));
    for (const name of common) shown.push([`parameter ${name}`, `best with each ${name}`, (body, all) => Comparisons.byParameter(body, all, name)]);
    return shown;
  },

  // The entries of the problem that are numbers and differ between workloads of one kernel.
  sizes(members) {
    if (new Set(members.map(({ form }) => form.kernel)).size > 1) return [];
    return Object.keys(members[0].form.problem).filter((name) => {
      const values = members.map(({ form }) => form.problem[name]);
      return values.every((value) => typeof value === "number" && value > 0) && new Set(values).size > 1;
    });
  },

  line(label, place, data, more = {}) {
    return {
      type: "line", label, data, parsing: false, borderColor: Theme.category(place), backgroundColor: Theme.category(place), borderWidth: 2,
      borderDash: [[], [7, 4], [2, 3]][Math.floor(place / 6) % 3], pointRadius: 0, pointHitRadius: 5, pointStyle: Theme.shape(place), ...more,
    };
  },

  draw(body, title, sets, scales, caption) {
    const tooltip = { callbacks: { title: (items) => items[0]?.dataset.label, label: (item) => item.raw.lines } };
    Charts.make(body, title, Page.workload, {
      data: { datasets: sets },
      options: { plugins: { tooltip, legend: { display: true, position: "bottom" } }, scales },
    }, { height: 380, caption });
  },

  // For each workload: the share of its configurations whose time is at most x times the best time.
  spread(body, members) {
    const names = Sections.find(({ id }) => id === "comparison").names(members);
    const sets = members.filter((workload) => workload.measured.length > 0).map((workload) => {
      const rows = workload.measured;
      const step = Math.max(1, Math.floor(rows.length / 250));
      const data = rows.map((row, i) => ({ x: workload.relative(row), y: (100 * (i + 1)) / rows.length }))
        .filter((_, i) => i % step === 0 || i === rows.length - 1)
        .map((point) => ({ ...point, lines: [`${digits(point.y)} % take at most ${digits(point.x)} x the best time`] }));
      return Comparisons.line(names[members.indexOf(workload)], members.indexOf(workload), data);
    });
    const [, max] = Charts.limits(sets.flatMap(({ data }) => data.map(({ x }) => x)), true);
    Comparisons.draw(body, "Share of configurations by their distance from the best", sets, {
      x: Charts.axis({ title: "time over the best time", log: true, min: 1, max: Math.max(max, 1.2) }),
      y: Charts.axis({ title: "configurations, %", min: 0, max: 100 }),
    }, "The share of the measured configurations whose time is at most x times the best time. A line that rises early belongs to a workload with many configurations near the best.");
  },

  course(body, members) {
    const names = Sections.find(({ id }) => id === "comparison").names(members);
    const sets = members.filter((workload) => workload.best !== null).map((workload) => {
      const session = workload.form.sessions.reduce((a, b) => (b.evaluations > a.evaluations ? b : a));
      const { time_ns: times, evaluation } = session.best_so_far;
      const data = times.map((time, i) => ({ x: evaluation[i], y: time / workload.bestTime(),
        lines: [`${timeText(time)}, ${digits(time / workload.bestTime())} x the best, after ${plural(evaluation[i], "evaluation")}`] }));
      if (data.length > 0) data.push({ ...data[data.length - 1], x: session.evaluations });
      return Comparisons.line(names[members.indexOf(workload)], members.indexOf(workload), data, { stepped: "before" });
    });
    const [min, max] = Charts.limits(sets.flatMap(({ data }) => data.map(({ y }) => y)), true);
    Comparisons.draw(body, "Best so far over the best", sets, {
      x: Charts.axis({ title: "evaluations", log: true, format: (value) => value.toLocaleString("en") }),
      y: Charts.axis({ title: "best so far over the best", log: true, min, max }),
    }, "The longest session of each workload.");
  },

  // For each GPU and cache state: a line of best times over a size of the problem.
  bySize(body, members, size) {
    const lines = new Map();
    const others = (form) => Object.entries(form.problem).filter(([name]) => name !== size).map(([name, value]) => `${name}=${value}`).join(" ");
    for (const workload of members.filter(({ best }) => best !== null)) {
      const name = [workload.form.gpu.name, `${workload.form.cache} L2`, others(workload.form)].filter((part) => part).join(", ");
      if (!lines.has(name)) lines.set(name, []);
      const share = workload.roofShare(workload.best);
      lines.get(name).push({ x: workload.form.problem[size], y: workload.bestTime() / 1e3,
        lines: [`${size}=${workload.form.problem[size]}`, `best ${timeText(workload.bestTime())}${share === null ? "" : `, ${percent(share)} of the roof`}`] });
    }
    const sets = [...lines].map(([name, data], i) => Comparisons.line(name, i, data.sort((a, b) => a.x - b.x), { pointRadius: 5 }));
    const [min, max] = Charts.limits(sets.flatMap(({ data }) => data.map(({ y }) => y)), true, 0.1);
    Comparisons.draw(body, `Best time by ${size}`, sets, {
      x: Charts.axis({ title: size, log: true, format: (value) => shortPrefix(value) }), y: Charts.axis({ title: "best time, us", log: true, min, max }),
    }, "The best time of each workload. A line joins the sizes of one GPU.");
  },

  // For each workload: the best time with each value of a parameter. The value with the lowest point of a line is the one to choose.
  byParameter(body, members, name) {
    const names = Sections.find(({ id }) => id === "comparison").names(members);
    const values = [...new Set(members.flatMap((workload) => workload.parameters.find((parameter) => parameter.name === name).values))];
    if (values.every((value) => typeof value === "number")) values.sort((a, b) => a - b);
    const sets = members.map((workload, i) => {
      const p = workload.parameters.findIndex((parameter) => parameter.name === name);
      const data = values.map((value) => {
        const row = workload.measured.find((candidate) => workload.typed(p, candidate) === value);
        return row === undefined ? null : { x: String(value), y: workload.relative(row), lines: [`${name}=${value}`, `best ${workload.timeText(row)}, ${digits(workload.relative(row))} x the best`] };
      }).filter((point) => point !== null);
      return Comparisons.line(names[i], i, data, { pointRadius: 5 });
    });
    const [min, max] = Charts.limits(sets.flatMap(({ data }) => data.map(({ y }) => y)), true, 0.1);
    Comparisons.draw(body, `Best time with each value of ${name}`, sets, {
      x: { type: "category", labels: values.map(String), offset: true, grid: { display: false }, title: { display: true, text: name, color: Theme.colour("text") }, ticks: { color: Theme.colour("text") } },
      y: Charts.axis({ title: "time over the best time", log: true, min, max }),
    }, "The best configuration with each value, over the best of its workload. If the lines are lowest at different values, GPUs or sizes need different values.");
  },
};
