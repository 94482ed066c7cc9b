#include "survey/injected/counting/known_graphs.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

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

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  constexpr std::uint64_t kMultiplier = 0x9E37'79B9'7F4A'7C15U;
  hash = (hash ^ value) * kMultiplier;
  return hash ^ hash >> 29U;
}

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
  const std::array<std::uint32_t, 3> grid{parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ};
  const std::array<std::uint32_t, 3> block{parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ};
  std::uint64_t hash = name_hash(name == nullptr ? "" : name);
  for (const std::array<std::uint32_t, 3>& sizes : {grid, block}) {
    for (const std::uint32_t size : sizes) hash = mixed(hash, size);
  }
  found.content += hash;  // So the order of the nodes does not matter.
  if (name == nullptr) return;
  if (std::strstr(name, "nccl") != nullptr || std::strstr(name, "nvshmem") != nullptr)
    found.has_collectives = 1;
  const std::uint32_t kernel = plan_.kernel_of(name);
  if (kernel == kNotPlanned) return;
  const collecting::counting::RawPlannedKernel& planned = plan_.kernel(kernel);
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
      found.content += mixed(1, static_cast<std::uint64_t>(type));
    }
  }
  std::free(nodes);
}

// The place of an executable graph, or null.
KnownGraphs::Executable* KnownGraphs::find_place(CUgraphExec executable) {
  Executable* const end = executables_.data() + used_;
  Executable* const found = std::find_if(executables_.data(), end,
                                         [&](const Executable& known) { return known.handle == executable; });
  return found == end ? nullptr : found;
}

void KnownGraphs::learn(CUgraphExec executable, CUgraph graph) {
  if (executable == nullptr || !functions_.has_graphs()) return;
  RawCountedGraph found;
  add_nodes(graph, found, 0);
  const bool is_planned =
      std::any_of(found.nodes.begin(), found.nodes.end(), [](std::uint32_t nodes) { return nodes > 0; });
  const Lock lock(lock_);
  // It may be an update, or have the handle of a graph that was destroyed.
  Executable* place = find_place(executable);
  if (!is_planned) {
    if (place != nullptr) place->handle = nullptr;
    return;
  }
  const auto end = graphs_.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto same = std::find_if(
      graphs_.begin(), end, [&](const RawCountedGraph& known) { return known.content == found.content; });
  if (same == end) {
    if (count_ == kMaxGraphs) {
      if (place != nullptr) place->handle = nullptr;
      return;
    }
    found.number = static_cast<std::uint32_t>(count_);
    graphs_[count_] = found;
    ++count_;
  }
  if (place == nullptr) place = find_place(nullptr);
  if (place == nullptr && used_ < kMaxExecutables) place = &executables_[used_++];
  if (place == nullptr) {
    place = &executables_[oldest_];
    oldest_ = (oldest_ + 1) % kMaxExecutables;
  }
  *place = {executable, static_cast<std::size_t>(same - graphs_.begin())};
}

void KnownGraphs::forget(CUgraphExec executable) {
  if (executable == nullptr) return;
  const Lock lock(lock_);
  if (Executable* const place = find_place(executable); place != nullptr) place->handle = nullptr;
}

RawCountedGraph* KnownGraphs::find(CUgraphExec executable) {
  if (executable == nullptr) return nullptr;
  const Lock lock(lock_);
  const Executable* const place = find_place(executable);
  return place == nullptr ? nullptr : &graphs_[place->graph];
}

std::size_t KnownGraphs::copy_to(std::array<RawCountedGraph, kMaxGraphs>& graphs) {
  const Lock lock(lock_);
  graphs = graphs_;
  return count_;
}

}  // namespace warptune::survey::injected::counting
