// Dense linear algebra on column-major matrices, in double inside: factorisations, eigenvalues, singular values.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace pgcpu::solver {

using array = std::vector<double>;  // column-major, leading dimension = rows

template <class T>
array read(const T* a, int lda, int rows, int columns) {
  array m(size_t(rows) * size_t(columns));
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) m[size_t(j) * size_t(rows) + size_t(i)] = a[(long long)j * lda + i];
  return m;
}
template <class T>
void write(const array& m, T* a, int lda, int rows, int columns) {
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) a[(long long)j * lda + i] = T(m[size_t(j) * size_t(rows) + size_t(i)]);
}

// Cholesky of one triangle; the other one is not touched. Returns 0, or the first bad leading minor.
template <class T>
int potrf(bool upper, int n, T* a, int lda) {
  auto at = [&](int i, int j) -> T& { return upper ? a[(long long)i * lda + j] : a[(long long)j * lda + i]; };
  for (int j = 0; j < n; ++j) {
    double d = at(j, j);
    for (int k = 0; k < j; ++k) d -= double(at(j, k)) * at(j, k);
    if (!(d > 0)) return j + 1;
    const double root = std::sqrt(d);
    at(j, j) = T(root);
    for (int i = j + 1; i < n; ++i) {
      double s = at(i, j);
      for (int k = 0; k < j; ++k) s -= double(at(i, k)) * at(j, k);
      at(i, j) = T(s / root);
    }
  }
  return 0;
}
// x = T^-1 x for a triangle: `transposed` solves with its transpose, `unit` has ones on the diagonal.
template <class T>
void triangle(bool upper, bool transposed, bool unit, int n, const T* a, int lda, double* x) {
  const bool forward = upper == transposed;
  for (int step = 0; step < n; ++step) {
    const int i = forward ? step : n - 1 - step;
    double s = x[i];
    const int from = forward ? 0 : i + 1, to = forward ? i : n;
    for (int k = from; k < to; ++k) s -= double(transposed ? a[(long long)i * lda + k] : a[(long long)k * lda + i]) * x[k];
    x[i] = unit ? s : s / a[(long long)i * lda + i];
  }
}
template <class T>
void potrs(bool upper, int n, int count, const T* a, int lda, T* b, int ldb) {
  array x(size_t(n), 0.0);
  for (int c = 0; c < count; ++c) {
    std::copy_n(b + (long long)c * ldb, n, x.begin());
    triangle(upper, upper, false, n, a, lda, x.data());
    triangle(upper, !upper, false, n, a, lda, x.data());
    for (int i = 0; i < n; ++i) b[(long long)c * ldb + i] = T(x[size_t(i)]);
  }
}
// LU with row exchanges (without them when `pivots` is null). Returns 0, or the first zero pivot.
template <class T>
int getrf(int m, int n, T* a, int lda, int* pivots) {
  array w = read(a, lda, m, n);
  auto at = [&](int i, int j) -> double& { return w[size_t(j) * size_t(m) + size_t(i)]; };
  int info = 0;
  for (int k = 0; k < std::min(m, n); ++k) {
    int p = k;
    if (pivots) {
      for (int i = k + 1; i < m; ++i)
        if (std::fabs(at(i, k)) > std::fabs(at(p, k))) p = i;
      pivots[k] = p + 1;
      if (p != k)
        for (int j = 0; j < n; ++j) std::swap(at(p, j), at(k, j));
    }
    if (at(k, k) == 0) {
      if (!info) info = k + 1;
      continue;
    }
    for (int i = k + 1; i < m; ++i) {
      const double f = at(i, k) /= at(k, k);
      for (int j = k + 1; j < n; ++j) at(i, j) -= f * at(k, j);
    }
  }
  write(w, a, lda, m, n);
  return info;
}
template <class T>
void getrs(bool transposed, int n, int count, const T* a, int lda, const int* pivots, T* b, int ldb) {
  array x(size_t(n), 0.0);
  for (int c = 0; c < count; ++c) {
    std::copy_n(b + (long long)c * ldb, n, x.begin());
    if (!transposed) {
      for (int k = 0; pivots && k < n; ++k) std::swap(x[size_t(k)], x[size_t(pivots[k] - 1)]);
      triangle(false, false, true, n, a, lda, x.data());
      triangle(true, false, false, n, a, lda, x.data());
    } else {
      triangle(true, true, false, n, a, lda, x.data());
      triangle(false, true, true, n, a, lda, x.data());
      for (int k = n; pivots && k-- > 0;) std::swap(x[size_t(k)], x[size_t(pivots[k] - 1)]);
    }
    for (int i = 0; i < n; ++i) b[(long long)c * ldb + i] = T(x[size_t(i)]);
  }
}
// QR by Householder reflections, stored as LAPACK does: v below the diagonal, factors in tau.
template <class T>
void geqrf(int m, int n, T* a, int lda, T* tau) {
  array w = read(a, lda, m, n);
  auto at = [&](int i, int j) -> double& { return w[size_t(j) * size_t(m) + size_t(i)]; };
  for (int k = 0; k < std::min(m, n); ++k) {
    double below = 0;
    for (int i = k + 1; i < m; ++i) below = std::hypot(below, at(i, k));
    if (below == 0) {
      tau[k] = T(0);
      continue;
    }
    const double alpha = at(k, k), beta = -std::copysign(std::hypot(alpha, below), alpha), t = (beta - alpha) / beta;
    for (int i = k + 1; i < m; ++i) at(i, k) /= alpha - beta;
    at(k, k) = beta;
    tau[k] = T(t);
    for (int j = k + 1; j < n; ++j) {
      double s = at(k, j);
      for (int i = k + 1; i < m; ++i) s += at(i, k) * at(i, j);
      at(k, j) -= t * s;
      for (int i = k + 1; i < m; ++i) at(i, j) -= t * s * at(i, k);
    }
  }
  write(w, a, lda, m, n);
}
// c = Q c, Q^T c (left) or c Q, c Q^T, with Q of `k` reflections.
template <class T>
void apply_q(bool left, bool transposed, int m, int n, int k, const T* a, int lda, const T* tau, array& c) {
  const int size = left ? m : n;
  const bool ascending = left == transposed;
  for (int step = 0; step < k; ++step) {
    const int r = ascending ? step : k - 1 - step;
    auto v = [&](int i) { return i == r ? 1.0 : double(a[(long long)r * lda + i]); };
    for (int line = 0; line < (left ? n : m); ++line) {
      auto at = [&](int i) -> double& {
        return left ? c[size_t(line) * size_t(m) + size_t(i)] : c[size_t(i) * size_t(m) + size_t(line)];
      };
      double s = 0;
      for (int i = r; i < size; ++i) s += v(i) * at(i);
      for (int i = r; i < size; ++i) at(i) -= double(tau[r]) * s * v(i);
    }
  }
}
template <class T>
void ormqr(bool left, bool transposed, int m, int n, int k, const T* a, int lda, const T* tau, T* c, int ldc) {
  array w = read(c, ldc, m, n);
  apply_q(left, transposed, m, n, k, a, lda, tau, w);
  write(w, c, ldc, m, n);
}
template <class T>
void orgqr(int m, int n, int k, T* a, int lda, const T* tau) {
  array q(size_t(m) * size_t(n), 0.0);
  for (int i = 0; i < n; ++i) q[size_t(i) * size_t(m) + size_t(i)] = 1;
  apply_q(true, false, m, n, k, a, lda, tau, q);
  write(q, a, lda, m, n);
}
// Eigenvalues of a symmetric matrix by Jacobi's rotations, ascending; a becomes the vectors when asked for.
template <class T>
void syevd(bool vectors, bool upper, int n, T* a, int lda, T* w) {
  array s(size_t(n) * size_t(n)), v(s.size(), 0.0);
  auto at = [&](int i, int j) -> double& { return s[size_t(j) * size_t(n) + size_t(i)]; };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const bool stored = upper ? i <= j : i >= j;
      at(i, j) = stored ? a[(long long)j * lda + i] : a[(long long)i * lda + j];
    }
  for (int i = 0; i < n; ++i) v[size_t(i) * size_t(n) + size_t(i)] = 1;
  for (int sweep = 0; sweep < 100; ++sweep) {
    double off = 0, all = 0;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) (i == j ? all : off) += at(i, j) * at(i, j);
    if (off <= 1e-32 * (all + off)) break;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        if (at(p, q) == 0) continue;
        const double theta = (at(q, q) - at(p, p)) / (2 * at(p, q));
        const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::hypot(theta, 1.0));
        const double c = 1 / std::hypot(t, 1.0), d = t * c;
        for (int k = 0; k < n; ++k) {
          const double x = at(k, p), y = at(k, q);
          at(k, p) = c * x - d * y;
          at(k, q) = d * x + c * y;
        }
        for (int k = 0; k < n; ++k) {
          const double x = at(p, k), y = at(q, k);
          at(p, k) = c * x - d * y;
          at(q, k) = d * x + c * y;
          double &e = v[size_t(p) * size_t(n) + size_t(k)], &f = v[size_t(q) * size_t(n) + size_t(k)];
          const double u = e, z = f;
          e = c * u - d * z;
          f = d * u + c * z;
        }
      }
  }
  std::vector<int> order(size_t(n), 0);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int i, int j) { return at(i, i) < at(j, j); });
  for (int j = 0; j < n; ++j) {
    w[j] = T(at(order[size_t(j)], order[size_t(j)]));
    for (int i = 0; vectors && i < n; ++i) a[(long long)j * lda + i] = T(v[size_t(order[size_t(j)]) * size_t(n) + size_t(i)]);
  }
}
// Singular values, descending, by one-sided Jacobi: a = U diag(s) VT. `u` has `left` columns (0, n or m), `vt`
// has `right` rows (0 or n); m >= n.
template <class T>
void gesvd(int m, int n, T* a, int lda, T* s, T* u, int ldu, int left, T* vt, int ldvt, int right) {
  array w = read(a, lda, m, n), v(size_t(n) * size_t(n), 0.0);
  for (int i = 0; i < n; ++i) v[size_t(i) * size_t(n) + size_t(i)] = 1;
  auto rotate = [](double* x, double* y, int count, double c, double d) {
    for (int k = 0; k < count; ++k) {
      const double e = x[k], f = y[k];
      x[k] = c * e - d * f;
      y[k] = d * e + c * f;
    }
  };
  bool again = true;
  for (int sweep = 0; again && sweep < 100; ++sweep) {
    again = false;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        double *x = &w[size_t(p) * size_t(m)], *y = &w[size_t(q) * size_t(m)], xx = 0, yy = 0, xy = 0;
        for (int k = 0; k < m; ++k) xx += x[k] * x[k], yy += y[k] * y[k], xy += x[k] * y[k];
        if (std::fabs(xy) <= 1e-15 * std::sqrt(xx * yy) || xy == 0) continue;
        again = true;
        const double theta = (yy - xx) / (2 * xy);
        const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::hypot(theta, 1.0));
        const double c = 1 / std::hypot(t, 1.0);
        rotate(x, y, m, c, t * c);
        rotate(&v[size_t(p) * size_t(n)], &v[size_t(q) * size_t(n)], n, c, t * c);
      }
  }
  array norm(size_t(n), 0.0);
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < m; ++k) norm[size_t(j)] = std::hypot(norm[size_t(j)], w[size_t(j) * size_t(m) + size_t(k)]);
  std::vector<int> order(size_t(n), 0);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int i, int j) { return norm[size_t(i)] > norm[size_t(j)]; });
  array q;  // left vectors; what is missing is made orthogonal to the others
  for (int j = 0; j < left; ++j) {
    array c(size_t(m), 0.0);
    const bool from_a = j < n && norm[size_t(order[size_t(j)])] > 1e-300;
    for (int attempt = 0; attempt < (from_a ? 1 : m); ++attempt) {
      if (from_a)
        for (int k = 0; k < m; ++k)
          c[size_t(k)] = w[size_t(order[size_t(j)]) * size_t(m) + size_t(k)] / norm[size_t(order[size_t(j)])];
      else
        std::fill(c.begin(), c.end(), 0.0), c[size_t(attempt)] = 1;
      for (int twice = 0; twice < 2 && !from_a; ++twice)
        for (int b = 0; b < j; ++b) {
          double d = 0;
          for (int k = 0; k < m; ++k) d += q[size_t(b) * size_t(m) + size_t(k)] * c[size_t(k)];
          for (int k = 0; k < m; ++k) c[size_t(k)] -= d * q[size_t(b) * size_t(m) + size_t(k)];
        }
      double length = 0;
      for (double x : c) length = std::hypot(length, x);
      if (length < 0.1) continue;
      for (double& x : c) x /= length;
      break;
    }
    q.insert(q.end(), c.begin(), c.end());
  }
  for (int j = 0; j < n; ++j) s[j] = T(norm[size_t(order[size_t(j)])]);
  if (left) write(q, u, ldu, m, left);
  for (int j = 0; j < right; ++j)
    for (int i = 0; i < n; ++i) vt[(long long)i * ldvt + j] = T(v[size_t(order[size_t(j)]) * size_t(n) + size_t(i)]);
}

}  // namespace pgcpu::solver
