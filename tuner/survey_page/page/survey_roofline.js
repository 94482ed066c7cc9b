"use strict";

// The counted kernels under the roofs of their GPU: performance over arithmetic intensity, both on logarithmic axes. The model is from
// Williams, Waterman and Patterson, "Roofline", CACM 52(4), 2009.
class Roofline {
  static size = { width: 640, height: 330, left: 74, right: 16, top: 14, bottom: 44 };

  // A list with a plot for each GPU that has a counted kernel with operations. A line says which kernels are left out.
  static draw({ counted, devices }) {
    const numbered = counted.map((kernel, i) => ({ ...kernel, number: i + 1 }));
    const [placed, others] = [true, false].map((wanted) => numbered.filter((kernel) => Roofline.hasPlace(kernel) === wanted));
    const plots = [...new Set(placed.map(({ device }) => device))].map((device) =>
      new Roofline(placed.filter((kernel) => kernel.device === device), devices.length > 1 ? `GPU ${device}` : null).part());
    if (plots.length === 0 || others.length === 0) return plots;
    return [...plots, paragraph(`Not in the plot, because no arithmetic of them was counted: ${others.map((kernel) => `${kernel.number} ${kernel.short_name}`).join(", ")}.`)];
  }

  static hasPlace({ roofline: { flops_per_byte: intensity, flops_per_s: rate } }) {
    return intensity > 0 && rate > 0;
  }

  // `kernels` are those of one GPU, which all have a place.
  constructor(kernels, title) {
    this.kernels = kernels;
    this.title = title;
    this.memory = kernels[0].roofline.roof_bytes_per_s;
    this.compute = kernels[0].roofline.roof_flops_per_s;
    const ridge = this.memory > 0 && this.compute > 0 ? [this.compute / this.memory] : [];
    this.x = Roofline.decades([...kernels.map(({ roofline }) => roofline.flops_per_byte), ...ridge]);
    this.y = Roofline.decades([...kernels.map(({ roofline }) => roofline.flops_per_s), ...(this.compute > 0 ? [this.compute] : [])]);
  }

  // Whole powers of ten round the values: the exponents of the lowest and the highest one.
  static decades(values) {
    const low = Math.floor(Math.log10(Math.min(...values) / 1.2));
    return { low, high: Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values) * 1.2))) };
  }

  placeX(value) {
    const { width, left, right } = Roofline.size;
    return left + ((Math.log10(value) - this.x.low) / (this.x.high - this.x.low)) * (width - left - right);
  }

  placeY(value) {
    const { height, top, bottom } = Roofline.size;
    return height - bottom - ((Math.log10(value) - this.y.low) / (this.y.high - this.y.low)) * (height - top - bottom);
  }

  part() {
    const { width, height } = Roofline.size;
    const caption = `Roofline${this.title === null ? "" : ` of ${this.title}`}`;
    return element("figure", { class: "roofline" },
      drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${caption}. ${this.kernels.map((kernel) => this.text(kernel)).join(". ")}` },
        ...this.grid(), ...this.roofs(), ...this.kernels.map((kernel) => this.point(kernel))),
      element("figcaption", {}, `${caption}: the numbers are those of the kernels below. Operations are FP32, FP64 and FP16 ones without tensor cores. `
        + "The roofs are the bandwidth of device memory and the FP32 peak by theory."));
  }

  grid() {
    const { width, height, left, right, top, bottom } = Roofline.size;
    const parts = [];
    for (let power = this.x.low; power <= this.x.high; ++power) {
      const x = this.placeX(10 ** power);
      parts.push(drawn("line", { class: "grid", x1: x, x2: x, y1: top, y2: height - bottom }),
        drawn("text", { x, y: height - bottom + 16, "text-anchor": "middle" }, shortPrefix(10 ** power)));
    }
    for (let power = this.y.low; power <= this.y.high; ++power) {
      const y = this.placeY(10 ** power);
      parts.push(drawn("line", { class: "grid", x1: left, x2: width - right, y1: y, y2: y }),
        drawn("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, shortPrefix(10 ** power)));
    }
    parts.push(drawn("text", { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, "arithmetic intensity, FLOP per byte of device memory"),
      drawn("text", { x: 14, y: (top + height - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(top + height - bottom) / 2})` }, "FLOP/s"));
    return parts;
  }

  // The line of the lower roof at each intensity, with the rates of both roofs.
  roofs() {
    const [low, high] = [10 ** this.x.low, 10 ** this.x.high];
    const memory = this.memory > 0 ? this.memory : Infinity;
    const compute = this.compute > 0 ? this.compute : Infinity;
    if (memory === Infinity && compute === Infinity) return [];
    const start = Math.min(high, Math.max(low, (10 ** this.y.low) / memory));
    const ridge = Math.min(high, Math.max(low, compute / memory));
    const points = [start, ridge, high].map((x) => [this.placeX(x), this.placeY(Math.min(compute, memory * x, 10 ** this.y.high))]);
    const parts = [drawn("polyline", { class: "roof", points: points.map((place) => place.map((part) => part.toFixed(1)).join(",")).join(" ") })];
    if (compute < Infinity) parts.push(drawn("text", { class: "name", x: points[2][0], y: points[2][1] - 5, "text-anchor": "end" }, `FP32 ${withPrefix(compute, "FLOP/s")}`));
    if (memory < Infinity && ridge > start) {
      const [[x1, y1], [x2, y2]] = points;
      parts.push(drawn("text", { class: "name", x: 12, y: -6, transform: `translate(${x1} ${y1}) rotate(${(Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI})` }, `memory ${withPrefix(memory, "B/s")}`));
    }
    return parts;
  }

  text({ number, short_name: name, roofline }) {
    const share = roofline.share === null ? "" : `, ${percent(roofline.share, 0)} of the nearest roof`;
    return `${number} ${name}: ${withPrefix(roofline.flops_per_s, "FLOP/s")} at ${digits(roofline.flops_per_byte)} FLOP per byte${share}`;
  }

  point(kernel) {
    const [x, y] = [this.placeX(kernel.roofline.flops_per_byte), this.placeY(kernel.roofline.flops_per_s)];
    return drawn("g", { class: "point" }, drawn("title", {}, this.text(kernel)), drawn("circle", { cx: x, cy: y, r: 9 }),
      drawn("text", { x, y: y + 4, "text-anchor": "middle" }, String(kernel.number)));
  }
}

// Makes an element of a picture with attributes and children.
function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
