"use strict";

// The records of a survey, as columns. The rows of a track are one after another, in the order of their start.
class Records {
  // `form` is the page's JSON, `bytes` the columns that tuner/survey_page/survey_page_data.h describes.
  constructor(form, bytes) {
    this.form = form;
    this.names = form.names;
    this.labels = form.labels;
    this.tracks = [];
    let row = 0;
    for (const track of form.tracks) {
      this.tracks.push({ ...track, first: row, end: row + track.rows });
      row += track.rows;
    }
    this.count = row;
    this.stored = row;
    this.read(bytes);
    CopyRows.add(this);
    this.bounds();
  }

  read(bytes) {
    const readers = {};
    let at = 0;
    for (const [name, size] of Object.entries(this.form.columns ?? {})) {
      readers[name] = new NumberReader(bytes, at);
      at += size;
    }
    this.starts = new Float64Array(this.count);
    this.ends = new Float64Array(this.count);
    this.rowLabels = new Uint32Array(this.count);
    this.calls = new Int32Array(this.count).fill(-1);
    this.sums = new Float64Array(this.count + 1);  // The durations of all rows before a row.
    this.sized = new Map();  // The bytes of copies and fills, by their rows.
    const hasBytes = this.labels.map(({ kind }) => kind === "copy" || kind === "fill");
    for (const track of this.tracks) this.readTrack(track, readers, hasBytes);
  }

  readTrack(track, { starts, durations, labels, bytes, calls }, hasBytes) {
    let start = 0;
    let call = 0;
    const isStream = track.kind === "stream";
    for (let row = track.first; row < track.end; ++row) {
      start += starts.next();
      const duration = durations.next();
      const label = labels.next();
      this.starts[row] = start;
      this.ends[row] = start + duration;
      this.sums[row + 1] = this.sums[row] + duration;
      this.rowLabels[row] = label;
      if (!isStream) continue;
      if (hasBytes[label]) this.sized.set(row, bytes.next());
      const code = calls.next();
      if (code === 0) continue;
      call += (code - 1) % 2 === 0 ? (code - 1) / 2 : -code / 2;
      this.calls[row] = call;
    }
  }

  bounds() {
    this.from = Infinity;
    this.to = -Infinity;
    for (const { first, end } of this.tracks) {
      if (end === first) continue;
      this.from = Math.min(this.from, this.starts[first]);
      this.to = Math.max(this.to, this.ends[end - 1]);
    }
    if (!(this.to > this.from)) [this.from, this.to] = [0, 1];
  }

  // The row of a stream for a row that shows the same record among the copies (CopyRows). Other rows are their own origin.
  origin(row) {
    return row < this.stored ? row : this.added[row - this.stored];
  }

  label(row) {
    return this.labels[this.rowLabels[row]];
  }

  // What a label is called.
  nameOf(label) {
    return label.name === undefined ? `${label.kind}: ${label.text}` : this.names[label.name];
  }

  name(row) {
    return this.nameOf(this.label(row));
  }

  trackOf(row) {
    let below = 0;
    let above = this.tracks.length - 1;
    while (below < above) {
      const middle = (below + above + 1) >> 1;
      if (this.tracks[middle].first <= row) below = middle;
      else above = middle - 1;
    }
    return this.tracks[below];
  }

  // The first row of a track that ends after a time; `track.end` if there is none. Rows of a track do not overlap.
  after(track, time, from = track.first) {
    let below = from;
    let above = track.end;
    while (below < above) {
      const middle = (below + above) >> 1;
      if (this.ends[middle] > time) above = middle;
      else below = middle + 1;
    }
    return below;
  }

  // For each label, 1 if `matches` its name and kind.
  marks(matches) {
    return Uint8Array.from(this.labels, (label) => (matches(this.nameOf(label), label.kind) ? 1 : 0));
  }

  // The durations of all marked rows before a row.
  markedSums(marks) {
    const sums = new Float64Array(this.count + 1);
    for (let row = 0; row < this.count; ++row)
      sums[row + 1] = sums[row] + (marks[this.rowLabels[row]] === 1 ? this.ends[row] - this.starts[row] : 0);
    return sums;
  }
}

// Reads LEB128 numbers without a sign.
class NumberReader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }

  next() {
    let byte = this.bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127;
    let scale = 128;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte >= 128);
    return value;
  }
}
