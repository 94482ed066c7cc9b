"use strict";

// Draws the vertical lines of the option `marks` [{ x, text, colour }], with their texts above the chart. Also draws the option
// `texts` [{ x, y, text, colour, align, along, below }] at positions in the chart. `along` is the exponent of a line y = x^along: the
// text has the direction of this line.
const marksPlugin = {
  id: "marks",
  afterDatasetsDraw(chart, _, options) {
    const { ctx, chartArea: area, scales: { x, y } } = chart;
    ctx.save();
    ctx.font = `12px ${Chart.defaults.font.family}`;
    let line = 0;
    for (const mark of options.marks ?? []) {
      const at = x.getPixelForValue(mark.x);
      if (at < area.left - 1 || at > area.right + 1) continue;
      ctx.strokeStyle = ctx.fillStyle = mark.colour;
      ctx.lineWidth = 1.5;
      ctx.setLineDash(mark.dash ?? []);
      ctx.beginPath();
      ctx.moveTo(at, area.top);
      ctx.lineTo(at, area.bottom);
      ctx.stroke();
      const left = at + ctx.measureText(mark.text).width + 10 > area.right;
      ctx.textAlign = left ? "right" : "left";
      ctx.fillText(mark.text, at + (left ? 2 : -2), area.top - 4 - 14 * line++);
    }
    for (const label of options.texts ?? []) {
      ctx.save();
      ctx.fillStyle = label.colour;
      ctx.textAlign = label.align ?? "left";
      ctx.translate(x.getPixelForValue(label.x), y.getPixelForValue(label.y));
      ctx.rotate(label.along ? Charts.slope(chart, label.along) : 0);
      ctx.strokeStyle = Theme.colour("card");  // Keeps the text readable on points and lines.
      ctx.lineWidth = 3;
      ctx.lineJoin = "round";
      ctx.strokeText(label.text, 0, label.below ? 15 : -6);
      ctx.fillText(label.text, 0, label.below ? 15 : -6);
      ctx.restore();
    }
    ctx.restore();
  },
};

// A type of dataset for thousands of points that look the same. To save time, they are drawn as squares, and all of them share one
// object of options. The points are still those of Chart.js, so that tooltips, clicks and keys work.
class DotsController extends Chart.ScatterController {
  static id = "dots";

  getMaxOverflow() {
    return this.getDataset().pointRadius;
  }

  updateElements(points, start, count, mode) {
    if (mode === "reset") return;  // This comes before each first update, for animations.
    const { xScale, yScale } = this.getMeta();
    const { data } = this.getDataset();
    const options = this.resolveDataElementOptions(start, mode);
    for (let i = start; i < start + count; ++i) {
      points[i].x = xScale.getPixelForValue(data[i].x);
      points[i].y = yScale.getPixelForValue(data[i].y);
      points[i].options = options;
    }
  }

  draw() {
    const { ctx, chartArea } = this.chart;
    const set = this.getDataset();
    const size = 1.8 * set.pointRadius;
    const points = this.getMeta().data;
    ctx.fillStyle = set.backgroundColor;
    for (const point of points) ctx.fillRect(point.x - size / 2, point.y - size / 2, size, size);
    for (const point of points) if (point.active) point.draw(ctx, chartArea);
  }
}
Chart.register(marksPlugin, DotsController);
