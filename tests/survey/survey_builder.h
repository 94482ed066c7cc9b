// Makes surveys of imagined programs for tests, so that a timeline reads like the program.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "survey/records/survey.h"

namespace warptune::survey {

constexpr std::int64_t kMicrosecond = 1'000;
constexpr std::int64_t kMillisecond = 1'000'000;

/// A kernel of an imagined program.
struct ImaginedKernel {
  std::string name = "void work<float>(float*, int)";
  std::int64_t duration = 100 * kMicrosecond;
  std::uint32_t blocks = 4096;
  std::uint32_t threads = 256;
};

/// Runs an imagined program with one thread on one GPU, whose limits are those of an H200, and keeps its
/// survey. Each call of this class is a call of the program. It takes the host `kCall` and gives the GPU its
/// work, which begins `kLatency` later, when the stream and, for a copy, the engine of its direction are
/// free. Kernels of different streams run at once only if their blocks fit together.
class SurveyBuilder {
 public:
  static constexpr std::int64_t kCall = 3 * kMicrosecond;
  static constexpr std::int64_t kLatency = 2 * kMicrosecond;

  SurveyBuilder();

  /// Adds a stream and returns its number. Stream 0 is the default stream. It waits for blocking streams, and
  /// they wait for it.
  records::Index stream(bool blocking = false);
  /// The host works on something else.
  void host(std::int64_t duration) { now_ += duration; }
  void launch(const ImaginedKernel& kernel, records::Index stream = 0);
  /// Copies of pinned memory are asynchronous. A copy of pageable memory keeps the host until it ends, and
  /// its rate is a quarter of that of pinned memory, 50 GB/s.
  void copy(records::CopyDirection direction, std::uint64_t bytes,
            records::MemoryKind host_memory = records::MemoryKind::kPinned, records::Index stream = 0);
  void up(std::uint64_t bytes, records::Index stream = 0);
  void down(std::uint64_t bytes, records::Index stream = 0);
  /// Waits for a stream, or for all. The host goes on `kLatency` after the GPU.
  void wait(std::optional<records::Index> stream = std::nullopt);
  /// A call that takes the host some time, such as an allocation. `kFree` waits for the GPU first, as
  /// `cudaFree` does.
  void call(records::CallKind kind, const std::string& name, std::int64_t duration);
  std::int64_t now() const { return now_; }

  /// The survey up to now, or up to the end of the GPU's work if that is later.
  records::Survey survey() const;
  /// The survey as it is being made, to be changed by a test.
  records::Survey& draft() { return survey_; }

 private:
  records::Index name_of(const std::string& name);
  records::Index shape_of(const ImaginedKernel& kernel);
  records::Index add_call(records::CallKind kind, const std::string& name, std::int64_t duration);
  std::int64_t free_at(records::Index stream) const;
  std::int64_t kernel_start(std::int64_t earliest, std::int64_t duration, std::uint32_t blocks);
  void occupy(records::Index stream, std::int64_t end);
  std::int64_t all_done() const;

  records::Survey survey_;
  std::int64_t now_ = 0;
  std::vector<std::int64_t> streams_;  // When the work of each ends.
  std::vector<bool> blocking_;
  std::map<records::CopyDirection, std::int64_t> engines_;
  struct Running {
    std::int64_t end = 0;
    std::uint32_t blocks = 0;
  };
  std::vector<Running> running_;
};

}  // namespace warptune::survey
