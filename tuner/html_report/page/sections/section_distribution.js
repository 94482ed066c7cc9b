"use strict";

Sections.push({
  id: "distribution",
  title: "Distribution of times",
  short: "Distribution",

  missing(workload) {
    return workload.measured.length < 2 ? "A distribution needs two measured configurations; run warptune tune with a larger budget." : null;
  },

  draw(body, workload) {
    const best = workload.bestTime();
    const within = (share) => workload.measured.filter((row) => workload.time(row) <= best * (1 + share)).length;
    const bins = this.bins(workload);
    const bar = (label, counts, colour) => ({
      type: "bar", label, grouped: true, stack: "all", barPercentage: 1, categoryPercentage: 0.96, backgroundColor: Theme.colour(colour),
      data: counts.map((count, bin) => ({ x: bins.centre(bin), y: count, bin })), parsing: false,
    });
    const sets = [bar("measured", bins.measured, "point")];
    if (workload.dropped.length > 0) sets.push(bar("dropped (first estimate)", bins.dropped, "point-soft"));
    const marks = [];
    if (workload.best !== null) marks.push({ x: bins.place(workload.time(workload.best)), text: `best ${timeText(best)}`, colour: Theme.colour("best") });
    if (workload.default !== null && workload.time(workload.default) !== null && workload.default !== workload.best) {
      marks.push({ x: bins.place(workload.time(workload.default)), text: `default ${workload.timeText(workload.default)}`, colour: Theme.colour("default"), dash: [5, 3] });
    }
    Charts.make(body, "Number of configurations by time", workload, {
      type: "bar",
      data: { datasets: sets },
      options: {
        layout: { padding: { top: 14 * marks.length } },
        interaction: { mode: "index", intersect: false },
        plugins: {
          marks: { marks },
          legend: { display: sets.length > 1, position: "bottom" },
          tooltip: {
            filter: () => true,
            callbacks: {
              title: (items) => bins.text(items[0].raw.bin),
              label: (item) => `${item.dataset.label}: ${item.raw.y.toLocaleString("en")}`,
            },
          },
        },
        scales: {
          x: { ...Charts.axis({ title: `time, ${workload.unit[0]}`, min: bins.low, max: bins.high, grid: false }), offset: false, stacked: true,
            afterBuildTicks: (scale) => (scale.ticks = bins.ticks()), ticks: { color: Theme.colour("text-soft"), maxRotation: 0, callback: (value) => bins.label(value) } },
          y: { ...Charts.axis({ title: "configurations" }), stacked: true, ticks: { precision: 0, color: Theme.colour("text-soft") } },
        },
      },
    }, { caption: `Within 1 % of the best: ${within(0.01).toLocaleString("en")} of ${plural(workload.measured.length, "measured configuration")}; ` +
      `within 5 %: ${within(0.05).toLocaleString("en")}; within 50 %: ${within(0.5).toLocaleString("en")}.` });
  },

  // Bins of equal width in the logarithm of the time.
  bins(workload) {
    const place = (timeNs) => Math.log(timeNs);
    const places = workload.timed.map((row) => place(workload.time(row)));
    let low = Infinity, high = -Infinity;
    for (const at of places) { low = Math.min(low, at); high = Math.max(high, at); }
    if (high - low < 0.01) { low -= 0.01; high += 0.01; }
    const count = Math.max(8, Math.min(60, Math.ceil(2 * Math.sqrt(places.length))));
    const width = (high - low) / count;
    const fill = (rows) => {
      const counts = new Array(count).fill(0);
      for (const row of rows) ++counts[Math.min(count - 1, Math.floor((place(workload.time(row)) - low) / width))];
      return counts;
    };
    const [, scale] = workload.unit;
    return {
      low: low - width / 2, high: high + width / 2, place,
      measured: fill(workload.measured), dropped: fill(workload.dropped),
      centre: (bin) => low + (bin + 0.5) * width,
      text: (bin) => `${timeText(Math.exp(low + bin * width))} to ${timeText(Math.exp(low + (bin + 1) * width))}`,
      label: (value) => digits(Math.exp(value) / scale, high - low < 0.5 ? 4 : 2),
      ticks: () => this.ticks(low, high, scale),
    };
  },

  // Ticks at round times; equal steps if there are too few round times.
  ticks(low, high, scale) {
    const ticks = [];
    const kept = high - low > 4 ? [1, 2, 5] : high - low > 1.5 ? [1, 2, 3, 5, 7] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
    for (let decade = -6; decade <= 12; ++decade) {
      for (const factor of kept) {
        const value = Math.log(factor * 10 ** decade * scale);
        if (value >= low && value <= high) ticks.push({ value });
      }
    }
    return ticks.length >= 3 ? ticks : Array.from({ length: 5 }, (_, i) => ({ value: low + (i * (high - low)) / 4 }));
  },
});
