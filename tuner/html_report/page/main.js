"use strict";

// Reads the data, shows the chosen subject, draws its sections one after another so that the page stays responsive.
const Page = {
  subjects: [],
  subject: null,
  turn: 0,

  // Marks for whoever measures: when the last chart of a subject was drawn.
  finished() {
    performance.mark("report-drawn");
    document.documentElement.dataset.drawnMs = performance.now().toFixed(1);
  },

  // A section's place; one line where its data is missing.
  card(section) {
    const missing = section.missing ? section.missing(Page.subject) : null;
    const body = element("div", { class: "body" }, missing ? paragraph(missing, "missing") : null);
    const kind = missing ? "card wide brief" : section.wide ? "card wide" : "card";
    const card = element("section", { id: section.id, class: kind }, element("h2", {}, section.title), body);
    return { card, body, section, missing };
  },

  // Two cards a row: an odd one is as wide as the page.
  cards() {
    const cards = Sections.map(Page.card);
    const halves = cards.filter(({ card }) => !card.classList.contains("wide"));
    if (halves.length % 2 === 1) halves[halves.length - 1].card.classList.add("wide");
    return cards;
  },

  drawSection({ body, section }) {
    try {
      section.draw(body, Page.subject);
    } catch (error) {
      console.error(`${section.id}: ${error.stack ?? error}`);
      body.replaceChildren(paragraph("This part could not be drawn; the browser's console says why.", "missing"));
    }
  },

  async show(subject) {
    const turn = ++Page.turn;
    delete document.documentElement.dataset.drawnMs;
    Page.subject = subject;
    document.title = `${subject.form.kernel}: warptune report`;
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
        paragraph("This browser is too old to unpack the report: Chromium 80, Firefox 113, Safari 16.4 or newer can.", "missing"));
      return;
    }
    const report = await Page.read();
    Page.subjects = report.subjects.map((form) => new Subject(form, report));
    const chooser = document.getElementById("chooser");
    chooser.replaceChildren(...Page.subjects.map((subject, i) => element("option", { value: String(i) }, subject.title)));
    chooser.addEventListener("change", () => Page.show(Page.subjects[Number(chooser.value)]));
    const several = Page.subjects.length > 1;
    document.getElementById("chooser-label").hidden = !several;
    document.getElementById("subject").textContent = several ? "" : Page.subjects[0].title;
    document.getElementById("written").textContent =
      `Written by warptune ${report.warptune_version} on ${dateText(report.written_ms)}.`;
    document.getElementById("licence").textContent = document.getElementById("licence-text").textContent.trim();
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") document.getElementById("detail").close();
    });
    Page.contents();
    Theme.start();
    Theme.apply();
    Theme.listeners.push(() => Page.show(Page.subject));
    Page.show(Page.subjects[0]);
  },
};

Page.start();
