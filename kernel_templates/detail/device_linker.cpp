#include "kernel_templates/detail/device_linker.h"

#include <fmt/format.h>
#include <nvJitLink.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/shared_library.h"
#include "base/text.h"
#include "base/unique_handle.h"
#include "kernel_templates/detail/assembler_report.h"

namespace warptune::kernel_templates::detail {

namespace {

namespace fs = std::filesystem;

// nvJitLink's functions by their plain names, whatever version the header's own names carry.
struct Linker {
  Linker()
      : library({"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"}, base::cuda_library_folders(),
                "install the CUDA Toolkit, or set CUDA_HOME to where it lies"),
        create(library.function<decltype(nvJitLinkCreate)>("nvJitLinkCreate")),
        destroy(library.function<decltype(nvJitLinkDestroy)>("nvJitLinkDestroy")),
        add_data(library.function<decltype(nvJitLinkAddData)>("nvJitLinkAddData")),
        add_file(library.function<decltype(nvJitLinkAddFile)>("nvJitLinkAddFile")),
        complete(library.function<decltype(nvJitLinkComplete)>("nvJitLinkComplete")),
        cubin_size(library.function<decltype(nvJitLinkGetLinkedCubinSize)>("nvJitLinkGetLinkedCubinSize")),
        cubin(library.function<decltype(nvJitLinkGetLinkedCubin)>("nvJitLinkGetLinkedCubin")),
        error_log_size(library.function<decltype(nvJitLinkGetErrorLogSize)>("nvJitLinkGetErrorLogSize")),
        error_log(library.function<decltype(nvJitLinkGetErrorLog)>("nvJitLinkGetErrorLog")),
        info_log_size(library.function<decltype(nvJitLinkGetInfoLogSize)>("nvJitLinkGetInfoLogSize")),
        info_log(library.function<decltype(nvJitLinkGetInfoLog)>("nvJitLinkGetInfoLog")) {}

  base::SharedLibrary library;
  decltype(nvJitLinkCreate)* create;
  decltype(nvJitLinkDestroy)* destroy;
  decltype(nvJitLinkAddData)* add_data;
  decltype(nvJitLinkAddFile)* add_file;
  decltype(nvJitLinkComplete)* complete;
  decltype(nvJitLinkGetLinkedCubinSize)* cubin_size;
  decltype(nvJitLinkGetLinkedCubin)* cubin;
  decltype(nvJitLinkGetErrorLogSize)* error_log_size;
  decltype(nvJitLinkGetErrorLog)* error_log;
  decltype(nvJitLinkGetInfoLogSize)* info_log_size;
  decltype(nvJitLinkGetInfoLog)* info_log;

  static const Linker& get() {
    static const Linker linker;
    return linker;
  }
};

struct LinkTraits {
  using Handle = nvJitLinkHandle;
  static Handle null() { return nullptr; }
  static void close(Handle handle) { Linker::get().destroy(&handle); }
};
using Link = base::UniqueHandle<LinkTraits>;

template <class Size, class Text>
std::string log_of(nvJitLinkHandle link, Size* size_of, Text* text_of) {
  std::size_t size = 0;
  if (size_of(link, &size) != NVJITLINK_SUCCESS || size == 0) return "";
  std::string text(size + 1, '\0');
  if (text_of(link, text.data()) != NVJITLINK_SUCCESS) return "";
  text.resize(text.find('\0'));
  return text;
}

base::Result<std::string> link_with(const Linker& linker, const std::string& cubin,
                                    const CompileRequest& request, std::vector<EntryCode>& entries) {
  const std::string architecture = "-arch=" + request.architecture;
  const char* options[] = {architecture.c_str(), "-verbose"};
  Link link;
  nvJitLinkResult result = linker.create(link.out(), 2, options);
  if (result == NVJITLINK_SUCCESS)
    result = linker.add_data(link.get(), NVJITLINK_INPUT_CUBIN, cubin.data(), cubin.size(),
                             request.program_name.c_str());
  for (const std::string& name : request.libraries) {
    const std::string path = find_device_library(name);
    if (path.empty())
      return base::failure(fmt::format("{}the toolkit has no device library lib{}.a", kCannotLink, name));
    if (result == NVJITLINK_SUCCESS)
      result = linker.add_file(link.get(), NVJITLINK_INPUT_LIBRARY, path.c_str());
  }
  if (result == NVJITLINK_SUCCESS) result = linker.complete(link.get());
  std::size_t size = 0;
  if (result == NVJITLINK_SUCCESS) result = linker.cubin_size(link.get(), &size);
  std::string linked(size, '\0');
  if (result == NVJITLINK_SUCCESS) result = linker.cubin(link.get(), linked.data());
  if (result != NVJITLINK_SUCCESS) {
    const std::string log =
        link.get() == nullptr ? "" : log_of(link.get(), linker.error_log_size, linker.error_log);
    return base::failure(
        log.empty() ? fmt::format("linking fails: nvJitLink error {}", static_cast<int>(result)) : log);
  }
  read_linked_resources(log_of(link.get(), linker.info_log_size, linker.info_log), request.architecture,
                        entries);
  return linked;
}

}  // namespace

std::string find_device_library(const std::string& name) {
  for (const std::string& folder : base::cuda_library_folders()) {
    fs::path path = fs::path(folder) / ("lib" + name + ".a");
    if (std::error_code ignored; fs::is_regular_file(path, ignored)) return path.string();
  }
  return "";
}

base::Result<std::string> link_program(const std::string& cubin, const CompileRequest& request,
                                       std::vector<EntryCode>& entries) {
  const Linker* linker = nullptr;
  try {
    linker = &Linker::get();
  } catch (const base::MachineError& error) {
    return base::failure(std::string(kCannotLink) + error.what());
  }
  return link_with(*linker, cubin, request, entries);
}

void read_linked_resources(const std::string& info, const std::string& architecture,
                           std::vector<EntryCode>& entries) {
  constexpr std::int64_t kSystemBytes = 1024;  // CUDA C++ Programming Guide, "Compute Capability 8.x".
  const bool has_system_bytes = std::atoi(architecture.c_str() + architecture.find('_') + 1) >= 80;
  EntryCode* current = nullptr;
  for (const std::string& line : base::split(info, '\n')) {
    const std::string symbol = symbol_after(line, "Function properties for '");
    if (!symbol.empty()) {
      current = nullptr;
      for (EntryCode& entry : entries) {
        if (entry.lowered_name == symbol) current = &entry;
      }
    }
    if (current == nullptr || line.find(" registers") == std::string::npos) continue;
    current->registers_per_thread = number_before(line, " registers");
    current->local_bytes = number_before(line, " stack");
    const std::int64_t shared = number_before(line, " bytes smem");
    current->static_shared_bytes =
        has_system_bytes && shared >= kSystemBytes ? shared - kSystemBytes : shared;
  }
}

}  // namespace warptune::kernel_templates::detail
