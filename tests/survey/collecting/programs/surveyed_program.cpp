// A program that behaves like one that uses CUDA: `surveyed_program WHAT [NUMBER]`. Where the driver would,
// it loads the library that CUDA_INJECTION64_PATH names. Its launches are those of the fake CUPTI. It exits
// with 0 after `WHAT`, unless that says otherwise.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "tests/survey/collecting/programs/fake_cupti.h"
#include "tests/survey/collecting/programs/fake_driver.h"

// In a sanitizer build, a fork copies the locks of the allocator as they are. If another thread holds one at
// that moment, the search for leaks at the end of the child waits for it for ever. So the child has none.
static bool is_forked_child = false;

// The hook's name is the sanitizer's: sanitizer/lsan_interface.h.
extern "C" int __lsan_is_turned_off();  // NOLINT(bugprone-reserved-identifier)

extern "C" int __lsan_is_turned_off() {  // NOLINT(bugprone-reserved-identifier)
  return is_forked_child ? 1 : 0;
}

namespace {

void* cupti = nullptr;
int kernels_at_once = 1;

// A function of the fake CUPTI, which is not linked.
#define FAKE(name) reinterpret_cast<decltype(&(name))>(::dlsym(cupti, #name))

// What cuInit does. Without a survey, nothing is loaded.
void initialise_cuda() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr) return;
  void* library = ::dlopen(path, RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    std::_Exit(70);
  }
  const auto start = reinterpret_cast<int (*)()>(::dlsym(library, "InitializeInjection"));
  if (start == nullptr || start() != 1) std::_Exit(71);
  cupti = ::dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
}

std::uint64_t now() { return cupti == nullptr ? 0 : FAKE(fake_now)(); }

// A launch by the runtime, which calls the driver, and its kernel. All take a microsecond.
void launch(const char* name, std::uint32_t blocks) {
  static std::uint32_t correlation = 0;
  if (cupti != nullptr) FAKE(fake_driver_launch)(name, blocks, kernels_at_once);
  if (cupti == nullptr || now() == 0) return;
  const std::uint64_t start = now();
  ++correlation;
  FAKE(fake_call)("cudaGetLastError_v3020", start - 10, start, 1'000'000 + correlation);
  FAKE(fake_call)("cuLaunchKernel", start + 100, start + 900, 2'000'000 + correlation);
  FAKE(fake_call)("cudaLaunchKernel_v7000", start, start + 1000, correlation);
  FAKE(fake_kernel)(name, blocks, start + 500, start + 1500, correlation);
}

void launch_all(int number) {
  for (int i = 0; i < number; ++i)
    launch(i % 2 == 0 ? "_Z5addupPfi" : "copy_kernel", 100U + static_cast<unsigned>(i % 2));
}

void work(int number) {
  if (cupti != nullptr && now() != 0) FAKE(fake_device)("Fictional GPU");
  launch_all(number);
}

// At most ten seconds.
void wait_for_file(const std::string& path) {
  for (int i = 0; i < 5000 && ::access(path.c_str(), F_OK) != 0; ++i) ::usleep(2000);
}

// A folder of the survey has a file for each process. Waits until this process's file has more than its
// header.
void wait_for_period() { ::usleep(300'000); }

void forked(int number) {
  work(number);
  const pid_t child = ::fork();
  if (child == 0) {
    is_forked_child = true;
    launch_all(number);
    std::exit(0);
  }
  ::waitpid(child, nullptr, 0);
  launch_all(1);
}

// Whether a forked child gets no buffer for records. Its parent's locks may be locked for ever there.
bool child_has_no_buffers() {
  work(1);
  const pid_t child = ::fork();
  if (child == 0) {
    FAKE(fake_flush)();
    launch_all(1);
    std::_Exit(FAKE(fake_dropped)() > 0 ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

// In place of the stream is a pipe, from which nobody reads. The thread of the survey writes until it is
// full, and waits. All launches are in one buffer, so that this thread writes nothing.
void fill_pipe() {
  ::alarm(60);  // It ends a program that would hang.
  const std::string folder = std::getenv("WARPTUNE_SURVEY_FOLDER");
  const std::string stream = folder + "/" + std::to_string(::getpid()) + "-0.raw";
  ::unlink(stream.c_str());
  if (::mkfifo(stream.c_str(), 0600) != 0) std::_Exit(74);
  const int end = ::open(stream.c_str(), O_RDONLY | O_NONBLOCK);
  work(1200);
  constexpr int kPartOfPipe = 32768;
  for (int bytes = 0; bytes < kPartOfPipe; ::usleep(1000)) ::ioctl(end, FIONREAD, &bytes);
  wait_for_period();
}

void wait_for_kernels(int recorded) {
  for (int i = 0; i < 5000 && FAKE(fake_takes_kernels)() != recorded; ++i) ::usleep(2000);
}

// Kernels before and after records begin or end.
void across(int recorded) {
  launch(recorded != 0 ? "before" : "within", 1);
  wait_for_kernels(recorded);
  launch(recorded != 0 ? "within" : "after", 1);
}

// The stream may not grow, as on a full disk. Whether CUPTI is switched off then.
bool stops_when_nothing_can_be_written() {
  const rlimit none{100, 100};
  ::setrlimit(RLIMIT_FSIZE, &none);
  work(100);
  wait_for_kernels(0);
  return FAKE(fake_takes_kernels)() == 0;
}

void close_all(int number) {
  for (int file = 0; file < 256; ++file) ::close(file);
  work(number);
  ::chdir("/");
}

// Another program in the second run than in the first one, which records kernels.
void otherwise_when_counted() {
  const bool is_counted = std::getenv("WARPTUNE_SURVEY_PLAN") != nullptr;
  work(0);
  for (int i = 0; i < 10; ++i) launch("_Z5addupPfi", is_counted ? 7 : 8);
  if (is_counted) std::exit(3);
}

// Whether launches are called back until enough of them are counted, and not after that.
void without_callbacks_after_counting() {
  const bool is_counted = std::getenv("WARPTUNE_SURVEY_PLAN") != nullptr;
  work(4);
  const bool during = FAKE(fake_calls_back)() != 0;
  launch_all(4);
  const bool after = FAKE(fake_calls_back)() != 0;
  std::exit(during == is_counted && !after ? 0 : 1);
}

void captured(int number) {
  if (cupti != nullptr) FAKE(fake_capture)(1);
  work(number);
  if (cupti != nullptr) FAKE(fake_capture)(0);
}

// A graph of three kernels and two fills: one kernel and a fill are in a graph within it.
class Graph {
 public:
  Graph() {
    if (cupti != nullptr) FAKE(fake_graph_instantiate)(&executable_, nodes());
  }
  // The same with a kernel that waits for other GPUs.
  explicit Graph(const char* collective) {
    if (cupti == nullptr) return;
    void* const graph = nodes();
    ::fake_add_kernel_node(graph, collective, 1);
    FAKE(fake_graph_instantiate)(&executable_, graph);
  }
  // Only one kernel is left.
  void update() {
    if (cupti == nullptr) return;
    void* const graph = ::fake_graph();
    ::fake_add_kernel_node(graph, "_Z5addupPfi", 100);
    FAKE(fake_graph_update)(&executable_, graph);
  }
  // `beside` happens during the call. Returns whether the GPU ran the graph.
  bool launch(void (*beside)() = nullptr) {
    if (cupti == nullptr) return true;
    const bool has_run = FAKE(fake_graph_launch)(&executable_, beside) != 0;
    if (now() == 0) return has_run;
    const std::uint64_t start = now();
    const std::uint32_t correlation = 3'000'000 + ++launches_;
    FAKE(fake_call)("cudaGraphLaunch_v10000", start, start + 100, correlation);
    FAKE(fake_nodes_of)(5);
    FAKE(fake_kernel)("_Z5addupPfi", 100, start + 200, start + 300, correlation);
    FAKE(fake_kernel)("copy_kernel", 101, start + 400, start + 500, correlation);
    FAKE(fake_kernel)("_Z5addupPfi", 100, start + 600, start + 900, correlation);
    FAKE(fake_nodes_of)(0);
    return has_run;
  }

 private:
  static void* nodes() {
    void* const child = ::fake_graph();
    ::fake_add_kernel_node(child, "copy_kernel", 101);
    void* const graph = ::fake_graph();
    ::fake_add_kernel_node(graph, "_Z5addupPfi", 100);
    ::fake_add_child(graph, child);
    ::fake_add_kernel_node(graph, "_Z5addupPfi", 100);
    return graph;
  }

  int executable_ = 0;  // Its address is the handle.
  std::uint32_t launches_ = 0;
};

void launch_graphs(Graph& graph, int number) {
  for (int i = 0; i < number; ++i) {
    if (!graph.launch()) std::exit(2);
  }
}

void graphs(int number) {
  work(0);
  Graph graph;
  launch_graphs(graph, number);
}

void graphs_and_launches(int number) {
  work(0);
  Graph graph;
  for (int i = 0; i < number; ++i) {
    launch("_Z5addupPfi", 100);
    launch_graphs(graph, 1);
  }
}

// Each time another graph of the same kernels.
void new_graphs(int number) {
  work(0);
  for (int i = 0; i < number; ++i) {
    Graph graph;
    launch_graphs(graph, 1);
  }
}

void collective_graphs(int number) {
  work(0);
  Graph graph("_Z32ncclDevKernel_AllReduce_Sum_f32");
  launch_graphs(graph, number);
}

void updated_graphs(int number) {
  work(0);
  Graph graph;
  launch_graphs(graph, number);
  graph.update();
  launch_graphs(graph, number);
}

// A graph that is launched only once needs further passes, which never come.
void graph_before_launches(int number) {
  work(0);
  Graph graph;
  launch_graphs(graph, 1);
  for (int i = 0; i < number; ++i) launch("_Z5addupPfi", 100);
}

// Another thread launches a kernel during the first pass of the graph.
void disturbed_graph(int number) {
  work(0);
  Graph graph;
  graph.launch([] { std::thread([] { launch("_Z5other", 3); }).join(); });
  launch_graphs(graph, number - 1);
}

// Another thread launches a graph that is not hot, from time to time.
void graphs_of_two_threads(int number) {
  work(0);
  std::atomic<bool> ends{false};
  std::thread other([&] {
    void* const nodes = ::fake_graph();
    int executable = 0;
    if (cupti != nullptr) FAKE(fake_graph_instantiate)(&executable, nodes);
    for (; !ends; ::usleep(1000)) {
      if (cupti != nullptr) FAKE(fake_graph_launch)(&executable, nullptr);
    }
  });
  Graph graph;
  for (int i = 0; i < number; ++i) graph.launch([] { ::usleep(2000); });
  ends = true;
  other.join();
}

// Another thread begins to capture during a pass of the graph. It has to wait, because the pass waits for the
// GPU.
void capture_beside_graph() {
  work(0);
  static std::thread other;
  static std::atomic<bool> captures{false};
  static bool has_waited = false;
  const auto capture = [] {
    other = std::thread([] { FAKE(fake_capture)(1), captures = true, FAKE(fake_capture)(0); });
    ::usleep(100'000);
    has_waited = !captures;
  };
  Graph graph;
  graph.launch(cupti == nullptr ? nullptr : +capture);
  if (other.joinable()) other.join();
  launch_graphs(graph, 10);
  std::exit(has_waited == (std::getenv("WARPTUNE_SURVEY_PLAN") != nullptr) ? 0 : 2);
}

// Another thread launches a graph while a kernel is launched. Both must run, so the graph has to wait.
void graph_beside_launch() {
  work(0);
  static Graph graph;
  static std::thread other;
  static bool has_run = false;
  const auto launch_graph = [] {
    other = std::thread([] { has_run = graph.launch(); });
    ::usleep(100'000);
  };
  if (cupti != nullptr) FAKE(fake_launch_between)("_Z5addupPfi", 100, launch_graph);
  launch("_Z5addupPfi", 100);
  if (cupti == nullptr) return;
  other.join();
  std::exit(has_run ? 0 : 2);
}

void with_child(int number, char** arguments) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(arguments[0], arguments[0], "exit", "3", nullptr);
    std::_Exit(72);
  }
  initialise_cuda();
  work(number);
  ::waitpid(child, nullptr, 0);
}

void leave_daemon(int number, char** arguments) {
  if (::fork() == 0) {
    initialise_cuda();
    work(number);
    for (int file = 0; file < 3; ++file) ::close(file);
    wait_for_file(arguments[3]);
    std::_Exit(0);
  }
  wait_for_period();
}

// What NVTX does at its first range. Returns whether the library takes the ranges.
bool initialise_nvtx() {
  const char* path = std::getenv("NVTX_INJECTION64_PATH");
  void* library = path == nullptr ? nullptr : ::dlopen(path, RTLD_NOW);
  if (library == nullptr) return false;
  const auto start = reinterpret_cast<int (*)(void*)>(::dlsym(library, "InitializeInjectionNvtx2"));
  return start != nullptr && start(nullptr) == 1;
}

void everything() {
  if (!initialise_nvtx()) std::_Exit(73);
  work(1);
  const std::uint64_t start =
      now() + 10'000;  // After the end of the kernel, which is in the future for a fast host.
  FAKE(fake_call)("cudaMemcpyAsync_ptsz_v7000", start, start + 100, 501);
  FAKE(fake_copy)(4096, start + 200, start + 900, 501);
  FAKE(fake_fill)(64, start + 300, start + 400, 502);
  FAKE(fake_call)("cuMemAlloc_v2", start + 1000, start + 1100, 503);
  FAKE(fake_call)("cudaDeviceSynchronize_v3020", start + 1200, start + 1900, 504);
  FAKE(fake_call)("__cudaLaunchKernel_v13000", start + 2000, start + 2100, 505);
  FAKE(fake_range)("a step", start, start + 2500, 1);
  FAKE(fake_kernel)("untimed", 1, 0, 0, 506);
  FAKE(fake_drop)(5);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "exit";
  const int number = count > 2 ? std::atoi(arguments[2]) : 2;
  if (what == "with_child") return with_child(number, arguments), 0;
  if (what == "leave_daemon") return leave_daemon(number, arguments), 0;
  initialise_cuda();
  const std::map<std::string, std::function<void()>> table = {
      {"exit", [&] { work(number); }},
      {"everything", everything},
      {"fork", [&] { forked(number); }},
      {"fork_without_buffers", [&] { std::exit(child_has_no_buffers() ? 0 : 1); }},
      {"fill_pipe", fill_pipe},
      {"otherwise_when_counted", otherwise_when_counted},
      {"without_callbacks_after_counting", without_callbacks_after_counting},
      {"captured", [&] { captured(number); }},
      {"graphs", [&] { graphs(number); }},
      {"graphs_and_launches", [&] { graphs_and_launches(number); }},
      {"new_graphs", [&] { new_graphs(number); }},
      {"collective_graphs", [&] { collective_graphs(number); }},
      {"updated_graphs", [&] { updated_graphs(number); }},
      {"graph_before_launches", [&] { graph_before_launches(number); }},
      {"graphs_of_two_threads", [&] { graphs_of_two_threads(number); }},
      {"disturbed_graph", [&] { disturbed_graph(number); }},
      {"capture_beside_graph", capture_beside_graph},
      {"graph_beside_launch", graph_beside_launch},
      {"at_once", [&] { kernels_at_once = 2, work(number); }},
      {"across_begin", [] { work(0), across(1); }},
      {"across_end", [] { across(0); }},
      {"full_disk", [] { std::exit(stops_when_nothing_can_be_written() ? 0 : 1); }},
      {"close_all", [&] { close_all(number); }},
      {"_exit", [&] { work(number), wait_for_period(), ::_exit(5); }},
      {"abort", [&] { work(number), wait_for_period(), std::abort(); }},
      {"kill", [&] { work(number), wait_for_period(), ::raise(SIGKILL); }},
      {"quick_exit", [&] { work(number), std::quick_exit(6); }},
      {"exec",
       [&] { work(number), wait_for_period(), ::execl(arguments[0], arguments[0], "exit", "3", nullptr); }},
      {"remove_folder",
       [&] {
         work(number);
         const std::string folder = std::getenv("WARPTUNE_SURVEY_FOLDER");
         std::exit(std::system(("rm -r '" + folder + "'").c_str()));
       }},
      {"slowly",
       [&] {
         for (int i = 0; i < 10; ++i) launch_all(number), ::usleep(50'000);
       }},
  };
  const auto found = table.find(what);
  if (found == table.end()) return 64;
  found->second();
  return 0;
}
