"use strict";

// If the kernel's operations are known, the chart shows performance over arithmetic intensity. Otherwise it shows useful
// bandwidth over traffic, as a multiple of the minimum traffic. In that chart, the memory roof falls as the traffic grows.
Sections.push({
  id: "roofline",
  title: "Roofline",

  missing(workload) {
    if (workload.measured.length === 0) return "No configuration was measured, so none can be placed under the roofs.";
    const { flops, bytes } = workload.work;
    if (!(flops > 0) && !(bytes > 0)) {
      return "The kernel's operations and bytes are unknown. Give them in the section [work] of the kernel definition (docs/kernel-definition.md).";
    }
    return null;
  },

  draw(body, workload) {
    const state = Kept.of(this.id, { parameter: -1 });
    const place = element("div");
    const draw = () => this.chart(place, workload, state.parameter);
    body.append(Points.colourChoice(workload, state.parameter, (parameter) => { state.parameter = parameter; draw(); }), place);
    draw();
    if (workload.form.roofs.length === 0) {
      body.append(paragraph("The roofs of this GPU are unknown. warptune tune measures them.", "missing"));
    }
  },

  caption(workload) {
    return workload.measured.some((row) => workload.counter("dram__bytes.sum", row) > 0)
      ? "Bytes are those that the configuration moved through device memory (dram__bytes.sum). Operations are those of [work]."
      : "The counter dram__bytes.sum is missing, so all configurations use the bytes of [work], the minimum that must move. warptune tune --metrics core counts them.";
  },

  bytes(workload, row) {
    const counted = workload.counter("dram__bytes.sum", row);
    return counted > 0 ? counted : workload.work.bytes;
  },

  chart(place, workload, parameter) {
    place.replaceChildren();
    if (workload.work.flops > 0) this.arithmetic(place, workload, parameter);
    else this.bandwidth(place, workload, parameter);
  },

  arithmetic(place, workload, parameter) {
    const { flops } = workload.work;
    const at = (row) => ({ x: flops / this.bytes(workload, row), y: flops / (workload.time(row) * 1e-9) });
    const memory = workload.form.roofs.filter((roof) => roof.kind === "memory");
    const compute = this.computeRoofs(workload);
    const placed = workload.timed.map(at).filter((point) => Number.isFinite(point.x));
    const ridges = memory.flatMap((m) => compute.map((c) => c.per_second / m.per_second));
    const [xMin, xMax] = this.room(placed.map((point) => point.x).concat(ridges), 2.5);
    const top = compute.map((roof) => roof.per_second);
    const [yMin, yMax] = this.room(placed.map((point) => point.y).concat(top), 1.8);
    const highest = Math.max(0, ...top);
    const fastest = Math.max(0, ...memory.map((roof) => roof.per_second));
    const lines = [];
    const texts = [];
    for (const roof of memory) {
      const end = highest > 0 ? Math.min(xMax, highest / roof.per_second) : xMax;
      lines.push(this.line(roof, [xMin, end].map((x) => ({ x, y: x * roof.per_second })), "B/s"));
      const x = Math.max(xMin, yMin / roof.per_second) * 1.15;
      if (roof.per_second === fastest) texts.push({ x, y: x * roof.per_second, text: this.name(roof, "B/s"), colour: Theme.colour("roof"), along: 1 });
    }
    for (const roof of compute) {
      const start = fastest > 0 ? Math.max(xMin, roof.per_second / fastest) : xMin;
      lines.push(this.line(roof, [{ x: start, y: roof.per_second }, { x: xMax, y: roof.per_second }], "FLOP/s"));
      // The text is at the end of the line that has fewer points. On the left, it is below the line, next to the memory roof.
      const left = placed.filter((point) => point.x > Math.sqrt(start * xMax)).length > placed.length / 2;
      const side = left ? { x: start * 1.2, align: "left", below: true } : { x: xMax, align: "right" };
      texts.push({ ...side, y: roof.per_second, text: this.name(roof, "FLOP/s"), colour: Theme.colour(roof.aside ? "text-soft" : "roof") });
    }
    if (fastest > 0) lines.push(this.ridges(compute.filter((roof) => roof.measured || compute.length === 1), fastest));
    this.make(place, workload, parameter, at, lines, texts, {
      x: Charts.axis({ title: "arithmetic intensity, flop per byte of device memory", log: true, min: xMin, max: xMax, format: (value) => shortPrefix(value) }),
      y: Charts.axis({ title: "performance, FLOP/s", log: true, min: yMin, max: yMax, format: (value) => shortPrefix(value) }),
    }, (row) => [`${withPrefix(at(row).y, "FLOP/s")} at ${digits(at(row).x)} flop/byte`]);
  },

  bandwidth(place, workload, parameter) {
    const { bytes } = workload.work;
    const at = (row) => ({ x: this.bytes(workload, row) / bytes, y: bytes / (workload.time(row) * 1e-9) });
    const memory = workload.form.roofs.filter((roof) => roof.kind === "memory");
    const placed = workload.timed.map(at).filter((point) => Number.isFinite(point.x));
    const [xMin, xMax] = this.room(placed.map((point) => point.x).concat([1]), 1.3);
    const [yMin, yMax] = this.room(placed.map((point) => point.y).concat(memory.map((roof) => roof.per_second)), 1.5);
    const lines = memory.map((roof) => this.line(roof, [xMin, xMax].map((x) => ({ x, y: roof.per_second / x })), "B/s"));
    const fastest = memory.reduce((a, b) => (a && a.per_second > b.per_second ? a : b), null);
    const texts = fastest ? [{ x: xMin * 1.03, y: fastest.per_second / (xMin * 1.03), text: this.name(fastest, "B/s"), colour: Theme.colour("roof"), along: -1 }] : [];
    this.make(place, workload, parameter, at, lines, texts, {
      x: Charts.axis({ title: "device-memory traffic over the minimum that must move", log: true, min: xMin, max: xMax, format: (value) => shortPrefix(value) }),
      y: Charts.axis({ title: "useful bandwidth, B/s", log: true, min: yMin, max: yMax, format: (value) => shortPrefix(value) }),
    }, (row) => [`${withPrefix(at(row).y, "B/s")} useful, ${digits(at(row).x)} x the minimum traffic`]);
  },

  make(place, workload, parameter, at, lines, texts, scales, extra) {
    Charts.make(place, "Roofline of all configurations", workload, {
      data: { datasets: [...Points.sets(workload, at, parameter), ...lines] },
      options: {
        scales,
        plugins: {
          marks: { texts }, tooltip: Points.tooltip(workload, extra),
          legend: { display: true, position: "bottom", labels: { filter: (item) => item.text !== undefined && item.text !== "" } },
        },
      },
    }, { height: 400, caption: this.caption(workload) });
  },

  // The compute roofs. A theoretical roof is left out if the same roof was measured. Roofs of units that the kernel does not use are
  // `aside`.
  computeRoofs(workload) {
    const roofs = workload.form.roofs.filter((roof) => roof.kind === "compute");
    return roofs.filter((roof) => roof.measured || !roofs.some((other) => other.measured && other.name === roof.name))
      .map((roof) => ({ ...roof, aside: roof.name.toLowerCase() !== workload.work.arithmetic_unit }));
  },

  name(roof, unit) {
    return `${roof.name} ${withPrefix(roof.per_second, unit)}${roof.measured ? "" : " (theory)"}`;
  },

  line(roof, data, unit) {
    const name = this.name(roof, unit);
    return {
      type: "line", label: "", parsing: false, silent: true, order: 4, borderWidth: roof.aside ? 1 : 2, pointRadius: 0, pointHitRadius: 0,
      borderColor: Theme.colour(roof.aside ? "text-soft" : "roof"), borderDash: roof.measured ? [] : [6, 4],
      data: data.map((point) => ({ ...point, title: name })),
    };
  },

  ridges(compute, fastest) {
    return {
      type: "scatter", label: "ridge point", parsing: false, order: 2, pointStyle: "circle", pointRadius: 5, pointHitRadius: 6,
      backgroundColor: Theme.colour("card"), borderColor: Theme.colour("roof"), borderWidth: 2,
      data: compute.map((roof) => ({ x: roof.per_second / fastest, y: roof.per_second, title: `ridge point, ${roof.name}`,
        lines: [`${digits(roof.per_second / fastest)} flop/byte: memory limits kernels to the left, arithmetic limits kernels to the right`] })),
    };
  },

  room(values, factor) {
    const [low, high] = Charts.limits(values, true, 0);
    return [low / factor, high * factor];
  },
});
