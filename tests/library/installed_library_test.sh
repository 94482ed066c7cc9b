#!/usr/bin/env bash
# installed_library_test.sh BUILD_FOLDER EXAMPLES CUDA_INCLUDE FAKE_DRIVER FAKE_WORKER: the examples are built as projects of their own with the
# installed tree, moved elsewhere: by CMake and by pkg-config. They run with a fake driver, which runs no kernel.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset WARPTUNE_SHARE
export HOME=$folder
unset XDG_DATA_HOME XDG_CACHE_HOME
cmake --install "$1" --prefix "$folder/installed" >/dev/null
mv "$folder/installed" "$folder/moved"
cmake -S "$2" -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/moved" -DCUDA_INCLUDE="$3" -DCUDA_DRIVER="$4" >/dev/null
cmake --build "$folder/build" >/dev/null
"$folder/moved/bin/warptune" tune vector_add --budget 20 >/dev/null 2>&1  # From the shipped recording.
"$folder/moved/bin/warptune" export vector_add --replayed --format snapshot -o "$folder/winners.snapshot" 2>/dev/null
export LD_LIBRARY_PATH=$folder/moved/lib:$(dirname "$4") FAKE_CUDA_PARAMETERS=8,8,8,4,4,4,8
for program in tuned_c tuned_cpp; do
  for snapshot in "" "$folder/winners.snapshot"; do
    said=$("$folder/build/$program" $snapshot 2>&1) && { echo "$program: expected wrong elements"; exit 1; }
    grep -q "^N=1048576 dtype=f32 operation=add: LOAD_PATH=" <<<"$said" || { echo "$said"; exit 1; }
    grep -q "^1048576 of 1048576 elements are wrong" <<<"$said" || { echo "$said"; exit 1; }
  done
done
# A kernel is tuned by a fake worker, found again, compiled, and launched by the fake driver.
export FAKE_CUDA_PARAMETERS=8,8,4,4
said=$(WARPTUNE_WORKER=$5 "$folder/build/tune_and_launch" 2>&1) && { echo "$said"; exit 1; }
grep -q "^BLOCK=.* 16 configurations, 0 of them wrong" <<<"$said" || { echo "$said"; exit 1; }
grep -q "elements are wrong" <<<"$said"
# The program for workers is found beside the library.
mv "$folder/moved/bin/warptune" "$folder/moved/bin/away"
cp "$5" "$folder/moved/bin/warptune"
said=$("$folder/build/tune_and_launch" 2>&1) && { echo "$said"; exit 1; }
grep -q "configurations, 0 of them wrong" <<<"$said" || { echo "$said"; exit 1; }
rm "$folder/moved/bin/warptune"
said=$(PATH=/usr/bin:/bin "$folder/build/tune_and_launch" 2>&1) && exit 1
grep -q "the program warptune, which compiles and measures for a tuning, is not at $folder/moved/lib/warptune, $folder/moved/bin/warptune, /usr/bin/warptune" <<<"$said" ||
  { echo "$said"; exit 1; }
mv "$folder/moved/bin/away" "$folder/moved/bin/warptune"
# A C program replays a recording.
cat >"$folder/replay.c" <<'END'
#include <stdio.h>
#include <warptune_tuning.h>
int main(int argc, char** argv) {
  warptune_open_options options = {.struct_size = sizeof options, .mode = WARPTUNE_MODE_TUNE};
  warptune_tuning_options wanted = {.struct_size = sizeof wanted, .kernel = "vector_add", .budget = "20"};
  warptune_tuning_event event = {.struct_size = sizeof event};
  warptune_tuning_result result = {.struct_size = sizeof result};
  warptune_library* library;
  warptune_tuning* tuning;
  int rows = 0;
  if (argc != 2 || warptune_open(&options, &library) != WARPTUNE_OK) return 1;
  wanted.recording = argv[1];
  if (warptune_start_tuning(library, &wanted, &tuning) != WARPTUNE_OK) return puts(warptune_last_error());
  do {
    if (warptune_next_event(tuning, -1.0, &event) != WARPTUNE_OK) return 1;
    rows += event.kind == WARPTUNE_EVENT_MEASURED;
  } while (event.kind != WARPTUNE_EVENT_ENDED);
  if (warptune_finish_tuning(tuning, &result) != WARPTUNE_OK) return puts(warptune_last_error());
  printf("%d rows, the best is %s\n", rows, result.configuration);
  warptune_free_tuning(tuning);
  warptune_close(library);
  return 0;
}
END
cc -std=c99 "-I$folder/moved/include" "$folder/replay.c" -o "$folder/replay" "-L$folder/moved/lib" -lwarptune
said=$(XDG_DATA_HOME=$folder/other "$folder/replay" "$folder/moved/share/warptune/recordings/vector_add-h200.wtrec.zst")
grep -q "^20 rows, the best is LOAD_PATH=" <<<"$said" || { echo "$said"; exit 1; }
# From nothing to a tuned launch it takes twenty lines.
lines=$(sed -n '/^  warptune_open_options options{};$/,/^              warptune::scalar(n));$/p' "$2/tune_and_launch.cpp" | wc -l)
[[ $lines == 20 ]] || { echo "tune_and_launch.cpp: $lines lines"; exit 1; }
export FAKE_CUDA_PARAMETERS=8,8,8,4,4,4,8
said=$("$folder/build/tuned_c" "$folder/missing" 2>&1) && exit 1
grep -q "missing" <<<"$said"
cat >"$folder/no_driver.c" <<'END'
#include <stdio.h>
#include <warptune.h>
int main(void) {
  warptune_open_options options = {.struct_size = sizeof options, .mode = WARPTUNE_MODE_OFF};
  warptune_library* library;
  warptune_kernel* kernel;
  if (warptune_open(&options, &library) != WARPTUNE_OK) return 1;
  const warptune_status status = warptune_open_kernel(library, "vector_add", 0, &kernel);
  puts(status == WARPTUNE_OK ? "there is a driver" : warptune_last_error());
  warptune_close(library);
  return status == WARPTUNE_OK || status == WARPTUNE_ERROR_MACHINE ? 0 : 1;
}
END
cc -std=c99 "-I$folder/moved/include" "$folder/no_driver.c" -o "$folder/no_driver" "-L$folder/moved/lib" -lwarptune
LD_LIBRARY_PATH=$folder/moved/lib "$folder/no_driver" | grep -E "there is a driver|libcuda|driver"
if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$folder/moved/lib/pkgconfig
  cc -std=c99 -isystem "$3" $(pkg-config --cflags warptune) "$2/tuned.c" -o "$folder/by_pkg_config" $(pkg-config --libs warptune) "$4"
  said=$("$folder/by_pkg_config" 2>&1) && exit 1
  grep -q "operation=add: LOAD_PATH=" <<<"$said"
fi
