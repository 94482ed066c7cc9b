#include "survey/analysis/summaries/graph_launches.h"

#include <gtest/gtest.h>

namespace warptune::survey::analysis::summaries {
namespace {

using records::kNone;
using records::Survey;

// Graph 5 of the first process is launched twice with two kernels and a copy, graph 5 of the second once.
Survey survey_with_graphs() {
  Survey survey;
  survey.names = {"kernel", "cudaGraphLaunch", "step"};
  survey.processes.resize(2);
  survey.streams.resize(2);
  survey.streams[1].process = 1;
  survey.shapes.resize(1);
  survey.calls.assign(3, {{0, 10}, 0, 1, 1, records::CallKind::kGraphLaunch});
  survey.calls[1].time = {50, 60};
  survey.launches = {{{{10, 20}, 0, 0, 5}, 0}, {{{20, 30}, 0, 0, 5}, 0}, {{{60, 70}, 0, 1, 5}, 0},
                     {{{70, 90}, 0, 1, 5}, 0}, {{{90, 99}, 1, 2, 5}, 0}, {{{99, 990}, 0, kNone, 0}, 0}};
  survey.copies.resize(1);
  survey.copies[0].time = {30, 45};
  survey.copies[0].call = 0;
  survey.copies[0].graph = 5;
  survey.fills.resize(1);
  survey.fills[0].time = {99, 100};
  survey.fills[0].stream = 1;
  survey.fills[0].graph = 5;
  return survey;
}

TEST(GraphLaunches, SumUpTheWorkOfEachGraph) {
  const std::vector<GraphLaunches> graphs = graph_launches(survey_with_graphs());
  ASSERT_EQ(graphs.size(), 2U) << "work without a graph does not count";
  EXPECT_EQ(graphs[0], (GraphLaunches{0, 5, 2, 4, 1, 0, 65}));
  EXPECT_EQ(graphs[1], (GraphLaunches{1, 5, 1, 1, 0, 1, 10}));
}

TEST(GraphLaunches, LeaveOutWhatWasNotGivenWithinTheRange) {
  Survey survey = survey_with_graphs();
  survey.run.range = "step";
  survey.ranges = {{{40, 60}, 0, 1, 2}};
  const std::vector<GraphLaunches> graphs = graph_launches(survey);
  ASSERT_EQ(graphs.size(), 1U);
  EXPECT_EQ(graphs[0], (GraphLaunches{0, 5, 1, 2, 0, 0, 30}));
}

}  // namespace
}  // namespace warptune::survey::analysis::summaries
