// Commands on a machine whose driver changed since the winner was measured. A fake of NVML describes the
// machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "kernel_templates/compiler.h"
#include "tests/tuner/program.h"
#include "tests/tuner/stored_winners.h"

namespace warptune::tuner::commands {
namespace {

using nlohmann::json;
using testing::acting_row;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// NVRTC's version, which does not differ. 0: it is unknown.
int unchanged_nvrtc() {
  try {
    return kernel_templates::nvrtc_version();
  } catch (const base::MachineError&) {
    return 0;
  }
}

class EnvironmentNotesTest : public ::testing::Test {
 protected:
  // The fake describes an H200 whose driver has version 13.0 and which runs at 1980 and 3201 MHz.
  EnvironmentNotesTest() {
    warptune_.variables = {{"LD_LIBRARY_PATH", WARPTUNE_FAKE_NVML_FOLDER}, {"CUDA_VISIBLE_DEVICES", "0"}};
    std::filesystem::create_directories(warptune_.database().parent_path());
  }

  static model::GpuDescription h200() {
    model::GpuDescription gpu = model::fictional_gpu();
    gpu.name = "NVIDIA H200";
    gpu.memory_bytes = 150'110'011'392;
    gpu.memory_bandwidth_bytes_per_s = std::int64_t{2} * 3'201'000'000 * 6144 / 8;
    return gpu;
  }

  void store(int driver_version, std::int64_t sm_clock_mhz = 1980) {
    db::Store store(warptune_.database());
    db::Session session;
    session.workload = testing::acting_workload(kernel_);
    session.workload.gpu = h200();
    session.environment = {"0.0.9", driver_version, unchanged_nvrtc(), sm_clock_mhz, 3201, "0x0"};
    session.strategy = "random";
    session.started_ms = ++started_ms_;
    session.default_configuration = {{"A", std::int64_t{1}}, {"DO", std::string("measure")}};
    const std::int64_t id = store.begin_session(session);
    store.add_measurement(id, acting_row(1, 3.0));
    store.add_measurement(id, acting_row(2, 2.0));
    store.finish_session(id, started_ms_);
  }
  std::string output_of(const std::vector<std::string>& arguments) {
    const testing::ProgramRun done = warptune_.run(arguments);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.out + done.err;
  }

  testing::Warptune warptune_;
  std::string kernel_ = testing::write_acting_kernel(warptune_.folder());
  std::int64_t started_ms_ = 0;
};

TEST_F(EnvironmentNotesTest, NothingIsSaidIfNothingChanged) {
  store(13000);
  const std::vector<std::vector<std::string>> commands = {
      {"query", kernel_}, {"export", kernel_}, {"explain", kernel_, "--no-measure"}};
  for (const std::vector<std::string>& command : commands)
    EXPECT_THAT(output_of(command), Not(HasSubstr("recheck"))) << command.front();
  EXPECT_EQ(warptune_.json_of({"query", kernel_}).at("environment_differences"), json::array());
}

TEST_F(EnvironmentNotesTest, AnotherDriverIsNamedWithTheCommandThatChecksTheWinner) {
  store(12080, 1410);
  const std::string expected =
      "measured with driver 12.8 (here 13.0) and SM clock 1410 MHz (here 1980 MHz): warptune recheck " +
      kernel_;
  EXPECT_THAT(output_of({"query", kernel_}), AllOf(HasSubstr("the GPU of this machine"),
                                                   HasSubstr(expected + " says whether it still holds\n")));
  EXPECT_THAT(output_of({"export", kernel_}),
              HasSubstr("1 result was " + expected + " says what still holds"));
  EXPECT_THAT(output_of({"explain", kernel_, "--no-measure"}), HasSubstr("note: the best was " + expected));
}

TEST_F(EnvironmentNotesTest, TheJsonHasBothValuesAndWhereTheSecondComesFrom) {
  store(12080);
  const json here = {
      {"what", "driver_version"}, {"measured_with", 12080}, {"present", 13000}, {"session_id", nullptr}};
  EXPECT_EQ(warptune_.json_of({"query", kernel_}).at("environment_differences"), json::array({here}));
  // Without NVML, the newest session on the GPU is what is known.
  warptune_.variables.clear();
  db::Store(warptune_.database()).begin_session([&] {
    db::Session later;
    later.workload = testing::acting_workload(kernel_, 128);
    later.workload.gpu = h200();
    later.environment = {"0.0.9", 12090, unchanged_nvrtc(), 1980, 3201, "0x0"};
    later.started_ms = 10;
    return later;
  }());
  json newest = here;
  newest["present"] = 12090;
  newest["session_id"] = 2;
  EXPECT_EQ(warptune_.json_of({"query", kernel_, "--size", "N=64"}).at("environment_differences"),
            json::array({newest}));
}

}  // namespace
}  // namespace warptune::tuner::commands
