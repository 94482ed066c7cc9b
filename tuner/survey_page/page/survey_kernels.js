"use strict";

// The table of kernels beside the timeline. Choosing a kernel highlights its launches.
class KernelTable {
  static shown = 200;

  // `chosen` is called with the name of a kernel, or with null.
  constructor(survey, chosen) {
    this.survey = survey;
    this.chosen = chosen;
    this.choice = null;
    this.words = "";
    this.part = element("div", { class: "kernels", id: "kernels" });
    this.draw();
  }

  filter(words) {
    this.words = words;
    this.draw();
  }

  // Highlights a kernel, or none if it is chosen already.
  choose(name) {
    this.choice = this.choice === name ? null : name;
    this.draw();
    this.chosen(this.choice);
  }

  draw() {
    const all = this.survey.form.analysis.kernels.map((kernel) => ({ ...kernel, text: this.survey.names[kernel.name] }));
    const found = all.filter(({ text }) => matchesWords(text, this.words));
    const total = all.reduce((sum, kernel) => sum + kernel.duration_ns, 0);
    const rows = found.slice(0, KernelTable.shown);
    const caption = `${plural(found.length, "kernel")}${found.length < all.length ? ` of ${all.length}` : ""}, by the time of all launches.`
      + (found.length > rows.length ? ` The first ${rows.length} are shown: filter by a name.` : "");
    const head = ["kernel", "share", "time", "launches", "median"].map((text, i) => element("th", { scope: "col", ...(i > 1 ? { class: "number" } : {}) }, text));
    this.part.replaceChildren(element("table", {}, captionOf(caption), element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...rows.map((kernel) => this.row(kernel, total)))));
  }

  row(kernel, total) {
    const share = kernel.duration_ns / Math.max(1, total);
    const isChosen = this.choice === kernel.text;
    const name = button(kernel.short_name, () => this.choose(kernel.text), { class: "row", "aria-pressed": String(isChosen), title: kernel.text });
    const bound = kernel.bound > 1 ? ` If it took no time, the run would be at most ${digits(kernel.bound)} times as fast.` : "";
    return element("tr", isChosen ? { class: "chosen" } : {},
      element("th", { scope: "row" }, name),
      element("td", { class: "share", title: `${percent(share)} of the kernels' time.${bound}` },
        element("span", { style: `width: ${100 * share}%` }), element("b", {}, percent(share))),
      element("td", { class: "number" }, timeText(kernel.duration_ns, 3)),
      element("td", { class: "number" }, kernel.launches.toLocaleString("en")),
      element("td", { class: "number" }, kernel.median_ns > 0 ? timeText(kernel.median_ns, 3) : "-"));
  }
}

// Whether a name has all words, in any case.
function matchesWords(name, words) {
  const text = name.toLowerCase();
  return words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
