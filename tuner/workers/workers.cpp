#include "tuner/workers/workers.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <utility>

#include "base/error.h"
#include "tuner/confinement/sandbox.h"
#include "tuner/protocol/message_channel.h"
#include "tuner/workers/compiling/compile_limits.h"
#include "tuner/workers/compiling/compile_worker.h"
#include "tuner/workers/emulating/emulation_worker.h"
#include "tuner/workers/gpu_worker.h"
#include "tuner/workers/launch_worker.h"
#include "tuner/workers/warm/pool.h"

namespace warptune::tuner::workers {

namespace {

using protocol::Message;
using protocol::MessageChannel;

constexpr int kCompileNiceness = 10;
constexpr int kProtocolFailed = 4;  ///< The coordinator sent something that is not a message of this version.

// Answers messages until the other end closes. An exception from a message is sent to the coordinator, which
// throws it there.
template <class Receive, class Answer>
int answer_all(MessageChannel& channel, const Receive& receive, const Answer& answer) {
  while (const std::optional<Message> message = receive()) {
    try {
      if (!answer(*message)) return 1;
    } catch (const std::exception& error) {
      if (!channel.send(protocol::failure_of(error))) return 1;
    }
  }
  return channel.problem().empty() ? 0 : kProtocolFailed;
}

}  // namespace

int serve_gpu(protocol::FileDescriptor descriptor) {
  MessageChannel channel(std::move(descriptor));
  GpuWorker worker(channel);
  return answer_all(
      channel, [&] { return worker.receive(); },
      [&](const Message& message) { return worker.answer(message); });
}

int run_worker(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2)
    throw base::InputError("`worker` is an internal command: warptune starts its worker processes with it");
  const std::string& role = arguments[0];
  if (role == "launch") return launch_from_file(arguments[1]);
  const int descriptor = std::atoi(arguments[1].c_str());
  if (role == "pool" && arguments.size() == 3) {
    return warm::serve_pool(protocol::FileDescriptor(descriptor),
                            protocol::FileDescriptor(std::atoi(arguments[2].c_str())),
                            compiling::available_memory_bytes);
  }
  if (role == "gpu") {
    // Printed lines are kept even if a fault ends the process.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    return serve_gpu(protocol::FileDescriptor(descriptor));
  }
  if (role != "compile") throw base::InternalError(fmt::format("unknown role of a worker: '{}'", role));
  // Compile workers get a lower priority: a GPU is idle while its worker waits for a core.
  ::setpriority(PRIO_PROCESS, 0, kCompileNiceness);
  const auto confined_by =
      arguments.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, arguments.size()));
  const confinement::Sandbox sandbox = confinement::sandbox_of({confined_by, arguments.end()});
  confinement::enter(sandbox);
  MessageChannel channel{protocol::FileDescriptor(descriptor)};
  const auto receive = [&] { return channel.receive(); };
  return answer_all(channel, receive, [&](const Message& message) {
    if (const auto* const emulate = std::get_if<protocol::Emulate>(&message))
      return channel.send(emulating::answer_emulate(*emulate, sandbox));
    const auto* const request = std::get_if<protocol::Compile>(&message);
    if (request == nullptr)
      throw base::InternalError("a compile worker received a message that is not `compile`");
    return channel.send(compiling::answer_compile(*request, sandbox.memory_bytes));
  });
}

}  // namespace warptune::tuner::workers
