// What CUPTI records, switched on and off.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "survey/collecting/raw_stream.h"
#include "survey/injected/cupti_functions.h"
#include "survey/injected/interning.h"
#include "survey/injected/settings.h"

namespace warptune::survey::injected {

/// A call of the CUDA API that is recorded.
struct TracedCall {
  std::array<char, 60> name{};
  bool recorded = false;
  collecting::CallPurpose purpose = collecting::CallPurpose::kOther;
  std::uint32_t number = kNoNumber;  ///< The name's number in the stream, when it has one.
};

/// It is large, so it is allocated once.
class Tracing {
 public:
  Tracing(const CuptiFunctions& cupti, const TracedThings& traced) : cupti_(cupti), traced_(traced) {}

  /// Finds the calls to record among all that CUPTI knows.
  void list_calls();
  /// Returns the first error. What CUPTI does not know is left out. `late` says that CUDA has been
  /// initialised already. CUPTI has emitted the records of GPUs and contexts by then, and is asked for them
  /// again.
  CUptiResult enable(bool late);
  void disable();
  /// The call with CUPTI's number `callback`, or null.
  TracedCall* call(bool is_runtime, std::uint32_t callback);

 private:
  static constexpr std::size_t kMaxCallbacks = 2048;
  using Calls = std::array<TracedCall, kMaxCallbacks>;

  void list_calls(CUpti_CallbackDomain domain, Calls& calls);
  void set_calls(bool on);
  CUptiResult enable_again(CUpti_ActivityKind kind);

  const CuptiFunctions& cupti_;
  TracedThings traced_;
  Calls runtime_calls_{};
  Calls driver_calls_{};
};

}  // namespace warptune::survey::injected
