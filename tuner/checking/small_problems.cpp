#include "tuner/checking/small_problems.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "kernel_templates/given_contents.h"

namespace warptune::tuner::checking {

namespace {

using kernel_templates::KernelDefinition;
using kernel_templates::KernelInstance;
using model::NamedValues;

constexpr std::int64_t kMaxBytes = std::int64_t{4} << 20;    // For all buffers together.
constexpr std::int64_t kMaxThreads = std::int64_t{1} << 20;  // For all launches together.
constexpr std::int64_t kNeverShrunk = 48;  // Such sizes may be widths, radii or numbers of bins.

// The first limit of each size in a problem with `count` sizes. The more sizes, the smaller the limit, so
// that their product stays small.
std::int64_t first_limit(std::size_t count) { return count <= 1 ? 2048 : count == 2 ? 160 : 72; }

// A size of at most `limit` that keeps the largest power of two that divides `size`. If `size` is a power of
// two, or divisible by one above the limit, returns the largest power of two within the limit.
std::int64_t reduced_size(std::int64_t size, std::int64_t limit) {
  if (size <= limit) return size;
  const std::int64_t limit_power = std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(limit)) - 1);
  const std::int64_t factor = size & -size;
  if (factor == size || factor >= limit_power) return limit_power;
  const std::int64_t multiple = limit / factor;
  return factor * (multiple % 2 == 0 && multiple > 1 ? multiple - 1 : multiple);
}

bool is_prime(std::int64_t number) {
  for (std::int64_t divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return number > 1;
}

// Whether a problem entry is a size that may take any value.
bool is_size(const KernelDefinition& definition, const std::string& name, const model::Value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  const auto& listed = definition.problem_values;
  return number != nullptr && *number > kNeverShrunk &&
         std::none_of(listed.begin(), listed.end(), [&](const auto& one) { return one.first == name; });
}

class Search {
 public:
  Search(const KernelDefinition& definition, const model::GpuDescription& gpu,
         const std::vector<NamedValues>& configurations)
      : definition_(definition), gpu_(gpu), configurations_(configurations) {}

  // The first valid problem, with limits for the sizes that are doubled until one is found. With `ragged`,
  // each size gets another prime.
  std::optional<SmallProblem> grown(const NamedValues& problem, bool ragged) const {
    const auto large =
        static_cast<std::size_t>(std::count_if(problem.begin(), problem.end(), [&](const auto& entry) {
          return is_size(definition_, entry.first, entry.second);
        }));
    std::int64_t limit = first_limit(large);
    for (int attempt = 0; attempt < 5; ++attempt, limit *= 2) {
      NamedValues sizes;
      std::int64_t prime = limit;
      for (const auto& [name, value] : problem) {
        if (!is_size(definition_, name, value)) continue;
        const auto size = std::get<std::int64_t>(value);
        for (prime = std::min(prime, size); !is_prime(prime);) --prime;
        sizes.emplace_back(name, ragged ? prime-- : reduced_size(size, limit));
      }
      if (ragged && sizes.empty()) return std::nullopt;
      if (std::optional<SmallProblem> found = checked(joined(problem, sizes), 1)) {
        found->ragged = ragged;
        return found;
      }
    }
    return std::nullopt;
  }

  // The problem, if it is valid and small. A GPU with only two SMs is tried first: on it, each block of a
  // persistent kernel takes several tiles.
  std::optional<SmallProblem> checked(const NamedValues& problem, std::uint64_t seed) const {
    model::GpuDescription two_sms = gpu_;
    two_sms.sm_count = 2;
    for (const model::GpuDescription& gpu : {two_sms, gpu_}) {
      try {
        SmallProblem found{KernelInstance(definition_, problem, gpu), seed, false, {}};
        kernel_templates::require_contents_fit(found.instance);
        for (const NamedValues& configuration : configurations_) {
          if (fits(found.instance, configuration)) found.configurations.push_back(configuration);
        }
        if (!found.configurations.empty()) return found;
      } catch (const base::InputError&) {  // The definition or its files do not allow these sizes.
      }
    }
    return std::nullopt;
  }

 private:
  static NamedValues joined(NamedValues problem, const NamedValues& sizes) {
    for (const auto& [name, value] : sizes) {
      for (auto& [other, replaced] : problem) {
        if (other == name) replaced = value;
      }
    }
    return problem;
  }

  static bool fits(const KernelInstance& instance, const NamedValues& values) {
    const auto configuration = instance.space().configuration_of(values);
    if (!configuration || !instance.space().contains(*configuration)) return false;
    const auto plan = instance.screened_plan(values);
    const auto arguments = instance.arguments(values);
    if (!plan || !arguments) return false;
    std::int64_t threads = 0;
    for (const kernel_templates::PlanStep& step : plan->steps) {
      const kernel_templates::LaunchStep* launch = step.launch();
      if (launch == nullptr) continue;
      const double all = 1.0 * static_cast<double>(launch->grid[0]) * static_cast<double>(launch->grid[1]) *
                         static_cast<double>(launch->grid[2]) *
                         static_cast<double>(launch->block[0] * launch->block[1] * launch->block[2]);
      if (all > static_cast<double>(kMaxThreads)) return false;
      threads += static_cast<std::int64_t>(all);
    }
    std::int64_t bytes = 0;
    for (const kernel_templates::ResolvedArgument& argument : *arguments)
      bytes += argument.is_buffer() ? argument.placed_bytes() : 0;
    return threads <= kMaxThreads && bytes <= kMaxBytes;
  }

  const KernelDefinition& definition_;
  const model::GpuDescription& gpu_;
  const std::vector<NamedValues>& configurations_;
};

}  // namespace

std::vector<SmallProblem> small_problems(const KernelDefinition& definition, const NamedValues& sizes,
                                         const model::GpuDescription& gpu,
                                         const std::vector<NamedValues>& configurations) {
  const Search search(definition, gpu, configurations);
  const NamedValues problem = KernelInstance(definition, sizes, gpu).problem();
  std::vector<SmallProblem> problems;
  const auto add = [&](std::optional<SmallProblem> found) {
    const bool known =
        found && std::any_of(problems.begin(), problems.end(), [&](const SmallProblem& other) {
          return other.instance.problem() == found->instance.problem() && other.seed == found->seed;
        });
    if (found && !known) problems.push_back(std::move(*found));
  };
  // Contents in files have one size. Those whose size is that of the problem fit no smaller one.
  if (kernel_templates::reads_files(definition)) add(search.checked(problem, 1));
  add(search.grown(problem, false));
  for (const kernel_templates::CheckCase& one : definition.check.cases)
    add(search.checked(one.sizes, one.seed));
  add(search.grown(problem, true));
  return problems;
}

}  // namespace warptune::tuner::checking
