// `cub::Dispatch*`, what CUB's own device functions call: programs use them for counts of 64 bits.
// By rocPRIM, whose functions count so; the CPU target has neither.
#if !defined(PORTGPU_HIP_COMPAT_CUB_DISPATCH_H) && !defined(PGCPU)
#define PORTGPU_HIP_COMPAT_CUB_DISPATCH_H

#include "hip_compat.h"
#include <hipcub/hipcub.hpp>
#include <rocprim/rocprim.hpp>

namespace pg_compat {
namespace detail {
template <class T>
using is_none = std::is_same<T, hipcub::NullType>;
// Some of rocPRIM's functions count by 32 bits.
template <class N>
bool beyond_32_bits(N n) {
  return static_cast<unsigned long long>(n) > 0xffffffffull;
}
}  // namespace detail

// Inclusive for a `NullType` as the value to start with.
template <class In, class Out, class Op, class Init, class N, class...>
struct DispatchScan {
  static hipError_t Dispatch(void* storage, size_t& bytes, In in, Out out, Op op, Init init, N n,
                             hipStream_t stream, bool = false) {
    return scan(storage, bytes, in, out, op, init, n, stream, detail::is_none<Init>());
  }

 private:
  static hipError_t scan(void* storage, size_t& bytes, In in, Out out, Op op, Init, N n,
                         hipStream_t stream, std::true_type) {
    return rocprim::inclusive_scan(storage, bytes, in, out, static_cast<size_t>(n), op, stream);
  }
  static hipError_t scan(void* storage, size_t& bytes, In in, Out out, Op op, Init init, N n,
                         hipStream_t stream, std::false_type) {
    return rocprim::exclusive_scan(storage, bytes, in, out, init, static_cast<size_t>(n), op,
                                   stream);
  }
};

template <class In, class Out, class N, class Op, class...>
struct DispatchReduce {
  template <class Init>
  static hipError_t Dispatch(void* storage, size_t& bytes, In in, Out out, N n, Op op, Init init,
                             hipStream_t stream, bool = false) {
    return rocprim::reduce(storage, bytes, in, out, init, static_cast<size_t>(n), op, stream);
  }
};

template <class In, class Out, class Begin, class End, class N, class Op, class...>
struct DispatchSegmentedReduce {
  template <class Count, class Init>
  static hipError_t Dispatch(void* storage, size_t& bytes, In in, Out out, Count segments,
                             Begin begin, End end, Op op, Init init, hipStream_t stream,
                             bool = false) {
    if (detail::beyond_32_bits(segments)) return hipErrorInvalidValue;
    return rocprim::segmented_reduce(storage, bytes, in, out, static_cast<unsigned>(segments),
                                     begin, end, op, init, stream);
  }
};

// With `NullType` for values keys alone are sorted. `overwrite` allows use of the input's buffers.
template <bool Descending, class Key, class Value, class N, class...>
struct DispatchRadixSort {
  static hipError_t Dispatch(void* storage, size_t& bytes, hipcub::DoubleBuffer<Key>& keys,
                             hipcub::DoubleBuffer<Value>& values, N n, int first, int last,
                             bool overwrite, hipStream_t stream, bool = false) {
#if ROCPRIM_VERSION < 201300
    if (detail::beyond_32_bits(n)) return hipErrorInvalidValue;
#endif
    rocprim::double_buffer<Key> k(keys.Current(), keys.Alternate());
    rocprim::double_buffer<Value> v(values.Current(), values.Alternate());
    const hipError_t status = overwrite ? twice(storage, bytes, k, v, n, first, last, stream)
                                        : once(storage, bytes, k, v, n, first, last, stream);
    if (storage == nullptr || status != hipSuccess) return status;
    if (!overwrite || k.current() != keys.Current()) {
      keys.selector ^= 1;
      values.selector ^= 1;
    }
    return status;
  }

 private:
  using K = rocprim::double_buffer<Key>&;
  using V = rocprim::double_buffer<Value>&;
  static hipError_t twice(void* t, size_t& b, K k, V v, N n, unsigned first, unsigned last,
                          hipStream_t s) {
    if constexpr (detail::is_none<Value>::value) {
      return Descending ? rocprim::radix_sort_keys_desc(t, b, k, n, first, last, s)
                        : rocprim::radix_sort_keys(t, b, k, n, first, last, s);
    } else {
      return Descending ? rocprim::radix_sort_pairs_desc(t, b, k, v, n, first, last, s)
                        : rocprim::radix_sort_pairs(t, b, k, v, n, first, last, s);
    }
  }
  static hipError_t once(void* t, size_t& b, K k, V v, N n, unsigned first, unsigned last,
                         hipStream_t s) {
    Key *from = k.current(), *to = k.alternate();
    Value *left = v.current(), *right = v.alternate();
    if constexpr (detail::is_none<Value>::value) {
      (void)left, (void)right;
      return Descending ? rocprim::radix_sort_keys_desc(t, b, from, to, n, first, last, s)
                        : rocprim::radix_sort_keys(t, b, from, to, n, first, last, s);
    } else {
      return Descending
                 ? rocprim::radix_sort_pairs_desc(t, b, from, to, left, right, n, first, last, s)
                 : rocprim::radix_sort_pairs(t, b, from, to, left, right, n, first, last, s);
    }
  }
};

template <bool Descending, class Key, class Value, class Begin, class End, class N, class...>
struct DispatchSegmentedRadixSort {
  template <class Count, class Segments>
  static hipError_t Dispatch(void* storage, size_t& bytes, hipcub::DoubleBuffer<Key>& keys,
                             hipcub::DoubleBuffer<Value>& values, Count n, Segments segments,
                             Begin begin, End end, int first, int last, bool,
                             hipStream_t stream, bool = false) {
    if (detail::beyond_32_bits(n) || detail::beyond_32_bits(segments)) return hipErrorInvalidValue;
    const hipError_t status =
        sort(storage, bytes, keys.Current(), keys.Alternate(), values.Current(),
             values.Alternate(), static_cast<unsigned>(n), static_cast<unsigned>(segments), begin,
             end, static_cast<unsigned>(first), static_cast<unsigned>(last), stream);
    if (storage != nullptr && status == hipSuccess) {
      keys.selector ^= 1;
      values.selector ^= 1;
    }
    return status;
  }

 private:
  static hipError_t sort(void* t, size_t& b, Key* from, Key* to, Value* left, Value* right,
                         unsigned n, unsigned m, Begin begin, End end, unsigned first,
                         unsigned last, hipStream_t s) {
    if constexpr (detail::is_none<Value>::value) {
      (void)left, (void)right;
      return Descending ? rocprim::segmented_radix_sort_keys_desc(t, b, from, to, n, m, begin, end,
                                                                  first, last, s)
                        : rocprim::segmented_radix_sort_keys(t, b, from, to, n, m, begin, end,
                                                             first, last, s);
    } else {
      return Descending
                 ? rocprim::segmented_radix_sort_pairs_desc(t, b, from, to, left, right, n, m,
                                                            begin, end, first, last, s)
                 : rocprim::segmented_radix_sort_pairs(t, b, from, to, left, right, n, m, begin,
                                                       end, first, last, s);
    }
  }
};

template <class Keys, class Unique, class Values, class Sums, class Count, class Equal, class Op,
          class N, class...>
struct DispatchReduceByKey {
  static hipError_t Dispatch(void* storage, size_t& bytes, Keys keys, Unique unique, Values values,
                             Sums sums, Count count, Equal equal, Op op, N n, hipStream_t stream,
                             bool = false) {
#if ROCPRIM_VERSION < 201300
    if (detail::beyond_32_bits(n)) return hipErrorInvalidValue;
#endif
    return rocprim::reduce_by_key(storage, bytes, keys, values, n, unique, sums, count, op, equal,
                                  stream);
  }
};

// By flags, by a predicate, or, with neither, the first of equal neighbours; what is not chosen
// follows in reverse when it is kept.
template <class In, class Flags, class Out, class Count, class Select, class Equal, class N,
          bool KeepRejects, class...>
struct DispatchSelectIf {
  static hipError_t Dispatch(void* storage, size_t& bytes, In in, Flags flags, Out out,
                             Count count, Select select, Equal equal, N number, hipStream_t s,
                             bool = false) {
    const size_t n = static_cast<size_t>(number);
    (void)flags, (void)select, (void)equal;
    if constexpr (!detail::is_none<Select>::value && KeepRejects) {
      return rocprim::partition(storage, bytes, in, out, count, n, select, s);
    } else if constexpr (!detail::is_none<Select>::value) {
      return rocprim::select(storage, bytes, in, out, count, n, select, s);
    } else if constexpr (!detail::is_none<Equal>::value) {
      return rocprim::unique(storage, bytes, in, out, count, n, equal, s);
    } else if constexpr (KeepRejects) {
      return rocprim::partition(storage, bytes, in, flags, out, count, n, s);
    } else {
      return rocprim::select(storage, bytes, in, flags, out, count, n, s);
    }
  }
};

template <class Keys, class Values, class KeysOut, class ValuesOut, class N, class Less, class...>
struct DispatchMergeSort {
  static hipError_t Dispatch(void* storage, size_t& bytes, Keys keys, Values values,
                             KeysOut keys_out, ValuesOut values_out, N n, Less less,
                             hipStream_t stream, bool = false) {
    const size_t count = static_cast<size_t>(n);
    if constexpr (std::is_same<Values, hipcub::NullType*>::value) {
      (void)values, (void)values_out;
      return rocprim::merge_sort(storage, bytes, keys, keys_out, count, less, stream);
    } else {
      return rocprim::merge_sort(storage, bytes, keys, keys_out, values, values_out, count, less,
                                 stream);
    }
  }
};

}  // namespace pg_compat
#endif
