"use strict";

// One kernel, problem, GPU and cache state with all rows of the report. A row is identified by its index. The fastest comes first,
// but replayed rows follow all measured ones, and imported rows follow both.
// `form` is the JSON object of the workload in `report`.
class Workload {
  constructor(form, report) {
    this.form = form;
    this.statuses = report.statuses;
    this.metrics = report.metrics;
    this.rows = form.rows;
    this.count = form.rows.count;
    this.parameters = form.parameters;
    this.best = form.best;
    this.default = form.default;
    const time = form.rows.time_ns ?? [];
    const measured = this.statuses.indexOf("measured");
    const dropped = this.statuses.indexOf("dropped");
    this.measured = [];
    this.dropped = [];
    this.failed = [];
    for (let i = 0; i < this.count; ++i) {
      const status = form.rows.status[i];
      if (status === measured && time[i] !== null) this.measured.push(i);
      else if (status === dropped && time[i] !== null) this.dropped.push(i);
      else this.failed.push(i);
    }
    this.timed = this.measured.concat(this.dropped);
    const used = this.parameters.map((_, p) => new Set(form.rows.choices[p]));
    this.varied = this.parameters.map((_, p) => p).filter((p) => used[p].size > 1);
    this.fixed = this.parameters.map((_, p) => p).filter((p) => used[p].size <= 1);
    this.unit = timeUnit(this.measured.length > 0 ? time[this.measured[0]] : 1e3);
  }

  // Distinguishes this workload from the others of a report. It has the same key in a later report.
  get key() {
    return JSON.stringify([this.form.kernel, this.form.kernel_hash, this.form.problem, this.form.gpu.name, this.form.cache, this.form.origin]);
  }

  get title() {
    const problem = Object.entries(this.form.problem).map(([name, value]) => `${name}=${value}`).join(" ");
    return [this.form.kernel, problem, this.form.gpu.name, `${this.form.cache} L2`].filter((part) => part).join(" · ");
  }

  time(row) {
    return this.rows.time_ns?.[row] ?? null;
  }

  // The time in the unit of the workload's axes.
  shownTime(row) {
    return this.rows.time_ns[row] / this.unit[1];
  }

  bestTime() {
    return this.best === null ? null : this.time(this.best);
  }

  isDropped(row) {
    return this.statuses[this.rows.status[row]] === "dropped";
  }

  // `12.3 us`, and `> 12.3 us` for a dropped configuration.
  timeText(row) {
    if (this.time(row) === null) return this.statuses[this.rows.status[row]].replaceAll("_", " ");
    return this.isDropped(row) ? `> ${timeText(this.rows.low_ns[row])}` : timeText(this.time(row));
  }

  relative(row) {
    const best = this.bestTime();
    return best && this.time(row) !== null ? this.time(row) / best : null;
  }

  // The value of a parameter with its type, or null.
  typed(parameter, row) {
    return this.parameters[parameter].values[this.rows.choices[parameter][row]] ?? null;
  }

  // The row of a configuration `{ NAME: text }`, or null. Parameters that are not named may have any value.
  find(wanted) {
    const names = Object.keys(wanted);
    const places = names.map((name) => this.parameters.findIndex((parameter) => parameter.name === name));
    if (names.length === 0 || places.includes(-1)) return null;
    for (let row = 0; row < this.count; ++row) {
      if (names.every((name, i) => this.value(places[i], row) === wanted[name])) return row;
    }
    return null;
  }

  // A configuration as { NAME: text }, for `find`.
  named(row) {
    return Object.fromEntries(this.parameters.map(({ name }, p) => [name, this.value(p, row)]));
  }

  value(parameter, row) {
    const place = this.rows.choices[parameter][row];
    return place < 0 ? "-" : String(this.parameters[parameter].values[place]);
  }

  configuration(row, parameters = this.parameters.map((_, p) => p)) {
    return parameters.map((p) => `${this.parameters[p].name}=${this.value(p, row)}`);
  }

  counter(name, row) {
    return this.form.counters[name]?.[row] ?? null;
  }

  resource(name, row) {
    return this.form.resources[name]?.[row] ?? null;
  }

  get counterNames() {
    return Object.keys(this.form.counters);
  }

  metric(name) {
    return this.metrics[name] ?? { title: name, unit: "", description: "" };
  }

  // The minimum traffic and the operations of a launch; 0 when unknown.
  get work() {
    return this.form.work;
  }

  roofShare(row) {
    return this.form.roof_time_ns > 0 && this.time(row) !== null ? this.form.roof_time_ns / this.time(row) : null;
  }

  // The lines of a tooltip: the configuration, with several parameters in each line.
  lines(row) {
    const parts = this.configuration(row, this.varied.length > 0 ? this.varied : undefined);
    const wide = innerWidth < 600 ? 30 : 52;
    const lines = [];
    for (const part of parts) {
      if (lines.length > 0 && lines[lines.length - 1].length + part.length < wide) lines[lines.length - 1] += "  " + part;
      else lines.push(part);
    }
    return lines;
  }

  heading(row) {
    const relative = this.relative(row);
    const marks = [row === this.best ? "best" : "", row === this.default ? "default" : ""].filter((mark) => mark);
    return this.timeText(row) + (relative ? `, ${digits(relative)} x the best` : "") +
      (marks.length > 0 ? ` (${marks.join(", ")})` : "");
  }
}
