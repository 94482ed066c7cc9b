#!/usr/bin/env bash
# module_keywords_test.sh CMAKE SOURCE_FOLDER: warptune_add_module accepts its keywords once each, and refuses every other use of them.
# CMake itself would ignore all but the last of repeated keywords. The project's own calls are correct in a sanitizer's build, too,
# where some modules have other keywords.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
configure() {
  {
    printf 'cmake_minimum_required(VERSION 3.25)\nproject(keywords NONE)\n'
    printf 'include("%s/cmake/WarptuneModule.cmake")\nwarptune_add_module(%s)\n' "$2" "$3"
  } >"$folder/CMakeLists.txt"
  "$1" -S "$folder" -B "$folder/build" 2>&1
}
refuses() { # refuses ARGUMENTS MESSAGE
  if found=$(configure "$cmake" "$source" "$1"); then
    echo "warptune_add_module($1) was accepted"
    exit 1
  fi
  grep -qF "$2" <<<"$found" || { printf '%s\nexpected: %s\n' "$found" "$2"; exit 1; }
}
cmake=$1 source=$2
configure "$cmake" "$source" 'headers PUBLIC one two APART ^a/ ^b$ TOGETHER ^c/' >"$folder/found" || { cat "$folder/found"; exit 1; }
refuses 'headers APART ^a/ PUBLIC one APART ^b/' 'warptune_add_module(headers): APART is given 2 times'
refuses 'headers JSON PUBLIC one JSON' 'warptune_add_module(headers): JSON is given 2 times'
refuses 'headers one PUBLIC two' 'warptune_add_module(headers): unknown: one'
refuses 'headers PUBLIC APART ^a/' 'warptune_add_module(headers): no value for PUBLIC'
"$cmake" -S "$source" -B "$folder/sanitized" -D WARPTUNE_TESTS=OFF -D CMAKE_CXX_FLAGS=-fsanitize=address >"$folder/found" 2>&1 ||
  { cat "$folder/found"; exit 1; }
