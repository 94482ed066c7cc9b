#include "search/strategy_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "tests/search/strategies/strategy_runs.h"

namespace warptune::search {
namespace {

using model::constraints;
using model::one_to;

// Results of every kind: failures, dropped configurations, and a time that is not a number.
Observation any_result(const model::Configuration& c) {
  const double objective = strategies::bowl(c).objective / 3.0;
  if (c[0] == 0 && c[1] == 0) return {c, model::Status::kMeasured, std::nan("")};
  if ((c[0] + c[1]) % 5 == 0) return {c, model::Status::kWrongResult, 0.0};
  return {c, objective > 4.0 ? model::Status::kDropped : model::Status::kMeasured, objective};
}

// A caller whose calls depend only on its own random numbers and on the open configurations.
class Caller {
 public:
  explicit Caller(std::uint64_t seed) : random_(seed) {}

  // Makes one call of `ask` or `tell`. Appends the configurations that were asked for.
  void step(Strategy& strategy, const model::Space& space, std::vector<model::Configuration>& asked) {
    if (random_.below(12) == 0) {
      const model::Configuration unasked = space.sample(random_);
      strategy.tell(any_result(unasked));
      open_.erase(std::remove(open_.begin(), open_.end(), unasked), open_.end());
    } else if (open_.size() < 6 && random_.below(2) == 0) {
      for (model::Configuration& configuration : strategy.ask(random_.below(4))) {
        asked.push_back(configuration);
        open_.push_back(std::move(configuration));
      }
    } else if (!open_.empty()) {
      const std::size_t place = random_.below(open_.size());
      strategy.tell(any_result(open_[place]));
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }
  const std::vector<model::Configuration>& open() const { return open_; }

 private:
  base::Random random_;
  std::vector<model::Configuration> open_;
};

class EachLoggedStrategy : public ::testing::TestWithParam<std::string> {};

TEST_P(EachLoggedStrategy, GoesOnAfterAnyCallAsIfItHadNotStopped) {
  const model::Space space = strategies::small_space();
  StrategyOptions options;
  options.seed = 5;
  options.evaluations = 60;
  options.first = {space.at(3), space.at(50)};
  for (int calls = 0; calls < 150; calls += 7) {
    SCOPED_TRACE(calls);
    StrategyLog log(GetParam(), space, options);
    Caller caller(11);
    std::vector<model::Configuration> before;
    for (int i = 0; i < calls; ++i) caller.step(log, space, before);
    const std::string text = log.to_text();
    const auto restored = StrategyLog::restore(text, space, options);
    EXPECT_EQ(restored->to_text(), text);
    EXPECT_EQ(restored->name(), GetParam());
    EXPECT_THAT(restored->pending(), ::testing::UnorderedElementsAreArray(caller.open()));
    Caller same = caller;
    std::vector<model::Configuration> expected;
    std::vector<model::Configuration> found;
    for (int i = 0; i < 60; ++i) {
      caller.step(log, space, expected);
      same.step(*restored, space, found);
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(restored->to_text(), log.to_text());
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, EachLoggedStrategy, ::testing::ValuesIn(strategies::strategy_names()),
                         [](const auto& parameter) { return parameter.param; });

StrategyOptions seeded(std::uint64_t seed) {
  StrategyOptions options;
  options.seed = seed;
  return options;
}

std::string message_of(const std::string& text, const model::Space& space, const StrategyOptions& options) {
  try {
    StrategyLog::restore(text, space, options);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "restored";
}

std::string saved() {
  const model::Space space = strategies::small_space();
  StrategyLog log("random", space, seeded(1));
  for (int i = 0; i < 2; ++i) {
    for (const model::Configuration& configuration : log.ask(2)) log.tell(any_result(configuration));
  }
  log.tell({{0, 0, 0}, model::Status::kCompileFailed, 0.0});
  log.ask(1);
  log.ask(1);
  return log.to_text();
}

TEST(StrategyLog, WritesALineACall) {
  const model::Space space({model::one_to("a", 3)}, {});
  StrategyLog log("exhaustive", space, {});
  log.ask(1);
  log.ask(1);
  log.tell({{1}, model::Status::kMeasured, 1.5});
  log.tell({{2}, model::Status::kCompileFailed, 0.0});
  EXPECT_THAT(log.to_text(), ::testing::MatchesRegex("warptune strategy log 1\nstrategy exhaustive\n"
                                                     "space [0-9a-f]+\nask 1 1\ntell 1 measured 0x1.8p\\+0\n"
                                                     "tell 2. compile_failed\nasked 2 [0-9a-f]+\n"));
}

TEST(StrategyLog, RefusesWhatAnotherSearchSaved) {
  const model::Space space = strategies::small_space();
  EXPECT_EQ(message_of(saved(), space, seeded(1)), "restored");
  EXPECT_THAT(message_of(saved(), space, seeded(2)), ::testing::HasSubstr("Its options"));
  const model::Space other({model::one_to("a", 6), model::one_to("b", 6), model::one_to("c", 5)}, {});
  EXPECT_THAT(message_of(saved(), other, seeded(1)), ::testing::HasSubstr("another space"));
}

TEST(StrategyLog, RefusesADamagedTextWithTheLine) {
  const model::Space space = strategies::small_space();
  const std::string text = saved();
  for (std::size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_NE(message_of(text.substr(0, length), space, seeded(1)), "restored") << length;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t place = changed.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return message_of(changed.replace(place, from.size(), to), space, seeded(1));
  };
  EXPECT_THAT(with("log 1", "log 2"), ::testing::HasSubstr("line 1 of a saved search: expected 'warptune"));
  EXPECT_THAT(with("strategy random", "strategy randon"), ::testing::HasSubstr("did you mean random"));
  EXPECT_THAT(with("ask 2", "ask x"), ::testing::HasSubstr("line 4 of a saved search: expected a count"));
  EXPECT_THAT(with("ask 2", "ask 99999999999"), ::testing::HasSubstr("expected a count"));
  EXPECT_THAT(with("tell 0", "tell 7"),
              ::testing::HasSubstr("not one of the 2 configurations asked for so far"));
  EXPECT_THAT(with("tell 0.0.0.", "tell 0.x.0."), ::testing::HasSubstr("expected value indices"));
  EXPECT_THAT(with("compile_failed", "compiled"), ::testing::HasSubstr("unknown status"));
  EXPECT_THAT(with("compile_failed", "measured"), ::testing::HasSubstr("WHICH STATUS"));
  EXPECT_THAT(with("compile_failed", "measured 1.x"), ::testing::HasSubstr("expected a number"));
  EXPECT_THAT(with("ask 1 1", "ask 1"), ::testing::HasSubstr("does not ask for what it asked for"));
  EXPECT_THAT(with("tell", "told"), ::testing::HasSubstr("expected ask, tell or asked"));
}

TEST(StrategyLog, TakesObservationsOfOneParameterForNoNumberOfAnAsk) {
  const model::Space space({model::one_to("a", 30)}, {});
  StrategyLog log("random", space, seeded(3));
  const std::vector<model::Configuration> asked = log.ask(3);
  for (std::uint32_t index = 0; index < 30; ++index)
    log.tell({{index}, model::Status::kMeasured, 1.0 + index});
  EXPECT_EQ(StrategyLog::restore(log.to_text(), space, seeded(3))->to_text(), log.to_text());
  EXPECT_TRUE(log.pending().empty());
}

TEST(StrategyLogTest, KnowsWhatItWasToldAskedForOrNot) {
  const model::Space space = strategies::small_space();
  StrategyLog log("random", space, {});
  const std::vector<model::Configuration> asked = log.ask(3);
  const model::Configuration unasked = [&] {
    std::uint64_t index = 0;
    while (std::find(asked.begin(), asked.end(), space.at(index)) != asked.end()) ++index;
    return space.at(index);
  }();
  EXPECT_EQ(log.asked(), 3U);
  EXPECT_EQ(log.told(), 0U);
  log.tell(strategies::bowl(asked[1]));
  log.tell(strategies::bowl(unasked));
  log.tell(strategies::bowl(unasked));
  EXPECT_EQ(log.told(), 2U);
  EXPECT_TRUE(log.was_told(asked[1]));
  EXPECT_TRUE(log.was_told(unasked));
  EXPECT_FALSE(log.was_told(asked[0]));
  EXPECT_FALSE(log.expected_gain(10).has_value());
}

}  // namespace
}  // namespace warptune::search
