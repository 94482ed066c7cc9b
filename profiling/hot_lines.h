#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune::profiling {

/// A place in a source, as the compiler was told; line 0: none is known.
struct SourceLine {
  std::string file;
  int number = 0;

  auto operator<=>(const SourceLine&) const = default;
};

/// Samples of a line whose warp was in a state: why it could not issue its next instruction
/// (`long_scoreboard`, `barrier`), or that it did (`selected`).
struct StallSamples {
  std::string reason;
  std::uint64_t samples = 0;
};

struct HotLine {
  SourceLine line;
  std::string text;  ///< Of the source, without blanks round it; empty where it could not be read.
  std::uint64_t samples = 0;
  double share = 0.0;                ///< Of all samples of the kernel, 0..1.
  std::vector<StallSamples> stalls;  ///< Most samples first.
};

/// Where a kernel's warps were found by the GPU's sampler.
struct HotLines {
  std::vector<HotLine> lines;  ///< Most samples first.
  std::uint64_t samples = 0;   ///< Of the kernel.
  std::uint64_t dropped = 0;   ///< That the hardware could not keep.
  int launches = 0;
  std::string problem;  ///< Why there are no lines, with what to do; empty when there are.
};

/// Samples of one instruction.
struct InstructionSamples {
  std::string function;  ///< The symbol in the cubin.
  std::uint64_t offset = 0;
  std::vector<StallSamples> stalls;
};

/// `long_scoreboard` of `smsp__pcsamp_warps_issue_stalled_long_scoreboard`; empty for the names that count a
/// part of another's samples (`..._not_issued`).
std::string stall_reason(std::string_view metric);

/// Adds samples up by line. `line_of` is asked once for each instruction.
HotLines hot_lines_of(
    const std::vector<InstructionSamples>& samples,
    const std::function<SourceLine(const std::string& function, std::uint64_t offset)>& line_of);

/// The source line of an instruction of a cubin that was compiled with `--generate-line-info`, by CUPTI;
/// needs no GPU. Line 0 where the cubin does not say. Throws `base::MachineError` when CUPTI is missing.
SourceLine source_line(std::string_view cubin, const std::string& function, std::uint64_t offset);

}  // namespace warptune::profiling
