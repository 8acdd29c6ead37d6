// An attribute for loops that gain from the vectors of AVX2, in a library for every x86-64.
#pragma once

#include <cstddef>  // says whether the C library is glibc

/// Before a function that is no member: compiles it for AVX2 too. Which one is called is decided
/// when the library is loaded. Only what is inlined into it is compiled with it. Nothing where the
/// compiler or the processor has no such thing: clang's thread sanitizer instruments the decision
/// itself, and other C libraries know no such decision.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define SWITCHYARD_ALSO_AVX2 [[gnu::target_clones("avx2", "default")]]
#else
#define SWITCHYARD_ALSO_AVX2
#endif
