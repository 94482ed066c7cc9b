#!/usr/bin/env bash
# fetch_content_test.sh SOURCE: a project that adds this one by FetchContent can be configured, without this project's tests, and its
# program is linked with libwarptune. Nothing is built.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
include(FetchContent)
FetchContent_Declare(warptune SOURCE_DIR "$1")
FetchContent_MakeAvailable(warptune)
add_executable(consumer main.cpp)
target_link_libraries(consumer PRIVATE warptune::warptune)
if(TARGET profiling_tests)
  message(FATAL_ERROR "a project that uses this one gets its tests")
endif()
END
echo 'int main() {}' >"$folder/main.cpp"
cmake -S "$folder" -B "$folder/build" -G "Unix Makefiles" >"$folder/said" 2>&1 || { cat "$folder/said"; exit 1; }
grep -q "libwarptune.so" "$folder/build/CMakeFiles/consumer.dir/link.txt"
grep -rqs "library/include" "$folder/build/CMakeFiles/consumer.dir/flags.make"
