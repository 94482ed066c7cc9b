// Adds the records of one process after another to a survey.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "survey/collecting/call_nesting.h"
#include "survey/collecting/raw_process.h"
#include "survey/records/survey.h"

namespace warptune::survey::collecting {

/// The part of the time that a survey keeps, in nanoseconds of CLOCK_MONOTONIC.
struct KeptTime {
  std::uint64_t began = 0;   ///< The survey's zero.
  std::uint64_t start = 0;   ///< Records that end before are left out.
  std::uint64_t stop = 0;    ///< Records that start after are left out.
  std::uint64_t latest = 0;  ///< No process is said to have lived longer.
};

/// By how much times of a GPU may be outside of the survey, because they are not exact, in nanoseconds.
inline constexpr std::uint64_t kClockSlack = 1'000'000'000;

/// Joins processes. Records of the survey are in the order of their start after `finish`.
class ProcessJoiner {
 public:
  explicit ProcessJoiner(const KeptTime& kept) : kept_(kept) {}

  /// Adds a process and its records. Members of `records::Process` that depend on how it ended are not set.
  records::Process& add(const RawProcess& process);
  /// Sorts the records and returns the survey.
  records::Survey finish();

 private:
  using ShapeKey = std::array<std::uint32_t, 14>;
  /// What the numbers of the process that is being added are in the survey.
  struct Numbers {
    records::Index process = 0;
    std::vector<records::Index> shapes;
    std::map<std::uint32_t, records::Index> devices;
    std::map<std::uint32_t, std::uint32_t> default_streams;  ///< By context.
    std::map<std::array<std::uint32_t, 3>, records::Index> streams;
    records::Index first_call = 0;
  };

  records::Index name(const std::string& text);
  void add_shapes(const RawProcess& process, Numbers& numbers);
  void add_devices(const RawProcess& process, Numbers& numbers);
  records::Index device(std::uint32_t number, Numbers& numbers);
  records::Index stream(const RawActivity& activity, Numbers& numbers);
  /// Returns std::nullopt if the times are outside of what is kept, or begin before the survey or end after
  /// it by more than `kClockSlack`. Such times cannot be. CUPTI gives 0 for a time that it does not know.
  std::optional<records::Interval> interval(std::uint64_t start, std::uint64_t end) const;
  std::optional<records::Activity> activity(const RawActivity& raw, const OuterCalls& calls, Numbers& numbers,
                                            std::uint32_t other_correlation);
  void add_calls(const OuterCalls& calls, const RawProcess& process, const Numbers& numbers);
  void add_activities(const RawProcess& process, const OuterCalls& calls, Numbers& numbers);
  void add_ranges(const RawProcess& process, std::int64_t end, const Numbers& numbers);
  void sort_calls();

  KeptTime kept_;
  records::Survey survey_;
  std::map<std::string, records::Index> names_;
  std::map<ShapeKey, records::Index> shapes_;
};

}  // namespace warptune::survey::collecting
