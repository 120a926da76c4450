// f32 products whose operands are contiguous along one dimension: 16-byte loads, 128 x 128 tiles, 8 x 8
// elements a thread, two panels in turn.
#pragma once

#include "matmul_plan.cuh"

namespace pgops {

constexpr int kPanelThreads = 256, kPanelM = 128, kPanelN = 128;
constexpr int kPanelK = 8;
constexpr int kPanelBlocks = PG_TARGET_CUDA ? 2 : 1;  // on a multiprocessor; more registers are used on AMD

// One operand's panel: kSide elements of m or n, kPanelK of k, in shared memory as [k][m or n].
template <bool kAlongK, int kSide>
struct panel_loader {
  static constexpr int kLoads = kSide * kPanelK / 4 / kPanelThreads;
  static constexpr int kPerRow = (kAlongK ? kPanelK : kSide) / 4;  // 16-byte pieces of a contiguous run
  pg::vec<float, 4> held[kLoads];
  const float* from;
  int64_t step, jump;  // to the next piece of the thread, to the next panel
  int first;           // place of the first piece along the contiguous dimension
  int line;            // and across
  uint32_t inside;     // bit i: piece i is within m or n

  // side: stride across the contiguous dimension. at: the tile's first element of m or n, of `extent`.
  __device__ __forceinline__ panel_loader(const float* base, int64_t side, int64_t at, int64_t extent) {
    const int t = int(threadIdx.x);
    first = t % kPerRow * 4;
    line = t / kPerRow;
    constexpr int kLines = kPanelThreads / kPerRow;
    inside = 0;
    if (kAlongK) {
      from = base + (at + line) * side + first;
      PG_UNROLL
      for (int i = 0; i < kLoads; ++i) inside |= uint32_t(at + line + i * kLines < extent) << i;
      jump = kPanelK;
    } else {
      from = base + line * side + at + first;
      inside = at + first < extent ? ~0u : 0u;
      jump = kPanelK * side;
    }
    step = kLines * side;
  }
  // k: elements of k in the panel.
  __device__ __forceinline__ void load(int k) {
    constexpr int kLines = kPanelThreads / kPerRow;
    PG_UNROLL
    for (int i = 0; i < kLoads; ++i) {
      const bool there = (inside >> i & 1) && (kAlongK ? first < k : line + i * kLines < k);
      held[i] = pg::vec<float, 4>{};
      if (there) held[i] = pg::load_vec<4>(from + i * step);
    }
    from += jump;
  }
  __device__ __forceinline__ void put(float (*to)[kSide + 4]) const {
    constexpr int kLines = kPanelThreads / kPerRow;
    PG_UNROLL
    for (int i = 0; i < kLoads; ++i) {
      if constexpr (kAlongK) {
        PG_UNROLL
        for (int j = 0; j < 4; ++j) to[first + j][line + i * kLines] = held[i][j];
      } else {
        pg::store_vec<4>(&to[line + i * kLines][first], held[i]);
      }
    }
  }
};

template <bool kAlongA, bool kAlongB>
__global__ void PG_LAUNCH_BOUNDS(kPanelThreads, kPanelBlocks)
    matmul_panels(const float* a, const float* b, float* out, matmul_args args, bool vector_out,
                  const PG_GRID_CONSTANT strided<3> batch) {
  struct alignas(16) panels {
    float left[kPanelK][kPanelM + 4], right[kPanelK][kPanelN + 4];
  };
  __shared__ panels shared[2];
  const matmul_tile tile = tile_of(args, blockIdx.x);
  int64_t at[3];
  batch.offsets(tile.batch, at);
  const int64_t m0 = int64_t(tile.m) * kPanelM, n0 = int64_t(tile.n) * kPanelN;
  panel_loader<kAlongA, kPanelM> left(a + at[1], kAlongA ? args.a_m : args.a_k, m0, args.m);
  panel_loader<kAlongB, kPanelN> right(b + at[2], kAlongB ? args.b_n : args.b_k, n0, args.n);
  // A group of lanes makes 32 x 64 elements; a lane two runs of four each way: one bank each.
  const int lane = int(threadIdx.x) % PG_WARP_SIZE_MIN, group = int(threadIdx.x) / PG_WARP_SIZE_MIN;
  const int tm = group / 2 * 32 + lane / 8 * 4, tn = group % 2 * 64 + lane % 8 * 4;
  float acc[8][8];
  PG_UNROLL
  for (int i = 0; i < 8; ++i) {
    PG_UNROLL
    for (int j = 0; j < 8; ++j) acc[i][j] = 0.0f;
  }
  int ahead = int((args.k - 1) / kPanelK);  // whole panels in front of the last one
  const auto load = [&] {
    const int here = ahead > 0 ? kPanelK : int(args.k - (args.k - 1) / kPanelK * kPanelK);
    left.load(here);
    right.load(here);
  };
  load();
  left.put(shared[0].left);
  right.put(shared[0].right);
  __syncthreads();
  for (int turn = 0; ahead >= 0; turn ^= 1) {
    const bool more = --ahead >= 0;
    if (more) load();
    const panels& now = shared[turn];
    PG_UNROLL
    for (int kk = 0; kk < kPanelK; ++kk) {
      pg::vec<float, 4> x[2], y[2];
      PG_UNROLL
      for (int h = 0; h < 2; ++h) {
        x[h] = pg::load_vec<4>(&now.left[kk][tm + 16 * h]);
        y[h] = pg::load_vec<4>(&now.right[kk][tn + 32 * h]);
      }
      PG_UNROLL
      for (int i = 0; i < 8; ++i) {
        PG_UNROLL
        for (int j = 0; j < 8; ++j) acc[i][j] += x[i / 4][i % 4] * y[j / 4][j % 4];
      }
    }
    if (more) {
      left.put(shared[turn ^ 1].left);
      right.put(shared[turn ^ 1].right);
    }
    __syncthreads();
  }
  PG_UNROLL
  for (int i = 0; i < 8; ++i) {
    const int64_t row = m0 + tm + i % 4 + i / 4 * 16;
    if (row >= args.m) continue;
    PG_UNROLL
    for (int h = 0; h < 2; ++h) {
      const int64_t column = n0 + tn + 32 * h;
      float* const to = out + at[0] + row * args.out_m + column * args.out_n;
      if (vector_out && column < args.n) {
        const float* const v = acc[i] + 4 * h;
        pg::store_vec<4>(to, pg::vec<float, 4>{{v[0], v[1], v[2], v[3]}});
      } else {
        PG_UNROLL
        for (int j = 0; j < 4; ++j)
          if (column + j < args.n) to[j * args.out_n] = acc[i][4 * h + j];
      }
    }
  }
}

// False if the operands are not so laid out.
inline bool launch_panels(const char* op, const float* a, const float* b, float* out, matmul_args args,
                          const layout<3>& batch, void* stream, int& status) {
  const operand_way left = way_of(a, 4, args.a_k, args.a_m, args.k, args.m, batch, 1);
  const operand_way right = way_of(b, 4, args.b_k, args.b_n, args.k, args.n, batch, 2);
  if (left == operand_way::scattered || right == operand_way::scattered) return false;
  const bool vector_out = way_of(out, 4, args.out_n, args.out_m, args.n, args.m, batch, 0) == operand_way::along_k;
  args.tiles_m = blocks_for(args.m, kPanelM);
  args.tiles_n = blocks_for(args.n, kPanelN);
  const bool along_a = left == operand_way::along_k, along_b = right == operand_way::along_k;
  const auto kernel = along_a ? (along_b ? matmul_panels<true, true> : matmul_panels<true, false>)
                              : (along_b ? matmul_panels<false, true> : matmul_panels<false, false>);
  status = launched(PG_LAUNCH(kernel, unsigned(batch.numel() * args.tiles_m * args.tiles_n), kPanelThreads, 0, stream,
                              a, b, out, args, vector_out, batch.device()), op);
  return true;
}

}  // namespace pgops
