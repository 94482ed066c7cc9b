#include "bench/vendor/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace warptune::bench::vendor {

namespace {

using nlohmann::json;

constexpr double kSlowHostUs = 70.0;  // The GPU is kept busy for about 80 us before a launch.

std::string microseconds(const std::optional<model::TimeSummary>& time) {
  if (!time) return "-";
  const double us = time->median_ns * 1e-3;
  return fmt::format("{:.{}f}", us, us < 100.0 ? 2 : us < 1000.0 ? 1 : 0);
}

std::string percent(double share) { return share > 0.0 ? fmt::format("{:.1f}", 100.0 * share) : "-"; }

std::string rate_text(const model::Work& work, const std::optional<model::TimeSummary>& time,
                      const model::Roofs& roofs) {
  if (!time || !(time->median_ns > 0.0)) return "-";
  const double ns = time->median_ns;
  if (model::binding_roof(work, roofs) == model::BindingRoof::kCompute)
    return fmt::format("{:.1f} TFLOP/s", work.flops / ns * 1e-3);
  return fmt::format("{:.2f} TB/s", work.bytes / ns * 1e-3);
}

std::string ratio_text(const std::optional<model::MedianInterval>& ratio) {
  if (!ratio) return "-";
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", ratio->median, ratio->low, ratio->high);
}

std::string met_text(const Comparison& comparison) {
  const auto verdict = comparison.verdict();
  return verdict ? std::string(to_string(*verdict)) : "-";
}

std::string vendor_name(const Comparison& comparison) {
  if (!comparison.vendor.empty()) return comparison.vendor.front().name;
  return comparison.row.references.empty() ? "own default" : "missing";
}

std::optional<model::TimeSummary> best_time(const Comparison& comparison) {
  return comparison.best ? comparison.best->time : std::nullopt;
}

std::optional<model::TimeSummary> vendor_time(const Comparison& comparison) {
  if (!comparison.vendor.empty()) return comparison.vendor.front().time;
  return comparison.row.references.empty() ? comparison.by_default.time : std::nullopt;
}

std::string what_of(const Comparison& comparison) {
  std::string text = model::to_text(comparison.row.problem);
  if (!comparison.row.restrict_text.empty()) text += ", " + comparison.row.restrict_text;
  return text;
}

// In the order of the file, not in the order of measuring.
std::vector<Comparison> in_order(std::vector<Comparison> comparisons) {
  std::stable_sort(comparisons.begin(), comparisons.end(),
                   [](const Comparison& a, const Comparison& b) { return a.row.position < b.row.position; });
  return comparisons;
}

std::string remarks(const Comparison& comparison) {
  std::string text;
  const auto add = [&](const std::string& remark) {
    text += fmt::format("* {} {}: {}\n", comparison.row.kernel, what_of(comparison), remark);
  };
  if (!comparison.skipped.empty()) add("skipped: " + comparison.skipped);
  if (!comparison.note.empty()) add(comparison.note);
  for (std::size_t i = 0; i < comparison.vendor.size(); ++i) {
    const Timed& timed = comparison.vendor[i];
    if (i > 0) {
      add(fmt::format("{}: {} us{}", timed.name, microseconds(timed.time),
                      timed.same_result ? "" : " (does not compute the same)"));
    }
    if (!timed.fault.empty()) add(fmt::format("{} has other results: {}", timed.name, timed.fault));
    if (timed.host_us && *timed.host_us > kSlowHostUs)
      add(fmt::format("{}: enqueueing takes {:.0f} us, a part of which may be in its time", timed.name,
                      *timed.host_us));
  }
  return text;
}

std::string head_text(const RunHead& head) {
  const int driver_version = head.environment.driver_version.value_or(0);
  const auto tera = [](std::optional<double> roof) { return roof.value_or(0.0) * 1e-12; };
  return fmt::format(
      "{}, driver {}.{}. Medians of {} interleaved rounds in us. Roofs of the same run: copy {:.2f}, "
      "read {:.2f} TB/s; FP32 {:.1f}, FP64 {:.1f}, tensor {:.0f} TFLOP/s.\n\n",
      head.gpu.name, driver_version / 1000, driver_version % 1000 / 10, head.rounds,
      tera(head.roofs.copy_bytes_per_s), tera(head.roofs.read_bytes_per_s),
      tera(head.roofs.fp32_measured_flops_per_s), tera(head.roofs.fp64_flops_per_s),
      tera(head.roofs.tensor_flops_per_s));
}

std::string row_text(const Comparison& comparison, const model::Roofs& roofs) {
  const std::optional<model::TimeSummary> best = best_time(comparison);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", comparison.row.kernel,
                     what_of(comparison), comparison.best ? microseconds(best) : "not tuned",
                     rate_text(comparison.work, best, roofs), percent(comparison.roof_share().value_or(0.0)),
                     microseconds(comparison.by_default.time), vendor_name(comparison),
                     microseconds(vendor_time(comparison)), ratio_text(comparison.ratio),
                     comparison.row.goal.text(), met_text(comparison));
}

json to_json(const model::NamedValues& values) {
  json object = json::object();
  for (const auto& [name, value] : values)
    std::visit([&, key = name](const auto& held) { object[key] = held; }, value);
  return object;
}

json to_json(const Timed& timed) {
  return {{"name", timed.name},
          {"median_ns", timed.time ? json(timed.time->median_ns) : json(nullptr)},
          {"low_ns", timed.time ? json(*timed.time->low_ns) : json(nullptr)},
          {"high_ns", timed.time ? json(*timed.time->high_ns) : json(nullptr)},
          {"samples_ns", timed.samples_ns},
          {"host_us", timed.host_us ? json(*timed.host_us) : json(nullptr)},
          {"same_result", timed.same_result},
          {"fault", timed.fault}};
}

json to_json(const Comparison& comparison) {
  json row = {{"kernel", comparison.row.kernel},
              {"problem", comparison.problem},
              {"restrict", comparison.row.restrict_text},
              {"goal", comparison.row.goal.text()},
              {"skipped", comparison.skipped},
              {"note", comparison.note}};
  if (!comparison.skipped.empty()) return row;
  row["best_configuration"] = to_json(comparison.best_configuration);
  if (comparison.best) row["best"] = to_json(*comparison.best);
  row["default"] = to_json(comparison.by_default);
  row["vendor"] = json::array();
  for (const Timed& timed : comparison.vendor) row["vendor"].push_back(to_json(timed));
  row["roof_ns"] = comparison.roof_ns.value_or(0.0);
  row["roof_share"] = comparison.roof_share().value_or(0.0);
  row["flops"] = comparison.work.flops;
  row["bytes"] = comparison.work.bytes;
  const std::optional<model::MedianInterval>& ratio = comparison.ratio;
  row["ratio"] = ratio ? json{ratio->median, ratio->low, ratio->high} : json{nullptr, nullptr, nullptr};
  if (comparison.verdict()) row["met"] = met_text(comparison);
  return row;
}

}  // namespace

std::string line_of(const Comparison& comparison) {
  const std::string what = fmt::format("{} {}", comparison.row.kernel, what_of(comparison));
  if (!comparison.skipped.empty()) return fmt::format("{}: skipped: {}\n", what, comparison.skipped);
  std::string text =
      fmt::format("{}: best {} us, {} % of the roof, default {} us, {} {} us, ratio {}, goal {}: {}\n", what,
                  microseconds(best_time(comparison)), percent(comparison.roof_share().value_or(0.0)),
                  microseconds(comparison.by_default.time), vendor_name(comparison),
                  microseconds(vendor_time(comparison)), ratio_text(comparison.ratio),
                  comparison.row.goal.text(), met_text(comparison));
  return text + remarks(comparison);
}

std::string to_markdown(const RunHead& head, const std::vector<Comparison>& comparisons) {
  std::string text = head_text(head);
  text += "| kernel | problem | best | rate | % of roof | default | reference | its time | ";
  text += "reference / best (95 %) | goal | met |\n|---|---|---:|---:|---:|---:|---|---:|---|---|---|\n";
  std::string below;
  int judged = 0;
  std::string unmet;
  for (const Comparison& comparison : in_order(comparisons)) {
    below += remarks(comparison);
    if (!comparison.skipped.empty()) continue;
    text += row_text(comparison, head.roofs);
    const auto verdict = comparison.verdict();
    if (!verdict) continue;
    ++judged;
    if (*verdict == Verdict::kMissed)
      unmet += fmt::format("{}{} {}", unmet.empty() ? "" : "; ", comparison.row.kernel, what_of(comparison));
  }
  if (judged > 0)
    text += fmt::format("\n{} rows judged; not met: {}.\n", judged, unmet.empty() ? "none" : unmet);
  if (!below.empty()) text += "\n" + below;
  return text;
}

std::string to_json(const RunHead& head, const std::vector<Comparison>& comparisons) {
  json rows = json::array();
  for (const Comparison& comparison : in_order(comparisons)) rows.push_back(to_json(comparison));
  json roofs = json::object();
  for (const model::RoofKind& kind : model::measured_roofs())
    roofs[std::string(kind.name)] = (head.roofs.*kind.value).value_or(0.0);
  return json{{"gpu", head.gpu.name},
              {"driver", head.environment.driver_version.value_or(0)},
              {"rounds", head.rounds},
              {"roofs", roofs},
              {"rows", rows}}
      .dump(1);
}

}  // namespace warptune::bench::vendor
