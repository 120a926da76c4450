// Fourier transforms of any length, in double: mixed radix, and Bluestein's way for large primes.
#pragma once
#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

namespace pgcpu::fft {

using complex = std::complex<double>;
using line = std::vector<complex>;

// e^(sign * 2 pi i k / n), exact at the multiples of a quarter turn.
inline complex root(long long k, long long n, int sign) {
  k %= n;
  if (k == 0) return {1, 0};
  if (2 * k == n) return {-1, 0};
  if (4 * k == n) return {0, double(sign)};
  if (4 * k == 3 * n) return {0, double(-sign)};
  const double angle = 2 * 3.14159265358979323846 * double(k) / double(n);
  return {std::cos(angle), sign * std::sin(angle)};
}

// One length and direction; transforms lines of it.
class plan {
 public:
  plan(long long n, int sign) : n_(n), sign_(sign) {
    roots_.resize(size_t(n));
    for (long long k = 0; k < n; ++k) roots_[size_t(k)] = root(k, n, sign);
    for (long long rest = n, p = 2; rest > 1; p = p * p > rest ? rest : p + 1)
      while (rest % p == 0) factors_.push_back(p), rest /= p;
    if (!factors_.empty() && factors_.back() > 61) bluestein();
  }
  void run(line& x) const {
    if (n_ <= 1) return;
    if (inner_.empty()) {
      line out(x.size());
      recurse(x.data(), out.data(), n_, 1, 0);
      x.swap(out);
      return;
    }
    const size_t m = chirp_.size();
    line a(m);
    for (size_t k = 0; k < size_t(n_); ++k) a[k] = x[k] * turn_[k];
    inner_[0].run(a);
    for (size_t k = 0; k < m; ++k) a[k] *= chirp_[k];
    inner_[1].run(a);
    for (size_t k = 0; k < size_t(n_); ++k) x[k] = a[k] * turn_[k] / double(m);
  }

 private:
  void recurse(const complex* in, complex* out, long long n, long long stride, size_t level) const {
    if (n == 1) {
      *out = *in;
      return;
    }
    const long long p = factors_[level], m = n / p;
    for (long long r = 0; r < p; ++r) recurse(in + r * stride, out + r * m, m, stride * p, level + 1);
    complex part[64];
    for (long long k = 0; k < m; ++k) {
      for (long long r = 0; r < p; ++r) part[r] = out[r * m + k] * roots_[size_t(r * k * stride % n_)];
      for (long long q = 0; q < p; ++q) {
        complex sum = part[0];
        for (long long r = 1; r < p; ++r) sum += part[r] * roots_[size_t(r * q % p * (n_ / p))];
        out[q * m + k] = sum;
      }
    }
  }
  void bluestein() {
    size_t m = 1;
    while (m < size_t(2 * n_ - 1)) m *= 2;
    chirp_.assign(m, 0);
    turn_.resize(size_t(n_));
    for (long long k = 0; k < n_; ++k) {
      turn_[size_t(k)] = root(k * k % (2 * n_), 2 * n_, sign_);
      const complex c = std::conj(turn_[size_t(k)]);
      chirp_[size_t(k)] = c;
      if (k) chirp_[m - size_t(k)] = c;
    }
    inner_.emplace_back((long long)m, -1);
    inner_.emplace_back((long long)m, 1);
    inner_[0].run(chirp_);
  }

  long long n_;
  int sign_;
  std::vector<long long> factors_;
  line roots_, chirp_, turn_;
  std::vector<plan> inner_;
};

// In place over all axes of a row-major array but those before `first`.
inline void all_axes(line& data, const std::vector<long long>& shape, int sign, size_t axes) {
  for (size_t axis = 0; axis < axes; ++axis) {
    const long long n = shape[axis];
    const plan p(n, sign);
    size_t inner = 1;
    for (size_t a = axis + 1; a < shape.size(); ++a) inner *= size_t(shape[a]);
    const size_t outer = data.size() / inner / size_t(n);
    line one{line(size_t(n))};
    for (size_t o = 0; o < outer; ++o)
      for (size_t i = 0; i < inner; ++i) {
        complex* at = data.data() + o * size_t(n) * inner + i;
        for (size_t k = 0; k < size_t(n); ++k) one[k] = at[k * inner];
        p.run(one);
        for (size_t k = 0; k < size_t(n); ++k) at[k * inner] = one[k];
      }
  }
}

// How one side of a transform lies in memory: element (i0, i1, …) of batch b is at
// b * distance + stride * ((i0 * embed[1] + i1) * embed[2] + …).
struct layout {
  std::vector<long long> embed;
  long long stride = 1, distance = 0;
  size_t at(size_t flat, const std::vector<long long>& shape, long long batch) const {
    long long place = 0, factor = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
      place += (long long)(flat % size_t(shape[axis])) * factor;
      flat /= size_t(shape[axis]);
      factor *= embed[axis];
    }
    return size_t(batch * distance + stride * place);
  }
};

enum class kind { complex_to_complex, real_to_complex, complex_to_real };

struct transform {
  std::vector<long long> shape;  // of the real side, or of both
  kind what = kind::complex_to_complex;
  long long batch = 1;
  bool packed = true;  // without `in` and `out`: lines lie one behind the other
  layout in, out;

  std::vector<long long> half() const {
    auto s = shape;
    s.back() = s.back() / 2 + 1;
    return s;
  }
  static size_t count(const std::vector<long long>& s) {
    size_t n = 1;
    for (long long each : s) n *= size_t(each);
    return n;
  }
  // The usual layouts; a real side in place is padded to the length of the complex one.
  layout usual(bool real_side, bool in_place) const {
    layout l;
    l.embed = real_side || what == kind::complex_to_complex ? shape : half();
    if (real_side && in_place) l.embed.back() = 2 * (shape.back() / 2 + 1);
    l.distance = (long long)count(l.embed);
    return l;
  }

  template <class R>
  void run(const void* source, void* target, int sign) const {
    const bool in_place = source == target;
    const bool from_real = what == kind::real_to_complex, to_real = what == kind::complex_to_real;
    const layout from = packed ? usual(from_real, in_place) : in;
    const layout to = packed ? usual(to_real, in_place) : out;
    const auto* ir = static_cast<const R*>(source);
    auto* r = static_cast<R*>(target);
    const auto h = half();
    std::vector<line> results;
    // In place, batches may lie anywhere in what earlier ones would write: read all of them first.
    for (long long b = 0; b < batch; ++b) {
      const auto& read = to_real ? h : shape;
      line data(count(read));
      for (size_t i = 0; i < data.size(); ++i) {
        const size_t at = from.at(i, read, b);
        data[i] = from_real ? complex(ir[at], 0) : complex(ir[2 * at], ir[2 * at + 1]);
      }
      if (to_real) {
        all_axes(data, h, sign, h.size() - 1);
        line full(count(shape));
        const size_t n = size_t(shape.back()), m = size_t(h.back());
        for (size_t row = 0; row < full.size() / n; ++row)
          for (size_t k = 0; k < n; ++k) {
            complex v = k < m ? data[row * m + k] : std::conj(data[row * m + n - k]);
            if (k == 0 || 2 * k == n) v = v.real();
            full[row * n + k] = v;
          }
        const plan last((long long)n, sign);
        line one(n);
        for (size_t row = 0; row < full.size() / n; ++row) {
          std::copy_n(full.begin() + (long long)(row * n), n, one.begin());
          last.run(one);
          std::copy_n(one.begin(), n, full.begin() + (long long)(row * n));
        }
        data.swap(full);
      } else {
        all_axes(data, shape, sign, shape.size());
      }
      results.push_back(std::move(data));
    }
    for (long long b = 0; b < batch; ++b) {
      const line& data = results[size_t(b)];
      if (to_real) {
        for (size_t i = 0; i < data.size(); ++i) r[to.at(i, shape, b)] = R(data[i].real());
        continue;
      }
      const auto& written = from_real ? h : shape;
      const size_t n = size_t(shape.back()), m = size_t(written.back());
      for (size_t i = 0; i < count(written); ++i) {
        const complex v = data[i / m * n + i % m];
        const size_t at = to.at(i, written, b);
        r[2 * at] = R(v.real());
        r[2 * at + 1] = R(v.imag());
      }
    }
  }
};

}  // namespace pgcpu::fft
