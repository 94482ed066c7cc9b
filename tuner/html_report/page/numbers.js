"use strict";

const timeUnits = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]];
const prefixes = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

// A number with `count` significant digits, trailing zeros included, and without an exponent for usual sizes.
function allDigits(value, count) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "-";
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size < -6 || size > 14) return value.toExponential(count - 1);
  return value.toFixed(Math.max(0, count - 1 - size));
}

// The same as `allDigits`, but without trailing zeros after the point.
function digits(value, count = 3) {
  const text = allDigits(value, count);
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}

// A number with a decimal prefix: `4.40 TB/s`. `write` formats the digits.
function withPrefix(value, unit = "", count = 3, write = allDigits) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "-";
  for (const [scale, prefix] of prefixes) {
    if (Math.abs(value) >= scale * 0.9995) return `${write(value / scale, count)} ${prefix}${unit}`;
  }
  return unit === "" ? digits(value, count) : `${write(value, count)} ${unit}`;
}

// A short form for axes: `5 k`.
function shortPrefix(value, unit = "") {
  return withPrefix(value, unit, 3, digits);
}

// The unit for a time, as [name, nanoseconds].
function timeUnit(timeNs) {
  let best = timeUnits[0];
  for (const unit of timeUnits) if (timeNs >= unit[1]) best = unit;
  return best;
}

function timeText(timeNs, count = 4) {
  if (timeNs === null || timeNs === undefined) return "-";
  const [name, scale] = timeUnit(timeNs);
  return `${allDigits(timeNs / scale, count)} ${name}`;
}

function secondsText(seconds) {
  if (seconds < 120) return `${digits(seconds)} s`;
  return seconds < 7200 ? `${digits(seconds / 60)} min` : `${digits(seconds / 3600)} h`;
}

function percent(share, places = 1) {
  return `${(100 * share).toFixed(places)} %`;
}

function metricText(unit, value) {
  if (value === null || value === undefined) return "-";
  if (unit === "%") return `${value.toFixed(1)} %`;
  if (unit === "byte") return withPrefix(value, "B");
  if (unit === "ns") return timeText(value);
  return withPrefix(value, "", 4);
}

function dateText(stampMs) {
  return stampMs > 0 ? new Date(stampMs).toISOString().replace("T", " ").slice(0, 19) + " UTC" : "-";
}

function cudaVersion(code) {
  return code > 0 ? `${Math.floor(code / 1000)}.${Math.floor((code % 1000) / 10)}` : "-";
}

function plural(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

// The q-quantile of ascending values, by linear interpolation.
function quantile(sorted, q) {
  const place = (sorted.length - 1) * q;
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}

// Replaces the middle of a long name by an ellipsis.
function shortened(name) {
  return name.length > 30 ? `${name.slice(0, 14)}…${name.slice(-14)}` : name;
}
