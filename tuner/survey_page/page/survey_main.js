"use strict";

// Reads the data of the page and draws it.
const Survey = {
  timeline: null,

  // Marks the time when the timeline was drawn for the first time, for measurements of the page.
  finished() {
    const root = document.documentElement;
    if (root.dataset.drawnMs !== undefined) return;
    performance.mark("report-drawn");
    root.dataset.drawnMs = performance.now().toFixed(1);
  },

  async read() {
    const [form, columns] = await Promise.all([Embedded.unpacked("data").json(), Embedded.unpacked("columns").arrayBuffer()]);
    return new Records(form, new Uint8Array(columns));
  },

  timelineCard(records) {
    if (records.count === 0) return Summary.card("timeline", "Timeline", paragraph("The survey has no records.", "missing"));
    const timeline = new Timeline(records);
    Survey.timeline = timeline;
    const kernels = new KernelTable(records, (name) => {
      filter.value = "";
      timeline.highlight(name === null ? null : (other, kind) => kind === "kernel" && other === name);
    });
    const filter = element("input", { type: "search", class: "filter", placeholder: "filter by a part of a name", "aria-label": "Filter kernels and records by their name",
      oninput: () => {
        kernels.choice = null;
        kernels.filter(filter.value);
        timeline.highlight(filter.value.trim() === "" ? null : (name) => matchesWords(name, filter.value));
      } });
    const controls = timeline.controls();
    return Summary.card("timeline", "Timeline",
      element("div", { class: "beside" },
        element("div", {}, controls, timeline.frame,
          paragraph("Drag to move. Ctrl and the wheel, two fingers, or a double click zoom. A kernel's name in the table highlights its launches. "
            + "Where records are too short to be seen, the height shows how busy the track was."), timeline.details),
        element("div", {}, element("div", { class: "controls" }, filter), kernels.part)));
  },

  // A list with one card, or an empty one.
  tablesCard({ form: { analysis: { tables } } }) {
    if (tables === "") return [];
    return [Summary.card("tables", "Copies, fills, graphs, calls and ranges", element("pre", { class: "tables" }, tables.trim()))];
  },

  async start() {
    Theme.start();
    Theme.apply();
    const sections = document.getElementById("sections");
    if (!Embedded.isReadable()) {
      sections.append(paragraph(Embedded.tooOld, "missing"));
      return;
    }
    const records = await Survey.read();
    document.getElementById("workload").textContent = records.form.run.command.join(" ");
    document.title = `${records.form.run.command.join(" ")}: warptune survey`;
    document.getElementById("written").textContent = `Surveyed by warptune ${records.form.run.warptune_version} on ${dateText(records.form.run.started_ms)}.`;
    sections.append(...Summary.draw(records), ...Counters.draw(records), Survey.timelineCard(records), ...Survey.tablesCard(records));
    if (records.count === 0) Survey.finished();
  },
};

Survey.started = Survey.start();
