# As a script (cmake -P), writes the text of OpenCL kernels, FILES, to OUTPUT as C++ in which warp.hpp has
# declared what they call: local memory is what the threads of a group share, vectors are made by
# constructors, and PTX is left out.
set(all "")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  string(APPEND all "${text}\n")
endforeach()
string(REGEX REPLACE "\n( +)__local ([A-Za-z0-9]+ [a-z_]+(\\[[^;]*)?;)" "\n\\1static \\2" all "${all}")
string(REGEX REPLACE "\\((REAL[24])\\)\\(" "\\1(" all "${all}")
string(REGEX REPLACE "([a-z]+)\\.s01" "REAL2(\\1.s0, \\1.s1)" all "${all}")
string(REGEX REPLACE "([a-z]+)\\.s23" "REAL2(\\1.s2, \\1.s3)" all "${all}")
string(REGEX REPLACE "static uint seen_in\\(__global const uint\\* word\\) {\n  uint seen;[^}]*}"
                     "static uint seen_in(const uint* word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }"
                     all "${all}")
file(WRITE ${OUTPUT} "${all}")
