// The runtime: the devices, the machine's profile, the memory budgets.
#pragma once

#include <memory>
#include <span>
#include <switchyard/backends/executor.hpp>
#include <switchyard/containers/formats.hpp>
#include <switchyard/core/counters.hpp>
#include <switchyard/core/gmatrix.hpp>
#include <switchyard/core/options.hpp>
#include <switchyard/core/planner.hpp>
#include <switchyard/models/profile.hpp>
#include <vector>

namespace switchyard {

class RuntimeState;

/// A question to the planner about a matrix that need not exist: a `Situation` without the machine.
struct PlanQuestion {
  Structure structure = {};                                     ///< of the matrix
  Precision precision = Precision::Float;                       ///< of its elements
  std::vector<State> valid{State{Space::host(), Format::Csr}};  ///< the states that hold it
  Index calls = 1;                                              ///< the number of calls planned for
  VectorTraffic vectors = {};                                   ///< where x and y are and will be
  Request request = {};                                         ///< what is asked of the matrix
  std::optional<State> pinned = {};  ///< never left out for its size; others remain
};

/// The devices of this machine, its profile and its budgets. Matrices made from a runtime share it
/// and keep it alive. A program usually has one. Threads: all members may be called from any
/// thread.
///
/// Fork: a child process may use and destroy everything that its parent made, on the host, if no
/// other thread was in a call at the fork. Devices that were opened before belong to the parent. In
/// the child they are set aside at the first use, as if they were lost. The child loses data whose
/// only copy was on them, and a new runtime opens none.
class Runtime {
 public:
  /// Reads the options from the environment (see `RuntimeOptions::from_environment`).
  Runtime();
  /// Uses `options` and reads no environment. Throws `Error(InvalidArgument)` if they name no
  /// existing device.
  explicit Runtime(const RuntimeOptions& options);
  ~Runtime();
  /// Takes over the runtime. The other may only be assigned to or destroyed.
  Runtime(Runtime&&) noexcept;
  /// Releases its own runtime, which matrices may keep alive, and takes over the other.
  Runtime& operator=(Runtime&&) noexcept;

  /// Makes a matrix. Its data stays where it is until a plan moves it. Throws
  /// `Error(InvalidArgument)` if the arrays do not fit the shape. REQUIRES: the arrays of a `Csr`
  /// are as its comment says. This is not checked, because reading each element would take a third
  /// of a multiplication. `csr_from_arrays` checks it.
  template <Element T>
  [[nodiscard]] GMatrix<T> matrix(Storage<T> storage) const;
  /// The same for dense data.
  template <Element T>
  [[nodiscard]] GMatrix<T> matrix(Dense<T> dense) const {
    return matrix(Storage<T>(std::move(dense)));
  }
  /// The same for compressed sparse rows.
  template <Element T>
  [[nodiscard]] GMatrix<T> matrix(Csr<T> csr) const {
    return matrix(Storage<T>(std::move(csr)));
  }
  /// Copies row-major data of rows x cols. Throws `Error(DimensionMismatch)` for another size.
  template <Element T>
  [[nodiscard]] GMatrix<T> matrix(Index rows, Index cols, std::span<const T> row_major) const;
  /// From triplets in any order. Duplicates are summed. Throws what `csr_from_triplets` throws.
  template <Element T>
  [[nodiscard]] GMatrix<T> matrix(Index rows, Index cols,
                                  std::span<const Triplet<T>> triplets) const {
    return matrix(csr_from_triplets(rows, cols, triplets));
  }
  /// The same two from a vector or other array, which says the element type:
  /// `runtime.matrix(2, 2, std::vector<float>{1, 0, 0, 1})`.
  template <ContiguousArray Elements>
  requires Element<std::ranges::range_value_t<Elements>>
  [[nodiscard]] GMatrix<std::ranges::range_value_t<Elements>> matrix(
      Index rows, Index cols, const Elements& row_major) const {
    using T = std::ranges::range_value_t<Elements>;
    return matrix(rows, cols, std::span<const T>(row_major));
  }
  /// See above.
  template <Element T>
  [[nodiscard]] GMatrix<T> matrix(Index rows, Index cols,
                                  const std::vector<Triplet<T>>& triplets) const {
    return matrix(rows, cols, std::span<const Triplet<T>>(triplets));
  }

  /// The executors of the host and the OpenCL devices, by `Space::index()`.
  [[nodiscard]] const std::vector<std::shared_ptr<Executor>>& executors() const;
  /// The executor of that space, or null.
  [[nodiscard]] Executor* executor(Space space) const;
  /// Why a device was set aside. Empty while it is used.
  [[nodiscard]] std::string set_aside_reason(Space space) const;
  /// Sets a device aside: it is not used any more. For the host nothing happens. Throws
  /// `Error(DeviceUnavailable)` if there is no such device.
  void set_aside(Space space, const std::string& reason) const;
  /// Records vector operations of the calling thread. They belong to its next call, and plans
  /// include their cost.
  void note_vector_work(const VectorWork& work) const noexcept;
  /// The counters of all matrices of this runtime, destroyed ones included. A matrix that another
  /// thread is destroying at this moment may be missing. Waits for conversions and transfers that
  /// are running.
  [[nodiscard]] Counters counters() const;
  /// Where the last multiplication ran. Nothing before the first.
  [[nodiscard]] std::optional<Space> last_product_space() const noexcept;

  /// The profile that plans are made with.
  [[nodiscard]] std::shared_ptr<const Profile> profile() const;
  /// Why no better profile is used, as text. Empty if the profile fits.
  [[nodiscard]] std::string profile_problem() const;
  /// Uses another profile. Throws `Error(ProfileMismatch)` if it has no model of a multiplication.
  void use_profile(Profile profile);
  /// The fingerprint of this machine.
  [[nodiscard]] Fingerprint fingerprint() const;
  /// The default file of this machine's profile. Empty if there is no folder for it.
  [[nodiscard]] std::string default_profile_path() const;

  /// The plan for a matrix that need not exist. Throws what `shortest_plan` throws.
  [[nodiscard]] Plan plan(const PlanQuestion& question) const;

 private:
  std::shared_ptr<RuntimeState> state_;
};

}  // namespace switchyard
