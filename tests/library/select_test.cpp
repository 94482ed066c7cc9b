// `warptune_open`, `warptune_open_kernel` and `warptune_select`, through libwarptune.so.
#include <gmock/gmock.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "library/include/warptune.hpp"
#include "library/include/warptune_tuning.h"
#include "tests/library/interface_fixture.h"
#include "tests/profiling/fake_cuda.h"
#include "tests/tuner/session_data.h"

namespace warptune::library {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using SelectTest = InterfaceTest;

std::string failure(warptune_status status, warptune_status expected) {
  EXPECT_EQ(status, expected) << warptune_last_error();
  return warptune_last_error();
}

// Why a library cannot be opened.
std::string open_failure(warptune_open_options options) {
  options.struct_size = sizeof options;
  warptune_library* library = nullptr;
  const std::string why = failure(warptune_open(&options, &library), WARPTUNE_ERROR_INPUT);
  EXPECT_EQ(library, nullptr);
  return why;
}

TEST_F(SelectTest, TheWinnerIsSelectedWithItsEvidence) {
  const warptune_selection* selection = select(kernel(open()), 4096);
  const warptune_selection_info known = info(selection);
  EXPECT_EQ(known.match, WARPTUNE_MATCH_EXACT);
  EXPECT_STREQ(known.configuration, "BLOCK=256");
  EXPECT_STREQ(known.problem, "N=4096 dtype=f32");
  EXPECT_EQ(known.median_ns, 900.0);
  EXPECT_EQ(known.default_median_ns, 1800.0);
  EXPECT_STREQ(known.reason, "");
  warptune_value block{};
  ASSERT_EQ(warptune_parameter(selection, "BLOCK", &block), WARPTUNE_OK);
  EXPECT_EQ(block.type, WARPTUNE_VALUE_INTEGER);
  EXPECT_EQ(block.as.integer, 256);
  EXPECT_THAT(failure(warptune_parameter(selection, "TILE", &block), WARPTUNE_ERROR_INPUT),
              HasSubstr("there is no parameter TILE in BLOCK=256"));
}

TEST_F(SelectTest, AnAnswerSaysWhetherItWasConfirmedOnNewInputs) {
  confirm(65536, 512);
  const std::string snapshot = write_snapshot("rows.wts");
  warptune_open_options of_snapshot{};
  of_snapshot.snapshot = snapshot.c_str();
  for (warptune_library* library : {open(), open(of_snapshot)}) {
    warptune_kernel* opened = kernel(library);
    EXPECT_EQ(info(select(opened, 4096)).confirmed, 0);  // As after an interrupted session.
    EXPECT_EQ(info(select(opened, 65536)).confirmed, 1);
    EXPECT_FALSE(warptune::Selection(select(opened, 4096)).confirmed());
    EXPECT_TRUE(warptune::Selection(select(opened, 65536)).confirmed());
  }
  warptune_open_options off{};
  off.mode = WARPTUNE_MODE_OFF;
  EXPECT_EQ(info(select(kernel(open(off)), 65536)).confirmed, 0);  // The default.
}

TEST_F(SelectTest, AProgramThatDoesNotKnowWhetherAnswersAreConfirmedGetsTheOtherMembers) {
  confirm(4096, 256);
  struct {
    warptune_selection_info info{};
    char after = 0;
  } place;
  place.info.struct_size = offsetof(warptune_selection_info, confirmed);
  place.info.confirmed = 77;
  ASSERT_EQ(warptune_describe(select(kernel(open()), 4096), &place.info), WARPTUNE_OK);
  EXPECT_EQ(place.info.median_ns, 900.0);
  EXPECT_EQ(place.info.confirmed, 77);
}

TEST_F(SelectTest, TheSameQuestionHasTheSameAnswer) {
  warptune_kernel* opened = kernel(open());
  const warptune_selection* first = select(opened, 4096);
  store(4096, 128, 100.0, gpu_);  // The rows of an open kernel do not change.
  EXPECT_EQ(select(opened, 4096), first);
  EXPECT_STREQ(info(select(opened, 4097)).configuration, "BLOCK=256");
}

TEST_F(SelectTest, AnotherProblemGetsTheNearestThatCanRun) {
  warptune_kernel* opened = kernel(open());
  const warptune_selection_info near = info(select(opened, 32768));
  EXPECT_EQ(near.match, WARPTUNE_MATCH_NEAR_PROBLEM);
  EXPECT_STREQ(near.configuration, "BLOCK=512");
  EXPECT_EQ(near.distance_log2, 1.0);
  const warptune_selection_info small = info(select(opened, 100));  // Only BLOCK=64 fits.
  EXPECT_STREQ(small.configuration, "BLOCK=64");
}

TEST_F(SelectTest, AGpuWithoutRowsGetsThoseOfItsRelativesOrTheDefault) {
  profiling::fake_cuda().attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = 114;
  EXPECT_EQ(info(select(kernel(open()), 4096)).match, WARPTUNE_MATCH_SAME_CC);
  warptune_open_options strict{};
  strict.strict = 1;
  const std::vector<warptune_value> values = {integer(4096)};
  const warptune_selection* selection = nullptr;
  EXPECT_THAT(
      failure(warptune_select(kernel(open(strict)), values.data(), 1, &selection), WARPTUNE_ERROR_UNKNOWN),
      HasSubstr("nothing is known of scaled_sum N=4096 dtype=f32"));
}

TEST_F(SelectTest, WhatTheDefinitionRecommendsIsNoDefault) {
  warptune_open_options options{};
  for (const std::int32_t mode : {WARPTUNE_MODE_LOOK_UP, WARPTUNE_MODE_OFF}) {
    options.mode = mode;
    warptune_kernel* dot = nullptr;
    ASSERT_EQ(warptune_open_kernel(open(options), "dot", -1, &dot), WARPTUNE_OK) << warptune_last_error();
    const warptune_selection* selection = nullptr;
    ASSERT_EQ(warptune_select(dot, nullptr, 0, &selection), WARPTUNE_OK);
    EXPECT_EQ(info(selection).match,
              mode == WARPTUNE_MODE_OFF ? WARPTUNE_MATCH_DEFAULT : WARPTUNE_MATCH_RECOMMENDED);
    EXPECT_EQ(info(selection).confirmed, 0);
  }
}

TEST_F(SelectTest, BeforeTheDefaultDatabaseIsMadeTheDefinitionAnswers) {
  const tuner::testing::ScopedVariable home("XDG_DATA_HOME", folder_.path().string());
  warptune_library* library = open_default();
  warptune_kernel* dot = nullptr;
  ASSERT_EQ(warptune_open_kernel(library, "dot", -1, &dot), WARPTUNE_OK) << warptune_last_error();
  const warptune_selection* selection = nullptr;
  ASSERT_EQ(warptune_select(dot, nullptr, 0, &selection), WARPTUNE_OK);
  EXPECT_EQ(info(selection).match, WARPTUNE_MATCH_RECOMMENDED);
  EXPECT_EQ(info(select(kernel(library), 4096)).match, WARPTUNE_MATCH_DEFAULT);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "warptune")) << "a question makes no database";
  EXPECT_THAT(failure(warptune_open_kernel(open_default("H200"), "dot", -1, &dot), WARPTUNE_ERROR_INPUT),
              HasSubstr("the database has none"));
}

TEST_F(SelectTest, AKernelThatIsReopenedSeesADatabaseThatWasMadeMeanwhile) {
  const tuner::testing::ScopedVariable home("XDG_DATA_HOME", folder_.path().string());
  std::filesystem::create_directories(folder_ / "warptune");
  database_ = folder_ / "warptune/warptune.db";
  warptune_library* library = open_default();
  EXPECT_EQ(info(select(kernel(library), 4096)).match, WARPTUNE_MATCH_DEFAULT);
  store(4096, 256, 900.0, gpu_);
  warptune_kernel* reopened = nullptr;
  ASSERT_EQ(warptune_reopen_kernel(library, scaled_sum().c_str(), -1, &reopened), WARPTUNE_OK)
      << warptune_last_error();
  EXPECT_EQ(info(select(reopened, 4096)).match, WARPTUNE_MATCH_EXACT);
  EXPECT_STREQ(info(select(reopened, 4096)).configuration, "BLOCK=256");
}

TEST_F(SelectTest, OnlyWhatIsKnownToBeReproducibleIsTheAnswer) {
  const auto add = [&](std::int64_t block, model::Counters counters) {
    db::Store store(database_);
    const model::Workload workload = {
        definition_.name, definition_.hash, {{"N", std::int64_t{4096}}, {"dtype", std::string("f32")}}, gpu_};
    store.add_counters(store.latest_measurement(workload, {{"BLOCK", block}}).value().id, counters);
  };
  const model::Counters same = {{"compared_launches", 14.0},
                                {"differing_launches", 0.0},
                                {"input_digest", 1.0},
                                {"output_digest", 2.0}};
  add(64, same);
  model::Counters varying = same;
  varying["differing_launches"] = 3.0;
  add(256, varying);
  warptune_open_options options{};
  options.reproducible = "bits";
  const std::string asked = (folder_ / "asked.sh").string();
  options.mode = WARPTUNE_MODE_RECORD;
  options.record = asked.c_str();
  warptune_kernel* opened = kernel(open(options));
  const warptune_selection_info known = info(select(opened, 4096));
  EXPECT_STREQ(known.configuration, "BLOCK=64") << "the faster one gave other bits";
  EXPECT_EQ(known.match, WARPTUNE_MATCH_EXACT);
  const std::vector<warptune_value> values = {integer(65536)};
  const warptune_selection* selection = nullptr;
  EXPECT_THAT(failure(warptune_select(opened, values.data(), 1, &selection), WARPTUNE_ERROR_UNKNOWN),
              HasSubstr("gives the bits of the default in each launch"));
  EXPECT_THAT(base::read_file(asked), HasSubstr("N=65536"));
  EXPECT_THAT(base::read_file(asked), HasSubstr(" --reproducible=bits"));
  options.reproducible = "runs";
  warptune_load_options background{sizeof background, 1, 0};
  warptune_code* code = nullptr;
  EXPECT_THAT(
      failure(warptune_load(select(kernel(open(options)), 4096), &background, &code), WARPTUNE_ERROR_INPUT),
      HasSubstr("in_background runs the definition's default until the code is compiled"));
  options.mode = WARPTUNE_MODE_OFF;
  options.record = nullptr;
  EXPECT_EQ(info(select(kernel(open(options)), 65536)).match, WARPTUNE_MATCH_DEFAULT);
  options.mode = WARPTUNE_MODE_LOOK_UP;
  options.reproducible = "often";
  options.database = database_.c_str();
  EXPECT_THAT(open_failure(options), HasSubstr("expected runs|bits"));
  options.reproducible = "runs";
  options.database = nullptr;
  options.snapshot = database_.c_str();
  EXPECT_THAT(open_failure(options), HasSubstr("so `reproducible` needs a database"));
}

TEST_F(SelectTest, RowsOfAnotherVersionDoNotCount) {
  database_ = folder_ / "other.db";
  store(4096, 256, 900.0, gpu_, "00000000000000000000000000000001");
  const warptune_selection_info known = info(select(kernel(open()), 4096));
  EXPECT_EQ(known.match, WARPTUNE_MATCH_DEFAULT);
  EXPECT_STREQ(known.configuration, "BLOCK=64");
  EXPECT_THAT(known.reason, HasSubstr("another version of its source"));
}

TEST_F(SelectTest, RowsOfAnotherTypeOrAnotherKernelDoNotCount) {
  const std::string other_kernel = write_snapshot("other", "scaled_product");
  warptune_open_options options{};
  for (const char* snapshot : {static_cast<const char*>(nullptr), other_kernel.c_str()}) {
    options.snapshot = snapshot;
    const std::vector<warptune_value> values = {integer(4096), text(snapshot == nullptr ? "f64" : "f32")};
    const warptune_selection* selection = nullptr;
    options.strict = 0;
    ASSERT_EQ(warptune_select(kernel(open(options)), values.data(), 2, &selection), WARPTUNE_OK);
    EXPECT_EQ(info(selection).match, WARPTUNE_MATCH_DEFAULT);
    EXPECT_STREQ(info(selection).configuration, "BLOCK=64");
    EXPECT_THAT(info(selection).reason, StartsWith("the definition's default, because"));
    options.strict = 1;
    EXPECT_THAT(
        failure(warptune_select(kernel(open(options)), values.data(), 2, &selection), WARPTUNE_ERROR_UNKNOWN),
        StartsWith("nothing is known of scaled_sum N=4096 dtype="));
    EXPECT_EQ(selection, nullptr);
  }
}

TEST_F(SelectTest, ASnapshotAnswersAsTheDatabaseDoesAndHasAHash) {
  const std::string first = write_snapshot("first");
  const std::string second = write_snapshot("second");
  warptune_open_options options{};
  options.snapshot = first.c_str();
  warptune_library* one = open(options);
  options.snapshot = second.c_str();
  warptune_library* two = open(options);
  const char* hash_of_one = nullptr;
  const char* hash_of_two = nullptr;
  ASSERT_EQ(warptune_snapshot_hash(one, &hash_of_one), WARPTUNE_OK);
  ASSERT_EQ(warptune_snapshot_hash(two, &hash_of_two), WARPTUNE_OK);
  EXPECT_STREQ(hash_of_one, hash_of_two);
  warptune_kernel* by_snapshot = kernel(one);
  warptune_kernel* by_database = kernel(open());
  for (const std::int64_t n : {4096, 65536, 32768, 5000}) {
    const warptune_selection_info a = info(select(by_snapshot, n));
    const warptune_selection_info b = info(select(by_database, n));
    EXPECT_EQ(a.match, b.match);
    EXPECT_STREQ(a.configuration, b.configuration);
    EXPECT_EQ(a.median_ns, b.median_ns);
    EXPECT_EQ(a.default_median_ns, b.default_median_ns);
  }
}

TEST_F(SelectTest, ASnapshotThatIsNotOneIsRefused) {
  const std::string path = write_snapshot("rows");
  const std::string right = base::read_file(path);
  warptune_open_options options{};
  options.snapshot = path.c_str();
  base::write_file_atomically(path, "warptune-snapshot 9 0123\n");
  EXPECT_THAT(open_failure(options), HasSubstr("expected version 1 of a snapshot, found ' 9 0123'"));
  base::write_file_atomically(path, right + "scaled_sum {}\n");
  EXPECT_THAT(open_failure(options), HasSubstr("the rows do not fit the hash"));
  base::write_file_atomically(path, "SQLite format 3");
  EXPECT_THAT(open_failure(options), HasSubstr("expected a snapshot of warptune"));
  const char* hash = nullptr;
  EXPECT_THAT(failure(warptune_snapshot_hash(open(), &hash), WARPTUNE_ERROR_INPUT),
              HasSubstr("only a snapshot has a hash"));
}

TEST_F(SelectTest, OptionsThatContradictEachOtherAreRefused) {
  warptune_open_options options{};
  options.database = database_.c_str();
  options.snapshot = database_.c_str();
  EXPECT_THAT(open_failure(options), HasSubstr("found both"));
  options = {};
  options.mode = 17;
  EXPECT_THAT(open_failure(options), HasSubstr("expected a mode of WARPTUNE_MODE_..., found 17"));
  options.mode = WARPTUNE_MODE_RECORD;
  EXPECT_THAT(open_failure(options), HasSubstr("needs a file to record in"));
  options = {};
  options.cache_state = "hot";
  EXPECT_THAT(open_failure(options), HasSubstr("expected cold, warm or unknown, found 'hot'"));
  options = {};
  options.database = "/missing/rows.db";
  EXPECT_THAT(open_failure(options), HasSubstr("/missing/rows.db"));
}

TEST_F(SelectTest, AStructOfAnotherSizeIsUnderstoodOrRefused) {
  struct Later {
    warptune_open_options known;
    const char* unknown;
  } later{};
  later.known.struct_size = sizeof later;
  later.known.mode = WARPTUNE_MODE_OFF;
  warptune_library* library = nullptr;
  ASSERT_EQ(warptune_open(&later.known, &library), WARPTUNE_OK) << warptune_last_error();
  warptune_close(library);
  later.unknown = "set";
  EXPECT_THAT(failure(warptune_open(&later.known, &library), WARPTUNE_ERROR_INPUT),
              HasSubstr("an option is set that this version of libwarptune does not know"));
  warptune_open_options early{};
  early.struct_size = offsetof(warptune_open_options, database);  // An earlier version had the mode only.
  early.mode = WARPTUNE_MODE_OFF;
  early.snapshot = "/missing";
  ASSERT_EQ(warptune_open(&early, &library), WARPTUNE_OK) << warptune_last_error();
  warptune_close(library);
  early.struct_size = 0;
  EXPECT_THAT(failure(warptune_open(&early, &library), WARPTUNE_ERROR_INPUT), StartsWith("struct_size"));
}

TEST_F(SelectTest, ValuesThatTheProblemCannotHaveAreRefused) {
  warptune_kernel* opened = kernel(open());
  EXPECT_EQ(warptune_problem_size(opened), 2U);
  EXPECT_STREQ(warptune_problem_name(opened, 1), "dtype");
  EXPECT_EQ(warptune_problem_name(opened, 2), nullptr);
  const warptune_selection* selection = nullptr;
  const auto why = [&](std::vector<warptune_value> values) {
    return failure(warptune_select(opened, values.data(), values.size(), &selection), WARPTUNE_ERROR_INPUT);
  };
  EXPECT_THAT(why({integer(1), text("f32"), integer(3)}), HasSubstr("expected at most 2 values"));
  EXPECT_THAT(why({integer(4096), text("f16")}), HasSubstr("f16"));
  EXPECT_THAT(why({text("many")}), HasSubstr("N"));
  EXPECT_THAT(why({integer(4096), text(nullptr)}), HasSubstr("found null"));
  warptune_value unknown{};
  unknown.type = 42;
  EXPECT_THAT(why({unknown}), HasSubstr("unknown type 42"));
  EXPECT_EQ(warptune_select(nullptr, nullptr, 0, &selection), WARPTUNE_ERROR_INPUT);
}

TEST_F(SelectTest, AKernelOrAGpuThatIsMissingIsNamed) {
  warptune_library* library = open();
  warptune_kernel* opened = nullptr;
  EXPECT_THAT(failure(warptune_open_kernel(library, "scaled_summ", 0, &opened), WARPTUNE_ERROR_INPUT),
              HasSubstr("scaled_summ"));
  EXPECT_THAT(
      failure(warptune_open_kernel(library, scaled_sum().c_str(), 3, &opened), WARPTUNE_ERROR_MACHINE),
      HasSubstr("there is no GPU 3"));
  EXPECT_EQ(opened, nullptr);
  EXPECT_EQ(warptune_open_kernel(library, nullptr, 0, &opened), WARPTUNE_ERROR_INPUT);
  EXPECT_EQ(warptune_open_kernel(nullptr, "sgemm", 0, &opened), WARPTUNE_ERROR_INPUT);
}

TEST_F(SelectTest, ANamedGpuNeedsNoDriver) {
  store(4096, 128, 700.0, db::testing::gpu(8, 0, 108, "NVIDIA A100"));
  profiling::fake_cuda().devices = 0;
  warptune_open_options options{};
  options.gpu = "A100";
  const warptune_selection* selection = select(kernel(open(options)), 4096);
  EXPECT_STREQ(info(selection).configuration, "BLOCK=128");
  EXPECT_STREQ(info(selection).gpu, "NVIDIA A100");
  warptune_code* code = nullptr;
  EXPECT_THAT(failure(warptune_load(selection, nullptr, &code), WARPTUNE_ERROR_INPUT),
              HasSubstr("opened for a GPU by name"));
}

// A driver's update changes what the database says of a GPU, but not which GPU it is.
TEST_F(SelectTest, OneGpuWithTwoDescriptionsHasOneName) {
  model::GpuDescription updated = gpu_;
  updated.memory_bytes -= 1 << 20;
  store(4096, 128, 700.0, updated);
  warptune_open_options options{};
  options.gpu = gpu_.name.c_str();
  EXPECT_STREQ(info(select(kernel(open(options)), 4096)).configuration, "BLOCK=128");
  const std::string described = "cc=90,sms=" + std::to_string(gpu_.sm_count);
  options.gpu = described.c_str();
  EXPECT_EQ(info(select(kernel(open(options)), 4096)).match, WARPTUNE_MATCH_EXACT);
}

TEST_F(SelectTest, AProblemWithoutAnswerIsRecorded) {
  const std::string asked = (folder_ / "asked.sh").string();
  warptune_open_options options{};
  options.mode = WARPTUNE_MODE_RECORD;
  options.record = asked.c_str();
  options.strict = 1;
  options.cache_state = "unknown";
  const std::vector<warptune_value> values = {integer(8192)};
  const warptune_selection* selection = nullptr;
  EXPECT_THAT(
      failure(warptune_select(kernel(open(options)), values.data(), 1, &selection), WARPTUNE_ERROR_UNKNOWN),
      HasSubstr("nothing is known of scaled_sum"));
  EXPECT_EQ(base::read_file(asked),
            "warptune tune " + scaled_sum().string() + " --size N=8192 --size dtype=f32\n");
}

TEST_F(SelectTest, AProgramThatTurnsTuningOffStillHasItsSnapshotAndItsGpu) {
  const std::string snapshot = write_snapshot("rows.wts");
  warptune_open_options options{};
  options.mode = WARPTUNE_MODE_OFF;
  options.gpu = gpu_.name.c_str();
  for (const char* named : {static_cast<const char*>(nullptr), snapshot.c_str()}) {
    options.snapshot = named;
    warptune_library* library = open(options);
    const warptune_selection_info off = info(select(kernel(library), 4096));
    EXPECT_EQ(off.match, WARPTUNE_MATCH_DEFAULT);
    EXPECT_EQ(off.gpu, gpu_.name);
    const char* hash = nullptr;
    EXPECT_EQ(warptune_snapshot_hash(library, &hash), named == nullptr ? WARPTUNE_ERROR_INPUT : WARPTUNE_OK);
  }
}

TEST_F(SelectTest, TheSystemsDatabaseAnswersAfterTheUsers) {
  const std::string own = database_;
  database_ = folder_ / "system.db";
  store(4096, 128, 100.0, gpu_);
  store(8192, 128, 100.0, gpu_);
  const tuner::testing::ScopedVariable system("WARPTUNE_SYSTEM_DB", database_);
  database_ = own;
  warptune_kernel* opened = kernel(open());
  EXPECT_STREQ(info(select(opened, 4096)).configuration, "BLOCK=256");
  EXPECT_STREQ(info(select(opened, 8192)).configuration, "BLOCK=128");
  EXPECT_EQ(info(select(opened, 8192)).match, WARPTUNE_MATCH_EXACT);
  const tuner::testing::ScopedVariable home("XDG_DATA_HOME", folder_.path().string());
  EXPECT_STREQ(info(select(kernel(open_default(gpu_.name.c_str())), 4096)).configuration, "BLOCK=128");
}

TEST_F(SelectTest, TheModeDecidesWhatIsLookedUpLoadedAndRecorded) {
  warptune_open_options options{};
  options.mode = WARPTUNE_MODE_OFF;
  const warptune_selection_info off = info(select(kernel(open(options)), 4096));
  EXPECT_STREQ(off.configuration, "BLOCK=64");
  EXPECT_THAT(off.reason, HasSubstr("mode is off"));
  options.mode = WARPTUNE_MODE_LOOK_UP;
  const warptune_selection* found = select(kernel(open(options)), 4096);
  EXPECT_STREQ(info(found).configuration, "BLOCK=256");
  warptune_code* code = nullptr;
  EXPECT_EQ(warptune_load(found, nullptr, &code), WARPTUNE_ERROR_MODE);
  const std::string record = folder_ / "asked.sh";
  options.mode = WARPTUNE_MODE_RECORD;
  options.record = record.c_str();
  warptune_kernel* recorded = kernel(open(options));
  select(recorded, 4096);
  select(recorded, 8192);
  select(recorded, 8192);
  EXPECT_EQ(base::read_file(record),
            "warptune tune " + scaled_sum().string() + " --size N=8192 --size dtype=f32\n");
}

TEST_F(SelectTest, ThreadsSelectAtTheSameTime) {
  warptune_kernel* opened = kernel(open());
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (std::int64_t n = 0; n < 40; ++n) {
        const warptune_value value = integer(64 + (n * (i + 1)) % 20);
        const warptune_selection* selection = nullptr;
        wrong += warptune_select(opened, &value, 1, &selection) == WARPTUNE_OK ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace warptune::library
