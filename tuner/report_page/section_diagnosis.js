"use strict";

Sections.push({
  id: "diagnosis",
  title: "Diagnosis",
  wide: true,

  missing(subject) {
    return (subject.form.diagnosis ?? []).length === 0
      ? "No diagnosis: it needs hardware counters; warptune tune --metrics core reads them, warptune profile reads all." : null;
  },

  draw(body, subject) {
    for (const { of, findings } of subject.form.diagnosis) {
      body.append(element("h3", {}, of));
      if (findings.length === 0) body.append(paragraph("Nothing was found."));
      body.append(...findings.map((finding) => this.finding(finding)));
    }
  },

  finding(finding) {
    return element("article", { class: `finding ${finding.severity}` }, element("h4", {}, finding.title));
  },
});
