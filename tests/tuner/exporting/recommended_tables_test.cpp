#include "tuner/exporting/recommended_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tests/tuner/session_data.h"
#include "tests/tuner/stored_winners.h"

namespace warptune::tuner::exporting {
namespace {

using covers::Comparison;
using covers::DecisionLine;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::size_t kConfigurations = 8;

model::NamedValues values_of(std::int64_t a) {
  return {{"A", a}, {"LOAD", std::string(a % 2 == 0 ? "tma" : "ldg")}, {"FAST", a > 4}};
}

// A definition with two sizes and a type, into which `tables` are pasted. Its default is A = 1.
std::filesystem::path write_kernel(const testing::TemporaryFolder& folder, const std::string& name,
                                   const std::string& tables) {
  const std::filesystem::path path = folder / name;
  std::ofstream(path) << R"cu(/* warptune
[kernel]
name = "sized"
entry = "sized"
[problem]
M = 64
N = 64
dtype = "f32"
[problem_values]
dtype = ["f32", "f16"]
[parameters]
A = { range = [1, 8] }
LOAD = ["ldg", "tma"]
FAST = [false, true]
[default]
A = 1
LOAD = "ldg"
FAST = false
)cu" << tables << R"cu([launch]
grid = ["ceil_div(M, 32)"]
block = ["32"]
[[argument]]
name = "x"
kind = "inout"
type = "dtype"
count = "M"
init = { kind = "constant", value = 1.0 }
*/
extern "C" __global__ void sized(dtype* x) {
    x[blockIdx.x * 32 + threadIdx.x] *= dtype(2);
  }
)cu";
  return path;
}

covers::StoredCover stored_cover() {
  covers::StoredCover stored;
  stored.range = covers::parse_range("M=64..8192 log2, N=1..5000", "here");
  stored.workload = {"sized",
                     "hash",
                     {{"M", std::int64_t{64}}, {"N", std::int64_t{64}}, {"dtype", std::string("f16")}},
                     model::fictional_gpu(),
                     model::CacheState::kCold};
  for (std::size_t a = 1; a <= kConfigurations; ++a)
    stored.table.add_configuration(values_of(static_cast<std::int64_t>(a)));
  return stored;
}

// A list with a line of each kind of condition, also with bounds such as 0.3.
covers::SizeCover list_of_all_kinds() {
  covers::SizeCover cover;
  for (std::size_t c = 0; c < kConfigurations; ++c) cover.configurations.push_back(c);
  cover.list.names = {"M", "N"};
  const covers::SizeFeature m{{0}, {}}, n{{1}, {}}, product{{0, 1}, {}}, ratio{{0}, {1}};
  cover.list.lines = {
      DecisionLine{{{product, Comparison::kAtMost, 20000}, {m, Comparison::kMultiple, 4}}, 1, 1},
      DecisionLine{{{ratio, Comparison::kAtMost, 0.3}}, 2, 1},
      DecisionLine{{{ratio, Comparison::kAbove, 1.0}, {n, Comparison::kNoMultiple, 16}}, 3, 1},
      DecisionLine{{{m, Comparison::kAbove, 4096}}, 4, 1},
      DecisionLine{{{product, Comparison::kAbove, 1.5e6}, {n, Comparison::kAtMost, 2500.5}}, 5, 1},
      DecisionLine{{{ratio, Comparison::kAbove, 1.0 / 7.0}, {m, Comparison::kMultiple, 8}}, 6, 1},
      DecisionLine{{}, 7, 1}};
  return cover;
}

class RecommendedTablesTest : public ::testing::Test {
 protected:
  model::NamedValues recommended(const kernel_templates::KernelDefinition& definition,
                                 const covers::Size& size, const std::string& type = "f16") const {
    return kernel_templates::KernelInstance(definition, {{"M", size[0]}, {"N", size[1]}, {"dtype", type}},
                                            model::fictional_gpu())
        .recommended_configuration();
  }
  kernel_templates::KernelDefinition pasted(const std::string& tables) {
    return kernel_templates::load_kernel_definition(write_kernel(folder_, "pasted.cu", tables));
  }

  testing::TemporaryFolder folder_;
};

TEST_F(RecommendedTablesTest, PastedIntoTheDefinitionTheyRecommendWhatTheListAnswers) {
  const covers::StoredCover stored = stored_cover();
  const covers::SizeCover cover = list_of_all_kinds();
  const auto definition = pasted(recommended_tables(stored, cover));
  ASSERT_THAT(definition.recommendations, SizeIs(cover.list.lines.size()));
  std::vector<covers::Size> sizes = {{300, 1000}, {3000, 3000}, {64, 448},
                                     {72, 504},   {4096, 2500}, {4097, 1}};
  base::Random random(7);
  for (int i = 0; i < 200; ++i)
    sizes.push_back({64 + static_cast<std::int64_t>(random.below(8129)),
                     1 + static_cast<std::int64_t>(random.below(i % 2 == 0 ? 5000 : 300))});
  std::set<std::size_t> lines;
  for (const covers::Size& size : sizes) {
    EXPECT_EQ(recommended(definition, size), stored.table.configurations[cover.answer(size)])
        << size[0] << " x " << size[1];
    lines.insert(cover.list.line_for(size));
  }
  EXPECT_THAT(lines, SizeIs(cover.list.lines.size())) << "each line answers a size";
}

TEST_F(RecommendedTablesTest, PastedCostsRecommendWhatTheCoverAnswers) {
  covers::StoredCover stored = stored_cover();
  covers::SizeCover cover;
  cover.configurations = {1, 4, 6, 7};
  cover.costs.emplace();
  cover.costs->shape = std::make_shared<covers::LaunchShape>(pasted(""), stored.range,
                                                             stored.workload.problem, stored.workload.gpu);
  cover.costs->form.misalignments = {{1, 4}};
  for (const std::size_t c : cover.configurations)
    cover.costs->configurations.push_back(stored.table.configurations[c]);
  cover.costs->costs = {covers::SizeCost{1, {2.0, 0.5, 0.03, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}},
                        covers::SizeCost{2, {9.5, 0.0, 0.0, 0.25, 0.02, 0.001, 1e-6, 4.0, 0.0, 0.01}},
                        std::nullopt,
                        covers::SizeCost{8, {11.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2e-5, 0.0, 0.002, 0.0}}};
  const auto definition = pasted(recommended_tables(stored, cover));
  ASSERT_THAT(definition.recommendations, SizeIs(3)) << "one has no cost";
  std::set<std::size_t> answers;
  base::Random random(7);
  for (int i = 0; i < 300; ++i) {
    const covers::Size size = {64 + static_cast<std::int64_t>(random.below(i % 2 == 0 ? 8129 : 300)),
                               1 + static_cast<std::int64_t>(random.below(i % 3 == 0 ? 5000 : 300))};
    const std::size_t answer = cover.answer(size);
    answers.insert(answer);
    EXPECT_EQ(recommended(definition, size), stored.table.configurations[answer])
        << size[0] << " x " << size[1];
  }
  EXPECT_THAT(answers, ::testing::ElementsAre(1, 4, 7)) << "each of them answers a size";
}

TEST_F(RecommendedTablesTest, OutsideOfTheRangeAndForOtherTypesNothingIsRecommended) {
  const auto definition = pasted(recommended_tables(stored_cover(), list_of_all_kinds()));
  EXPECT_FALSE(recommended(definition, {64, 64}).empty());
  for (const covers::Size& size : {covers::Size{63, 64}, {8193, 64}, {64, 5001}})
    EXPECT_TRUE(recommended(definition, size).empty()) << size[0] << " x " << size[1];
  EXPECT_TRUE(recommended(definition, {64, 64}, "f32").empty());
}

TEST_F(RecommendedTablesTest, ADerivedListIsRecommendedAsItIs) {
  covers::StoredCover stored = stored_cover();
  for (const std::int64_t m : {64, 128, 256, 512, 1024, 4096, 8192}) {
    for (const std::int64_t n : {2, 50, 700, 4999}) {
      std::vector<covers::CoverRow> rows;
      for (std::int64_t a = 1; a <= 8; ++a) {
        const double work = static_cast<double>(m * n);
        rows.push_back({testing::measured(
            values_of(a), 100.0 + std::abs(std::log2(work) - 2.5 * static_cast<double>(a)) * 10.0)});
      }
      stored.table.add({m, n}, n == 50 ? 3.0 : 1.0, n == 700, rows);
    }
  }
  const std::optional<covers::SizeCover> cover = covers::derive_cover(stored);
  ASSERT_TRUE(cover);
  ASSERT_GE(cover->list.lines.size(), 3U);
  const std::string text = recommended_tables(stored, *cover);
  const auto definition = pasted(text);
  base::Random random(3);
  for (int i = 0; i < 200; ++i) {
    const covers::Size size = {64 + static_cast<std::int64_t>(random.below(8129)),
                               1 + static_cast<std::int64_t>(random.below(5000))};
    EXPECT_EQ(recommended(definition, size), stored.table.configurations[cover->answer(size)]);
  }
  EXPECT_THAT(
      text, AllOf(HasSubstr("for M=64..8192 log2, N=1..5000, found by `warptune cover`.\n"),
                  HasSubstr("# The sizes had weights from 1 to 3."), HasSubstr("# Measured on fictional GPU"),
                  HasSubstr(" from a cold L2 cache. "), HasSubstr("device_compute_capability == 90"),
                  HasSubstr("held-back sizes are within"), Not(HasSubstr("Reproducible"))));
}

TEST_F(RecommendedTablesTest, TheCommentsSayHowManySizesAreAnsweredAndWhatIsKnownOfOutputs) {
  covers::StoredCover stored = stored_cover();
  stored.table.demanded = model::outputs::Reproducibility::parse("bits");
  using covers::OutputsKnown;
  for (const std::int64_t m : {64, 128, 256})
    stored.table.add({m, 64}, 1.0, false,
                     {{testing::measured(values_of(1), 20.0), OutputsKnown::kMet},
                      {testing::measured(values_of(2), 10.0), OutputsKnown::kMet}});
  stored.table.add({512, 64}, 1.0, false, {{testing::measured(values_of(3), 10.0), OutputsKnown::kMet}});
  // At another size, 3 gives other bits. So it answers nowhere, and nothing answers at 512.
  stored.table.add({128, 64}, 1.0, false, {{testing::measured(values_of(3), 5.0), OutputsKnown::kUnmet}});
  const std::optional<covers::SizeCover> cover = covers::derive_cover(stored);
  ASSERT_TRUE(cover);
  EXPECT_EQ(cover->answered, 3U);
  const std::string text = recommended_tables(stored, *cover);
  EXPECT_THAT(text,
              AllOf(HasSubstr("at 3 of 4 measured sizes (the cover answers none of the others)"),
                    HasSubstr("# Reproducible (bits): each configuration gives the bits of the default "),
                    HasSubstr("# Against the best of all, whatever their outputs: mean loss 33.3 %, "
                              "worst 100.0 %.\n")));
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
    EXPECT_THAT(text.substr(begin, 1), ::testing::AnyOf("#", "[", "w", "A", "L", "F"))
        << "each line of a comment begins with #";
  EXPECT_THAT(pasted(text).recommendations, SizeIs(cover->list.lines.size()));
}

// A demand is printed as its user wrote it, so a comment may have a word that is longer than a line.
TEST_F(RecommendedTablesTest, ADemandMayBeLongerThanALine) {
  const std::string demand = "relative=0." + std::string(150, '0') + "1";
  covers::StoredCover stored = stored_cover();
  stored.table.demanded = model::outputs::Reproducibility::parse(demand);
  for (const std::int64_t m : {64, 128})
    stored.table.add({m, 64}, 1.0, false,
                     {{testing::measured(values_of(1), 20.0), covers::OutputsKnown::kMet}});
  const std::optional<covers::SizeCover> cover = covers::derive_cover(stored);
  ASSERT_TRUE(cover);
  const std::string text = recommended_tables(stored, *cover);
  EXPECT_THAT(text, HasSubstr(demand));
  EXPECT_THAT(pasted(text).recommendations, SizeIs(cover->list.lines.size()));
}

class RecommendedExportTest : public ::testing::Test {
 protected:
  RecommendedExportTest()
      : definition_(kernel_templates::load_kernel_definition(write_kernel(folder_, "k.cu", ""))) {}

  void store(std::int64_t m, const std::string& type, const model::GpuDescription& gpu,
             const std::string& note, std::int64_t fastest) {
    const kernel_templates::KernelInstance instance(
        definition_, {{"M", m}, {"N", std::int64_t{64}}, {"dtype", type}}, gpu);
    db::Session session;
    session.workload = knowledge::workload_of(instance, model::CacheState::kCold);
    session.budget = "24, " + note;
    const std::int64_t id = store_.begin_session(session);
    for (std::int64_t a = 1; a <= 8; ++a)
      store_.add_measurement(id, testing::measured(values_of(a), a == fastest ? 10.0 : 20.0));
  }
  std::vector<covers::DerivedCover> selected(const CoverSelection& selection = {}) const {
    return selected_covers(store_, definition_, "k.cu", selection);
  }

  testing::TemporaryFolder folder_;
  kernel_templates::KernelDefinition definition_;
  db::Store store_{folder_ / "a.db"};
  const std::string note_ = "cover 5%: M=64..1024";
};

TEST_F(RecommendedExportTest, EachTypeHasItsNewestCoverOfTheNewestGpu) {
  const model::GpuDescription small = testing::named_gpu("NVIDIA Small", 40);
  store(64, "f32", testing::named_gpu("NVIDIA Big", 132), note_, 2);
  store(64, "f16", small, note_, 3);
  store(64, "f32", small, "cover 3%: M=64..2048", 4);
  store(128, "f32", small, note_, 5);
  const std::vector<covers::DerivedCover> found = selected();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].stored.limits.loss_share, 0.05) << "the newest of f32";
  EXPECT_EQ(found[1].stored.workload.problem.back().second, model::Value(std::string("f16")));
  const std::vector<covers::DerivedCover> big = selected({model::CacheState::kCold, "big"});
  ASSERT_THAT(big, SizeIs(1));
  EXPECT_EQ(big[0].stored.workload.gpu.name, "NVIDIA Big");
  const std::string text = recommended_format().write({{{}, definition_, found}});
  EXPECT_THAT(text, AllOf(HasSubstr("when = \"N == 64 && dtype == 'f32' && M >= 64 && M <= 1024"),
                          HasSubstr("when = \"N == 64 && dtype == 'f16' && M >= 64 && M <= 1024"),
                          HasSubstr("A = 3\nLOAD = \"ldg\"\nFAST = false\n"),
                          HasSubstr("That is too few: `warptune query` does not use this cover.")));
}

TEST_F(RecommendedExportTest, WithoutACoverOrADefaultTheErrorSaysWhatToDo) {
  const auto message_of = [&](const CoverSelection& selection) -> std::string {
    try {
      selected(selection);
    } catch (const base::Error& error) {
      return error.message();
    }
    return "";
  };
  EXPECT_EQ(message_of({}),
            "no cover of sized from a cold L2 cache is known; run `warptune cover k.cu --sizes RANGE`");
  store(64, "f32", model::fictional_gpu(), note_, 2);
  EXPECT_EQ(
      message_of({model::CacheState::kCold, {}, model::outputs::Reproducibility::parse("bits")}),
      "no cover of sized from a cold L2 cache that gives the bits of the default in each launch is known; "
      "run `warptune cover k.cu --sizes RANGE --reproducible=bits`");
  definition_.default_configuration.clear();
  EXPECT_THAT(message_of({}), HasSubstr("it has no [default]"));
}

}  // namespace
}  // namespace warptune::tuner::exporting
