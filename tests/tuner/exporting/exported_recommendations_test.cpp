// What an exported header answers where the definition recommends something, compared with `query`.
#include "tuner/exporting/exported_recommendations.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "db/exported_names.h"
#include "db/store.h"
#include "kernel_templates/library.h"
#include "model/expression.h"
#include "tests/kernel_templates/library_cases.h"
#include "tests/tuner/exporting/recorded_export.h"
#include "tests/tuner/program.h"
#include "tests/tuner/stored_winners.h"
#include "tuner/knowledge/known_answer.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::exporting {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Sizes = std::vector<std::pair<std::string, std::int64_t>>;

model::GpuDescription gpu_of(const std::string& architecture) {
  const std::vector<model::GpuDescription> gpus = kernel_templates::tested_gpus();
  return *std::ranges::find(gpus, architecture, &model::GpuDescription::architecture);
}

std::string device_literal(const model::GpuDescription& gpu) {
  return fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}",
                     gpu.compute_major * 10 + gpu.compute_minor, gpu.sm_count, gpu.l2_bytes,
                     gpu.memory_bandwidth_bytes_per_s, gpu.max_clock_khz, gpu.ecc ? 1 : 0, gpu.mig ? 1 : 0,
                     gpu.max_threads_per_block, gpu.max_threads_per_sm, gpu.registers_per_sm,
                     gpu.shared_bytes_per_block_optin, gpu.shared_bytes_per_sm);
}

// sgemm with costs instead of most conditions. The costs divide by zero for some K, many of them are equal,
// and one in eight recommendations has none, which separates groups.
kernel_templates::KernelDefinition priced_sgemm() {
  kernel_templates::KernelDefinition definition = kernel_templates::load_kernel("sgemm");
  base::Random random(3);
  for (std::size_t i = 0; i < definition.recommendations.size(); ++i) {
    if (i % 8 == 5) continue;
    kernel_templates::Recommendation& one = definition.recommendations[i];
    if (i % 4 != 0) one.when = model::Expression::parse("true");
    const std::uint64_t tile = std::uint64_t{16} << random.below(4);
    const std::string blocks = fmt::format("ceil_div(M, {0}) * ceil_div(N, {0})", tile);
    const std::string cost =
        fmt::format("{0} + ceil_div({1}, device_sm_count) * ({2}.5 + 0.01 * K) / (K - {3})", random.below(5),
                    blocks, tile / 8, 1 << random.below(6));
    one.cost = model::Expression::parse(i % 3 == 0 ? fmt::format("K > 8 ? {} : 3", cost) : cost);
  }
  return definition;
}

model::NamedValues values_of(const Sizes& sizes) { return {sizes.begin(), sizes.end()}; }

// A kernel with the default as the winner of some sizes on an H100, as rows of a database and as a header.
class ExportedRecommendations : public ::testing::Test {
 protected:
  void make(const std::string& kernel, const std::vector<Sizes>& measured) {
    make(kernel_templates::load_kernel(kernel), measured);
  }
  void make(kernel_templates::KernelDefinition definition, const std::vector<Sizes>& measured) {
    definition_.emplace(std::move(definition));
    for (const Sizes& sizes : measured) {
      const kernel_templates::KernelInstance instance(*definition_, values_of(sizes), hopper_);
      model::Measurement row = testing::measured(instance.default_configuration(), 1000.0);
      row.resources.threads_per_block = 32;
      testing::store_session(store_, knowledge::workload_of(instance, model::CacheState::kCold), {row});
    }
    input_ = export_of(*definition_, {}).input;
    input_.winners = store_.winners(definition_->name, definition_->hash);
    add_recommendations(input_, *definition_);
  }

  // What the header answers: its match and the place in its table, for each question.
  std::vector<std::pair<int, std::size_t>> answers_to(const std::vector<Sizes>& questions) {
    std::string header;
    for (const db::ExportFormat& format : db::export_formats()) {
      if (format.name == "header") header = format.write({input_});
    }
    machine_.file("tuned.h", header);
    std::string program = "#include <cstdio>\n#include \"tuned.h\"\nnamespace w = warptune_" +
                          definition_->name +
                          ";\nvoid show(const w::Device& device, const w::Problem& problem) {\n"
                          "  const w::Selection found = w::select(device, problem);\n"
                          "  std::printf(\"%d %d\\n\", static_cast<int>(found.match), found.row);\n}\n"
                          "int main() {\n  w::Problem p;\n";
    for (const Sizes& sizes : questions) {
      for (const auto& [name, value] : sizes) program += fmt::format("  p.{} = {}LL;\n", name, value);
      for (const model::GpuDescription& gpu : {hopper_, ampere_})
        program += fmt::format("  show({}, p);\n", device_literal(gpu));
    }
    machine_.file("program.cpp", program + "}\n");
    const testing::ProgramRun run = machine_.shell(
        "g++ -std=c++17 -Wall -Wextra -Wconversion -Wshadow -Werror program.cpp -o program && "
        "./program");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    std::vector<std::pair<int, std::size_t>> answers;
    std::istringstream lines(run.out);
    int match = 0;
    std::size_t row = 0;
    while (lines >> match >> row) answers.emplace_back(match, row);
    return answers;
  }

  // Compares with the answers of the database. Returns how many are recommended.
  std::size_t compare(const std::vector<Sizes>& questions) {
    const std::vector<std::pair<int, std::size_t>> answers = answers_to(questions);
    EXPECT_EQ(answers.size(), 2 * questions.size());
    const std::vector<db::ExportInput> inputs = {input_};  // The names refer to it.
    const db::ExportedNames names = db::exported_names(inputs).front();
    const knowledge::AnswerSource source = knowledge::source_of(store_, *definition_, model::Objective());
    std::size_t recommended = 0;
    for (std::size_t i = 0; i < std::min(answers.size(), 2 * questions.size()); ++i) {
      const kernel_templates::KernelInstance instance(*definition_, values_of(questions[i / 2]),
                                                      i % 2 == 0 ? hopper_ : ampere_);
      const knowledge::KnownAnswer known = knowledge::known_answer(instance, source, {definition_->name});
      const auto [match, row] = answers[i];
      const std::string where =
          definition_->name + " " + model::to_text(instance.problem()) + " on " + instance.gpu().name;
      EXPECT_EQ(match, static_cast<int>(known.match.tier)) << where;
      if (known.match.tier != db::MatchTier::kRecommended) continue;
      ++recommended;
      const std::size_t at = row - names.rows.size() - 1;
      const bool is_listed = at < names.recommendations.size();
      EXPECT_TRUE(is_listed) << where;
      if (!is_listed) continue;
      EXPECT_EQ(names.recommendations[at]->values, known.match.configuration) << where;
    }
    return recommended;
  }

  // `count` combinations of sizes from 1 to 2^`bits`.
  static std::vector<Sizes> sizes_of(const std::vector<std::string>& names, std::size_t count, int bits) {
    base::Random random(7);
    std::vector<Sizes> all(count);
    for (Sizes& sizes : all) {
      for (const std::string& name : names) {
        const auto power = static_cast<unsigned>(random.below(static_cast<std::uint64_t>(bits)));
        const std::int64_t low = std::int64_t{1} << power;
        // Half of the sizes are powers of two, because conditions ask what divides them.
        const bool is_power = random.below(2) == 0;
        sizes.emplace_back(
            name,
            is_power ? low : low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(low))));
      }
    }
    return all;
  }

  testing::Warptune machine_;
  model::GpuDescription hopper_ = gpu_of("sm_90");
  model::GpuDescription ampere_ = gpu_of("sm_80");
  db::Store store_{machine_ / "rows.db"};
  std::optional<kernel_templates::KernelDefinition> definition_;
  db::ExportInput input_;
};

TEST_F(ExportedRecommendations, AHeaderAnswersAsQueryDoesForMatrixProducts) {
  make("sgemm", {{{"M", 2048}, {"N", 2048}, {"K", 2048}}, {{"M", 64}, {"N", 64}, {"K", 4096}}});
  EXPECT_GT(compare(sizes_of({"M", "N", "K"}, 400, 13)), 100U);
}

TEST_F(ExportedRecommendations, AHeaderAnswersAsQueryDoesForTranspositions) {
  make("transpose", {{{"M", 8192}, {"N", 8192}}});
  EXPECT_GT(compare(sizes_of({"M", "N"}, 400, 14)), 100U);
}

TEST_F(ExportedRecommendations, AHeaderAnswersAsQueryDoesForRows) {
  make("softmax", {{{"ROWS", 4096}, {"COLUMNS", 4096}}, {{"ROWS", 64}, {"COLUMNS", 100}}});
  EXPECT_GT(compare(sizes_of({"ROWS", "COLUMNS"}, 400, 14)), 100U);
}

TEST_F(ExportedRecommendations, AConditionThatAHeaderCannotHaveEndsTheList) {
  make("transpose", {{{"M", 8192}, {"N", 8192}}});
  const std::size_t all = input_.recommendations.size();
  ASSERT_GT(all, 2U);
  input_.recommendations[0].when = "M == 64";
  input_.recommendations[1].when = "sqrt(M) > 3 && M > 1";
  EXPECT_EQ(db::exported_names({input_}).front().recommendations.size(), 1U);
  const std::vector<std::pair<int, std::size_t>> answers = answers_to({{{"M", 64}, {"N", 64}}});
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers.front().first, static_cast<int>(db::MatchTier::kRecommended));
  EXPECT_THAT(
      testing::slurp(machine_ / "tuned.h"),
      HasSubstr("recommendations are left out, because this header has no sqrt: sqrt(M) > 3 && M > 1"));
}

TEST_F(ExportedRecommendations, AHeaderAnswersAsQueryDoesWhereCostsDecide) {
  make(priced_sgemm(), {{{"M", 2048}, {"N", 2048}, {"K", 2048}}, {{"M", 64}, {"N", 64}, {"K", 4096}}});
  EXPECT_GT(compare(sizes_of({"M", "N", "K"}, 200, 13)), 100U);
  EXPECT_THAT(testing::slurp(machine_ / "tuned.h"), HasSubstr("recommended_group"));
}

TEST_F(ExportedRecommendations, WithoutCostsAHeaderComputesNone) {
  make("scan", {{{"N", 1'000'000}}});
  EXPECT_EQ(answers_to({{{"N", 5000}}}).size(), 2U);
  EXPECT_THAT(testing::slurp(machine_ / "tuned.h"),
              Not(AnyOf(HasSubstr("recommended_cost"), HasSubstr("recommended_group"))));
}

TEST_F(ExportedRecommendations, ACostThatAHeaderCannotHaveLeavesOutItsGroup) {
  make("transpose", {{{"M", 8192}, {"N", 8192}}});
  ASSERT_GT(input_.recommendations.size(), 3U);
  input_.recommendations[1].cost = "M";
  input_.recommendations[2].cost = "sqrt(M) + 1";
  EXPECT_EQ(db::exported_names({input_}).front().recommendations.size(), 1U);
  EXPECT_EQ(answers_to({{{"M", 64}, {"N", 64}}}).size(), 2U);
  EXPECT_THAT(testing::slurp(machine_ / "tuned.h"),
              HasSubstr("recommendations are left out, because this header has no sqrt: sqrt(M) + 1"));
}

TEST_F(ExportedRecommendations, ACostOfAnUnknownAttributeDoesNotHold) {
  make("transpose", {{{"M", 8192}, {"N", 8192}}});
  input_.recommendations.resize(2);
  for (db::ExportedRecommendation& one : input_.recommendations) {
    one.when = "true";
    one.values = definition_->default_configuration;
  }
  input_.recommendations[0].cost = "1 + 0 * device_l2_bytes";
  input_.recommendations[1].cost = "2";
  hopper_.l2_bytes = 0;
  const std::vector<std::pair<int, std::size_t>> answers = answers_to({{{"M", 64}, {"N", 64}}});
  ASSERT_EQ(answers.size(), 2U);
  const int recommended = static_cast<int>(db::MatchTier::kRecommended);
  EXPECT_EQ(answers.front(), std::pair(recommended, std::size_t{3}));  // After the row and the default.
  EXPECT_EQ(answers.back(), std::pair(recommended, std::size_t{2}));
}

TEST_F(ExportedRecommendations, WhatADeviceCannotLaunchIsPassedOver) {
  make("transpose", {{{"M", 8192}, {"N", 8192}}});
  ASSERT_FALSE(input_.launch_limits.empty());
  hopper_.max_threads_per_block = 1;
  const std::vector<std::pair<int, std::size_t>> answers = answers_to({{{"M", 64}, {"N", 64}}});
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_NE(answers.front().first, static_cast<int>(db::MatchTier::kRecommended));
  EXPECT_EQ(answers.back().first, static_cast<int>(db::MatchTier::kRecommended));
}

}  // namespace
}  // namespace warptune::tuner::exporting
