#!/usr/bin/env bash
# installed_tree_test.sh BUILD_FOLDER: the installed tree, moved elsewhere, finds its kernels with no help from the build.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset WARPTUNE_SHARE
export HOME=$folder
cmake --install "$1" --prefix "$folder/installed" >/dev/null
mv "$folder/installed" "$folder/moved"
cd /
for shipped in "$folder"/moved/share/warptune/kernels/*.cu; do
  "$folder/moved/bin/warptune" list | grep -w "$(basename "$shipped" .cu)"
done
test -s "$folder/moved/share/warptune/kernels/sgemm.recommended.toml"
if "$folder/moved/bin/warptune" list | grep '\.recommended'; then exit 1; fi
share=$folder/moved/share
commands=$("$folder/moved/bin/warptune" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[[ $commands == *tune*help* ]]
for page in warptune $(printf 'warptune-%s ' $commands); do
  grep -q '^\.TH WARPTUNE' "$share/man/man1/$page.1"
done
grep -q '_warptune warptune' "$share/bash-completion/completions/warptune"
grep -qx '#compdef warptune' "$share/zsh/site-functions/_warptune"
grep -q '^complete -c warptune' "$share/fish/vendor_completions.d/warptune.fish"
for page in README.md LICENSE docs/report.md docs/kernels/sgemm.md; do
  test -s "$folder/moved/share/doc/warptune/$page"
done
test -s "$share/warptune/schemas/shared.schema.json"
recording=$folder/moved/share/warptune/recordings/vector_add-h200.wtrec.zst
"$folder/moved/bin/warptune" profile "$recording" | grep -x "Diagnosis"
"$folder/moved/bin/warptune" report "$recording" -o "$folder/page.html"
grep -q "</html>" "$folder/page.html"
