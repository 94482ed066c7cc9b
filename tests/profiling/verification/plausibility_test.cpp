#include "profiling/verification/plausibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "kernel_templates/library.h"

namespace warptune::profiling::verification {
namespace {

using model::Measurement;
using model::Status;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kSectors = 1.0 / 32.0;
constexpr double kMegabyte = 1e6;

model::GpuDescription hopper() {
  model::GpuDescription gpu = model::fictional_gpu();
  gpu.compute_major = 9;
  gpu.sm_count = 100;
  gpu.max_clock_khz = 2'000'000;
  gpu.l2_bytes = 50'000'000;
  gpu.shared_bytes_per_block_optin = 200'000;
  return gpu;
}

model::Roofs roofs() {
  model::Roofs roofs;
  roofs.copy_bytes_per_s = 4e12;
  roofs.read_bytes_per_s = 4e12;
  roofs.fp32_measured_flops_per_s = 60e12;
  roofs.tensor_flops_per_s = 900e12;
  return roofs;
}

// Writes 100 MB, of which the L2 can hold half. Writing the other half to memory takes 12.5 us.
Measurement row(model::Counters counters = {}) {
  Measurement measurement;
  measurement.status = Status::kMeasured;
  measurement.time = {100e3, 99e3, 101e3};
  measurement.counters = std::move(counters);
  measurement.counters["bytes_to_write"] = 100 * kMegabyte;
  return measurement;
}

PlausibilityCheck check_of(DeclaredWork declared = {}, model::CacheState cache = model::CacheState::kCold) {
  return {hopper(), cache, roofs(), std::move(declared)};
}

std::optional<double> ratio_of(const PlausibilityCheck& check, const Measurement& measurement,
                               BoundKind kind) {
  for (const PlausibilityBound& bound : check.bounds(measurement)) {
    if (bound.kind == kind) return bound.ratio();
  }
  return std::nullopt;
}

TEST(PlausibilityTest, FewerBytesAtTheL2ThanTheOutputsHoldIsImplausible) {
  EXPECT_FALSE(check_of().verdict(row({{"lts__t_bytes.sum", 101 * kMegabyte}})));
  const auto verdict = check_of().verdict(row({{"lts__t_bytes.sum", 90 * kMegabyte}}));
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->status, Status::kImplausible);
  EXPECT_THAT(verdict->reason, AllOf(HasSubstr("90 MB"), HasSubstr("hold 100 MB")));
}

TEST(PlausibilityTest, ReadsAreNoWrites) {
  const model::Counters copied = {{"lts__t_bytes.sum", 200 * kMegabyte},
                                  {"lts__t_sectors_op_read.sum", 100 * kMegabyte * kSectors},
                                  {"lts__t_sectors_op_write.sum", 100 * kMegabyte * kSectors}};
  EXPECT_FALSE(check_of().verdict(row(copied)));
  const model::Counters read_only = {{"lts__t_bytes.sum", 200 * kMegabyte},
                                     {"lts__t_sectors_op_read.sum", 199 * kMegabyte * kSectors},
                                     {"lts__t_sectors_op_write.sum", 1 * kMegabyte * kSectors}};
  ASSERT_TRUE(check_of().verdict(row(read_only)));
}

TEST(PlausibilityTest, AtomicsAndReductionsWriteToo) {
  // Atomics were not counted by themselves. Everything that was not read may be atomics.
  EXPECT_FALSE(check_of().verdict(row({{"lts__t_bytes.sum", 300 * kMegabyte},
                                       {"lts__t_sectors_op_read.sum", 200 * kMegabyte * kSectors},
                                       {"lts__t_sectors_op_write.sum", 0.0}})));
  // Bulk reductions were counted.
  const model::Counters reduced = {{"lts__t_bytes.sum", 300 * kMegabyte},
                                   {"lts__t_sectors_op_read.sum", 100 * kMegabyte * kSectors},
                                   {"lts__t_sectors_op_write.sum", 0.0},
                                   {"lts__t_sectors_op_atom.sum", 10 * kMegabyte * kSectors},
                                   {"lts__t_sectors_op_red.sum", 90 * kMegabyte * kSectors}};
  EXPECT_FALSE(check_of().verdict(row(reduced)));
  model::Counters less = reduced;
  less["lts__t_sectors_op_red.sum"] = 10 * kMegabyte * kSectors;
  EXPECT_TRUE(check_of().verdict(row(less)));
}

TEST(PlausibilityTest, WhatWasNotCountedOrNeedNotBeWrittenIsNotJudged) {
  EXPECT_FALSE(check_of().verdict(row()));
  Measurement unknown = row({{"lts__t_bytes.sum", 0.0}, {"smsp__inst_executed.sum", 0.0}});
  EXPECT_TRUE(check_of().verdict(unknown));
  unknown.counters.erase("bytes_to_write");
  EXPECT_FALSE(check_of().verdict(unknown));
  Measurement failed = row({{"lts__t_bytes.sum", 0.0}});
  failed.status = Status::kWrongResult;
  EXPECT_FALSE(check_of().verdict(failed));
  EXPECT_TRUE(PlausibilityCheck().bounds(Measurement()).empty());
}

TEST(PlausibilityTest, WhatTheL2CannotHoldTakesTheTimeOfTheMemory) {
  EXPECT_NEAR(*ratio_of(check_of(), row(), BoundKind::kWriteTime), 100.0 / 12.5, 1e-9);
  Measurement fast = row();
  fast.time->median_ns = 12.5e3 * 0.85;  // Honest kernels exceed a roof by a few percent.
  EXPECT_FALSE(check_of().verdict(fast));
  fast.time->median_ns = 12.5e3 * 0.75;
  ASSERT_TRUE(check_of().verdict(fast));
  EXPECT_THAT(check_of().verdict(fast)->reason,
              AllOf(HasSubstr("takes 9.38 us"), HasSubstr("takes at least 12.5 us")));
}

TEST(PlausibilityTest, WhatTheL2HoldsTakesTheTimeOfItsPorts) {
  Measurement small = row();
  // 100 SMs x 64 bytes x 2 GHz are 12.8 TB/s.
  small.counters["bytes_to_write"] = 40 * kMegabyte;
  small.time->median_ns = 3125.0;
  EXPECT_NEAR(*ratio_of(check_of(), small, BoundKind::kWriteTime), 1.0, 1e-9);
}

TEST(PlausibilityTest, BulkCopiesNeedFewInstructionsButSome) {
  const auto ratio = [](double instructions) {
    return *ratio_of(check_of(), row({{"smsp__inst_executed.sum", instructions}}), BoundKind::kInstructions);
  };
  EXPECT_EQ(ratio(500.0), 1.0);  // 100 MB are written by copies of 200 KB.
  EXPECT_TRUE(check_of().verdict(row({{"smsp__inst_executed.sum", 499.0}})));
  EXPECT_FALSE(check_of().verdict(row({{"smsp__inst_executed.sum", 500.0}})));
  Measurement tiny = row({{"smsp__inst_executed.sum", 0.0}});
  tiny.counters["bytes_to_write"] = 4.0;
  EXPECT_TRUE(check_of().verdict(tiny));
  // Before sm_90 a warp stores at most 512 bytes at once.
  model::GpuDescription ampere = hopper();
  ampere.compute_major = 8;
  const PlausibilityCheck older(ampere, model::CacheState::kCold, roofs(), {});
  EXPECT_NEAR(*ratio_of(older, row({{"smsp__inst_executed.sum", 195'313.0}}), BoundKind::kInstructions), 1.0,
              1e-5);
}

DeclaredWork declared(double flops, double bytes, double written_share,
                      model::ArithmeticUnit unit = model::ArithmeticUnit::kFp32) {
  return {{flops, bytes, unit, written_share}, {"k.cu", 7, 1}, 1.0, true};
}

TEST(PlausibilityTest, ATimeBelowWhatWorkDeclaresIsNoVerdictButADoubt) {
  // Reading 400 MB takes 100 us.
  Measurement fast = row();
  fast.time->median_ns = 70e3;
  const PlausibilityCheck check = check_of(declared(0.0, 400 * kMegabyte, 0.0));
  EXPECT_FALSE(check.verdict(fast));
  const auto doubt = check.doubt(fast);
  ASSERT_TRUE(doubt);
  EXPECT_EQ(doubt->position.line, 7);
  EXPECT_EQ(doubt->message(),
            "[work] (k.cu:7:1): a launch took 70.0 us, but moving the declared bytes takes 100 us at the "
            "memory's roof");
  fast.time->median_ns = 90e3;
  EXPECT_FALSE(check.doubt(fast));
}

TEST(PlausibilityTest, DeclaredBytesNeedNotReachTheMemoryWhereTheL2MayHoldThem) {
  const auto ratio = [](double share, model::CacheState cache) {
    return *ratio_of(check_of(declared(0.0, 80 * kMegabyte, share), cache), row(),
                     BoundKind::kDeclaredMemoryTime);
  };
  // 40 MB are read, and the 40 MB that are written stay in the L2.
  EXPECT_NEAR(ratio(0.5, model::CacheState::kCold), 100.0 / 10.0, 1e-9);
  EXPECT_NEAR(ratio(0.0, model::CacheState::kCold), 100.0 / 20.0, 1e-9);
  // 30 MB do not fit into the L2.
  EXPECT_NEAR(ratio(0.0, model::CacheState::kWarm), 100.0 / 7.5, 1e-9);
}

TEST(PlausibilityTest, FlopsAreDoubtedByTheRoofOfTheirUnitAndTheWidestInstruction) {
  DeclaredWork work = declared(9e10, 0.0, 0.0, model::ArithmeticUnit::kTensor);
  EXPECT_NEAR(*ratio_of(check_of(work), row(), BoundKind::kDeclaredArithmeticTime), 1.0, 1e-9);
  work.tensor_rate = 4.0;
  EXPECT_NEAR(*ratio_of(check_of(work), row(), BoundKind::kDeclaredArithmeticTime), 4.0, 1e-9);
  work.work.flops = 524288.0 * 1000;
  EXPECT_FALSE(check_of(work).doubt(row({{"smsp__inst_executed.sum", 1000.0}})));
  const auto doubt = check_of(work).doubt(row({{"smsp__inst_executed.sum", 999.0}}));
  ASSERT_TRUE(doubt);
  EXPECT_THAT(doubt->text, HasSubstr("999 warp instructions"));
}

TEST(PlausibilityTest, FewerBytesAtTheL2ThanDeclaredAreDoubted) {
  const PlausibilityCheck check = check_of(declared(0.0, 150 * kMegabyte, 0.5));
  EXPECT_FALSE(check.doubt(row({{"lts__t_bytes.sum", 150 * kMegabyte}})));
  EXPECT_TRUE(check.doubt(row({{"lts__t_bytes.sum", 130 * kMegabyte}})));
}

TEST(DeclaredWorkTest, NamesTheLineOfWorkAndKnowsWhereMemoryRoofsHold) {
  const kernel_templates::KernelDefinition definition = kernel_templates::load_kernel("softmax");
  const DeclaredWork work = declared_work(definition, definition.problem, {});
  EXPECT_TRUE(work.on_device);
  EXPECT_EQ(work.tensor_rate, 1.0);
  std::ifstream file(work.position.file);
  std::string line;
  for (int i = 0; i < work.position.line; ++i) std::getline(file, line);
  EXPECT_EQ(line, "[work]");

  kernel_templates::KernelDefinition bytes = definition;
  for (auto& [name, value] : bytes.problem) {
    if (name == "dtype") value = std::string("u8");
  }
  EXPECT_EQ(declared_work(bytes, bytes.problem, {}).tensor_rate, 4.0);
  bytes.host.emplace();
  EXPECT_FALSE(declared_work(bytes, bytes.problem, {}).on_device);
}

}  // namespace
}  // namespace warptune::profiling::verification
