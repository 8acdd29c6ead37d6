// What stands before each entry point: it fails where it is to, and counts what the driver makes.
#pragma once

#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "faults/fault_state.hpp"
#include "faults/kept_programs.hpp"

namespace switchyard::testing {

/// A pointer to a member of the dispatch table as a type, so that two can be compared.
template <auto entry>
struct Constant {};
template <auto a, auto b>
constexpr bool is_same_entry = std::is_same_v<Constant<a>, Constant<b>>;
template <auto a, auto... others>
constexpr bool is_one_of = (is_same_entry<a, others> || ...);

template <class T>
void set_code(T, cl_int) {}
inline void set_code(cl_int* code, cl_int value) {
  if (code) *code = value;
}

/// What a call gives back that fails with `code`: the code, or nothing and the code through the
/// last argument.
template <class Result, class... Arguments>
Result failed(cl_int code, Arguments... arguments) {
  if constexpr (std::is_same_v<Result, cl_int>) {
    return code;
  } else {
    (set_code(arguments, code), ...);
    return nullptr;
  }
}

template <auto entry>
constexpr bool is_release =
    is_one_of<entry, &Dispatch::clReleaseContext, &Dispatch::clReleaseCommandQueue,
              &Dispatch::clReleaseMemObject, &Dispatch::clReleaseProgram,
              &Dispatch::clReleaseKernel, &Dispatch::clReleaseEvent, &Dispatch::clReleaseDevice>;
template <auto entry>
constexpr bool is_retain =
    is_one_of<entry, &Dispatch::clRetainContext, &Dispatch::clRetainCommandQueue,
              &Dispatch::clRetainMemObject, &Dispatch::clRetainProgram, &Dispatch::clRetainKernel,
              &Dispatch::clRetainEvent>;
template <auto entry>
constexpr bool asks_program =
    is_one_of<entry, &Dispatch::clCreateKernel, &Dispatch::clCreateKernelsInProgram,
              &Dispatch::clGetProgramInfo, &Dispatch::clGetProgramBuildInfo>;
template <auto entry>
constexpr bool is_copy =
    is_one_of<entry, &Dispatch::clEnqueueReadBuffer, &Dispatch::clEnqueueWriteBuffer>;
template <auto entry>
constexpr bool is_command =
    is_copy<entry> || is_same_entry<entry, &Dispatch::clEnqueueNDRangeKernel>;

/// Whether this call returns only when everything before it is done.
template <auto entry, class... Arguments>
bool waits(const Arguments&... arguments) {
  if constexpr (is_one_of<entry, &Dispatch::clFinish, &Dispatch::clWaitForEvents>) {
    return true;
  } else if constexpr (is_copy<entry> || is_same_entry<entry, &Dispatch::clEnqueueMapBuffer>) {
    return std::get<2>(std::tie(arguments...)) == CL_TRUE;
  } else {
    return false;
  }
}

/// Counts the event that a command was asked for.
template <class T>
void note_event(T) {}
inline void note_event(cl_event* event) {
  if (event && *event) layer().add(*event, &LiveObjects::events);
}

template <class Handle>
constexpr auto kind_of() {
  if constexpr (std::is_same_v<Handle, cl_context>) return &LiveObjects::contexts;
  if constexpr (std::is_same_v<Handle, cl_command_queue>) return &LiveObjects::queues;
  if constexpr (std::is_same_v<Handle, cl_mem>) return &LiveObjects::buffers;
  if constexpr (std::is_same_v<Handle, cl_program>) return &LiveObjects::programs;
  if constexpr (std::is_same_v<Handle, cl_kernel>) return &LiveObjects::kernels;
}

/// Counts what a call that succeeded has made or given back.
template <auto entry, class Result, class... Arguments>
void note(const Result& result, const Arguments&... arguments) {
  const auto given = std::tie(arguments...);
  if constexpr (is_retain<entry>) {
    ++layer().objects.at(std::get<0>(given)).references;
  } else if constexpr (is_release<entry>) {
    layer().remove(std::get<0>(given));
  } else if constexpr (is_same_entry<entry, &Dispatch::clCreateBuffer>) {
    layer().add(result, &LiveObjects::buffers, std::get<2>(given));
  } else if constexpr (is_same_entry<entry, &Dispatch::clCreateKernelsInProgram>) {
    for (cl_uint i = 0; std::get<2>(given) && i < std::get<1>(given); ++i) {
      layer().add(std::get<2>(given)[i], &LiveObjects::kernels);
    }
  } else if constexpr (!std::is_same_v<Result, cl_int> && !std::is_same_v<Result, void*>) {
    layer().add(result, kind_of<Result>());
  }
  (note_event(arguments), ...);
}

/// What the limits of the disguise say of a new buffer.
inline cl_int refusal_of(std::size_t bytes) {
  const Disguise& disguise = layer().disguise;
  if (disguise.largest_allocation != 0 && bytes > disguise.largest_allocation) {
    return CL_INVALID_BUFFER_SIZE;
  }
  const bool too_much =
      disguise.total_allocation != 0 && layer().bytes + bytes > disguise.total_allocation;
  return too_much ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS;
}

/// Answers a question about the device as the disguise has it.
inline void pretend(cl_device_info question, void* answer) {
  const Disguise& disguise = layer().disguise;
  const auto say = [&](const auto& value) { std::memcpy(answer, &value, sizeof value); };
  if (!answer) return;
  const bool gpu = disguise.discrete_gpu || disguise.shared_gpu;
  if (gpu && question == CL_DEVICE_TYPE) say(cl_device_type{CL_DEVICE_TYPE_GPU});
  if (gpu && question == CL_DEVICE_HOST_UNIFIED_MEMORY) {
    say(static_cast<cl_bool>(disguise.shared_gpu ? CL_TRUE : CL_FALSE));
  }
  if (disguise.largest_allocation != 0 && question == CL_DEVICE_MAX_MEM_ALLOC_SIZE) {
    say(cl_ulong{disguise.largest_allocation});
  }
}

/// Leaves a command undone, and gives whoever wants its event one.
template <class... Arguments>
cl_int leave_undone(Arguments... arguments) {
  const auto given = std::tie(arguments...);
  cl_event* const event = std::get<sizeof...(Arguments) - 1>(given);
  if (!event) return CL_SUCCESS;
  return layer().next.clEnqueueMarkerWithWaitList(std::get<0>(given), 0, nullptr, event);
}

/// Whether the call is to fail now; a command that is to fail late is `undone` instead.
template <auto entry, class... Arguments>
bool must_fail(std::string_view name, bool& undone, const Arguments&... arguments) {
  Layer& state = layer();
  const bool tells = waits<entry>(arguments...) && state.tells();
  if (tells) return true;
  if (!state.plan.late || state.broken) return state.fails(name);
  if constexpr (is_command<entry>) {
    if (!state.fails_late()) return false;
    // Whoever waits for the very command is told at once.
    if (waits<entry>(arguments...)) return state.tells();
    undone = true;
  }
  return false;
}

/// Stands in the dispatch table for `entry`.
template <auto entry>
struct Wrapper;
template <class Result, class... Arguments, Result (CL_API_CALL* Dispatch::*entry)(Arguments...)>
struct Wrapper<entry> {
  static inline const char* name = nullptr;

  static Result CL_API_CALL call(Arguments... arguments) {
    Layer& state = layer();
    bool undone = false;
    cl_int code = CL_SUCCESS;
    {
      const std::lock_guard lock(state.mutex);
      if (must_fail<entry>(name, undone, arguments...)) code = state.plan.code;
      if constexpr (is_same_entry<entry, &Dispatch::clCreateBuffer>) {
        if (code == CL_SUCCESS) code = refusal_of(std::get<2>(std::tie(arguments...)));
      }
    }
    if (code != CL_SUCCESS) {
      if constexpr (is_release<entry>) give_up(arguments...);
      // What stays mapped, the driver would keep for ever.
      if constexpr (is_same_entry<entry, &Dispatch::clEnqueueUnmapMemObject>) {
        static_cast<void>((state.next.*entry)(arguments...));
      }
      return failed<Result>(code, arguments...);
    }
    const Result result = forward(undone, arguments...);
    const std::lock_guard lock(state.mutex);
    if (succeeded(result)) note<entry>(result, arguments...);
    if constexpr (is_same_entry<entry, &Dispatch::clGetDeviceInfo>) {
      if (result == CL_SUCCESS)
        std::apply([](auto, auto question, auto, auto answer, auto) { pretend(question, answer); },
                   std::tie(arguments...));
    }
    return result;
  }

 private:
  template <class Handle>
  static void give_up(Handle handle) {
    const std::lock_guard lock(layer().mutex);
    layer().give_up(handle, [](void* given_up) {
      return (layer().next.*entry)(static_cast<Handle>(given_up));
    });
  }
  static Result forward(bool undone, Arguments... arguments) {
    const auto& driver = layer().next.*entry;
    if constexpr (is_command<entry>) {
      return undone ? leave_undone(arguments...) : driver(arguments...);
    } else if constexpr (is_same_entry<entry, &Dispatch::clCreateContext>) {
      return kept_programs().context(arguments...);
    } else if constexpr (is_same_entry<entry, &Dispatch::clCreateProgramWithSource>) {
      return kept_programs().with_source(arguments...);
    } else if constexpr (is_same_entry<entry, &Dispatch::clCreateProgramWithBinary>) {
      return kept_programs().with_binary(arguments...);
    } else if constexpr (is_same_entry<entry, &Dispatch::clBuildProgram>) {
      return kept_programs().build(arguments...);
    } else if constexpr (asks_program<entry>) {
      return std::apply(
          [&](cl_program program, auto... rest) {
            return driver(kept_programs().built(program), rest...);
          },
          std::make_tuple(arguments...));
    } else {
      return driver(arguments...);
    }
  }
  static bool succeeded(Result result) {
    if constexpr (std::is_same_v<Result, cl_int>)
      return result == CL_SUCCESS;
    else
      return result != nullptr;
  }
};

}  // namespace switchyard::testing
