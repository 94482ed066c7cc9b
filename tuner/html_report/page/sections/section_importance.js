"use strict";

Sections.push({
  id: "importance",
  title: "Importance of parameters",
  short: "Importance",

  models(workload) {
    const { importance, importance_near_best: near } = workload.form.analysis;
    return [
      importance ? { name: "all configurations", found: importance, colour: "point" } : null,
      near ? { name: `within ${digits(near.ratio)} x the best`, found: near, colour: "best" } : null,
    ].filter((model) => model);
  },

  missing(workload) {
    const models = this.models(workload);
    if (models.some(({ found }) => found.trustworthy)) return null;
    return models.length > 0 ? "The model of the times is not accurate enough to say which parameters matter."
      : "A model of the times needs 30 configurations with a time; run warptune tune with a larger budget.";
  },

  draw(body, workload) {
    const all = this.models(workload);
    const models = all.filter(({ found }) => found.trustworthy);
    const entries = this.entries(workload, models);
    const sets = models.map(({ name, colour }, m) => ({
      type: "bar", label: name, backgroundColor: Theme.colour(colour), barPercentage: 0.85, categoryPercentage: 0.8, parsing: false,
      data: entries.map((entry) => ({ x: 100 * Math.max(0, entry.shares[m] ?? 0), y: entry.name, share: entry.shares[m] })),
    }));
    Charts.make(body, "Share of the variance of the logarithm of the time", workload, {
      type: "bar",
      data: { labels: entries.map((entry) => entry.name), datasets: sets },
      options: {
        indexAxis: "y",
        interaction: { mode: "index", axis: "y", intersect: false },
        plugins: {
          legend: { display: true, position: "bottom" },
          tooltip: { filter: () => true, callbacks: { label: (item) => `${item.dataset.label}: ${item.raw.share === null || item.raw.share === undefined ? "not among the strongest" : percent(item.raw.share)}` } },
        },
        scales: {
          x: Charts.axis({ title: "share of the variance of log time, %", min: 0 }),
          y: { type: "category", grid: { display: false }, ticks: { color: Theme.colour("text"), autoSkip: false } },
        },
      },
    }, { height: 90 + 26 * entries.length, caption: this.caption(all) });
  },

  caption(models) {
    return models.map(({ name, found }) =>
      `${name[0].toUpperCase()}${name.slice(1)}: a model of ${plural(found.rows, "row")} has a median error of ${percent(found.median_relative_error)} ` +
      `on rows that it has not seen (R² ${digits(found.r_squared)}); ` +
      (found.trustworthy ? `${percent(found.rest)} belong to weaker and higher interactions.` : "this is too inaccurate to say what matters.")).join(" ");
  },

  // At most twelve parameters and pairs, with their shares in each model. The largest share comes first.
  entries(workload, models) {
    const entries = new Map();
    const add = (name, m, share) => {
      if (!entries.has(name)) entries.set(name, { name, shares: [] });
      entries.get(name).shares[m] = share;
    };
    const nameOf = (p) => workload.parameters[p].name;
    models.forEach(({ found }, m) => {
      found.by_parameter.forEach((share, p) => { if (workload.varied.includes(p)) add(nameOf(p), m, share); });
      for (const { first, second, share } of found.pairs) add(`${nameOf(first)} × ${nameOf(second)}`, m, share);
    });
    const weight = (entry) => Math.max(...entry.shares.map((share) => share ?? 0));
    return [...entries.values()].filter((entry) => weight(entry) >= 0.005).sort((a, b) => weight(b) - weight(a)).slice(0, 12);
  },
});
