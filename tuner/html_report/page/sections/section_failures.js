"use strict";

Sections.push({
  id: "failures",
  title: "Failed configurations",
  short: "Failures",

  missing(workload) {
    return workload.failed.length === 0 ? "No configuration failed." : null;
  },

  // Groups the failed rows. Reasons that differ only in numbers are one group.
  groups(workload) {
    const groups = new Map();
    for (const row of workload.failed) {
      const status = workload.statuses[workload.rows.status[row]];
      const reason = workload.form.reasons[workload.rows.reason[row]] ?? "";
      const key = `${status}\n${reason.replace(/\d+/g, "#")}`;
      if (!groups.has(key)) groups.set(key, { status, reason, rows: [] });
      groups.get(key).rows.push(row);
    }
    return [...groups.values()].sort((a, b) => b.rows.length - a.rows.length);
  },

  // Parameters that have the same value in all of these rows, but vary in other rows.
  common(workload, rows) {
    if (rows.length < 2) return workload.configuration(rows[0], workload.varied).join(" ");
    const same = workload.varied.filter((p) => rows.every((row) => workload.rows.choices[p][row] === workload.rows.choices[p][rows[0]]));
    return same.length > 0 ? `all with ${workload.configuration(rows[0], same).join(" ")}` : "";
  },

  draw(body, workload) {
    const rows = this.groups(workload).map(({ status, reason, rows: members }) => {
      const text = reason.trim() === "" ? "no reason given" : reason.trim();
      const lines = text.split("\n");
      const told = lines.length === 1 && text.length < 200 ? element("span", {}, text)
        : element("details", {}, element("summary", {}, lines[0].slice(0, 200)), element("pre", {}, text));
      const common = this.common(workload, members);
      return [status.replaceAll("_", " "), members.length.toLocaleString("en"),
        element("div", {}, told, common ? element("div", { class: "soft" }, common) : null)];
    });
    const caption = `${plural(workload.failed.length, "configuration")} of ${workload.count.toLocaleString("en")} failed. Reasons that differ only in numbers are listed once.`;
    body.append(table(caption, ["status", "number", "reason"], rows, [1], { class: "reasons" }));
  },
});
