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
int written(const void* p, size_t bytes);  // after the host filled device memory by itself
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
void* graph_clone(void* graph);  // an executable one; null when its edges go round in a circle
void graph_free(void* graph);
// What a node does: run(data), with data freed by drop when no graph holds the node any more.
struct graph_work {
  int (*run)(void*);
  void* data;
  void (*drop)(void*);
};
int graph_create(void** g);
int graph_add(void* g, void** node, void* const* after, size_t n, int kind, graph_work w);
int graph_link(void* g, void* const* from, void* const* to, size_t n, bool add);
int graph_nodes(void* g, void** out, size_t* n, bool roots);
int graph_edges(void* g, void** from, void** to, size_t* n);
int graph_neighbours(void* node, void** out, size_t* n, bool before);
int graph_node_kind(void* node);
// Of a node in a graph; null: the graph that the node was made in.
void* graph_node_data(void* g, void* node);
int graph_node_set(void* g, void* node, int kind, graph_work w);
int graph_node_enabled(void* g, void* node, int set, unsigned* get);
int graph_remove(void* node);
int graph_copy(void* g, void** out);
void* graph_node_in(void* clone, void* node);
int graph_update(void* exec, void* graph);
bool graph_same_shape(void* exec, void* graph);

int set_function_attribute(const void* function, int attribute, int value);
int launch_unknown(const void* function, const config& c, void** args);
int no_clusters(dim3 size, site at);
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

// A kernel in a struct: a plain pointer to its code, and how its arguments are bound.
struct any_kernel {
  const void* pointer = nullptr;
  void* (*bind)(const void* kernel, void** args) = nullptr;
  void (*invoke)(void*) = nullptr;
  void (*drop)(void*) = nullptr;

  any_kernel() = default;
  any_kernel(std::nullptr_t) {}
  any_kernel(const void* untyped) : pointer(untyped) {}
  template <class... P>
  any_kernel(void (*k)(P...));
  operator void*() const { return const_cast<void*>(pointer); }
};

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
template <class... P>
struct kernel_binding {
  using call = decltype(by_pointer(static_cast<void (*)(P...)>(nullptr), nullptr, std::index_sequence_for<P...>{}));
  static void* bind(const void* k, void** args) {
    auto* kernel = reinterpret_cast<void (*)(P...)>(const_cast<void*>(k));
    return new call(by_pointer(kernel, args, std::index_sequence_for<P...>{}));
  }
  static void invoke(void* c) { (*static_cast<call*>(c))(); }
  static void drop(void* c) { delete static_cast<call*>(c); }
};
}  // namespace detail

template <class... P>
any_kernel::any_kernel(void (*k)(P...))
    : pointer(reinterpret_cast<const void*>(k)), bind(detail::kernel_binding<P...>::bind), invoke(detail::kernel_binding<P...>::invoke),
      drop(detail::kernel_binding<P...>::drop) {}
}  // namespace pgcpu

// `(void*)k` or `k` -> k: the kernel's type says what its arguments are.
#define PGCPU_UNCAST(...) PGCPU_BARE_CAT(PGCPU_UNCAST_, PGCPU_UNCAST_EAT __VA_ARGS__)
#define PGCPU_UNCAST_EAT(...) PGCPU_UNCAST_DONE
#define PGCPU_UNCAST_PGCPU_UNCAST_DONE
#define PGCPU_UNCAST_PGCPU_UNCAST_EAT
