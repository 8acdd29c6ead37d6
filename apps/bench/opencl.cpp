// Finding the context behind an executor.
#include "opencl.hpp"

#include <switchyard/containers/array.hpp>

namespace switchyard::command::bench {

PlainOpenCl plain_opencl(Executor& executor) {
  // An array's handle is its cl_mem, which knows where it came from.
  const Array<float> something(16, executor.memory());
  const auto context = buffer_of(something.handle()).getInfo<CL_MEM_CONTEXT>();
  const auto device = context.getInfo<CL_CONTEXT_DEVICES>().front();
  return {context, device, cl::CommandQueue(context, device)};
}

}  // namespace switchyard::command::bench
