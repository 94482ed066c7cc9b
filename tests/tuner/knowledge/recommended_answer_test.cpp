// When the answer to a question is what the definition recommends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "kernel_templates/library.h"
#include "tests/kernel_templates/library_cases.h"
#include "tests/tuner/session_data.h"
#include "tuner/covers/size_range.h"
#include "tuner/knowledge/known_answer.h"
#include "tuner/knowledge/known_winners.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::knowledge {
namespace {

using ::testing::HasSubstr;

model::NamedValues values_of(std::int64_t a, bool b) { return {{"A", a}, {"B", b}}; }

// A kernel that recommends A=2 for N up to 1000, A=3 up to 8000, and otherwise nothing. Its default is A=1.
class RecommendedAnswerTest : public ::testing::Test {
 protected:
  explicit RecommendedAnswerTest(const std::string& recommendations =
                                     "[[recommended]]\nwhen = \"N <= 1000\"\n[recommended.values]\nA = 2\n"
                                     "[[recommended]]\nwhen = \"N <= 8000\"\n[recommended.values]\nA = 3\n") {
    std::string text = base::read_file(testing::write_toy_kernel(folder_));
    text.insert(text.find("[launch]"), recommendations);
    std::ofstream(folder_ / "toy.cu") << text;
    definition_.emplace(kernel_templates::load_kernel_definition(folder_ / "toy.cu"));
  }

  kernel_templates::KernelInstance instance_for(std::int64_t n) const {
    return {*definition_, {{"N", n}}, model::fictional_gpu()};
  }

  void store_winner(std::int64_t n, const model::NamedValues& configuration) {
    store(n, {testing::measured(configuration, 500.0)});
  }

  void store(std::int64_t n, const std::vector<model::Measurement>& rows) {
    db::Session session;
    session.workload = workload_of(instance_for(n), model::CacheState::kCold);
    const std::int64_t id = store_.begin_session(session);
    for (const model::Measurement& row : rows) store_.add_measurement(id, row);
  }

  KnownAnswer answer_for(std::int64_t n, bool strict = false, bool recommends = true) {
    return known_answer(instance_for(n), source_of(store_, *definition_, model::Objective()),
                        {"toy", model::CacheState::kCold, strict, recommends});
  }

  testing::TemporaryFolder folder_;
  std::optional<kernel_templates::KernelDefinition> definition_;
  db::Store store_{folder_ / "a.db"};
};

TEST_F(RecommendedAnswerTest, IsBetterThanTheDefault) {
  const KnownAnswer small = answer_for(1000);
  EXPECT_EQ(small.match.tier, db::MatchTier::kRecommended);
  EXPECT_EQ(small.match.configuration, values_of(2, false));
  EXPECT_EQ(small.reason,
            "what the definition recommends for this size and GPU, because nothing is stored of toy");
  EXPECT_EQ(answer_for(4000).match.configuration, values_of(3, false));
  EXPECT_EQ(answer_for(9000).match.tier, db::MatchTier::kDefault);
  EXPECT_EQ(answer_for(1000, false, false).match.tier, db::MatchTier::kDefault);
  EXPECT_THROW(answer_for(1000, true), base::WorkError);
}

TEST_F(RecommendedAnswerTest, IsBetterThanTheWinnerOfASizeForWhichAnotherIsRecommended) {
  store_winner(512, values_of(4, true));
  EXPECT_EQ(answer_for(512).match.tier, db::MatchTier::kExact);
  EXPECT_EQ(answer_for(600).match.configuration, values_of(4, true)) << "the same is recommended for both";
  EXPECT_EQ(answer_for(600).match.tier, db::MatchTier::kNearProblem);
  EXPECT_EQ(answer_for(128).match.configuration, values_of(4, true)) << "a quarter is near enough";
  const KnownAnswer far = answer_for(127);
  EXPECT_EQ(far.match.configuration, values_of(2, false));
  EXPECT_THAT(far.reason, HasSubstr("the nearest winner (N=512 on "));
  EXPECT_THAT(far.reason,
              HasSubstr(" is far away: the ratios of the sizes multiply to 4.03, which is more than 4"));
  const KnownAnswer other = answer_for(4000);
  EXPECT_EQ(other.match.tier, db::MatchTier::kRecommended);
  EXPECT_EQ(other.match.configuration, values_of(3, false));
  EXPECT_FALSE(other.match.winner);
  EXPECT_THAT(other.reason, HasSubstr("; for the nearest winner (N=512 on "));
  EXPECT_THAT(other.reason, HasSubstr("), another recommendation holds, or none"));
  EXPECT_EQ(answer_for(9000).match.configuration, values_of(4, true)) << "nothing is recommended there";
  EXPECT_EQ(answer_for(4000, false, false).match.configuration, values_of(4, true));
}

TEST_F(RecommendedAnswerTest, IsAboutTheTimeOnly) {
  store_winner(512, values_of(4, true));
  const auto instance = instance_for(4000);
  const model::Objective registers = model::Objective::parse("registers");
  const KnownAnswer known = known_answer(instance, source_of(store_, *definition_, registers),
                                         {"toy", model::CacheState::kCold, false, registers.is_time()});
  EXPECT_EQ(known.match.tier, db::MatchTier::kNearProblem);
}

// A kernel that recommends A=2 below N=1000 and A=3 from there on, by costs. So the conditions are the same.
class RefutedRecommendationTest : public RecommendedAnswerTest {
 protected:
  RefutedRecommendationTest()
      : RecommendedAnswerTest(
            "[[recommended]]\ncost = \"N\"\n[recommended.values]\nA = 2\n"
            "[[recommended]]\ncost = \"1000\"\n[recommended.values]\nA = 3\n") {}

  // The winner for N=950 takes 500 ns there. What is recommended for more takes `ns`.
  void store_beside_the_winner(double ns, model::Status status = model::Status::kMeasured) {
    model::Measurement other = testing::measured(values_of(3, false), ns);
    other.status = status;
    store(950, {testing::measured(values_of(4, true), 500.0), other});
  }
};

TEST_F(RefutedRecommendationTest, DoesNotAnswerBesideASizeAtWhichItWasMuchSlowerThanTheWinner) {
  store_beside_the_winner(760.0, model::Status::kDropped);
  const KnownAnswer near = answer_for(1040);
  EXPECT_EQ(near.match.tier, db::MatchTier::kNearProblem);
  EXPECT_EQ(near.match.configuration, values_of(4, true));
  EXPECT_EQ(near.reason,
            "the nearest winner: at its size, what the definition recommends here takes 1.52 times as long");
  EXPECT_EQ(answer_for(1050).match.tier, db::MatchTier::kRecommended) << "1.1 times the size is too far";
  EXPECT_EQ(answer_for(1040, false, false).reason, "") << "nothing was recommended";
}

TEST_F(RefutedRecommendationTest, AnswersIfItWasAlmostAsFast) {
  store_beside_the_winner(740.0);
  EXPECT_EQ(answer_for(1040).match.configuration, values_of(3, false));
}

TEST_F(RefutedRecommendationTest, AnswersIfItWasNotMeasuredThere) {
  store_winner(950, values_of(4, true));
  EXPECT_EQ(answer_for(1040).match.configuration, values_of(3, false));
}

TEST_F(RecommendedAnswerTest, IsNotJudgedByAResultOfAnotherKind) {
  store(950, {testing::measured(values_of(4, true), 500.0), testing::measured(values_of(3, false), 5000.0)});
  EXPECT_EQ(answer_for(1050).match.configuration, values_of(3, false)) << "another condition holds for N=950";
}

// What a definition recommends for the sizes in a file. Each of them can be used there.
std::set<model::NamedValues> recommended_at(const std::filesystem::path& sizes,
                                            const kernel_templates::KernelDefinition& definition,
                                            const model::GpuDescription& gpu, bool at_all_sizes) {
  std::set<model::NamedValues> chosen;
  if (!std::filesystem::is_regular_file(sizes)) return chosen;
  const covers::SizeRange range = covers::read_sizes(sizes.string());
  for (const covers::ListedSize& listed : range.listed) {
    const kernel_templates::KernelInstance instance(definition, range.values_of(listed.size), gpu);
    const model::NamedValues recommended = instance.recommended_configuration();
    const std::string asked = definition.name + " " + model::to_text(instance.problem());
    EXPECT_FALSE(recommended.empty() && at_all_sizes) << asked;
    if (recommended.empty()) continue;
    EXPECT_FALSE(why_invalid_for(instance, recommended, {})) << asked;
    chosen.insert(recommended);
  }
  return chosen;
}

// The sizes at which the recommendations of the shipped kernels are measured: on an H100 or an H200 each of
// them is recommended for one.
TEST(ShippedRecommendation, IsChosenForASizeThatWasMeasured) {
  std::size_t kernels = 0;
  for (const std::string& kernel : kernel_templates::shipped_kernels()) {
    const kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(kernel);
    if (definition.recommendations.empty()) continue;
    std::set<model::NamedValues> chosen;
    for (const std::int64_t bandwidth : {3'352'320'000'000, 4'916'736'000'000}) {
      model::GpuDescription gpu = model::fictional_gpu();
      gpu.memory_bandwidth_bytes_per_s = bandwidth;
      // A few random sizes have rows that are too long for all that is recommended.
      for (const char* folder : {"lists", "random"}) {
        chosen.merge(
            recommended_at(kernel_templates::tested_sources() / "bench/sizes" / folder / (kernel + ".txt"),
                           definition, gpu, folder == std::string("lists")));
      }
    }
    if (!chosen.empty()) ++kernels;
    for (const kernel_templates::Recommendation& one : definition.recommendations)
      EXPECT_TRUE(chosen.empty() || chosen.contains(one.values)) << kernel << ", line " << one.position.line;
  }
  EXPECT_GE(kernels, 3U);
}

// Log-uniform between the smallest and the largest value of each entry. Texts are those of a listed size.
model::NamedValues drawn_size(const std::vector<model::NamedValues>& listed, std::mt19937_64& random) {
  std::uniform_real_distribution<double> share(0.0, 1.0);
  model::NamedValues size = listed[random() % listed.size()];
  for (auto& [name, value] : size) {
    auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr) continue;
    std::int64_t low = *number, high = *number;
    for (const model::NamedValues& other : listed) {
      const model::Value* same = model::find(other, name);
      if (same == nullptr) continue;
      low = std::min(low, std::get<std::int64_t>(*same));
      high = std::max(high, std::get<std::int64_t>(*same));
    }
    const double first = std::log(static_cast<double>(low)), last = std::log(static_cast<double>(high));
    *number = std::llround(std::exp(first + share(random) * (last - first)));
  }
  return size;
}

// Where no recommendation can be used, the default answers, which is often several times slower.
TEST(ShippedRecommendation, IsThereForSizesBetweenThoseThatWereMeasured) {
  const model::GpuDescription gpu = model::fictional_gpu();
  std::mt19937_64 random(1);
  std::size_t drawn = 0;
  for (const std::string& kernel : kernel_templates::shipped_kernels()) {
    const kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(kernel);
    const std::filesystem::path file =
        kernel_templates::tested_sources() / "bench/sizes/lists" / (kernel + ".txt");
    if (definition.recommendations.empty() || !std::filesystem::is_regular_file(file)) continue;
    const covers::SizeRange range = covers::read_sizes(file.string());
    std::vector<model::NamedValues> listed;
    for (const covers::ListedSize& one : range.listed) listed.push_back(range.values_of(one.size));
    for (int i = 0; i < 60; ++i, ++drawn) {
      const kernel_templates::KernelInstance instance(definition, drawn_size(listed, random), gpu);
      EXPECT_FALSE(instance.recommended_configuration().empty())
          << kernel << " " << model::to_text(instance.problem());
    }
  }
  EXPECT_GE(drawn, 1000U);
}

}  // namespace
}  // namespace warptune::tuner::knowledge
