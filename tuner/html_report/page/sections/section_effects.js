"use strict";

Sections.push({
  id: "effects",
  title: "Parameters",
  wide: true,

  missing(workload) {
    if (workload.measured.length < 2) return "Effects of parameters need two measured configurations; run warptune tune with a larger budget.";
    return workload.varied.length === 0 ? "No parameter varies among these configurations." : null;
  },

  draw(body, workload) {
    const panels = workload.varied.map((p) => this.statistics(workload, p)).filter((panel) => panel.values.length > 0);
    panels.sort((a, b) => b.reach - a.reach);
    const all = panels.flatMap((panel) => panel.values.flatMap((value) => [value.best, value.high]));
    const [min, max] = Charts.limits(all, true);
    const grid = element("div", { class: "panels" });
    body.append(grid);
    for (const panel of panels) this.panel(grid, workload, panel, min, max);
    const fixed = workload.fixed.map((p) => workload.parameters[p].name);
    body.append(paragraph("Times by value: the bar spans the middle half of the configurations, the thin line 10 % to 90 %, the dash is the median, " +
      "the diamond the best. Point at a value to see the effect of the step to it between configurations that are otherwise equal. The parameter with the largest effect on the best time comes first." + (fixed.length > 0 ? ` Not varied: ${fixed.join(", ")}.` : "")));
  },

  statistics(workload, parameter) {
    const choices = workload.rows.choices[parameter];
    const chosen = workload.parameters[parameter].values.map(() => []);
    for (const row of workload.timed) chosen[choices[row]]?.push(row);
    const values = workload.parameters[parameter].values.map((value, v) => {
      const rows = chosen[v];
      const measured = rows.find((row) => !workload.isDropped(row));
      if (rows.length === 0) return null;
      const times = new Float64Array(rows.length);  // A typed array sorts numbers without a comparison function.
      for (let i = 0; i < rows.length; ++i) times[i] = workload.shownTime(rows[i]);
      times.sort();
      return {
        place: v, text: String(value), count: rows.length, row: measured ?? rows[0], best: workload.shownTime(measured ?? rows[0]),
        low: quantile(times, 0.1), quarter: quantile(times, 0.25), median: quantile(times, 0.5),
        threeQuarters: quantile(times, 0.75), high: quantile(times, 0.9),
      };
    }).filter((value) => value !== null);
    const bests = values.map((value) => value.best);
    return { parameter, values, reach: Math.max(...bests) / Math.min(...bests) };
  },

  // The effects of the steps to this value, over pairs of configurations that are otherwise equal.
  steps(workload, parameter, place) {
    return workload.form.analysis.effects
      .filter((effect) => effect.parameter === parameter && effect.to === place)
      .map((effect) => `${digits(effect.ratio)} x the time of ${workload.parameters[parameter].values[effect.from]}` +
        ` (${digits(effect.low)} to ${digits(effect.high)}), all else equal, ${plural(effect.pairs, "pair")}`);
  },

  panel(grid, workload, { parameter, values, reach }, min, max) {
    const { name, description } = workload.parameters[parameter];
    const body = element("figure", {}, element("figcaption", {}, element("span", {}, element("b", {}, name), description ? ` ${description}` : "")));
    grid.append(body);
    const unit = workload.unit[0];
    const lines = (value) => [...this.steps(workload, parameter, value.place), `best ${digits(value.best, 4)} ${unit}, median ${digits(value.median, 4)} ${unit}`,
      `middle half ${digits(value.quarter, 4)} to ${digits(value.threeQuarters, 4)} ${unit}`, plural(value.count, "configuration")];
    const bar = (low, high, size, colour) => ({
      type: "bar", grouped: false, ...size, backgroundColor: Theme.colour(colour), order: 3, silent: true,
      data: values.map((value) => ({ x: value.text, y: [value[low], value[high]], title: `${name}=${value.text}`, lines: lines(value) })),
    });
    const marker = (member, style, radius, colour, extra) => ({
      type: "line", showLine: false, pointStyle: style, pointRadius: radius, pointHoverRadius: radius + 2, pointHitRadius: 6, order: 1,
      backgroundColor: Theme.colour(colour), borderColor: Theme.colour(colour), borderWidth: 2, ...extra,
      data: values.map((value) => ({ x: value.text, y: value[member], title: `${name}=${value.text}`, lines: lines(value), row: value.row })),
    });
    const log = max / min > 4;
    Charts.make(body, `Times by ${name}, the bests differ by a factor of ${digits(reach)}`, workload, {
      type: "bar",
      data: {
        labels: values.map((value) => value.text),
        datasets: [marker("best", "rectRot", 5, "best", { borderWidth: 0 }), marker("median", "line", 8, "text", { silent: true }),
          bar("quarter", "threeQuarters", { maxBarThickness: 34, barPercentage: 0.6, categoryPercentage: 1 }, "point-soft"), bar("low", "high", { barThickness: 3 }, "point")],
      },
      options: {
        interaction: { mode: "index", intersect: false },
        plugins: { tooltip: { callbacks: { title: (items) => items[0].raw.title, label: (item) => item.raw.lines } } },
        scales: {
          x: { type: "category", grid: { display: false, borderColor: Theme.colour("axis") }, ticks: { color: Theme.colour("text"), maxRotation: 40, autoSkip: values.length > 14 } },
          y: Charts.axis({ title: `time, ${unit}`, log, ...(log ? { min, max } : { min: Charts.limits([min, max], false)[0], max }) }),
        },
      },
    }, { height: 210, figure: body });
  },
});
