#!/usr/bin/env bash
# fetch_content_test.sh SOURCE PROGRAM: a project that adds this one by FetchContent can be configured, without this project's tests.
# Its program is linked with libwarptune, and gets files of the program that it builds. Only such a file is made, by PROGRAM.
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
warptune_export(TARGET consumer KERNELS vector_add OUTPUT tuned.h DATABASE results.db OPTIONS --replayed)
if(TARGET profiling_tests)
  message(FATAL_ERROR "a project that uses this one gets its tests")
endif()
END
echo 'int main() {}' >"$folder/main.cpp"
unset WARPTUNE_SHARE XDG_DATA_HOME XDG_CACHE_HOME
HOME=$folder "$2" tune vector_add --budget 3 --db "$folder/results.db" >"$folder/said" 2>&1 || { cat "$folder/said"; exit 1; }
cmake -S "$folder" -B "$folder/build" -G "Unix Makefiles" >"$folder/said" 2>&1 || { cat "$folder/said"; exit 1; }
grep -q "libwarptune.so" "$folder/build/CMakeFiles/consumer.dir/link.txt"
grep -rqs "library/include" "$folder/build/CMakeFiles/consumer.dir/flags.make"
grep -qs "^	\(cd .* && \)\?[^ ]*warptune export vector_add --format header --replayed" \
  "$folder/build/CMakeFiles/warptune_export_consumer_tuned_h.dir/build.make"
grep -qs "\.stamp: warptune$" "$folder/build/CMakeFiles/warptune_export_consumer_tuned_h.dir/build.make"
cmake -S "$folder" -B "$folder/build" -DWARPTUNE_PROGRAM="$2" >/dev/null 2>&1
cmake --build "$folder/build" --target warptune_export_consumer_tuned_h >"$folder/said" 2>&1 || { cat "$folder/said"; exit 1; }
grep -q "namespace warptune_vector_add" "$folder/build/warptune_export/consumer/tuned.h"
