#include "tests/survey/imagined_programs.h"

#include <cstdint>

#include "tests/survey/survey_builder.h"

namespace warptune::survey {

using records::CallKind;
using records::CopyDirection;
using records::Index;
using records::MemoryKind;
using records::Survey;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

// Three kernels of equal weight: none of them dominates.
void balanced_step(SurveyBuilder& program, std::int64_t duration = 100 * kMicrosecond, Index stream = 0) {
  for (const char* name : {"void first(float*)", "void second(float*)", "void third(float*)"})
    program.launch({name, duration}, stream);
}

Survey with_pageable_copies(bool planted) {
  SurveyBuilder program;
  const Index compute = program.stream();
  const Index copies = program.stream();
  for (int i = 0; i < 50; ++i) {
    if (planted)
      program.copy(CopyDirection::kHostToDevice, 8 * kMiB, MemoryKind::kPageable);
    else
      program.up(8 * kMiB, copies);
    balanced_step(program, 60 * kMicrosecond, compute);
  }
  program.wait();
  return program.survey();
}

Survey with_small_copies(bool planted) {
  SurveyBuilder program;
  for (int i = 0; i < 50; ++i) {
    for (int part = 0; part < (planted ? 64 : 1); ++part) program.up(planted ? 1024 : 65536);
    balanced_step(program, 30 * kMicrosecond);
  }
  program.wait();
  return program.survey();
}

Survey with_redundant_copies(bool planted) {
  SurveyBuilder program;
  for (int i = 0; i < 100; ++i) {
    if (planted || i == 0) program.up(8 * kMiB);
    balanced_step(program, 30 * kMicrosecond);
    if (planted || i == 99) program.down(8 * kMiB);
  }
  program.wait();
  return program.survey();
}

Survey with_copies_alone(bool planted) {
  SurveyBuilder program;
  const Index compute = program.stream();
  const Index copies = planted ? compute : program.stream();
  for (int i = 0; i < 50; ++i) {
    program.up(8 * kMiB, copies);
    balanced_step(program, 60 * kMicrosecond, compute);
  }
  program.wait();
  return program.survey();
}

Survey with_waits(bool planted) {
  SurveyBuilder program;
  for (int i = 0; i < 300; ++i) {
    program.launch({i % 3 == 0   ? "void first(float*)"
                    : i % 3 == 1 ? "void second(float*)"
                                 : "void third(float*)",
                    12 * kMicrosecond});
    if (planted) program.wait();
  }
  program.wait();
  return program.survey();
}

Survey with_host_work(bool planted) {
  SurveyBuilder program;
  for (int i = 0; i < 50; ++i) {
    balanced_step(program);
    if (planted) program.wait();
    program.host(280 * kMicrosecond);
  }
  program.wait();
  return program.survey();
}

Survey with_short_kernels(bool planted) {
  SurveyBuilder program;
  for (int i = 0; i < (planted ? 1000 : 30); ++i) balanced_step(program, planted ? 1500 : 50 * kMicrosecond);
  program.wait();
  return program.survey();
}

Survey with_allocations(bool planted) {
  SurveyBuilder program;
  for (int i = 0; i < 50; ++i) {
    if (planted || i == 0) program.call(CallKind::kAllocation, "cudaMalloc", 150 * kMicrosecond);
    balanced_step(program, 50 * kMicrosecond);
    if (planted || i == 49) program.call(CallKind::kFree, "cudaFree", 100 * kMicrosecond);
  }
  return program.survey();
}

Survey with_module_loads(bool planted) {
  SurveyBuilder program;
  for (int i = 0; i < 50; ++i) {
    if (planted || i == 0) program.call(CallKind::kModuleLoad, "cuModuleLoadData", 400 * kMicrosecond);
    balanced_step(program, 50 * kMicrosecond);
    if (planted) program.wait();
  }
  return program.survey();
}

Survey with_streams_in_turns(bool planted) {
  SurveyBuilder program;
  Index streams[4];
  for (Index& stream : streams) stream = program.stream();
  for (int i = 0; i < 80; ++i) {
    const Index stream = streams[i % 4];
    program.up(4 * kMiB, stream);
    balanced_step(program, 30 * kMicrosecond, stream);
    program.down(4 * kMiB, stream);
    if (planted) program.wait(stream);
  }
  program.wait();
  return program.survey();
}

Survey with_a_default_stream(bool planted) {
  SurveyBuilder program;
  Index streams[4];
  for (Index& stream : streams) stream = program.stream(planted);
  for (int i = 0; i < 80; ++i) {
    program.launch({"void part(float*)", 100 * kMicrosecond, 200}, streams[i % 4]);
    if (planted) program.launch({"void flag(int*)", 3 * kMicrosecond, 1});
  }
  program.wait();
  return program.survey();
}

Survey with_kernels_in_a_row(bool planted) {
  SurveyBuilder program;
  for (int i = 0; i < 50; ++i) {
    if (!planted) {
      balanced_step(program, 40 * kMicrosecond);
      continue;
    }
    for (int part = 0; part < 16; ++part) program.launch({"void item(float*)", 40 * kMicrosecond, 32});
  }
  program.wait();
  return program.survey();
}

Survey with_a_small_grid(bool planted) {
  SurveyBuilder program;
  for (int i = 0; i < 20; ++i) {
    if (planted) program.launch({"void sum(float*)", 5 * kMillisecond, 8});
    balanced_step(program, 200 * kMicrosecond);
  }
  program.wait();
  return program.survey();
}

Survey with_a_slow_kernel(bool planted) {
  SurveyBuilder program;
  for (int i = 0; i < 20; ++i) {
    if (planted) program.launch({"void slow(float*)", 5 * kMillisecond});
    balanced_step(program, 200 * kMicrosecond);
  }
  program.wait();
  return program.survey();
}

}  // namespace

const std::vector<ImaginedProgram>& imagined_programs() {
  static const std::vector<ImaginedProgram> all = {
      {"pageable_copies", with_pageable_copies},
      {"small_copies", with_small_copies},
      {"redundant_copies", with_redundant_copies},
      {"copy_bound", with_copies_alone},
      {"host_waits", with_waits},
      {"idle_gaps", with_host_work},
      {"launch_bound", with_short_kernels},
      {"allocation_in_loop", with_allocations},
      {"module_load_in_loop", with_module_loads},
      {"serial_streams", with_streams_in_turns},
      {"serialised_by_default_stream", with_a_default_stream},
      {"serial_kernels", with_kernels_in_a_row},
      {"low_occupancy_grid", with_a_small_grid},
      {"slow_kernel", with_a_slow_kernel},
  };
  return all;
}

}  // namespace warptune::survey
