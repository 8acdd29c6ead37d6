// How many threads of the host a copy to or from a device is worth.
#pragma once

#include <switchyard/containers/numbers.hpp>

namespace switchyard {

/// One more thread takes part for so many bytes, about: handing out a smaller share costs more than
/// copying it.
inline constexpr Index bytes_per_copying_thread = Index{256} << 10;

}  // namespace switchyard
