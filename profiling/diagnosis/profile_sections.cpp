#include "profiling/diagnosis/profile_sections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "model/own_metrics.h"
#include "profiling/counters/metrics.h"
#include "profiling/diagnosis/occupancy.h"

namespace warptune::profiling::diagnosis {

namespace {

const counters::MetricInfo* find_metric(const std::string& name) {
  const std::span<const counters::MetricInfo> catalogue = counters::metric_catalogue();
  const auto found = std::find_if(catalogue.begin(), catalogue.end(),
                                  [&](const counters::MetricInfo& metric) { return metric.name == name; });
  return found == catalogue.end() ? nullptr : &*found;
}

// Builds one section.
class Section {
 public:
  Section(std::string title, const ProfiledLaunch& launch) : launch_(launch) {
    section_.title = std::move(title);
  }

  /// Adds counters of the catalogue with its titles and units.
  Section& metrics(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      const counters::MetricInfo* info = find_metric(name);
      add_counter(name, info == nullptr ? name : std::string(info->title),
                  info == nullptr ? "" : std::string(info->unit), true);
    }
    return *this;
  }
  /// Adds a metric that warptune measures itself and that is often missing.
  Section& own_metric(const char* name, const char* title, const char* unit) {
    add_counter(name, title, unit, false);
    return *this;
  }
  Section& number(const char* title, double value, const char* unit = "") {
    section_.rows.push_back({title, "", value, unit, ""});
    return *this;
  }
  Section& count(const char* title, std::int64_t count) { return text(title, std::to_string(count)); }
  Section& text(const char* title, std::string text) {
    section_.rows.push_back({title, "", 0.0, "", std::move(text)});
    return *this;
  }
  /// Adds the stalls of the catalogue, the largest first.
  Section& stalls();

  ProfileSection take() { return std::move(section_); }

 private:
  void add_counter(const std::string& name, const std::string& title, const std::string& unit,
                   bool expected) {
    const auto found = launch_.measurement.counters.find(name);
    if (found != launch_.measurement.counters.end()) {
      section_.rows.push_back({title, name, found->second, unit, ""});
    } else if (expected) {
      section_.missing.push_back(name);
    }
  }

  const ProfiledLaunch& launch_;
  ProfileSection section_;
};

std::string joined(const std::array<std::int64_t, 3>& sizes) {
  return fmt::format("{} x {} x {}", sizes[0], sizes[1], sizes[2]);
}

ProfileSection speed_of_light(const ProfiledLaunch& launch) {
  Section section("Speed of light", launch);
  const std::optional<double> roof_ns = model::roof_time_ns(launch.work, launch.roofs);
  if (const std::optional<double> median_ns = model::median_ns_of(launch.measurement)) {
    section.number("Time", *median_ns, "ns");
    if (launch.work.flops > 0.0) section.number("Arithmetic", launch.work.flops / *median_ns * 1e9, "FLOP/s");
    if (launch.work.bytes > 0.0)
      section.number("Useful bandwidth", launch.work.bytes / *median_ns * 1e9, "byte/s");
    if (roof_ns) section.number("Share of the roof", 100.0 * *roof_ns / *median_ns, "%");
  }
  if (roof_ns) {
    section.text("Limiting roof",
                 std::string(model::to_string(model::binding_roof(launch.work, launch.roofs))));
  }
  section.metrics({"compute_throughput_pct",
                   "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
                   "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                   "lts__throughput.avg.pct_of_peak_sustained_elapsed",
                   "l1tex__throughput.avg.pct_of_peak_sustained_active"});
  return section.take();
}

ProfileSection launch_statistics(const ProfiledLaunch& launch) {
  Section section("Launch", launch);
  const model::ResourceUse& use = launch.measurement.resources;
  if (use.threads_per_block == 0) return section.take();
  if (launch.launch) {
    section.text("Grid", joined(launch.launch->grid)).text("Block", joined(launch.launch->block));
    if (launch.launch->cluster != std::array<std::int64_t, 3>{1, 1, 1})
      section.text("Cluster", joined(launch.launch->cluster));
  }
  section.count("Threads per block", use.threads_per_block)
      .count("Blocks", use.blocks)
      .count("Registers per thread", use.registers_per_thread)
      .number("Static shared memory per block", static_cast<double>(use.static_shared_bytes), "byte")
      .number("Dynamic shared memory per block", static_cast<double>(use.dynamic_shared_bytes), "byte")
      .number("Local memory per thread", static_cast<double>(use.local_bytes), "byte")
      .own_metric(model::own_metric::kSpillBytes, "Spilled by the compiler", "byte");
  const std::optional<double> filled = waves(launch.gpu, use, occupancy_limits(launch.gpu, use));
  if (filled > 0.0) section.number("Waves", *filled);
  return section.take();
}

ProfileSection occupancy(const ProfiledLaunch& launch) {
  Section section("Occupancy", launch);
  const model::ResourceUse& use = launch.measurement.resources;
  if (use.threads_per_block > 0) {
    const OccupancyLimits limits = occupancy_limits(launch.gpu, use);
    std::vector<std::string_view> limiters;
    std::transform(limits.limiters.begin(), limits.limiters.end(), std::back_inserter(limiters),
                   [](OccupancyLimiter limiter) { return to_string(limiter); });
    section.number("Theoretical occupancy", 100.0 * theoretical_occupancy(use, limits), "%")
        .text("Limited by", fmt::format("{}", fmt::join(limiters, ", ")))
        .count("Blocks per SM by registers", limits.blocks_by_registers)
        .count("Blocks per SM by shared memory", limits.blocks_by_shared_memory)
        .count("Blocks per SM by warps", limits.blocks_by_warps)
        .count("Maximum blocks per SM", limits.blocks_by_blocks);
  }
  section.metrics({"sm__warps_active.avg.pct_of_peak_sustained_active"});
  return section.take();
}

ProfileSection memory(const ProfiledLaunch& launch) {
  Section section("Memory", launch);
  const model::Counters& counters = launch.measurement.counters;
  section.metrics({"dram__bytes.sum"});
  const auto traffic = counters.find("dram__bytes.sum");
  if (traffic != counters.end() && launch.work.bytes > 0.0)
    section.number("DRAM traffic over the minimum", traffic->second / launch.work.bytes, "ratio");
  section.metrics(
      {"dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_bytes.sum", "lts__t_sector_hit_rate.pct",
       "l1tex__t_sector_hit_rate.pct", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
       "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
       "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
       "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
       "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
       "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
       "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"});
  return section.take();
}

ProfileSection shared_memory(const ProfiledLaunch& launch) {
  return Section("Shared memory", launch)
      .metrics({"smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_st.sum",
                "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                "shared_bank_conflicts_per_access",
                "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct",
                "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"})
      .take();
}

ProfileSection instructions(const ProfiledLaunch& launch) {
  return Section("Instructions and pipes", launch)
      .metrics({"smsp__inst_executed.sum", "sm__inst_executed.avg.per_cycle_active",
                "smsp__issue_active.avg.pct_of_peak_sustained_active",
                "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
                "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
                "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
                "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
                "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
                "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "fp32_operations",
                "fp64_operations", "fp16_operations",
                "smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
                "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
                "smsp__sass_thread_inst_executed_op_control_pred_on.sum",
                "smsp__sass_thread_inst_executed_op_memory_pred_on.sum"})
      .take();
}

ProfileSection divergence(const ProfiledLaunch& launch) {
  return Section("Divergence", launch)
      .metrics({"smsp__thread_inst_executed_per_inst_executed.ratio",
                "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"})
      .take();
}

bool is_stall(std::string_view name) {
  return name == "stalled_otherwise" || (name.find("_issue_stalled_") != std::string_view::npos &&
                                         name.ends_with("_per_issue_active.ratio"));
}

// Adds the reasons that keep a resident warp from issuing, the largest first.
Section& Section::stalls() {
  const std::size_t first = section_.rows.size();
  for (const counters::MetricInfo& metric : counters::metric_catalogue()) {
    if (!is_stall(metric.name)) continue;
    add_counter(std::string(metric.name), std::string(metric.title), std::string(metric.unit), true);
  }
  std::stable_sort(section_.rows.begin() + static_cast<std::ptrdiff_t>(first), section_.rows.end(),
                   [](const ProfileRow& a, const ProfileRow& b) { return a.value > b.value; });
  return *this;
}

ProfileSection schedulers(const ProfiledLaunch& launch) {
  return Section("Schedulers and stalls", launch)
      .metrics({"smsp__warps_active.avg.per_cycle_active", "smsp__warps_eligible.avg.per_cycle_active"})
      .stalls()
      .take();
}

ProfileSection clocks_and_power(const ProfiledLaunch& launch) {
  Section section("Clocks and power", launch);
  return section.own_metric(model::own_metric::kSmClockMhz, "SM clock when timed", "MHz")
      .metrics({"dram__cycles_elapsed.avg.per_second"})
      .own_metric(model::own_metric::kPowerW, "Power", "W")
      .own_metric(model::own_metric::kEnergyJ, "Energy of a launch", "J")
      .take();
}

}  // namespace

std::vector<ProfileSection> profile_sections(const ProfiledLaunch& launch) {
  constexpr ProfileSection (*kSections[])(const ProfiledLaunch&) = {
      speed_of_light, launch_statistics, occupancy,  memory,          shared_memory,
      instructions,   divergence,        schedulers, clocks_and_power};
  std::vector<ProfileSection> sections;
  sections.reserve(std::size(kSections));
  for (const auto& section : kSections) sections.push_back(section(launch));
  return sections;
}

}  // namespace warptune::profiling::diagnosis
