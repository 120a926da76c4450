/* portgpu op library: the types, status codes and runtime calls of its plain C interface.
 *
 * Every op is one function
 *   int pg_<name>(inputs..., outputs..., params..., [void* workspace, size_t workspace_bytes,] void* stream);
 * with tensors as const pg_tensor*. It validates everything before the first launch, allocates nothing,
 * enqueues on `stream` (NULL: the default stream) and returns PG_OK or a status below; pg_last_error()
 * then holds one sentence. An op with a workspace has
 *   int pg_<name>_workspace(inputs..., outputs..., params..., size_t* bytes);
 * whose answer may be 0 (then workspace may be NULL). Optional inputs may be NULL.
 */
#ifndef PG_OPS_ABI_H
#define PG_OPS_ABI_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define PG_API __declspec(dllexport)
#else
#define PG_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PG_ABI_VERSION 2
#define PG_MAX_NDIM 32            /* of a tensor handed in */
#define PG_AXIS_NONE INT32_MIN    /* arg-reductions: the flattened array */

typedef enum pg_dtype {
  PG_BOOL = 0, /* one byte, 0 or 1 */
  PG_U8 = 1,
  PG_I8 = 2,
  PG_U16 = 3,
  PG_I16 = 4,
  PG_U32 = 5,
  PG_I32 = 6,
  PG_U64 = 7,
  PG_I64 = 8,
  PG_F16 = 9,
  PG_BF16 = 10,
  PG_F32 = 11,
  PG_F64 = 12
} pg_dtype;

typedef enum pg_status {
  PG_OK = 0,
  PG_ERR_NULL = 1,        /* a required pointer is NULL */
  PG_ERR_DTYPE = 2,       /* dtype unknown, not allowed for the op, or inputs disagree */
  PG_ERR_SHAPE = 3,       /* shapes do not fit together */
  PG_ERR_STRIDE = 4,      /* layout not allowed: e.g. an output that overlaps itself */
  PG_ERR_AXIS = 5,        /* axis out of range or given twice */
  PG_ERR_VALUE = 6,       /* a scalar parameter is outside its range */
  PG_ERR_WORKSPACE = 7,   /* workspace missing, too small or misaligned */
  PG_ERR_SIZE = 8,        /* over a documented size limit */
  PG_ERR_ALIAS = 9,       /* output overlaps an input in a way the op does not allow */
  PG_ERR_DEVICE = 10,     /* the device runtime reported an error */
  PG_ERR_UNSUPPORTED = 11, /* valid, but not in this build (e.g. a dtype of the `all` set) */
  PG_ERR_MEMORY = 12       /* no device memory is left, or the allocator's limit is reached */
} pg_status;

/* A strided array in device memory, shaped like DLPack's. `data` points at element [0, 0, ...].
 * strides are in elements; NULL means C-contiguous. Negative and zero strides are fine for inputs;
 * outputs must not overlap themselves. data must be aligned to the element size. */
typedef struct pg_tensor {
  void* data;
  int32_t dtype; /* pg_dtype */
  int32_t ndim;
  const int64_t* shape;
  const int64_t* strides;
} pg_tensor;

typedef enum pg_copy_kind { PG_COPY_H2D = 0, PG_COPY_D2H = 1, PG_COPY_D2D = 2 } pg_copy_kind;

typedef struct pg_device_props {
  char name[128];
  char arch[64]; /* "sm_90", "gfx90a", "cpu" */
  int32_t warp_size;
  int32_t compute_units;
  int64_t shared_bytes_per_block;
  int64_t total_memory;
} pg_device_props;

/* Text of the last failure on this thread; "" if there was none. Valid until the next failing call. */
PG_API const char* pg_last_error(void);
PG_API int pg_abi_version(void);
PG_API const char* pg_version(void);
PG_API const char* pg_target(void);      /* "cuda", "rocm" or "cpu" */
PG_API const char* pg_built_archs(void); /* comma separated, e.g. "sm_80,sm_90" */
PG_API const char* pg_built_types(void); /* "core" or "all" */

PG_API int pg_device_count(int* count);
PG_API int pg_set_device(int device);
PG_API int pg_get_device(int* device);
PG_API int pg_device_info(int device, pg_device_props* props);

PG_API int pg_malloc(void** data, size_t bytes);
PG_API int pg_free(void* data);
PG_API int pg_memcpy(void* dst, const void* src, size_t bytes, int kind, void* stream);
PG_API int pg_memset(void* dst, int byte, size_t bytes, void* stream);

/* The caching allocator: memory of the current device in the order of `stream`. What is released goes to
 * later requests of that stream at once, without a call of the device runtime. Addresses are aligned to
 * 256 bytes. pg_release names the stream of the last use; when that is another one than pg_alloc's, reuse
 * waits for it. During pg_graph_begin/end memory comes from the graph's own pool, and stays there until
 * the graph is destroyed. Thread-safe. */
typedef enum pg_memory_kind { PG_MEMORY_DEVICE = 0, PG_MEMORY_MANAGED = 1 } pg_memory_kind;
PG_API int pg_alloc(void** data, size_t bytes, int kind, void* stream);
PG_API int pg_release(void* data, void* stream);

typedef struct pg_memory_stats {
  uint64_t in_use, most_in_use;       /* bytes handed out, rounded to size classes */
  uint64_t reserved, most_reserved;   /* bytes taken from the device */
  uint64_t limit;                     /* of `reserved` */
  uint64_t allocs, reused;            /* calls of pg_alloc; how many were served from idle memory */
  uint64_t device_allocs, device_frees; /* calls of the device runtime */
} pg_memory_stats;
/* Of the current device. Trimming waits for the device and gives back idle memory until at most keep_bytes
 * are reserved. The limit is by default PORTGPU_MEMORY_LIMIT (bytes), else nine tenths of the memory; 0
 * restores that. At the limit idle memory is given back first, then pg_alloc fails with PG_ERR_MEMORY. */
PG_API int pg_memory_info(pg_memory_stats* stats);
PG_API int pg_memory_trim(size_t keep_bytes);
PG_API int pg_memory_limit(size_t bytes);
/* Moves managed memory to a device (-1: the host) ahead of its use. */
PG_API int pg_prefetch(const void* data, size_t bytes, int device, void* stream);

PG_API int pg_stream_create(void** stream);
PG_API int pg_stream_destroy(void* stream); /* waits for the stream's work */
PG_API int pg_stream_synchronize(void* stream);
PG_API int pg_stream_wait_event(void* stream, void* event);
PG_API int pg_stream_capturing(void* stream, int* yes);
/* f(data) on a host thread in the stream's order, also from graphs; it must not call the device runtime. */
PG_API int pg_stream_host_call(void* stream, void (*f)(void*), void* data);

/* Work queued on `stream` (not NULL) between begin and end is recorded, not run; launch runs all of it in
 * the stream's order, as often as wanted. What it reads and writes must stay alive. */
PG_API int pg_graph_begin(void* stream, void** graph);
PG_API int pg_graph_end(void* graph);
PG_API int pg_graph_launch(void* graph, void* stream);
PG_API int pg_graph_destroy(void* graph); /* waits for the device */

/* Events are pooled: destroy gives one back for the next create on that device. */
PG_API int pg_event_create(void** event);
PG_API int pg_event_destroy(void* event);
PG_API int pg_event_query(void* event, int* done);
PG_API int pg_event_record(void* event, void* stream);
PG_API int pg_event_synchronize(void* event);
PG_API int pg_event_elapsed_ms(void* start, void* stop, float* ms);

/* Where the vendor's library of a kind ("blas", "fft") is; the environment's PORTGPU_BLAS, PORTGPU_FFT and the
 * loader's places come after it. For the time before its first use: a library is opened once. */
PG_API int pg_set_library(const char* kind, const char* path);

/* A kernel that does nothing: what a launch costs at least. */
PG_API int pg_launch_empty(void* stream);

/* *flag (device memory, int32, cleared by the caller) becomes 1 if an index is outside [-n, n). Gathers and
 * scatters cannot report such indices themselves: they read 0 there, or skip the update. */
PG_API int pg_check_indices(const pg_tensor* indices, int64_t n, void* flag, void* stream);

#ifdef __cplusplus
}
#endif
#endif /* PG_OPS_ABI_H */
