/* libwarptune: a program has a kernel tuned, on the program's own data if it wants.
 *
 * The rules at the top of warptune.h hold here, too. docs/library.md explains the use.
 *
 * A tuning runs on a thread of its own in the calling program. That thread decides what is measured, and
 * stores the results. Compilers and kernels run in worker processes, so that a fault of a kernel does not
 * reach the program. If the program asks for `in_this_process`, kernels run in the program itself. The
 * workers are processes of the program `warptune`, whose version must be that of the library.
 */
#ifndef WARPTUNE_TUNING_H
#define WARPTUNE_TUNING_H

#include "warptune.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct warptune_tuning warptune_tuning; /* A running or finished tuning. */

/* What the contents of a buffer are for, and where they are. */
enum {
  WARPTUNE_CONTENTS_FIRST = 0,   /* What an input holds before each launch. */
  WARPTUNE_CONTENTS_EXPECTED = 1 /* What an output must hold after each launch, within the tolerance. */
};
enum { WARPTUNE_DEVICE_MEMORY = 0, WARPTUNE_HOST_MEMORY = 1 };

/* The contents of one buffer. They are copied before `warptune_start_tuning` returns. */
typedef struct warptune_contents {
  const char* argument; /* The name of the argument in the definition. */
  int32_t role;         /* WARPTUNE_CONTENTS_FIRST or WARPTUNE_CONTENTS_EXPECTED. */
  int32_t memory; /* WARPTUNE_DEVICE_MEMORY (in the calling thread's context) or WARPTUNE_HOST_MEMORY. */
  int32_t type;   /* WARPTUNE_F32, ... */
  int32_t reserved;
  const void* data; /* Memory of the host: the caller must have waited for everything that writes these bytes.
                     * Memory of the device is copied after all work that its context was given before. */
  uint64_t bytes;
} warptune_contents;

/* An output of a launch, in the host's memory. */
typedef struct warptune_result {
  const char* argument;
  int32_t type; /* WARPTUNE_F32, ... */
  int32_t reserved;
  const void* data;
  uint64_t bytes;
} warptune_result;

/* What a `warptune_check` returns. */
enum {
  WARPTUNE_CHECK_WRONG = 0,
  WARPTUNE_CHECK_RIGHT = 1,
  WARPTUNE_CHECK_END = 2 /* The tuning ends with an error. */
};
/* A function of the program that says whether the outputs of a launch are right. If they are wrong, it may
 * write the reason into `reason`, as a text that ends with 0. It is called on the thread of the tuning. The
 * results are valid during the call. `context` is `check_context` of the options. */
typedef int32_t (*warptune_check)(void* context, const warptune_result* results, size_t count, char* reason,
                                  size_t reason_bytes);

/* What is tuned, and how. Texts and arrays are copied. Null and 0 mean the defaults of `warptune tune`. */
typedef struct warptune_tuning_options {
  size_t struct_size;
  const char* kernel;            /* The name of a shipped kernel, or the path of a definition. */
  const warptune_value* problem; /* As in `warptune_select`. */
  size_t problem_count;
  int32_t device;           /* As in `warptune_open_kernel`. */
  int32_t fresh;            /* If not 0, configurations that the database knows are measured again. */
  const char* budget;       /* "60s", "200" (evaluations) or "all". Null: "60s". */
  const char* until;        /* An earlier end, as for `tune --until`: "0.9roof" or "2%". Null: none. */
  const char* strategy;     /* Null: "auto". */
  const char* objective;    /* Null: "time". */
  const char* metrics;      /* The counters: "core", "none", "full" or names. Null: "core". */
  uint64_t seed;            /* 0 is the same as 1. */
  uint64_t compile_workers; /* 0: as many as cores and memory allow. */
  const warptune_contents* contents; /* Contents that replace those of the definition. */
  size_t contents_count;
  warptune_check check; /* Decides what is right, instead of the definition's [check]. Null: no such check. */
  void* check_context;
  const char* recording; /* A recording that replaces measurements on the GPU. Null: none. */
  const char* program;   /* The program `warptune`. Null: it is looked for (docs/library.md). */
  /* If not 0, kernels run in this process, without isolation. Then a fault of a kernel breaks the program's
   * context, and a kernel that hangs blocks the tuning. Counters are read only if `metrics` names them. */
  int32_t in_this_process;
  int32_t reserved;
  /* What the outputs of the best must be known to be, as for `tune --reproducible`: "runs", "bits",
   * "relative=X", "absolute=X" or "ulp=X". Null: nothing. */
  const char* reproducible;
} warptune_tuning_options;

/* The kind of an event. */
enum {
  WARPTUNE_EVENT_NONE = 0,     /* Nothing within the timeout. */
  WARPTUNE_EVENT_PROGRESS = 1, /* The numbers of the event have changed, such as `elapsed_s`. */
  WARPTUNE_EVENT_MEASURED = 2, /* A configuration was evaluated and stored. */
  WARPTUNE_EVENT_WARNING = 3,  /* `text` is a line that the program may show to its user. */
  WARPTUNE_EVENT_FINALS = 4,   /* The best configurations are timed again, in alternating rounds. */
  WARPTUNE_EVENT_ENDED = 5     /* The tuning has ended: `warptune_finish_tuning` returns at once. */
};

typedef struct warptune_tuning_event {
  size_t struct_size;
  int32_t kind; /* One of WARPTUNE_EVENT_... */
  int32_t reserved;
  uint64_t evaluated; /* The number of configurations so far. */
  double elapsed_s;
  double fraction;           /* How much of the budget or the space is done, from 0 to 1. NaN if unknown. */
  double median_ns;          /* MEASURED: the configuration's time. NaN if it has none. */
  double best_median_ns;     /* NaN if there is none yet. */
  const char* configuration; /* MEASURED: "TILE=32 UNROLL=4". Otherwise the best one, or empty. */
  const char* status;        /* MEASURED: "measured", "dropped", "wrong_result", ... Otherwise empty. */
  const char* text; /* MEASURED: why the configuration has no time. WARNING: the line. Otherwise empty. */
} warptune_tuning_event;

typedef struct warptune_tuning_result {
  size_t struct_size;
  int32_t cancelled;         /* 1 if the tuning was cancelled: then the best was not confirmed. */
  int32_t replayed;          /* 1 if a recording replaced the measurements. */
  uint64_t evaluated;        /* The number of evaluated configurations. */
  uint64_t wrong;            /* How many of these computed wrong outputs. */
  double median_ns;          /* The time of the best. NaN if there is none. */
  double default_median_ns;  /* The time of the default. NaN if unknown. */
  const char* configuration; /* The best one. Empty if there is none. */
  const char* gpu;           /* The GPU that was measured. */
  int64_t session;           /* The session's number in the database. 0 if cancelled before it began. */
} warptune_tuning_result;

/* Writes a definition that a program has built to a file in the folder `definitions` beside the database.
 * `*kernel` becomes its path, for `warptune_open_kernel`, `warptune_tuning_options` and the commands. The
 * same texts have the same path and the same stored results in every process. They also share the results of
 * a file with the same definition. `definition` is TOML without the key `source`. If it is null, `source` is
 * a whole file with its description. The path belongs to the library. */
WARPTUNE_API warptune_status warptune_define(warptune_library* library, const char* definition,
                                             const char* source, const char** kernel) WARPTUNE_NOEXCEPT;

/* Reads the kernel's rows again, and opens a new kernel that answers from them. Kernels, selections and code
 * that were opened before do not change. */
WARPTUNE_API warptune_status warptune_reopen_kernel(warptune_library* library, const char* kernel,
                                                    int32_t device,
                                                    warptune_kernel** opened) WARPTUNE_NOEXCEPT;

/* Starts a tuning with the library's database, compile cache and cache state. The library must have been
 * opened with WARPTUNE_MODE_TUNE. Returns when the kernel is read, the GPU is known and the contents are
 * copied. */
WARPTUNE_API warptune_status warptune_start_tuning(warptune_library* library,
                                                   const warptune_tuning_options* options,
                                                   warptune_tuning** tuning) WARPTUNE_NOEXCEPT;
/* Waits for the next event, at most `timeout_s` seconds. If the number is negative, it waits without a limit.
 * After WARPTUNE_EVENT_ENDED every call gives that event. Texts are valid until the next call. An event of
 * progress replaces one that waits directly before it. At most the last 65536 events wait. Only one thread
 * at a time may call this function. */
WARPTUNE_API warptune_status warptune_next_event(warptune_tuning* tuning, double timeout_s,
                                                 warptune_tuning_event* event) WARPTUNE_NOEXCEPT;
/* Asks the tuning to end early, and does not wait for that. Results that are stored stay stored. */
WARPTUNE_API void warptune_cancel_tuning(warptune_tuning* tuning) WARPTUNE_NOEXCEPT;
/* Waits for the end. If the tuning has failed, this fails with the same status. WARPTUNE_ERROR_UNKNOWN means
 * that no configuration was right, or that the best fails a case of [check]. Texts belong to the tuning. */
WARPTUNE_API warptune_status warptune_finish_tuning(warptune_tuning* tuning,
                                                    warptune_tuning_result* result) WARPTUNE_NOEXCEPT;
/* Cancels the tuning, waits for its end and frees it. Null is ignored. */
WARPTUNE_API void warptune_free_tuning(warptune_tuning* tuning) WARPTUNE_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* WARPTUNE_TUNING_H */
