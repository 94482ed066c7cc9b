// The kernels with planted faults: that they compile for every architecture, and, on a GPU, what diagnosis
// says.

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "db/recording_file.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_instance.h"
#include "profiling/diagnosis.h"
#include "profiling/gpu.h"
#include "profiling/kernel_runner.h"
#include "profiling/metrics.h"
#include "tests/tuner/planted_faults.h"

namespace warptune::tuner {
namespace {

kernel_templates::KernelDefinition load(const PlantedFault& planted) {
  return kernel_templates::load_kernel_definition(planted_faults_folder() / (planted.kernel + ".cu"));
}

/// Limits by compute capability: CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability".
struct Limits {
  int major;
  int minor;
  std::int64_t threads_per_sm;
  std::int64_t shared_kib_per_block;
};
constexpr Limits kArchitectures[] = {{7, 5, 1024, 64}, {8, 0, 2048, 163}, {8, 6, 1536, 99},
                                     {8, 9, 1536, 99}, {9, 0, 2048, 227}, {10, 0, 2048, 227},
                                     {12, 0, 1536, 99}};

search::GpuDescription gpu_of(const Limits& limits) {
  search::GpuDescription gpu = search::fictional_gpu();
  gpu.compute_major = limits.major;
  gpu.compute_minor = limits.minor;
  gpu.max_threads_per_sm = limits.threads_per_sm;
  gpu.shared_bytes_per_block_optin = limits.shared_kib_per_block * 1024;
  return gpu;
}

class PlantedFaultTest : public testing::TestWithParam<PlantedFault> {};

TEST_P(PlantedFaultTest, CompilesWithAndWithoutTheFaultForEveryArchitecture) {
  try {
    kernel_templates::nvrtc_version();
  } catch (const base::MachineError& error) {
    GTEST_SKIP() << error.what();
  }
  for (const Limits& limits : kArchitectures) {
    const kernel_templates::KernelInstance instance(load(GetParam()), {}, gpu_of(limits));
    for (std::uint64_t i = 0; i < instance.space().size(); ++i) {
      const search::NamedValues configuration = instance.space().values_of(instance.space().at(i));
      const std::string what = instance.gpu().architecture() + " " + search::to_text(configuration);
      const auto plan = instance.screened_plan(configuration);
      EXPECT_TRUE(plan.has_value()) << what << "\n" << plan.error().reason;
      const auto request = instance.compile_request(configuration);
      ASSERT_TRUE(request.has_value()) << what << "\n" << request.error().reason;
      const auto compiled = kernel_templates::compile(*request);
      ASSERT_TRUE(compiled.has_value()) << what << "\n" << compiled.error().reason;
      EXPECT_EQ(compiled->log.find("warning"), std::string::npos) << what << "\n" << compiled->log;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, PlantedFaultTest, testing::ValuesIn(planted_faults()),
                         [](const auto& planted) { return planted.param.kernel; });

// Everything that the catalogue and the diagnosis know.
std::vector<std::string> metrics_to_read() {
  std::set<std::string> names;
  for (const profiling::MetricInfo& metric : profiling::metric_catalogue()) names.emplace(metric.name);
  for (const char* name : {"lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed",
                           "lts__d_atomic_input_cycles_active.max",
                           "lts__t_sectors_op_red.max",
                           "lts__t_sectors_op_atom.max",
                           "lts__t_requests_srcunit_tex_op_red.max",
                           "lts__cycles_elapsed.max",
                           "lts__t_sectors.max",
                           "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
                           "l1tex__t_sectors.avg.pct_of_peak_sustained_elapsed",
                           "l1tex__f_wavefronts.avg.pct_of_peak_sustained_elapsed",
                           "l1tex__data_pipe_lsu_wavefronts.sum",
                           "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio",
                           "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
                           "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio",
                           "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
                           "smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
                           "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum",
                           "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum",
                           "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
                           "smsp__sass_thread_inst_executed_op_memory_pred_on.sum",
                           "smsp__sass_thread_inst_executed_op_control_pred_on.sum",
                           "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
                           "smsp__thread_inst_executed_per_inst_executed.ratio",
                           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
                           "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
                           "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active",
                           "l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed",
                           "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
                           "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
                           "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active",
                           "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
                           "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active",
                           "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
                           "sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_active",
                           "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
                           "sm__inst_executed_pipe_tensor.sum",
                           "sm__inst_executed_pipe_xu.sum",
                           "smsp__inst_executed_pipe_xu.sum",
                           "smsp__inst_executed_pipe_fp64.sum",
                           "smsp__inst_executed_pipe_fma.sum",
                           "smsp__inst_executed_pipe_alu.sum",
                           "smsp__inst_executed_op_shared_ld.sum",
                           "smsp__inst_executed_op_ldgsts.sum",
                           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                           "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                           "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                           "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                           "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
                           "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
                           "l1tex__t_sectors_pipe_lsu.sum",
                           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
                           "l1tex__t_sector_hit_rate.pct",
                           "lts__t_sector_hit_rate.pct",
                           "lts__t_sectors.sum",
                           "lts__t_sectors_op_atom.sum",
                           "lts__t_sectors_op_red.sum",
                           "lts__t_requests_srcunit_tex_op_atom.sum",
                           "lts__t_requests_srcunit_tex_op_red.sum",
                           "lts__t_sectors_srcunit_tex.sum",
                           "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed",
                           "lts__d_atomic_input_cycles_active.sum",
                           "lts__d_sectors.avg.pct_of_peak_sustained_elapsed",
                           "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
                           "lts__t_tag_requests.avg.pct_of_peak_sustained_elapsed",
                           "lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed",
                           "l1tex__m_l1tex2xbar_req_cycles_active.avg.pct_of_peak_sustained_elapsed",
                           "l1tex__m_xbar2l1tex_read_sectors.avg.pct_of_peak_sustained_elapsed",
                           "lts__throughput.avg.pct_of_peak_sustained_elapsed",
                           "l1tex__throughput.avg.pct_of_peak_sustained_active",
                           "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
                           "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                           "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
                           "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                           "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                           "sm__cycles_active.avg",
                           "sm__cycles_active.max",
                           "sm__cycles_active.min",
                           "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
                           "sm__cycles_elapsed.max",
                           "smsp__warps_eligible.avg.per_cycle_active",
                           "smsp__warps_active.avg.per_cycle_active",
                           "smsp__issue_active.avg.per_cycle_active",
                           "smsp__issue_inst0.avg.pct_of_peak_sustained_active",
                           "smsp__inst_executed_op_global_red.sum",
                           "smsp__inst_executed_op_shared_atom.sum",
                           "smsp__sass_inst_executed_op_global_ld.sum",
                           "smsp__sass_inst_executed_op_shared_ld.sum",
                           "smsp__sass_inst_executed_op_local_ld.sum",
                           "smsp__inst_executed_op_local_ld.sum",
                           "smsp__inst_executed_op_global_ld.sum",
                           "smsp__inst_executed_op_global_st.sum",
                           "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio",
                           "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
                           "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
                           "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
                           "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio",
                           "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio",
                           "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio",
                           "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio",
                           "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio",
                           "smsp__average_warps_issue_stalled_tex_throttle_per_issue_active.ratio",
                           "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio",
                           "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio",
                           "smsp__average_warp_latency_per_inst_issued.ratio",
                           "smsp__average_warps_active_per_issue_active.ratio",
                           "smsp__warps_launched.sum",
                           "sm__icc_requests.sum",
                           "sm__icc_requests_lookup_hit.sum",
                           "sm__icc_requests_lookup_miss.sum",
                           "idc__requests.sum",
                           "smsp__inst_issued.sum",
                           "smsp__inst_executed.sum",
                           "smsp__sass_branch_targets_threads_divergent.sum",
                           "smsp__inst_executed_op_branch.sum"})
    names.emplace(name);
  return {names.begin(), names.end()};
}

kernel_templates::CompiledKernel compile(const kernel_templates::KernelInstance& instance,
                                         const search::Outcome<kernel_templates::CompileRequest>& request) {
  if (!request) throw std::runtime_error(instance.definition().name + ": " + request.error().reason);
  auto compiled = kernel_templates::compile(*request);
  if (!compiled) throw std::runtime_error(instance.definition().name + ": " + compiled.error().reason);
  return *std::move(compiled);
}

// Every configuration of a kernel, timed to the end and counted, as a recording.
search::Recording measure(const kernel_templates::KernelInstance& instance) {
  profiling::RunnerOptions options;
  options.metrics = metrics_to_read();
  options.racing.drop = false;
  profiling::KernelRunner runner(instance, options);
  if (instance.has_reference()) runner.prepare_reference(compile(instance, instance.reference_request()));
  search::Recording recording;
  recording.subject = {instance.definition().name, instance.definition().hash, instance.problem(),
                       instance.gpu()};
  recording.parameters = instance.definition().parameters;
  recording.constants = instance.constants();
  recording.default_configuration = instance.default_configuration();
  recording.work = instance.work();
  recording.environment = profiling::read_environment(0);
  for (std::uint64_t i = 0; i < instance.space().size(); ++i) {
    const search::NamedValues configuration = instance.space().values_of(instance.space().at(i));
    const auto compiled = compile(instance, instance.compile_request(configuration));
    recording.measurements.push_back(runner.evaluate(i, configuration, compiled, 0.0));
    recording.measurements.back().counters["spill_bytes"] =
        static_cast<double>(compiled.entries.front().spill_bytes);
  }
  for (const profiling::CounterReading& reading : runner.take_counters(true))
    recording.measurements.at(reading.id).counters.insert(reading.counters.begin(), reading.counters.end());
  for (const std::string& warning : runner.take_warnings()) std::printf("%s\n", warning.c_str());
  recording.roofs = runner.roofs();
  return recording;
}

TEST(PlantedFaults, CoverEveryRuleThatFindsFaults) {
  std::set<std::string> planted;
  for (const PlantedFault& one : planted_faults()) planted.insert(one.rule);
  // Limits and hints alone, or what only follows from others.
  const std::set<std::string> others = {"dram_bound",         "shared_memory_bound", "l2_bound",
                                        "compute_bound",      "occupancy_suffices",  "tensor_cores_idle",
                                        "excess_dram_traffic"};
  for (const profiling::RuleInfo& rule : profiling::diagnosis_rules()) {
    const std::string id(rule.id);
    EXPECT_NE(planted.contains(id), others.contains(id)) << id;
  }
}

class RecordedFaultTest : public testing::TestWithParam<PlantedFault> {};

TEST_P(RecordedFaultTest, IsFoundAndItsSiblingIsClean) {
  const std::filesystem::path file =
      planted_faults_folder() / "recorded" / (GetParam().kernel + ".wtrec.zst");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "not recorded yet";
  expect_found(GetParam(), db::read_recording(file));
}

INSTANTIATE_TEST_SUITE_P(Kernels, RecordedFaultTest, testing::ValuesIn(planted_faults()),
                         [](const auto& planted) { return planted.param.kernel; });

class GpuPlantedFaultTest : public testing::TestWithParam<PlantedFault> {};

TEST_P(GpuPlantedFaultTest, IsFoundAndItsSiblingIsClean) {
  const profiling::GpuCensus census = profiling::find_gpus();
  if (census.gpus.empty()) GTEST_SKIP() << census.reason;
  const kernel_templates::KernelInstance instance(load(GetParam()), {}, census.gpus.front());
  const search::Recording recording = measure(instance);
  if (const char* folder = std::getenv("WARPTUNE_RECORD_DIAGNOSIS")) {
    std::filesystem::create_directories(folder);
    db::write_recording(std::filesystem::path(folder) / (GetParam().kernel + ".wtrec.zst"), recording);
  }
  expect_found(GetParam(), recording);
}

INSTANTIATE_TEST_SUITE_P(GpuKernels, GpuPlantedFaultTest, testing::ValuesIn(planted_faults()),
                         [](const auto& planted) { return planted.param.kernel; });

}  // namespace
}  // namespace warptune::tuner
