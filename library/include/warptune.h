/* libwarptune: the fastest known configuration of a kernel, selected, loaded and launched by a program.
 *
 * This is the C interface. docs/library.md explains its use. docs/library-abi.md says what stays the same
 * between versions.
 *
 * All functions may be called by any number of threads at the same time, unless their text says otherwise. No
 * function throws, prints or ends the process. Functions that can fail return a `warptune_status`. After a
 * failure `warptune_last_error` says what was expected and what was found.
 */
#ifndef WARPTUNE_H
#define WARPTUNE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WARPTUNE_API __attribute__((visibility("default")))
#else
#define WARPTUNE_API
#endif

#ifdef __cplusplus
extern "C" {
#define WARPTUNE_NOEXCEPT noexcept
#else
#define WARPTUNE_NOEXCEPT
#endif

/* The version of the binary interface that this header describes. */
#define WARPTUNE_ABI_VERSION 1

/* How a call ended. */
typedef int32_t warptune_status;
enum {
  WARPTUNE_OK = 0,
  WARPTUNE_ERROR_INPUT = 1,   /* An argument, a name, a file or a problem is wrong. */
  WARPTUNE_ERROR_UNKNOWN = 2, /* There is no answer for the problem, or no configuration can run. */
  WARPTUNE_ERROR_MACHINE = 3, /* There is no driver, no GPU, no compiler, or no permission. */
  WARPTUNE_ERROR_COMPILE = 4, /* The code does not compile, or the GPU cannot run it. */
  WARPTUNE_ERROR_LAUNCH = 5,  /* A launch was refused; nothing was launched. */
  WARPTUNE_ERROR_DRIVER = 6,  /* The driver refused a call; its reason is in the message. */
  WARPTUNE_ERROR_MODE = 7,    /* The library's mode does not allow the call. */
  WARPTUNE_ERROR_MEMORY = 8,  /* There is too little memory. */
  WARPTUNE_ERROR_INTERNAL = 9 /* A fault of warptune itself. */
};

/* What the library may do. Each mode after WARPTUNE_MODE_LOOK_UP can also do what the mode before it can. In
 * WARPTUNE_MODE_OFF code is loaded, too: that of the default. */
enum {
  WARPTUNE_MODE_DEFAULT = 0, /* The same as WARPTUNE_MODE_LOAD. */
  WARPTUNE_MODE_OFF = 1,     /* Nothing is looked up; each answer is the definition's default. */
  WARPTUNE_MODE_LOOK_UP = 2, /* Answers are looked up. Nothing is compiled or loaded. */
  WARPTUNE_MODE_LOAD = 3,    /* Code is loaded from the compile cache, or compiled. */
  WARPTUNE_MODE_RECORD = 4,  /* Problems without an exact answer are also written into a file. */
  WARPTUNE_MODE_TUNE = 5     /* Kernels are tuned (warptune_tuning.h). A missing database is made. */
};

/* How well the selected configuration fits the problem and the GPU, best first. */
enum {
  WARPTUNE_MATCH_EXACT = 0,        /* Measured for this problem on this model of GPU. */
  WARPTUNE_MATCH_NEAR_PROBLEM = 1, /* Measured for another problem on this model of GPU. */
  WARPTUNE_MATCH_SAME_CC = 2,      /* Measured on a GPU of the same compute capability. */
  WARPTUNE_MATCH_SAME_MAJOR = 3,   /* Measured on a GPU of the same major compute capability. */
  WARPTUNE_MATCH_PORTABLE = 4,     /* Measured on another GPU. */
  WARPTUNE_MATCH_DEFAULT = 5,      /* Not measured: the definition's default. */
  /* Not measured: what the definition recommends for the problem and the GPU. Better than its default. */
  WARPTUNE_MATCH_RECOMMENDED = 6
};

/* The type of a value. */
enum {
  WARPTUNE_VALUE_USUAL = 0, /* The value that the definition gives to the entry. */
  WARPTUNE_VALUE_INTEGER = 1,
  WARPTUNE_VALUE_REAL = 2,
  WARPTUNE_VALUE_BOOLEAN = 3, /* The member `integer` is 0 or 1. */
  WARPTUNE_VALUE_TEXT = 4
};

/* The type of a buffer's elements or of a scalar. */
enum {
  WARPTUNE_F16 = 0,
  WARPTUNE_BF16 = 1,
  WARPTUNE_F32 = 2,
  WARPTUNE_F64 = 3,
  WARPTUNE_I8 = 4,
  WARPTUNE_I16 = 5,
  WARPTUNE_I32 = 6,
  WARPTUNE_I64 = 7,
  WARPTUNE_U8 = 8,
  WARPTUNE_U16 = 9,
  WARPTUNE_U32 = 10,
  WARPTUNE_U64 = 11
};

/* What an argument is. */
enum { WARPTUNE_BUFFER = 0, WARPTUNE_SCALAR = 1 };

/* What code a launch runs at this moment. */
enum {
  WARPTUNE_RUNS_SELECTED = 0, /* The selected configuration. */
  WARPTUNE_RUNS_DEFAULT = 1,  /* The default, while the selected configuration is compiled. */
  WARPTUNE_RUNS_FALLBACK = 2  /* The default permanently, because the selected configuration failed. */
};

/* Opaque objects. */
typedef struct warptune_library warptune_library;     /* An open database or snapshot. */
typedef struct warptune_kernel warptune_kernel;       /* A kernel definition, opened for one GPU. */
typedef struct warptune_selection warptune_selection; /* The answer for one problem. */
typedef struct warptune_code warptune_code;           /* Code in one context, ready to launch. */

/* Each struct that begins with `struct_size` grows only at its end. The caller sets `struct_size` to the
 * sizeof of the struct, and all other members to zero or to what is wanted. */
typedef struct warptune_open_options {
  size_t struct_size;
  int32_t mode;              /* One of WARPTUNE_MODE_... */
  int32_t strict;            /* If not 0, only an exact match is an answer. */
  const char* database;      /* A database. Null: that of the commands, unless there is a snapshot. */
  const char* snapshot;      /* A snapshot, instead of a database. Null: none. */
  const char* gpu;           /* A known GPU by name or key, or "cc=90,sms=132". Null: each kernel's device. */
  const char* compile_cache; /* The folder of compiled code. Null: that of the commands. Empty: none. */
  const char* record;        /* The file for WARPTUNE_MODE_RECORD. With WARPTUNE_MODE_TUNE it may be null. */
  const char* cache_state;   /* The state of the L2 cache when rows were measured. Null: "cold". */
  /* What the outputs of an answer must be known to be: "runs", "bits", "relative=X", "absolute=X" or "ulp=X",
   * as for `query --reproducible`. Only rows of exactly the problem and the model of GPU are answers then.
   * Null: nothing. */
  const char* reproducible;
} warptune_open_options;

/* An entry of a problem. */
typedef struct warptune_value {
  int32_t type; /* One of WARPTUNE_VALUE_... */
  int32_t reserved;
  union {
    int64_t integer;
    double real;
    const char* text;
  } as;
} warptune_value;

typedef struct warptune_selection_info {
  size_t struct_size;
  int32_t match; /* One of WARPTUNE_MATCH_... */
  int32_t reserved;
  double distance_log2;      /* The sum of |log2(asked / measured)| over all sizes of the problem. */
  double median_ns;          /* The time where it was measured. NaN if it was not measured. */
  double default_median_ns;  /* The default's median in the same session. NaN if unknown. */
  const char* configuration; /* "TILE=32 UNROLL=4". */
  const char* problem;       /* "M=4096 N=4096 dtype=f32". */
  const char* gpu;           /* The GPU for which the kernel was opened. */
  const char* reason;        /* Why the configuration did not win a session. Empty for a winner. */
  int32_t confirmed;         /* 1 if it was verified on new inputs at the end of a session, else 0. */
  int32_t reserved_2;
} warptune_selection_info;

typedef struct warptune_load_options {
  size_t struct_size;
  /* If not 0, the default may run until the selected code is compiled. Refused for a library with
   * `reproducible`, unless that is "bits". */
  int32_t in_background;
  int32_t reserved;
} warptune_load_options;

typedef struct warptune_argument_info {
  size_t struct_size;
  const char* name;
  int32_t kind;       /* WARPTUNE_BUFFER or WARPTUNE_SCALAR. */
  int32_t type;       /* WARPTUNE_F32, ... */
  int32_t is_output;  /* 1 if kernels write the buffer. */
  int32_t is_fixed;   /* 1 for a scalar whose value follows from the problem. */
  uint64_t bytes;     /* The minimum size of a buffer, or the size of a scalar. */
  uint64_t alignment; /* A buffer's address must be a multiple of this number. */
} warptune_argument_info;

/* An argument of a launch. */
typedef struct warptune_argument {
  int32_t kind; /* WARPTUNE_BUFFER or WARPTUNE_SCALAR. */
  int32_t type; /* WARPTUNE_F32, ... */
  /* A buffer: its device address. A scalar: the address of its value in the host's memory, or null for the
   * definition's value. */
  const void* data;
  uint64_t bytes; /* The size of the buffer. Not used for scalars. */
} warptune_argument;

/* The version of the loaded library, such as "0.1.0", and the version of its binary interface. */
WARPTUNE_API const char* warptune_version(void) WARPTUNE_NOEXCEPT;
WARPTUNE_API uint32_t warptune_abi_version(void) WARPTUNE_NOEXCEPT;
/* Why the last call of this thread failed. Valid until the thread's next call that fails. */
WARPTUNE_API const char* warptune_last_error(void) WARPTUNE_NOEXCEPT;

/* Opens a database or a snapshot. `options` may be null. */
WARPTUNE_API warptune_status warptune_open(const warptune_open_options* options,
                                           warptune_library** library) WARPTUNE_NOEXCEPT;
/* Frees the library with its kernels and selections. All its code must be unloaded before. Null is ignored.
 */
WARPTUNE_API void warptune_close(warptune_library* library) WARPTUNE_NOEXCEPT;
/* The hash of the open snapshot, 32 hexadecimal digits. Libraries with the same hash give the same answers.
 * Fails for a database. */
WARPTUNE_API warptune_status warptune_snapshot_hash(const warptune_library* library,
                                                    const char** hash) WARPTUNE_NOEXCEPT;

/* Opens a shipped kernel by its name, or a kernel definition by its path. `device` is the driver's ordinal of
 * the GPU; -1 is the device of the calling thread's context. The kernel's rows are read now: rows that are
 * stored later do not change its answers. The kernel belongs to the library. */
WARPTUNE_API warptune_status warptune_open_kernel(warptune_library* library, const char* kernel,
                                                  int32_t device, warptune_kernel** opened) WARPTUNE_NOEXCEPT;
/* The number of entries of the kernel's problem, and the name of each, in the order of `warptune_select`. The
 * name is null if `entry` is not below the number. */
WARPTUNE_API size_t warptune_problem_size(const warptune_kernel* kernel) WARPTUNE_NOEXCEPT;
WARPTUNE_API const char* warptune_problem_name(const warptune_kernel* kernel, size_t entry) WARPTUNE_NOEXCEPT;

/* Selects the configuration for a problem. `values` are those of its entries, in order. Entries that are left
 * out at the end have the definition's values. The first call for a problem takes about a millisecond. Later
 * calls take no lock, and write no memory that threads share. The selection belongs to the library. */
WARPTUNE_API warptune_status warptune_select(warptune_kernel* kernel, const warptune_value* values,
                                             size_t count,
                                             const warptune_selection** selection) WARPTUNE_NOEXCEPT;
/* Fills in what is known about a selection. The texts belong to the selection. */
WARPTUNE_API warptune_status warptune_describe(const warptune_selection* selection,
                                               warptune_selection_info* info) WARPTUNE_NOEXCEPT;
/* The value of a parameter of the selected configuration. Its text belongs to the selection. */
WARPTUNE_API warptune_status warptune_parameter(const warptune_selection* selection, const char* name,
                                                warptune_value* value) WARPTUNE_NOEXCEPT;

/* Loads the code of a selection into the calling thread's current context, which must belong to the kernel's
 * device. A thread without a context gets the device's primary context. `options` may be null. */
WARPTUNE_API warptune_status warptune_load(const warptune_selection* selection,
                                           const warptune_load_options* options,
                                           warptune_code** code) WARPTUNE_NOEXCEPT;
/* Unloads the code. Before, the caller must wait for its launches, and destroy graphs that contain them. If
 * the selected code is being compiled in the background, this waits for the end. Null is ignored. */
WARPTUNE_API void warptune_unload(warptune_code* code) WARPTUNE_NOEXCEPT;
/* What a launch runs now: WARPTUNE_RUNS_... */
WARPTUNE_API int32_t warptune_runs(const warptune_code* code) WARPTUNE_NOEXCEPT;
/* Waits until the selected code runs. Fails with the reason if it cannot. */
WARPTUNE_API warptune_status warptune_wait(warptune_code* code) WARPTUNE_NOEXCEPT;

/* The number of arguments of a launch, a description of each, and the size in bytes of the workspace that a
 * launch needs. The size may be 0. */
WARPTUNE_API size_t warptune_argument_count(const warptune_code* code) WARPTUNE_NOEXCEPT;
WARPTUNE_API warptune_status warptune_describe_argument(const warptune_code* code, size_t argument,
                                                        warptune_argument_info* info) WARPTUNE_NOEXCEPT;
WARPTUNE_API uint64_t warptune_workspace_bytes(const warptune_code* code) WARPTUNE_NOEXCEPT;

/* Enqueues the kernel on a stream (CUstream or cudaStream_t). Takes no lock, allocates nothing, and may be
 * captured into a graph. Everything is checked before anything is launched. The workspace is device memory
 * whose address is a multiple of 256. Launches that may run at the same time need different workspaces. */
WARPTUNE_API warptune_status warptune_launch(const warptune_code* code, void* stream,
                                             const warptune_argument* arguments, size_t count,
                                             void* workspace, uint64_t workspace_bytes) WARPTUNE_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* WARPTUNE_H */
