#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "model/own_metrics.h"
#include "search/models/feature_map.h"
#include "search/scoring/recorded_space.h"

namespace warptune::bench {

/// The features of all configurations of a recorded space, from which a Gaussian process is made.
struct FeatureTable {
  Eigen::MatrixXf columns;               ///< Features x configurations, in the order of the space.
  std::vector<std::size_t> groups;       ///< For each feature, the number of its length scale.
  Eigen::VectorXd expected_log_lengths;  ///< For each length scale, the logarithm of its expected value.
};

/// The kinds of work that counters count. Each kind has several metrics. The available ones are added up.
enum WorkKind : std::size_t { kDram, kL2, kGlobalRequests, kShared, kInstructions, kWarps, kWorkKinds };

/// Tables of kinds of work (rows) and configurations in the order of the space (columns). Unknown values are
/// NaN.
struct CounterTable {
  /// log2(1 + count) of the work, which does not depend on the time that it took.
  Eigen::MatrixXf work;
  /// How much each kind of work limits the kernel, 0 to 1: the utilisation of its unit. For warps it is the
  /// share of warps that is missing, multiplied by the unused share of the most utilised unit.
  Eigen::MatrixXf pressure;
  bool any = false;  ///< Whether the recording has counters.
};

namespace steering {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
/// The expected length scale of additional features. It equals that of a parameter. Like all constants of
/// `SteeredSearch`, it was chosen on the recording convolution-RTX_2080_Ti.
inline const double kExtraLogLength = std::log(0.7);

/// The limits of an SM, for GPUs whose recordings have only a name. Source: CUDA C++ Programming Guide, table
/// "Technical Specifications per Compute Capability" (7.5 and 8.6). The numbers of SMs are from NVIDIA's
/// whitepapers.
struct SmLimits {
  double threads, blocks, shared_bytes, sms;
};
inline const std::map<std::string, steering::SmLimits>& sm_limits() {
  static const std::map<std::string, steering::SmLimits> limits = {
      {"NVIDIA GeForce RTX 2080 Ti", {1024, 16, 64 * 1024.0, 68}},
      {"NVIDIA GeForce RTX 3090", {1536, 16, 100 * 1024.0, 82}}};
  return limits;
}

/// The number of resident blocks on an SM. Each SM has 65536 registers, and warps get them in units of 256
/// (CUDA Occupancy Calculator, compute capabilities 7.5 and 8.6).
inline double blocks_per_sm(const model::ResourceUse& use, const steering::SmLimits& limits) {
  const auto threads = static_cast<double>(use.threads_per_block);
  const double warps = std::ceil(threads / 32);
  const double warp_registers = std::ceil(static_cast<double>(use.registers_per_thread) * 32 / 256) * 256;
  double blocks = std::min(limits.blocks, std::floor(limits.threads / (warps * 32)));
  blocks = std::min(blocks, std::floor(65536 / std::max(1.0, warp_registers) / warps));
  const auto shared = static_cast<double>(use.static_shared_bytes + use.dynamic_shared_bytes);
  if (shared > 0) blocks = std::min(blocks, std::floor(limits.shared_bytes / shared));
  return blocks;
}

inline double sum_of(const model::Counters& counters, const std::vector<std::string_view>& names) {
  double sum = 0.0;
  bool any = false;
  for (const std::string_view name : names) {
    const auto found = counters.find(std::string(name));
    if (found == counters.end() || !std::isfinite(found->second)) continue;
    sum += found->second;
    any = true;
  }
  return any ? sum : std::numeric_limits<double>::quiet_NaN();
}

inline const std::array<std::vector<std::string_view>, kWorkKinds>& work_metrics() {
  static const std::array<std::vector<std::string_view>, kWorkKinds> metrics = {
      {{"dram__bytes.sum", "dram__sectors_read.sum", "dram__sectors_write.sum"},
       {"lts__t_bytes.sum", "lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum"},
       {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
       {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
       {"smsp__inst_executed.sum"},
       {"sm__warps_active.avg.pct_of_peak_sustained_active"}}};
  return metrics;
}

inline const std::array<std::vector<std::string_view>, kWorkKinds>& utilisation_metrics() {
  static const std::array<std::vector<std::string_view>, kWorkKinds> metrics = {
      {{"dram__throughput.avg.pct_of_peak_sustained_elapsed"},
       {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed"},
       {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.avg.pct_of_peak_sustained_active"},
       {"l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed"},
       {"smsp__issue_active.avg.pct_of_peak_sustained_active"},
       {}}};
  return metrics;
}

inline Eigen::VectorXf pressure_of(const model::Measurement& measurement, int sm_count) {
  Eigen::VectorXf pressure = Eigen::VectorXf::Zero(kWorkKinds);
  const model::Counters& counters = measurement.counters;
  for (std::size_t kind = 0; kind < kWorkKinds; ++kind) {
    const double percent = steering::sum_of(counters, steering::utilisation_metrics()[kind]);
    if (std::isfinite(percent)) pressure[static_cast<Eigen::Index>(kind)] = static_cast<float>(percent / 100);
  }
  const double wavefronts = steering::sum_of(counters, {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"});
  const double clock_mhz = steering::sum_of(counters, {model::own_metric::kSmClockMhz});
  if (std::isfinite(wavefronts) && clock_mhz > 0) {  // The maximum is one wavefront per SM and cycle.
    pressure[kShared] =
        static_cast<float>(wavefronts / (sm_count * clock_mhz * 1e-3 * measurement.time->median_ns));
  }
  pressure = pressure.cwiseMin(1.0F);
  const double warps = steering::sum_of(counters, steering::work_metrics()[kWarps]);
  if (std::isfinite(warps))
    pressure[kWarps] = static_cast<float>(1 - warps / 100) * (1 - pressure.maxCoeff());
  return pressure;
}

/// Replaces unknown values by the mean of their row. Removes rows that are constant or unknown.
inline Eigen::MatrixXf filled(const Eigen::MatrixXf& table) {
  Eigen::MatrixXf kept(table.rows(), table.cols());
  Eigen::Index rows = 0;
  for (Eigen::Index row = 0; row < table.rows(); ++row) {
    const auto known = table.row(row).array().isFinite();
    const auto count = static_cast<float>(known.count());
    if (count == 0) continue;
    const float mean = known.select(table.row(row).array(), 0.0F).sum() / count;
    kept.row(rows) = known.select(table.row(row).array(), mean).matrix();
    if (kept.row(rows).maxCoeff() > kept.row(rows).minCoeff()) ++rows;
  }
  return kept.topRows(rows);
}

}  // namespace steering

inline FeatureTable parameter_features(const model::Space& space) {
  const search::models::FeatureMap map(space.parameters());
  FeatureTable table{
      Eigen::MatrixXf(static_cast<Eigen::Index>(map.size()), static_cast<Eigen::Index>(space.size())),
      map.groups(), map.expected_log_lengths()};
  for (std::uint64_t i = 0; i < space.size(); ++i)
    table.columns.col(static_cast<Eigen::Index>(i)) = map.features(space.at(i));
  return table;
}

/// The table with additional rows (features), each of which has its own length scale.
inline FeatureTable with_rows(FeatureTable table, const Eigen::MatrixXf& extra) {
  const Eigen::Index rows = table.columns.rows();
  const Eigen::Index lengths = table.expected_log_lengths.size();
  table.columns.conservativeResize(rows + extra.rows(), Eigen::NoChange);
  table.columns.bottomRows(extra.rows()) = extra;
  table.expected_log_lengths.conservativeResize(lengths + extra.rows());
  for (Eigen::Index row = 0; row < extra.rows(); ++row) {
    table.groups.push_back(static_cast<std::size_t>(lengths + row));
    table.expected_log_lengths[lengths + row] = steering::kExtraLogLength;
  }
  return table;
}

/// The features of each configuration that are known after compiling, scaled to about [0, 1]. They are
/// registers, shared memory, local memory, occupancy, blocks per SM, threads, waves of blocks, and the
/// filling of the last wave. Configurations that never ran have the mean of the others.
inline Eigen::MatrixXf static_features(const search::scoring::RecordedSpace& recorded) {
  const model::GpuDescription& gpu = recorded.recording().workload.gpu;
  const auto limits = steering::sm_limits().find(gpu.name);
  Eigen::MatrixXf table =
      Eigen::MatrixXf::Constant(8, static_cast<Eigen::Index>(recorded.rows().size()), steering::kUnknown);
  for (std::size_t i = 0; i < recorded.rows().size(); ++i) {
    const model::ResourceUse& use = recorded.rows()[i].measurement->resources;
    if (use.threads_per_block == 0 || use.registers_per_thread == 0) continue;
    const auto threads = static_cast<double>(use.threads_per_block);
    double blocks = static_cast<double>(use.blocks_per_sm.value_or(0));
    double occupancy = use.theoretical_occupancy.value_or(0.0);
    double sms = gpu.sm_count;
    if (blocks == 0 && limits != steering::sm_limits().end()) {
      blocks = steering::blocks_per_sm(use, limits->second);
      occupancy = blocks * threads / limits->second.threads;
      sms = limits->second.sms;
    }
    const double waves = static_cast<double>(use.blocks) / std::max(1.0, blocks * sms);
    const auto shared = static_cast<double>(use.static_shared_bytes + use.dynamic_shared_bytes);
    Eigen::Matrix<double, 8, 1> row;
    row << (std::log2(static_cast<double>(use.registers_per_thread)) - 4) / 4,
        std::log2(1 + shared / 256) / 8, std::log2(1 + static_cast<double>(use.local_bytes)) / 10, occupancy,
        std::log2(std::max(1.0, blocks)) / 5, (std::log2(threads) - 5) / 5, std::log2(1 + waves) / 10,
        waves / std::max(1.0, std::ceil(waves));
    table.col(static_cast<Eigen::Index>(i)) = row.cast<float>();
  }
  return steering::filled(table);
}

inline CounterTable counter_table(const search::scoring::RecordedSpace& recorded) {
  const auto count = static_cast<Eigen::Index>(recorded.rows().size());
  CounterTable table{Eigen::MatrixXf::Constant(kWorkKinds, count, steering::kUnknown),
                     Eigen::MatrixXf::Zero(kWorkKinds, count), false};
  for (std::size_t i = 0; i < recorded.rows().size(); ++i) {
    const model::Measurement& measurement = *recorded.rows()[i].measurement;
    if (measurement.counters.empty() || recorded.rows()[i].status != model::Status::kMeasured) continue;
    table.any = true;
    const auto column = static_cast<Eigen::Index>(i);
    for (std::size_t kind = 0; kind < kWorkKinds; ++kind) {
      const double sum = steering::sum_of(measurement.counters, steering::work_metrics()[kind]);
      if (std::isfinite(sum))
        table.work(static_cast<Eigen::Index>(kind), column) = static_cast<float>(std::log2(1 + sum));
    }
    table.pressure.col(column) =
        steering::pressure_of(measurement, recorded.recording().workload.gpu.sm_count);
  }
  return table;
}

/// The rows scaled to [0, 1]. Unknown values have the mean of their row.
inline Eigen::MatrixXf unit_rows(const Eigen::MatrixXf& table) {
  Eigen::MatrixXf rows = steering::filled(table);
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    const float low = rows.row(row).minCoeff();
    rows.row(row).array() = (rows.row(row).array() - low) / (rows.row(row).maxCoeff() - low);
  }
  return rows;
}

}  // namespace warptune::bench
