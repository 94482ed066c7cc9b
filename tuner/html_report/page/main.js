"use strict";

// Reads the data and shows the chosen workload. Sections are drawn one after another, so that the page stays responsive.
const Page = {
  workloads: [],
  workload: null,
  turn: 0,
  wasDrawn: false,
  blockMs: 150,  // After drawing for this long, the page handles input before it draws the next section.

  // Marks the time when the last chart of a workload was drawn, for measurements of the page.
  finished() {
    Page.wasDrawn = true;
    performance.mark("report-drawn");
    document.documentElement.dataset.drawnMs = performance.now().toFixed(1);
  },

  // The sections that this report has.
  sections() {
    return Sections.filter((section) => !section.hidden?.());
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
    const cards = Page.sections().map(Page.card);
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

  // Replaces the card of the same section, if the page has one. The charts of the old card are destroyed.
  place(card) {
    const old = document.getElementById(card.id);
    if (old === null) {
      document.getElementById("sections").append(card);
      return;
    }
    Charts.clear(old);
    old.replaceWith(card);
  },

  // What can have the focus in a section, in the order of the page.
  controls(id) {
    return [...document.querySelectorAll(`#${id} :is(button, select, input, summary, a, [tabindex])`)];
  },

  // What a reader sees of a section besides its choices: the focus, what is open, and how far parts are scrolled.
  view(id) {
    const all = (what) => [...document.querySelectorAll(`#${id} ${what}`)];
    return { focus: Page.controls(id).indexOf(document.activeElement), open: all("details").map((one) => one.open), left: all(".scroll").map((one) => one.scrollLeft) };
  },

  restore(id, { focus, open, left }) {
    document.querySelectorAll(`#${id} details`).forEach((one, i) => { if (open[i]) one.open = true; });
    document.querySelectorAll(`#${id} .scroll`).forEach((one, i) => { if (left[i] > 0) one.scrollLeft = left[i]; });
    if (focus >= 0) Page.controls(id)[focus]?.focus({ preventScroll: true });
  },

  // The first section whose top is in the upper half of the window, or else the first one that is in the window, with its place there.
  seen() {
    if (scrollY === 0) return null;
    const places = [...document.querySelectorAll("#sections > section")].map((one) => ({ id: one.id, ...one.getBoundingClientRect().toJSON() }));
    return places.find(({ top }) => top >= -1 && top < innerHeight / 2) ?? places.find(({ bottom }) => bottom > 0) ?? null;
  },

  // Scrolls so that the section is where it was, although sections above it have another height now.
  keepPlace(seen) {
    const card = seen && document.getElementById(seen.id);
    if (card) scrollBy({ top: card.getBoundingClientRect().top - seen.top, behavior: "instant" });
  },

  // Draws a workload. Each card replaces the one before as soon as it is drawn, so that the page does not move.
  async show(workload) {
    const turn = ++Page.turn;
    let drawing = performance.now();
    const root = document.documentElement;
    delete root.dataset.drawnMs;
    Page.workload = workload;
    Kept.begin(workload);
    document.title = `${workload.form.kernel}: warptune report`;
    for (const made of Page.cards()) {
      // The view is read only if the page is drawn again, because reading it makes the browser compute the layout of the page.
      const view = document.getElementById(made.section.id) && Page.view(made.section.id);
      const seen = view !== null || Page.wasDrawn ? Page.seen() : null;
      Page.place(made.card);
      if (!made.missing) Page.drawSection(made);
      if (view !== null) Page.restore(made.section.id, view);
      Page.keepPlace(seen);
      if (performance.now() - drawing < Page.blockMs) continue;
      await new Promise((resolve) => setTimeout(resolve));
      if (turn !== Page.turn) return;
      drawing = performance.now();
    }
    Page.finished();
  },

  // Goes to another workload of the report.
  async choose(workload) {
    Detail.close();
    document.getElementById("chooser").value = String(Page.workloads.indexOf(workload));
    await Page.show(workload);
  },

  contents() {
    document.getElementById("contents").replaceChildren(
      ...Page.sections().map((section) => element("a", { href: `#${section.id}` }, section.short ?? section.title)));
  },

  // The list of workloads in the head of the page. A page with one workload has its title instead.
  chooser(chosen) {
    const several = Page.workloads.length > 1;
    const chooser = document.getElementById("chooser");
    chooser.replaceChildren(...Page.workloads.map((workload, i) => element("option", { value: String(i) }, workload.title)));
    chooser.value = String(Page.workloads.indexOf(chosen));
    document.getElementById("chooser-label").hidden = !several;
    document.getElementById("workload").textContent = several ? "" : Page.workloads[0].title;
  },

  // The data of the file is gzipped JSON in base64.
  async read() {
    return Embedded.unpacked("data").json();
  },

  // What the page does once, before it has data.
  prepare() {
    document.getElementById("licence").textContent = document.getElementById("licence-text").textContent.trim();
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") Detail.close();
    });
    const chooser = document.getElementById("chooser");
    chooser.addEventListener("change", () => Page.choose(Page.workloads[Number(chooser.value)]));
    addEventListener("hashchange", Links.follow);
    Theme.start();
    Theme.apply();
    Theme.listeners.push(() => Page.workload && Page.show(Page.workload));
  },

  async start() {
    Page.prepare();
    if (!Embedded.isReadable()) {
      document.getElementById("sections").append(paragraph(Embedded.tooOld, "missing"));
      return;
    }
    await render(await Page.read());
  },
};

// Draws a report. `report` is the object that `warptune report --format json` prints. This is the only way for data to enter
// the page. It may be called again with newer data: the chosen workload, the choices of the sections and the place on the page
// then stay as they are. The promise is resolved when the last section is drawn, or when a later call has replaced this one.
async function render(report) {
  if (report.workloads.length === 0) return;  // A session that is watched has no rows yet.
  const before = Page.workload?.key;
  Page.workloads = report.workloads.map((form) => new Workload(form, report));
  const chosen = Page.workloads.find((workload) => workload.key === before) ?? Page.workloads[0];
  Page.chooser(chosen);
  Page.contents();
  document.getElementById("written").textContent =
    `Written by warptune ${report.warptune_version} on ${dateText(report.written_ms)}.`;
  const open = Detail.shown;
  await Page.show(chosen);
  if (before === undefined) Links.follow();
  else if (open !== null) Detail.again(chosen, open);
}

Page.started = Page.start();  // A promise that is resolved when the data of the file is drawn.
