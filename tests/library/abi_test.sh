#!/usr/bin/env bash
# abi_test.sh LIBRARY LAYOUT_PROGRAM EXPECTED HEADER...: the exported names of libwarptune.so, its SONAME and the layout of its structs
# are those of the file EXPECTED (docs/library-abi.md). Every constant and member of the headers is in the layout.
set -euo pipefail
found=$(mktemp)
trap 'rm -f "$found"' EXIT
{
  readelf -d "$1" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p'
  nm -D --defined-only "$1" | awk '{ print $3 }' | LC_ALL=C sort
  "$2"
} >"$found"
diff -u "$3" "$found"
for name in $(grep -ho '\bWARPTUNE_[A-Z0-9_]* =' "${@:4}" | cut -d' ' -f1); do
  grep -qx "$name = .*" "$found" || { echo "$name is not in the layout"; exit 1; }
done
grep -hoE '^  [a-z].* \*?([a-z_0-9]+);' "${@:4}" | sed -E 's/.*[ *]([a-z_0-9]+);/\1/' | sort -u | while read -r member; do
  case $member in integer|real|text) continue ;; esac  # Members of the union.
  grep -q "\.$member: " "$found" || { echo "the member $member is not in the layout"; exit 1; }
done
