// Thrust's random numbers and complex numbers. Included by thrust.h.
#pragma once

namespace thrust {

// ---- random ----
namespace random {
using minstd_rand = std::minstd_rand;
using minstd_rand0 = std::minstd_rand0;
using default_random_engine = std::minstd_rand;
using ranlux24 = std::ranlux24;
using ranlux48 = std::ranlux48;
using taus88 = std::mt19937;
template <class R = double>
class uniform_real_distribution {
 public:
  explicit uniform_real_distribution(R a = 0, R b = 1) : a_(a), b_(b) {}
  template <class G>
  R operator()(G& g) const {
    const R r = R(g() - G::min()) / (R(1) + R(G::max() - G::min()));
    return r * (b_ - a_) + a_;
  }

 private:
  R a_, b_;
};
template <class I = int>
class uniform_int_distribution {
 public:
  explicit uniform_int_distribution(I a = 0, I b = std::numeric_limits<I>::max()) : a_(a), b_(b) {}
  template <class G>
  I operator()(G& g) const {
    return I(uniform_real_distribution<double>(double(a_), double(b_) + 1)(g));
  }

 private:
  I a_, b_;
};
template <class R = double>
using normal_distribution = std::normal_distribution<R>;
}  // namespace random
using namespace random;

// ---- complex ----
template <class T>
using complex = std::complex<T>;
using std::abs;
using std::arg;
using std::conj;
using std::exp;
using std::log;
using std::norm;
using std::polar;
using std::pow;
using std::sqrt;

}  // namespace thrust
