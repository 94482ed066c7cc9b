"use strict";

Sections.push({
  id: "convergence",
  title: "Convergence",

  missing(workload) {
    return workload.measured.length === 0 ? "No configuration was measured, so there is no best to follow." : null;
  },

  draw(body, workload) {
    const sessions = workload.form.sessions.filter((session) => session.best_so_far.time_ns.length > 0);
    const state = Kept.of(this.id, { axis: "evaluation" });
    const place = element("div");
    const draw = () => this.chart(place, workload, sessions, state.axis);
    body.append(Charts.sessionChoice(sessions, state, draw), place);
    draw();
  },

  // The value on the horizontal axis. A time is at least 1 ms.
  x(value, axis) {
    return axis === "evaluation" ? value : Math.max(value, 1e-3);
  },

  chart(place, workload, sessions, axis) {
    const times = workload.timed.map((row) => workload.shownTime(row));
    const steps = sessions.flatMap((session) => session.best_so_far.time_ns.map((time) => time / workload.unit[1]));
    const [min, max] = Charts.limits(times.concat(steps), true);
    const log = max / min > 4;
    const lines = sessions.map((session, s) => this.line(workload, session, s, axis, sessions.length > 1));
    const points = {
      type: Points.many(workload) ? "dots" : "scatter", label: "evaluations", silent: true, order: 5, parsing: false,
      data: workload.timed
        .map((row) => ({ row, x: this.x(workload.rows[axis][row], axis), y: workload.shownTime(row) }))
        .filter((point) => point.x !== null && Number.isFinite(point.x)),
      pointRadius: 1.5, pointHoverRadius: 4, pointHitRadius: 2, backgroundColor: Theme.colour("point-faint"), borderWidth: 0,
    };
    const last = Math.max(...sessions.map((session) => (axis === "evaluation" ? session.evaluations : session.elapsed_s)), 1);
    place.replaceChildren();
    Charts.make(place, "Best time so far", workload, {
      data: { datasets: [...lines, points] },
      options: {
        plugins: { tooltip: Points.tooltip(workload), legend: { display: true, position: "bottom" } },
        scales: {
          x: Charts.sessionAxis(axis, last),
          y: Charts.axis({ title: `time, ${workload.unit[0]}`, log, ...(log ? { min, max } : { min: Charts.limits(times, false)[0] }) }),
        },
      },
    }, { caption: "The line is the best time so far; each point is an evaluation." +
      (sessions.every((session) => session.by_time_stamps) ? "" : " The file has no time stamps, so the points have the order of the file.") });
  },

  line(workload, session, place, axis, several) {
    const steps = session.best_so_far;
    const data = steps.time_ns.map((time, i) => ({
      x: this.x(steps[axis][i], axis), y: time / workload.unit[1],
      title: `${timeText(time)} after ${plural(steps.evaluation[i], "evaluation")}, ${secondsText(steps.elapsed_s[i])}`,
      lines: this.configurationLines(steps.configuration[i]),
    }));
    const end = axis === "evaluation" ? session.evaluations : session.elapsed_s;
    const last = data[data.length - 1];
    data.push({ ...last, x: Math.max(end, last.x) });
    return {
      type: "line", label: several ? `session ${session.id}${session.strategy ? `, ${session.strategy}` : ""}` : "best so far",
      data, parsing: false, stepped: "before", borderColor: Theme.category(place), backgroundColor: Theme.category(place),
      borderWidth: 2.5, pointRadius: data.map((_, i) => (i + 1 < data.length ? 3 : 0)), pointHitRadius: 6, order: 1,
    };
  },

  configurationLines(text) {
    const lines = [];
    for (const part of text.split(" ")) {
      if (lines.length > 0 && lines[lines.length - 1].length + part.length < 52) lines[lines.length - 1] += "  " + part;
      else lines.push(part);
    }
    return lines;
  },
});
