// Vectors of OpenCL C, as far as kernels for many columns need them.
#pragma once

namespace {

template <class T>
struct Two {
  T s0, s1;
  Two(T s = 0) : s0(s), s1(s) {}
  Two(T low, T high) : s0(low), s1(high) {}
};

template <class T>
struct Four {
  T s0, s1, s2, s3;
  Four(T s = 0) : s0(s), s1(s), s2(s), s3(s) {}
  Four(T a, T b, T c, T d) : s0(a), s1(b), s2(c), s3(d) {}
  Four(Two<T> low, T c, T d) : s0(low.s0), s1(low.s1), s2(c), s3(d) {}
  Four(Two<T> low, Two<T> high) : s0(low.s0), s1(low.s1), s2(high.s0), s3(high.s1) {}
};

template <class T>
Two<T> operator+(Two<T> a, Two<T> b) {
  return {a.s0 + b.s0, a.s1 + b.s1};
}
template <class T>
Two<T> operator*(T scalar, Two<T> a) {
  return {scalar * a.s0, scalar * a.s1};
}
template <class T>
Four<T> operator+(Four<T> a, Four<T> b) {
  return {a.s0 + b.s0, a.s1 + b.s1, a.s2 + b.s2, a.s3 + b.s3};
}
template <class T>
Four<T>& operator+=(Four<T>& a, Four<T> b) {
  return a = a + b;
}
template <class T>
Four<T> operator*(T scalar, Four<T> a) {
  return {scalar * a.s0, scalar * a.s1, scalar * a.s2, scalar * a.s3};
}

using float2 = Two<float>;
using double2 = Two<double>;
using int4 = Four<int>;

}  // namespace
