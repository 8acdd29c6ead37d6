// Includes every header that a program needs.
#pragma once

// First and alone, so that no other errors hide its own.
#include <switchyard/containers/language.hpp>

#if __cplusplus >= 202002L
#include <switchyard/backends/reference.hpp>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/generate.hpp>
#include <switchyard/containers/log.hpp>
#include <switchyard/containers/matrix_file.hpp>
#include <switchyard/containers/matrix_market.hpp>
#include <switchyard/containers/multi_vector.hpp>
#include <switchyard/containers/vector.hpp>
#include <switchyard/core/gmatrix.hpp>
#include <switchyard/core/matrix_operations.hpp>
#include <switchyard/core/runtime.hpp>
#include <switchyard/core/skeletons.hpp>
#include <switchyard/core/vector_operations.hpp>
#endif

/// The public interface of Switchyard.
namespace switchyard {}
