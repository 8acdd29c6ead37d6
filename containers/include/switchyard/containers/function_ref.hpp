// A reference to a callable.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace switchyard {

template <class Signature>
class FunctionRef;

/// Refers to any callable of that signature, for as long as the callable lives: for functions that
/// call what they are given and do not keep it. Allocates nothing. std::function would do, but its
/// header is a fifth of what a program that includes this library compiles.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  /// Of an object: a lambda, a std::function, a function pointer.
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): it is no other FunctionRef
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, FunctionRef> &&
           std::is_object_v<std::remove_reference_t<Function>> &&
           std::is_invocable_r_v<Result, Function&, Arguments...>) FunctionRef(Function&& function)
  noexcept  // NOLINT(google-explicit-constructor): as std::function
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Function>*>(object))(
              std::forward<Arguments>(arguments)...);
        }) {}

  /// Calls it.
  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace switchyard
