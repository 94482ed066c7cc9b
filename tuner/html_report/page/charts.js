"use strict";

Chart.defaults.animation = false;
Chart.defaults.font.family = "system-ui, sans-serif";
Chart.defaults.font.size = 12;
Chart.defaults.maintainAspectRatio = false;
Chart.defaults.resizeDelay = 100;

const Charts = {
  all: [],

  // Destroys the charts for which `ends` holds. Chart.js may have delayed a resize, which must not draw a destroyed chart again.
  end(ends) {
    for (const chart of Charts.all.filter(ends)) {
      chart.destroy();
      chart.update = () => undefined;
    }
    Charts.all = Charts.all.filter((chart) => chart.canvas !== null);
  },

  // Destroys the charts in a part of the page.
  clear(part) {
    Charts.end((chart) => part.contains(chart.canvas));
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

  // The choice of an axis over sessions: evaluations or time. Without time stamps, the time is that of the work.
  sessionChoice(sessions, state, draw) {
    const ordered = sessions.every((session) => session.by_time_stamps);
    return choice("Over", [["evaluation", "evaluations"], ["elapsed_s", ordered ? "time" : "time for compiling and measuring"]],
      state.axis, (axis) => { state.axis = axis; draw(); });
  },

  sessionAxis(axis, max) {
    return this.axis({ title: axis === "evaluation" ? "evaluations" : "time passed, s", min: 0, max, format: (value) => value.toLocaleString("en") });
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

  // Makes a figure with a chart in `body`. Screen readers read `title`. `caption` is shown below the chart. An element of a
  // dataset that is a configuration has a `row`; a click or Enter shows its details. The arrow keys go from element to element.
  make(body, title, workload, config, { height = 340, caption = "", figure = element("figure") } = {}) {
    Charts.end((one) => !one.canvas.isConnected);  // The page has replaced their canvases.
    // If the canvas had no size, Chart.js would read sizes of the page, and the browser would compute the layout again for each chart.
    const canvas = element("canvas", { width: "1", height: "1", tabindex: "0", role: "img", "aria-label": `${title}. Arrow keys go from point to point, Enter shows one.` });
    const words = element("span", {}, caption);
    figure.append(element("div", { class: "chart", style: `height:${height}px` }, canvas));
    if (!figure.isConnected) body.append(figure);
    Charts.style(config);
    const chart = new Chart(canvas, config);
    chart.workload = workload;
    canvas.addEventListener("keydown", (event) => Charts.key(chart, event));
    canvas.addEventListener("blur", () => Charts.activate(chart, []));
    Charts.all.push(chart);
    const save = Pictures.button(title, () => Pictures.of(canvas, `${title}: ${workload.title}`));
    const own = figure.querySelector("figcaption");
    if (own !== null) own.append(save);
    else figure.append(element("figcaption", {}, words, save));
    return { chart, caption: words };
  },

  // Adds what all charts have in common to the configuration of a chart.
  style(config) {
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
    config.options.onClick = (_, hit, chart) => Charts.open(chart, hit[0]);
    // Chart.js expects data without parsing to be sorted, for the axes' limits and to find the element under the pointer.
    for (const set of config.data.datasets) if (set.type === "scatter" || set.type === "dots") set.data.sort((a, b) => a.x - b.x);
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
    speak([...(tooltip.title ?? []), ...(tooltip.body ?? []).flatMap((part) => part.lines)].join(", "));
  },
};
