"use strict";

// The hardware counters of the kernels with most time, and what the rules say about them.
const Counters = {
  // A list with one card, or an empty one if no counters were asked for.
  draw(survey) {
    const { run, analysis } = survey.form;
    const any = analysis.counted.length + analysis.counted_graphs.length > 0;
    if (!any && !run.counting_problem) return [];
    return [Summary.card("counters", "Hardware counters of the kernels with most time",
      any ? paragraph("They are medians of the first launches of a second run. Times are those of the first run.") : null,
      run.counting_problem ? paragraph(run.counting_problem, "mistake") : null,
      ...Roofline.draw(analysis),
      ...analysis.counted.map((kernel, i) => Counters.kernel(survey, kernel, i + 1)),
      ...analysis.counted_graphs.map((graph) => Counters.graph(graph)))];
  },

  kernel(survey, kernel, number) {
    const counted = kernel.counted_ns === null ? "" : `, ${timeText(kernel.counted_ns, 3)} when counted`;
    return element("div", { class: "counted" },
      element("h3", { title: survey.names[kernel.name] }, `${number}. ${kernel.short_name}`),
      paragraph(`${percent(kernel.share)} of the kernels' time. Grid ${kernel.grid}, block ${kernel.block}. `
        + `Median ${timeText(kernel.median_ns, 3)}${counted}. Counted launches: ${kernel.launches}.`
        + (kernel.graph_nodes > 0 ? ` They are those of a CUDA graph. Values are means of its ${plural(kernel.graph_nodes, "node")}.` : "")),
      element("ul", { class: "key" }, ...[...kernel.metrics, ...kernel.roofs].map((text) => element("li", {}, text))),
      ...kernel.findings.map((finding) => Counters.finding(finding)),
      kernel.findings.length === 0 ? paragraph("The rules that could be checked found nothing.") : null);
  },

  graph({ nodes, launches, median_ns, metrics, roofs }) {
    const time = median_ns === null ? "No launch with these nodes has a time." : `Median ${timeText(median_ns, 3)}.`;
    return element("div", { class: "counted" },
      element("h3", {}, `CUDA graph of ${nodes}`),
      paragraph(`${time} Counted launches: ${launches}. Each took one launch for each pass of the counters.`),
      element("ul", { class: "key" }, ...[...metrics, ...roofs].map((text) => element("li", {}, text))));
  },

  finding({ severity, title, gain, basis, evidence, remedy }) {
    return element("div", { class: `finding ${severity}` },
      element("h4", {}, title, gain > 0 ? element("span", { class: "soft" }, `At most ${percent(gain)} of the time: ${basis}.`) : null),
      element("ul", {}, ...evidence.map((line) => element("li", {}, line))),
      paragraph(remedy));
  },
};
