// Sparse matrices of any vendor's value and index types, with sums in double (complex double) by rows.
#pragma once
#include "half.h"

#include <complex>
#include <vector>

namespace pgcpu::sparse {

using number = std::complex<double>;

// Type codes are the vendors': 0/1/2/14 real f32/f64/f16/bf16, 3 i8, 10 i32, 4/5 complex f32/f64.
inline number get(const void* p, int type, long long i) {
  switch (type) {
    case 0: return static_cast<const float*>(p)[i];
    case 1: return static_cast<const double*>(p)[i];
    case 2: return to_float(static_cast<const half*>(p)[i]);
    case 14: return to_float(static_cast<const bfloat16*>(p)[i]);
    case 3: return static_cast<const signed char*>(p)[i];
    case 10: return static_cast<const int*>(p)[i];
    case 4: return {static_cast<const float*>(p)[2 * i], static_cast<const float*>(p)[2 * i + 1]};
    default: return {static_cast<const double*>(p)[2 * i], static_cast<const double*>(p)[2 * i + 1]};
  }
}
inline void set(void* p, int type, long long i, number v) {
  switch (type) {
    case 0: static_cast<float*>(p)[i] = float(v.real()); break;
    case 1: static_cast<double*>(p)[i] = v.real(); break;
    case 2: static_cast<half*>(p)[i] = to_half(v.real()); break;
    case 14: static_cast<bfloat16*>(p)[i] = to_bfloat16(float(v.real())); break;
    case 3: static_cast<signed char*>(p)[i] = (signed char)v.real(); break;
    case 10: static_cast<int*>(p)[i] = int(v.real()); break;
    case 4:
      static_cast<float*>(p)[2 * i] = float(v.real());
      static_cast<float*>(p)[2 * i + 1] = float(v.imag());
      break;
    default:
      static_cast<double*>(p)[2 * i] = v.real();
      static_cast<double*>(p)[2 * i + 1] = v.imag();
  }
}
inline bool known_type(int t) { return t == 0 || t == 1 || t == 2 || t == 14 || t == 3 || t == 10 || t == 4 || t == 5; }
// Index types: 1 u16, 2 i32, 3 i64.
inline long long index(const void* p, int type, long long i) {
  return type == 3 ? static_cast<const long long*>(p)[i]
                   : type == 2 ? static_cast<const int*>(p)[i] : static_cast<const unsigned short*>(p)[i];
}
inline void set_index(void* p, int type, long long i, long long v) {
  if (type == 3) static_cast<long long*>(p)[i] = v;
  else if (type == 2) static_cast<int*>(p)[i] = int(v);
  else static_cast<unsigned short*>(p)[i] = (unsigned short)v;
}

enum class form { csr, csc, coo };
struct matrix {
  form kind = form::csr;
  long long rows = 0, columns = 0, entries = 0;
  void *offsets = nullptr, *indices = nullptr, *values = nullptr;  // coo: offsets are the row indices
  int offset_type = 2, index_type = 2, base = 0, type = 0;

  // f(row, column, place of the value), in the order of storage.
  template <class F>
  void each(F f) const {
    if (kind == form::coo) {
      for (long long e = 0; e < entries; ++e)
        f(index(offsets, index_type, e) - base, index(indices, index_type, e) - base, e);
      return;
    }
    const long long lines = kind == form::csr ? rows : columns;
    for (long long l = 0; l < lines; ++l)
      for (long long e = index(offsets, offset_type, l) - base; e < index(offsets, offset_type, l + 1) - base; ++e) {
        const long long other = index(indices, index_type, e) - base;
        if (kind == form::csr) f(l, other, e);
        else f(other, l, e);
      }
  }
};
struct vector {
  long long size = 0;
  void* values = nullptr;
  int type = 0;
};
struct dense {
  long long rows = 0, columns = 0, leading = 0;
  void* values = nullptr;
  int type = 0;
  bool by_rows = false;
  long long at(long long r, long long c) const { return by_rows ? r * leading + c : c * leading + r; }
};

// y = alpha op(a) x + beta y; operation 0 as it is, 1 transposed, 2 conjugate transposed.
inline void multiply(int operation, number alpha, const matrix& a, const vector& x, number beta, const vector& y) {
  std::vector<number> sum(size_t(y.size), number(0));
  a.each([&](long long r, long long c, long long e) {
    number v = get(a.values, a.type, e);
    if (operation == 2) v = std::conj(v);
    if (operation) std::swap(r, c);
    sum[size_t(r)] += v * get(x.values, x.type, c);
  });
  for (long long i = 0; i < y.size; ++i) {
    number v = alpha * sum[size_t(i)];
    if (beta != number(0)) v += beta * get(y.values, y.type, i);
    set(y.values, y.type, i, v);
  }
}
inline void multiply(int op_a, int op_b, number alpha, const matrix& a, const dense& b, number beta, const dense& c) {
  std::vector<number> sum(size_t(c.rows * c.columns), number(0));
  a.each([&](long long row, long long column, long long e) {
    number v = get(a.values, a.type, e);
    if (op_a == 2) v = std::conj(v);
    if (op_a) std::swap(row, column);
    for (long long j = 0; j < c.columns; ++j) {
      number w = get(b.values, b.type, op_b ? b.at(j, column) : b.at(column, j));
      if (op_b == 2) w = std::conj(w);
      sum[size_t(row * c.columns + j)] += v * w;
    }
  });
  for (long long i = 0; i < c.rows; ++i)
    for (long long j = 0; j < c.columns; ++j) {
      number v = alpha * sum[size_t(i * c.columns + j)];
      if (beta != number(0)) v += beta * get(c.values, c.type, c.at(i, j));
      set(c.values, c.type, c.at(i, j), v);
    }
}
inline void to_dense(const matrix& a, const dense& d) {
  for (long long i = 0; i < d.rows; ++i)
    for (long long j = 0; j < d.columns; ++j) set(d.values, d.type, d.at(i, j), 0);
  a.each([&](long long r, long long c, long long e) { set(d.values, d.type, d.at(r, c), get(a.values, a.type, e)); });
}
// The first pass counts and writes the offsets (or nothing for coo), the second one writes the entries.
inline long long from_dense(const dense& d, const matrix& a, bool entries) {
  const bool by_columns = a.kind == form::csc;
  const long long lines = by_columns ? d.columns : d.rows, others = by_columns ? d.rows : d.columns;
  long long e = 0;
  for (long long l = 0; l < lines; ++l) {
    if (a.kind != form::coo && !entries) set_index(a.offsets, a.offset_type, l, e + a.base);
    for (long long o = 0; o < others; ++o) {
      const number v = get(d.values, d.type, by_columns ? d.at(o, l) : d.at(l, o));
      if (v == number(0)) continue;
      if (entries) {
        if (a.kind == form::coo) set_index(a.offsets, a.index_type, e, l + a.base);
        set_index(a.indices, a.index_type, e, o + a.base);
        set(a.values, a.type, e, v);
      }
      ++e;
    }
  }
  if (a.kind != form::coo && !entries) set_index(a.offsets, a.offset_type, lines, e + a.base);
  return e;
}

}  // namespace pgcpu::sparse
