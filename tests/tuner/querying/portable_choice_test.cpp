// `query --portable`: the configuration that loses least on several GPUs.
#include "tuner/querying/portable_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/library.h"
#include "tests/tuner/session_data.h"
#include "tests/tuner/stored_winners.h"
#include "tuner/knowledge/workload.h"
#include "tuner/querying/portable_places.h"

namespace warptune::tuner::querying {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;

model::NamedValues portable_values(std::int64_t a) { return {{"A", a}, {"B", false}}; }

class PortableChoiceTest : public ::testing::Test {
 protected:
  PortableChoiceTest()
      : definition_(kernel_templates::load_kernel_definition(testing::write_toy_kernel(folder_))) {}

  // Stores rows of the toy kernel on a GPU. The default is A = 1.
  void store_rows(const model::GpuDescription& gpu, const std::vector<model::Measurement>& rows,
                  std::int64_t n = 1024) {
    db::Session session;
    session.workload = knowledge::workload_of({definition_, {{"N", n}}, gpu}, model::CacheState::kCold);
    const std::int64_t id = store_.begin_session(session);
    for (const model::Measurement& row : rows) store_.add_measurement(id, row);
  }

  // The times of A = 1, 2, ...
  void store_times(const model::GpuDescription& gpu, const std::vector<double>& times_ns,
                   std::int64_t n = 1024) {
    std::vector<model::Measurement> rows;
    rows.reserve(times_ns.size());
    for (std::size_t i = 0; i < times_ns.size(); ++i)
      rows.push_back(testing::measured(portable_values(static_cast<std::int64_t>(i) + 1), times_ns[i]));
    store_rows(gpu, rows, n);
  }

  std::vector<PortablePlace> places_of(const std::vector<model::GpuDescription>& gpus,
                                       bool strict = false) const {
    return portable_places(definition_, {{"N", std::int64_t{1024}}}, gpus,
                           store_.winners("toy", definition_.hash), model::CacheState::kCold, strict);
  }

  std::optional<PortableChoice> choose(const std::vector<model::GpuDescription>& gpus,
                                       LossOver over = LossOver::kWorst,
                                       const model::Objective& objective = model::Objective()) const {
    return choose_portable(places_of(gpus), objective, over,
                           [this](const db::Winner&) -> const db::Store& { return store_; });
  }

  testing::TemporaryFolder folder_;
  kernel_templates::KernelDefinition definition_;
  db::Store store_{folder_ / "a.db"};
  const model::GpuDescription big_ = testing::named_gpu("NVIDIA Big", 132);
  const model::GpuDescription small_ = testing::named_gpu("NVIDIA Small", 40);
};

TEST_F(PortableChoiceTest, TheWorstLossAndTheMeanLossChooseDifferently) {
  store_times(big_, {100, 200, 120, 102});    // Losses: 0, 100, 20 and 2 %.
  store_times(small_, {140, 100, 115, 130});  // Losses: 40, 0, 15 and 30 %.
  const std::optional<PortableChoice> worst = choose({big_, small_});
  ASSERT_TRUE(worst.has_value());
  EXPECT_EQ(worst->configuration, portable_values(3));
  ASSERT_EQ(worst->losses.size(), 2U);
  EXPECT_EQ(worst->losses[0].basis, LossBasis::kMeasured);
  EXPECT_THAT(*worst->losses[0].loss, DoubleNear(0.20, 1e-9));
  EXPECT_THAT(*worst->losses[1].loss, DoubleNear(0.15, 1e-9));
  EXPECT_TRUE(summarise(worst->losses).is_exact);
  EXPECT_THAT(summarise(worst->losses).mean, DoubleNear(0.175, 1e-9));
  EXPECT_EQ(worst->best[1]->configuration, portable_values(2));
  EXPECT_EQ(worst->best[1]->value, 100.0);
  EXPECT_EQ(worst->shared, 4U);
  EXPECT_EQ(worst->measured, 4U);
  EXPECT_EQ(choose({big_, small_}, LossOver::kMean)->configuration, portable_values(4)) << "2 and 30 %: 16 %";
}

TEST_F(PortableChoiceTest, RivalsAreTheDefaultAndTheBestOfEachGpu) {
  store_times(big_, {100, 200, 120});
  store_times(small_, {140, 100, 115});
  const std::optional<PortableChoice> choice = choose({big_, small_});
  ASSERT_EQ(choice->rivals.size(), 2U) << "the default is the best of the first";
  EXPECT_EQ(choice->rivals[0].name, "the best of NVIDIA Big, the default");
  EXPECT_THAT(summarise(choice->rivals[0].losses).worst, DoubleNear(0.4, 1e-9));
  EXPECT_EQ(choice->rivals[1].name, "the best of NVIDIA Small");
  EXPECT_THAT(summarise(choice->rivals[1].losses).worst, DoubleNear(1.0, 1e-9));
}

TEST_F(PortableChoiceTest, AnUnknownLossWinsOnlyIfNothingBetterIsKnown) {
  store_times(big_, {150, 100, 100});
  store_rows(small_,
             {testing::measured(portable_values(1), 300.0), testing::measured(portable_values(4), 100.0)});
  const std::optional<PortableChoice> known = choose({big_, small_});
  EXPECT_EQ(known->configuration, portable_values(1)) << "it is the only one that both have measured";
  EXPECT_EQ(known->shared, 1U);
  EXPECT_EQ(known->measured, 4U);
  const model::GpuDescription third = testing::named_gpu("NVIDIA Third", 80);
  store_rows(third, {testing::measured(portable_values(2), 100.0)});
  const std::optional<PortableChoice> bound = choose({big_, third, testing::named_gpu("NVIDIA Unseen", 20)});
  EXPECT_EQ(bound->configuration, portable_values(2));
  EXPECT_EQ(bound->losses[2].basis, LossBasis::kUnknown);
  EXPECT_FALSE(bound->losses[2].loss.has_value());
  EXPECT_FALSE(bound->best[2].has_value());
  const LossSummary summary = summarise(bound->losses);
  EXPECT_FALSE(summary.is_exact);
  EXPECT_EQ(summary.unknown, 1U);
}

TEST_F(PortableChoiceTest, ADroppedRowIsALowerBound) {
  store_times(big_, {150, 100, 101});
  store_rows(small_,
             {testing::dropped(portable_values(2), 200.0), testing::measured(portable_values(4), 100.0)});
  const std::optional<PortableChoice> choice = choose({big_, small_});
  EXPECT_EQ(choice->configuration, portable_values(4))
      << "a loss of 0 % and an unknown one, before 0 and 80 %";
  store_rows(big_, {testing::dropped(portable_values(4), 1000.0)});
  EXPECT_EQ(choose({big_, small_})->configuration, portable_values(3)) << "1 % and an unknown loss";
  store_rows(small_,
             {testing::dropped(portable_values(1), 120.0), testing::dropped(portable_values(3), 300.0)});
  const std::optional<PortableChoice> last = choose({big_, small_});
  EXPECT_EQ(last->configuration, portable_values(1)) << "50 and at least 8 %";
  EXPECT_EQ(last->losses[1].basis, LossBasis::kDropped);
  EXPECT_THAT(*last->losses[1].loss, DoubleNear(0.08, 1e-9));
}

TEST_F(PortableChoiceTest, WhatFailedOnOneGpuIsPassedOver) {
  store_times(big_, {150, 100});
  store_rows(small_, {testing::failed(portable_values(2), model::Status::kWrongResult, "element 3 is wrong"),
                      testing::failed(portable_values(1), model::Status::kLaunchFailed, "no")});
  EXPECT_EQ(choose({big_, small_})->configuration, portable_values(2))
      << "a GPU on which nothing has a time counts as one without rows";
  store_rows(small_, {testing::measured(portable_values(4), 100.0)});
  const std::optional<PortableChoice> choice = choose({big_, small_});
  EXPECT_EQ(choice->configuration, portable_values(4));
  EXPECT_EQ(choice->passed_over, 1U) << "A = 2; A = 1 ranks behind the choice";
  EXPECT_EQ(choice->passed_over_reason, "failed on NVIDIA Small: element 3 is wrong");
}

TEST_F(PortableChoiceTest, WhatCannotRunOnOneGpuIsPassedOver) {
  model::Measurement large = testing::measured(portable_values(2), 100.0);
  large.resources.dynamic_shared_bytes = 100'000;
  store_rows(big_, {large, testing::measured(portable_values(1), 110.0)});
  model::GpuDescription old = testing::named_gpu("NVIDIA Old", 20);
  old.shared_bytes_per_block_optin = 65'536;
  const std::optional<PortableChoice> choice = choose({big_, old});
  EXPECT_EQ(choice->configuration, portable_values(1));
  EXPECT_EQ(choice->passed_over, 1U);
  EXPECT_THAT(choice->passed_over_reason, HasSubstr("cannot run on NVIDIA Old: it needs 100000 bytes"));
}

TEST_F(PortableChoiceTest, OnlyRowsOfTheWinnersSourceAreCompared) {
  model::Measurement imported = testing::measured(portable_values(2), 10.0);
  imported.source = model::RowSource::kImported;
  store_times(big_, {150});
  db::Session session;
  session.workload = knowledge::workload_of(places_of({big_}).front().instance, model::CacheState::kCold);
  session.source = model::RowSource::kImported;
  store_.add_measurement(store_.begin_session(session), imported);
  const std::optional<PortableChoice> choice = choose({big_, small_});
  EXPECT_EQ(choice->configuration, portable_values(1));
  EXPECT_EQ(choice->measured, 1U);
}

TEST_F(PortableChoiceTest, AnObjectiveIsComparedInsteadOfTheTime) {
  model::Measurement fast = testing::measured(portable_values(1), 100.0);
  fast.resources.registers_per_thread = 64;
  model::Measurement lean = testing::measured(portable_values(2), 200.0);
  lean.resources.registers_per_thread = 32;
  store_rows(big_, {fast, lean});
  store_rows(small_, {fast, lean});
  EXPECT_EQ(choose({big_, small_})->configuration, portable_values(1));
  const std::optional<PortableChoice> choice =
      choose({big_, small_}, LossOver::kWorst, model::Objective::parse("registers"));
  EXPECT_EQ(choice->configuration, portable_values(2));
  EXPECT_EQ(choice->best[0]->value, 32.0);
}

TEST_F(PortableChoiceTest, TheNearestProblemOfEachGpuCountsUnlessItMustBeTheSame) {
  store_times(big_, {100, 120});
  store_times(small_, {100, 50}, 2048);
  store_times(small_, {10, 500}, 65536);
  const std::vector<PortablePlace> places = places_of({big_, small_});
  EXPECT_EQ(places[1].distance, 1.0);
  EXPECT_EQ(model::to_text(places[1].winner->workload.problem), "N=2048");
  EXPECT_FALSE(places_of({big_, small_}, true)[1].winner.has_value());
  EXPECT_EQ(choose({big_, small_})->configuration, portable_values(2));
}

// All choices of the worst loss, compared with trying each configuration on each GPU.
TEST_F(PortableChoiceTest, IsTheBestOfAllByExhaustiveComparison) {
  definition_ = kernel_templates::load_kernel_definition(testing::write_toy_kernel(folder_, 40));
  std::vector<model::GpuDescription> gpus;
  std::vector<std::vector<double>> times(3);
  unsigned state = 7;
  for (int g = 0; g < 3; ++g) {
    for (int i = 0; i < 40; ++i) {
      state = state * 1664525U + 1013904223U;
      times[static_cast<std::size_t>(g)].push_back(100.0 + state % 1000);
    }
    gpus.push_back(testing::named_gpu("NVIDIA " + std::to_string(g), 10 + g));
    store_times(gpus.back(), times[static_cast<std::size_t>(g)]);
  }
  std::map<double, std::int64_t> by_worst;
  std::map<double, std::int64_t> by_sum;
  for (std::size_t i = 0; i < 40; ++i) {
    double worst = 0.0;
    double sum = 0.0;
    for (const std::vector<double>& of_gpu : times) {
      const double loss = of_gpu[i] / *std::min_element(of_gpu.begin(), of_gpu.end()) - 1.0;
      worst = std::max(worst, loss);
      sum += loss;
    }
    by_worst.emplace(worst, static_cast<std::int64_t>(i) + 1);
    by_sum.emplace(sum, static_cast<std::int64_t>(i) + 1);
  }
  EXPECT_EQ(choose(gpus)->configuration, portable_values(by_worst.begin()->second));
  EXPECT_EQ(choose(gpus, LossOver::kMean)->configuration, portable_values(by_sum.begin()->second));
}

}  // namespace
}  // namespace warptune::tuner::querying
