#include "kernel_templates/compiling/device_linker.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/shared_library.h"
#include "base/text.h"
#include "base/unique_handle.h"
#include "kernel_templates/compiling/assembler_report.h"

namespace warptune::kernel_templates::compiling {

namespace {

namespace fs = std::filesystem;

// The header of nvJitLink is not used: some toolkits that have NVRTC (wheels) do not have it, and it declares
// functions with its version in their names. The names without a version are from nvJitLink's documentation,
// "NVJITLINK API".
using LinkHandle = struct nvJitLink*;
constexpr int kSuccess = 0;
constexpr int kCubin = 1;
constexpr int kLibrary = 6;

using Create = int(LinkHandle*, std::uint32_t, const char**);
using Destroy = int(LinkHandle*);
using AddData = int(LinkHandle, int, const void*, std::size_t, const char*);
using AddFile = int(LinkHandle, int, const char*);
using Act = int(LinkHandle);
using GetSize = int(LinkHandle, std::size_t*);
using GetCubin = int(LinkHandle, void*);
using GetText = int(LinkHandle, char*);

struct Linker {
  Linker()
      : library({"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"}, base::cuda_library_folders(),
                "install the CUDA Toolkit, or set CUDA_HOME to its folder"),
        create(library.function<Create>("nvJitLinkCreate")),
        destroy(library.function<Destroy>("nvJitLinkDestroy")),
        add_data(library.function<AddData>("nvJitLinkAddData")),
        add_file(library.function<AddFile>("nvJitLinkAddFile")),
        complete(library.function<Act>("nvJitLinkComplete")),
        cubin_size(library.function<GetSize>("nvJitLinkGetLinkedCubinSize")),
        cubin(library.function<GetCubin>("nvJitLinkGetLinkedCubin")),
        error_log_size(library.function<GetSize>("nvJitLinkGetErrorLogSize")),
        error_log(library.function<GetText>("nvJitLinkGetErrorLog")),
        info_log_size(library.function<GetSize>("nvJitLinkGetInfoLogSize")),
        info_log(library.function<GetText>("nvJitLinkGetInfoLog")) {}

  base::SharedLibrary library;
  Create* create;
  Destroy* destroy;
  AddData* add_data;
  AddFile* add_file;
  Act* complete;
  GetSize* cubin_size;
  GetCubin* cubin;
  GetSize* error_log_size;
  GetText* error_log;
  GetSize* info_log_size;
  GetText* info_log;

  static const Linker& get() {
    static const Linker linker;
    return linker;
  }
};

struct LinkTraits {
  using Handle = LinkHandle;
  static Handle null() { return nullptr; }
  static void close(Handle handle) { Linker::get().destroy(&handle); }
};
using Link = base::UniqueHandle<LinkTraits>;

std::string log_of(LinkHandle link, GetSize* size_of, GetText* text_of) {
  std::size_t size = 0;
  if (size_of(link, &size) != kSuccess || size == 0) return "";
  std::string text(size + 1, '\0');
  if (text_of(link, text.data()) != kSuccess) return "";
  text.resize(text.find('\0'));
  return text;
}

tl::unexpected<model::Rejection> cannot_link(const std::string& why) {
  return base::failure(model::Rejection{model::Status::kCompileFailed, "cannot link: " + why,
                                        model::RejectionCause::kNoLinker});
}

tl::unexpected<model::Rejection> failed(int result, const std::string& log) {
  using model::RejectionCause;
  return base::failure(
      model::Rejection{model::Status::kCompileFailed,
                       log.empty() ? fmt::format("linking fails: nvJitLink error {}", result) : log,
                       log.empty() ? RejectionCause::kCompilerFailed : RejectionCause::kCandidate});
}

model::Outcome<std::string> link_with(const Linker& linker, const std::string& cubin,
                                      const CompileRequest& request, std::vector<EntryCode>& entries) {
  const std::string architecture = "-arch=" + request.architecture;
  const char* options[] = {architecture.c_str(), "-verbose"};
  Link link;
  int result = linker.create(link.out(), 2, options);
  if (result == kSuccess)
    result = linker.add_data(link.get(), kCubin, cubin.data(), cubin.size(), request.program_name.c_str());
  for (const std::string& name : request.libraries) {
    const std::string path = find_device_library(name);
    if (path.empty()) return cannot_link(fmt::format("the toolkit has no device library lib{}.a", name));
    if (result == kSuccess) result = linker.add_file(link.get(), kLibrary, path.c_str());
  }
  if (result == kSuccess) result = linker.complete(link.get());
  std::size_t size = 0;
  if (result == kSuccess) result = linker.cubin_size(link.get(), &size);
  std::string linked(size, '\0');
  if (result == kSuccess) result = linker.cubin(link.get(), linked.data());
  if (result != kSuccess) {
    const std::string log =
        link.get() == nullptr ? "" : log_of(link.get(), linker.error_log_size, linker.error_log);
    return failed(result, log);
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

model::Outcome<std::string> link_program(const std::string& cubin, const CompileRequest& request,
                                         std::vector<EntryCode>& entries) {
  const Linker* linker = nullptr;
  try {
    linker = &Linker::get();
  } catch (const base::MachineError& error) {
    return cannot_link(error.what());
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

}  // namespace warptune::kernel_templates::compiling
