#include "tuner/workers/launch_worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <variant>

#include "base/error.h"
#include "base/files.h"
#include "kernel_templates/library.h"
#include "profiling/sanitizing/bare_launch.h"
#include "tuner/protocol/codec.h"

namespace warptune::tuner::workers {

namespace {

protocol::LaunchOnce request_in(const std::filesystem::path& file) {
  base::Result<protocol::Message> message = protocol::decode(base::read_file(file));
  if (!message)
    throw base::InputError(
        fmt::format("{}: expected a message to a worker: {}", file.string(), message.error()));
  auto* const request = std::get_if<protocol::LaunchOnce>(&*message);
  if (request == nullptr)
    throw base::InputError(
        fmt::format("{}: expected the message {}", file.string(), protocol::LaunchOnce::kName));
  return std::move(*request);
}

protocol::LaunchedOnce launch(const protocol::LaunchOnce& request) {
  const kernel_templates::KernelInstance instance(
      kernel_templates::load_kernel(request.kernel, {request.readable_folders}), request.problem,
      request.gpu);
  return {profiling::sanitizing::launch_bare(instance, request.configuration, request.compiled,
                                             request.ordinal, request.seed)
              .value_or("")};
}

}  // namespace

std::filesystem::path answer_file(const std::filesystem::path& request) {
  return request.string() + ".answer";
}

int launch_from_file(const std::filesystem::path& request) {
  const protocol::LaunchOnce message = request_in(request);
  // The program that started this process may be killed, and a kernel that hangs would then never end.
  ::alarm(static_cast<unsigned>(std::clamp<std::int64_t>(message.deadline_s, 1, 86400)));
  protocol::Message answer;
  try {
    answer = launch(message);
  } catch (const std::exception& error) {
    answer = protocol::failure_of(error);
  }
  base::write_file_atomically(answer_file(request), protocol::encode(answer));
  return 0;
}

}  // namespace warptune::tuner::workers
