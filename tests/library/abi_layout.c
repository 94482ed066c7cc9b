/* Prints size and place of every member of the structs in warptune.h and warptune_tuning.h, and the
 * constants, as a C compiler sees them. It also shows that the headers are C. */
#include <stdio.h>
#include <warptune.h>
#include <warptune_tuning.h>

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
  MEMBER(warptune_open_options, reproducible);
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
  MEMBER(warptune_selection_info, confirmed);
  MEMBER(warptune_selection_info, reserved_2);
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

static void tuning(void) {
  STRUCT(warptune_contents);
  MEMBER(warptune_contents, argument);
  MEMBER(warptune_contents, role);
  MEMBER(warptune_contents, memory);
  MEMBER(warptune_contents, type);
  MEMBER(warptune_contents, reserved);
  MEMBER(warptune_contents, data);
  MEMBER(warptune_contents, bytes);
  STRUCT(warptune_result);
  MEMBER(warptune_result, argument);
  MEMBER(warptune_result, type);
  MEMBER(warptune_result, reserved);
  MEMBER(warptune_result, data);
  MEMBER(warptune_result, bytes);
  STRUCT(warptune_tuning_options);
  MEMBER(warptune_tuning_options, struct_size);
  MEMBER(warptune_tuning_options, kernel);
  MEMBER(warptune_tuning_options, problem);
  MEMBER(warptune_tuning_options, problem_count);
  MEMBER(warptune_tuning_options, device);
  MEMBER(warptune_tuning_options, fresh);
  MEMBER(warptune_tuning_options, budget);
  MEMBER(warptune_tuning_options, until);
  MEMBER(warptune_tuning_options, strategy);
  MEMBER(warptune_tuning_options, objective);
  MEMBER(warptune_tuning_options, metrics);
  MEMBER(warptune_tuning_options, seed);
  MEMBER(warptune_tuning_options, compile_workers);
  MEMBER(warptune_tuning_options, contents);
  MEMBER(warptune_tuning_options, contents_count);
  MEMBER(warptune_tuning_options, check);
  MEMBER(warptune_tuning_options, check_context);
  MEMBER(warptune_tuning_options, recording);
  MEMBER(warptune_tuning_options, program);
  MEMBER(warptune_tuning_options, in_this_process);
  MEMBER(warptune_tuning_options, reserved);
  MEMBER(warptune_tuning_options, reproducible);
  STRUCT(warptune_tuning_event);
  MEMBER(warptune_tuning_event, struct_size);
  MEMBER(warptune_tuning_event, kind);
  MEMBER(warptune_tuning_event, reserved);
  MEMBER(warptune_tuning_event, evaluated);
  MEMBER(warptune_tuning_event, elapsed_s);
  MEMBER(warptune_tuning_event, fraction);
  MEMBER(warptune_tuning_event, median_ns);
  MEMBER(warptune_tuning_event, best_median_ns);
  MEMBER(warptune_tuning_event, configuration);
  MEMBER(warptune_tuning_event, status);
  MEMBER(warptune_tuning_event, text);
  STRUCT(warptune_tuning_result);
  MEMBER(warptune_tuning_result, struct_size);
  MEMBER(warptune_tuning_result, cancelled);
  MEMBER(warptune_tuning_result, replayed);
  MEMBER(warptune_tuning_result, evaluated);
  MEMBER(warptune_tuning_result, wrong);
  MEMBER(warptune_tuning_result, median_ns);
  MEMBER(warptune_tuning_result, default_median_ns);
  MEMBER(warptune_tuning_result, configuration);
  MEMBER(warptune_tuning_result, gpu);
  MEMBER(warptune_tuning_result, session);
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
  CONSTANT(WARPTUNE_MODE_TUNE);
  CONSTANT(WARPTUNE_MATCH_EXACT);
  CONSTANT(WARPTUNE_MATCH_NEAR_PROBLEM);
  CONSTANT(WARPTUNE_MATCH_SAME_CC);
  CONSTANT(WARPTUNE_MATCH_SAME_MAJOR);
  CONSTANT(WARPTUNE_MATCH_PORTABLE);
  CONSTANT(WARPTUNE_MATCH_DEFAULT);
  CONSTANT(WARPTUNE_MATCH_RECOMMENDED);
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

static void tuning_constants(void) {
  CONSTANT(WARPTUNE_CONTENTS_FIRST);
  CONSTANT(WARPTUNE_CONTENTS_EXPECTED);
  CONSTANT(WARPTUNE_DEVICE_MEMORY);
  CONSTANT(WARPTUNE_HOST_MEMORY);
  CONSTANT(WARPTUNE_CHECK_WRONG);
  CONSTANT(WARPTUNE_CHECK_RIGHT);
  CONSTANT(WARPTUNE_CHECK_END);
  CONSTANT(WARPTUNE_EVENT_NONE);
  CONSTANT(WARPTUNE_EVENT_PROGRESS);
  CONSTANT(WARPTUNE_EVENT_MEASURED);
  CONSTANT(WARPTUNE_EVENT_WARNING);
  CONSTANT(WARPTUNE_EVENT_FINALS);
  CONSTANT(WARPTUNE_EVENT_ENDED);
}

int main(void) {
  options();
  values();
  results();
  constants();
  tuning();
  tuning_constants();
  return warptune_abi_version() == WARPTUNE_ABI_VERSION ? 0 : 1;
}
