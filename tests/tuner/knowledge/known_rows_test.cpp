// What is known about a workload, from a recording or a database, on machines with any GPUs.
#include "tuner/knowledge/known_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "db/recording_file.h"
#include "tests/tuner/session_data.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::knowledge {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

model::GpuDescription gpu_named(const std::string& name, int sm_count) {
  model::GpuDescription gpu = model::fictional_gpu();
  gpu.name = name;
  gpu.sm_count = sm_count;
  return gpu;
}

gpus::GpuLister lists(std::vector<model::GpuDescription> gpus) {
  return [gpus = std::move(gpus)] { return profiling::GpuList{gpus, gpus.empty() ? "a test" : ""}; };
}

profiling::GpuList never_listed() {
  ADD_FAILURE() << "the machine was asked for its GPUs";
  return {};
}

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

class KnownRowsTest : public ::testing::Test {
 protected:
  KnownRowsTest() : kernel_(testing::write_toy_kernel(folder_).string()) {
    db::write_recording(recording_, testing::toy_recording(kernel_));
    question_.kernel = kernel_;
    question_.database = database_;
    of_recording_.kernel = recording_.string();
  }

  // Stores a session with the rows of the toy recording, as if they were measured on `gpu`.
  void store_session(const model::GpuDescription& gpu, std::int64_t started_ms,
                     model::RowSource source = model::RowSource::kMeasured) {
    const model::Recording recording = testing::toy_recording(kernel_);
    db::Store store(database_);
    db::Session session;
    session.workload = recording.workload;
    session.workload.gpu = gpu;
    session.started_ms = started_ms;
    session.source = source;
    session.environment.warptune_version = std::string(model::to_string(source));
    session.roofs = recording.roofs;
    session.default_configuration = recording.default_configuration;
    const std::int64_t id = store.begin_session(session);
    for (model::Measurement row : recording.measurements) {
      row.source = source;
      store.add_measurement(id, row);
    }
  }

  gpus::ChosenGpu chosen(const std::optional<std::string>& wanted, const gpus::GpuLister& list_gpus) const {
    return gpus::choose_gpu(wanted, db::Store::open_existing(database_), list_gpus, {});
  }

  testing::TemporaryFolder folder_;
  std::string kernel_;
  std::filesystem::path recording_ = folder_ / "toy.wtrec.zst";
  std::filesystem::path database_ = folder_ / "known.db";
  WorkloadQuestion question_;      // Asks the database.
  WorkloadQuestion of_recording_;  // Asks the recording.
};

TEST_F(KnownRowsTest, AGpuIsChosenByItsNameWithoutAskingTheMachine) {
  store_session(gpu_named("NVIDIA H200", 132), 1000);
  store_session(gpu_named("NVIDIA L4", 58), 2000);
  const gpus::ChosenGpu by_name = chosen("h200", never_listed);
  EXPECT_EQ(by_name.gpu.sm_count, 132);
  EXPECT_EQ(by_name.origin, "named by --gpu");
  EXPECT_EQ(chosen(gpu_named("", 58).key(), never_listed).gpu.name, "NVIDIA L4");
  EXPECT_EQ(
      error_of([&] { chosen("B200", never_listed); }),
      "--gpu B200: none of the database's GPUs match, but exactly one must; the database has NVIDIA "
      "L4, NVIDIA H200. Any GPU can be described by its compute capability and SMs, such as cc=80,sms=108");
  EXPECT_EQ(error_of([&] { chosen("nvidia", never_listed); }),
            "--gpu nvidia: 2 of the database's GPUs match, but exactly one must; the database has NVIDIA L4, "
            "NVIDIA H200. Any GPU can be described by its compute capability and SMs, such as cc=80,sms=108");
}

TEST_F(KnownRowsTest, AnEmptyNameIsNotAPartOfAnyName) {
  store_session(gpu_named("NVIDIA H200", 132), 1000);
  EXPECT_THAT(error_of([&] { chosen("", never_listed); }), HasSubstr("none of the database's GPUs match"));
}

TEST_F(KnownRowsTest, AGpuIsDescribedWithoutTheDatabaseKnowingIt) {
  store_session(gpu_named("NVIDIA H200", 132), 1000);
  EXPECT_EQ(chosen("cc=90,sms=132", never_listed).gpu.name, "NVIDIA H200");
  const gpus::ChosenGpu other = chosen("cc=80,sms=108", never_listed);
  EXPECT_EQ(other.gpu.name, "a GPU with compute capability 8.0 and 108 SMs");
  EXPECT_EQ(other.origin, "described by --gpu");
}

TEST_F(KnownRowsTest, WithoutANameTheMachinesFirstGpuIsTakenElseTheNewestSessions) {
  store_session(gpu_named("NVIDIA H200", 132), 2000);
  store_session(gpu_named("NVIDIA L4", 58), 1000);
  const gpus::ChosenGpu here =
      chosen(std::nullopt, lists({gpu_named("NVIDIA A100", 108), gpu_named("NVIDIA L4", 58)}));
  EXPECT_EQ(here.gpu.name, "NVIDIA A100");
  EXPECT_EQ(here.origin, "the GPU of this machine");
  const gpus::ChosenGpu newest = chosen(std::nullopt, lists({}));
  EXPECT_EQ(newest.gpu.name, "NVIDIA H200");
  EXPECT_EQ(newest.origin, "the GPU of the newest session, because this machine has none");
  db::Store(folder_ / "empty.db");
  EXPECT_THAT(error_of([&] {
                gpus::choose_gpu(std::nullopt, db::Store::open_existing(folder_ / "empty.db"), lists({}), {});
              }),
              HasSubstr("neither this machine nor the database has a GPU"));
}

TEST_F(KnownRowsTest, AGpuThatIsRecognisedNeedsNoDriver) {
  store_session(gpu_named("NVIDIA H200", 132), 2000);
  store_session(gpu_named("NVIDIA L4", 58), 1000);
  const db::Store store = db::Store::open_existing(database_);
  const auto second = [](const std::vector<model::GpuDescription>& known) {
    return std::optional(known.at(1));
  };
  const gpus::ChosenGpu here = gpus::choose_gpu(std::nullopt, store, never_listed, second);
  EXPECT_EQ(here.gpu.name, "NVIDIA L4");
  EXPECT_EQ(here.origin, "the GPU of this machine");
  const auto none = [](const std::vector<model::GpuDescription>&) {
    return std::optional<model::GpuDescription>();
  };
  EXPECT_EQ(gpus::choose_gpu(std::nullopt, store, lists({gpu_named("NVIDIA A100", 108)}), none).gpu.name,
            "NVIDIA A100");
}

TEST_F(KnownRowsTest, TheDatabaseTellsRowsSessionsAndTheBestOfTheGpuThatIsHere) {
  const model::GpuDescription gpu = gpu_named("NVIDIA H200", 132);
  store_session(gpu, 1000);
  store_session(gpu_named("NVIDIA L4", 58), 2000);
  const KnownRows known = load_known_rows(question_, lists({gpu}), {});
  EXPECT_EQ(known.origin, "the database");
  EXPECT_EQ(known.recording.workload.gpu.name, "NVIDIA H200");
  EXPECT_EQ(known.recording.workload.cache, model::CacheState::kCold);
  EXPECT_THAT(known.recording.measurements, SizeIs(8));
  EXPECT_THAT(known.sessions, SizeIs(1));
  EXPECT_EQ(model::to_text(known.best), "A=2 B=true");
  ASSERT_NE(known.instance, nullptr);
  EXPECT_EQ(known.recording.parameters.size(), known.instance->space().parameters().size());
}

TEST_F(KnownRowsTest, TheEnvironmentIsThatOfTheNewestSessionOfTheBestSource) {
  const model::GpuDescription gpu = gpu_named("NVIDIA H200", 132);
  store_session(gpu, 1000, model::RowSource::kImported);
  const auto version = [&] {
    return load_known_rows(question_, lists({gpu}), {}).recording.environment.warptune_version;
  };
  EXPECT_EQ(version(), "imported");
  store_session(gpu, 2000);
  store_session(gpu, 3000, model::RowSource::kImported);
  EXPECT_EQ(version(), "measured");
}

TEST_F(KnownRowsTest, TheRowsOfAGpuThatIsRecognisedNeedNoDriver) {
  store_session(gpu_named("NVIDIA H200", 132), 1000);
  store_session(gpu_named("NVIDIA L4", 58), 2000);
  const auto older = [](const std::vector<model::GpuDescription>& known) {
    return std::optional(known.at(1));
  };
  const KnownRows known = require_known_rows(question_, never_listed, older);
  EXPECT_EQ(known.recording.workload.gpu.name, "NVIDIA H200");
  EXPECT_THAT(known.recording.measurements, SizeIs(8));
}

TEST_F(KnownRowsTest, AWorkloadThatNobodyMeasuredHasNoRowsAndSaysWhatToRun) {
  const model::GpuDescription gpu = gpu_named("NVIDIA H200", 132);
  store_session(gpu, 1000);
  question_.cache = model::CacheState::kWarm;
  const KnownRows known = load_known_rows(question_, lists({gpu}), {});
  EXPECT_THAT(known.recording.measurements, IsEmpty());
  EXPECT_THAT(known.best, IsEmpty());
  EXPECT_EQ(error_of([&] { require_known_rows(question_, lists({gpu}), {}); }),
            "nothing was measured for toy N=1024 on NVIDIA H200 from a warm L2 cache; run `warptune tune " +
                kernel_ + " --size N=1024 --cache warm`");
}

TEST_F(KnownRowsTest, ARecordingNeedsNeitherADatabaseNorAGpu) {
  const KnownRows known = require_known_rows(of_recording_, never_listed, {});
  EXPECT_EQ(known.origin, "the recording toy.wtrec.zst");
  EXPECT_THAT(known.recording.measurements, SizeIs(8));
  EXPECT_EQ(model::to_text(known.best), "A=2 B=true");
  EXPECT_THAT(known.sessions, IsEmpty());
  EXPECT_EQ(known.instance, nullptr) << "toy is not shipped";
}

TEST_F(KnownRowsTest, ARecordingRefusesAnyOtherWorkload) {
  const std::string file = recording_.string();
  of_recording_.sizes = {{"N", model::Value(std::int64_t{1024})}};
  of_recording_.cache = model::CacheState::kCold;
  EXPECT_EQ(error_of([&] { recorded_rows(of_recording_); }), "no error") << "it was measured with these";
  of_recording_.sizes = {{"N", model::Value(std::int64_t{64})}};
  EXPECT_EQ(error_of([&] { recorded_rows(of_recording_); }),
            "--size: the recording " + file + " was measured with N=1024");
  of_recording_.sizes.clear();
  of_recording_.cache = model::CacheState::kWarm;
  EXPECT_EQ(error_of([&] { recorded_rows(of_recording_); }),
            "--cache: the recording " + file + " was measured with a cold L2 cache");
  of_recording_.cache.reset();
  of_recording_.gpu = "H200";
  EXPECT_EQ(error_of([&] { recorded_rows(of_recording_); }),
            "--gpu: the recording " + file + " was measured with " + model::fictional_gpu().name);
  of_recording_.gpu.reset();
  of_recording_.database = database_;
  EXPECT_EQ(error_of([&] { recorded_rows(of_recording_); }), "--db: a recording needs no database");
}

TEST_F(KnownRowsTest, ARecordingWithoutRowsIsSaidToHoldNone) {
  model::Recording empty = testing::toy_recording(kernel_);
  empty.measurements.clear();
  db::write_recording(recording_, empty);
  EXPECT_EQ(error_of([&] { require_known_rows(of_recording_, never_listed, {}); }),
            "the recording toy.wtrec.zst holds no configuration");
}

TEST_F(KnownRowsTest, OnlyAFileThatIsNoDefinitionIsARecording) {
  EXPECT_TRUE(names_recording(recording_.string()));
  EXPECT_FALSE(names_recording(kernel_));
  EXPECT_FALSE(names_recording("sgemm"));
  EXPECT_FALSE(names_recording(folder_.path().string()));
}

TEST(WorkloadTest, AHeadingNamesWhatIsKnown) {
  model::Recording recording;
  recording.workload.cache = model::CacheState::kUnknown;
  EXPECT_EQ(heading_of(recording),
            "a kernel without a name on a GPU without a name, timed from an L2 cache in an unknown state");
  recording.workload.kernel = "sgemm";
  recording.workload.problem = {{"M", model::Value(std::int64_t{64})}};
  recording.workload.gpu.name = "NVIDIA H200";
  recording.workload.cache = model::CacheState::kWarm;
  EXPECT_EQ(heading_of(recording), "sgemm M=64 on NVIDIA H200, timed from a warm L2 cache");
  recording.measurements.resize(2);
  recording.measurements[0].source = model::RowSource::kReplayed;
  EXPECT_THAT(heading_of(recording), ::testing::EndsWith("timed from a warm L2 cache"));
  recording.measurements[1].source = model::RowSource::kReplayed;
  EXPECT_THAT(heading_of(recording), ::testing::EndsWith("warm L2 cache, replayed from a recording"));
}

}  // namespace
}  // namespace warptune::tuner::knowledge
