// Host side of the CPU target. Statuses carry the numbers of the CUDA runtime.
#pragma once
#include "launch.h"

struct pgcpu_event;

namespace pgcpu {

struct device_info {
  char name[64];
  char arch[32];
  int warp_size, units, max_threads;  // units: multiprocessors or compute units
  int threads_unit, major, minor;
  bool amd;
  size_t shared_block, shared_optin, memory;
};

namespace host {

using stream = ::pgcpu_stream;
using event = ::pgcpu_event;

enum status : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_configuration = 9,
  invalid_symbol = 13,
  invalid_device_pointer = 17,
  invalid_memcpy_direction = 21,
  invalid_device_function = 98,
  invalid_device = 101,
  invalid_resource_handle = 400,
  illegal_state = 401,
  not_ready = 600,
  illegal_address = 700,
  assert_failed = 710,
  cooperative_too_large = 720,
  launch_failure = 719,
  not_supported = 801,
  stream_capture_unsupported = 900,
  stream_capture_invalidated = 901,
  unknown = 999,
};

int malloc_device(void** out, size_t bytes);
int malloc_device(void** out, size_t bytes, bool device_only);  // true: only copies and kernels write it
int free_device(void* p);
int copy(void* dst, const void* src, size_t bytes, stream* s);
// As copy, and `kind` (CUDA's numbers 0…4) must fit where the pointers point.
int copy_kind(void* dst, const void* src, size_t bytes, int kind, stream* s);
int copy_2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
            stream* s);
int fill(void* dst, int byte, size_t bytes, stream* s);
int fill_2d(void* dst, size_t pitch, int byte, size_t width, size_t height, stream* s);
int host_call(void (*fn)(void*), void* data, stream* s);
size_t allocation_size(const void* p);  // 0: not device memory
const void* allocation_base(const void* p);

int register_host(void* p, size_t bytes);
int unregister_host(void* p);
bool is_registered(const void* p);

int stream_create(stream** out);
int stream_flags(stream* s, int set, int* get);  // set < 0: only get
int stream_priority(stream* s, int set, int* get);
int stream_destroy(stream* s);
int stream_synchronize(stream* s);
int event_create(event** out);
int event_create(event** out, bool timed);
int event_destroy(event* e);
int event_record(event* e, stream* s);
int event_query(event* e);
int stream_wait(stream* s, event* e);
int event_synchronize(event* e);
int event_elapsed_ms(float* ms, event* a, event* b);

int capture_begin(stream* s);
int capture_end(stream* s, void** graph);
int capture_status(stream* s);  // 0 none, 1 capturing
int graph_run(void* graph, stream* s);
size_t graph_size(void* graph);
void* graph_clone(void* graph);
void graph_free(void* graph);

int set_function_attribute(const void* function, int attribute, int value);
int launch_unknown(const void* function, const config& c, void** args);
int device_status();  // status of launches since the last call

int fail(int status);  // remembers it as the last error and returns it
int last_error();
int peek_error();
const char* last_message();
const char* error_name(int status);
const char* error_text(int status);
int get_device_info(device_info* out);
size_t shared_limit();        // bytes of shared memory that a block may have
size_t shared_default_limit();
int occupancy(int block, size_t shared);  // resident blocks a unit
size_t memory_in_use();

}  // namespace host

namespace detail {
template <class... P, size_t... I>
auto by_pointer(void (*k)(P...), void** args, std::index_sequence<I...>) {
  return [k, t = std::tuple<std::decay_t<P>...>(*static_cast<std::decay_t<P>*>(args[I])...)] {
    std::apply(k, t);
  };
}
template <class... P>
int launch_by_pointer(const config& c, void (*k)(P...), void** args) {
  return submit(c, by_pointer(k, args, std::index_sequence_for<P...>{}),
                reinterpret_cast<const void*>(k));
}
}  // namespace detail
}  // namespace pgcpu

// `(void*)k` or `k` -> k: the kernel's type says what its arguments are.
#define PGCPU_UNCAST(...) PGCPU_BARE_CAT(PGCPU_UNCAST_, PGCPU_UNCAST_EAT __VA_ARGS__)
#define PGCPU_UNCAST_EAT(...) PGCPU_UNCAST_DONE
#define PGCPU_UNCAST_PGCPU_UNCAST_DONE
#define PGCPU_UNCAST_PGCPU_UNCAST_EAT
