#!/usr/bin/env bash
# export_function_test.sh BUILD_FOLDER EXAMPLE: the CMake function warptune_export with the installed tree, moved elsewhere. The
# results are replayed from shipped recordings.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset WARPTUNE_SHARE XDG_DATA_HOME XDG_CACHE_HOME
export HOME=$folder
cmake --install "$1" --prefix "$folder/installed" >/dev/null
mv "$folder/installed" "$folder/moved"
warptune=$folder/moved/bin/warptune
cp -r "$2" "$folder/example"
file=$folder/example/tuned/vector_add.h
database=$folder/results.db

fail() { echo "export_function_test: $1" >&2; cat "$folder/said" >&2; exit 1; }
# expect PATTERN COMMAND...: the output of the command matches the regular expression. CMake breaks the lines of its messages.
expect() { grep -Eq -- "$1" <<<"$(tr -s ' \n' ' ' <"$folder/said")" || fail "expected '$1' of: ${*:2}"; }
# says PATTERN COMMAND...: the command succeeds, and its output matches.
says() { "${@:2}" >"$folder/said" 2>&1 || fail "failed: ${*:2}"; expect "$@"; }
# fails PATTERN COMMAND...: the command fails, and its output matches.
fails() {
  if "${@:2}" >"$folder/said" 2>&1; then fail "expected a failure of: ${*:2}"; fi
  expect "$@"
}
tune() { "$warptune" tune "$@" >/dev/null 2>&1; }
build() { cmake --build "$folder/build" "$@"; }
check() { ctest --test-dir "$folder/build" --output-on-failure; }

# The file that is kept with the sources is written for the first time, and then the project builds.
tune vector_add --budget 3 --db "$database"
tune reduction --budget 3 --db "$database"
says "vector_add.h does not exist yet; the target warptune_renew" \
  cmake -S "$folder/example" -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/moved" -DDATABASE="$database"
fails "vector_add.h" check
says "" build --target warptune_renew
says "" build
says "vector_add: row 0, BLOCK=[0-9]+" "$folder/build/exported"
says "100% tests passed" check
[[ ! -e $folder/example/reduction.h ]] || fail "a file of the build tree is in the source tree"

# A database that changed without better results compiles nothing again.
touch "$database"
says "Exporting reduction.h" build
! grep -q "Building" "$folder/said" || fail "the same file was compiled again"
says "." build
! grep -q "Exporting" "$folder/said" || fail "an unchanged database was exported again"

# The database knows better: the check shows the difference, until the file is renewed. The other file follows by itself.
kept=$(cat "$file")
made=$(cat "$folder/build/warptune_export/exported/reduction.h")
tune vector_add --budget all --db "$database"
tune reduction --budget all --db "$database"
fails "vector_add.h no longer matches the database; write it again with warptune export vector_add --format header --replayed --db $database -o" check
grep -Eq "^ *- " "$folder/said" && grep -Eq "^ *\+ " "$folder/said" || fail "there is no difference"
fails "no longer matches" build --target warptune_check
[[ $(cat "$file") == "$kept" ]] || fail "a check wrote the file"
says "Building" build
[[ $(cat "$folder/build/warptune_export/exported/reduction.h") != "$made" ]] || fail "reduction.h did not follow the database"
says "" build --target warptune_renew
says "100% tests passed" check
says "Building" build

# Without DATABASE the user's database is asked in each build.
mkdir -p "$folder/.local/share/warptune"
tune reduction --budget 3
says "" cmake -S "$folder/example" -B "$folder/build" -DDATABASE=
says "Exporting reduction.h" build
says "Exporting reduction.h" build

# A build for another machine runs a warptune of this one.
other=(cmake -S "$folder/example" -B "$folder/other" -DCMAKE_PREFIX_PATH="$folder/moved" -DDATABASE="$database"
  -DCMAKE_SYSTEM_NAME=Linux -G Ninja)
fails "there is no warptune that this machine can run; set WARPTUNE_PROGRAM" env PATH=/usr/bin:/bin "${other[@]}"
fails "WARPTUNE_PROGRAM is $folder, which is not a program" "${other[@]}" -DWARPTUNE_PROGRAM="$folder"
says "" "${other[@]}" -DWARPTUNE_PROGRAM="$warptune"
says "Exporting reduction.h" cmake --build "$folder/other"

# Definitions of the project, formats other than C++, and targets of other types. No language is enabled.
mkdir "$folder/plain"
cp "$(dirname "$2")/window_sum/window."* "$folder/plain"
project() {
  { printf 'cmake_minimum_required(VERSION 3.25)\nproject(plain LANGUAGES NONE)\nfind_package(warptune REQUIRED)\n'
    printf 'add_custom_target(one ALL)\nadd_library(faces INTERFACE)\n%s\n' "$1"; } >"$folder/plain/CMakeLists.txt"
  cmake -S "$folder/plain" -B "$folder/plain/build" -DCMAKE_PREFIX_PATH="$folder/moved"
}
says "path: $folder/plain/build/warptune_export/one/a/winners.snapshot" project "
  warptune_export(TARGET one KERNELS vector_add reduction OUTPUT a/winners.snapshot FORMAT snapshot DATABASE ../results.db
    PATH_VARIABLE path OPTIONS --replayed)
  message(STATUS \"path: \${path}\")
  warptune_export(TARGET faces KERNELS vector_add OUTPUT tuned.cuh FORMAT cuda DATABASE ../results.db OPTIONS --replayed)
  add_custom_target(two ALL)
  add_dependencies(two faces)"
says "" cmake --build "$folder/plain/build"
grep -q "^warptune-snapshot" "$folder/plain/build/warptune_export/one/a/winners.snapshot" || fail "there is no snapshot"
grep -q "launch(" "$folder/plain/build/warptune_export/faces/tuned.cuh" || fail "there is no CUDA file"
says "" project "warptune_export(TARGET one KERNELS window.toml OUTPUT w.h DATABASE ../results.db DEPENDS window.cu)"
fails "nothing is known of window_sum" cmake --build "$folder/plain/build"

# A file that is public is there before what links its target is compiled.
echo 'int base() { return 0; }' >"$folder/plain/base.cpp"
printf '#include "winners/tuned.h"\nint main() { return warptune_vector_add::select({90, 132}, {}).row; }\n' >"$folder/plain/user.cpp"
rm -r "$folder/plain/build"
says "" project "
  enable_language(CXX)
  add_library(base STATIC base.cpp)
  add_library(own::base ALIAS base)
  warptune_export(TARGET own::base KERNELS vector_add OUTPUT winners/tuned.h PUBLIC DATABASE ../results.db OPTIONS --replayed)
  add_executable(user user.cpp)
  target_link_libraries(user PRIVATE base)
  target_compile_features(user PRIVATE cxx_std_17)"
says "Exporting winners/tuned.h for base" cmake --build "$folder/plain/build" --target user
says "" "$folder/plain/build/user"

# Wrong calls, each with the reason. The kernel, the database and the rest of the call are right.
wrong() { fails "warptune_export: $1" project "warptune_export($2)"; }
right="KERNELS vector_add OUTPUT tuned.h DATABASE ../results.db"
wrong "TARGET is missing" "$right"
wrong "KERNELS is missing" "TARGET one OUTPUT tuned.h"
wrong "OUTPUT is missing" "TARGET one KERNELS vector_add"
wrong "'QUICKLY' is no argument" "QUICKLY TARGET one $right"
wrong "there is no target three" "TARGET three $right"
wrong "the target warptune::warptune is imported" "TARGET warptune::warptune $right"
wrong "OUTPUT ../tuned.h: expected the relative path" "TARGET one KERNELS vector_add OUTPUT ../tuned.h"
wrong "OUTPUT /tuned.h: expected the relative path" "TARGET one KERNELS vector_add OUTPUT /tuned.h"
wrong "FORMAT cudas: expected one of header cuda" "TARGET one $right FORMAT cudas"
wrong "OPTIONS has --db, which" "TARGET one $right OPTIONS --db rows.db"
wrong "the kernel $folder/plain/mine.cu does not exist" "TARGET one KERNELS mine.cu OUTPUT tuned.h"
wrong "DEPENDS $folder/plain/mine.cuh does not exist" "TARGET one $right DEPENDS mine.cuh"
wrong "the database $folder/plain/rows.db does not exist" "TARGET one KERNELS vector_add OUTPUT tuned.h DATABASE rows.db"
wrong "the target one already has a file tuned.h" "TARGET one $right)
  warptune_export(TARGET one $right"

# The formats are those of the program.
formats=$(sed -n 's/^set(WARPTUNE_EXPORT_FORMATS \(.*\) CACHE.*/\1/p' "$folder/moved/lib/cmake/warptune/WarptuneExport.cmake")
"$warptune" export --help | grep -q -- "--format ${formats// /|}" || { echo "the formats differ: $formats" >&2; exit 1; }
