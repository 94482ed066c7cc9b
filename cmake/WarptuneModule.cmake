# Functions for targets with the project's warnings. With g++ 12 and clang 14, which .ci/run uses, warnings are errors. A newer
# compiler may have new warnings, so they are not errors there.
add_library(wt_options INTERFACE)
target_compile_options(wt_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13) OR
   (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15))
  target_compile_options(wt_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # From -O2 on, GCC 12 warns about libstdc++'s own code for `"text" + string` (bug 105651).
  target_compile_options(wt_options INTERFACE -Wno-restrict)
endif()
target_include_directories(wt_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(wt_options INTERFACE WARPTUNE_VERSION="${PROJECT_VERSION}")

# A lower optimisation level saves 10 to 20 % of the compile time. Each module therefore has the level that its work needs.
set(WARPTUNE_HOT_LEVEL "$<$<CONFIG:Release>:-O3>")
set(WARPTUNE_LEVEL "$<$<CONFIG:Release>:-O1>")
set(WARPTUNE_BATCH 24)  # Sources. 24 of tuner/ take 16 s of CPU time as one batch, and 28 s as three.
set(WARPTUNE_TEST_BATCH 32)  # Tests are compiled without optimisation, so a batch of them takes less time.
if(CMAKE_CXX_FLAGS MATCHES sanitize)
  set(WARPTUNE_HOT_LEVEL -O2)
  set(WARPTUNE_LEVEL -O1)  # Reports and lab pages of all recordings take minutes at -O0.
  set(WARPTUNE_COLD_LEVEL -O0)  # Half of the compile time goes into optimising what the sanitizers add.
  set(WARPTUNE_BATCH 56)  # Such trees are mostly built whole. A compiler process needs up to 2.6 GB then.
  set(WARPTUNE_TEST_BATCH 72)
elseif(CMAKE_CXX_FLAGS MATCHES coverage)
  set(WARPTUNE_HOT_LEVEL -O1)  # -O0 distinguishes lines best, but models and spaces take minutes there.
endif()

# Most of the compile time of a source is spent on its includes and their templates. Sources are therefore compiled in batches.
# The private names of a source must differ from those of the others in its batch. -DWARPTUNE_BATCHES=OFF compiles each source alone.
option(WARPTUNE_BATCHES "Compile the sources of each library and test program in batches" ON)
# warptune_batch(TARGET SIZE [APART pattern...] [TOGETHER pattern...]): compiles the sources of TARGET in batches of at most SIZE. Sources
# whose path matches one of the regular expressions of APART are compiled alone. Those that match TOGETHER are one batch of their own.
function(warptune_batch target size)
  cmake_parse_arguments(arg "" "" "APART;TOGETHER" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${WARPTUNE_BATCHES} UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(kind IN ITEMS APART TOGETHER)
    set(${kind})
    if(arg_${kind})
      list(JOIN arg_${kind} "|" patterns)
      set(${kind} ${sources})
      list(FILTER ${kind} INCLUDE REGEX "${patterns}")
      list(REMOVE_ITEM sources ${${kind}})
    endif()
  endforeach()
  if(APART)
    set_source_files_properties(${APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  if(TOGETHER)
    set_source_files_properties(${TOGETHER} PROPERTIES UNITY_GROUP together)
  endif()
  # Batches of nearly the same size.
  list(LENGTH sources count)
  math(EXPR batches "(${count} + ${size} - 1) / ${size}")
  set(index 0)
  foreach(source IN LISTS sources)
    math(EXPR batch "${index} * ${batches} / ${count}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${batch})
    math(EXPR index "${index} + 1")
  endforeach()
endfunction()

# warptune_require_keywords(FUNCTION OPTIONS KEYWORDS argument...): ends with an error if the arguments of FUNCTION are not a list of
# its options and keywords. Each may be given once, and a keyword needs a value. CMake itself ignores such mistakes.
function(warptune_require_keywords function options keywords)
  cmake_parse_arguments(given "${options}" "" "${keywords}" ${ARGN})
  if(given_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function}: unknown: ${given_UNPARSED_ARGUMENTS}")
  endif()
  if(given_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${function}: no value for ${given_KEYWORDS_MISSING_VALUES}")
  endif()
  foreach(keyword IN LISTS options keywords)
    set(same ${ARGN})
    list(FILTER same INCLUDE REGEX "^${keyword}$")
    list(LENGTH same count)
    if(count GREATER 1)
      message(FATAL_ERROR "${function}: ${keyword} is given ${count} times")
    endif()
  endforeach()
endfunction()

# warptune_add_module(NAME SOURCES file... [PUBLIC target...] [PRIVATE target...] [APART pattern...] [TOGETHER pattern...] [JSON]
# [COLD] [HOT]): adds the static library wt_NAME. APART, TOGETHER: see `warptune_batch`. JSON: the module reads or writes JSON.
# COLD: the module's own code takes little time, because other modules do the work. HOT: the module computes much, as models and
# spaces do. Other modules mostly wait for files, processes and the GPU.
function(warptune_add_module name)
  set(options JSON COLD HOT)
  set(keywords SOURCES PUBLIC PRIVATE APART TOGETHER)
  warptune_require_keywords("warptune_add_module(${name})" "${options}" "${keywords}" ${ARGN})
  cmake_parse_arguments(arg "${options}" "" "${keywords}" ${ARGN})
  if(NOT arg_SOURCES)  # The module has only headers.
    add_library(wt_${name} INTERFACE)
    target_link_libraries(wt_${name} INTERFACE wt_options wt_fmt tl::expected ${arg_PUBLIC})
    return()
  endif()
  add_library(wt_${name} STATIC ${arg_SOURCES})
  warptune_batch(wt_${name} ${WARPTUNE_BATCH} APART ${arg_APART} TOGETHER ${arg_TOGETHER})
  target_link_libraries(wt_${name} PUBLIC wt_options wt_fmt tl::expected ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  set(level ${WARPTUNE_LEVEL})
  set(cold)
  if(arg_COLD AND WARPTUNE_COLD_LEVEL)
    set(level ${WARPTUNE_COLD_LEVEL})
    set(cold _cold)
    set_target_properties(wt_${name} PROPERTIES WARPTUNE_COLD ON)
  endif()
  if(arg_JSON)
    target_link_libraries(wt_${name} PRIVATE nlohmann_json::nlohmann_json)
    warptune_precompile(wt_${name} json${cold} HEADERS <nlohmann/json.hpp> LIBRARIES nlohmann_json::nlohmann_json OPTIONS ${level})
  elseif(arg_HOT)
    warptune_precompile(wt_${name} hot OPTIONS ${WARPTUNE_HOT_LEVEL})
  else()
    warptune_precompile(wt_${name} standard${cold} OPTIONS ${level})
  endif()
endfunction()

# warptune_modules_of(TARGET RESULT): the libraries of modules that TARGET links, directly or through others.
function(warptune_modules_of target result)
  set(found)
  set(open ${target})
  while(open)
    list(POP_FRONT open next)
    get_target_property(linked ${next} LINK_LIBRARIES)
    list(FILTER linked INCLUDE REGEX "^wt_")
    foreach(library IN LISTS linked)
      get_target_property(type ${library} TYPE)
      if(type STREQUAL STATIC_LIBRARY AND NOT library IN_LIST found)
        list(APPEND found ${library})
        list(APPEND open ${library})
      endif()
    endforeach()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# warptune_link_optimised_first(TARGET): links the libraries of TARGET's modules whole and before its own objects, those of cold
# modules last. A template or an inline function that several objects have is linked from the first of them, so the program gets
# one that was optimised. With a sanitizer, the tests then take half the time.
function(warptune_link_optimised_first target)
  warptune_modules_of(${target} modules)
  set(optimised)
  set(cold)
  foreach(module IN LISTS modules)
    get_target_property(is_cold ${module} WARPTUNE_COLD)
    if(is_cold)
      list(APPEND cold "$<TARGET_FILE:${module}>")
    else()
      list(APPEND optimised "$<TARGET_FILE:${module}>")
    endif()
  endforeach()
  target_link_options(${target} PRIVATE -Wl,--whole-archive ${optimised} ${cold} -Wl,--no-whole-archive)
endfunction()

# The tests that run without --gpu and --long. Instrumented builds leave out those whose result does not depend on the build: NVRTC
# compiles the code, and emulated kernels always have the sanitizers.
set(WARPTUNE_TEST_FILTER "-Gpu*:Long*")
if(CMAKE_CXX_FLAGS MATCHES "sanitize|coverage")
  string(APPEND WARPTUNE_TEST_FILTER ":*/LibraryCompile.*:*/CheatCompile.*:*/LabCompile.*:*/LibraryEmulation.*"
    ":*/PlantedFaultTest.Compiles*:ExampleEmulation.*:StandInCompile.*:*/ShippedExportTest.*IsCompiledByNvrtc/*")
endif()
if(CMAKE_CXX_FLAGS MATCHES coverage)  # These emulated kernels call nothing of the covered modules.
  string(APPEND WARPTUNE_TEST_FILTER ":CheatEmulation.*")
endif()

# warptune_tests_need(MODULE TARGET...): `scripts/test MODULE` builds these targets. Test programs are among them anyway.
function(warptune_tests_need module)
  if(NOT TARGET tests_of_${module})
    add_custom_target(tests_of_${module})
  endif()
  add_dependencies(tests_of_${module} ${ARGN})
endfunction()

# warptune_add_test_shards(MODULE PROGRAM COST): registers the tests of PROGRAM_tests that need no GPU in eight parts. Each part is
# one process. A process with a sanitizer starts in a quarter of a second, so a process for each of 2000 tests would cost minutes.
# Parts with a high COST begin first, so that no core waits for them in the end.
function(warptune_add_test_shards module program cost)
  set(count 8)
  foreach(part RANGE 1 ${count})
    math(EXPR index "${part} - 1")
    set(test "${module}.${program}_tests, part ${part} of ${count}")
    add_test(NAME "${test}" COMMAND ${program}_tests "--gtest_filter=${WARPTUNE_TEST_FILTER}" --gtest_brief=1)
    set_tests_properties("${test}" PROPERTIES LABELS ${module} TIMEOUT 900 COST ${cost} ENVIRONMENT
      "WARPTUNE_SHARE=${CMAKE_BINARY_DIR}/share/warptune;GTEST_TOTAL_SHARDS=${count};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# warptune_add_test(MODULE [PROGRAM name] SOURCES x_test.cpp... [LIBRARIES target...] [JSON] [TOGETHER]): adds a GoogleTest program
# of a module, MODULE_tests or NAME_tests, and registers its tests one by one, or with TOGETHER as one test of CTest. Tests of fixtures or suites whose names begin with "Gpu"
# have the label gpu, and those with "Long" have the label long. They find the shipped kernels and recordings of the build tree
# through WARPTUNE_SHARE.
function(warptune_add_test module)
  warptune_require_keywords("warptune_add_test(${module})" "JSON;TOGETHER" "PROGRAM;SOURCES;LIBRARIES" ${ARGN})
  cmake_parse_arguments(arg "JSON;TOGETHER" "PROGRAM" "SOURCES;LIBRARIES" ${ARGN})
  set(program ${module})
  if(arg_PROGRAM)
    set(program ${arg_PROGRAM})
  endif()
  add_executable(${program}_tests ${arg_SOURCES})
  warptune_tests_need(${module} ${program}_tests)
  warptune_batch(${program}_tests ${WARPTUNE_TEST_BATCH})
  target_link_libraries(${program}_tests PRIVATE wt_${module} ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  # Compiling the tests takes most of a build's time. Without optimisation it takes half as long, and the tests' own code takes little
  # time to run. The sanitizers' reports need line numbers.
  set(options -O0)
  if(CMAKE_CXX_FLAGS MATCHES sanitize)
    list(APPEND options -g1)
  endif()
  if(arg_JSON)
    warptune_precompile(${program}_tests json_tests HEADERS <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp>
      LIBRARIES GTest::gmock nlohmann_json::nlohmann_json OPTIONS ${options})
  else()
    warptune_precompile(${program}_tests tests HEADERS <gmock/gmock.h> <gtest/gtest.h> LIBRARIES GTest::gmock OPTIONS ${options})
  endif()
  warptune_link_optimised_first(${program}_tests)
  add_dependencies(${program}_tests warptune_share)
  if(CMAKE_CXX_FLAGS MATCHES sanitize)
    target_sources(${program}_tests PRIVATE "${CMAKE_SOURCE_DIR}/tests/sanitizers.cpp")
  endif()
  set(environment ENVIRONMENT "WARPTUNE_SHARE=${CMAKE_BINARY_DIR}/share/warptune")
  if(arg_TOGETHER)
    add_test(NAME "${module}.${program}_tests" COMMAND ${program}_tests "--gtest_filter=${WARPTUNE_TEST_FILTER}" --gtest_brief=1)
    set_tests_properties("${module}.${program}_tests" PROPERTIES LABELS ${module} TIMEOUT 900 COST 50 ${environment})
  elseif(CMAKE_CXX_FLAGS MATCHES sanitize)
    # Programs with more sources take longer. The tests of tests/tools have a cost of 100.
    list(LENGTH arg_SOURCES count)
    math(EXPR cost "${count} / 2")
    warptune_add_test_shards(${module} ${program} ${cost})
  else()
    gtest_discover_tests(${program}_tests TEST_PREFIX "${module}." TEST_FILTER "${WARPTUNE_TEST_FILTER}"
      PROPERTIES LABELS ${module} TIMEOUT 300 ${environment} DISCOVERY_TIMEOUT 60)
  endif()
  gtest_discover_tests(${program}_tests TEST_PREFIX "${module}." TEST_FILTER "Gpu*" TEST_LIST ${program}_gpu_tests
    PROPERTIES LABELS gpu TIMEOUT 600 RUN_SERIAL TRUE ${environment} DISCOVERY_TIMEOUT 60)
  gtest_discover_tests(${program}_tests TEST_PREFIX "${module}." TEST_FILTER "Long*" TEST_LIST ${program}_long_tests
    PROPERTIES LABELS long TIMEOUT 600 ${environment} DISCOVERY_TIMEOUT 60)
  # These tests also have the label of the module. gtest_discover_tests accepts only one label.
  foreach(label IN ITEMS gpu long)
    set(labels "${CMAKE_CURRENT_BINARY_DIR}/${program}_${label}_labels.cmake")
    file(CONFIGURE OUTPUT "${labels}" @ONLY CONTENT
"foreach(test IN LISTS @program@_@label@_tests)
  set_tests_properties(\"\${test}\" PROPERTIES LABELS \"@label@;@module@\")
endforeach()
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels}")
  endforeach()
endfunction()
