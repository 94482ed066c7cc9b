#include "survey/injected/counting/known_graphs.h"

#include <algorithm>
#include <cstdlib>

namespace warptune::survey::injected::counting {

using collecting::RawCountedGraph;

namespace {

constexpr int kMaxDepth = 8;  // A graph may have others within it.

class Lock {
 public:
  explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { ::pthread_mutex_lock(&mutex_); }
  ~Lock() { ::pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

// The runtime gives the driver kernels of libraries in the place of functions.
const char* name_of(const CountingFunctions& functions, const CUDA_KERNEL_NODE_PARAMS& node) {
  const char* name = nullptr;
  if (node.func != nullptr && functions.function_name != nullptr &&
      functions.function_name(&name, node.func) == CUDA_SUCCESS)
    return name;
  const CUkernel kernel = node.kern != nullptr ? node.kern : reinterpret_cast<CUkernel>(node.func);
  if (functions.kernel_name != nullptr && functions.kernel_name(&name, kernel) == CUDA_SUCCESS) return name;
  return nullptr;
}

}  // namespace

void KnownGraphs::add_kernel(CUgraphNode node, RawCountedGraph& found) {
  ++found.kernel_nodes;
  CUDA_KERNEL_NODE_PARAMS parameters{};
  if (functions_.kernel_node(node, &parameters) != CUDA_SUCCESS) return;
  const char* const name = name_of(functions_, parameters);
  const std::uint32_t kernel = name == nullptr ? kNotPlanned : plan_.kernel_of(name);
  if (kernel == kNotPlanned) return;
  const collecting::counting::RawPlannedKernel& planned = plan_.kernel(kernel);
  const std::array<std::uint32_t, 3> grid{parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ};
  const std::array<std::uint32_t, 3> block{parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ};
  if (grid == planned.grid && block == planned.block) ++found.nodes[kernel];
}

void KnownGraphs::add_nodes(CUgraph graph, RawCountedGraph& found, int depth) {
  std::size_t count = 0;
  if (depth > kMaxDepth || functions_.graph_nodes(graph, nullptr, &count) != CUDA_SUCCESS || count == 0)
    return;
  auto* const nodes = static_cast<CUgraphNode*>(std::calloc(count, sizeof(CUgraphNode)));
  if (nodes == nullptr) return;
  if (functions_.graph_nodes(graph, nodes, &count) != CUDA_SUCCESS) count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    CUgraph child = nullptr;
    if (functions_.node_type(nodes[i], &type) != CUDA_SUCCESS) continue;
    if (type == CU_GRAPH_NODE_TYPE_KERNEL) {
      add_kernel(nodes[i], found);
    } else if (type == CU_GRAPH_NODE_TYPE_GRAPH && functions_.child_graph(nodes[i], &child) == CUDA_SUCCESS) {
      add_nodes(child, found, depth + 1);
    } else if (type != CU_GRAPH_NODE_TYPE_EMPTY) {
      ++found.other_nodes;
    }
  }
  std::free(nodes);
}

void KnownGraphs::learn(CUgraphExec executable, CUgraph graph) {
  if (executable == nullptr || !functions_.has_graphs()) return;
  RawCountedGraph found;
  add_nodes(graph, found, 0);
  const Lock lock(lock_);
  // The driver may give a new graph the place of one that was destroyed.
  for (Executable& known : executables_) {
    if (known.handle == executable) known.handle = nullptr;
  }
  if (std::all_of(found.nodes.begin(), found.nodes.end(), [](std::uint32_t nodes) { return nodes == 0; }))
    return;
  const auto end = graphs_.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto same = std::find_if(graphs_.begin(), end, [&](const RawCountedGraph& known) {
    return known.nodes == found.nodes && known.kernel_nodes == found.kernel_nodes &&
           known.other_nodes == found.other_nodes;
  });
  if (same == end) {
    if (count_ == kMaxGraphs) return;
    found.number = static_cast<std::uint32_t>(count_);
    graphs_[count_++] = found;
  }
  executables_[next_] = {executable, static_cast<std::size_t>(same - graphs_.begin())};
  next_ = (next_ + 1) % kMaxExecutables;
}

RawCountedGraph* KnownGraphs::find(CUgraphExec executable) {
  const Lock lock(lock_);
  for (const Executable& known : executables_) {
    if (known.handle == executable && executable != nullptr) return &graphs_[known.graph];
  }
  return nullptr;
}

}  // namespace warptune::survey::injected::counting
