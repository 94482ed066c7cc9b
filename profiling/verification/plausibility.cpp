// Compares the time and the counters of a launch with lower bounds. A launch below a bound cannot have done
// its work: either the measurement is wrong, or this launch did less than the launch whose outputs were
// verified (docs/measuring.md, "Plausible").
//
// The first kind of bound follows from the verified outputs. Before the verified launch, the outputs were
// filled with wrong values, so the launch must have written each byte that was right afterwards. These bytes
// must pass from the SMs to the L2, through ports of known width. What the L2 cannot hold must be written to
// memory, which is not faster than the measured write roof. One warp instruction writes a limited number of
// bytes, so the launch needs a minimum number of instructions.
//
// The second kind follows from `[work]`, in which the definition declares bytes and operations. They are
// compared with the measured roofs and with the widest arithmetic instruction. A row below such a bound is
// not rejected, because `[work]` may be wrong. It only raises a doubt about `[work]`.
//
// A bound has a tolerance: a row is below a bound only if its value is less than `min_ratio` times the bound.
#include "profiling/verification/plausibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "kernel_templates/data_type.h"
#include "model/own_metrics.h"
#include "profiling/diagnosis/metric_names.h"

namespace warptune::profiling::verification {

using model::Counters;
using model::Measurement;

namespace {

struct KindInfo {
  BoundKind kind;
  std::string_view name;
  bool declared;
  double min_ratio;
};

// The tolerances. A time may be shorter than its bound, because right kernels can exceed the measured roofs
// by a few percent (clocks differ). Bytes may be fewer, because counters of different passes differ by up to
// 2 %.
constexpr double kMinTimeShare = 0.8;
constexpr double kMinByteShare = 0.95;
constexpr std::array<KindInfo, 7> kKinds = {
    {{BoundKind::kWrittenBytes, "bytes written at the L2", false, kMinByteShare},
     {BoundKind::kWriteTime, "time to write the outputs", false, kMinTimeShare},
     {BoundKind::kInstructions, "instructions to write the outputs", false, 1.0},
     {BoundKind::kDeclaredMemoryTime, "time of the declared bytes", true, kMinTimeShare},
     {BoundKind::kDeclaredArithmeticTime, "time of the declared operations", true, kMinTimeShare},
     {BoundKind::kDeclaredBytes, "declared bytes at the L2", true, kMinByteShare},
     {BoundKind::kDeclaredInstructions, "instructions for the declared operations", true, 1.0}}};

const KindInfo& info_of(BoundKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

constexpr double kSectorBytes = 32.0;
// The maximum number of bytes per cycle between an SM and the L2 in each direction: the width of the SM's
// port. All 108 SMs of an A100 together read 5120 bytes per cycle (NVIDIA A100 Tensor Core GPU Architecture,
// "L2 cache"). These are 47 bytes for each SM, which is below the width.
constexpr double kPortBytes = 64.0;

std::optional<double> counter(const Measurement& row, const char* name) {
  const auto found = row.counters.find(name);
  if (found == row.counters.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

// Returns an upper bound on the bytes that stores, copies, atomics and reductions wrote at the L2. If atomics
// or reductions were not counted, all traffic except for the reads may be writes. Then the result is the
// total minus the reads. The total is first increased by 3 %, because it may come from another pass than the
// reads.
std::optional<double> max_written(const Measurement& row) {
  const auto all = counter(row, diagnosis::metric::kL2Bytes);
  const auto read = counter(row, diagnosis::metric::kL2SectorsRead);
  const auto written = counter(row, diagnosis::metric::kL2SectorsWritten);
  const auto atomic = counter(row, diagnosis::metric::kL2SectorsAtomic);
  const auto reduced = counter(row, diagnosis::metric::kL2SectorsReduced);
  if (written && atomic && reduced) return kSectorBytes * (*written + *atomic + *reduced);
  if (!written || !read || !all) return all;
  constexpr double kPassesDiffer = 0.03;
  return std::max(kSectorBytes * *written, (1.0 + kPassesDiffer) * *all - kSectorBytes * *read);
}

// Returns the maximum number of bytes that one warp instruction can write. From sm_90 on, a bulk copy can
// write the whole shared memory of a block (PTX ISA, cp.async.bulk). On earlier GPUs 32 lanes store 16 bytes
// each.
double largest_store_bytes(const model::GpuDescription& gpu) {
  constexpr double kLaneBytes = 32.0 * 16.0;
  return gpu.compute_major >= 9 ? std::max(kLaneBytes, static_cast<double>(gpu.shared_bytes_per_block_optin))
                                : kLaneBytes;
}

// Returns the maximum number of operations of one warp instruction (PTX ISA). A product and its addition are
// two operations. The widest instructions are:
//   mma          m16n8k256 with 1-bit operands
//   wgmma        m64n256k64 with sparse 8-bit operands; four warps execute it together
//   tcgen05.mma  m256n256k128 with sparse 4-bit operands; one instruction works on two SMs
double largest_operations(const model::GpuDescription& gpu) {
  if (gpu.compute_major >= 10) return 2.0 * 256 * 256 * 128;
  return gpu.compute_major == 9 ? 2.0 * 64 * 256 * 64 / 4 : 2.0 * 16 * 8 * 256;
}

std::string bytes_text(double bytes) { return fmt::format("{:.4g} MB", bytes / 1e6); }

std::string sentence(const PlausibilityBound& bound) {
  const std::string found_ns = base::format_time_ns(bound.observed);
  const std::string min_ns = base::format_time_ns(bound.minimum);
  switch (bound.kind) {
    case BoundKind::kWrittenBytes:
      return fmt::format("at most {} were written at the L2, but the verified outputs hold {}",
                         bytes_text(bound.observed), bytes_text(bound.minimum));
    case BoundKind::kWriteTime:
      return fmt::format("takes {}, but writing the verified outputs takes at least {}", found_ns, min_ns);
    case BoundKind::kInstructions:
      return fmt::format(
          "executed {:.0f} warp instructions, but writing the verified outputs takes at "
          "least {:.0f}",
          bound.observed, bound.minimum);
    case BoundKind::kDeclaredMemoryTime:
      return fmt::format("a launch took {}, but moving the declared bytes takes {} at the memory's roof",
                         found_ns, min_ns);
    case BoundKind::kDeclaredArithmeticTime:
      return fmt::format("a launch took {}, but the declared flops take {} at the roof of their unit",
                         found_ns, min_ns);
    case BoundKind::kDeclaredBytes:
      return fmt::format("only {} passed the L2 in a launch, but {} are declared", bytes_text(bound.observed),
                         bytes_text(bound.minimum));
    case BoundKind::kDeclaredInstructions:
      return fmt::format(
          "a launch executed {:.0f} warp instructions, but the declared flops take at least {:.0f} "
          "even with the widest instruction",
          bound.observed, bound.minimum);
  }
  return "";
}

void add_time(BoundKind kind, const Measurement& row, double minimum_ns,
              std::vector<PlausibilityBound>& bounds) {
  if (row.time) bounds.push_back({kind, row.time->median_ns, minimum_ns});
}

bool is_judged(const Measurement& row) {
  return row.status == model::Status::kMeasured || row.status == model::Status::kDropped;
}

kernel_templates::DataType type_of(const kernel_templates::Argument& argument,
                                   const model::NamedValues& problem) {
  const model::Value* named = model::find(problem, argument.type);
  const std::string* text = named == nullptr ? &argument.type : std::get_if<std::string>(named);
  return kernel_templates::parse_data_type(text == nullptr ? "" : *text)
      .value_or(kernel_templates::DataType::kF32);
}

}  // namespace

std::string_view to_string(BoundKind kind) { return info_of(kind).name; }

const std::vector<BoundKind>& all_bound_kinds() {
  static const std::vector<BoundKind> kinds = [] {
    std::vector<BoundKind> all;
    all.reserve(kKinds.size());
    for (const KindInfo& info : kKinds) all.push_back(info.kind);
    return all;
  }();
  return kinds;
}

bool is_declared(BoundKind kind) { return info_of(kind).declared; }

double min_ratio(BoundKind kind) { return info_of(kind).min_ratio; }

std::string WorkContradiction::message() const {
  const std::string where = base::to_string(position);
  return fmt::format("[work]{}: {}", where.empty() ? "" : " (" + where + ")", text);
}

DeclaredWork declared_work(const kernel_templates::KernelDefinition& definition,
                           const model::NamedValues& problem, const model::Work& work) {
  DeclaredWork declared{work, definition.work_position, 1.0, !definition.host.has_value()};
  for (const kernel_templates::Argument& argument : definition.arguments) {
    if (argument.memory) declared.on_device = false;
    if (argument.kind != kernel_templates::ArgumentKind::kIn) continue;
    // 8-bit operands are twice as fast as 16-bit ones. A byte may also hold two 4-bit operands, which are
    // twice as fast again.
    if (kernel_templates::info(type_of(argument, problem)).size_bytes == 1) declared.tensor_rate = 4.0;
  }
  return declared;
}

PlausibilityCheck::PlausibilityCheck(const model::GpuDescription& gpu, model::CacheState cache,
                                     const model::Roofs& roofs, DeclaredWork declared)
    : gpu_(gpu), cache_(cache), roofs_(roofs), declared_(std::move(declared)) {}

// What an SM reads from the L2 or writes to it passes the SM's port. The width of the ports gives the bound,
// because no roof of the L2 is measured.
double PlausibilityCheck::l2_ns(double bytes) const {
  const double bytes_per_ns =
      kPortBytes * static_cast<double>(gpu_.sm_count) * static_cast<double>(gpu_.max_clock_khz) * 1e-6;
  return bytes_per_ns > 0.0 ? bytes / bytes_per_ns : 0.0;
}

// When the launch ends, the L2 may still hold written bytes, as many as fit. The rest was written to memory.
double PlausibilityCheck::write_ns(double bytes) const {
  const double beyond = std::max(bytes - static_cast<double>(gpu_.l2_bytes), 0.0);
  const std::optional<double> per_s = model::memory_roof(roofs_, 1.0);
  return std::max(l2_ns(bytes), per_s > 0.0 ? beyond / *per_s * 1e9 : 0.0);
}

double PlausibilityCheck::declared_memory_ns() const {
  const model::Work& work = declared_.work;
  const double written = work.bytes * work.written_share.value_or(0.0);
  const double read = work.bytes - written;
  const auto l2 = static_cast<double>(gpu_.l2_bytes);
  double memory_ns = 0.0;
  // With a warm cache, data that the previous launch left in the L2 need not be moved.
  if (cache_ != model::CacheState::kCold) {
    const std::optional<double> per_s = model::memory_roof(roofs_);
    if (per_s > 0.0) memory_ns = std::max(work.bytes - l2, 0.0) / *per_s * 1e9;
  } else {
    const std::optional<double> per_s = model::memory_roof(roofs_, 0.0);
    if (per_s > 0.0) memory_ns = read / *per_s * 1e9;
    const double beyond = std::max(written - l2, 0.0);
    const std::optional<double> written_per_s = model::memory_roof(roofs_, 1.0);
    if (written_per_s > 0.0) memory_ns += beyond / *written_per_s * 1e9;
  }
  return std::max(memory_ns, l2_ns(std::max(read, written)));  // The ports work in both directions at once.
}

void PlausibilityCheck::add_verified(const Measurement& row, std::vector<PlausibilityBound>& bounds) const {
  const auto to_write = counter(row, model::own_metric::kBytesToWrite);
  if (!to_write || !(*to_write > 0.0)) return;
  if (const auto written = max_written(row))
    bounds.push_back({BoundKind::kWrittenBytes, *written, *to_write});
  if (const double ns = write_ns(*to_write); ns > 0.0) add_time(BoundKind::kWriteTime, row, ns, bounds);
  if (const auto instructions = counter(row, diagnosis::metric::kInstructions)) {
    const double minimum = std::ceil(*to_write / largest_store_bytes(gpu_));
    bounds.push_back({BoundKind::kInstructions, *instructions, std::max(minimum, 1.0)});
  }
}

void PlausibilityCheck::add_declared(const Measurement& row, std::vector<PlausibilityBound>& bounds) const {
  const model::Work& work = declared_.work;
  if (declared_.on_device && work.bytes > 0.0) {
    if (const double ns = declared_memory_ns(); ns > 0.0)
      add_time(BoundKind::kDeclaredMemoryTime, row, ns, bounds);
  }
  const double rate = work.unit == model::ArithmeticUnit::kTensor ? declared_.tensor_rate : 1.0;
  const double flops_per_ns = rate * model::compute_roof(roofs_, work.unit).value_or(0.0) * 1e-9;
  if (work.flops > 0.0 && flops_per_ns > 0.0)
    add_time(BoundKind::kDeclaredArithmeticTime, row, work.flops / flops_per_ns, bounds);
  if (const auto bytes = counter(row, diagnosis::metric::kL2Bytes);
      bytes && declared_.on_device && work.bytes > 0.0)
    bounds.push_back({BoundKind::kDeclaredBytes, *bytes, work.bytes});
  if (const auto instructions = counter(row, diagnosis::metric::kInstructions);
      instructions && work.flops > 0.0) {
    bounds.push_back({BoundKind::kDeclaredInstructions, *instructions,
                      std::max(work.flops / largest_operations(gpu_), 1.0)});
  }
}

std::vector<PlausibilityBound> PlausibilityCheck::bounds(const Measurement& measurement) const {
  std::vector<PlausibilityBound> bounds;
  if (!is_judged(measurement)) return bounds;
  add_verified(measurement, bounds);
  add_declared(measurement, bounds);
  // A comparison with NaN would always count as a row below its bound.
  std::erase_if(bounds, [](const PlausibilityBound& bound) { return std::isnan(bound.observed); });
  return bounds;
}

std::optional<model::Rejection> PlausibilityCheck::verdict(const Measurement& measurement) const {
  for (const PlausibilityBound& bound : bounds(measurement)) {
    if (!is_declared(bound.kind) && !bound.holds())
      return model::Rejection{model::Status::kImplausible, sentence(bound)};
  }
  return std::nullopt;
}

std::optional<WorkContradiction> PlausibilityCheck::doubt(const Measurement& measurement) const {
  for (const PlausibilityBound& bound : bounds(measurement)) {
    if (is_declared(bound.kind) && !bound.holds())
      return WorkContradiction{sentence(bound), declared_.position};
  }
  return std::nullopt;
}

}  // namespace warptune::profiling::verification
