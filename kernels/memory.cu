// The caching allocator: memory in stream order, kept between calls: the device runtime is not asked in the steady state.
// One pool a stream and device, free blocks by size class; a graph has a pool of its own, so that
// nothing else gets the memory that it writes when it is replayed.
#include <cstdlib>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "support/memory.cuh"

namespace pgops {
namespace {

constexpr int kClasses = 8 + 8 * 37;  // up to 2^48 bytes
constexpr int kKinds = 2;             // pg_memory_kind
constexpr int kNear = 2;              // classes above the wanted one that may serve a request
constexpr size_t kGrain = 256;
constexpr size_t kPieces = 32;        // blocks of a small class that are allocated together
constexpr size_t kLargestChunk = size_t(1) << 20;
constexpr int kForever = -1;          // kind of a chunk that is never idle again
constexpr int kDevices = 64;

// 256, 512 ... 2048, then eight classes between powers of two: at most an eighth is lost.
int class_of(size_t bytes) {
  if (bytes <= 8 * kGrain) return bytes == 0 ? 0 : int((bytes - 1) / kGrain);
  int e = 11;
  while ((bytes - 1) >> (e + 1)) ++e;
  return 8 * (e - 11) + int((bytes - 1) >> (e - 3));
}
size_t class_bytes(int c) {
  if (c < 8) return size_t(c + 1) * kGrain;
  return size_t(c % 8 + 9) << (c / 8 + 7);
}

struct pool;
struct chunk {  // one allocation of the device runtime
  void* data;
  size_t bytes;
  int device, kind, size_class, used;
  pool* home;
};
struct block {
  void* data;
  chunk* part_of;
  void* ready;  // event: work of another stream that must end before the block is used again
};
struct pool {
  int device = 0;
  void* stream = nullptr;
  std::vector<block> idle[kKinds][kClasses] = {};
};
struct device_state {
  std::unordered_map<void*, pool*> pools;  // by stream
  std::vector<chunk*> chunks;
  size_t limit = 0;
  pg_memory_stats stats = {};
};

std::mutex lock;
device_state devices[kDevices];
std::unordered_map<void*, chunk*> live;      // address handed out -> its chunk
std::unordered_set<void*> ended;             // streams that were destroyed
std::unordered_map<void*, pool*> capturing;  // stream -> pool of the graph that is being captured

int current(const char* call, int* device) {
  PG_TRY(launched(pg::get_device(device), call));
  if (*device < 0 || *device >= kDevices) return fail(PG_ERR_SIZE, "%s: device %d is beyond %d", call, *device, kDevices);
  return PG_OK;
}

size_t limit_of(device_state& d, int device) {
  if (d.limit != 0) return d.limit;
  const char* wanted = std::getenv("PORTGPU_MEMORY_LIMIT");
  if (wanted != nullptr) d.limit = size_t(std::strtoull(wanted, nullptr, 10));
  pg::device_properties properties;
  if (d.limit == 0) d.limit = pg::device_info(device, &properties) == pg::ok ? properties.total_memory / 10 * 9 : SIZE_MAX;
  return d.limit;
}

// Gives idle chunks back to the device until at most `keep` bytes are reserved. Waits for the device.
int trim(int device, size_t keep) {
  device_state& d = devices[device];
  if (d.stats.reserved <= keep) return PG_OK;
  PG_TRY(launched(pg::device_synchronize(), "memory_trim"));
  std::vector<chunk*> rest;
  std::vector<chunk*> gone;
  for (chunk* c : d.chunks) {
    if (c->used == 0 && d.stats.reserved > keep) {
      d.stats.reserved -= c->bytes;
      gone.push_back(c);
      c->used = -1;
    } else {
      rest.push_back(c);
    }
  }
  for (chunk* c : gone) {  // blocks of dead chunks leave the lists
    auto& list = c->home->idle[c->kind][c->size_class];
    std::vector<block> kept;
    for (const block& b : list) {
      if (b.part_of->used >= 0) kept.push_back(b);
      else if (b.ready != nullptr) give_event(b.ready);
    }
    list.swap(kept);
  }
  int status = PG_OK;
  for (chunk* c : gone) {
    const int code = launched(pg::free_device(c->data), "memory_trim");
    if (status == PG_OK) status = code;
    ++d.stats.device_frees;
    delete c;
  }
  d.chunks.swap(rest);
  return status;
}

int out_of_memory(const device_state& d, size_t bytes, const char* why) {
  return fail(PG_ERR_MEMORY, "alloc: %zu bytes: %s; %llu bytes are in use, %llu reserved, the limit is %zu", bytes, why,
              static_cast<unsigned long long>(d.stats.in_use), static_cast<unsigned long long>(d.stats.reserved),
              d.limit);
}

// Memory of the device runtime for class `c`, cut into idle blocks of `p`.
int grow(pool* p, int kind, int c, size_t wanted, bool captured, bool single) {
  device_state& d = devices[p->device];
  const size_t piece = class_bytes(c);
  const size_t bytes = !single && piece * kPieces <= kLargestChunk ? piece * kPieces : piece;
  const size_t limit = limit_of(d, p->device);
  if (bytes > limit || d.stats.reserved > limit - bytes) {
    if (captured) return out_of_memory(d, wanted, "the limit is reached during a capture; run the work once before");
    PG_TRY(trim(p->device, bytes > limit ? 0 : limit - bytes));
    if (bytes > limit || d.stats.reserved > limit - bytes) return out_of_memory(d, wanted, "the limit is reached");
  }
  void* data = nullptr;
  int code;
  {
    pg::capture_pause pause;
    const auto take = [&] { return kind == PG_MEMORY_MANAGED ? pg::malloc_managed(&data, bytes) : pg::malloc_device(&data, bytes); };
    code = take();
    if (code == pg::error_out_of_memory && !captured) {
      PG_TRY(trim(p->device, 0));
      code = take();
    }
  }
  if (code == pg::error_out_of_memory) return out_of_memory(d, wanted, pg::last_error_string());
  PG_TRY(launched(code, "alloc"));
  chunk* made = new chunk{data, bytes, p->device, kind, c, 0, p};
  d.chunks.push_back(made);
  d.stats.reserved += bytes;
  if (d.stats.reserved > d.stats.most_reserved) d.stats.most_reserved = d.stats.reserved;
  ++d.stats.device_allocs;
  for (size_t at = bytes; at > 0; at -= piece)  // the lowest address goes out first
    p->idle[kind][c].push_back({static_cast<char*>(data) + at - piece, made, nullptr});
  return PG_OK;
}

// An idle block for a request, ready on the pool's stream; data stays null when there is none.
int reuse(pool* p, int kind, int c, bool captured, block* found) {
  const int last = c < 8 ? c : c + kNear;  // small blocks are shared out by exact class
  for (int i = c; i <= last && i < kClasses; ++i) {
    auto& list = p->idle[kind][i];
    for (size_t n = list.size(); n-- > 0;) {
      block& b = list[n];
      if (b.ready != nullptr) {
        if (captured) continue;  // a wait would become part of the graph
        PG_TRY(launched(pg::stream_wait_event(p->stream, b.ready), "alloc"));
        give_event(b.ready);
        b.ready = nullptr;
      }
      *found = b;
      list[n] = list.back();
      list.pop_back();
      return PG_OK;
    }
  }
  return PG_OK;
}

pool* pool_of(int device, void* stream) {
  pool*& p = devices[device].pools[stream];
  if (p == nullptr) p = new pool{device, stream};
  return p;
}

// What was in `from` belongs to `into` from now on; the work of `from` must have ended.
void move_pool(pool* from, pool* into) {
  for (chunk* c : devices[from->device].chunks)
    if (c->home == from) c->home = into;
  for (int kind = 0; kind < kKinds; ++kind)
    for (int c = 0; c < kClasses; ++c) {
      auto& list = from->idle[kind][c];
      into->idle[kind][c].insert(into->idle[kind][c].end(), list.begin(), list.end());
    }
  delete from;
}

}  // namespace

void memory_capture(int device, void* stream, void** token) {
  std::lock_guard<std::mutex> hold(lock);
  pool* p = new pool{device, stream};
  capturing[stream] = p;
  *token = p;
}
void memory_captured(void* stream) {
  std::lock_guard<std::mutex> hold(lock);
  capturing.erase(stream);
}
void memory_drop_graph(void* token) {
  std::lock_guard<std::mutex> hold(lock);
  pool* p = static_cast<pool*>(token);
  move_pool(p, pool_of(p->device, nullptr));
}
void memory_new_stream(void* stream) {
  std::lock_guard<std::mutex> hold(lock);
  ended.erase(stream);
}
void memory_drop_stream(void* stream) {
  std::lock_guard<std::mutex> hold(lock);
  ended.insert(stream);
  for (device_state& d : devices) {
    const auto at = d.pools.find(stream);
    if (at == d.pools.end()) continue;
    pool* p = at->second;
    d.pools.erase(at);
    move_pool(p, pool_of(p->device, nullptr));
  }
}

}  // namespace pgops

using pgops::fail;
using pgops::launched;

extern "C" {

PG_API int pg_alloc(void** data, size_t bytes, int kind, void* stream) {
  using namespace pgops;
  if (data == nullptr) return fail(PG_ERR_NULL, "alloc: data is NULL");
  *data = nullptr;
  if (kind != PG_MEMORY_DEVICE && kind != PG_MEMORY_MANAGED) return fail(PG_ERR_VALUE, "alloc: unknown kind %d", kind);
  if (bytes > size_t(1) << 47) return fail(PG_ERR_SIZE, "alloc: %zu bytes are more than any device has", bytes);
  int device = 0;
  PG_TRY(current("alloc", &device));
  std::lock_guard<std::mutex> hold(lock);
  device_state& d = devices[device];
  bool captured = false, foreign = false;
  pool* p = nullptr;
  if (!capturing.empty()) {
    const auto at = capturing.find(stream);
    if (at != capturing.end()) p = at->second, captured = true;
  }
  if (!captured && stream != nullptr) {
    int yes = 0;
    PG_TRY(launched(pg::stream_capturing(stream, &yes), "alloc"));
    captured = foreign = yes != 0;
  }
  if (p == nullptr) p = pool_of(device, stream);
  const int c = class_of(bytes);
  block found = {nullptr, nullptr, nullptr};
  if (!foreign) PG_TRY(reuse(p, kind, c, captured, &found));
  if (found.data == nullptr) {
    PG_TRY(grow(p, kind, c, bytes, captured, foreign));
    found = p->idle[kind][c].back();
    p->idle[kind][c].pop_back();
  } else {
    ++d.stats.reused;
  }
  chunk* from = found.part_of;
  // Somebody else's graph may be replayed at any time: what it uses never goes to another.
  if (foreign) from->kind = kForever;
  ++from->used;
  live.emplace(found.data, from);
  ++d.stats.allocs;
  d.stats.in_use += class_bytes(from->size_class);
  if (d.stats.in_use > d.stats.most_in_use) d.stats.most_in_use = d.stats.in_use;
  *data = found.data;
  return PG_OK;
}

PG_API int pg_release(void* data, void* stream) {
  using namespace pgops;
  if (data == nullptr) return PG_OK;
  std::lock_guard<std::mutex> hold(lock);
  const auto at = live.find(data);
  if (at == live.end()) return fail(PG_ERR_VALUE, "release: %p is not an address of pg_alloc in use", data);
  chunk* c = at->second;
  live.erase(at);
  device_state& d = devices[c->device];
  d.stats.in_use -= class_bytes(c->size_class);
  if (c->kind == kForever) return PG_OK;
  pool* home = c->home;
  block b = {data, c, nullptr};
  if (stream != home->stream && ended.count(stream) == 0) {
    int yes = 0, before = 0, status = PG_OK;
    status = launched(pg::stream_capturing(stream, &yes), "release");
    if (status == PG_OK && !yes) {
      const bool other = pg::get_device(&before) == pg::ok && before != c->device;
      if (other) (void)pg::set_device(c->device);
      status = take_event(&b.ready);
      if (status == PG_OK) status = launched(pg::event_record(b.ready, stream), "release");
      if (other) (void)pg::set_device(before);
    }
    if (status != PG_OK) return status;
  }
  --c->used;
  home->idle[c->kind][c->size_class].push_back(b);
  return PG_OK;
}

PG_API int pg_memory_trim(size_t keep_bytes) {
  int device = 0;
  PG_TRY(pgops::current("memory_trim", &device));
  std::lock_guard<std::mutex> hold(pgops::lock);
  return pgops::trim(device, keep_bytes);
}

PG_API int pg_memory_limit(size_t bytes) {
  int device = 0;
  PG_TRY(pgops::current("memory_limit", &device));
  std::lock_guard<std::mutex> hold(pgops::lock);
  pgops::devices[device].limit = bytes;
  return PG_OK;
}

PG_API int pg_memory_info(pg_memory_stats* stats) {
  if (stats == nullptr) return fail(PG_ERR_NULL, "memory_info: stats is NULL");
  int device = 0;
  PG_TRY(pgops::current("memory_info", &device));
  std::lock_guard<std::mutex> hold(pgops::lock);
  pgops::devices[device].stats.limit = pgops::limit_of(pgops::devices[device], device);
  *stats = pgops::devices[device].stats;
  return PG_OK;
}

PG_API int pg_prefetch(const void* data, size_t bytes, int device, void* stream) {
  if (bytes == 0) return PG_OK;
  if (data == nullptr) return fail(PG_ERR_NULL, "prefetch: data is NULL");
  return launched(pg::prefetch(data, bytes, device, stream), "prefetch");
}

}  // extern "C"
