// What the runtime's files share: pooled events, and memory that belongs to graphs and streams.
#pragma once

#include "portgpu.h"
#include "tensor.cuh"

namespace pgops {

// Events of the current device, kept for reuse.
int take_event(void** event);
void give_event(void* event);

// Allocations on `stream` come from a new pool until memory_captured; `token` names that pool.
void memory_capture(int device, void* stream, void** token);
void memory_captured(void* stream);
void memory_new_stream(void* stream);
// The graph, or the stream, is gone and its work has ended: its memory may go to anybody.
void memory_drop_graph(void* token);
void memory_drop_stream(void* stream);

}  // namespace pgops
