"use strict";

// All workloads of the report beside each other: GPUs, sizes, kernels.
Sections.push({
  id: "comparison",
  title: "Comparison of the workloads",
  short: "Comparison",
  wide: true,

  hidden: () => Page.workloads.length < 2,

  // Workloads of one kernel with the same parameters, as [name, workloads]. Groups of one are left out.
  groups() {
    const groups = new Map();
    for (const workload of Page.workloads) {
      const key = `${workload.form.kernel}\n${workload.parameters.map(({ name }) => name).sort().join()}`;
      if (!groups.has(key)) groups.set(key, [workload.form.kernel, []]);
      groups.get(key)[1].push(workload);
    }
    return [...groups.values()].filter(([, members]) => members.length > 1);
  },

  draw(body) {
    const groups = [["all workloads", Page.workloads], ...this.groups()];
    const state = Kept.of(this.id, { group: groups.length === 2 && groups[1][1].length === Page.workloads.length ? 1 : 0, figure: "spread" });
    const place = element("div");
    const draw = () => this.update(place, groups[state.group] ?? groups[0], state, draw);
    body.append(this.overview());
    if (groups.length > 1) {
      body.append(element("div", { class: "choices above" },
        choice("Compare", groups.map(([name], i) => [String(i), name]), String(state.group), (value) => { state.group = Number(value); draw(); })));
    }
    body.append(place);
    draw();
  },

  overview() {
    const heading = ["workload", "GPU", "L2", "best", "as fast as the default", "of the roof", "measured"];
    const rows = Page.workloads.map((workload) => {
      const { kernel, problem, gpu, cache } = workload.form;
      const name = [kernel, ...Object.entries(problem).map(([entry, value]) => `${entry}=${value}`)].join(" ");
      const gain = workload.best !== null && workload.default !== null && workload.time(workload.default) !== null
        ? `${digits(workload.time(workload.default) / workload.bestTime())}x` : "-";
      const share = workload.best === null ? null : workload.roofShare(workload.best);
      return [
        workload === Page.workload ? element("b", {}, name) : button(name, () => Page.choose(workload), { class: "row" }), gpu.name || "-", cache,
        timeText(workload.bestTime()), gain, share === null ? "-" : percent(share), workload.measured.length.toLocaleString("en")];
    });
    return table("All workloads of this report. The sections below show the one in bold; click another to see it.", heading, rows, [3, 4, 5, 6]);
  },

  update(place, [name, members], state, draw) {
    const figures = Comparisons.figures(members);
    const figure = figures.find(([key]) => key === state.figure) ?? figures[0];
    const chart = element("div", {},
      choice("Show", figures.map(([key, text]) => [key, text]), figure[0], (value) => { state.figure = value; draw(); }));
    const parts = [chart];
    const alike = name !== "all workloads";
    if (alike) parts.push(this.matrix(members));
    place.replaceChildren(element("div", { class: "tables" }, ...parts));
    figure[2](chart, members);
  },

  // A name for each of these workloads: the parts of its title that not all of them have in common.
  names(members) {
    const parts = members.map((workload) => {
      const { kernel, problem, gpu, cache } = workload.form;
      return [kernel, ...Object.entries(problem).map(([entry, value]) => `${entry}=${value}`), gpu.name, `${cache} L2`];
    });
    const everywhere = (part) => parts.every((others) => others.includes(part));
    const names = parts.map((own) => own.filter((part) => !everywhere(part)).join(" "));
    return names.map((text, i) => text || members[i].form.origin);
  },

  // The best configuration of each workload in the others: its time over the best time there.
  matrix(members) {
    const names = this.names(members);
    const rows = members.map((from, i) => {
      const best = from.best === null ? null : from.named(from.best);
      return [names[i], ...members.map((to) => this.slowdown(best, to))];
    });
    return table("The best configuration of each row, measured in the workload of each column: its time over the best time there.",
      ["best of", ...names], rows, members.map((_, i) => i + 1), { class: "matrix" });
  },

  slowdown(configuration, workload) {
    const row = configuration === null ? null : workload.find(configuration);
    if (row === null) return element("span", { class: "soft" }, "not measured");
    if (workload.time(row) === null) return workload.timeText(row);
    const text = `${workload.isDropped(row) ? "> " : ""}${workload.relative(row).toFixed(2)}`;
    return button(text, async () => {
      if (workload !== Page.workload) await Page.choose(workload);
      Detail.show(workload, row);
    }, { class: "row" });
  },
});
