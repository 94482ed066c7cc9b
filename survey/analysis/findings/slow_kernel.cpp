#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "survey/analysis/findings/finding_list.h"
#include "survey/analysis/library_kernels.h"

namespace warptune::survey::analysis::findings {

namespace {

constexpr double kMostOfKernels = 0.5;
constexpr double kPartOfRun = 1.5;  // As a bound: a third of the run.

constexpr std::string_view kAdviceOnCommunication =
    "This kernel moves data between GPUs, and waits for the slowest of them. Send less or smaller types, "
    "give "
    "all GPUs the same work, or run the communication beside kernels.";
constexpr std::string_view kAdviceOnClosedLibraries =
    "The source of this library's kernel is not public, so warptune cannot tune it. Use smaller types such "
    "as "
    "FP16 or TF32, larger batches, or the library's own search for the fastest algorithm.";

std::optional<Seen> check_slow_kernel(const SurveyFacts& facts) {
  if (facts.kernels.empty()) return std::nullopt;
  const KernelTime& kernel = facts.kernels.front();
  if (kernel.share < kMostOfKernels || kernel.bound < kPartOfRun) return std::nullopt;
  const std::array<std::uint32_t, 3>& grid = facts.survey->shapes[kernel.usual_shape].grid;
  const std::array<std::uint32_t, 3>& block = facts.survey->shapes[kernel.usual_shape].block;
  Seen seen;
  seen.saved = static_cast<std::int64_t>(static_cast<double>(facts.run) * (1.0 - 1.0 / kernel.bound));
  seen.title = fmt::format("{} takes {:.0f} % of all kernel time", kernel_text(facts, kernel.name),
                           100.0 * kernel.share);
  seen.evidence = {
      fmt::format("{}, {} each",
                  base::counted(static_cast<std::uint64_t>(kernel.launches), "launch", "launches"),
                  time_text(kernel.median)),
      fmt::format("nothing else ran for {}", share_text(facts, seen.saved)),
      fmt::format("usually {}x{}x{} blocks of {}x{}x{} threads", grid[0], grid[1], grid[2], block[0],
                  block[1], block[2])};
  const KernelLibrary library = library_of_kernel(facts.survey->names[kernel.name]);
  if (library == KernelLibrary::kCommunication) seen.advice = kAdviceOnCommunication;
  if (library == KernelLibrary::kClosed) seen.advice = kAdviceOnClosedLibraries;
  if (kernel.occupancy)
    seen.evidence.push_back(fmt::format("occupancy by theory {:.0f} %", 100.0 * *kernel.occupancy));
  return seen;
}

}  // namespace

FindingRule slow_kernel_finding() {
  FindingRule rule;
  rule.info = {
      .id = "slow_kernel",
      .trigger =
          "one kernel takes at least half of all kernel time, and runs alone for at least a third of the run",
      .bound = "the time in which it ran alone: the bound is that of a kernel that takes no time",
      .why =
          "Where one kernel dominates, its speed is that of the program. Below a third of the run, even "
          "twice the speed gains less than a fifth. For a kernel of NCCL, cuBLAS, cuDNN, cuFFT or cuSPARSE, "
          "the "
          "advice is another one, because their source is not for tuning.",
      .source = "CUDA C++ Best Practices Guide, \"Assess, Parallelize, Optimize, Deploy\"; G. Amdahl, 1967",
      .advice =
          "Tune this kernel. warptune new makes a definition of its source; it needs the source, the sizes "
          "of a usual launch and the kernel's arguments. Then name its parameters, such as the block size, "
          "and run warptune tune.",
  };
  rule.causes = {"serial_kernels", "low_occupancy_grid", "serial_streams", "serialised_by_default_stream"};
  rule.check = check_slow_kernel;
  return rule;
}

}  // namespace warptune::survey::analysis::findings
