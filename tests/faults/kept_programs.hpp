// One context and one build of each program for all runs of a test: drivers take long to build.
#pragma once

#include <map>
#include <string>

#include "faults/fault_state.hpp"

namespace switchyard::testing {

/// Stands for the driver where it creates contexts and builds programs. A program that was built
/// before is an alias of the first. Not synchronised: for calls of one thread.
class KeptPrograms {
 public:
  template <class Callback>
  cl_context context(const cl_context_properties* properties, cl_uint count,
                     const cl_device_id* devices, Callback callback, void* data, cl_int* code) {
    if (!context_) {
      context_ = layer().next.clCreateContext(properties, count, devices, callback, data, code);
    } else if (code) {
      *code = CL_SUCCESS;
    }
    return retained(context_);
  }
  cl_program with_source(cl_context context, cl_uint count, const char** texts,
                         const size_t* lengths, cl_int* code) {
    const cl_program made =
        layer().next.clCreateProgramWithSource(context, count, texts, lengths, code);
    std::string& source = sources_[made];
    source.clear();
    for (cl_uint i = 0; i < count; ++i) {
      source += lengths && lengths[i] != 0 ? std::string(texts[i], lengths[i]) : texts[i];
    }
    aliases_.erase(made);
    return made;
  }
  template <class Callback>
  cl_int build(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
               Callback callback, void* data) {
    const auto source = sources_.find(program);
    if (source == sources_.end()) {
      return layer().next.clBuildProgram(program, count, devices, options, callback, data);
    }
    cl_program& first = built_[source->second + options];
    if (first) {
      aliases_[program] = first;
      return CL_SUCCESS;
    }
    const cl_int code =
        layer().next.clBuildProgram(program, count, devices, options, callback, data);
    if (code == CL_SUCCESS && layer().next.clRetainProgram(program) == CL_SUCCESS) first = program;
    return code;
  }
  /// Programs made of binaries are the driver's affair, whatever stood at their address before.
  template <class... Arguments>
  cl_program with_binary(Arguments... arguments) {
    const cl_program made = layer().next.clCreateProgramWithBinary(arguments...);
    sources_.erase(made);
    aliases_.erase(made);
    return made;
  }
  /// The program that was really built.
  [[nodiscard]] cl_program built(cl_program program) const {
    const auto alias = aliases_.find(program);
    return alias == aliases_.end() ? program : alias->second;
  }

 private:
  static cl_context retained(cl_context context) {
    if (context) static_cast<void>(layer().next.clRetainContext(context));
    return context;
  }

  cl_context context_ = nullptr;
  std::map<cl_program, std::string> sources_;
  std::map<std::string, cl_program> built_;
  std::map<cl_program, cl_program> aliases_;
};

inline KeptPrograms& kept_programs() {
  static auto* const kept = new KeptPrograms;
  return *kept;
}

}  // namespace switchyard::testing
