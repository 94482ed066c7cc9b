/* Adds two vectors with the fastest known configuration of the shipped kernel vector_add.
 *
 *   tuned [SNAPSHOT]
 *
 * Without a snapshot, the configuration comes from the user's database. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <warptune.h>

static void check_cuda(CUresult code) {
  if (code == CUDA_SUCCESS) return;
  fprintf(stderr, "the CUDA driver answers %d\n", (int)code);
  exit(3);
}

static void check(warptune_status status) {
  if (status == WARPTUNE_OK) return;
  fprintf(stderr, "%s\n", warptune_last_error());
  exit(1);
}

/* Adds 1 and 2, and returns the number of elements that are not 3. */
static size_t add(const warptune_code* code, size_t count) {
  const size_t bytes = count * sizeof(float);
  float* numbers = malloc(bytes);
  CUdeviceptr buffers[3];
  size_t wrong = 0;
  for (int i = 0; i < 3; ++i) {
    for (size_t n = 0; n < count; ++n) numbers[n] = i < 2 ? (float)(i + 1) : 0.0f;
    check_cuda(cuMemAlloc(&buffers[i], bytes));
    check_cuda(cuMemcpyHtoD(buffers[i], numbers, bytes));
  }
  warptune_argument arguments[16] = {{0}};
  const size_t expected = warptune_argument_count(code);
  for (size_t i = 0; i < expected && i < 16; ++i) {
    warptune_argument_info info = {.struct_size = sizeof info};
    check(warptune_describe_argument(code, i, &info));
    arguments[i].kind = info.kind;
    arguments[i].type = info.type; /* Scalars get no data here, so they have the definition's values. */
    if (info.kind == WARPTUNE_BUFFER) {
      arguments[i].data = (const void*)buffers[i];
      arguments[i].bytes = bytes;
    }
  }
  check(warptune_launch(code, NULL, arguments, expected, NULL, 0));
  check_cuda(cuMemcpyDtoH(numbers, buffers[2], bytes));
  for (size_t n = 0; n < count; ++n) wrong += numbers[n] != 3.0f;
  for (int i = 0; i < 3; ++i) check_cuda(cuMemFree(buffers[i]));
  free(numbers);
  return wrong;
}

int main(int argc, char** argv) {
  const size_t count = 1 << 20;
  CUdevice device;
  CUcontext context;
  check_cuda(cuInit(0));
  check_cuda(cuDeviceGet(&device, 0));
  check_cuda(cuDevicePrimaryCtxRetain(&context, device));
  check_cuda(cuCtxSetCurrent(context));

  warptune_open_options options = {.struct_size = sizeof options, .snapshot = argc > 1 ? argv[1] : NULL};
  warptune_library* library;
  warptune_kernel* kernel;
  const warptune_selection* selection;
  warptune_code* code;
  check(warptune_open(&options, &library));
  check(warptune_open_kernel(library, "vector_add", -1, &kernel));
  const warptune_value size = {.type = WARPTUNE_VALUE_INTEGER, .as = {.integer = (int64_t)count}};
  check(warptune_select(kernel, &size, 1, &selection));
  check(warptune_load(selection, NULL, &code));

  warptune_selection_info info = {.struct_size = sizeof info};
  check(warptune_describe(selection, &info));
  const size_t wrong = add(code, count);
  printf("%s: %s\n%zu of %zu elements are wrong\n", info.problem, info.configuration, wrong, count);
  warptune_unload(code);
  warptune_close(library);
  return wrong == 0 ? 0 : 1;
}
