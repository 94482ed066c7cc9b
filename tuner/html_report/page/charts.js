"use strict";

Chart.defaults.animation = false;
Chart.defaults.font.family = "system-ui, sans-serif";
Chart.defaults.font.size = 12;
Chart.defaults.maintainAspectRatio = false;
Chart.defaults.resizeDelay = 100;

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
Chart.register(marksPlugin);

const Charts = {
  all: [],

  // Ends the charts in a part of the page.
  clear(part) {
    const inside = (chart) => part.contains(chart.canvas);
    for (const chart of Charts.all.filter(inside)) chart.destroy();
    Charts.all = Charts.all.filter((chart) => chart.canvas !== null);
  },

  // The angle on the screen of a line y = x^exponent on two logarithmic axes.
  slope(chart, exponent) {
    const { x, y } = chart.scales;
    const run = x.getPixelForValue(10 * x.min) - x.getPixelForValue(x.min);
    const rise = y.getPixelForValue(10 * y.min) - y.getPixelForValue(y.min);
    return Math.atan2(rise * exponent, run);
  },

  // An axis. A logarithmic axis has labels at 1, 2 and 5 times each power of ten, or at every tick within one decade.
  axis({ title, log = false, format = (value) => digits(value), min, max, grid = true, ticks = {} }) {
    const axis = {
      type: log ? "logarithmic" : "linear", min, max,
      title: { display: Boolean(title), text: title, color: Theme.colour("text") },
      grid: { color: Theme.colour("grid"), display: grid, borderColor: Theme.colour("axis") },
      ticks: { color: Theme.colour("text-soft"), maxRotation: 0, autoSkipPadding: 14, callback: (value) => format(value), ...ticks },
    };
    if (!log) {
      axis.ticks.includeBounds = false;
      return axis;
    }
    axis.afterBuildTicks = (scale) => {
      const decades = Math.log10(scale.max / scale.min);
      const kept = decades > 3.5 ? [1] : decades > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
      scale.ticks = [];
      for (let decade = Math.floor(Math.log10(scale.min)); decade <= Math.ceil(Math.log10(scale.max)); ++decade) {
        for (const factor of kept) {
          const value = factor * 10 ** decade;
          if (value >= scale.min * 0.9999 && value <= scale.max * 1.0001) scale.ticks.push({ value });
        }
      }
      if (scale.ticks.length < 3) {
        scale.ticks = Array.from({ length: 5 }, (_, i) => ({ value: scale.min * (scale.max / scale.min) ** (i / 4) }));
      }
    };
    return axis;
  },

  // The limits of an axis, with a small margin around the values.
  limits(values, log, room = 0.04) {
    let low = Infinity, high = -Infinity;
    for (const value of values) {
      if (value === null || !Number.isFinite(value) || (log && value <= 0)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (low > high) return log ? [1, 10] : [0, 1];
    if (!log) {
      const span = (high - low || Math.abs(high) || 1) * room;
      return [low >= 0 && low - span < 0 ? 0 : low - span, high + span];
    }
    const factor = Math.max(high / low, 1.05) ** room;
    return [low / factor, high * factor];
  },

  // Makes a chart in `body`. Screen readers read `title`. An element of a dataset that is a configuration has a `row`; a
  // click or Enter shows its details. The arrow keys go from element to element.
  make(body, title, workload, config, height = 340) {
    const canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": `${title}. Arrow keys go from point to point, Enter shows one.` });
    body.append(element("div", { class: "chart", style: `height:${height}px` }, canvas));
    config.options = config.options ?? {};
    const plugins = (config.options.plugins = config.options.plugins ?? {});
    plugins.legend = { display: false, ...plugins.legend };
    plugins.legend.labels = { usePointStyle: true, boxHeight: 7, color: Theme.colour("text"), ...plugins.legend.labels };
    plugins.tooltip = {
      backgroundColor: Theme.colour("tooltip"), titleColor: Theme.colour("tooltip-text"), bodyColor: Theme.colour("tooltip-text"),
      borderColor: Theme.colour("axis"), borderWidth: 1, displayColors: false, padding: 8, caretPadding: 6,
      bodyFont: { size: 12 }, filter: (item, index) => index === 0, ...plugins.tooltip,
    };
    config.options.interaction = { mode: "nearest", intersect: true, ...config.options.interaction };
    // Chart.js expects data without parsing to be sorted, for the axes' limits and to find the element under the pointer.
    for (const set of config.data.datasets) if (set.type === "scatter") set.data.sort((a, b) => a.x - b.x);
    config.options.onClick = (_, hit, chart) => Charts.open(chart, hit[0]);
    const chart = new Chart(canvas, config);
    chart.workload = workload;
    canvas.addEventListener("keydown", (event) => Charts.key(chart, event));
    canvas.addEventListener("blur", () => Charts.activate(chart, []));
    Charts.all.push(chart);
    return chart;
  },

  open(chart, hit) {
    if (!hit) return;
    const row = chart.data.datasets[hit.datasetIndex].data[hit.index]?.row;
    if (row !== undefined) Detail.show(chart.workload, row);
  },

  activate(chart, elements) {
    chart.setActiveElements(elements);
    chart.tooltip.setActiveElements(elements, { x: 0, y: 0 });
    chart.update("none");
  },

  key(chart, event) {
    const steps = { ArrowRight: 1, ArrowLeft: -1, PageDown: 25, PageUp: -25, Home: -Infinity, End: Infinity };
    if (event.key === "Enter") Charts.open(chart, chart.getActiveElements()[0]);
    if (!(event.key in steps)) return;
    event.preventDefault();
    const places = [];
    chart.data.datasets.forEach((dataset, datasetIndex) => {
      if (dataset.silent || !chart.isDatasetVisible(datasetIndex)) return;
      chart.getDatasetMeta(datasetIndex).data.forEach((point, index) => places.push({ datasetIndex, index, x: point.x }));
    });
    if (places.length === 0) return;
    places.sort((a, b) => a.x - b.x);
    const active = chart.getActiveElements()[0];
    const current = active
      ? places.findIndex((place) => place.datasetIndex === active.datasetIndex && place.index === active.index) : -1;
    const next = Math.min(Math.max(current + steps[event.key], 0), places.length - 1);
    Charts.activate(chart, [places[next]]);
    const tooltip = chart.tooltip;
    document.getElementById("spoken").textContent =
      [...(tooltip.title ?? []), ...(tooltip.body ?? []).flatMap((part) => part.lines)].join(", ");
  },

  // The tooltip of points that are configurations. `extra(row)` gives lines about the axes of the chart.
  rowTooltip(workload, extra = () => []) {
    return {
      callbacks: {
        title: (items) => (items[0]?.raw.row === undefined ? items[0]?.raw.title ?? "" : workload.heading(items[0].raw.row)),
        label: (item) => (item.raw.row === undefined ? item.raw.lines ?? [] : [...extra(item.raw.row), ...workload.lines(item.raw.row)]),
      },
    };
  },

  // Datasets with a point for each timed row; `place(row)` gives its { x, y }. There is one dataset for each value of a
  // parameter, or one for measured and one for dropped rows. Best and default are drawn on top.
  points(workload, place, parameter = -1) {
    const points = (rows) => rows.map((row) => ({ row, ...place(row) }))
      .filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y));
    const radius = workload.timed.length > 2000 ? 2 : 3;
    const base = { type: "scatter", pointRadius: radius, pointHoverRadius: radius + 3, pointHitRadius: 4, borderWidth: 0, parsing: false,
      pointHoverBorderColor: Theme.colour("text"), pointHoverBorderWidth: 2 };
    const sets = [];
    if (parameter >= 0) {
      const values = workload.parameters[parameter].values;
      values.forEach((value, v) => {
        const rows = workload.timed.filter((row) => workload.rows.choices[parameter][row] === v);
        if (rows.length > 0) sets.push({ ...base, label: String(value), data: points(rows), backgroundColor: Theme.ordered(v, values.length) });
      });
    } else {
      sets.push({ ...base, label: "measured", data: points(workload.measured), backgroundColor: Theme.colour("point") });
      if (workload.dropped.length > 0) {
        sets.push({ ...base, label: "dropped (first estimate)", data: points(workload.dropped), backgroundColor: "transparent",
          borderColor: Theme.colour("point-soft"), borderWidth: 1 });
      }
    }
    for (const set of sets) set.order = 3;
    const special = (row, label, style, colour) => {
      if (row === null || row === undefined) return;
      const data = points([row]);
      if (data.length === 0) return;
      sets.push({ ...base, label, data, pointStyle: style, pointRadius: 7, pointHoverRadius: 9, backgroundColor: Theme.colour(colour),
        borderColor: Theme.colour("card"), borderWidth: 1.5, order: 1 });
    };
    special(workload.default, "default", "triangle", "default");
    special(workload.best, "best", "rectRot", "best");
    return sets;
  },

  // A drop-down list with the parameter that colours the points.
  colourChoice(workload, parameter, chosen) {
    const options = [["-1", "nothing"], ...workload.varied.map((p) => [String(p), workload.parameters[p].name])];
    return choice("Colour by", options, workload.varied.includes(parameter) ? String(parameter) : "-1", (value) => chosen(Number(value)));
  },
};
