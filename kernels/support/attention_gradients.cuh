// Gradients of attention for half and bfloat16 by matrix fragments, without mask and bias. As in attention_backward.cu
// levels and means of the queries come first; then blocks walk the keys for dq, and the queries for dk and dv.
#pragma once

#include "attention_fragments.cuh"

namespace pgops {

constexpr int kBackThreads = PG_TARGET_ROCM ? 256 : 128;
constexpr int kBackRows = 64;                          // queries or keys of a block
constexpr int kBackStages = PG_TARGET_CUDA ? 2 : 1;    // of what it walks
constexpr int kBackKeys = PG_TARGET_CUDA ? 64 : 32;    // keys at once
constexpr int kBackQueries = 32;                       // queries at once

struct backward_args : attention_args {
  int64_t dout[4], dq[4], dk[4], dv[4];
};

// level: log2 of a query's sum of exponentials; mean: of the gradients of its shares.
template <class T>
struct gradient_arrays {
  const T *q, *k, *v, *dout;
  T *dq, *dk, *dv;
  float *level, *mean;
};

// Rows of 16 for each warp; where warps are many, the last ones have none.
__device__ constexpr int own_lines() {
  return kBackRows / 16 / (kBackThreads / pg::mma::lanes) > 0 ? kBackRows / 16 / (kBackThreads / pg::mma::lanes) : 1;
}

// out[i][j] = left rows from `mine` on . right rows, over all features.
template <int kWidth, class T, int kOwn, int kColumns>
__device__ __forceinline__ void line_products(const T* left, const T* right, pg::mma::c (&out)[kOwn][kColumns]) {
  constexpr int kLine = kWidth + kLinePad;
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    PG_UNROLL
    for (int j = 0; j < kColumns; ++j) out[i][j] = pg::mma::zero();
  }
  PG_UNROLL
  for (int f = 0; f < kWidth; f += 16) {
    pg::mma::a<T> x[kOwn];
    PG_UNROLL
    for (int i = 0; i < kOwn; ++i) x[i] = pg::mma::load_a(left + 16 * i * kLine + f, kLine);
    PG_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      const pg::mma::b<T> y = pg::mma::load_b_transposed(right + 16 * j * kLine + f, kLine);
      PG_UNROLL
      for (int i = 0; i < kOwn; ++i) pg::mma::multiply_add(out[i][j], x[i], y);
    }
  }
}

// result[i][f] += weights[i][j], rounded to T, times rows of x.
template <int kWidth, class T, int kOwn, int kColumns>
__device__ __forceinline__ void add_lines(const pg::mma::c (&weights)[kOwn][kColumns], T* scratch, int scratch_line,
                                          const T* x, pg::mma::c (&result)[kOwn][kWidth / 16]) {
  constexpr int kLine = kWidth + kLinePad;
  PG_UNROLL
  for (int j = 0; j < kColumns; ++j) {
    pg::mma::a<T> w[kOwn];
    PG_UNROLL
    for (int i = 0; i < kOwn; ++i)
      w[i] = pg::mma::to_a<T>(weights[i][j], scratch + 16 * i * scratch_line + 16 * j, scratch_line);
    PG_UNROLL
    for (int f = 0; f < kWidth / 16; ++f) {
      const pg::mma::b<T> y = pg::mma::load_b(x + 16 * j * kLine + 16 * f, kLine);
      PG_UNROLL
      for (int i = 0; i < kOwn; ++i) pg::mma::multiply_add(result[i][f], w[i], y);
    }
  }
}

template <int kWidth, class T, int kOwn>
__device__ __forceinline__ void store_lines(const pg::mma::c (&result)[kOwn][kWidth / 16], float factor, T* to,
                                            int64_t line_stride, int64_t stride, int first, int rows, int width) {
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    PG_UNROLL
    for (int e = 0; e < pg::mma::count; ++e) {
      const int row = first + 16 * i + pg::mma::row(e);
      if (row >= rows) continue;
      PG_UNROLL
      for (int f = 0; f < kWidth / 16; ++f) {
        const int column = 16 * f + pg::mma::column(e);
        if (column < width) to[row * line_stride + column * stride] = narrow<T>(result[i][f][e] * factor);
      }
    }
  }
}

// gradients_fit sends no AMD device without matrix units here: its code is left out, which would spill.
#if defined(__GFX9__) || defined(__GFX10__)
constexpr bool kNeverHere = !PG_HAS_MMA;
#else
constexpr bool kNeverHere = false;
#endif

// dq of a tile of queries; or level and mean.
template <class T, int kWidth, bool kGradient>
__global__ void PG_LAUNCH_BOUNDS(kBackThreads, 2)
    query_fragments(const gradient_arrays<T> all, const PG_GRID_CONSTANT backward_args given) {
  if (kNeverHere) return;
  constexpr int kOwn = own_lines(), kKeys = kBackKeys, kColumns = kKeys / 16, kLine = kWidth + kLinePad;
  constexpr int kStage = 2 * kKeys * kLine, kScratchLine = kKeys + kLinePad, kOwnRows = pg::mma::own_rows;
  PG_DYN_SHARED(T, shared);
  __shared__ near_room<backward_args> kept;
  const backward_args& args = keep_near(given, kept);
  T* const q_lines = shared;
  T* const dout_lines = q_lines + kBackRows * kLine;
  T* const stages = dout_lines + kBackRows * kLine;  // keys, then values
  T* const scratch = stages + kBackStages * kStage;
  const int64_t job = int64_t(blockIdx.x) / args.tiles, batch = job / args.heads, head = job - batch * args.heads;
  const int first = (args.tiles - 1 - int(int64_t(blockIdx.x) - job * args.tiles)) * kBackRows;  // long rows first
  const int64_t key_head = head / args.shared_heads, line = job * args.queries + first;
  const T* k = all.k + batch * args.k[0] + key_head * args.k[1];
  const T* v = all.v + batch * args.v[0] + key_head * args.v[1];
  const int rows = args.queries - first < kBackRows ? args.queries - first : kBackRows;
  const int end = live_keys(args, first + rows - 1);
  const int mine = int(threadIdx.x) / pg::mma::lanes * (kOwn * 16);
  const float scale = float(args.scale * double(kLog2E));
  load_lines<kWidth, kBackRows, kBackThreads>(
      all.q + batch * args.q[0] + head * args.q[1] + int64_t(first) * args.q[2], args.q[2], args.q[3], rows, args.width,
      args.vector, q_lines);
  load_lines<kWidth, kBackRows, kBackThreads>(
      all.dout + batch * args.dout[0] + head * args.dout[1] + int64_t(first) * args.dout[2], args.dout[2], args.dout[3],
      rows, args.width, args.vector, dout_lines);
  const auto fetch = [&](int start, int stage) {
    if (start < end) {
      T* const to = stages + stage * kStage;
      load_lines<kWidth, kKeys, kBackThreads>(k, args.k[2], args.k[3], args.keys - start, args.width, args.vector, to);
      load_lines<kWidth, kKeys, kBackThreads>(v, args.v[2], args.v[3], args.keys - start, args.width, args.vector,
                                              to + kKeys * kLine);
      k += kKeys * args.k[2];
      v += kKeys * args.v[2];
    }
    pg::async_commit();
  };
  pg::mma::c result[kOwn][kWidth / 16];
  float top[kOwn][kOwnRows], sum[kOwn][kOwnRows], mean[kOwn][kOwnRows];  // kGradient: top is the level
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    PG_UNROLL
    for (int f = 0; f < kWidth / 16; ++f) result[i][f] = pg::mma::zero();
    PG_UNROLL
    for (int o = 0; o < kOwnRows; ++o) {
      const int row = mine + 16 * i + pg::mma::own_row(o);
      top[i][o] = kGradient ? (row < rows ? all.level[line + row] : 0.0f) : limits<float>::lowest();
      mean[i][o] = kGradient && row < rows ? all.mean[line + row] : 0.0f;
      sum[i][o] = 0.0f;
    }
  }
  if (kBackStages == 2) fetch(0, 0);
  for (int start = 0, stage = 0; start < end; start += kKeys) {
    if (kBackStages == 2) {
      pg::async_wait();
      __syncthreads();
      fetch(start + kKeys, stage ^ 1);
    } else {
      __syncthreads();
      fetch(start, 0);
      pg::async_wait();
      __syncthreads();
    }
    const T* const keys = stages + stage * kStage;
    if (kBackStages == 2) stage ^= 1;
    if (mine >= rows) continue;
    pg::mma::c score[kOwn][kColumns], grown[kOwn][kColumns];
    line_products<kWidth>(q_lines + mine * kLine, keys, score);
    line_products<kWidth>(dout_lines + mine * kLine, keys + kKeys * kLine, grown);
    PG_UNROLL
    for (int i = 0; i < kOwn; ++i) {
      if (start + kKeys > live_keys(args, first + mine + 16 * i)) {
        PG_UNROLL
        for (int o = 0; o < kOwnRows; ++o) {
          const int live = live_keys(args, first + mine + 16 * i + pg::mma::own_row(o)) - start;
          PG_UNROLL
          for (int j = 0; j < kColumns; ++j) {
            PG_UNROLL
            for (int e = 0; e < pg::mma::count; ++e)
              if (pg::mma::own(e) == o && 16 * j + pg::mma::column(e) >= live) score[i][j][e] = limits<float>::lowest();
          }
        }
      }
      if constexpr (kGradient) {
        PG_UNROLL
        for (int j = 0; j < kColumns; ++j) {
          PG_UNROLL
          for (int e = 0; e < pg::mma::count; ++e) {
            const int o = pg::mma::own(e);
            score[i][j][e] = pg::fast::exp2(score[i][j][e] * scale - top[i][o]) * (grown[i][j][e] - mean[i][o]);
          }
        }
      } else {
        float most[kOwnRows];
        PG_UNROLL
        for (int o = 0; o < kOwnRows; ++o) most[o] = top[i][o];
        PG_UNROLL
        for (int j = 0; j < kColumns; ++j) {
          PG_UNROLL
          for (int e = 0; e < pg::mma::count; ++e)
            most[pg::mma::own(e)] = pg::fmax(most[pg::mma::own(e)], score[i][j][e]);
        }
        PG_UNROLL
        for (int o = 0; o < kOwnRows; ++o) {
          most[o] = pg::warp_reduce<pg::mma::row_lanes>(most[o], finite_max());
          const float shift = most[o] == limits<float>::lowest() ? 0.0f : most[o] * scale;
          const float keep = pg::fast::exp2(top[i][o] * scale - shift);
          top[i][o] = most[o];
          sum[i][o] *= keep;
          mean[i][o] *= keep;
          PG_UNROLL
          for (int j = 0; j < kColumns; ++j) {
            PG_UNROLL
            for (int e = 0; e < pg::mma::count; ++e) {
              if (pg::mma::own(e) != o) continue;
              const float share = pg::fast::exp2(score[i][j][e] * scale - shift);
              sum[i][o] += share;
              mean[i][o] += share * grown[i][j][e];
            }
          }
        }
      }
    }
    if constexpr (kGradient) add_lines<kWidth>(score, scratch + mine * kScratchLine, kScratchLine, keys, result);
  }
  if constexpr (kGradient) {
    store_lines<kWidth>(result, float(args.scale),
                        all.dq + batch * args.dq[0] + head * args.dq[1] + int64_t(first) * args.dq[2], args.dq[2],
                        args.dq[3], mine, rows, args.width);
  } else {
    PG_UNROLL
    for (int i = 0; i < kOwn; ++i) {
      PG_UNROLL
      for (int o = 0; o < kOwnRows; ++o) {
        const int row = mine + 16 * i + pg::mma::own_row(o);
        const float total = pg::warp_reduce<pg::mma::row_lanes>(sum[i][o], pg::plus());
        const float weighted = pg::warp_reduce<pg::mma::row_lanes>(mean[i][o], pg::plus());
        if (row >= rows || pg::lane_id<pg::mma::row_lanes>() != 0) continue;
        // 0 where no key takes part: shares are exp2(-inf)
        all.level[line + row] = total == 0.0f ? 0.0f : top[i][o] * scale + m::log2(total);
        all.mean[line + row] = total == 0.0f ? 0.0f : weighted / total;
      }
    }
  }
}

// dk and dv of a tile of keys: rows of the scores are keys, columns queries.
template <class T, int kWidth>
__global__ void PG_LAUNCH_BOUNDS(kBackThreads, 2)
    key_fragments(const gradient_arrays<T> all, const PG_GRID_CONSTANT backward_args given) {
  if (kNeverHere) return;
  constexpr int kOwn = own_lines(), kQueries = kBackQueries, kColumns = kQueries / 16, kLine = kWidth + kLinePad;
  constexpr int kStage = 2 * kQueries * kLine, kScratchLine = kQueries + kLinePad;
  PG_DYN_SHARED(T, shared);
  __shared__ near_room<backward_args> kept;
  alignas(16) __shared__ float levels[kBackStages][2][kQueries];  // and means
  const backward_args& args = keep_near(given, kept);
  T* const k_lines = shared;
  T* const v_lines = k_lines + kBackRows * kLine;
  T* const stages = v_lines + kBackRows * kLine;  // queries, then dout
  T* const scratch = stages + kBackStages * kStage;
  const int key_heads = args.heads / args.shared_heads;
  const int64_t job = int64_t(blockIdx.x) / args.tiles, batch = job / key_heads, key_head = job - batch * key_heads;
  const int first = int(int64_t(blockIdx.x) - job * args.tiles) * kBackRows;
  const int rows = args.keys - first < kBackRows ? args.keys - first : kBackRows;
  const int mine = int(threadIdx.x) / pg::mma::lanes * (kOwn * 16);
  const float scale = float(args.scale * double(kLog2E));
  int begin = args.causal && first > args.ahead ? first - args.ahead : 0;  // queries in front see none of the keys
  begin = begin / kQueries * kQueries;
  load_lines<kWidth, kBackRows, kBackThreads>(
      all.k + batch * args.k[0] + key_head * args.k[1] + int64_t(first) * args.k[2], args.k[2], args.k[3], rows,
      args.width, args.vector, k_lines);
  load_lines<kWidth, kBackRows, kBackThreads>(
      all.v + batch * args.v[0] + key_head * args.v[1] + int64_t(first) * args.v[2], args.v[2], args.v[3], rows,
      args.width, args.vector, v_lines);
  const int turns = begin < args.queries ? (args.queries - begin + kQueries - 1) / kQueries : 0;
  // The tile that is fetched next: `ahead` of its head.
  int next_head = 0, next_turn = 0;
  const auto fetch = [&](int stage) {
    if (next_head < args.shared_heads && turns > 0) {
      const int64_t head = key_head * args.shared_heads + next_head;
      const int start = begin + next_turn * kQueries, left = args.queries - start;
      T* const to = stages + stage * kStage;
      load_lines<kWidth, kQueries, kBackThreads>(
          all.q + batch * args.q[0] + head * args.q[1] + int64_t(start) * args.q[2], args.q[2], args.q[3], left,
          args.width, args.vector, to);
      load_lines<kWidth, kQueries, kBackThreads>(
          all.dout + batch * args.dout[0] + head * args.dout[1] + int64_t(start) * args.dout[2], args.dout[2],
          args.dout[3], left, args.width, args.vector, to + kQueries * kLine);
      const int t = int(threadIdx.x);
      if (t < 2 * kQueries) {
        const float* const from = (t < kQueries ? all.level : all.mean) + (batch * args.heads + head) * args.queries + start;
        pg::async_copy_if<4>(t % kQueries < left, &levels[stage][t / kQueries][t % kQueries], from + t % kQueries);
      }
      if (++next_turn == turns) {
        next_turn = 0;
        ++next_head;
      }
    }
    pg::async_commit();
  };
  pg::mma::c by_key[kOwn][kWidth / 16], by_value[kOwn][kWidth / 16];
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    PG_UNROLL
    for (int f = 0; f < kWidth / 16; ++f) by_key[i][f] = by_value[i][f] = pg::mma::zero();
  }
  if (kBackStages == 2) fetch(0);
  int stage = 0;
  for (int shared_head = 0; shared_head < args.shared_heads; ++shared_head) {
    for (int turn = 0; turn < turns; ++turn) {
      if (kBackStages == 2) {
        pg::async_wait();
        __syncthreads();
        fetch(stage ^ 1);
      } else {
        __syncthreads();
        fetch(0);
        pg::async_wait();
        __syncthreads();
      }
      const T* const queries = stages + stage * kStage;
      const float (&level)[2][kQueries] = levels[stage];
      if (kBackStages == 2) stage ^= 1;
      if (mine >= rows) continue;
      const int start = begin + turn * kQueries;
      pg::mma::c score[kOwn][kColumns], grown[kOwn][kColumns];
      line_products<kWidth>(k_lines + mine * kLine, queries, score);
      line_products<kWidth>(v_lines + mine * kLine, queries + kQueries * kLine, grown);
      const bool whole = start + kQueries <= args.queries &&
                         (!args.causal || first + mine + kOwn * 16 - 1 <= start + args.ahead);
      PG_UNROLL
      for (int i = 0; i < kOwn; ++i) {
        PG_UNROLL
        for (int j = 0; j < kColumns; ++j) {
          PG_UNROLL
          for (int e = 0; e < pg::mma::count; ++e) {
            const int column = 16 * j + pg::mma::column(e);
            float share = pg::fast::exp2(score[i][j][e] * scale - level[0][column]);
            if (!whole && first + mine + 16 * i + pg::mma::row(e) >= live_keys(args, start + column)) share = 0.0f;
            score[i][j][e] = share;
            grown[i][j][e] = share * (grown[i][j][e] - level[1][column]);
          }
        }
      }
      T* const own = scratch + mine * kScratchLine;
      add_lines<kWidth>(score, own, kScratchLine, queries + kQueries * kLine, by_value);
      add_lines<kWidth>(grown, own + kBackRows * kScratchLine, kScratchLine, queries, by_key);
    }
  }
  store_lines<kWidth>(by_key, float(args.scale),
                      all.dk + batch * args.dk[0] + key_head * args.dk[1] + int64_t(first) * args.dk[2], args.dk[2],
                      args.dk[3], mine, rows, args.width);
  store_lines<kWidth>(by_value, 1.0f,
                      all.dv + batch * args.dv[0] + key_head * args.dv[1] + int64_t(first) * args.dv[2], args.dv[2],
                      args.dv[3], mine, rows, args.width);
}

// Bytes of shared memory of a block.
template <class T, int kWidth>
struct gradient_bytes {
  static constexpr size_t kLine = (kWidth + kLinePad) * sizeof(T);
  static constexpr size_t kScratch = PG_TARGET_CUDA ? 0 : kBackRows * sizeof(T);
  static constexpr size_t by_query =
      kLine * (2 * kBackRows + kBackStages * 2 * kBackKeys) + kScratch * (kBackKeys + kLinePad);
  static constexpr size_t by_key =
      kLine * (2 * kBackRows + kBackStages * 2 * kBackQueries) + 2 * kScratch * (kBackQueries + kLinePad);
};

// Whether the current device has matrix units and the shared memory.
template <class T, int kWidth>
bool gradients_fit() {
  using bytes = gradient_bytes<T, kWidth>;
  return pg::mma_supported() &&
         pg::set_max_dynamic_shared((query_fragments<T, kWidth, false>), bytes::by_query) == 0 &&
         pg::set_max_dynamic_shared((query_fragments<T, kWidth, true>), bytes::by_query) == 0 &&
         pg::set_max_dynamic_shared((key_fragments<T, kWidth>), bytes::by_key) == 0;
}

template <class T, int kWidth>
int launch_gradients(const char* op, const attention_call& c, const gradient_arrays<T>& arrays, backward_args args,
                     void* stream) {
  constexpr size_t kByQuery = gradient_bytes<T, kWidth>::by_query, kByKey = gradient_bytes<T, kWidth>::by_key;
  int64_t blocks;
  if (args.queries > 0) {
    PG_TRY(count_tiles(op, c, args, kBackRows, args.queries, args.heads, blocks));
    PG_TRY(launched(PG_LAUNCH((query_fragments<T, kWidth, false>), unsigned(blocks), kBackThreads, kByQuery, stream,
                              arrays, args), op));
    PG_TRY(launched(PG_LAUNCH((query_fragments<T, kWidth, true>), unsigned(blocks), kBackThreads, kByQuery, stream,
                              arrays, args), op));
  }
  if (args.keys == 0) return PG_OK;
  PG_TRY(count_tiles(op, c, args, kBackRows, args.keys, args.heads / args.shared_heads, blocks));
  return launched(PG_LAUNCH((key_fragments<T, kWidth>), unsigned(blocks), kBackThreads, kByKey, stream, arrays, args), op);
}

}  // namespace pgops
