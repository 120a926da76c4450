// Graphs: work that is captured from a stream once and launched as one.
#include "support/memory.cuh"

namespace pgops {
namespace {

constexpr unsigned kAlive = 0x70676772;  // "pggr": tells a graph from any other pointer

struct graph_handle {
  unsigned alive = kAlive;
  int device = 0;
  pg::graph_exec exec;
  void* stream = nullptr;
  void* memory = nullptr;  // token of its pool
};

int known(const char* call, void* graph, graph_handle** out) {
  if (graph == nullptr) return fail(PG_ERR_NULL, "%s: graph is NULL", call);
  *out = static_cast<graph_handle*>(graph);
  return (*out)->alive == kAlive ? int(PG_OK) : fail(PG_ERR_VALUE, "%s: not a graph", call);
}

}  // namespace
}  // namespace pgops

using pgops::fail;
using pgops::launched;

extern "C" {

PG_API int pg_graph_begin(void* stream, void** graph) {
  using namespace pgops;
  if (graph == nullptr) return fail(PG_ERR_NULL, "graph_begin: graph is NULL");
  *graph = nullptr;
  if (stream == nullptr) return fail(PG_ERR_VALUE, "graph_begin: the default stream cannot be captured; make one");
  int device = 0, yes = 0;
  PG_TRY(launched(pg::get_device(&device), "graph_begin"));
  PG_TRY(launched(pg::stream_capturing(stream, &yes), "graph_begin"));
  if (yes) return fail(PG_ERR_VALUE, "graph_begin: the stream is being captured already");
  PG_TRY(launched(pg::graph_capture_begin(stream), "graph_begin"));
  graph_handle* made = new graph_handle;
  made->device = device;
  made->stream = stream;
  memory_capture(device, stream, &made->memory);
  *graph = made;
  return PG_OK;
}

PG_API int pg_graph_end(void* graph) {
  using namespace pgops;
  graph_handle* g;
  PG_TRY(known("graph_end", graph, &g));
  if (g->stream == nullptr) return fail(PG_ERR_VALUE, "graph_end: the capture has ended already");
  memory_captured(g->stream);
  pg::graph captured;
  const int ended = pg::graph_capture_end(g->stream, &captured);
  g->stream = nullptr;
  PG_TRY(launched(ended, "graph_end"));
  const int code = pg::graph_instantiate(&g->exec, captured);
  const int status = launched(code, "graph_end");
  (void)pg::graph_destroy(captured);
  return status;
}

PG_API int pg_graph_launch(void* graph, void* stream) {
  using namespace pgops;
  graph_handle* g;
  PG_TRY(known("graph_launch", graph, &g));
  if (g->exec.value == nullptr) return fail(PG_ERR_VALUE, "graph_launch: the graph is not complete");
  return launched(pg::graph_launch(g->exec, stream), "graph_launch");
}

PG_API int pg_graph_destroy(void* graph) {
  using namespace pgops;
  if (graph == nullptr) return PG_OK;
  graph_handle* g;
  PG_TRY(known("graph_destroy", graph, &g));
  int status = PG_OK;
  if (g->stream != nullptr) status = pg_graph_end(graph);  // capture that failed half-way
  // Its memory goes to others: what was launched must have ended.
  int before = 0;
  const bool other = pg::get_device(&before) == pg::ok && before != g->device;
  if (other) (void)pg::set_device(g->device);
  const int waited = launched(pg::device_synchronize(), "graph_destroy");
  if (other) (void)pg::set_device(before);
  if (g->exec.value != nullptr) (void)pg::graph_exec_destroy(g->exec);
  memory_drop_graph(g->memory);
  g->alive = 0;
  delete g;
  return status != PG_OK ? status : waited;
}

}  // extern "C"
