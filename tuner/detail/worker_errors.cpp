#include "tuner/detail/worker_errors.h"

#include <string>

#include "base/error.h"

namespace warptune::tuner::detail {

void throw_if_error(const nlohmann::json& message) {
  if (message.at("type") != "error") return;
  throw base::Error(static_cast<base::ExitCode>(message.at("exit_code").get<int>()),
                    message.at("message").get<std::string>());
}

}  // namespace warptune::tuner::detail
