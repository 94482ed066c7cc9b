"use strict";

// What is above the timeline: how the program ran, how the GPUs spent their time, and what to do first.
const Summary = {
  draw(survey) {
    const { run, analysis } = survey.form;
    return [
      Summary.card("summary", "Summary",
        element("p", { class: "configuration" }, run.command.join(" ")),
        run.ending ? paragraph(run.ending, "mistake") : null,
        run.problem ? paragraph(run.problem, "mistake") : null,
        ...Summary.problems(survey.form.processes),
        analysis.idle_is_uncertain ? paragraph("Idle time may be work whose records are missing, so no finding is about idle time.", "mistake") : null,
        Summary.tiles(run, analysis),
        ...analysis.devices.map((device) => Summary.device(device)),
        ...Summary.steadyDevices(analysis)),
      Summary.card("findings", "What to do first", ...Summary.findings(analysis)),
    ];
  },

  card(id, title, ...parts) {
    return element("section", { id, class: "card wide" }, element("h2", {}, title), element("div", { class: "body" }, ...parts));
  },

  problems(processes) {
    const lines = [];
    for (const { pid, problem, dropped, left_out: leftOut, unnamed } of processes) {
      if (problem) lines.push(`Process ${pid}: ${problem}`);
      if (dropped > 0) lines.push(`Process ${pid}: CUPTI lost ${plural(dropped, "record")}.`);
      if (leftOut > 0) lines.push(`Process ${pid}: ${plural(leftOut, "record")} beyond the limit are counted and not drawn.`);
      if (unnamed > 0) lines.push(`Process ${pid}: ${plural(unnamed, "record")} could not be kept, because the tables of names and shapes of kernels were full.`);
    }
    return lines.map((line) => paragraph(line, "mistake"));
  },

  tiles(run, analysis) {
    const tiles = [[timeText(run.duration_ns, 3), "run time"], [analysis.launches.toLocaleString("en"), "kernel launches"]];
    if (analysis.launches_per_second > 0) tiles.push([withPrefix(analysis.launches_per_second), "launches per second after the start-up"]);
    if (analysis.launches > 0) tiles.push([percent(analysis.short_launches / analysis.launches), "of them below 10 us"]);
    for (const device of analysis.devices.filter(({ unused, window_ns: window }) => !unused && window > 0)) tiles.push([percent((device.window_ns - device.idle_ns) / device.window_ns), `GPU ${device.number} is busy`]);
    return element("div", { class: "tiles" }, ...tiles.map(([figure, what]) => element("div", { class: "tile" }, element("b", {}, figure), element("span", {}, what))));
  },

  // The same bars for the part after the start-up, if the start-up took at least 5 % of the time.
  steadyDevices({ start_up_ns: startUp, observed_ns: observed, steady_ns: [start, end], steady_devices: devices }) {
    if (startUp < 0.05 * observed) return [];
    return devices.filter(({ unused }) => !unused).map((device) => Summary.device(device, ` after the start-up, from ${timeText(start, 3)} to ${timeText(end, 3)}`));
  },

  // A bar of a GPU's time: kernels, copies, and each cause of idle time.
  device(device, when = "") {
    const title = element("h3", {}, `GPU ${device.number}: ${device.name}${when}`);
    if (device.window_ns === 0) return element("div", {}, title, paragraph("How busy it was is unknown, because its work is not listed."));
    if (device.unused) return element("div", {}, title, paragraph("No work was seen on it."));
    const parts = [["kernels", device.kernels_ns, "accent"], ["only copies and fills", device.copies_only_ns, "series-3"],
      ...device.idle_causes.map(([cause, time], i) => [`idle: ${cause}`, time, ["hint", "fault", "series-4", "series-6", "series-1", "control"][i % 6]])]
      .filter(([, time]) => time > 0);
    const share = (time) => time / device.window_ns;
    return element("div", {},
      title,
      element("div", { class: "bar-of-time", "aria-hidden": "true" },
        ...parts.map(([, time, colour]) => element("span", { style: `width: ${100 * share(time)}%; background: var(--${colour})` }))),
      element("ul", { class: "key" }, ...parts.map(([what, time, colour]) =>
        element("li", {}, element("i", { style: `background: var(--${colour})` }), `${what} ${percent(share(time))} (${timeText(time, 3)})`))));
  },

  steadyBound({ bound, steady_bound: steady }) {
    return steady > 1.05 * bound ? `, and what follows the start-up ${digits(steady)} times` : "";
  },

  findings({ findings, observed_ns: observed, devices }) {
    if (devices.length === 0) return [paragraph("No process used a GPU.")];
    if (observed === 0) return [paragraph("No part of the run was observed, so there are no findings.")];
    if (findings.length === 0) return [paragraph("Nothing was found that costs at least 5 % of the run.")];
    return findings.map((finding) => element("div", { class: "finding fault" },
      element("h4", {}, finding.title,
        finding.bound > 1 ? element("span", { class: "soft" }, `Without it, the run would be at most ${digits(finding.bound)} times as fast${Summary.steadyBound(finding)}.`) : null),
      element("ul", {}, ...finding.evidence.map((line) => element("li", {}, line))),
      element("p", {}, finding.advice)));
  },
};
