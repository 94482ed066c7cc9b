#include "tests/tuner/session_data.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cmath>

#include <fstream>
#include <limits>
#include <utility>

#include "kernel_templates/kernel_instance.h"

namespace warptune::tuner::testing {

namespace fs = std::filesystem;

ScopedVariable::ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
  if (const char* before = std::getenv(name_.c_str())) before_ = before;
  ::setenv(name_.c_str(), value.c_str(), 1);
}

ScopedVariable::~ScopedVariable() {
  if (before_) {
    ::setenv(name_.c_str(), before_->c_str(), 1);
  } else {
    ::unsetenv(name_.c_str());
  }
}

model::Space line_space(std::int64_t size) {
  model::Parameter x{"X", {}, "", {}};
  for (std::int64_t i = 1; i <= size; ++i) x.values.emplace_back(i);
  return model::Space({x}, {});
}

model::NamedValues at(std::int64_t x) { return {{"X", x}}; }

std::int64_t x_of(const model::NamedValues& configuration) {
  return std::get<std::int64_t>(configuration.at(0).second);
}

model::Measurement measured(const model::NamedValues& configuration, double median_ns) {
  model::Measurement measurement;
  measurement.configuration = configuration;
  measurement.status = model::Status::kMeasured;
  if (!std::isnan(median_ns)) measurement.time = {median_ns, median_ns * 0.999, median_ns * 1.001};
  measurement.samples_ns = {median_ns * 0.999, median_ns, median_ns * 1.001};
  measurement.compile_ms = 30.0;
  measurement.measure_ms = 20.0;
  return measurement;
}

model::Measurement dropped(const model::NamedValues& configuration, double estimate_ns) {
  model::Measurement measurement = measured(configuration, estimate_ns);
  measurement.status = model::Status::kDropped;
  measurement.reason = "slower than the best so far";
  measurement.time = {estimate_ns, 0.9 * estimate_ns, std::numeric_limits<double>::infinity()};
  measurement.samples_ns = {estimate_ns};
  return measurement;
}

model::Measurement failed(const model::NamedValues& configuration, model::Status status,
                          const std::string& reason) {
  model::Measurement measurement;
  measurement.configuration = configuration;
  measurement.status = status;
  measurement.reason = reason;
  return measurement;
}

session::SessionPlan line_plan(std::int64_t size, const std::string& budget) {
  model::Workload workload{"toy", "0123456789abcdef", {{"N", std::int64_t{1024}}}, model::fictional_gpu()};
  session::SearchRequest search;
  search.budget = session::Budget::parse(budget);
  search.strategy = "exhaustive";
  return {search, workload, line_space(size), at(size), {}, false, 0};
}

void RecordingListener::on_event(const session::SessionEvent& event) {
  if (const auto* progress = std::get_if<session::SessionProgress>(&event)) reports.push_back(*progress);
  if (const auto* began_finals = std::get_if<session::FinalsBegan>(&event)) finals.push_back(*began_finals);
  if (const auto* confirmed = std::get_if<session::BestConfirmed>(&event))
    confirmations.push_back(confirmed->confirmation);
  if (const auto* warning = std::get_if<session::SessionWarning>(&event)) warnings.push_back(warning->text);
  if (const auto* session = std::get_if<session::SessionBegan>(&event)) began.push_back(session->session_id);
  if (const auto* row = std::get_if<session::MeasurementStored>(&event)) measured.push_back(row->row_id);
  if (const auto* row = std::get_if<session::CountersStored>(&event)) counted.push_back(row->row_id);
  if (const auto* session = std::get_if<session::SessionEnded>(&event)) ended.push_back(*session);
  if (const auto* row = std::get_if<session::MeasurementRejected>(&event)) rejected.push_back(*row);
  if (const auto* doubted = std::get_if<session::WorkDoubted>(&event)) doubts.push_back(doubted->doubt);
  if (const auto* finalist = std::get_if<session::FinalistImprecise>(&event)) imprecise.push_back(*finalist);
}

fs::path write_toy_kernel(const TemporaryFolder& folder, int a_values) {
  const fs::path path = folder / "toy.cu";
  std::ofstream(path) << fmt::format(R"cu(/* warptune
[kernel]
name = "toy"
description = "doubles numbers"
entry = "toy"
[problem]
N = 1024
[parameters]
A = {{ range = [1, {}] }}
B = [false, true]
[default]
A = 1
B = false
[launch]
grid = ["ceil_div(N, 32)"]
block = ["32"]
[[argument]]
name = "x"
kind = "inout"
type = "f32"
count = "N"
init = {{ kind = "constant", value = 1.0 }}
[work]
flops = "N"
bytes = "8 * N"
*/
extern "C" __global__ void toy(float* x) {{ x[blockIdx.x * 32 + threadIdx.x] *= 2.0f; }}
)cu",
                                     a_values);
  return path;
}

model::Recording toy_recording(const fs::path& kernel) {
  const kernel_templates::KernelInstance instance(kernel_templates::load_kernel_definition(kernel), {},
                                                  model::fictional_gpu());
  model::Recording recording;
  recording.workload = {instance.definition().name, instance.definition().hash, instance.problem(),
                        instance.gpu()};
  recording.parameters = instance.space().parameters();
  recording.constraints = instance.space().constraints();
  recording.constants = instance.constants();
  recording.default_configuration = instance.default_configuration();
  recording.work = instance.work();
  recording.roofs = {4.2e12, 60e12};
  recording.environment = {"0.1.0", 13000, 13000, 1980, 3201, "0x0"};
  for (std::uint64_t i = 0; i < instance.space().size(); ++i) {
    const model::NamedValues values = instance.space().values_of(instance.space().at(i));
    const std::int64_t a = std::get<std::int64_t>(values[0].second);
    const bool b = std::get<bool>(values[1].second);
    if (a == 3 && !b) {
      recording.measurements.push_back(failed(values, model::Status::kWrongResult, "x[0] is 3, expected 2"));
    } else {
      recording.measurements.push_back(
          measured(values, a == 2 && b ? 1000.0 : 2000.0 + 10.0 * static_cast<double>(a)));
    }
  }
  return recording;
}

}  // namespace warptune::tuner::testing
