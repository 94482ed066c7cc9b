#include "bench/lookup/bare_code.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "kernel_templates/argument_data.h"
#include "kernel_templates/compile_cache.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "profiling/gpu.h"

namespace warptune::bench {

namespace {

constexpr std::uint64_t kBufferMark = ~0ULL;  // Stands for the address of a buffer in a file.

model::NamedValues values_of(const std::string& text) {
  model::NamedValues values;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equal = word.find('=');
    values.emplace_back(word.substr(0, equal), model::parse_value(word.substr(equal + 1)));
  }
  return values;
}

std::vector<std::byte> bytes_of(const void* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), data, size);
  return bytes;
}

void enqueue(CUfunction function, const kernel_templates::LaunchStep& step,
             const std::vector<std::vector<std::byte>>& values, CUstream stream) {
  std::array<void*, 64> parameters{};
  for (std::size_t i = 0; i < values.size(); ++i) parameters[i] = const_cast<std::byte*>(values[i].data());
  const profiling::driver::LaunchConfig config(step, stream);
  const CUresult code =
      profiling::driver::cuda().cuLaunchKernelEx(&config.config, function, parameters.data(), nullptr);
  profiling::driver::check_cuda(code, "cuLaunchKernelEx");
}

void allow_shared(CUfunction function, std::int64_t bytes) {
  if (bytes > 0)
    WARPTUNE_CUDA(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                     static_cast<int>(bytes)));
}

}  // namespace

LaunchBuffers::LaunchBuffers(const Code& code) : workspace_bytes_(code.workspace_bytes()) {
  for (std::size_t i = 0; i < warptune_argument_count(code.get()); ++i) {
    warptune_argument_info info{};
    info.struct_size = sizeof info;
    check(warptune_describe_argument(code.get(), i, &info));
    warptune_argument argument{info.kind, info.type, nullptr, info.bytes};
    if (info.kind == WARPTUNE_BUFFER) {
      memory_.push_back(profiling::driver::allocate(info.bytes, info.name));
      argument.data = reinterpret_cast<const void*>(memory_.back().get());
    }
    arguments_.push_back(argument);
  }
  if (workspace_bytes_ > 0) workspace_ = profiling::driver::allocate(workspace_bytes_, "the workspace");
}

BareCode::BareCode(const std::string& kernel, std::int64_t size, const std::string& configuration,
                   const LaunchBuffers& buffers) {
  const kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(kernel);
  const kernel_templates::KernelInstance instance(definition, {{definition.problem.front().first, size}},
                                                  profiling::local_gpu(0));
  const model::NamedValues chosen = values_of(configuration);
  kernel_templates::CompileCache cache(kernel_templates::default_compile_cache());
  const auto compiled = kernel_templates::compile_through(cache, instance.compile_request(chosen).value());
  const kernel_templates::LaunchPlan plan = instance.launch_plan(chosen).value();
  if (plan.steps.size() != 1 || plan.main_launch()->arguments)
    throw std::runtime_error("expected a kernel with one launch of all arguments");
  step_ = *plan.main_launch();
  cubin_ = compiled.value().cubin;
  entry_ = compiled.value().find_entry(step_.entry).lowered_name;
  WARPTUNE_CUDA(cuModuleLoadData(module_.out(), cubin_.data()));
  WARPTUNE_CUDA(cuModuleGetFunction(&function_, module_.get(), entry_.c_str()));
  allow_shared(function_, step_.shared_bytes);
  const auto arguments = instance.arguments(chosen).value();
  if (arguments.size() != buffers.arguments().size())
    throw std::runtime_error("expected a kernel without scratch and tensor maps");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const void* const& address = buffers.arguments()[i].data;
    values_.push_back(arguments[i].is_buffer() ? bytes_of(&address, sizeof address)
                                               : kernel_templates::scalar_bytes(arguments[i]));
  }
}

void BareCode::launch(CUstream stream) const { enqueue(function_, step_, values_, stream); }

void BareCode::write(const std::string& path) const {
  std::ofstream file(path, std::ios::binary);
  file << fmt::format("{} {} {} {} {}\n", entry_, step_.grid[0], step_.block[0], step_.shared_bytes,
                      values_.size());
  for (const std::vector<std::byte>& value : values_) {
    std::uint64_t number = 0;
    std::memcpy(&number, value.data(), value.size());
    const bool is_address = value.size() == 8 && number > 0xFFFFFFFF;
    file << value.size() << ' ' << (is_address ? kBufferMark : number) << '\n';
  }
  file << cubin_;
}

BareFile::BareFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string entry;
  std::size_t count = 0;
  file >> entry >> step_.grid[0] >> step_.block[0] >> step_.shared_bytes >> count;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t size = 0;
    std::uint64_t number = 0;
    file >> size >> number;
    if (number == kBufferMark) {
      memory_.push_back(profiling::driver::allocate(1 << 20, "a buffer"));
      number = memory_.back().get();
    }
    values_.push_back(bytes_of(&number, size));
  }
  file.get();
  std::ostringstream cubin;
  cubin << file.rdbuf();
  WARPTUNE_CUDA(cuModuleLoadData(module_.out(), cubin.str().data()));
  WARPTUNE_CUDA(cuModuleGetFunction(&function_, module_.get(), entry.c_str()));
  allow_shared(function_, step_.shared_bytes);
}

void BareFile::launch(CUstream stream) const { enqueue(function_, step_, values_, stream); }

}  // namespace warptune::bench
