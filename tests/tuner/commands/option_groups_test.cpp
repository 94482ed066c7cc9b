#include "tuner/commands/option_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The options that `declare` declares, parsed from `arguments`.
Options parsed(const std::function<void(Options&)>& declare, const std::vector<std::string>& arguments) {
  Options options("test", "A test.");
  declare(options);
  EXPECT_TRUE(options.parse(arguments));
  return options;
}

template <class Read>
std::string refusal(const Read& read) {
  try {
    read();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(OptionsTest, ANumberIsReadAsOneOrRefused) {
  const auto declare = [](Options& options) { options.value("count", "N", "how many"); };
  EXPECT_EQ(parsed(declare, {}).number("count"), std::nullopt);
  EXPECT_EQ(parsed(declare, {"--count", "0"}).number("count"), 0U);
  EXPECT_EQ(parsed(declare, {"--count", "7"}).positive_number("count"), 7U);
  EXPECT_EQ(refusal([&] {
              parsed(declare, {"--count", "1.5"}).number("count");
            }),
            "--count 1.5: expected an integer, 0 or more");
  EXPECT_EQ(refusal([&] {
              parsed(declare, {"--count", "0"}).positive_number("count");
            }),
            "--count 0: expected an integer, 1 or more");
  EXPECT_EQ(refusal([&] {
              parsed(declare, {"--count", "-1"}).positive_number("count");
            }),
            "--count -1: expected an integer, 1 or more");
  const auto declare_optional = [](Options& options) { options.optional_value("count", "N", "how many"); };
  EXPECT_EQ(refusal([&] { parsed(declare_optional, {"--count=0"}).positive_number("count"); }),
            "--count=0: expected an integer, 1 or more");
}

TEST(OptionsTest, AChoiceIsWhatItsWordStandsForOrAListOfTheWords) {
  const auto declare = [](Options& options) { options.value("size", "small|big", "how big"); };
  const auto choose = [&](const std::vector<std::string>& arguments) {
    return parsed(declare, arguments).choice<int>("size", {{"small", 1}, {"big", 10}});
  };
  EXPECT_EQ(choose({}), std::nullopt);
  EXPECT_EQ(choose({"--size", "big"}), 10);
  EXPECT_EQ(refusal([&] { choose({"--size", "bigger"}); }), "--size bigger: expected small or big");
  EXPECT_EQ(refusal([&] {
              parsed(declare, {"--size", ""}).choice<int>("size", {{"a", 1}, {"b", 2}, {"c", 3}});
            }),
            "--size : expected a, b, c");
}

TEST(OptionsTest, ARealNumberIsWithinItsLimitsOrRefused) {
  const auto declare = [](Options& options) { options.value("every", "SECONDS", "how often", "5"); };
  EXPECT_EQ(read_real(parsed(declare, {}), "every", 0.0, 10.0), 5.0);
  EXPECT_EQ(read_real(parsed(declare, {"--every", "0.25"}), "every", 0.0, 10.0), 0.25);
  for (const char* wrong : {"-1", "10.5", "nan", "often", ""}) {
    EXPECT_EQ(refusal([&] {
                read_real(parsed(declare, {"--every", wrong}), "every", 0.0, 10.0);
              }),
              "--every " + std::string(wrong) + ": expected a number from 0 to 10");
  }
}

TEST(OptionsTest, APaceNeedsAReplay) {
  const auto declare = [](Options& options) {
    options.value("replay", "FILE", "what").value("pace", "X", "how fast", "0");
  };
  EXPECT_EQ(read_pace(parsed(declare, {})), 0.0);
  EXPECT_EQ(read_pace(parsed(declare, {"--replay", "x", "--pace", "2"})), 2.0);
  EXPECT_EQ(refusal([&] { read_pace(parsed(declare, {"--pace", "2"})); }), "--pace needs --replay");
}

TEST(OptionsTest, AFallbackIsAValueThatNobodyGave) {
  const auto declare = [](Options& options) { options.value("level", "N", "how much", "3"); };
  EXPECT_EQ(parsed(declare, {}).number("level"), 3U);
  EXPECT_FALSE(parsed(declare, {}).has("level"));
  EXPECT_TRUE(parsed(declare, {"--level", "3"}).has("level"));
}

TEST(OptionsTest, OnlyTheCommonFormatsAreCheckedWhereACommandHasThem) {
  const auto common = [](Options& options) { options.common(); };
  EXPECT_TRUE(parsed(common, {"--format", "json"}).json());
  EXPECT_FALSE(parsed(common, {}).json());
  EXPECT_EQ(refusal([&] { parsed(common, {"--format", "html"}); }), "--format html: expected text or json");
  const auto own = [](Options& options) { options.value("format", "html", "form").help_and_log_level(); };
  EXPECT_EQ(parsed(own, {"--format", "html"}).text("format"), "html");
}

TEST(OptionGroupsTest, ATimeoutIsSecondsOrRefused) {
  const auto read = [](const std::vector<std::string>& arguments) {
    return read_timeout(parsed([](Options& options) { declare_timeout(options); }, arguments));
  };
  EXPECT_EQ(read({}), std::nullopt);
  EXPECT_EQ(read({"--timeout", "90"}), std::chrono::seconds(90));
  EXPECT_EQ(read({"--timeout", "0.25"}), std::chrono::milliseconds(250));
  for (const std::string bad : {"0", "-1", "1e9", "nan", "inf", "5s", ""}) {
    EXPECT_EQ(refusal([&] {
                read({"--timeout", bad});
              }),
              "--timeout " + bad + ": expected seconds, 0.1 to 86400");
  }
}

TEST(OptionGroupsTest, AWorkloadSaysOnlyWhatWasGiven) {
  const auto declare = [](Options& options) { declare_workload(options); };
  const knowledge::WorkloadSelection nothing = read_workload(parsed(declare, {}));
  EXPECT_THAT(nothing.sizes, IsEmpty());
  EXPECT_EQ(nothing.gpu, std::nullopt);
  EXPECT_EQ(nothing.cache, std::nullopt) << "cold is what the help names, not what was said";
  EXPECT_EQ(nothing.database, std::nullopt);
  const knowledge::WorkloadSelection all = read_workload(
      parsed(declare, {"--size", "N=4", "--gpu", "H200", "--cache", "cold", "--db", "measured.db"}));
  EXPECT_EQ(model::to_text(all.sizes), "N=4");
  EXPECT_EQ(all.gpu, "H200");
  EXPECT_EQ(all.cache, model::CacheState::kCold);
  EXPECT_EQ(all.database, "measured.db");
  EXPECT_EQ(refusal([&] {
              read_workload(parsed(declare, {"--cache", "hot"}));
            }),
            "--cache hot: expected cold, warm or unknown");
}

TEST(OptionGroupsTest, TrustIsGivenByTheOptionOnly) {
  const auto declare = [](Options& options) { declare_workload(options); };
  const kernel_templates::TrustDemand demand{"/not/there/k.cu", "asks for something"};
  EXPECT_FALSE(read_workload(parsed(declare, {})).permissions.trust->covers(demand));
  EXPECT_TRUE(read_workload(parsed(declare, {"--trust"})).permissions.trust->covers(demand));
}

TEST(OptionGroupsTest, FoldersThatADefinitionMayReadAreAbsoluteAndThere) {
  const auto declare = [](Options& options) { declare_workload(options); };
  EXPECT_THAT(read_workload(parsed(declare, {})).permissions.readable, IsEmpty());
  const knowledge::WorkloadSelection two =
      read_workload(parsed(declare, {"--allow-read", "/usr/../usr", "--allow-read", "/"}));
  EXPECT_THAT(two.permissions.readable, ::testing::ElementsAre("/usr", "/"));
  EXPECT_EQ(refusal([&] {
              read_workload(parsed(declare, {"--allow-read", "/not/there"}));
            }),
            "--allow-read /not/there: expected a folder that exists");
}

TEST(OptionGroupsTest, TheDatabaseIsTheUsualOneUnlessItIsNamed) {
  const testing::ScopedVariable data("XDG_DATA_HOME", "/data");
  const auto declare = [](Options& options) { declare_database(options); };
  EXPECT_EQ(read_database(parsed(declare, {})), "/data/warptune/warptune.db");
  EXPECT_EQ(read_database(parsed(declare, {"--db", "measured.db"})), "measured.db");
}

TEST(OptionGroupsTest, AStoreIsNamedOrComesFromTheEnvironment) {
  const testing::ScopedVariable store("WARPTUNE_STORE", "");
  const auto declare = [](Options& options) { declare_store(options); };
  EXPECT_THAT(refusal([&] { read_store(parsed(declare, {})); }), HasSubstr("--store is missing"));
  const testing::ScopedVariable usual("WARPTUNE_STORE", "spool:/usual");
  EXPECT_EQ(read_store(parsed(declare, {})), "spool:/usual");
  EXPECT_EQ(read_store(parsed(declare, {"--store", "spool:/named"})), "spool:/named");
}

TEST(OptionGroupsTest, OnlyCommandsThatReadTakeAStoreAsTheirDatabase) {
  const auto declare = [](Options& options) { declare_database(declare_measuring(options)); };
  const Options options = parsed(declare, {"--db", "postgresql://user@host/database"});
  const std::string message = refusal([&] { read_written_database(options); });
  EXPECT_THAT(message, HasSubstr("only nodes (warptune node) add rows to a store of campaigns"));
  EXPECT_EQ(refusal([&] { read_measurement(options); }), message);
  EXPECT_EQ(read_measurement(options, false).database, "");
}

TEST(OptionGroupsTest, MeasuringHasADefaultForEverything) {
  const testing::ScopedVariable cache("XDG_CACHE_HOME", "/cache");
  const auto declare = [](Options& options) { declare_database(declare_measuring(options)); };
  const session::MeasurementRequest request = read_measurement(parsed(declare, {}));
  EXPECT_EQ(request.device, std::nullopt);
  EXPECT_EQ(request.compile_workers, 0U);
  EXPECT_EQ(request.measuring.compile_cache, "/cache/warptune/compiled");
  EXPECT_EQ(request.measuring.seed, 1U);
}

TEST(OptionGroupsTest, MeasuringIsReadIntoNumbersAndAFolder) {
  const auto declare = [](Options& options) { declare_database(declare_measuring(options)); };
  const session::MeasurementRequest request = read_measurement(
      parsed(declare, {"--device", "2", "--jobs", "3", "--compile-cache", "none", "--seed", "4"}));
  EXPECT_EQ(request.device, 2);
  EXPECT_EQ(request.compile_workers, 3U);
  EXPECT_EQ(request.measuring.compile_cache, "");
  EXPECT_EQ(request.measuring.seed, 4U);
}

TEST(OptionGroupsTest, MeasuringThatNoMachineCouldDoIsRefused) {
  const auto refused = [](const std::string& option, const std::string& value) {
    return refusal([&] {
      read_measurement(
          parsed([](Options& options) { declare_database(declare_measuring(options)); }, {option, value}));
    });
  };
  EXPECT_EQ(refused("--device", "first"), "--device first: expected an integer, 0 or more");
  EXPECT_THAT(refused("--device", "99999999999"), HasSubstr("--device 99999999999: expected an integer"));
  EXPECT_EQ(refused("--jobs", "many"), "--jobs many: expected an integer, 0 or more");
  EXPECT_EQ(refused("--seed", "-1"), "--seed -1: expected an integer, 0 or more");
  EXPECT_EQ(refused("--compile-cache", ""), "--compile-cache is empty: expected a folder, or none");
}

}  // namespace
}  // namespace warptune::tuner::commands
