"use strict";

// Reads the data and shows the chosen workload. Sections are drawn one after another, so that the page stays responsive.
const Page = {
  workloads: [],
  workload: null,
  turn: 0,

  // Marks the time when the last chart of a workload was drawn, for measurements of the page.
  finished() {
    performance.mark("report-drawn");
    document.documentElement.dataset.drawnMs = performance.now().toFixed(1);
  },

  // The card of a section. When its data is missing, the card has one line that says so.
  card(section) {
    const missing = section.missing ? section.missing(Page.workload) : null;
    const body = element("div", { class: "body" }, missing ? paragraph(missing, "missing") : null);
    const kind = missing ? "card wide brief" : section.wide ? "card wide" : "card";
    const card = element("section", { id: section.id, class: kind }, element("h2", {}, section.title), body);
    return { card, body, section, missing };
  },

  // The cards, two in each row. If one is left over, it gets the width of the page.
  cards() {
    const cards = Sections.map(Page.card);
    const halves = cards.filter(({ card }) => !card.classList.contains("wide"));
    if (halves.length % 2 === 1) halves[halves.length - 1].card.classList.add("wide");
    return cards;
  },

  drawSection({ body, section }) {
    try {
      section.draw(body, Page.workload);
    } catch (error) {
      console.error(`${section.id}: ${error.stack ?? error}`);
      body.replaceChildren(paragraph("This section could not be drawn. The browser's console says why.", "missing"));
    }
  },

  async show(workload) {
    const turn = ++Page.turn;
    delete document.documentElement.dataset.drawnMs;
    Page.workload = workload;
    document.title = `${workload.form.kernel}: warptune report`;
    document.getElementById("detail").close();
    Charts.clear();
    const cards = Page.cards();
    document.getElementById("sections").replaceChildren(...cards.map(({ card }) => card));
    for (const card of cards.filter(({ missing }) => !missing)) {
      Page.drawSection(card);
      await new Promise((resolve) => setTimeout(resolve));
      if (turn !== Page.turn) return;
    }
    Page.finished();
  },

  contents() {
    document.getElementById("contents").replaceChildren(
      ...Sections.map((section) => element("a", { href: `#${section.id}` }, section.short ?? section.title)));
  },

  // The data is gzipped JSON in base64.
  async read() {
    const packed = Uint8Array.from(atob(document.getElementById("data").textContent), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  },

  async start() {
    if (!("DecompressionStream" in window)) {
      document.getElementById("sections").append(
        paragraph("This browser is too old to unpack the report. Use Chromium 80, Firefox 113, Safari 16.4, or newer.", "missing"));
      return;
    }
    const report = await Page.read();
    Page.workloads = report.workloads.map((form) => new Workload(form, report));
    const chooser = document.getElementById("chooser");
    chooser.replaceChildren(...Page.workloads.map((workload, i) => element("option", { value: String(i) }, workload.title)));
    chooser.addEventListener("change", () => Page.show(Page.workloads[Number(chooser.value)]));
    const several = Page.workloads.length > 1;
    document.getElementById("chooser-label").hidden = !several;
    document.getElementById("workload").textContent = several ? "" : Page.workloads[0].title;
    document.getElementById("written").textContent =
      `Written by warptune ${report.warptune_version} on ${dateText(report.written_ms)}.`;
    document.getElementById("licence").textContent = document.getElementById("licence-text").textContent.trim();
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") document.getElementById("detail").close();
    });
    Page.contents();
    Theme.start();
    Theme.apply();
    Theme.listeners.push(() => Page.show(Page.workload));
    Page.show(Page.workloads[0]);
  },
};

Page.start();
