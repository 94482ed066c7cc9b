#include "tests/survey/collecting/programs/fake_driver.h"

#include <cuda.h>

#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <string_view>
#include <utility>

namespace {

struct Allocation {
  std::size_t bytes = 0;
  unsigned type = 0;
};
std::map<CUdeviceptr, Allocation>& allocations() {
  static auto* const all = new std::map<CUdeviceptr, Allocation>;
  return *all;
}
float gain = 2.0F;
bool knows_modules = true;
CUresult end_of_parameters = CUDA_ERROR_INVALID_VALUE;
CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
bool was_relaxed = true;

const std::pair<const CUdeviceptr, Allocation>* find(CUdeviceptr pointer) {
  auto next = allocations().upper_bound(pointer);
  if (next == allocations().begin()) return nullptr;
  --next;
  return pointer - next->first < next->second.bytes ? &*next : nullptr;
}

struct FakeNode {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_MEMSET;
  const char* name = nullptr;
  unsigned blocks = 0;
  void* child = nullptr;
};
using FakeGraph = std::list<FakeNode>;

}  // namespace

extern "C" {

void* fake_graph() { return new FakeGraph(1); }
void fake_add_kernel_node(void* graph, const char* name, unsigned blocks) {
  static_cast<FakeGraph*>(graph)->push_back({CU_GRAPH_NODE_TYPE_KERNEL, name, blocks, nullptr});
}
void fake_add_child(void* graph, void* child) {
  static_cast<FakeGraph*>(graph)->push_back({CU_GRAPH_NODE_TYPE_GRAPH, nullptr, 0, child});
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  auto& all = *reinterpret_cast<FakeGraph*>(graph);
  *count = all.size();
  if (nodes == nullptr) return CUDA_SUCCESS;
  for (FakeNode& node : all) *nodes++ = reinterpret_cast<CUgraphNode>(&node);
  return CUDA_SUCCESS;
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  *type = reinterpret_cast<const FakeNode*>(node)->type;
  return CUDA_SUCCESS;
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  *graph = static_cast<CUgraph>(reinterpret_cast<const FakeNode*>(node)->child);
  return CUDA_SUCCESS;
}
// A handle of a function is its name.
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* parameters) {
  const auto& fake = *reinterpret_cast<const FakeNode*>(node);
  *parameters = {};
  parameters->kern = reinterpret_cast<CUkernel>(const_cast<char*>(fake.name));
  parameters->gridDimX = fake.blocks;
  parameters->blockDimX = 256;
  parameters->gridDimY = parameters->gridDimZ = parameters->blockDimY = parameters->blockDimZ = 1;
  return CUDA_SUCCESS;
}
CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  *name = reinterpret_cast<const char*>(kernel);
  return CUDA_SUCCESS;
}

void* fake_allocate(std::size_t bytes, unsigned type) {
  void* const memory = std::calloc(1, bytes);
  allocations()[reinterpret_cast<CUdeviceptr>(memory)] = {bytes, type};
  return memory;
}
float* fake_variable() { return &gain; }
void fake_hide_modules() { knows_modules = false; }
void fake_fail_parameters() { end_of_parameters = CUDA_ERROR_NOT_SUPPORTED; }
int fake_was_relaxed() { return was_relaxed && capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL ? 1 : 0; }

CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  if (!knows_modules) return CUDA_ERROR_INVALID_HANDLE;
  *module = reinterpret_cast<CUmodule>(function);
  return CUDA_SUCCESS;
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  std::swap(*mode, capture_mode);
  return CUDA_SUCCESS;
}
CUresult cuFuncLoad(CUfunction) { return CUDA_SUCCESS; }
// A structure of a number and a pointer, a pointer, and a number.
CUresult cuFuncGetParamInfo(CUfunction, std::size_t number, std::size_t* offset, std::size_t* bytes) {
  constexpr std::size_t kPlaces[][2] = {{0, 16}, {16, 8}, {24, 4}};
  if (number >= std::size(kPlaces)) return end_of_parameters;
  *offset = kPlaces[number][0];
  *bytes = kPlaces[number][1];
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  *value = 50;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule, const char* name) {
  if (std::string_view(name) != "gain") return CUDA_ERROR_NOT_FOUND;
  *address = reinterpret_cast<CUdeviceptr>(&gain);
  *bytes = sizeof(gain);
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  const auto* const found = find(pointer);
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool is_managed = found->second.type == 0;
  unsigned result = 0;
  if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
    result = is_managed ? static_cast<unsigned>(CU_MEMORYTYPE_DEVICE) : found->second.type;
  if (attribute == CU_POINTER_ATTRIBUTE_IS_MANAGED) result = is_managed ? 1 : 0;
  std::memcpy(value, &result, sizeof(result));
  return CUDA_SUCCESS;
}
CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr pointer) {
  const auto* const found = find(pointer);
  if (found == nullptr) return CUDA_ERROR_NOT_FOUND;
  *base = found->first;
  *bytes = found->second.bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH_v2(void* target, CUdeviceptr source, std::size_t bytes) {
  was_relaxed = was_relaxed && capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED;
  std::memcpy(target, reinterpret_cast<const void*>(source), bytes);
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  was_relaxed = was_relaxed && capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice) {
  *uuid = {};
  uuid->bytes[0] = 0x12;  // That of the GPU of the fake CUPTI.
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
  const char* given = std::getenv("FAKE_DRIVER_VERSION");
  *version = given == nullptr ? 13000 : std::atoi(given);
  return CUDA_SUCCESS;
}
CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult cuStreamIsCapturing_ptsz(CUstream stream, CUstreamCaptureStatus* status) {
  return cuStreamIsCapturing(stream, status);
}

}  // extern "C"
