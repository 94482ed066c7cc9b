#include "tuner/covers/size_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "model/expression.h"
#include "tests/tuner/covers/toy_shape.h"

namespace warptune::tuner::covers {
namespace {

using ::testing::IsEmpty;

Size wide_size(base::Random& random) {
  return {static_cast<std::int64_t>(16 + random.below(2000)),
          static_cast<std::int64_t>(256 + random.below(60000))};
}

std::vector<TimedSize> timed_sizes(std::int64_t tile, std::size_t count, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<TimedSize> timed;
  for (std::size_t i = 0; i < count; ++i) {
    const Size size = wide_size(random);
    timed.push_back({size, toy_time_us(tile, size), 0.0});
  }
  return timed;
}

TEST(SizeCostsTest, TimesAtOtherSizesArePredicted) {
  const auto shape = toy_shape();
  const CostForm form{{{0, 4}}};
  for (const std::int64_t width : {16, 64, 256}) {
    const std::optional<CostFit> fit = fit_cost(*shape, form, tile(width), timed_sizes(width, 60, 1));
    ASSERT_TRUE(fit);
    EXPECT_LT(fit->error, 1e-3);
    for (const TimedSize& other : timed_sizes(width, 40, 2))
      EXPECT_NEAR(cost_at(*shape, form, tile(width), fit->cost, other.size).value() / other.time_us, 1.0,
                  0.05)
          << width;
  }
}

TEST(SizeCostsTest, AMisalignmentIsFoundIfItMatters) {
  const auto shape = toy_shape();
  const CostForm form =
      choose_form(*shape, {tile(64), tile(256)}, {timed_sizes(64, 60, 1), timed_sizes(256, 60, 2)});
  ASSERT_FALSE(form.misalignments.empty());
  EXPECT_EQ(form.misalignments.front(), (Misalignment{0, 4}));
  std::vector<TimedSize> aligned = timed_sizes(64, 60, 1);
  std::erase_if(aligned, [](const TimedSize& one) { return one.size[0] % 4 != 0; });
  EXPECT_THAT(choose_form(*shape, {tile(64)}, {aligned}).misalignments, IsEmpty());
}

// An author gets the text, and `query` the number.
TEST(SizeCostsTest, TheTextIsTheSameFormula) {
  const auto shape = toy_shape();
  const CostForm form{{{0, 4}, {1, 16}}};
  const SizeCost cost{2, {1.5, 2.0, 0.25, 3.0, 4e-5, 0.5, 1e-7, 7.0, 0.125, 0.375, 0.0, 1e-3, 2e-3}};
  const model::Expression text = model::Expression::parse(cost_text(*shape, form, tile(64), cost));
  base::Random random(3);
  for (int i = 0; i < 50; ++i) {
    const Size size = wide_size(random);
    const model::NamedValues values = {
        {"M", size[0]}, {"N", size[1]}, {"device_sm_count", std::int64_t{model::fictional_gpu().sm_count}}};
    const std::optional<double> said = model::to_number(text.evaluate(values).value());
    ASSERT_TRUE(said);
    EXPECT_NEAR(*said / cost_at(*shape, form, tile(64), cost, size).value(), 1.0, 1e-9) << text.text();
  }
}

TEST(SizeCostsTest, WithoutTimesOrAGridThereIsNoCost) {
  EXPECT_FALSE(fit_cost(*toy_shape(), {}, tile(64), {}));
  kernel_templates::KernelDefinition definition = toy_definition();
  definition.launch.grid.clear();
  const LaunchShape shape(definition, parse_range("M=16..4096, N=16..65536", "here"), {},
                          model::fictional_gpu());
  EXPECT_FALSE(fit_cost(shape, {}, tile(64), timed_sizes(64, 9, 1)));
}

}  // namespace
}  // namespace warptune::tuner::covers
