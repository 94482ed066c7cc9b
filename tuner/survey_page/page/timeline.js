"use strict";

// The timeline with its controls, and the details of the chosen record.
class Timeline {
  static tallest = 620;  // Pixels. More tracks are scrolled.

  constructor(records) {
    this.records = records;
    this.view = new TimelineView(records);
    this.lines = Timeline.lines(records);
    this.canvas = element("canvas", { tabIndex: 0, role: "img",
      "aria-label": "Timeline. Arrow keys move, plus and minus zoom, 0 shows all, n and p go to the next and the previous record." });
    const height = TimelineDrawing.axis + this.lines.length * TimelineDrawing.row;
    this.height = Math.min(height, Timeline.tallest);
    this.frame = element("div", { class: "frame-of-rows", style: `height: ${this.height + 2}px` },
      this.canvas, element("div", { style: `height: ${height - this.height}px` }));
    this.details = element("div", { class: "record", id: "record" }, paragraph("Click a record to see what it is.", "missing"));
    this.drawing = new TimelineDrawing(records, this.view, this.canvas, this.lines);
    this.input = new TimelineInput(this, this.canvas);
    this.frame.addEventListener("scroll", () => this.request(), { passive: true });
    new ResizeObserver(() => this.resize()).observe(this.frame);
    Theme.listeners.push(() => this.request());
  }

  // The rows: for each process its title and its tracks, streams first, then copies, then threads.
  static lines(records) {
    const lines = [];
    records.form.processes.forEach((process, i) => {
      const tracks = records.tracks.filter((track) => track.process === i);
      if (tracks.length === 0) return;
      lines.push({ text: `${process.command} (process ${process.pid})` });
      const place = ({ kind }) => ["stream", "copies"].indexOf(kind) + (kind === "stream" || kind === "copies" ? 0 : 3);
      for (const track of tracks.sort((one, other) => place(one) - place(other))) lines.push({ text: track.name, track });
    });
    return lines;
  }

  resize() {
    const width = this.frame.clientWidth;
    if (width === 0) return;
    this.view.width = width;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.canvas.width = Math.round(width * devicePixelRatio);
    this.canvas.height = Math.round(this.height * devicePixelRatio);
    this.draw();
  }

  // Draws before the next frame. Several requests are one.
  request() {
    if (this.requested) return;
    this.requested = true;
    requestAnimationFrame(() => {
      this.requested = false;
      this.draw();
    });
  }

  draw() {
    this.drawn = this.drawing.draw(this.frame.scrollTop);
    const seen = `${timeText(Math.min(this.view.span, this.records.to - this.records.from), 3)} of ${timeText(this.records.to - this.records.from, 3)} seen`;
    if (this.status) this.status.textContent = seen;
    Survey.finished();
  }

  controls() {
    this.status = element("span", { class: "soft" });
    const zoom = (factor) => () => this.input.zoomBy(factor);
    return element("div", { class: "controls" },
      button("+", zoom(0.5), { "aria-label": "Zoom in" }), button("−", zoom(2), { "aria-label": "Zoom out" }),
      button("All", () => this.whole(), { "aria-label": "Show the whole time" }),
      button("◀", () => this.input.moveBy(-this.view.width / 2), { "aria-label": "Earlier" }),
      button("▶", () => this.input.moveBy(this.view.width / 2), { "aria-label": "Later" }),
      button("Previous", () => this.step(-1), { "aria-label": "Previous record" }), button("Next", () => this.step(1), { "aria-label": "Next record" }),
      this.status);
  }

  whole() {
    this.view.whole();
    this.request();
  }

  scroll(pixels) {
    this.frame.scrollTop += pixels;
  }

  // Highlights what `matches(name, kind)` accepts; null: nothing.
  highlight(matches) {
    this.drawing.highlight(matches === null ? null : this.records.marks(matches));
    this.request();
  }

  clear() {
    this.drawing.chosen = null;
    this.details.replaceChildren(paragraph("Click a record to see what it is.", "missing"));
    this.request();
  }

  // Chooses the record at a place of the canvas, or the nearest one within a few pixels.
  select(x, y) {
    const line = this.lines[Math.floor((y - TimelineDrawing.axis + this.frame.scrollTop) / TimelineDrawing.row)];
    if (y < TimelineDrawing.axis || line?.track === undefined) return;
    const near = (3 * this.view.span) / this.view.width;
    const time = this.view.time(x);
    const row = this.records.after(line.track, time - near);
    const { starts, ends } = this.records;
    if (row >= line.track.end || starts[row] > time + near) return;
    const isNextNearer = row + 1 < line.track.end && ends[row] < time && starts[row + 1] <= time + near && starts[row + 1] - time < time - ends[row];
    this.choose(isNextNearer ? row + 1 : row);
  }

  choose(row) {
    this.drawing.chosen = row;
    this.details.replaceChildren(...RecordDetails.of(this.records, row, (other) => this.go(other)));
    speak(`${this.records.name(row)}, ${timeText(this.records.ends[row] - this.records.starts[row])}`);
    this.request();
  }

  // Chooses a record and brings it into view.
  go(row) {
    const { starts, ends } = this.records;
    const duration = Math.max(ends[row] - starts[row], 1);
    const span = Math.min(Math.max(this.view.span, 4 * duration), 400 * duration);
    const titles = span / 4;  // The titles of the tracks hide what is at the left.
    if (starts[row] < this.view.from + titles || ends[row] > this.view.to || span !== this.view.span) {
      const middle = (starts[row] + ends[row]) / 2;
      this.view.show(middle - span / 2, middle + span / 2);
    }
    const line = this.lines.findIndex(({ track }) => track !== undefined && row >= track.first && row < track.end);
    const top = line * TimelineDrawing.row;
    const room = this.height - TimelineDrawing.axis - TimelineDrawing.row;
    if (top < this.frame.scrollTop || top > this.frame.scrollTop + room) this.frame.scrollTop = top - room / 2;
    this.choose(row);
  }

  // The next or the previous record: of those that are highlighted, or of the track.
  step(direction) {
    const { marks } = this.drawing;
    const { rowLabels, tracks } = this.records;
    let row = this.drawing.chosen;
    let track = row === null ? null : this.records.trackOf(row);
    if (row === null || (marks !== null && marks[rowLabels[row]] === 0)) {
      // It begins with the first match that is visible, or with the first of all.
      const wanted = tracks.filter((one) => one.kind === "stream" && one.end > one.first);
      for (const one of wanted.length > 0 ? wanted : tracks) {
        for (let i = this.records.after(one, this.view.from); i < one.end; ++i) {
          if (marks === null || marks[rowLabels[i]] === 1) return this.go(i);
        }
      }
      return;
    }
    for (row += direction; row >= track.first && row < track.end; row += direction) {
      if (marks === null || marks[rowLabels[row]] === 1) return this.go(row);
    }
  }
}

// What a reader learns about a record.
const RecordDetails = {
  of(records, row, go) {
    const label = records.label(row);
    const facts = [
      ["time", timeText(records.ends[row] - records.starts[row])],
      ["begins at", timeText(records.form.first_ns + records.starts[row], 9)],
      ["track", records.trackOf(records.origin(row)).name],
      ...(label.kind === "kernel" ? RecordDetails.shape(records.form.shapes[label.shape]) : []),
      ...RecordDetails.bytes(records, row),
    ];
    const call = records.calls[row];
    if (call >= 0) {
      const waited = records.starts[row] - records.starts[call];
      facts.push(["given by", button(records.name(call), () => go(call), { class: "row" })], ["begins after the call's start by", timeText(waited)]);
    }
    return [element("h3", {}, records.name(row)), table("The chosen record", ["", ""], facts, [], { class: "facts" })];
  },

  shape([grid, block, registers, staticShared, dynamicShared, local, cluster]) {
    const facts = [["grid", grid.join(" x ")], ["block", block.join(" x ")], ["registers of a thread", String(registers)],
      ["shared memory of a block", `${withPrefix(staticShared, "B")} static, ${withPrefix(dynamicShared, "B")} dynamic`]];
    if (local > 0) facts.push(["local memory of a thread", withPrefix(local, "B")]);
    if (cluster[0] > 0) facts.push(["cluster", cluster.join(" x ")]);
    return facts;
  },

  bytes(records, row) {
    const bytes = records.sized.get(row);
    if (bytes === undefined) return [];
    const duration = records.ends[row] - records.starts[row];
    return [["bytes", withPrefix(bytes, "B")], ["rate", duration > 0 ? withPrefix((1e9 * bytes) / duration, "B/s") : "-"]];
  },
};
