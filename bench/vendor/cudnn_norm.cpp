#include <fmt/format.h>

#include <array>
#include <memory>

#include "bench/vendor/cudnn_library.h"
#include "bench/vendor/fastest_call.h"

// Layer and RMS normalisation exist only in cuDNN's graph API. Each is an operation graph of one node.
namespace warptune::bench::vendor {

namespace {

using Descriptor = std::shared_ptr<void>;

Descriptor make(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t made = nullptr;
  check_cudnn(cudnn().cudnnBackendCreateDescriptor(type, &made), "cudnnBackendCreateDescriptor");
  return {made, [](cudnnBackendDescriptor_t held) { cudnn().cudnnBackendDestroyDescriptor(held); }};
}

template <class T>
void set(const Descriptor& descriptor, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
         const T* values, std::int64_t count = 1) {
  check_cudnn(cudnn().cudnnBackendSetAttribute(descriptor.get(), name, type, count, values),
              "cudnnBackendSetAttribute");
}

void set(const Descriptor& descriptor, cudnnBackendAttributeName_t name, const Descriptor& value) {
  void* held = value.get();
  set(descriptor, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, &held);
}

void finalise(const Descriptor& descriptor, const char* what) {
  check_cudnn(cudnn().cudnnBackendFinalize(descriptor.get()), what);
}

using Dimensions = std::array<std::int64_t, 4>;

Descriptor make_tensor(std::int64_t id, cudnnDataType_t type, const Dimensions& dimensions, bool by_value) {
  const Descriptor tensor = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  const Dimensions strides = {dimensions[1], 1, dimensions[1], dimensions[1]};
  const std::int64_t alignment = 16;
  set(tensor, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, &type);
  set(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, dimensions.data(), 4);
  set(tensor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides.data(), 4);
  set(tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, &id);
  set(tensor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, &alignment);
  set(tensor, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, &by_value);
  finalise(tensor, "cuDNN's tensor");
  return tensor;
}

// The engine configurations that cuDNN's heuristics propose for a graph, best first.
std::vector<Descriptor> engine_configurations(const Descriptor& graph, cudnnBackendHeurMode_t mode) {
  const Descriptor heuristics = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  set(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  set(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, &mode);
  finalise(heuristics, "cuDNN's heuristics");
  std::int64_t count = 0;
  check_cudnn(cudnn().cudnnBackendGetAttribute(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                               CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr),
              "cudnnBackendGetAttribute");
  std::vector<Descriptor> configurations;
  std::vector<void*> held;
  for (std::int64_t i = 0; i < count; ++i) {
    configurations.push_back(make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
    held.push_back(configurations.back().get());
  }
  std::int64_t returned = 0;
  check_cudnn(cudnn().cudnnBackendGetAttribute(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                               CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &returned, held.data()),
              "cudnnBackendGetAttribute");
  configurations.resize(static_cast<std::size_t>(returned));
  return configurations;
}

struct Plan {
  Descriptor plan;
  std::int64_t workspace_bytes = 0;
};

Plan make_plan(const CudnnHandle& handle, const Descriptor& configuration) {
  Plan made{make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)};
  cudnnHandle_t held = handle.get();
  set(made.plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, &held);
  set(made.plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  finalise(made.plan, "cuDNN's plan");
  std::int64_t count = 0;
  check_cudnn(cudnn().cudnnBackendGetAttribute(made.plan.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                               CUDNN_TYPE_INT64, 1, &count, &made.workspace_bytes),
              "cudnnBackendGetAttribute");
  return made;
}

}  // namespace

std::vector<Call> make_cudnn_norm(const Workload& workload) {
  const std::int64_t rows = workload.size("ROWS");
  const std::int64_t columns = workload.size("COLUMNS");
  const cudnnDataType_t type = cudnn_type(workload.type_name("in"));
  const bool is_layernorm = workload.text("operation") == "layernorm";
  const std::size_t in = workload.position("in");
  const std::size_t gamma = workload.position("gamma");
  const std::size_t beta = workload.position("beta");
  const std::size_t out = workload.position("out");

  enum Id : std::int64_t { kIn = 1, kOut, kGamma, kBeta, kEpsilon };
  const Dimensions matrix = {rows, columns, 1, 1};
  const Dimensions vector = {1, columns, 1, 1};
  const Descriptor norm = make(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
  const cudnnBackendNormMode_t mode = is_layernorm ? CUDNN_LAYER_NORM : CUDNN_RMS_NORM;
  const cudnnBackendNormFwdPhase_t phase = CUDNN_NORM_FWD_INFERENCE;
  set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, &mode);
  set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE, &phase);
  set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, make_tensor(kIn, type, matrix, false));
  set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, make_tensor(kGamma, type, vector, false));
  if (is_layernorm)
    set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, make_tensor(kBeta, type, vector, false));
  set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC,
      make_tensor(kEpsilon, CUDNN_DATA_FLOAT, {1, 1, 1, 1}, true));
  set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, make_tensor(kOut, type, matrix, false));
  finalise(norm, "cuDNN's normalisation");

  const auto handle = std::make_shared<CudnnHandle>();
  const Descriptor graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  cudnnHandle_t held = handle->get();
  set(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, &held);
  set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, norm);
  finalise(graph, "cuDNN's graph");
  std::vector<Descriptor> configurations = engine_configurations(graph, CUDNN_HEUR_MODE_A);
  if (configurations.empty()) configurations = engine_configurations(graph, CUDNN_HEUR_MODE_FALLBACK);

  const auto epsilon = std::make_shared<float>(static_cast<float>(workload.scalar("epsilon")));
  std::vector<Call> calls;
  std::string refused;
  for (const Descriptor& configuration : configurations) {
    Plan plan;
    try {
      plan = make_plan(*handle, configuration);
    } catch (const base::MachineError& error) {
      refused = error.what();
      continue;
    }
    const auto workspace = shared_memory(
        static_cast<std::size_t>(std::max<std::int64_t>(plan.workspace_bytes, 1)), "cuDNN's workspace");
    Call& call = calls.emplace_back();
    call.name = fmt::format("{} graph {}, plan {} of {}", cudnn_version(), workload.text("operation"),
                            calls.size(), configurations.size());
    // The variant pack contains addresses, which stay the same during the lifetime of the workload. The first
    // launch makes it.
    const auto pack = std::make_shared<Descriptor>();
    call.launch.launch = [=](void* stream, const std::vector<std::uint64_t>& buffers) {
      if (!*pack) {
        const Descriptor made = make(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
        std::vector<std::int64_t> ids = {kIn, kOut, kGamma, kEpsilon};
        std::vector<void*> pointers = {pointer_of(buffers[in]), pointer_of(buffers[out]),
                                       pointer_of(buffers[gamma]), epsilon.get()};
        if (is_layernorm) {
          ids.push_back(kBeta);
          pointers.push_back(pointer_of(buffers[beta]));
        }
        void* space = pointer_of(workspace->get());
        const auto count = static_cast<std::int64_t>(ids.size());
        set(made, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, ids.data(), count);
        set(made, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, pointers.data(), count);
        set(made, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, &space);
        finalise(made, "cuDNN's variant pack");
        *pack = made;
      }
      check_cudnn(cudnn().cudnnBackendExecute(handle->on(stream), plan.plan.get(), pack->get()),
                  "cudnnBackendExecute");
    };
  }
  if (calls.empty()) throw base::MachineError("cuDNN has no engine for this: " + refused, "");
  return {fastest_call(workload, calls)};
}

}  // namespace warptune::bench::vendor
