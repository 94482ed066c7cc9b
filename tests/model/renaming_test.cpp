#include "model/renaming.h"

#include <gtest/gtest.h>

namespace warptune::model {
namespace {

Renaming sgemm_renaming() {
  return {"sgemm",
          "before",
          "after",
          {{"FINISH", "SPLIT_K_REDUCTION", {{"launch", "kernel"}}},
           {"layout", "layout", {{"turned", "transposed"}, {"transposed", "plain"}}}},
          Expression::parse("dtype != 'f16' && M > 1")};
}

TEST(Renaming, NamesAndTextsAreTranslatedAndNothingElse) {
  const NamedValues values = {{"TILE", std::int64_t{8}},
                              {"FINISH", std::string("launch")},
                              {"layout", std::string("turned")},
                              {"launch", std::string("launch")}};
  EXPECT_EQ(to_text(sgemm_renaming().renamed(values)),
            "TILE=8 SPLIT_K_REDUCTION=kernel layout=transposed launch=launch");
  EXPECT_EQ(sgemm_renaming().renamed(std::string("FINISH")), "SPLIT_K_REDUCTION");
  EXPECT_EQ(sgemm_renaming().renamed(std::string("TILE")), "TILE");
}

TEST(Renaming, ConfigurationsGetTheAddedParametersOnce) {
  Renaming renaming = sgemm_renaming();
  renaming.added = {{"SPLIT_K", std::int64_t{1}}, {"LOAD", std::string("registers")}};
  EXPECT_EQ(to_text(renaming.renamed_configuration({{"FINISH", std::string("launch")}})),
            "SPLIT_K_REDUCTION=kernel SPLIT_K=1 LOAD=registers");
  EXPECT_EQ(to_text(renaming.renamed_configuration({{"SPLIT_K", std::int64_t{4}}})),
            "SPLIT_K=4 LOAD=registers");
  EXPECT_EQ(to_text(renaming.renamed({{"M", std::int64_t{64}}})), "M=64") << "a problem gets none";
  EXPECT_TRUE(renaming.reversed().added.empty());
}

TEST(Renaming, TheReversedOneLeadsBack) {
  const NamedValues values = {
      {"FINISH", std::string("launch")}, {"layout", std::string("transposed")}, {"VECTOR", std::int64_t{4}}};
  EXPECT_EQ(sgemm_renaming().reversed().renamed(sgemm_renaming().renamed(values)), values);
  EXPECT_EQ(sgemm_renaming().reversed().before, "after");
}

TEST(Renaming, ItsCodeIsIdenticalOnlyForProblemsThatMeetTheCondition) {
  const auto problem = [](std::int64_t m, const std::string& type) {
    return NamedValues{{"M", m}, {"dtype", type}};
  };
  EXPECT_TRUE(sgemm_renaming().is_identical(problem(64, "f32")));
  EXPECT_FALSE(sgemm_renaming().is_identical(problem(1, "f32")));
  EXPECT_FALSE(sgemm_renaming().is_identical(problem(64, "f16")));
  EXPECT_FALSE(sgemm_renaming().is_identical({{"M", std::int64_t{64}}})) << "dtype is unknown";
  Renaming changed = sgemm_renaming();
  changed.identical.reset();
  EXPECT_FALSE(changed.is_identical(problem(64, "f32")));
}

}  // namespace
}  // namespace warptune::model
