// The CUDA runtime as far as its libraries need it, loaded at run time.
#pragma once

#include "dynamic_library.hpp"
#include "peer.hpp"

namespace switchyard::command::bench {

// Values of cudaDataType in library_types.h.
template <Element T>
inline constexpr int cuda_type = std::same_as<T, float> ? 0 : 1;

/// The functions used. One object for the process; errors throw `Error(Unsupported)`.
class Cuda {
 public:
  /// Throws where there is no runtime, no driver or no device.
  [[nodiscard]] static const Cuda& runtime();

  [[nodiscard]] std::string version() const;
  [[nodiscard]] void* allocate(std::size_t bytes) const;
  void release(void* allocation) const noexcept { free_(allocation); }
  void copy_in(void* device, const void* host, std::size_t bytes) const;
  void copy_out(void* host, const void* device, std::size_t bytes) const;
  void finish() const;

 private:
  Cuda();
  void check(int status, const char* what) const;

  DynamicLibrary library_;
  int (*malloc_)(void** allocation, std::size_t bytes);
  int (*free_)(void* allocation);
  int (*memcpy_)(void* to, const void* from, std::size_t bytes, int kind);
  int (*synchronize_)();
  const char* (*error_text_)(int error);
};

/// Device memory of its own.
class CudaArray {
 public:
  explicit CudaArray(std::size_t bytes)
      : bytes_(bytes), data_(Cuda::runtime().allocate(std::max<std::size_t>(bytes, 1))) {}
  template <class T>
  explicit CudaArray(std::span<const T> values) : CudaArray(values.size_bytes()) {
    Cuda::runtime().copy_in(data_, values.data(), values.size_bytes());
  }
  ~CudaArray() { Cuda::runtime().release(data_); }
  CudaArray(const CudaArray&) = delete;
  CudaArray& operator=(const CudaArray&) = delete;

  [[nodiscard]] void* data() const noexcept { return data_; }
  void copy_out(void* host) const { Cuda::runtime().copy_out(host, data_, bytes_); }

 private:
  std::size_t bytes_;
  void* data_;
};

}  // namespace switchyard::command::bench
