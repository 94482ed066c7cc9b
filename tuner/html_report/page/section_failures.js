"use strict";

Sections.push({
  id: "failures",
  title: "Failed configurations",
  short: "Failures",

  missing(subject) {
    return subject.failed.length === 0 ? "No configuration failed." : null;
  },

  // Reasons that differ in numbers alone are one.
  groups(subject) {
    const groups = new Map();
    for (const row of subject.failed) {
      const status = subject.statuses[subject.rows.status[row]];
      const reason = subject.form.reasons[subject.rows.reason[row]] ?? "";
      const key = `${status}\n${reason.replace(/\d+/g, "#")}`;
      if (!groups.has(key)) groups.set(key, { status, reason, rows: [] });
      groups.get(key).rows.push(row);
    }
    return [...groups.values()].sort((a, b) => b.rows.length - a.rows.length);
  },

  // Parameters that have one value in all of these rows though they vary elsewhere.
  common(subject, rows) {
    if (rows.length < 2) return subject.configuration(rows[0], subject.varied).join(" ");
    const same = subject.varied.filter((p) => rows.every((row) => subject.rows.choices[p][row] === subject.rows.choices[p][rows[0]]));
    return same.length > 0 ? `all with ${subject.configuration(rows[0], same).join(" ")}` : "";
  },

  draw(body, subject) {
    const rows = this.groups(subject).map(({ status, reason, rows: members }) => {
      const text = reason.trim() === "" ? "no reason given" : reason.trim();
      const lines = text.split("\n");
      const told = lines.length === 1 && text.length < 200 ? element("span", {}, text)
        : element("details", {}, element("summary", {}, lines[0].slice(0, 200)), element("pre", {}, text));
      const common = this.common(subject, members);
      return [status.replaceAll("_", " "), members.length.toLocaleString("en"),
        element("div", {}, told, common ? element("div", { class: "soft" }, common) : null)];
    });
    body.append(
      paragraph(`${plural(subject.failed.length, "configuration")} of ${subject.count.toLocaleString("en")}; of reasons that differ in numbers alone the first stands.`),
      table(["status", "number", "reason"], rows, [1], { class: "reasons" }));
  },
});
