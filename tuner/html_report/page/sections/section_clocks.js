"use strict";

Sections.push({
  id: "clocks",
  title: "Clock over the session",
  short: "Clock",

  missing(workload) {
    return this.rows(workload).length < 2
      ? "This data has no clocks. A session on a GPU stores the clock of the SMs during the launches of each configuration."
      : null;
  },

  clock(workload, row) {
    return workload.counter("sm_clock_mhz", row);
  },

  rows(workload) {
    return workload.timed.filter((row) => this.clock(workload, row) > 0);
  },

  draw(body, workload) {
    const state = Kept.of(this.id, { axis: "evaluation" });
    const place = element("div");
    const draw = () => this.chart(place, workload, state.axis);
    body.append(Charts.sessionChoice(workload.form.sessions, state, draw), place);
    draw();
  },

  chart(place, workload, axis) {
    const rows = this.rows(workload).filter((row) => workload.rows[axis][row] !== null);
    const clocks = rows.map((row) => this.clock(workload, row));
    const highest = Math.max(...clocks);
    // Clocks change in steps of 15 MHz, so equal clocks get an axis of some steps.
    const limits = [Math.max(0, Math.min(...clocks, highest - 60) - 15), highest + 15];
    const points = {
      type: Points.many(workload) ? "dots" : "scatter", label: "evaluations", parsing: false,
      data: rows.map((row) => ({ row, x: workload.rows[axis][row], y: this.clock(workload, row) })),
      pointRadius: 2.5, pointHoverRadius: 5, pointHitRadius: 3, backgroundColor: Theme.colour("point"), borderWidth: 0,
    };
    place.replaceChildren();
    Charts.make(place, "Clock of the SMs", workload, {
      data: { datasets: [points] },
      options: {
        plugins: {
          tooltip: Points.tooltip(workload, (row) => [`clock: ${this.clock(workload, row).toFixed(0)} MHz`]),
          legend: { display: false },
        },
        scales: {
          x: Charts.sessionAxis(axis),
          y: Charts.axis({ title: "clock, MHz", min: limits[0], max: limits[1], format: (value) => value.toFixed(0) }),
        },
      },
    }, { caption: this.caption(clocks, highest) });
  },

  caption(clocks, highest) {
    const sorted = [...clocks].sort((a, b) => a - b);
    const lower = clocks.filter((clock) => clock < 0.99 * highest).length;
    return `Each point is the median clock during the launches of a configuration: ${sorted[sorted.length >> 1].toFixed(0)} MHz in the ` +
      `median, from ${sorted[0].toFixed(0)} to ${highest.toFixed(0)} MHz. ${plural(lower, "configuration")} of ` +
      `${clocks.length.toLocaleString("en")} ran at a clock that is more than 1 % below the highest. A GPU lowers its clock when it reaches ` +
      "its limit of power or temperature. The final rounds compare the best configurations at the same clock.";
  },
});
