#include "tests/library/interface_fixture.h"

#include "base/files.h"
#include "db/header_export.h"
#include "profiling/gpu.h"
#include "tests/profiling/fake_cuda.h"

namespace warptune::library {

namespace {

constexpr std::uint64_t kIn = 0x10000;
constexpr std::uint64_t kOut = 0x20000;
constexpr std::uint64_t kWorkspace = 0x30000;

void make_fake_gpu() {
  profiling::fake_cuda() = profiling::FakeCuda{};
  profiling::FakeCuda& fake = profiling::fake_cuda();
  fake.attributes = profiling::fake_h200_attributes();
  fake.parameter_sizes = {8, 8, 8, 4, 4};
  fake.current = reinterpret_cast<CUcontext>(1);
  fake.stream_context = fake.current;
}

}  // namespace

std::filesystem::path scaled_sum() { return WARPTUNE_LIBRARY_TEST_DATA "/scaled_sum.cu"; }

InterfaceTest::InterfaceTest() : database_(folder_ / "rows.db"), cache_(folder_ / "compiled") {
  make_fake_gpu();
  gpu_ = profiling::local_gpu(0);
  definition_ = kernel_templates::load_kernel_definition(scaled_sum());
  store(4096, 256, 900.0, gpu_);
  store(65536, 512, 5000.0, gpu_);
}

InterfaceTest::~InterfaceTest() {
  for (warptune_code* code : loaded_) warptune_unload(code);
  for (warptune_library* library : opened_) warptune_close(library);
}

void InterfaceTest::store(std::int64_t n, std::int64_t block, double median_ns,
                          const model::GpuDescription& gpu, const std::string& hash) {
  db::Store store(database_);
  db::Session session = db::testing::session({definition_.name,
                                              hash.empty() ? definition_.hash : hash,
                                              {{"N", n}, {"dtype", std::string("f32")}},
                                              gpu});
  session.default_configuration = definition_.default_configuration;
  const std::int64_t id = store.begin_session(session);
  store.add_measurement(id, db::testing::measured({{"BLOCK", block}}, median_ns));
  store.add_measurement(id, db::testing::measured({{"BLOCK", std::int64_t{64}}}, median_ns * 2.0));
}

void InterfaceTest::confirm(std::int64_t n, std::int64_t block) {
  db::Store store(database_);
  const model::Workload workload = {
      definition_.name, definition_.hash, {{"N", n}, {"dtype", std::string("f32")}}, gpu_};
  const auto row = store.latest_measurement(workload, {{"BLOCK", block}});
  ASSERT_TRUE(row);
  store.add_counters(row->id, {{"verified_launches", 300.0}});
}

std::string InterfaceTest::write_snapshot(const std::string& name, const std::string& kernel) {
  const db::Store store(database_);
  db::ExportInput input;
  input.kernel = kernel.empty() ? definition_.name : kernel;
  input.kernel_hash = definition_.hash;
  input.winners = store.winners(definition_.name, definition_.hash);
  for (const db::ExportFormat& format : db::export_formats()) {
    if (format.name == "snapshot") base::write_file_atomically(folder_ / name, format.write({input}));
  }
  return folder_ / name;
}

warptune_library* InterfaceTest::open(warptune_open_options options) {
  if (options.snapshot == nullptr) options.database = database_.c_str();
  options.compile_cache = cache_.c_str();
  return opened(options);
}

warptune_library* InterfaceTest::open_default(const char* gpu) {
  warptune_open_options options{};
  options.mode = WARPTUNE_MODE_LOOK_UP;
  options.gpu = gpu;
  return opened(options);
}

warptune_library* InterfaceTest::opened(warptune_open_options options) {
  options.struct_size = sizeof options;
  warptune_library* library = nullptr;
  EXPECT_EQ(warptune_open(&options, &library), WARPTUNE_OK) << warptune_last_error();
  opened_.push_back(library);
  return library;
}

warptune_kernel* InterfaceTest::kernel(warptune_library* library) {
  warptune_kernel* kernel = nullptr;
  EXPECT_EQ(warptune_open_kernel(library, scaled_sum().c_str(), -1, &kernel), WARPTUNE_OK)
      << warptune_last_error();
  return kernel;
}

const warptune_selection* InterfaceTest::select(warptune_kernel* kernel, std::int64_t n) {
  const std::vector<warptune_value> values = {integer(n), text("f32")};
  const warptune_selection* selection = nullptr;
  EXPECT_EQ(warptune_select(kernel, values.data(), values.size(), &selection), WARPTUNE_OK)
      << warptune_last_error();
  return selection;
}

warptune_selection_info InterfaceTest::info(const warptune_selection* selection) {
  warptune_selection_info info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(warptune_describe(selection, &info), WARPTUNE_OK) << warptune_last_error();
  return info;
}

warptune_code* InterfaceTest::load(const warptune_selection* selection, bool in_background) {
  warptune_load_options options{sizeof options, in_background ? 1 : 0, 0};
  warptune_code* code = nullptr;
  EXPECT_EQ(warptune_load(selection, &options, &code), WARPTUNE_OK) << warptune_last_error();
  loaded_.push_back(code);
  return code;
}

std::vector<warptune_argument> InterfaceTest::arguments(std::uint64_t n) {
  return {{WARPTUNE_BUFFER, WARPTUNE_F32, reinterpret_cast<const void*>(kIn), n * 4},
          {WARPTUNE_BUFFER, WARPTUNE_F32, reinterpret_cast<const void*>(kOut), n * 4},
          {WARPTUNE_SCALAR, WARPTUNE_F32, nullptr, 0},
          {WARPTUNE_SCALAR, WARPTUNE_I32, nullptr, 0}};
}

warptune_status InterfaceTest::launch(const warptune_code* code,
                                      const std::vector<warptune_argument>& arguments,
                                      std::uint64_t workspace_bytes) {
  return warptune_launch(code, reinterpret_cast<void*>(7), arguments.data(), arguments.size(),
                         reinterpret_cast<void*>(kWorkspace), workspace_bytes);
}

}  // namespace warptune::library
