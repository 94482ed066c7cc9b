"use strict";

// Rows of the timeline for copies and fills: for each GPU of a process one for each direction. The streams' rows show the same
// records among the other work of their stream.
const CopyRows = {
  titles: new Map([["host to device", "copies to the device"], ["device to host", "copies to the host"], ["device to device", "copies within the device"],
    ["peer to peer", "copies to another GPU"], ["fill", "fills"]]),
  other: "other copies",
  most: 64,  // Copies that overlap are on several rows. Further ones are on the last of these.

  // Adds tracks of the kind `copies`, with a row for each record that has bytes. `records.origin` leads from such a row to its record.
  add(records) {
    const groups = new Map();
    for (const row of Uint32Array.from(records.sized.keys()).sort((one, other) => records.starts[one] - records.starts[other])) {
      const group = CopyRows.groupOf(records, groups, row);
      let lane = group.lanes.findIndex((rows) => records.ends[rows.at(-1)] <= records.starts[row]);
      if (lane < 0) lane = Math.min(group.lanes.length, CopyRows.most - 1);
      (group.lanes[lane] ??= []).push(row);
    }
    const order = (group) => [...CopyRows.titles.values(), CopyRows.other].indexOf(group.title);
    const sorted = [...groups.values()].sort((one, other) => one.process - other.process || one.device - other.device || order(one) - order(other));
    CopyRows.append(records, sorted.flatMap((group) => group.lanes.map((rows, lane) => ({ ...group, rows, lane }))));
  },

  groupOf(records, groups, row) {
    const { process, device } = records.trackOf(row);
    const label = records.label(row);
    const title = CopyRows.titles.get(label.kind === "fill" ? "fill" : label.direction) ?? CopyRows.other;
    const key = `${process} ${device} ${title}`;
    if (!groups.has(key)) groups.set(key, { process, device, title, lanes: [] });
    return groups.get(key);
  },

  append(records, tracks) {
    const added = Uint32Array.from(tracks.flatMap(({ rows }) => rows));
    const longer = (column, more) => {
      const made = new column.constructor(column.length + added.length);
      made.set(column);
      added.forEach((row, i) => { made[column.length + i] = more(row); });
      return made;
    };
    const first = records.count;
    for (const name of ["starts", "ends", "rowLabels", "calls"]) records[name] = longer(records[name], (row) => records[name][row]);
    records.added = added;
    records.count = first + added.length;
    records.sums = longer(records.sums, () => 0);
    added.forEach((row, i) => {
      records.sized.set(first + i, records.sized.get(row));
      records.sums[first + i + 1] = records.sums[first + i] + records.ends[row] - records.starts[row];
    });
    let at = first;
    for (const { process, device, title, rows, lane } of tracks) {
      const name = `GPU ${device}, ${title}${lane > 0 ? `, ${lane + 1}` : ""}`;
      records.tracks.push({ process, device, kind: "copies", name, rows: rows.length, first: at, end: at + rows.length });
      at += rows.length;
    }
  },
};
