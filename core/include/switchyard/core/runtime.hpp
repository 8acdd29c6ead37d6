// What a program computes with: the devices, the machine's profile, the memory budgets.
#pragma once

#include <filesystem>
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

/// What would be decided for a matrix that may not exist: a `Situation` without the machine.
struct PlanQuestion {
  Structure structure;                                          ///< what the matrix is like
  Precision precision = Precision::Float;                       ///< of its elements
  std::vector<State> valid{State{Space::host(), Format::Csr}};  ///< where it is
  Index calls = 1;                                              ///< the number of calls planned for
  VectorTraffic vectors;                                        ///< where x and y are and will be
  Request request = {};                                         ///< what is asked of the matrix
};

/// The devices of this machine, its profile and its budgets, shared by the matrices made from it;
/// they keep what they need of it alive. A program usually has one. All members may be called from
/// any thread.
///
/// Fork: provided that no other thread was in a call when it was forked, a child process may go on
/// using and destroying all that its parent made, on the host. Devices that were opened before are
/// the parent's: in the child they are set aside at the first use as if they were lost, so that
/// data of which only they had a copy is lost to it, and a new runtime opens none.
class Runtime {
 public:
  /// Opens what the environment asks for (see `RuntimeOptions::from_environment`).
  Runtime();
  /// Opens what `options` ask for, and looks at no environment. Throws `Error(InvalidArgument)`
  /// where they name no device.
  explicit Runtime(const RuntimeOptions& options);
  ~Runtime();
  /// Takes over the runtime; the other may only be assigned to or destroyed.
  Runtime(Runtime&&) noexcept;
  /// Lets its own go, which matrices may keep alive, and takes over the other.
  Runtime& operator=(Runtime&&) noexcept;

  /// A matrix under this runtime's care. Its data stays where it is until a plan moves it. Throws
  /// `Error(InvalidArgument)` where the arrays do not fit the shape. REQUIRES of a `Csr` whose
  /// arrays were filled by hand what it says of them: to look at each element would cost a third of
  /// a product. `csr_from_arrays` does.
  template <Element T>
  [[nodiscard]] GMatrix<T> matrix(Storage<T> storage) const;
  /// The same of dense data.
  template <Element T>
  [[nodiscard]] GMatrix<T> matrix(Dense<T> dense) const {
    return matrix(Storage<T>(std::move(dense)));
  }
  /// The same of compressed rows.
  template <Element T>
  [[nodiscard]] GMatrix<T> matrix(Csr<T> csr) const {
    return matrix(Storage<T>(std::move(csr)));
  }
  /// A copy of row-major data of rows x cols. Throws `Error(DimensionMismatch)` for another size.
  template <Element T>
  [[nodiscard]] GMatrix<T> matrix(Index rows, Index cols, std::span<const T> row_major) const;
  /// From coordinates in any order; duplicates are summed. Throws what `csr_from_triplets` throws.
  template <Element T>
  [[nodiscard]] GMatrix<T> matrix(Index rows, Index cols,
                                  std::span<const Triplet<T>> triplets) const {
    return matrix(csr_from_triplets(rows, cols, triplets));
  }

  /// The host and the OpenCL devices, by `Space::index()`.
  [[nodiscard]] const std::vector<std::shared_ptr<Executor>>& executors() const;
  /// The executor of that space, or null.
  [[nodiscard]] Executor* executor(Space space) const;
  /// Why the device is not used any more; empty while it is.
  [[nodiscard]] std::string set_aside_reason(Space space) const;
  /// Uses a device no more, for that reason. The host cannot be set aside: nothing happens then.
  /// Throws `Error(DeviceUnavailable)` where there is no such device.
  void set_aside(Space space, const std::string& reason) const;
  /// The program did this with vectors; products will be planned where both are cheap.
  void note_vector_work(const VectorWork& work) const noexcept;
  /// What all matrices of this runtime have done, those that are gone included; one that is being
  /// destroyed by another thread at this very moment may be missing. Waits for matrices that are
  /// being converted or moved.
  [[nodiscard]] Counters counters() const;
  /// Where the last product was computed; nothing before the first.
  [[nodiscard]] std::optional<Space> last_product_space() const noexcept;

  /// The profile that plans are made with, and why no better one is; empty where it fits.
  [[nodiscard]] std::shared_ptr<const Profile> profile() const;
  /// Why no better profile is used, in words; empty where it fits.
  [[nodiscard]] std::string profile_problem() const;
  /// Plans with another profile from now on.
  void use_profile(Profile profile);
  /// What this machine is known by in profiles.
  [[nodiscard]] Fingerprint fingerprint() const;
  /// Where this machine's profile is kept; empty where there is no place for it.
  [[nodiscard]] std::filesystem::path default_profile_path() const;

  /// The plan for a matrix of this structure, without having it. Throws what `shortest_plan`
  /// throws.
  [[nodiscard]] Plan plan(const PlanQuestion& question) const;

 private:
  std::shared_ptr<RuntimeState> state_;
};

}  // namespace switchyard
