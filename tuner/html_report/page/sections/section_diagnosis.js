"use strict";

Sections.push({
  id: "diagnosis",
  title: "Diagnosis",
  wide: true,

  missing(workload) {
    const diagnoses = workload.form.diagnoses ?? [];
    if (diagnoses.some(({ findings }) => findings.length > 0)) return null;
    return workload.counterNames.length === 0
      ? "A diagnosis needs hardware counters. warptune tune --metrics core reads some for every configuration, and warptune profile reads all for one configuration."
      : "Nothing was found with the available counters. warptune profile reads all counters of one configuration.";
  },

  draw(body, workload) {
    const columns = workload.form.diagnoses.map(({ of, findings, not_checked: unchecked }) => element("div", {},
      element("h3", {}, `${of[0].toUpperCase()}${of.slice(1)}`),
      ...(findings.length > 0 ? findings.map((finding) => this.finding(finding)) : [paragraph("Nothing was found.")]),
      this.unchecked(unchecked)));
    body.append(element("div", { class: "diagnoses" }, ...columns));
  },

  severities: { fault: "fault", hint: "hint", limit: "limit reached" },

  finding(finding) {
    const gain = finding.gain > 0 ? `, at most ${percent(finding.gain, 0)} of the time` : "";
    const evidence = finding.evidence.map((item) => item.text || `${item.metric} ${digits(item.value, 4)}`).join("; ");
    const changes = finding.parameters.map((remedy) => element("li", {}, remedy.text));
    const follows = finding.follows_from ? ` Follows from ${finding.follows_from.replaceAll("_", " ")}.` : "";
    return element("article", { class: `finding ${finding.severity}` },
      element("h4", {}, finding.title, " ", element("span", { class: "soft" }, `${this.severities[finding.severity]}${gain}`)),
      evidence ? element("p", { class: "soft" }, evidence) : null,
      finding.remedy || follows ? element("p", {}, `${finding.remedy}${follows}`) : null,
      changes.length > 0 ? element("ul", {}, ...changes) : null,
      finding.gain > 0 && finding.gain_basis ? element("p", { class: "soft" }, `Bound on the gain: ${finding.gain_basis}`) : null);
  },

  unchecked(rules) {
    if (rules.length === 0) return null;
    return element("details", {}, element("summary", { class: "soft" }, `${plural(rules.length, "rule")} not checked, because counters are missing`),
      element("ul", { class: "soft" }, ...rules.map(({ rule, metrics }) => element("li", {}, `${rule.replaceAll("_", " ")}: ${metrics.join(", ")}`))));
  },
});
