// Assigns samples of instructions to source lines. CUPTI reads the line of an instruction from the line
// information in the cubin.
#include "profiling/hot_lines.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>

#include "profiling/counters/cupti.h"

namespace warptune::profiling {

namespace {

using Stalls = std::map<std::string, std::uint64_t>;

std::uint64_t total_of(const Stalls& stalls) {
  std::uint64_t total = 0;
  for (const auto& [reason, samples] : stalls) total += samples;
  return total;
}

HotLine line_with(const SourceLine& where, const Stalls& stalls, std::uint64_t all) {
  HotLine line;
  line.line = where;
  line.samples = total_of(stalls);
  line.share = static_cast<double>(line.samples) / static_cast<double>(all);
  line.stalls.reserve(stalls.size());
  for (const auto& [reason, samples] : stalls) line.stalls.push_back({reason, samples});
  std::stable_sort(line.stalls.begin(), line.stalls.end(),
                   [](const auto& a, const auto& b) { return a.samples > b.samples; });
  return line;
}

}  // namespace

std::string stall_reason(std::string_view metric) {
  constexpr std::string_view kBeforeReason = "issue_stalled_";
  if (metric.ends_with("_not_issued")) return "";
  const std::size_t place = metric.find(kBeforeReason);
  return std::string(place == std::string_view::npos ? metric : metric.substr(place + kBeforeReason.size()));
}

HotLines hot_lines_of(
    const std::vector<InstructionSamples>& samples,
    const std::function<SourceLine(const std::string& function, std::uint64_t offset)>& line_of) {
  std::map<std::pair<std::string, std::uint64_t>, Stalls> instructions;
  for (const InstructionSamples& row : samples) {
    Stalls& stalls = instructions[{row.function, row.offset}];
    for (const StallSamples& stall : row.stalls) stalls[stall.reason] += stall.samples;
  }
  HotLines all;
  std::map<SourceLine, Stalls> lines;
  for (const auto& [place, stalls] : instructions) {
    const std::uint64_t total = total_of(stalls);
    if (total == 0) continue;
    all.samples += total;
    Stalls& of_line = lines[line_of(place.first, place.second)];
    for (const auto& [reason, count] : stalls) {
      if (count > 0) of_line[reason] += count;
    }
  }
  all.lines.reserve(lines.size());
  for (const auto& [where, stalls] : lines) all.lines.push_back(line_with(where, stalls, all.samples));
  std::stable_sort(all.lines.begin(), all.lines.end(),
                   [](const HotLine& a, const HotLine& b) { return a.samples > b.samples; });
  return all;
}

SourceLine source_line(std::string_view cubin, const std::string& function, std::uint64_t offset) {
  CUpti_GetSassToSourceCorrelationParams parameters{};
  parameters.size = CUpti_GetSassToSourceCorrelationParamsSize;
  parameters.cubin = cubin.data();
  parameters.cubinSize = cubin.size();
  parameters.functionName = function.c_str();
  parameters.pcOffset = offset;
  if (counters::cupti().cuptiGetSassToSourceCorrelation(&parameters) != CUPTI_SUCCESS) return {};
  // The caller of CUPTI must free these texts.
  const std::unique_ptr<char, decltype(&std::free)> file(parameters.fileName, &std::free);
  const std::unique_ptr<char, decltype(&std::free)> folder(parameters.dirName, &std::free);
  if (file == nullptr) return {};
  const std::filesystem::path path = folder == nullptr ? std::filesystem::path(file.get())
                                                       : std::filesystem::path(folder.get()) / file.get();
  return {path.string(), static_cast<int>(parameters.lineNumber)};
}

}  // namespace warptune::profiling
