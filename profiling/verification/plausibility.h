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

/// The work of a launch according to its definition, and the position of that statement.
struct DeclaredWork {
  model::Work work;
  base::SourcePosition position;  ///< The position of `[work]`.
  /// The maximum rate of the tensor cores, relative to that for 16-bit operands. Narrower operands are
  /// faster.
  double tensor_rate = 1.0;
  /// Whether all data are in the GPU's memory and only kernels move them. Only then the memory roofs give
  /// bounds.
  bool on_device = false;
};
/// `work` is the definition's work for this problem (`KernelInstance::work`, `Recording::work`).
DeclaredWork declared_work(const kernel_templates::KernelDefinition& definition,
                           const model::NamedValues& problem, const model::Work& work);

/// The lower bounds of a launch's time and counters. docs/measuring.md, "Plausible", has the derivations.
enum class BoundKind {
  // These follow from the verified outputs. A row below them is implausible.
  /// The bytes written at the L2, compared with the bytes that had to be written.
  kWrittenBytes,
  /// The time, compared with the time to write these bytes at the memory's roof.
  kWriteTime,
  /// The number of warp instructions, compared with the minimum that can write these bytes.
  kInstructions,
  // These follow from `[work]`. A row below them shows that `[work]` or the kernel is wrong.
  /// The time, compared with the time to move `bytes` at the memory's roof.
  kDeclaredMemoryTime,
  /// The time, compared with the time of `flops` at the roof of their unit.
  kDeclaredArithmeticTime,
  /// The bytes that passed the L2, compared with `bytes`.
  kDeclaredBytes,
  /// The number of warp instructions, compared with the minimum that can do `flops`.
  kDeclaredInstructions
};
/// Returns a short text for a kind: `bytes written at the L2`, ...
std::string_view to_string(BoundKind kind);
/// Returns all kinds in their order.
const std::vector<BoundKind>& all_bound_kinds();
/// Returns whether a bound follows from `[work]` alone.
bool is_declared(BoundKind kind);
/// Returns the smallest credible ratio of the found value to the bound. docs/results-all.md has the rows from
/// which the ratios were calibrated.
double min_ratio(BoundKind kind);

/// An observed value and its lower bound, in the same unit.
struct PlausibilityBound {
  BoundKind kind = BoundKind::kWrittenBytes;
  double observed = 0.0;
  double minimum = 0.0;

  double ratio() const { return observed / minimum; }
  bool holds() const { return ratio() >= min_ratio(kind); }
};

/// What is wrong with `[work]`: a launch did less than it declares.
struct WorkContradiction {
  std::string text;               ///< One sentence, without the position.
  base::SourcePosition position;  ///< The position of `[work]`.

  /// Returns the text with its position: `[work] (FILE:LINE:COLUMN): ...`.
  std::string message() const;
};

/// Decides whether the time and the counters of a configuration are possible. Needs no GPU. A bound is left
/// out when it depends on an unknown value (a counter, a roof). Only measured and dropped rows are checked.
class PlausibilityCheck {
 public:
  /// Makes a check that knows no bound, so it rejects nothing.
  PlausibilityCheck() = default;
  PlausibilityCheck(const model::GpuDescription& gpu, model::CacheState cache, const model::Roofs& roofs,
                    DeclaredWork declared);

  void set_roofs(const model::Roofs& roofs) { roofs_ = roofs; }
  /// Returns all bounds that can be computed, in the order of the kinds.
  std::vector<PlausibilityBound> bounds(const model::Measurement& measurement) const;
  /// Returns why the row is implausible, or std::nullopt. The bytes that a launch had to write come from the
  /// row's `bytes_to_write`. Without them there is no verdict.
  std::optional<model::Rejection> verdict(const model::Measurement& measurement) const;
  /// Returns what is wrong with `[work]` according to this row, or std::nullopt.
  std::optional<WorkContradiction> doubt(const model::Measurement& measurement) const;

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
