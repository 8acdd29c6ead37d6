// The states that tests name most.
#pragma once

#include <switchyard/containers/state.hpp>

namespace switchyard::testing {

inline constexpr State dense_host{Space::host(), Format::Dense};
inline constexpr State csr_host{Space::host(), Format::Csr};
inline constexpr State dense_device{Space::device(0), Format::Dense};
inline constexpr State csr_device{Space::device(0), Format::Csr};

}  // namespace switchyard::testing
