#include "survey/injected/tracing.h"

#include <cstring>
#include <optional>
#include <string_view>

#include "survey/injected/call_table.h"

namespace warptune::survey::injected {

namespace {

struct TracedKind {
  CUpti_ActivityKind kind;
  bool TracedThings::*traced;
};
constexpr TracedKind kKinds[] = {
    {CUPTI_ACTIVITY_KIND_DEVICE, &TracedThings::devices},
    {CUPTI_ACTIVITY_KIND_CONTEXT, &TracedThings::devices},
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, &TracedThings::kernels},
    {CUPTI_ACTIVITY_KIND_MEMCPY, &TracedThings::copies},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, &TracedThings::copies},
    {CUPTI_ACTIVITY_KIND_MEMSET, &TracedThings::fills},
    {CUPTI_ACTIVITY_KIND_MARKER, &TracedThings::ranges},
};

}  // namespace

void Tracing::list_calls(CUpti_CallbackDomain domain, Calls& calls) {
  for (std::uint32_t callback = 1; callback < calls.size(); ++callback) {
    const char* full_name = nullptr;
    if (cupti_.cuptiGetCallbackName(domain, callback, &full_name) != CUPTI_SUCCESS || full_name == nullptr)
      continue;
    const std::string_view name = plain_call_name(full_name);
    const std::optional<collecting::CallPurpose> purpose = purpose_of_call(name);
    TracedCall& call = calls[callback];
    if (!purpose || name.size() >= call.name.size()) continue;
    std::memcpy(call.name.data(), name.data(), name.size());
    call.purpose = *purpose;
    call.recorded = true;
  }
}

void Tracing::list_calls() {
  if (traced_.runtime) list_calls(CUPTI_CB_DOMAIN_RUNTIME_API, runtime_calls_);
  if (traced_.driver) list_calls(CUPTI_CB_DOMAIN_DRIVER_API, driver_calls_);
}

void Tracing::set_calls(bool on) {
  for (std::uint32_t callback = 1; callback < kMaxCallbacks; ++callback) {
    if (runtime_calls_[callback].recorded)
      cupti_.cuptiActivityEnableRuntimeApi(callback, static_cast<std::uint8_t>(on));
    if (driver_calls_[callback].recorded)
      cupti_.cuptiActivityEnableDriverApi(callback, static_cast<std::uint8_t>(on));
  }
}

// Enables a kind whose records of before are wanted, too. Without them, the survey lacks names only.
CUptiResult Tracing::enable_again(CUpti_ActivityKind kind) {
  if (cupti_.cuptiActivityEnableAndDump != nullptr) {
    const CUptiResult result = cupti_.cuptiActivityEnableAndDump(kind);
    if (result == CUPTI_SUCCESS) return result;
  }
  return cupti_.cuptiActivityEnable(kind);
}

CUptiResult Tracing::enable(bool late) {
  CUptiResult first = CUPTI_SUCCESS;
  for (const TracedKind& kind : kKinds) {
    if (!(traced_.*kind.traced)) continue;
    const bool again = late && kind.traced == &TracedThings::devices;
    const CUptiResult result = again ? enable_again(kind.kind) : cupti_.cuptiActivityEnable(kind.kind);
    if (first == CUPTI_SUCCESS) first = result;
  }
  set_calls(true);
  return first;
}

void Tracing::disable() {
  set_calls(false);
  for (const TracedKind& kind : kKinds) {
    if (traced_.*kind.traced) cupti_.cuptiActivityDisable(kind.kind);
  }
}

TracedCall* Tracing::call(bool is_runtime, std::uint32_t callback) {
  if (callback >= kMaxCallbacks) return nullptr;
  TracedCall& call = (is_runtime ? runtime_calls_ : driver_calls_)[callback];
  return call.recorded ? &call : nullptr;
}

}  // namespace warptune::survey::injected
