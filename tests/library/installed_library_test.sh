#!/usr/bin/env bash
# installed_library_test.sh BUILD_FOLDER EXAMPLES CUDA_INCLUDE FAKE_DRIVER: the examples are built as projects of their own with the
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
