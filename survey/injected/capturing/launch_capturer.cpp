#include "survey/injected/capturing/launch_capturer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

#include "survey/collecting/raw_stream.h"
#include "survey/injected/recorder.h"

namespace warptune::survey::injected::capturing {

using collecting::RawChunk;
using collecting::capturing::RawCapturedLaunch;
using collecting::capturing::RawCapturedParameter;

namespace {

constexpr const char* kNoRoom = "There is too little space for temporary files, so nothing was captured.";
}  // namespace

LaunchCapturer::LaunchCapturer(const Settings& settings, const CuptiFunctions& cupti)
    : settings_(settings),
      functions_(load_capturing_functions(cupti.library)),
      problem_(cupti.problem != nullptr ? cupti.problem : functions_.problem) {}

LaunchCapturer* LaunchCapturer::start(const Settings& settings) {
  const CuptiFunctions& functions = cupti(settings.cupti.data());
  const collecting::RawHeader header = header_of_this_process(functions);
  void* const memory = std::calloc(1, sizeof(LaunchCapturer));
  if (memory == nullptr) return nullptr;
  auto* const capturer = new (memory) LaunchCapturer(settings, functions);
  if (!capturer->file_.create(settings.folder.data(), header, settings.keep_free_bytes)) return nullptr;
  if (const char* const problem = capturer->prepare(); problem != nullptr) {
    capturer->is_over_ = true;
    capturer->write_problem(problem);
  }
  return capturer;
}

const char* LaunchCapturer::prepare() {
  if (problem_ != nullptr) return problem_;
  if (!plan_.read(settings_.plan.data())) return "The plan cannot be read, so nothing was captured.";
  if (functions_.subscribe(&subscriber_, on_event, this) != CUPTI_SUCCESS)
    return "CUPTI refuses callbacks, probably because another profiler uses it, so nothing was captured.";
  set_callbacks(true);
  return nullptr;
}

void LaunchCapturer::set_callbacks(bool on) {
  const std::uint32_t enable = on ? 1 : 0;
  for (const counting::LaunchCall& call : counting::launch_calls())
    functions_.enable_callback(enable, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, call.callback);
  for (const CUpti_CallbackId callback : KnownTextures::calls())
    functions_.enable_callback(enable, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, callback);
  functions_.enable_callback(enable, subscriber_, CUPTI_CB_DOMAIN_RESOURCE,
                             CUPTI_CBID_RESOURCE_MODULE_LOADED);
}

void LaunchCapturer::write_problem(const char* text) {
  file_.write_text(collecting::RawChunk::kProblem, text, std::strlen(text));
}

void CUPTIAPI LaunchCapturer::on_event(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId callback,
                                       const void* data) {
  auto& capturer = *static_cast<LaunchCapturer*>(self);
  if (data == nullptr || capturer.is_forgotten_) return;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    const auto* const module = static_cast<const CUpti_ModuleResourceData*>(
        static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor);
    if (callback == CUPTI_CBID_RESOURCE_MODULE_LOADED && module != nullptr && !capturer.is_over_)
      capturer.image_.take(module->pCubin, module->cubinSize);
    return;
  }
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
  const auto& call_data = *static_cast<const CUpti_CallbackData*>(data);
  if (KnownTextures::is_call(callback)) return capturer.textures_.add(call_data);
  const counting::LaunchCall* const call = counting::launch_call(callback);
  if (call != nullptr) capturer.on_call(*call, callback, call_data);
}

void LaunchCapturer::on_call(const counting::LaunchCall& call, CUpti_CallbackId callback,
                             const CUpti_CallbackData& data) {
  if (call.kind != counting::LaunchCallKind::kLaunch) {
    captures_ += counting::change_of_captures(call, data);
  } else if (data.callbackSite == CUPTI_API_ENTER) {
    enter(call, callback, data);
  } else {
    leave(data);
  }
}

bool LaunchCapturer::is_in_graph(const counting::LaunchCall& call, CUstream stream) const {
  if (captures_ > 0) return true;
  const auto ask = call.by_thread ? functions_.is_capturing_by_thread : functions_.is_capturing;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return ask(stream, &status) != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void LaunchCapturer::enter(const counting::LaunchCall& call, CUpti_CallbackId callback,
                           const CUpti_CallbackData& data) {
  *data.correlationData = 0;
  if (is_over_ || data.symbolName == nullptr || plan_.kernel_of(data.symbolName) == counting::kNotPlanned)
    return;
  const std::uint64_t now = monotonic_ns();
  if (now < settings_.start || (settings_.stop != 0 && now >= settings_.stop)) return;
  const std::optional<CapturedCall> given = captured_call(callback, data.functionParams);
  if (!given) return;
  if (is_in_graph(call, given->stream)) {
    ++in_graphs_;
    return;
  }
  if (++launches_ != settings_.capture_launch) return;
  if (!claim()) return end();
  // Held until the launch returns. If the process ends meanwhile, its last chunk is not torn.
  if (::pthread_mutex_trylock(&turn_) != 0) return end();
  if (const char* const problem = capture_before(*given, data.symbolName); problem != nullptr) {
    write_problem(problem);
    end();
    ::pthread_mutex_unlock(&turn_);
    return;
  }
  *data.correlationData = 1;
}

// Several processes of a program may make the launch. The first one captures it.
bool LaunchCapturer::claim() const {
  std::array<char, 4352> path{};
  std::snprintf(path.data(), path.size(), "%s/claimed", settings_.folder.data());
  const int file = ::open(path.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  ::close(file);
  return true;
}

// The runtime of CUDA launches functions of libraries, whose handles are of another kind.
const char* LaunchCapturer::find_function(const CapturedCall& call) {
  function_ = call.function;
  if (functions_.function_module(&module_, function_) == CUDA_SUCCESS) return nullptr;
  CUfunction function = nullptr;
  if (functions_.kernel_function(&function, reinterpret_cast<CUkernel>(call.function)) != CUDA_SUCCESS)
    return "The driver does not say to which module the kernel belongs, so nothing was captured.";
  function_ = function;
  module_ = nullptr;
  functions_.function_module(&module_, function_);
  return nullptr;
}

const char* LaunchCapturer::write_launch(const CapturedCall& call, const char* name) {
  const std::size_t name_length = std::strlen(name);
  const std::size_t parameter_bytes = parameters_.count() * sizeof(RawCapturedParameter);
  const std::size_t size = sizeof(RawCapturedLaunch) + parameter_bytes +
                           collecting::raw_padded(parameters_.bytes()) + collecting::raw_padded(name_length);
  auto* const bytes = static_cast<char*>(std::calloc(1, size));
  if (bytes == nullptr) return "The program has no memory for a capture, so nothing was captured.";
  RawCapturedLaunch raw;
  raw.grid = call.grid;
  raw.block = call.block;
  raw.cluster = call.cluster;
  raw.dynamic_shared = call.shared_bytes;
  raw.cooperative = call.cooperative ? 1 : 0;
  functions_.function_attribute(&raw.carveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, function_);
  raw.parameters = parameters_.count();
  raw.parameter_bytes = parameters_.bytes();
  raw.name_length = static_cast<std::uint32_t>(name_length);
  raw.buffers = memory_.count();
  raw.unread_variables = memory_.unread_variables();
  raw.left_out_attributes = call.left_out_attributes;
  raw.images_of_name = image_.found();
  functions_.driver_version(&raw.driver_version);
  raw.launch = settings_.capture_launch;
  CUdevice device = 0;
  CUuuid uuid{};
  if (functions_.context_device(&device) == CUDA_SUCCESS &&
      functions_.device_uuid(&uuid, device) == CUDA_SUCCESS)
    std::memcpy(raw.uuid.data(), uuid.bytes, raw.uuid.size());
  char* at = bytes;
  std::memcpy(at, &raw, sizeof(raw));
  at += sizeof(raw);
  std::memcpy(at, parameters_.list(), parameter_bytes);
  at += parameter_bytes;
  std::memcpy(at, parameters_.block(), parameters_.bytes());
  std::copy_n(name, name_length, at + collecting::raw_padded(parameters_.bytes()));
  const bool written = file_.open(true) && file_.write(RawChunk::kCapturedLaunch, 1, bytes, size);
  std::free(bytes);
  return written && memory_.write_buffers(file_) ? nullptr : kNoRoom;
}

const char* LaunchCapturer::capture_before(const CapturedCall& call, const char* name) {
  const RelaxedThread relaxed(functions_);
  if (const char* const problem = find_function(call); problem != nullptr) return problem;
  functions_.load_function(function_);  // The driver loads code when it is first needed.
  image_.hold();
  if (image_.data() == nullptr) return "CUPTI did not show the code of the kernel, so nothing was captured.";
  if (const char* const problem = parameters_.read(call, function_, functions_); problem != nullptr)
    return problem;
  if (const char* const problem = textures_.find(parameters_.block(), parameters_.bytes());
      problem != nullptr)
    return problem;
  if (functions_.synchronise() != CUDA_SUCCESS)
    return "The GPU has an error from before the launch, so nothing was captured.";
  if (const char* const problem = memory_.find_allocations(parameters_.block(), parameters_.bytes());
      problem != nullptr)
    return problem;
  memory_.find_variables(module_, ElfImage(image_.data(), image_.bytes()));
  if (const char* const problem = memory_.check_size(settings_.capture_bytes); problem != nullptr)
    return problem;
  const char* const problem = write_launch(call, name);
  file_.close();
  return problem != nullptr ? problem : memory_.write_contents(file_, false);
}

void LaunchCapturer::leave(const CUpti_CallbackData& data) {
  if (*data.correlationData != 1) return;
  *data.correlationData = 0;
  const char* problem = capture_after(data);
  if (problem != nullptr) write_problem(problem);
  end();
  ::pthread_mutex_unlock(&turn_);
}

const char* LaunchCapturer::capture_after(const CUpti_CallbackData& data) {
  const RelaxedThread relaxed(functions_);
  if (captures_ > 0)
    return "Another thread began to capture a CUDA graph during the launch, so nothing was captured.";
  if (!has_succeeded(data) || functions_.synchronise() != CUDA_SUCCESS)
    return "The launch failed, so nothing was captured.";
  if (const char* const problem = memory_.write_contents(file_, true); problem != nullptr) return problem;
  return image_.write(file_) ? nullptr : kNoRoom;
}

// Further launches are not called back.
void LaunchCapturer::end() {
  is_over_ = true;
  set_callbacks(false);
}

void LaunchCapturer::finish() {
  if (is_forgotten_) return;
  is_over_ = true;
  if (::pthread_mutex_trylock(&turn_) != 0) return;
  const collecting::capturing::RawCapturedTotals totals{launches_, in_graphs_};
  if (file_.open()) {
    file_.write(RawChunk::kCapturedTotals, 1, &totals, sizeof(totals));
    file_.close();
  }
  ::pthread_mutex_unlock(&turn_);
}

}  // namespace warptune::survey::injected::capturing
