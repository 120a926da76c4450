// Attention of half and bfloat16 by matrix fragments. A warp has some lines of 16 queries: their scores and its part
// of the result stay in registers, and the shares, rounded to T, go from the one product into the other.
#pragma once

#include "attention_tiles.cuh"
#include "pg/mma.h"

namespace pgops {

constexpr int kAttendThreads = PG_TARGET_ROCM ? 256 : 128;
constexpr int kAttendRows = 128;                       // queries of a block
// Keys at once: AMD has 64 KiB of shared memory; with a mask or bias, wide heads leave no registers for 64.
template <int kWidth, bool kExtra>
constexpr int attend_keys = PG_TARGET_CUDA && !(kExtra && kWidth > 96) ? 64 : 32;
constexpr int kLinePad = 8;                            // elements: lines start in different banks
constexpr uint16_t kHidden = 0xffff;                   // in place of a bias where the mask is false: a NaN
constexpr float kLog2E = 1.44269504088896340736f;

// to[line][feature] = from, zeros outside; kWidth features of kLines lines.
template <int kWidth, int kLines, int kThreads, class T>
__device__ __forceinline__ void load_lines(const T* from, int64_t line_stride, int64_t stride, int lines, int width,
                                           bool vector, T* to) {
  constexpr int kLine = kWidth + kLinePad, kPieces = kWidth > 64 ? 16 : 8, kStep = kThreads / kPieces;
  const int f = int(threadIdx.x) % kPieces * 8, first = int(threadIdx.x) / kPieces;
  if (f >= kWidth) return;
  from += first * line_stride + f * stride;
  to += first * kLine + f;
  const int64_t jump = kStep * line_stride;
  if (vector) {
    PG_UNROLL
    for (int i = 0; i < kLines / kStep; ++i, from += jump)
      pg::async_copy_if<16>(first + i * kStep < lines && f < width, to + i * kStep * kLine, from);
  } else {
    PG_UNROLL_N(1)
    for (int i = 0; i < kLines / kStep; ++i, from += jump) {
      PG_UNROLL_N(1)
      for (int j = 0; j < 8; ++j)
        to[i * kStep * kLine + j] = first + i * kStep < lines && f + j < width ? from[j * stride] : T{};
    }
  }
}

// Bias of a tile, or kHidden: what scores cannot tell of themselves.
template <int kKeys, class T>
__device__ __forceinline__ void load_extra(const attention_args& args, const bool* mask, const T* bias, int first,
                                           int start, T* extra) {
  constexpr int kShareLine = kKeys + kLinePad;
  for (int e = int(threadIdx.x); e < kAttendRows * kKeys; e += kAttendThreads) {
    const int row = first + e / kKeys, column = start + e % kKeys;
    uint16_t value = 0;
    if (row < args.queries && column < args.keys) {
      if (bias != nullptr) value = pg::bit_cast<uint16_t>(bias[row * args.bias[2] + column * args.bias[3]]);
      if (value == kHidden) value = 0x7fff;
      if (mask != nullptr && !mask[row * args.mask[2] + column * args.mask[3]]) value = kHidden;
    }
    extra[e / kKeys * kShareLine + e % kKeys] = pg::bit_cast<T>(value);
  }
}

template <class T, int kWidth, bool kExtra>
__global__ void PG_LAUNCH_BOUNDS(kAttendThreads)
    attend_fragments(const T* q, const T* k, const T* v, const bool* mask, const T* bias, T* out,
                     const PG_GRID_CONSTANT attention_args given) {
  constexpr int kWarps = kAttendThreads / pg::mma::lanes, kOwn = kAttendRows / 16 / kWarps;
  constexpr int kKeys = attend_keys<kWidth, kExtra>, kShareLine = kKeys + kLinePad;
  constexpr int kLine = kWidth + kLinePad, kSteps = kWidth / 16, kColumns = kKeys / 16;
  constexpr int kOwnRows = pg::mma::own_rows;
  PG_DYN_SHARED(T, shared);
  __shared__ near_room<attention_args> kept;
  const attention_args& args = kExtra ? keep_near(given, kept) : given;
  T* const q_lines = shared;
  T* const k_lines = q_lines + kAttendRows * kLine;
  T* const v_lines = k_lines + kKeys * kLine;
  T* const shares = v_lines + kKeys * kLine;
  const int64_t job = int64_t(blockIdx.x) / args.tiles;
  const int first = (args.tiles - 1 - int(int64_t(blockIdx.x) - job * args.tiles)) * kAttendRows;  // long rows first
  const int64_t batch = job / args.heads, head = job - batch * args.heads, key_head = head / args.shared_heads;
  q += batch * args.q[0] + head * args.q[1] + int64_t(first) * args.q[2];
  k += batch * args.k[0] + key_head * args.k[1];
  v += batch * args.v[0] + key_head * args.v[1];
  if (kExtra && mask != nullptr) mask += batch * args.mask[0] + head * args.mask[1];
  if (kExtra && bias != nullptr) bias += batch * args.bias[0] + head * args.bias[1];
  const int rows = args.queries - first < kAttendRows ? args.queries - first : kAttendRows;
  const int end = live_keys(args, first + rows - 1);
  const int mine = int(threadIdx.x) / pg::mma::lanes * (kOwn * 16);  // the warp's first row
  const int last = mine + kOwn * 16 < rows ? mine + kOwn * 16 - 1 : rows - 1;
  const int all_live = live_keys(args, first + mine), any_live = mine < rows ? live_keys(args, first + last) : 0;
  const float scale = float(args.scale * double(kLog2E)), factor = kExtra ? 1.0f : scale;

  pg::mma::c result[kOwn][kSteps];
  float top[kOwn][kOwnRows], sum[kOwn][kOwnRows];  // sum: of the lane's own columns
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    PG_UNROLL
    for (int f = 0; f < kSteps; ++f) result[i][f] = pg::mma::zero();
    PG_UNROLL
    for (int o = 0; o < kOwnRows; ++o) {
      top[i][o] = limits<float>::lowest();
      sum[i][o] = 0.0f;
    }
  }
  load_lines<kWidth, kAttendRows, kAttendThreads>(q, args.q[2], args.q[3], rows, args.width, args.vector, q_lines);
  load_lines<kWidth, kKeys, kAttendThreads>(k, args.k[2], args.k[3], args.keys, args.width, args.vector, k_lines);
  k += kKeys * args.k[2];
  pg::async_commit();
  for (int start = 0; start < end; start += kKeys) {
    pg::async_wait();
    __syncthreads();  // keys are here, and nobody uses the values before
    load_lines<kWidth, kKeys, kAttendThreads>(v, args.v[2], args.v[3], args.keys - start,
                                                    args.width, args.vector, v_lines);
    v += kKeys * args.v[2];
    pg::async_commit();
    if constexpr (kExtra) {
      load_extra<kKeys>(args, mask, bias, first, start, shares);
      __syncthreads();
    }
    const bool busy = start < any_live;
    pg::mma::a<T> share[kOwn][kColumns];
    if (busy) {
      pg::mma::c score[kOwn][kColumns];
      PG_UNROLL
      for (int i = 0; i < kOwn; ++i) {
        PG_UNROLL
        for (int j = 0; j < kColumns; ++j) score[i][j] = pg::mma::zero();
      }
      PG_UNROLL
      for (int f = 0; f < kSteps; ++f) {
        pg::mma::a<T> x[kOwn];
        PG_UNROLL
        for (int i = 0; i < kOwn; ++i) x[i] = pg::mma::load_a(q_lines + (mine + 16 * i) * kLine + 16 * f, kLine);
        PG_UNROLL
        for (int j = 0; j < kColumns; ++j) {
          const pg::mma::b<T> y = pg::mma::load_b_transposed(k_lines + 16 * j * kLine + 16 * f, kLine);
          PG_UNROLL
          for (int i = 0; i < kOwn; ++i) pg::mma::multiply_add(score[i][j], x[i], y);
        }
      }
      PG_UNROLL
      for (int i = 0; i < kOwn; ++i) {
        if constexpr (kExtra) {
          PG_UNROLL
          for (int j = 0; j < kColumns; ++j) {
            PG_UNROLL
            for (int e = 0; e < pg::mma::count; ++e) {
              const T extra = shares[(mine + 16 * i + pg::mma::row(e)) * kShareLine + 16 * j + pg::mma::column(e)];
              const float sum_of = score[i][j][e] * scale + pg::to_float(extra) * kLog2E;
              score[i][j][e] = pg::bit_cast<uint16_t>(extra) == kHidden ? limits<float>::lowest() : sum_of;
            }
          }
        }
        if (start + kKeys > all_live) {
          int live[kOwnRows];
          PG_UNROLL
          for (int o = 0; o < kOwnRows; ++o)
            live[o] = live_keys(args, first + mine + 16 * i + pg::mma::own_row(o)) - start;
          PG_UNROLL
          for (int j = 0; j < kColumns; ++j) {
            PG_UNROLL
            for (int e = 0; e < pg::mma::count; ++e)
              if (16 * j + pg::mma::column(e) >= live[pg::mma::own(e)]) score[i][j][e] = limits<float>::lowest();
          }
        }
        float most[kOwnRows], shift[kOwnRows], keep[kOwnRows];
        PG_UNROLL
        for (int o = 0; o < kOwnRows; ++o) most[o] = top[i][o];
        PG_UNROLL
        for (int j = 0; j < kColumns; ++j) {
          PG_UNROLL
          for (int e = 0; e < pg::mma::count; ++e)  // a NaN reaches the result by its share
            most[pg::mma::own(e)] = pg::fmax(most[pg::mma::own(e)], score[i][j][e]);
        }
        PG_UNROLL
        for (int o = 0; o < kOwnRows; ++o) {
          most[o] = pg::warp_reduce<pg::mma::row_lanes>(most[o], finite_max());
          shift[o] = most[o] == limits<float>::lowest() ? 0.0f : most[o] * factor;
          keep[o] = pg::fast::exp2(top[i][o] * factor - shift[o]);
          top[i][o] = most[o];
          sum[i][o] *= keep[o];
        }
        PG_UNROLL
        for (int j = 0; j < kColumns; ++j) {
          PG_UNROLL
          for (int e = 0; e < pg::mma::count; ++e) {
            const int o = pg::mma::own(e);
            score[i][j][e] = pg::fast::exp2(score[i][j][e] * factor - shift[o]);
            sum[i][o] += score[i][j][e];
          }
        }
        PG_UNROLL
        for (int f = 0; f < kSteps; ++f) {
          PG_UNROLL
          for (int e = 0; e < pg::mma::count; ++e) result[i][f][e] *= keep[pg::mma::own(e)];
        }
        PG_UNROLL
        for (int j = 0; j < kColumns; ++j)
          share[i][j] = pg::mma::to_a<T>(score[i][j], shares + (mine + 16 * i) * kShareLine + 16 * j, kShareLine);
      }
    }
    pg::async_wait();
    __syncthreads();  // values are here, and nobody uses the keys any more
    if (start + kKeys < end)
      load_lines<kWidth, kKeys, kAttendThreads>(k, args.k[2], args.k[3], args.keys - start - kKeys,
                                                      args.width, args.vector, k_lines);
    k += kKeys * args.k[2];
    pg::async_commit();
    if (busy) {
      PG_UNROLL
      for (int j = 0; j < kColumns; ++j) {
        PG_UNROLL
        for (int f = 0; f < kSteps; ++f) {
          const pg::mma::b<T> y = pg::mma::load_b(v_lines + 16 * j * kLine + 16 * f, kLine);
          PG_UNROLL
          for (int i = 0; i < kOwn; ++i) pg::mma::multiply_add(result[i][f], share[i][j], y);
        }
      }
    }
  }
  out += batch * args.out[0] + head * args.out[1] + int64_t(first) * args.out[2];
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    PG_UNROLL
    for (int o = 0; o < kOwnRows; ++o) {
      const float all = pg::warp_reduce<pg::mma::row_lanes>(sum[i][o], pg::plus());
      sum[i][o] = all == 0.0f ? 0.0f : 1.0f / all;  // no key takes part: zero
    }
    PG_UNROLL
    for (int e = 0; e < pg::mma::count; ++e) {
      const int row = mine + 16 * i + pg::mma::row(e);
      PG_UNROLL
      for (int f = 0; f < kSteps; ++f) {
        const int column = 16 * f + pg::mma::column(e);
        if (row < rows && column < args.width)
          out[row * args.out[2] + column * args.out[3]] = narrow<T>(result[i][f][e] * sum[i][pg::mma::own(e)]);
      }
    }
  }
}

template <class T, int kWidth, bool kExtra>
int launch_attend(const char* op, const attention_call& c, attention_args args, void* stream) {
  constexpr bool kShares = kExtra || !PG_TARGET_CUDA;
  constexpr int kKeys = attend_keys<kWidth, kExtra>;
  constexpr size_t kBytes = sizeof(T) * (size_t(kAttendRows + 2 * kKeys) * (kWidth + kLinePad) +
                                         (kShares ? size_t(kAttendRows) * (kKeys + kLinePad) : 0));
  int64_t blocks;
  PG_TRY(count_tiles(op, c, args, kAttendRows, args.queries, args.heads, blocks));
  return launched(PG_LAUNCH((attend_fragments<T, kWidth, kExtra>), unsigned(blocks), kAttendThreads, kBytes, stream,
                            reinterpret_cast<const T*>(c.q.data), reinterpret_cast<const T*>(c.k.data),
                            reinterpret_cast<const T*>(c.v.data), reinterpret_cast<const bool*>(c.mask.data),
                            reinterpret_cast<const T*>(c.bias.data), reinterpret_cast<T*>(c.out.data), args), op);
}

}  // namespace pgops
