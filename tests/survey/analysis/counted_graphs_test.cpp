#include "survey/analysis/counted_graphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey_file.h"
#include "tests/survey/survey_builder.h"

namespace warptune::survey::analysis {
namespace {

using records::Index;
using records::Survey;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Index kFirst = 0;
constexpr Index kSecond = 1;

// Five launches of a graph with nodes of 100 and 50 us, 10 us apart, and one of another graph of the same
// kernels.
Survey program_with_graphs() {
  SurveyBuilder program;
  program.launch({"first", 100 * kMicrosecond});
  program.launch({"second", 50 * kMicrosecond});
  program.wait();
  Survey survey = program.survey();
  survey.launches.clear();
  survey.calls.clear();
  const auto node = [&](Index shape, std::uint32_t graph, std::int64_t start, std::int64_t end) {
    records::Launch launch;
    launch.time = {start, end};
    launch.call = static_cast<Index>(survey.calls.size() - 1);
    launch.graph = graph;
    launch.shape = shape;
    survey.launches.push_back(launch);
  };
  std::int64_t now = kMillisecond;
  for (int i = 0; i < 6; ++i, now += kMillisecond) {
    survey.calls.push_back({{now, now + kMicrosecond}, 0, 1, 0, records::CallKind::kGraphLaunch});
    const std::uint32_t graph = i == 5 ? 2 : 1;
    node(kFirst, graph, now + 10 * kMicrosecond, now + 110 * kMicrosecond);
    node(kSecond, graph, now + 120 * kMicrosecond, now + 170 * kMicrosecond);
    if (i == 5) node(kSecond, graph, now + 180 * kMicrosecond, now + 780 * kMicrosecond);
  }
  return survey;
}

records::CountedGraph counted_graph(const model::Counters& launch) {
  records::CountedGraph graph;
  graph.kernel_nodes = 2;
  graph.parts = {{kFirst, 1}, {kSecond, 1}};
  graph.launches = {launch, launch};
  return graph;
}

TEST(CountedGraphsTest, HaveTheTimeOfLaunchesWithTheSameNodes) {
  Survey survey = program_with_graphs();
  survey.devices[0].gpu.memory_bandwidth_bytes_per_s = 40'000'000'000;
  survey.counted_graphs = {counted_graph({{"dram__bytes.sum", 1.6e6}, {"gpu__time_duration.sum", 200e3}})};
  const std::vector<CountedGraph> graphs = counted_graphs(survey);
  ASSERT_THAT(graphs, SizeIs(1));
  EXPECT_EQ(graphs[0].launches, 2);
  EXPECT_EQ(graphs[0].parts, survey.counted_graphs[0].parts);
  EXPECT_DOUBLE_EQ(graphs[0].time_ns.value(), 160e3);
  EXPECT_DOUBLE_EQ(graphs[0].roofline.bytes_per_s.value(), 1e10);
  EXPECT_DOUBLE_EQ(graphs[0].roofline.share.value(), 0.25);
  EXPECT_THAT(counted_kernels(survey, analyse(survey).kernels), IsEmpty());
}

TEST(CountedGraphsTest, HaveNoTimeIfGraphsWithTheSameHotNodesDiffer) {
  Survey survey = program_with_graphs();
  survey.counted_graphs = {counted_graph({{"dram__bytes.sum", 1.6e6}})};
  survey.shapes.push_back(survey.shapes[kSecond]);
  survey.shapes.back().dynamic_shared = 1024;  // It is counted as the same.
  survey.launches[1].shape = 2;
  EXPECT_FALSE(counted_graphs(survey).at(0).time_ns);
  for (std::size_t i = 3; i < 10; i += 2) survey.launches[i].shape = 2;
  EXPECT_TRUE(counted_graphs(survey).at(0).time_ns);
  survey.devices.push_back(survey.devices[0]);
  survey.counted_graphs[0].device = 1;  // No launch on this one is listed.
  EXPECT_FALSE(counted_graphs(survey).at(0).time_ns);
}

TEST(CountedGraphsTest, WithoutATimeHaveNoRates) {
  Survey survey = program_with_graphs();
  survey.counted_graphs = {counted_graph({{"dram__bytes.sum", 1.6e6}})};
  survey.counted_graphs[0].kernel_nodes = 9;  // Seven nodes are of kernels that were not to be counted.
  const CountedGraph graph = counted_graphs(survey).at(0);
  EXPECT_FALSE(graph.time_ns);
  EXPECT_FALSE(graph.roofline.bytes_per_s);
  EXPECT_EQ(graph.counters.at("dram__bytes.sum"), 1.6e6);
}

// Then the rules are applied to the mean of its nodes.
TEST(CountedGraphsTest, OfOneShapeAreCountedKernels) {
  Survey survey = program_with_graphs();
  records::CountedGraph graph;
  graph.kernel_nodes = 4;
  graph.parts = {{kFirst, 4}};
  graph.launches = {{{"dram__bytes.sum", 8e6},
                     {"sm__cycles_active.avg", 400.0},
                     {"sm__cycles_active.max", 500.0},
                     {"gpu__time_duration.sum", 440e3},
                     {"l1tex__t_sector_hit_rate.pct", 40.0}}};
  survey.counted_graphs = {graph};
  EXPECT_THAT(counted_graphs(survey), IsEmpty());
  const std::vector<CountedKernel> kernels = counted_kernels(survey, analyse(survey).kernels);
  ASSERT_THAT(kernels, SizeIs(1));
  EXPECT_EQ(kernels[0].graph_nodes, 4);
  EXPECT_EQ(kernels[0].shape, kFirst);
  EXPECT_EQ(kernels[0].time_ns, 100e3);
  EXPECT_FALSE(kernels[0].counted_ns);
  EXPECT_FALSE(kernels[0].counters.contains("sm__cycles_active.max"));
  EXPECT_EQ(kernels[0].counters.at("dram__bytes.sum"), 2e6);
  EXPECT_EQ(kernels[0].counters.at("sm__cycles_active.avg"), 100.0);
  EXPECT_EQ(kernels[0].counters.at("l1tex__t_sector_hit_rate.pct"), 40.0);
  survey.counted_graphs[0].other_nodes = 1;
  EXPECT_THAT(counted_graphs(survey), SizeIs(1));
}

// A graph of a matrix product, two elementwise kernels and a softmax in PyTorch, counted with all metrics on
// an H200.
TEST(CountedGraphsTest, OfARecordedRunHaveTheirNodesAndRates) {
  const Survey survey = records::read_survey(std::string(WARPTUNE_SOURCE_FOLDER) +
                                             "/tests/survey/data/torch_graph.wtsurvey.zst");
  const std::vector<CountedGraph> graphs = counted_graphs(survey);
  ASSERT_THAT(graphs, SizeIs(1));
  EXPECT_EQ(graphs[0].kernel_nodes, 4);
  EXPECT_EQ(graphs[0].other_nodes, 0);
  EXPECT_THAT(graphs[0].parts, SizeIs(4));
  EXPECT_EQ(graphs[0].launches, 3);
  EXPECT_NEAR(graphs[0].time_ns.value(), 200e3, 2e3);
  // Its kernels read and write tensors of 16 MiB, most of which the L2 cache holds.
  EXPECT_NEAR(graphs[0].roofline.bytes_per_s.value() / graphs[0].roofline.roof_bytes_per_s.value(), 0.10,
              0.01);
  EXPECT_FALSE(graphs[0].roofline.flops_per_s);  // Metrics of operations need patched code.
  const std::vector<CountedKernel> kernels = counted_kernels(survey, analyse(survey).kernels);
  ASSERT_THAT(kernels, SizeIs(3));  // They were also launched outside of the graph.
  EXPECT_TRUE(kernels[0].roofline.flops_per_s);
}

}  // namespace
}  // namespace warptune::survey::analysis
