#!/usr/bin/env bash
# exports_by_nvrtc_12_test.sh TUNER_TESTS WARPTUNE FOLDER: NVRTC 12.6 compiles the exported CUDA files of all shipped kernels: of the
# recorded winners for sm_90, and of the defaults for sm_80. FOLDER is what scripts/fetch-nvrtc-12 makes. Exits with 77 without it.
set -euo pipefail
if [[ ! -e $3/lib/libnvrtc.so.12 ]]; then
  echo "NVRTC 12.6 is missing; scripts/fetch-nvrtc-12 fetches it"
  exit 77
fi
export WARPTUNE_CUDA_PATH=$3
found=$("$2" doctor 2>&1 || true)  # It fails on a machine without a GPU.
grep "^NVRTC .*version 12\.6" <<<"$found"
"$1" --gtest_brief=1 --gtest_filter='All/ShippedExportTest.*:CudaFileTest.OfTheExampleIsCompiledByNvrtc'
