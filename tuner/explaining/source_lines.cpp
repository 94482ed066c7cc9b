#include "tuner/explaining/source_lines.h"

#include <fmt/format.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "tuner/workers/compiling/compile_pool.h"

namespace warptune::tuner::explaining {

namespace {

constexpr std::chrono::seconds kCompileDeadline{60};

}  // namespace

model::Outcome<kernel_templates::CompiledKernel> compile_with_lines(
    const kernel_templates::KernelInstance& instance, const model::NamedValues& configuration,
    const std::filesystem::path& compile_cache) {
  model::Outcome<kernel_templates::CompileRequest> request = instance.compile_request(configuration);
  if (!request) return base::failure(request.error());
  request->options.emplace_back("--generate-line-info");
  workers::compiling::CompilePool pool(1, kCompileDeadline, compile_cache);
  return std::move(pool.compile_all({std::move(*request)}).front());
}

std::string SourceTexts::text_of(const profiling::SourceLine& line) {
  const auto [file, is_new] = files_.try_emplace(line.file);
  std::error_code ignored;
  if (is_new && scope_.allows(line.file) && std::filesystem::is_regular_file(line.file, ignored)) {
    try {
      file->second = base::split(base::read_file(line.file), '\n');
    } catch (const base::Error& error) {
      base::log_debug(fmt::format("the text of source lines is missing: {}", error.what()));
    }
  }
  const auto number = static_cast<std::size_t>(line.number);
  if (number < 1 || number > file->second.size()) return "";
  return std::string(base::trim(file->second[number - 1]));
}

}  // namespace warptune::tuner::explaining
