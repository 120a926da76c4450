// Native vector types by size: one instruction each on GPUs.
#ifndef PG_WORDS_H
#define PG_WORDS_H

#include "bits.h"

namespace pg {
namespace detail {

template <int Bytes>
struct word { using type = void; };
template <>
struct word<1> { using type = unsigned char; };
template <>
struct word<2> { using type = unsigned short; };
template <>
struct word<4> { using type = unsigned int; };
template <>
struct word<8> { using type = uint2; };
template <>
struct word<16> { using type = uint4; };

// The widest word in which a T can be moved, given its alignment.
template <class T>
struct word_of {
  static constexpr int bytes = static_cast<int>(alignof(T)) < 16 ? static_cast<int>(alignof(T)) : 16;
  using type = typename word<bytes>::type;
  static constexpr int count = static_cast<int>(sizeof(T)) / bytes;
};

}  // namespace detail
}  // namespace pg

#endif
