"use strict";

Sections.push({
  id: "counters",
  title: "Counters against time",
  short: "Counters",

  missing(subject) {
    if (subject.measured.length === 0) return "No configuration was measured, so there is nothing to relate to the time.";
    return this.choices(subject).length === 0
      ? "This data has no hardware counters; warptune tune --metrics core reads them with every configuration, full reads more."
      : null;
  },

  // [key, title, unit, value(row)] of the counters and resources that differ between rows.
  choices(subject) {
    const differs = (of) => {
      let first = null;
      for (const row of subject.timed) {
        const value = of(row);
        if (value === null) continue;
        if (first === null) first = value;
        else if (value !== first) return true;
      }
      return false;
    };
    const found = subject.counterNames.map((name) => {
      const metric = subject.metric(name);
      return [name, metric.title, metric.unit, (row) => subject.counter(name, row)];
    });
    for (const [name, text] of Object.entries(resourceNames)) {
      found.push([name, text, name.endsWith("bytes") ? "byte" : "", (row) => subject.resource(name, row)]);
    }
    return found.filter(([, , , of]) => differs(of));
  },

  draw(body, subject) {
    const choices = this.choices(subject);
    const preferred = ["dram__throughput.avg.pct_of_peak_sustained_elapsed", "sm__warps_active.avg.pct_of_peak_sustained_active"];
    const start = preferred.find((name) => choices.some(([key]) => key === name)) ?? choices[0][0];
    const state = { counter: start, parameter: -1 };
    const place = element("div");
    const said = paragraph("");
    const draw = () => this.chart(place, said, subject, choices.find(([key]) => key === state.counter), state.parameter);
    body.append(
      element("div", { class: "choices" },
        choice("Counter", choices.map(([key, title]) => [key, title]), start, (key) => { state.counter = key; draw(); }),
        Charts.colourChoice(subject, (parameter) => { state.parameter = parameter; draw(); })),
      place, said);
    draw();
  },

  chart(place, said, subject, [key, title, unit, of], parameter) {
    place.replaceChildren();
    const values = subject.timed.map(of).filter((value) => value !== null);
    const positive = values.filter((value) => value > 0);
    const span = positive.length > 0 ? Charts.limits(positive, true, 0) : [1, 1];
    const log = positive.length === values.length && span[1] / span[0] > 30;
    const times = subject.timed.map((row) => subject.shownTime(row));
    const [yMin, yMax] = Charts.limits(times, true);
    const yLog = yMax / yMin > 4;
    const [xMin, xMax] = Charts.limits(values, log);
    const format = (value) => (unit === "%" ? digits(value) : unit === "byte" ? shortPrefix(value, "B") : unit === "ns" ? timeText(value, 3) : shortPrefix(value));
    const sets = Charts.points(subject, (row) => ({ x: of(row) ?? NaN, y: subject.shownTime(row) }), parameter);
    Charts.make(place, `${title} against time`, subject, {
      data: { datasets: sets },
      options: {
        plugins: {
          tooltip: Charts.rowTooltip(subject, (row) => [`${title}: ${metricText(unit, of(row))}`]),
          legend: { display: true, position: "bottom" },
        },
        scales: {
          x: Charts.axis({ title: unit === "%" ? `${title}, %` : title, log, ...(log ? { min: xMin, max: xMax } : {}), format }),
          y: Charts.axis({ title: `time, ${subject.unit[0]}`, log: yLog, ...(yLog ? { min: yMin, max: yMax } : {}) }),
        },
      },
    }, 400);
    const metric = subject.metric(key);
    const related = this.rankCorrelation(subject.timed.map((row) => [of(row), subject.time(row)]).filter(([x]) => x !== null));
    said.textContent = `${metric.description ? `${key}: ${metric.description}. ` : ""}Rank correlation with the time (Spearman): ${related.toFixed(2)}.`;
  },

  // Spearman's: Pearson's of the ranks, equal values sharing the mean of theirs.
  rankCorrelation(pairs) {
    const ranks = (values) => {
      const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
      const rank = new Array(values.length);
      for (let i = 0; i < order.length;) {
        let end = i;
        while (end < order.length && values[order[end]] === values[order[i]]) ++end;
        for (let k = i; k < end; ++k) rank[order[k]] = (i + end - 1) / 2;
        i = end;
      }
      return rank;
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
