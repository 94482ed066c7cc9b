#include "survey/injected/counting/counting_functions.h"

#include <dlfcn.h>

#include <type_traits>

namespace warptune::survey::injected::counting {

namespace {

template <class Function>
void load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
}

}  // namespace

CountingFunctions load_counting_functions(void* cupti) {
  CountingFunctions functions;
#define WARPTUNE_LOAD(name)           \
  load(cupti, #name, functions.name); \
  if (functions.name == nullptr)      \
    functions.problem = "The program's libcupti has no " #name ", so nothing was counted.";
  WARPTUNE_COUNTING_FUNCTIONS(WARPTUNE_LOAD)
#undef WARPTUNE_LOAD
  if (void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD); driver != nullptr) {
    load(driver, "cuStreamIsCapturing", functions.is_capturing);
    load(driver, "cuStreamIsCapturing_ptsz", functions.is_capturing_by_thread);
    load(driver, "cuDeviceGetUuid_v2", functions.device_uuid);
    load(driver, "cuCtxSynchronize", functions.wait_for_context);
    load(driver, "cuGraphGetNodes", functions.graph_nodes);
    load(driver, "cuGraphNodeGetType", functions.node_type);
    load(driver, "cuGraphChildGraphNodeGetGraph", functions.child_graph);
    load(driver, "cuGraphKernelNodeGetParams_v2", functions.kernel_node);
    load(driver, "cuFuncGetName", functions.function_name);
    load(driver, "cuKernelGetName", functions.kernel_name);
  }
  return functions;
}

}  // namespace warptune::survey::injected::counting
