"use strict";

Sections.push({
  id: "counters",
  title: "Counters against time",
  short: "Counters",

  missing(workload) {
    if (workload.measured.length === 0) return "No configuration was measured, so there is nothing to relate to the time.";
    return this.choices(workload).length === 0
      ? "This data has no hardware counters. warptune tune --metrics core reads them for every configuration; --metrics full reads more."
      : null;
  },

  // The counters and resources that differ between rows, each as [key, title, unit, value(row)].
  choices(workload) {
    const differs = (of) => {
      let first = null;
      for (const row of workload.timed) {
        const value = of(row);
        if (value === null) continue;
        if (first === null) first = value;
        else if (value !== first) return true;
      }
      return false;
    };
    const found = workload.counterNames.map((name) => {
      const metric = workload.metric(name);
      return [name, metric.title, metric.unit, (row) => workload.counter(name, row)];
    });
    for (const [name, text] of Object.entries(resourceNames)) {
      found.push([name, text, name.endsWith("bytes") ? "byte" : "", (row) => workload.resource(name, row)]);
    }
    return found.filter(([, , , of]) => differs(of));
  },

  draw(body, workload) {
    const choices = this.choices(workload);
    const preferred = ["dram__throughput.avg.pct_of_peak_sustained_elapsed", "sm__warps_active.avg.pct_of_peak_sustained_active"];
    const start = preferred.find((name) => choices.some(([key]) => key === name)) ?? choices[0][0];
    const state = Kept.of(this.id, { counter: start, parameter: -1 });
    if (!choices.some(([key]) => key === state.counter)) state.counter = start;
    const place = element("div");
    const draw = () => this.chart(place, workload, choices.find(([key]) => key === state.counter), state.parameter);
    body.append(
      element("div", { class: "choices" },
        choice("Counter", choices.map(([key, title]) => [key, title]), state.counter, (key) => { state.counter = key; draw(); }),
        Points.colourChoice(workload, state.parameter, (parameter) => { state.parameter = parameter; draw(); })),
      place);
    draw();
  },

  chart(place, workload, [key, title, unit, of], parameter) {
    place.replaceChildren();
    const values = workload.timed.map(of).filter((value) => value !== null);
    const positive = values.filter((value) => value > 0);
    const span = positive.length > 0 ? Charts.limits(positive, true, 0) : [1, 1];
    const log = positive.length === values.length && span[1] / span[0] > 30;
    const times = workload.timed.map((row) => workload.shownTime(row));
    const [yMin, yMax] = Charts.limits(times, true);
    const yLog = yMax / yMin > 4;
    const [xMin, xMax] = Charts.limits(values, log);
    const format = (value) => (unit === "%" ? digits(value) : unit === "byte" ? shortPrefix(value, "B") : unit === "ns" ? timeText(value, 3) : shortPrefix(value));
    const sets = Points.sets(workload, (row) => ({ x: of(row) ?? NaN, y: workload.shownTime(row) }), parameter);
    Charts.make(place, `${title} against time`, workload, {
      data: { datasets: sets },
      options: {
        plugins: {
          tooltip: Points.tooltip(workload, (row) => [`${title}: ${metricText(unit, of(row))}`]),
          legend: { display: true, position: "bottom" },
        },
        scales: {
          x: Charts.axis({ title: unit === "%" ? `${title}, %` : title, log, ...(log ? { min: xMin, max: xMax } : {}), format }),
          y: Charts.axis({ title: `time, ${workload.unit[0]}`, log: yLog, ...(yLog ? { min: yMin, max: yMax } : {}) }),
        },
      },
    }, { height: 400, caption: this.caption(workload, key, of) });
  },

  caption(workload, key, of) {
    const metric = workload.metric(key);
    const related = this.rankCorrelation(workload.timed.map((row) => [of(row), workload.time(row)]).filter(([x]) => x !== null));
    return `${metric.description ? `${key}: ${metric.description}. ` : ""}Rank correlation with the time (Spearman): ${related.toFixed(2)}.`;
  },

  // Spearman's rank correlation: Pearson's correlation of the ranks. Equal values share their mean rank.
  rankCorrelation(pairs) {
    const ranks = (values) => {
      const sorted = new Float64Array(values).sort();
      const rank = new Map();
      for (let i = 0; i < sorted.length;) {
        let end = i;
        while (end < sorted.length && sorted[end] === sorted[i]) ++end;
        rank.set(sorted[i], (i + end - 1) / 2);
        i = end;
      }
      return values.map((value) => rank.get(value));
    };
    const [a, b] = [0, 1].map((side) => ranks(pairs.map((pair) => pair[side])));
    const mean = (pairs.length - 1) / 2;
    let ab = 0, aa = 0, bb = 0;
    for (let i = 0; i < a.length; ++i) {
      ab += (a[i] - mean) * (b[i] - mean);
      aa += (a[i] - mean) ** 2;
      bb += (b[i] - mean) ** 2;
    }
    return aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : 0;
  },
});
