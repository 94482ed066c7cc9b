/* Prints size and place of every member of the structs in warptune.h, and the constants, as a C compiler sees
 * them. It also shows that the header is C. */
#include <stdio.h>
#include <warptune.h>

#define STRUCT(name) printf("struct %s: %zu bytes\n", #name, sizeof(name))
#define MEMBER(name, member) \
  printf("  %s.%s: at %zu, %zu bytes\n", #name, #member, offsetof(name, member), sizeof(((name*)0)->member))
#define CONSTANT(name) printf("%s = %d\n", #name, (int)(name))

static void options(void) {
  STRUCT(warptune_open_options);
  MEMBER(warptune_open_options, struct_size);
  MEMBER(warptune_open_options, mode);
  MEMBER(warptune_open_options, strict);
  MEMBER(warptune_open_options, database);
  MEMBER(warptune_open_options, snapshot);
  MEMBER(warptune_open_options, gpu);
  MEMBER(warptune_open_options, compile_cache);
  MEMBER(warptune_open_options, record);
  MEMBER(warptune_open_options, cache_state);
  STRUCT(warptune_load_options);
  MEMBER(warptune_load_options, struct_size);
  MEMBER(warptune_load_options, in_background);
  MEMBER(warptune_load_options, reserved);
}

static void values(void) {
  STRUCT(warptune_value);
  MEMBER(warptune_value, type);
  MEMBER(warptune_value, reserved);
  MEMBER(warptune_value, as);
  STRUCT(warptune_argument);
  MEMBER(warptune_argument, kind);
  MEMBER(warptune_argument, type);
  MEMBER(warptune_argument, data);
  MEMBER(warptune_argument, bytes);
}

static void results(void) {
  STRUCT(warptune_selection_info);
  MEMBER(warptune_selection_info, struct_size);
  MEMBER(warptune_selection_info, match);
  MEMBER(warptune_selection_info, reserved);
  MEMBER(warptune_selection_info, distance_log2);
  MEMBER(warptune_selection_info, median_ns);
  MEMBER(warptune_selection_info, default_median_ns);
  MEMBER(warptune_selection_info, configuration);
  MEMBER(warptune_selection_info, problem);
  MEMBER(warptune_selection_info, gpu);
  MEMBER(warptune_selection_info, reason);
  STRUCT(warptune_argument_info);
  MEMBER(warptune_argument_info, struct_size);
  MEMBER(warptune_argument_info, name);
  MEMBER(warptune_argument_info, kind);
  MEMBER(warptune_argument_info, type);
  MEMBER(warptune_argument_info, is_output);
  MEMBER(warptune_argument_info, is_fixed);
  MEMBER(warptune_argument_info, bytes);
  MEMBER(warptune_argument_info, alignment);
}

static void constants(void) {
  CONSTANT(WARPTUNE_ABI_VERSION);
  CONSTANT(WARPTUNE_OK);
  CONSTANT(WARPTUNE_ERROR_INPUT);
  CONSTANT(WARPTUNE_ERROR_UNKNOWN);
  CONSTANT(WARPTUNE_ERROR_MACHINE);
  CONSTANT(WARPTUNE_ERROR_COMPILE);
  CONSTANT(WARPTUNE_ERROR_LAUNCH);
  CONSTANT(WARPTUNE_ERROR_DRIVER);
  CONSTANT(WARPTUNE_ERROR_MODE);
  CONSTANT(WARPTUNE_ERROR_MEMORY);
  CONSTANT(WARPTUNE_ERROR_INTERNAL);
  CONSTANT(WARPTUNE_MODE_DEFAULT);
  CONSTANT(WARPTUNE_MODE_OFF);
  CONSTANT(WARPTUNE_MODE_LOOK_UP);
  CONSTANT(WARPTUNE_MODE_LOAD);
  CONSTANT(WARPTUNE_MODE_RECORD);
  CONSTANT(WARPTUNE_MATCH_EXACT);
  CONSTANT(WARPTUNE_MATCH_NEAR_PROBLEM);
  CONSTANT(WARPTUNE_MATCH_SAME_CC);
  CONSTANT(WARPTUNE_MATCH_SAME_MAJOR);
  CONSTANT(WARPTUNE_MATCH_PORTABLE);
  CONSTANT(WARPTUNE_MATCH_DEFAULT);
  CONSTANT(WARPTUNE_VALUE_USUAL);
  CONSTANT(WARPTUNE_VALUE_INTEGER);
  CONSTANT(WARPTUNE_VALUE_REAL);
  CONSTANT(WARPTUNE_VALUE_BOOLEAN);
  CONSTANT(WARPTUNE_VALUE_TEXT);
  CONSTANT(WARPTUNE_F16);
  CONSTANT(WARPTUNE_BF16);
  CONSTANT(WARPTUNE_F32);
  CONSTANT(WARPTUNE_F64);
  CONSTANT(WARPTUNE_I8);
  CONSTANT(WARPTUNE_I16);
  CONSTANT(WARPTUNE_I32);
  CONSTANT(WARPTUNE_I64);
  CONSTANT(WARPTUNE_U8);
  CONSTANT(WARPTUNE_U16);
  CONSTANT(WARPTUNE_U32);
  CONSTANT(WARPTUNE_U64);
  CONSTANT(WARPTUNE_BUFFER);
  CONSTANT(WARPTUNE_SCALAR);
  CONSTANT(WARPTUNE_RUNS_SELECTED);
  CONSTANT(WARPTUNE_RUNS_DEFAULT);
  CONSTANT(WARPTUNE_RUNS_FALLBACK);
}

int main(void) {
  options();
  values();
  results();
  constants();
  return warptune_abi_version() == WARPTUNE_ABI_VERSION ? 0 : 1;
}
