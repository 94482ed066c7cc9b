#include "tuner/json_output/winners_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tuner/json_output/json_form.h"

namespace warptune::tuner::json_output {
namespace {

using nlohmann::json;

db::Winner winner(std::int64_t block, double median_ns) {
  db::Winner winner;
  winner.workload = {"toy", "hash", {{"N", std::int64_t{4096}}}, model::fictional_gpu()};
  winner.best.status = model::Status::kMeasured;
  winner.best.configuration = {{"BLOCK", block}};
  winner.best.time = {median_ns, median_ns, median_ns};
  winner.session_id = 3;
  return winner;
}

db::ExportInput toy(std::vector<db::Winner> winners) {
  db::ExportInput input;
  input.kernel = "toy";
  input.kernel_hash = "hash";
  input.parameters = {{"BLOCK", {std::int64_t{128}, std::int64_t{256}}, "threads", {}}};
  input.default_configuration = {{"BLOCK", std::int64_t{256}}};
  input.winners = std::move(winners);
  return input;
}

TEST(WinnersJsonTest, HoldsTheWinnersWithTheirEvidence) {
  db::Winner best = winner(128, 1500.0);
  best.default_measurement = winner(256, 3000.0).best;
  const json output = json::parse(winners_format().write({toy({best})}));
  EXPECT_EQ(output.at("format"), "warptune-winners");
  EXPECT_EQ(output.at("version"), kJsonVersion);
  const json& kernel = output.at("kernels").at(0);
  EXPECT_EQ(kernel.at("default_configuration").at("BLOCK"), 256);
  EXPECT_EQ(kernel.at("parameters").at(0).at("default"), 256);
  const json& row = kernel.at("winners").at(0);
  EXPECT_EQ(row.at("workload").at("gpu").at("key"), model::fictional_gpu().key());
  EXPECT_EQ(row.at("workload").at("problem").at("N"), 4096);
  EXPECT_EQ(row.at("best").at("configuration").at("BLOCK"), 128);
  EXPECT_EQ(row.at("default").at("median_ns"), 3000.0);
  EXPECT_EQ(row.at("speed_up"), 2.0);
  EXPECT_TRUE(row.at("best").at("resources").is_null()) << "nothing is known of them";
}

TEST(WinnersJsonTest, IsDeterministicAndLeavesOutOtherHashesAndUnmeasured) {
  const db::Winner best = winner(128, 1500.0);
  db::Winner dropped = winner(64, 1.0);
  dropped.workload.problem = {{"N", std::int64_t{1}}};
  dropped.best.status = model::Status::kDropped;
  db::Winner other = winner(64, 1.0);
  other.workload.kernel_hash = "another";
  EXPECT_EQ(winners_format().write({toy({best})}),
            winners_format().write({toy({winner(64, 1600.0), other, dropped, best})}));
}

}  // namespace
}  // namespace warptune::tuner::json_output
