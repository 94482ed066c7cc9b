"use strict";

// Draws parallel coordinates: an axis for each parameter, one for the time, and a line for each configuration. Places of values
// are shares of the height, 0 at the top.
class Coordinates {
  // In pixels: the minimum distance between axes, and the space above and below them.
  static least = 92;
  static head = 40;
  static foot = 14;

  // `room` is the width of the card.
  constructor(workload, room) {
    this.workload = workload;
    this.axes = workload.varied.map((p) => {
      const used = [...new Set(workload.timed.map((row) => workload.rows.choices[p][row]))].filter((v) => v >= 0).sort((a, b) => a - b);
      return { parameter: p, name: workload.parameters[p].name, used, places: new Map(used.map((v, i) => [v, (i + 0.5) / used.length])) };
    });
    this.step = Math.max(Coordinates.least, room / (this.axes.length + 1));
    this.show(workload.timed);
  }

  // Chooses the rows whose lines are drawn, and fits the axis of the time to them.
  show(rows) {
    this.shown = rows.slice(0, 400);
    [this.fastest, this.slowest] = Charts.limits(this.shown.map((row) => this.workload.time(row)), true, 0);
  }

  // The place of a row on axis number `a`. On the axes of parameters, lines through one value are
  // spread a little, by a hash of the row's index, so that they do not cover each other.
  place(row, a) {
    if (a === this.axes.length) {
      const span = Math.log(this.slowest / this.fastest) || 1;
      return Math.log(this.workload.time(row) / this.fastest) / span;
    }
    const { parameter, places, used } = this.axes[a];
    const at = places.get(this.workload.rows.choices[parameter][row]) ?? 0.5;
    return at + ((((row * 7919) % 101) / 101 - 0.5) * 0.5) / used.length;
  }

  get width() {
    return this.step * (this.axes.length + 1);
  }

  x(a) {
    return this.step * (a + 0.5);
  }

  y(share, height) {
    return Coordinates.head + share * (height - Coordinates.head - Coordinates.foot);
  }

  // Paints all rows faintly, the shown ones strongly, the fastest last, and `marked`, if it is a row, on top.
  paint(canvas, marked) {
    const height = canvas.clientHeight;
    const scale = devicePixelRatio || 1;
    canvas.width = this.width * scale;
    canvas.height = height * scale;
    const ctx = canvas.getContext("2d");
    ctx.scale(scale, scale);
    this.faint(ctx, height);
    ctx.lineWidth = 1.2;
    ctx.globalAlpha = this.shown.length > 60 ? 0.55 : 0.85;
    for (const row of [...this.shown].reverse()) {
      this.line(ctx, row, height, Theme.ordered(Math.round(20 * (1 - this.place(row, this.axes.length))), 21));
    }
    ctx.globalAlpha = 1;
    ctx.lineWidth = 3;
    if (this.shown.includes(this.workload.best)) this.line(ctx, this.workload.best, height, Theme.colour("best"));
    if (marked !== null) this.line(ctx, marked, height, Theme.colour("text"));
    this.rules(ctx, height);
  }

  line(ctx, row, height, colour) {
    ctx.strokeStyle = colour;
    ctx.beginPath();
    for (let a = 0; a <= this.axes.length; ++a) ctx.lineTo(this.x(a), this.y(this.place(row, a), height));
    ctx.stroke();
  }

  // Draws all rows in a faint colour, without the axis of the time. Rows with equal values on two neighbouring axes share one line.
  faint(ctx, height) {
    const { rows, timed } = this.workload;
    ctx.strokeStyle = Theme.colour("grid");
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (let a = 0; a + 1 < this.axes.length; ++a) {
      const seen = new Set();
      const { parameter, places } = this.axes[a];
      for (const row of timed) {
        const next = rows.choices[this.axes[a + 1].parameter][row];
        const key = rows.choices[parameter][row] * 4096 + next;
        if (seen.has(key)) continue;
        seen.add(key);
        ctx.moveTo(this.x(a), this.y(places.get(rows.choices[parameter][row]) ?? 0.5, height));
        ctx.lineTo(this.x(a + 1), this.y(this.axes[a + 1].places.get(next) ?? 0.5, height));
      }
    }
    ctx.stroke();
  }

  rules(ctx, height) {
    ctx.strokeStyle = ctx.fillStyle = Theme.colour("text-soft");
    ctx.lineWidth = 1;
    ctx.font = `12px ${Chart.defaults.font.family}`;
    for (let a = 0; a <= this.axes.length; ++a) {
      ctx.beginPath();
      ctx.moveTo(this.x(a), this.y(0, height));
      ctx.lineTo(this.x(a), this.y(1, height));
      ctx.stroke();
    }
  }

  // The shown row whose line passes nearest to a point, or null if none is within 8 pixels.
  nearest(x, y, height) {
    const before = Math.min(Math.max(Math.floor(x / this.step - 0.5), 0), this.axes.length - 1);
    const share = Math.min(Math.max((x - this.x(before)) / this.step, 0), 1);
    let best = null, distance = 8;
    for (const row of this.shown) {
      const [a, b] = [before, before + 1].map((axis) => this.y(this.place(row, axis), height));
      const off = Math.abs(a + share * (b - a) - y);
      if (off < distance) [best, distance] = [row, off];
    }
    return best;
  }
}
