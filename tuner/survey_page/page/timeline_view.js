"use strict";

// The part of a timeline that is seen, in nanoseconds, and the width that it is drawn in.
class TimelineView {
  static shortest = 200;  // Nanoseconds.

  constructor(records) {
    this.records = records;
    this.width = 1;
    this.whole();
  }

  whole() {
    const room = (this.records.to - this.records.from) * 0.01;
    [this.from, this.to] = [this.records.from - room, this.records.to + room];
    [this.lowest, this.highest] = [this.from, this.to];
  }

  get span() {
    return this.to - this.from;
  }

  place(time) {
    return ((time - this.from) / this.span) * this.width;
  }

  time(place) {
    return this.from + (place / this.width) * this.span;
  }

  // Shows a time span, within the bounds of the survey.
  show(from, to) {
    const most = this.highest - this.lowest;
    const span = Math.max(Math.min(TimelineView.shortest, most), to - from);
    if (span > most * (1 - 1e-9)) {
      this.whole();
      return;
    }
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - span / 2, this.lowest), this.highest - span);
    this.to = this.from + span;
  }

  // Zooms in (`factor` below 1) or out. The time at `place` stays where it is.
  zoom(factor, place = this.width / 2) {
    const time = this.time(place);
    const span = Math.max(TimelineView.shortest, this.span * factor);
    const from = time - (place / this.width) * span;
    this.show(from, from + span);
  }

  // Moves by a number of pixels.
  move(pixels) {
    const step = (pixels / this.width) * this.span;
    this.show(this.from + step, this.to + step);
  }

  // Times for the marks of the axis: round numbers, at most one for each `room` pixels.
  marks(room) {
    const least = (this.span * room) / this.width;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least);
    const marks = [];
    for (let i = Math.ceil(this.from / step); i * step <= this.to; ++i) marks.push(i * step);
    return { step, marks };
  }
}
