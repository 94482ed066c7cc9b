#pragma once

#include <string>

#include "tests/tuner/session_data.h"
#include "tuner/lab/lab_result.h"

namespace warptune::tuner::testing {

/// The text of an experiment with the toy kernel of `write_toy_kernel`. Its table `speed` has the rows `one`
/// (A=1), `two` (A=2 B=true), `three` (A=3 B=false, which fails) and `best` (A is tuned). `claims` is TOML
/// that follows it.
std::string toy_experiment_text(const std::string& claims);

/// Claims for the experiment: the second row takes half the time, and its bytes are the evidence.
inline const std::string kToyClaims = R"toml([quantities]
gain = "speed.one.time_ns / speed.two.time_ns"
[[claim]]
text = "B doubles the speed"
value = "gain"
unit = "x"
expected = 2.0
holds = "value >= 1.9"
weaker = "value >= 1.2"
because = { holds = "Yes: {gain @ .3f}.", weaker = "Hardly: {gain}.", fails = "No." }
[[claim.evidence]]
text = "DRAM bytes"
labels = ["one", "two"]
values = ["speed.one.dram__bytes.sum", "speed.two.dram__bytes.sum"]
[[theory]]
text = "bytes halve"
metric = "dram__bytes.sum"
value = "speed.two.dram__bytes.sum / speed.one.dram__bytes.sum"
expected = "0.5"
tolerance = 0.02
)toml";

/// Writes the kernel and the experiment into `folder`, and loads the experiment.
kernel_templates::Experiment toy_experiment(const TemporaryFolder& folder,
                                            const std::string& claims = kToyClaims);

/// A made-up result of the experiment. A=1 takes `one_ns` and A=2 B=true takes 1000 ns; A=3 B=false failed.
/// Samples vary by the relative `spread`. The second row moved half the bytes of the first.
lab::LabResult toy_lab_result(const kernel_templates::Experiment& experiment, double one_ns = 2000.0,
                              double spread = 0.01);

}  // namespace warptune::tuner::testing
