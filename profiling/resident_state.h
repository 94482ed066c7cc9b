// The members of `ResidentKernel`: everything about a loaded configuration that is the same for all launches.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiling/driver/cuda_driver.h"
#include "profiling/driver/launch_screening.h"
#include "profiling/driver/tensor_map.h"
#include "profiling/resident_kernel.h"

namespace warptune::profiling {

inline constexpr std::size_t kMaxParameters = 64;
inline constexpr std::size_t kMaxTensorMaps = 8;

/// Where a parameter of a kernel comes from.
struct ResidentParameter {
  enum class From { kAddress, kScalar, kValue, kTensorMap };
  From from = From::kAddress;
  std::size_t index = 0;         ///< The index of the argument, or that of the tensor map for kTensorMap.
  CUdeviceptr offset = 0;        ///< For kAddress: added to the address.
  std::vector<std::byte> value;  ///< For kValue: the constant value.
};

struct ResidentStep {
  CUfunction function = nullptr;
  std::unique_ptr<driver::LaunchConfig> config;
  std::vector<ResidentParameter> parameters;
};

struct ResidentScratch {
  std::size_t argument = 0;
  std::uint64_t offset = 0;  ///< In the workspace.
  std::uint64_t bytes = 0;
  bool is_zeroed = false;
};

struct ResidentVariable {
  std::size_t argument = 0;
  CUdeviceptr address = 0;
  std::uint64_t bytes = 0;
};

struct ResidentMap {
  std::size_t argument = 0;  ///< The index of the argument that is the tensor map.
  std::size_t buffer = 0;    ///< The index of the argument whose elements it describes.
  bool is_encoded = false;
  driver::TensorMapLayout layout;
};

struct ResidentKernel::State {
  std::shared_ptr<const ResidentContext> context;
  driver::Module module;
  std::vector<ExpectedArgument> expected;
  std::vector<std::size_t> positions;  ///< The index of each expected argument among all arguments.
  std::vector<std::vector<std::byte>> usual_scalars;  ///< For each argument: the definition's value.
  std::vector<ResidentScratch> scratch;
  std::vector<ResidentVariable> variables;
  std::vector<ResidentMap> maps;
  std::vector<ResidentStep> steps;
  std::uint64_t workspace_bytes = 0;
  /// The stream of the first launch that wrote the variables, or `kNoStream` before it.
  mutable std::atomic<std::uintptr_t> stream_of_variables{kNoStream};
  static constexpr std::uintptr_t kNoStream = ~std::uintptr_t{0};

  void add_arguments(const ResidentCode& code, const model::GpuDescription& gpu);
  std::optional<std::string> find_variables(const ResidentCode& code);
  std::optional<std::string> add_steps(const ResidentCode& code, const model::GpuDescription& gpu);
  ResidentParameter parameter_of(std::size_t argument, CUdeviceptr offset) const;
  LaunchOutcome check_argument(std::size_t index, const GivenArgument& given) const noexcept;
  LaunchOutcome check(CUstream stream, std::span<const GivenArgument> given, std::uint64_t workspace,
                      std::uint64_t bytes) const noexcept;
  LaunchOutcome check_stream(CUstream stream) const noexcept;
};

}  // namespace warptune::profiling
