# Targets that share the project's warnings. They stop the build with the compilers that .ci/run checks, g++ 12 and
# clang 14; a newer one may know warnings that nobody has seen yet.
add_library(wt_options INTERFACE)
target_compile_options(wt_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13) OR
   (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15))
  target_compile_options(wt_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Reports `"text" + string` at -O3 (GCC bug 105651).
  target_compile_options(wt_options INTERFACE -Wno-restrict)
endif()
target_include_directories(wt_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_definitions(wt_options INTERFACE WARPTUNE_VERSION="${PROJECT_VERSION}")

# warptune_add_module(NAME SOURCES file... [PUBLIC target...] [PRIVATE target...]): static library wt_NAME.
function(warptune_add_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  if(NOT arg_SOURCES)  # A module that has headers only so far.
    add_library(wt_${name} INTERFACE)
    target_link_libraries(wt_${name} INTERFACE wt_options wt_fmt tl::expected ${arg_PUBLIC})
    return()
  endif()
  add_library(wt_${name} STATIC ${arg_SOURCES})
  target_link_libraries(wt_${name} PUBLIC wt_options wt_fmt tl::expected ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
endfunction()

# warptune_add_test(MODULE SOURCES x_test.cpp... [LIBRARIES target...]): one GoogleTest binary of a module,
# its tests registered one by one. Tests of fixtures or suites whose name starts with "Gpu" get the label gpu.
# They find the shipped kernels and recordings of the build tree through WARPTUNE_SHARE.
function(warptune_add_test module)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${module}_tests ${arg_SOURCES})
  target_link_libraries(${module}_tests PRIVATE wt_${module} ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  # Compiling the tests is most of a build's time, running their own code is not: half as long to compile unoptimised.
  target_compile_options(${module}_tests PRIVATE -O0 -g1)
  add_dependencies(${module}_tests warptune_share)
  if(CMAKE_CXX_FLAGS MATCHES sanitize)
    target_sources(${module}_tests PRIVATE "${CMAKE_SOURCE_DIR}/tests/sanitizers.cpp")
  endif()
  set(environment ENVIRONMENT "WARPTUNE_SHARE=${CMAKE_BINARY_DIR}/share/warptune")
  gtest_discover_tests(${module}_tests TEST_PREFIX "${module}." TEST_FILTER "-Gpu*"
    PROPERTIES LABELS ${module} TIMEOUT 300 ${environment} DISCOVERY_TIMEOUT 60)
  gtest_discover_tests(${module}_tests TEST_PREFIX "${module}." TEST_FILTER "Gpu*" TEST_LIST ${module}_gpu_tests
    PROPERTIES LABELS gpu TIMEOUT 600 RUN_SERIAL TRUE ${environment} DISCOVERY_TIMEOUT 60)
endfunction()
