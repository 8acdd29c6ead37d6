// Says what is wrong where a compiler is asked for an older language.
#pragma once

#if defined(__cplusplus) && __cplusplus < 202002L
#error "Switchyard needs C++20: compile with -std=c++20, or in CMake set(CMAKE_CXX_STANDARD 20)"
#endif
