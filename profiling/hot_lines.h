#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune::profiling {

/// A place in a source file, with the path that the compiler was given. Line 0 means that the place is
/// unknown.
struct SourceLine {
  std::string file;
  int number = 0;

  auto operator<=>(const SourceLine&) const = default;
};

/// Samples of one source line in which the sampled warp was in the same state. `reason` is the state: why the
/// warp could not issue its next instruction (`long_scoreboard`, `barrier`), or that it issued one
/// (`selected`).
struct StallSamples {
  std::string reason;
  std::uint64_t samples = 0;
};

struct HotLine {
  SourceLine line;
  /// The source text without the blanks around it. Empty when the file could not be read.
  std::string text;
  std::uint64_t samples = 0;
  double share = 0.0;                ///< The share of all samples of the kernel, 0 to 1.
  std::vector<StallSamples> stalls;  ///< Ordered by samples, descending.
};

/// The source lines at which the GPU's sampler found the warps of a kernel.
struct HotLines {
  std::vector<HotLine> lines;  ///< Ordered by samples, descending.
  std::uint64_t samples = 0;   ///< All samples of the kernel.
  std::uint64_t dropped = 0;   ///< Samples that the hardware could not keep.
  int launches = 0;
  /// Why there are no lines, and what to do about it. Empty when there are lines.
  std::string problem;
};

/// The samples of one instruction, which is `offset` bytes from the beginning of `function`.
struct InstructionSamples {
  std::string function;  ///< The symbol in the cubin.
  std::uint64_t offset = 0;
  std::vector<StallSamples> stalls;
};

/// Returns the stall reason in the name of a CUPTI metric: `long_scoreboard` for
/// `smsp__pcsamp_warps_issue_stalled_long_scoreboard`. Returns an empty text for the metrics
/// `..._not_issued`, whose samples are also counted by the metric without this suffix.
std::string stall_reason(std::string_view metric);

/// Adds up the samples of each source line. Calls `line_of` once for each instruction.
HotLines hot_lines_of(
    const std::vector<InstructionSamples>& samples,
    const std::function<SourceLine(const std::string& function, std::uint64_t offset)>& line_of);

/// Returns the source line of an instruction in a cubin that was compiled with `--generate-line-info`. CUPTI
/// reads it from the cubin, so no GPU is needed. The line is 0 when the cubin does not contain it. Throws
/// `base::MachineError` when CUPTI is missing.
SourceLine source_line(std::string_view cubin, const std::string& function, std::uint64_t offset);

}  // namespace warptune::profiling
