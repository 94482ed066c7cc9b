// Tuning on the buffers of a program, and with its check. The fake worker writes down what it gets, and its
// results are the value of the first parameter in every byte.
#include <gmock/gmock.h>

#include <cstring>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/files.h"
#include "library/include/warptune_tuning.hpp"
#include "tests/library/tuning_fixture.h"

namespace warptune::library {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tuner::testing::ScopedVariable;

class TuningDataTest : public TuningTest {
 protected:
  warptune_contents contents(std::int32_t role, std::int32_t memory = WARPTUNE_HOST_MEMORY) const {
    return {"x", role, memory, WARPTUNE_F32, 0, numbers_.data(), numbers_.size() * sizeof(float)};
  }
  warptune_tuning_options with(const std::vector<warptune_contents>& given) const {
    warptune_tuning_options options = measure();
    options.contents = given.data();
    options.contents_count = given.size();
    return options;
  }
  std::string failure_with(const std::vector<warptune_contents>& given,
                           warptune_status expected = WARPTUNE_ERROR_INPUT) {
    return start_failure(with(given), expected);
  }
  std::string raw_numbers() const {
    return {reinterpret_cast<const char*>(numbers_.data()), numbers_.size() * sizeof(float)};
  }

  std::vector<float> numbers_ = std::vector<float>(1024, 0.5F);
};

TEST_F(TuningDataTest, BuffersOfTheHostAndOfTheDeviceReachTheWorker) {
  const std::string seen = toy_ / "seen";
  const ScopedVariable to("FAKE_CONTENTS_TO", seen);
  for (const std::int32_t memory : {WARPTUNE_HOST_MEMORY, WARPTUNE_DEVICE_MEMORY}) {
    std::vector<warptune_contents> given = {contents(WARPTUNE_CONTENTS_FIRST, memory)};
    warptune_tuning_options options = with(given);
    options.fresh = 1;
    warptune_tuning* tuning = start(options);
    numbers_.assign(1024, 7.0F);  // The program may change its buffers now.
    EXPECT_EQ(finish(tuning).evaluated, 8U);
    numbers_.assign(1024, 0.5F);
    EXPECT_EQ(base::read_file(seen), "x first f32 " + raw_numbers() + "\n");
    std::filesystem::remove(seen);
  }
  EXPECT_EQ(profiling::fake_cuda().context_waits, 1) << "a stream may still write the device's memory";
}

TEST_F(TuningDataTest, ExpectedValuesReachTheWorkerAndNoReferenceIsCompiled) {
  const std::string seen = toy_ / "seen";
  const ScopedVariable to("FAKE_CONTENTS_TO", seen);
  const std::vector<warptune_contents> given = {contents(WARPTUNE_CONTENTS_FIRST),
                                                contents(WARPTUNE_CONTENTS_EXPECTED)};
  EXPECT_EQ(finish(start(with(given))).evaluated, 8U);
  EXPECT_EQ(base::read_file(seen),
            "x first f32 " + raw_numbers() + "\nx expected f32 " + raw_numbers() + "\n");
}

TEST_F(TuningDataTest, RowsOfAProgramsDataBelongToTheSameKernel) {
  const std::vector<warptune_contents> given = {contents(WARPTUNE_CONTENTS_FIRST)};
  finish(start(with(given)));
  const db::Store store = db::Store::open_existing(database_);
  const std::string hash = kernel_templates::load_kernel_definition(toy_kernel_).hash;
  EXPECT_EQ(store.winners("toy", hash).size(), 1U);
}

TEST_F(TuningDataTest, ContentsThatDoNotFitAreRefused) {
  warptune_contents one = contents(WARPTUNE_CONTENTS_FIRST);
  one.bytes -= 4;
  EXPECT_THAT(failure_with({one}),
              HasSubstr("argument 'x' has 4096 bytes (1024 x f32) for N=1024, found 4092"));
  one = contents(WARPTUNE_CONTENTS_FIRST);
  one.type = WARPTUNE_I32;
  EXPECT_THAT(failure_with({one}), HasSubstr("argument 'x' has elements of type f32, found i32"));
  one.type = 99;
  EXPECT_THAT(failure_with({one}), HasSubstr("unknown type 99"));
  one = contents(7);
  EXPECT_THAT(failure_with({one}), HasSubstr("unknown role 7"));
  one = contents(WARPTUNE_CONTENTS_FIRST, 9);
  EXPECT_THAT(failure_with({one}), HasSubstr("unknown kind of memory 9"));
  one = contents(WARPTUNE_CONTENTS_FIRST);
  one.argument = "y";
  EXPECT_THAT(failure_with({one}), HasSubstr("toy has no argument 'y'"));
  one.argument = nullptr;
  EXPECT_THAT(failure_with({one}), HasSubstr("found null"));
  one = contents(WARPTUNE_CONTENTS_FIRST);
  EXPECT_THAT(failure_with({one, one}), HasSubstr("argument 'x' is given twice"));
}

// Accepts the results in which every byte is 1, 2 or 4, and notes what it is asked about.
struct Judge {
  std::set<char> seen;
  std::string argument;
  std::size_t bytes = 0;
  int end_at = -1;

  static std::int32_t ask(void* context, const warptune_result* results, std::size_t count, char* reason,
                          std::size_t reason_bytes) {
    auto& judge = *static_cast<Judge*>(context);
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(results[0].type, WARPTUNE_F32);
    judge.argument = results[0].argument;
    judge.bytes = results[0].bytes;
    const char value = *static_cast<const char*>(results[0].data);
    judge.seen.insert(value);
    if (value == judge.end_at) return WARPTUNE_CHECK_END;
    if (value != 3) return WARPTUNE_CHECK_RIGHT;
    std::strncpy(reason, "three is wrong", reason_bytes);
    return WARPTUNE_CHECK_WRONG;
  }
};

TEST_F(TuningDataTest, AProgramsCheckDecidesWhatIsRight) {
  Judge judge;
  warptune_tuning_options options = measure();
  options.check = &Judge::ask;
  options.check_context = &judge;
  warptune_tuning* tuning = start(options);
  const std::vector<SeenEvent> seen = events(tuning);
  const warptune_tuning_result result = finish(tuning);
  EXPECT_EQ(result.wrong, 2U);
  EXPECT_EQ(result.evaluated, 8U);
  EXPECT_THAT(judge.seen, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(judge.argument, "x");
  EXPECT_EQ(judge.bytes, 4096U);
  for (const SeenEvent& event : seen) {
    if (event.kind != WARPTUNE_EVENT_MEASURED) continue;
    const bool is_three = event.configuration.find("A=3") != std::string::npos;
    EXPECT_EQ(event.status, is_three ? "wrong_result" : "measured") << event.configuration;
    EXPECT_EQ(event.text, is_three ? "the program's check says: three is wrong" : "");
  }
}

TEST_F(TuningDataTest, AProgramsCheckCanEndTheTuning) {
  Judge judge;
  judge.end_at = 2;
  warptune_tuning_options options = measure();
  options.check = &Judge::ask;
  options.check_context = &judge;
  finish(start(options), WARPTUNE_ERROR_UNKNOWN);
  EXPECT_THAT(warptune_last_error(), HasSubstr("the program's check has ended the tuning"));
}

TEST_F(TuningDataTest, AProgramsCheckCanEndTheTuningInTheFinals) {
  const ScopedVariable asks("FAKE_FINALS_ASK", "1");
  Judge judge;
  judge.end_at = 7;
  warptune_tuning_options options = measure();
  options.check = &Judge::ask;
  options.check_context = &judge;
  finish(start(options), WARPTUNE_ERROR_UNKNOWN);
  EXPECT_THAT(judge.seen, Contains(7));
  EXPECT_THAT(warptune_last_error(), HasSubstr("the program's check has ended the tuning"));
}

TEST_F(TuningDataTest, AnExceptionOfTheCheckReachesTheProgram) {
  warptune_open_options options{};
  options.mode = WARPTUNE_MODE_TUNE;
  options.database = database_.c_str();
  const Library library(options);
  TuningRequest request(toy_kernel_);
  request.budget("all").program(WARPTUNE_FAKE_GPU_WORKER).compile_workers(1);
  request.check([](const std::vector<Result>& results) -> std::string {
    throw std::out_of_range(results.at(0).argument);
  });
  EXPECT_THROW(tune(library, request), std::out_of_range);
  request.check([](const std::vector<Result>& results) {
    return results.at(0).count<float>() == 1024 ? "" : "a wrong number of elements";
  });
  EXPECT_EQ(tune(library, request).wrong, 0U);
}

TEST_F(TuningDataTest, ExpectedValuesAndACheckExcludeEachOther) {
  Judge judge;
  const std::vector<warptune_contents> given = {contents(WARPTUNE_CONTENTS_EXPECTED)};
  warptune_tuning_options options = with(given);
  options.check = &Judge::ask;
  options.check_context = &judge;
  EXPECT_THAT(start_failure(options, WARPTUNE_ERROR_INPUT), HasSubstr("exclude each other"));
}

TEST_F(TuningDataTest, ARandomInputMustBeGivenWhereTheProgramDecides) {
  const std::string kernel = scaled_sum();
  Judge judge;
  warptune_tuning_options options = measure();
  options.kernel = kernel.c_str();
  options.check = &Judge::ask;
  options.check_context = &judge;
  EXPECT_THAT(start_failure(options, WARPTUNE_ERROR_INPUT),
              HasSubstr("the contents of argument 'in' are random"));
}

}  // namespace
}  // namespace warptune::library
