// Measures the CPU time of the space engine: building, counting, enumerating, sampling and neighbours, each
// with its target. Exits with 1 if a count differs from the published one. Needs no GPU.
//
//   space [--repeat 5]
#include <fmt/format.h>
#include <sys/resource.h>

#include <boost/program_options.hpp>
#include <ctime>
#include <string>
#include <vector>

#include "base/random.h"
#include "bench/program.h"
#include "bench/published_spaces.h"
#include "bench/spread.h"
#include "model/space.h"

namespace {

using namespace warptune;
namespace po = boost::program_options;
using model::Space;

constexpr const char* kProgram = "bench_space";
constexpr std::size_t kSamples = 1'000'000;
constexpr std::size_t kCentres = 2000;

double cpu_ms() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

/// The CPU milliseconds of each of `repeat` calls on one thread.
template <class F>
std::vector<double> times_ms(int repeat, const F& call) {
  std::vector<double> times;
  for (int run = 0; run < repeat; ++run) {
    const double start = cpu_ms();
    call();
    times.push_back(cpu_ms() - start);
  }
  return times;
}

double peak_memory_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

std::uint64_t enumerate(const Space& space) {
  std::uint64_t sum = 0;
  space.for_each([&sum](const model::Configuration& configuration) {
    sum += configuration.back();
    return true;
  });
  return sum;
}

class Report {
 public:
  explicit Report(int repeat) : repeat_(repeat) {
    fmt::print("{:<44} {:>12} {:>30} {:>9} {:>12} {:>8} {:>10}\n", "", "indices", "median (range)", "target",
               "cartesian", "nodes", "KiB");
  }

  /// Measures building, from the parsed constraints to the count.
  void build(const bench::PublishedSpace& space, double target_ms) {
    const std::vector<double> times =
        times_ms(repeat_, [&] { Space(space.parameters, space.constraints).size(); });
    const Space built(space.parameters, space.constraints);
    fmt::print("{:<44} {:>12} {:>27} ms {:>9} {:>12} {:>8} {:>10.1f}\n", space.name, built.size(),
               bench::spread_text(times, 3), target_text(target_ms), built.cartesian_size(),
               built.node_count(), static_cast<double>(built.memory_bytes()) / 1024.0);
    check(space.name, built.size(), space.valid);
  }

  void line(const std::string& name, std::uint64_t valid, const std::vector<double>& times,
            const std::string& unit, double target) {
    fmt::print("{:<44} {:>12} {:>27} {:<2} {:>6}\n", name, valid, bench::spread_text(times, 3), unit,
               target_text(target));
  }

  int repeat() const { return repeat_; }
  bool wrong() const { return wrong_; }

 private:
  static std::string target_text(double target) { return target > 0.0 ? fmt::format("<= {:g}", target) : ""; }

  void check(const std::string& name, std::uint64_t found, std::uint64_t published) {
    if (published == 0 || found == published) return;
    fmt::print("  {}: wrong, the published count is {}\n", name, published);
    wrong_ = true;
  }

  int repeat_;
  bool wrong_ = false;
};

std::vector<bench::PublishedSpace> joint_constraints() {
  using bench::spaces::range;
  std::vector<bench::PublishedSpace> all;
  for (const std::string text :
       {"a * b * c * d <= 1000", "a * b * c * d <= 100000", "a * b * c * d <= 1000000",
        "a * b * c * d <= 10000000", "a * b * c * d <= 100000000", "a + b + c + d <= 256",
        "a * b + c * d <= 4096", "a * b + c * d <= 16384", "a * b * c * d == 720720"}) {
    all.push_back({text,
                   {range("a", 1, 128), range("b", 1, 128), range("c", 1, 128), range("d", 1, 128)},
                   bench::spaces::constraints({text}),
                   0,
                   0});
  }
  return all;
}

/// Ten parameters of 64 values in a constraint that only complete configurations decide. The diagrams leave
/// it out, and samples are drawn by rejection.
bench::PublishedSpace hashed_space() {
  bench::PublishedSpace space{"hash of 64^10, a third valid", {}, {}, 0, 0};
  std::string hash = "0";
  for (char name = 'a'; name < 'k'; ++name) {
    space.parameters.push_back(bench::spaces::range(std::string(1, name), 1, 64));
    hash = fmt::format("({} * 31 + {} * {}) % 1000003", hash, name, name);
  }
  space.constraints = bench::spaces::constraints({hash + " % 3 == 0"});
  return space;
}

void measure_hashed(Report& report) {
  const bench::PublishedSpace hashed = hashed_space();
  report.build(hashed, 0.0);
  const Space space(hashed.parameters, hashed.constraints);
  base::Random random(1);
  std::uint64_t sum = 0;
  std::vector<double> times = times_ms(report.repeat(), [&] {
    for (std::size_t i = 0; i < kCentres; ++i) sum += space.sample(random).front();
  });
  for (double& time : times) time *= 1e3 / static_cast<double>(kCentres);
  report.line("  a sample", space.size(), times, "us", 0.0);
  fmt::print("  {:.4g} valid by estimate\n", space.estimated_size());
}

bench::PublishedSpace product_space() {
  bench::PublishedSpace space{"product of 10^12", {}, {}, 0, 0};
  for (char name = 'a'; name < 'm'; ++name)
    space.parameters.push_back(bench::spaces::range(std::string(1, name), 1, 10));
  return space;
}

void measure_product(Report& report) {
  const bench::PublishedSpace product = product_space();
  const double before = peak_memory_mib();
  report.build(product, 50.0);
  const Space space(product.parameters, product.constraints);
  base::Random random(1);
  std::uint64_t sum = 0;
  report.line("  built and 1000 samples", space.size(),
              times_ms(report.repeat(),
                       [&] {
                         const Space fresh(product.parameters, product.constraints);
                         for (int i = 0; i < 1000; ++i) sum += fresh.sample(random).front();
                       }),
              "ms", 50.0);
  fmt::print("  memory of the process grew by {:.1f} MiB (target <= 50)\n", peak_memory_mib() - before);
}

void measure_use(Report& report, const bench::PublishedSpace& published) {
  const Space space(published.parameters, published.constraints);
  base::Random random(1);
  std::uint64_t sum = 0;
  report.line(published.name + ": 1 M samples", space.size(),
              times_ms(report.repeat(),
                       [&] {
                         for (std::size_t i = 0; i < kSamples; ++i) sum += space.sample(random).front();
                       }),
              "ms", 1000.0);
  std::vector<model::Configuration> centres;
  for (std::size_t i = 0; i < kCentres; ++i) centres.push_back(space.sample(random));
  for (const auto& [kind, name] : {std::pair(model::Neighbourhood::kAdjacent, "adjacent"),
                                   std::pair(model::Neighbourhood::kHamming, "all single changes")}) {
    std::vector<double> times = times_ms(report.repeat(), [&, kind = kind] {
      for (const model::Configuration& centre : centres) sum += space.neighbours(centre, kind).size();
    });
    for (double& time : times) time *= 1e3 / static_cast<double>(kCentres);
    report.line(fmt::format("  neighbours, {}", name), space.size(), times, "us", 50.0);
  }
  std::vector<double> times = times_ms(report.repeat(), [&] {
    base::Random place(2);
    std::vector<double> positions(space.parameters().size());
    for (std::size_t i = 0; i < kCentres; ++i) {
      for (std::size_t p = 0; p < positions.size(); ++p)
        positions[p] = place.unit() * static_cast<double>(space.parameters()[p].values.size());
      sum += space.nearest(positions).front();
    }
  });
  for (double& time : times) time *= 1e3 / static_cast<double>(kCentres);
  report.line("  nearest to a random point", space.size(), times, "us", 0.0);
  if (sum == 0) fmt::print("\n");  // The compiler must not remove the work.
}

int measure(int argument_count, char** arguments) {
  po::options_description options;
  options.add_options()("repeat", po::value<int>()->default_value(5), "how often each figure is measured")(
      "help", "this text");
  const auto given = bench::parse_options(kProgram, options, argument_count, arguments);
  if (!given) return 0;
  Report report((*given)["repeat"].as<int>());
  measure_product(report);
  for (const bench::PublishedSpace& space : joint_constraints()) report.build(space, 100.0);
  report.build(bench::spaces::cltune_gemm(), 5.0);
  const std::vector<bench::PublishedSpace> eight = bench::eight_published_spaces();
  std::uint64_t valid = 0;
  for (const bench::PublishedSpace& space : eight) {
    report.build(space, 0.0);
    valid += space.valid;
  }
  measure_hashed(report);
  std::uint64_t sum = 0;
  report.line("the eight built and enumerated", valid,
              times_ms(report.repeat(),
                       [&] {
                         for (const bench::PublishedSpace& space : eight)
                           sum += enumerate(Space(space.parameters, space.constraints));
                       }),
              "ms", 250.0);
  for (const bench::PublishedSpace& space : eight) measure_use(report, space);
  measure_use(report, bench::spaces::cltune_gemm());
  measure_use(report, joint_constraints()[1]);
  measure_use(report, product_space());
  return report.wrong() || sum == 0 ? 1 : 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_program(kProgram, argument_count, arguments, measure);
}
