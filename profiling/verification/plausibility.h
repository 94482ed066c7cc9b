#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernel_templates/kernel_definition.h"
#include "model/gpu_description.h"
#include "model/measurement.h"

namespace warptune::profiling::verification {

/// What a definition says of a launch's work, and where it says so.
struct DeclaredWork {
  model::Work work;
  base::SourcePosition position;  ///< Of `[work]`.
  /// Operations a second on the tensor cores, over those of 16-bit operands: narrower ones are faster.
  double tensor_rate = 1.0;
  /// All data lie in the GPU's memory and kernels alone move them: memory roofs hold.
  bool on_device = false;
};
/// `work` is the definition's for this problem (`KernelInstance::work`, `Recording::work`).
DeclaredWork declared_work(const kernel_templates::KernelDefinition& definition,
                           const model::NamedValues& problem, const model::Work& work);

/// What a launch cannot do with less. docs/measuring.md, "Plausible", has the derivations.
enum class BoundKind {
  // These follow from the outputs that were verified. Less is implausible.
  kWrittenBytes,  ///< Bytes written at the L2, of the bytes that had to be written.
  kWriteTime,     ///< Time, of what writing them takes at the memory's roof.
  kInstructions,  ///< Warp instructions, of the fewest that can write them.
  // These rest on `[work]`. Less means that it, or the kernel, is wrong.
  kDeclaredMemoryTime,      ///< Time, of what `bytes` take at the memory's roof.
  kDeclaredArithmeticTime,  ///< Time, of what `flops` take at the roof of their unit.
  kDeclaredBytes,           ///< Bytes that passed the L2, of `bytes`.
  kDeclaredInstructions     ///< Warp instructions, of the fewest that can do `flops`.
};
/// `bytes written at the L2`, ...
std::string_view to_string(BoundKind kind);
/// All of them, in order.
const std::vector<BoundKind>& all_bound_kinds();
/// Whether it rests on `[work]` alone.
bool is_declared(BoundKind kind);
/// The least ratio of found to least that is believed. The rows that calibrate it are in docs/results-all.md.
double min_ratio(BoundKind kind);

/// What was found, and the least it can be, in the same unit.
struct PlausibilityBound {
  BoundKind kind = BoundKind::kWrittenBytes;
  double found = 0.0;
  double minimum = 0.0;

  double ratio() const { return found / minimum; }
  bool holds() const { return ratio() >= min_ratio(kind); }
};

/// `[work]` says more than a launch did.
struct WorkDoubt {
  std::string text;               ///< One sentence, without the position.
  base::SourcePosition position;  ///< Of `[work]`.

  /// `[work] (FILE:LINE:COLUMN): ...`, for people.
  std::string message() const;
};

/// Tells whether what was timed and counted of a configuration can be. Needs no GPU. Bounds of which
/// something is unknown (a counter, a roof) are left out. Only measured and dropped rows are judged.
class PlausibilityCheck {
 public:
  /// Judges nothing.
  PlausibilityCheck() = default;
  PlausibilityCheck(const model::GpuDescription& gpu, model::CacheState cache, const model::Roofs& roofs,
                    DeclaredWork declared);

  void set_roofs(const model::Roofs& roofs) { roofs_ = roofs; }
  /// All that can be said, in the order of the kinds.
  std::vector<PlausibilityBound> bounds(const model::Measurement& measurement) const;
  /// Why the row is implausible, or nothing. Knows what a launch had to write from the row's
  /// `bytes_to_write`; without it there is no verdict.
  std::optional<model::Rejection> verdict(const model::Measurement& measurement) const;
  /// What is wrong with `[work]`, as far as this row says, or nothing.
  std::optional<WorkDoubt> doubt(const model::Measurement& measurement) const;

 private:
  void add_verified(const model::Measurement& measurement, std::vector<PlausibilityBound>& bounds) const;
  void add_declared(const model::Measurement& measurement, std::vector<PlausibilityBound>& bounds) const;
  double write_ns(double bytes) const;
  double l2_ns(double bytes) const;
  double declared_memory_ns() const;

  model::GpuDescription gpu_{};
  model::CacheState cache_ = model::CacheState::kCold;
  model::Roofs roofs_{};
  DeclaredWork declared_{};
};

}  // namespace warptune::profiling::verification
