"use strict";

// The path of `warptune explain`: from the default to the best, one change after another.
Sections.push({
  id: "path",
  title: "From the default to the best",
  short: "Path",
  wide: true,

  missing(workload) {
    if (workload.form.analysis.path.steps.length > 0) return null;
    const notes = workload.form.analysis.notes;
    if (workload.best !== null && workload.best === workload.default) return "The default is the best, so there is no path between them.";
    return `There is no path from the default to the best${notes.length > 0 ? `: ${notes.join("; ")}` : ""}. warptune explain measures the steps on a GPU.`;
  },

  draw(body, workload) {
    const { path, next_steps: next, notes } = workload.form.analysis;
    const whole = path.steps[path.steps.length - 1].time_after_ns / path.steps[0].time_before_ns;
    const first = ["", "the default", timeText(path.steps[0].time_before_ns), "", "", ""];
    const rows = path.steps.map((step, i) => this.row(workload, step, i));
    const caption = `Each step is the change with the largest known gain. ${path.arrived ? `All steps together make it ${this.times(whole)} as fast.` : "The path does not reach the best."}` +
      (path.not_measured > 0 ? ` ${plural(path.not_measured, "possible step")} were not measured; warptune explain measures them on a GPU.` : "");
    body.append(table(caption, ["", "change", "time", "speed-up", "share of the gain", "what changed with it"], [first, ...rows], [2, 3], { class: "path" }));
    if (next.length > 0) body.append(element("h3", {}, "What to try next"), element("ul", { class: "next" }, ...next.map((line) => element("li", {}, line))));
    if (notes.length > 0) body.append(paragraph(`${notes.join(". ")}.`));
  },

  row(workload, step, place) {
    const changes = step.changes.map(({ parameter, from, to }) =>
      element("div", {}, parameter, " ", element("span", { class: "soft" }, String(from)), " → ", element("strong", {}, String(to))));
    const wanted = Object.fromEntries(Object.entries(step.configuration).map(([name, value]) => [name, String(value)]));
    const row = workload.find(wanted);
    const time = `${step.estimate ? "about " : ""}${timeText(step.time_after_ns)}`;
    return [
      String(place + 1), element("div", {}, ...changes, this.remark(step)),
      row === null ? time : button(time, () => Detail.show(workload, row), { class: "row" }),
      step.within_noise ? "no difference" : `${this.times(step.time_ratio)}`,
      this.bar(step), element("div", {}, ...this.effects(workload, step))];
  },

  // How many times as fast, from the time after over the time before.
  times(ratio) {
    return `${(1 / ratio).toFixed(2)}x`;
  },

  // A bar as long as the step's share of the logarithm of the whole gain.
  bar(step) {
    const share = step.within_noise ? 0 : step.share_of_log_gain;
    const width = Math.min(100, Math.max(0, 100 * share));
    return element("div", { class: "share" }, element("span", { style: `width:${width.toFixed(1)}%` }), element("b", {}, percent(share, 0)));
  },

  remarks: {
    alone: "", invalid_apart: "Changed together: constraints forbid one without the other.",
    failed_apart: "Changed together: apart, they break a constraint or fail.",
    slower_apart: "Changed together: each alone is slower.", unknown_apart: "Changed together: the steps between were not measured.",
  },

  remark(step) {
    const modelled = step.modelled.map(({ parameter, to, time_ratio: ratio }) => `${parameter} to ${to} ${this.times(ratio)}`);
    const text = [this.remarks[step.grouping] ?? "", modelled.length > 0 ? `The model predicts: ${modelled.join(", ")}.` : ""].filter((part) => part).join(" ");
    return text ? element("div", { class: "soft" }, text) : null;
  },

  effects(workload, step) {
    const shown = step.metrics.map(({ metric, before, after }) => {
      const known = workload.metric(metric);
      const text = (value) => (metric in resourceNames ? resourceText(metric, value) : metricText(known.unit, value));
      return element("div", {}, `${resourceNames[metric] ?? known.title} ${text(before)} → ${text(after)}`);
    });
    const { everywhere } = step;
    if (everywhere !== null) {
      shown.push(element("div", { class: "soft" }, `In all ${plural(everywhere.pairs, "pair")} that differ only by this change: ${this.times(everywhere.time_ratio)} ` +
        `(${this.times(everywhere.high_time_ratio)} to ${this.times(everywhere.low_time_ratio)})`));
    }
    return shown;
  },
});
