"use strict";

// The kernel's source, with the lines where the GPU's sampler found warps.
Sections.push({
  id: "source",
  title: "Source",
  wide: true,

  missing(workload) {
    return workload.form.source === null
      ? "The source is not in this report: it is unknown, it has changed since, or it was left out by --no-source." : null;
  },

  draw(body, workload) {
    const { file, text, profiles } = workload.form.source;
    if (profiles.length === 0) {
      body.append(paragraph("No lines were sampled. warptune profile KERNEL --source --format json finds those where warps wait; " +
        "warptune report --profile FILE then marks them here."));
    }
    const state = Kept.of(this.id, { profile: 0 });
    const place = element("div");
    const draw = () => place.replaceChildren(...this.parts(workload, file, text, profiles[state.profile] ?? null));
    if (profiles.length > 1) {
      const names = profiles.map(({ configuration }, i) => [String(i), this.name(workload, configuration)]);
      body.append(choice("Lines of", names, String(state.profile), (value) => { state.profile = Number(value); draw(); }));
    }
    body.append(place);
    draw();
  },

  // A configuration in words: the best, the default, or its parameters that vary.
  name(workload, configuration) {
    const row = workload.find(Object.fromEntries(Object.entries(configuration).map(([name, value]) => [name, String(value)])));
    if (row !== null && row === workload.best) return "the best";
    if (row !== null && row === workload.default) return "the default";
    return Object.entries(configuration).map(([name, value]) => `${name}=${value}`).join(" ");
  },

  parts(workload, file, text, profile) {
    const lines = profile?.hot_lines.lines ?? [];
    const parts = [];
    if (profile !== null) parts.push(this.hottest(workload, file, profile));
    if (text === null) return parts;
    const listing = element("div");
    const open = element("details", { class: "source" }, element("summary", {}, `${file}, ${plural(text.trimEnd().split("\n").length, "line")}`), listing);
    const fill = () => listing.childElementCount === 0 && listing.append(this.listing(workload, file, text, lines));
    open.addEventListener("toggle", fill);
    return [...parts, open];
  },

  stalls(line) {
    return Object.entries(line.stalls).slice(0, 3).map(([reason, samples]) => `${reason.replaceAll("_", " ")} ${percent(samples / line.samples, 0)}`).join(", ");
  },

  hottest(workload, file, { configuration, hot_lines: hot }) {
    const rows = hot.lines.slice(0, 12).map((line) => {
      const known = line.file === file && line.line !== null;
      const place = `${line.file}:${line.line ?? "?"}`;
      return [known ? button(place, () => this.show(line.line), { class: "row" }) : place, this.bar(line.samples_share),
        element("code", {}, line.text), this.stalls(line)];
    });
    const caption = `Where the sampler found the warps of ${this.name(workload, configuration)}: the hottest lines of ${hot.samples.toLocaleString("en")} samples` +
      `${hot.dropped_samples > 0 ? `, ${hot.dropped_samples.toLocaleString("en")} more were lost` : ""}.`;
    return table(caption, ["line", "samples", "source", "what warps wait for"], rows, [], { class: "hot" });
  },

  bar(share) {
    return element("div", { class: "share" }, element("span", { style: `width:${(100 * share).toFixed(1)}%` }), element("b", {}, percent(share)));
  },

  // Opens the listing at a line.
  show(number) {
    const open = document.querySelector("#source details.source");
    open.open = true;
    if (open.querySelector("table") === null) open.dispatchEvent(new Event("toggle"));
    const row = document.getElementById(`line-${number}`);
    row?.scrollIntoView({ block: "center" });
    row?.focus({ preventScroll: true });
  },

  // The whole source. Names of parameters are marked.
  listing(workload, file, text, lines) {
    const hot = new Map(lines.filter((line) => line.file === file).map((line) => [line.line, line]));
    const names = new Set(workload.parameters.map(({ name }) => name));
    const rows = text.trimEnd().split("\n").map((line, i) => {
      const found = hot.get(i + 1);
      const heat = found ? element("td", { title: this.stalls(found) }, this.bar(found.samples_share)) : element("td", {});
      const code = line.split(/\b/).map((word) => (names.has(word) ? element("mark", {}, word) : word));
      return element("tr", { id: `line-${i + 1}`, tabindex: "-1", class: found ? "hot" : "" },
        element("th", { scope: "row" }, String(i + 1)), ...(hot.size > 0 ? [heat] : []), element("td", {}, element("code", {}, ...code)));
    });
    const caption = `${file}. Parameters are marked.`;
    return scrolling(caption, element("table", { class: "listing" }, captionOf(caption), element("tbody", {}, ...rows)));
  },
});
