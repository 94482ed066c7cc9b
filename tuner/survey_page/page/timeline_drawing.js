"use strict";

// Draws the visible tracks of a timeline. A track with few visible records is drawn record by record. Otherwise each pixel
// column shows by its height which part of the time was busy: sums of durations, computed once, give it at any scale.
class TimelineDrawing {
  static row = 20;     // The height of a track in pixels.
  static axis = 24;    // The height of the axis above the tracks.
  static many = 1.5;   // With more records than this for each pixel of the width, a track shows its density.

  // `lines` are the rows of the timeline: { text } for a process, { text, track } for a track.
  constructor(records, view, canvas, lines) {
    Object.assign(this, { records, view, canvas, lines });
    this.marks = null;       // What is highlighted: a 1 for each label.
    this.markedSums = null;
    this.chosen = null;      // The row of the chosen record.
  }

  highlight(marks) {
    this.marks = marks;
    this.markedSums = marks === null ? null : this.records.markedSums(marks);
  }

  // Returns how tracks were drawn, for tests.
  draw(scrolled) {
    const scale = devicePixelRatio;
    const { canvas, view } = this;
    const ctx = canvas.getContext("2d");
    ctx.setTransform(scale, 0, 0, scale, 0, 0);
    const height = canvas.height / scale;
    ctx.fillStyle = Theme.colour("card");
    ctx.fillRect(0, 0, view.width, height);
    ctx.textBaseline = "middle";
    const drawn = { records: 0, density: 0 };
    const first = Math.floor(scrolled / TimelineDrawing.row);
    for (let i = Math.max(0, first); i < this.lines.length; ++i) {
      const top = TimelineDrawing.axis + i * TimelineDrawing.row - scrolled;
      if (top > height) break;
      this.drawLine(ctx, this.lines[i], top, drawn);
    }
    this.drawAxis(ctx, height);
    return drawn;
  }

  drawLine(ctx, line, top, drawn) {
    const height = TimelineDrawing.row;
    if (line.track === undefined) {
      ctx.fillStyle = Theme.colour("page");
      ctx.fillRect(0, top, this.view.width, height);
    } else {
      const { track } = line;
      const begin = this.records.after(track, this.view.from);
      const end = this.end(track, begin);
      const isDense = end - begin > TimelineDrawing.many * this.view.width;
      drawn[isDense ? "density" : "records"] += 1;
      if (isDense) this.drawDensity(ctx, track, top);
      else this.drawRecords(ctx, begin, end, top);
      ctx.fillStyle = Theme.colour("grid");
      ctx.fillRect(0, top + height - 1, this.view.width, 1);
    }
    this.drawTitle(ctx, line, top);
  }

  // One after the last visible row.
  end(track, begin) {
    let below = begin;
    let above = track.end;
    while (below < above) {
      const middle = (below + above) >> 1;
      if (this.records.starts[middle] < this.view.to) below = middle + 1;
      else above = middle;
    }
    return below;
  }

  drawTitle(ctx, line, top) {
    const isTrack = line.track !== undefined;
    ctx.font = isTrack ? "11px system-ui, sans-serif" : "600 12px system-ui, sans-serif";
    const width = Math.min(ctx.measureText(line.text).width + 8, this.view.width);
    if (isTrack) {
      ctx.fillStyle = Theme.colour("card");
      ctx.globalAlpha = 0.82;
      ctx.fillRect(0, top + 2, width, TimelineDrawing.row - 5);
      ctx.globalAlpha = 1;
    }
    ctx.fillStyle = Theme.colour(isTrack ? "text-soft" : "text");
    ctx.fillText(line.text, 4, top + TimelineDrawing.row / 2, this.view.width - 8);
  }

  // The colour of a label: kernels and ranges by their name, the rest by what they are.
  colour(label) {
    if (label.kind === "kernel" || label.kind === "range") return Theme.category((label.name * 7) % 6);
    return Theme.colour({ call: "point-soft", copy: "fine", fill: "hint" }[label.kind]);
  }

  drawRecords(ctx, begin, end, top) {
    const { records, view, marks } = this;
    ctx.font = "11px system-ui, sans-serif";
    for (let row = begin; row < end; ++row) {
      const left = Math.max(-1, view.place(records.starts[row]));
      const right = Math.min(view.width + 1, view.place(records.ends[row]));
      const width = Math.max(1, right - left - (right - left > 4 ? 0.5 : 0));
      const label = records.labels[records.rowLabels[row]];
      const isMarked = marks === null || marks[records.rowLabels[row]] === 1;
      ctx.globalAlpha = isMarked ? 1 : 0.22;
      ctx.fillStyle = marks !== null && isMarked ? Theme.colour("best") : this.colour(label);
      ctx.fillRect(left, top + 2, width, TimelineDrawing.row - 5);
      if (width > 36 && isMarked) this.drawName(ctx, records.nameOf(label), left, width, top);
      ctx.globalAlpha = 1;
      if (this.chosen !== null && records.origin(row) === records.origin(this.chosen)) {
        ctx.strokeStyle = Theme.colour("text");
        ctx.lineWidth = 2;
        ctx.strokeRect(left, top + 1, Math.max(2, width), TimelineDrawing.row - 3);
      }
    }
  }

  drawName(ctx, name, left, width, top) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width - 2, TimelineDrawing.row);
    ctx.clip();
    ctx.fillStyle = Theme.isDark() ? "#14181d" : "#ffffff";
    ctx.fillText(name.replace(/^void /, ""), left + 3, top + TimelineDrawing.row / 2 - 0.5);
    ctx.restore();
  }

  drawDensity(ctx, track, top) {
    ctx.globalAlpha = this.marks === null ? 1 : 0.3;
    ctx.fillStyle = Theme.colour({ stream: "accent", copies: "fine" }[track.kind] ?? "point-soft");
    this.fillShares(ctx, track, top, this.records.sums, null);
    ctx.globalAlpha = 1;
    if (this.marks === null) return;
    ctx.fillStyle = Theme.colour("best");
    this.fillShares(ctx, track, top, this.markedSums, this.marks);
  }

  // One area below the busy share of each pixel column. A column with any record has at least two pixels.
  fillShares(ctx, track, top, sums, marks) {
    const { view } = this;
    const most = TimelineDrawing.row - 4;
    const bottom = top + TimelineDrawing.row - 2;
    const step = view.span / view.width;
    let row = this.records.after(track, view.from);
    let before = this.busyUntil(track, row, view.from, sums, marks);
    ctx.beginPath();
    for (let x = 0; x < view.width; ++x) {
      const time = view.from + (x + 1) * step;
      row = this.records.after(track, time, row);
      const until = this.busyUntil(track, row, time, sums, marks);
      const busy = until - before;
      before = until;
      if (busy <= 0) continue;
      const height = Math.max(2, most * Math.min(1, busy / step));
      ctx.rect(x, bottom - height, 1, height);
    }
    ctx.fill();
  }

  // The busy time of a track until `time`. `row` is the first row that ends after it.
  busyUntil(track, row, time, sums, marks) {
    const done = sums[row] - sums[track.first];
    if (row >= track.end || this.records.starts[row] >= time) return done;
    return done + (marks === null || marks[this.records.rowLabels[row]] === 1 ? time - this.records.starts[row] : 0);
  }

  drawAxis(ctx, height) {
    const { view } = this;
    ctx.fillStyle = Theme.colour("card");
    ctx.fillRect(0, 0, view.width, TimelineDrawing.axis);
    ctx.font = "11px system-ui, sans-serif";
    const { step, marks } = view.marks(110);
    for (const time of marks) {
      const x = Math.round(view.place(time)) + 0.5;
      ctx.fillStyle = Theme.colour("grid");
      ctx.fillRect(x, TimelineDrawing.axis - 6, 1, height);
      ctx.fillStyle = Theme.colour("text-soft");
      ctx.fillText(axisText(time, step), x + 3, TimelineDrawing.axis / 2);
    }
    ctx.fillStyle = Theme.colour("axis");
    ctx.fillRect(0, TimelineDrawing.axis - 1, view.width, 1);
  }
}

// A time at a mark of the axis, with as many digits as its step needs.
function axisText(time, step) {
  const [name, scale] = timeUnit(Math.max(Math.abs(time), step));
  const places = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / scale) + 1e-9)));
  return `${(time / scale).toFixed(places)} ${name}`;
}
