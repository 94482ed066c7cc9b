"use strict";

// Draws the vertical lines of the option `marks` [{ x, text, colour }], with their texts above the chart. Also draws the option
// `texts` [{ x, y, text, colour, align, along, below }] at positions in the chart.
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

// Draws a dataset with the option `dots` as squares, which takes a fraction of the time that Chart.js needs for its shapes. The
// points are still those of Chart.js, for tooltips, clicks and keys.
const dotsPlugin = {
  id: "dots",
  beforeDatasetDraw(chart, { meta, index }) {
    const set = chart.data.datasets[index];
    if (!set.dots) return true;
    const { ctx } = chart;
    const size = 1.8 * set.pointRadius;
    ctx.fillStyle = set.backgroundColor;
    for (const point of meta.data) ctx.fillRect(point.x - size / 2, point.y - size / 2, size, size);
    for (const point of meta.data) if (point.active) point.draw(ctx, chart.chartArea);
    return false;
  },
};
Chart.register(marksPlugin, dotsPlugin);
