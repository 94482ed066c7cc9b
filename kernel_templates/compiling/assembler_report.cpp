#include "kernel_templates/compiling/assembler_report.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/text.h"

namespace warptune::kernel_templates::compiling {

std::int64_t number_before(std::string_view line, std::string_view unit) {
  const std::size_t at = line.find(unit);
  if (at == std::string_view::npos) return 0;
  std::size_t start = at;
  while (start > 0 && line[start - 1] >= '0' && line[start - 1] <= '9') --start;
  return std::atoll(std::string(line.substr(start, at - start)).c_str());
}

std::string symbol_after(const std::string& line, std::string_view marker) {
  const std::size_t at = line.find(marker);
  if (at == std::string::npos) return "";
  const std::size_t start = at + marker.size();
  return line.substr(start, line.find_first_of(" '", start) - start);
}

void read_resources(const std::string& log, std::vector<EntryCode>& entries) {
  EntryCode* current = nullptr;
  for (const std::string& line : base::split(log, '\n')) {
    std::string symbol = symbol_after(line, "Compiling entry function '");
    if (symbol.empty()) symbol = symbol_after(line, "Function properties for ");
    if (!symbol.empty()) {
      current = nullptr;
      for (EntryCode& entry : entries) {
        if (entry.lowered_name == symbol) current = &entry;
      }
    }
    if (current == nullptr) continue;
    if (line.find("bytes stack frame") != std::string::npos) {
      current->local_bytes = number_before(line, " bytes stack frame");
      current->spill_bytes =
          number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
    }
    if (line.find(" registers") != std::string::npos) {
      current->registers_per_thread = number_before(line, " registers");
      current->static_shared_bytes = number_before(line, " bytes smem");
    }
  }
}

std::optional<std::string> exceeded_shared_memory(const std::string& log) {
  // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": more is possible with
  // dynamic allocation only.
  constexpr std::int64_t kMaxStaticBytes = 49152;
  std::string kernel;
  for (const std::string& line : base::split(log, '\n')) {
    const std::string symbol = symbol_after(line, "Compiling entry function '");
    if (!symbol.empty()) kernel = symbol;
    const std::int64_t bytes = number_before(line, " bytes smem");
    if (bytes > kMaxStaticBytes)
      return fmt::format("{} has {} bytes of static shared memory, but the compiler allows {}", kernel, bytes,
                         kMaxStaticBytes);
  }
  return std::nullopt;
}

std::string messages_of(const std::string& log) {
  std::string messages;
  for (const std::string& line : base::split(log, '\n')) {
    const bool report =
        line.find("ptxas info") != std::string::npos || line.find("bytes stack frame") != std::string::npos;
    if (report || base::trim(line).empty()) continue;
    messages += (messages.empty() ? "" : "\n") + line;
  }
  return messages;
}

}  // namespace warptune::kernel_templates::compiling
