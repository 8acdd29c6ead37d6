// Racing conversions against a plain read of the dense form, and against other libraries.
#include "conversions.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "forms.hpp"
#include "same_matrix.hpp"

namespace switchyard::command::bench {
namespace {

/// One matrix in the formats that there are, each as the plainest code makes it where that exists:
/// from its dense form. Where that would be mostly zeros, all are made from the CSR form as it is.
template <Element T>
class Expected {
 public:
  Expected(Executor& host, Csr<T> csr, bool has_dense) : forms_(host, plain(csr, has_dense)) {
    if (has_dense) dense_ = plain_dense(forms_.csr());
  }

  [[nodiscard]] const Structure& structure() const noexcept { return forms_.structure(); }
  [[nodiscard]] bool has_dense() const noexcept { return dense_.has_value(); }
  [[nodiscard]] const Storage<T>& in(Format format) {
    if (format == Format::Dense) return dense_.value();
    if (format != Format::Csc) return forms_.in(format);
    if (!csc_) csc_ = plain_csc(forms_.csr());
    return *csc_;
  }

 private:
  /// Without the zeros that a file may store: a dense form does not keep them.
  static Csr<T> plain(Csr<T>& csr, bool has_dense) {
    return has_dense ? plain_csr(plain_dense(csr)) : std::move(csr);
  }

  Forms<T> forms_;
  std::optional<Storage<T>> dense_;
  std::optional<Storage<T>> csc_;
};

/// One conversion in one space.
template <Element T>
class ConversionRace {
 public:
  ConversionRace(Laboratory& lab, Expected<T>& forms, Executor& executor,
                 const ConvertOperation<T>& operation, ConversionCase& entry)
      : lab_(lab), forms_(forms), executor_(executor), operation_(operation), entry_(entry) {}

  void run() {
    const Storage<T>& on_host = forms_.in(entry_.from);
    std::optional<Storage<T>> moved;
    if (!executor_.space().is_host()) moved.emplace(transferred(on_host, executor_.memory()));
    const Storage<T>& source = moved ? *moved : on_host;
    check(operation_.run(executor_, source));
    if (!entry_.right) return;
    enter_peers(on_host);
    const std::size_t read_bytes =
        forms_.has_dense() ? bytes_of(forms_.in(Format::Dense)) : entry_.bytes;
    const Yardstick yardstick(lab_.probe(executor_), read_bytes);
    std::vector<Racer> racers = yardstick.racers;
    const auto convert = [&] { static_cast<void>(operation_.run(executor_, source)); };
    racers.push_back({"ours", convert, [this] { executor_.finish(); }, true});
    for (const auto& [name, peer] : peers_) racers.push_back({name, peer.call, peer.settle, false});
    const auto laps = race(racers, lab_.options.race());
    read_laps(yardstick.reading(laps, read_bytes), laps, yardstick.racers.size());
  }

 private:
  void check(const Storage<T>& made) {
    executor_.finish();
    const Storage<T>& expected = forms_.in(entry_.to);
    entry_.right = executor_.space().is_host()
                       ? same_bits(made, expected)
                       : same_bits(transferred(made, plain_host_memory()), expected);
    if (!entry_.right) entry_.failure = "the result is not the expected one";
  }

  void enter_peers(const Storage<T>& source) {
    for (const PeerLibrary& library : lab_.peers) {
      for (const ConversionPeer& peer : library.conversions) {
        const bool same = peer.from == entry_.from && peer.to == entry_.to;
        if (!same || !same_place(peer.place, executor_)) continue;
        try {
          enter(peer, source);
        } catch (const std::exception& error) {
          note(peer.name, error.what());
        }
      }
    }
  }

  void enter(const ConversionPeer& peer, const Storage<T>& source) {
    PeerConversion<T> conversion = peer.prepare<T>(source);
    conversion.call();
    conversion.settle();
    if (!same_bits(conversion.fetch(), forms_.in(entry_.to))) {
      return note(peer.name, "the result is not the expected one");
    }
    peers_.emplace_back(peer.name, std::move(conversion));
  }

  void note(const std::string& peer, const std::string& what) {
    lab_.notes.push_back(fmt::format("{} is left out on converting {} to {} ({}, {}): {}", peer,
                                     entry_.matrix, switchyard::name(entry_.to),
                                     switchyard::name(entry_.space),
                                     switchyard::name(entry_.precision), what));
  }

  void read_laps(const Laps& reading, const std::vector<Laps>& laps, std::size_t ours) {
    const Laps& mine = laps[ours];
    entry_.failure = mine.failure;
    entry_.seconds = mine.per_call();
    if (forms_.has_dense()) {
      entry_.dense_read_seconds = reading.per_call();
      entry_.dense_reads = speedup(reading, mine);
    }
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      const Laps& theirs = laps[ours + 1 + k];
      if (!theirs.failure.empty()) note(peers_[k].first, theirs.failure);
      entry_.peers.add(peers_[k].first, mine, theirs);
    }
  }

  Laboratory& lab_;
  Expected<T>& forms_;
  Executor& executor_;
  const ConvertOperation<T>& operation_;
  ConversionCase& entry_;
  std::vector<std::pair<std::string, PeerConversion<T>>> peers_;
};

/// Whether both formats can be held there, and the user asks for one of them.
template <Element T>
bool is_measured(const Laboratory& lab, Expected<T>& forms, const Executor& executor,
                 const ConvertOperation<T>& operation) {
  const BenchOptions& options = lab.options;
  const auto can_be_in = [&](Format format) {
    if (format == Format::Dense) return forms.has_dense();
    return why_not_held(executor, format, forms.structure(), precision_of<T>, options).empty();
  };
  const auto is_wanted = [&](Format format) {
    return options.wants(State{executor.space(), format});
  };
  return operation.backend == executor.backend() &&
         (is_wanted(operation.from) || is_wanted(operation.to)) && can_be_in(operation.from) &&
         can_be_in(operation.to);
}

/// Throws nothing that a conversion throws: its entry says it.
template <Element T>
ConversionCase converted(Laboratory& lab, const Subject& subject, Expected<T>& forms,
                         Executor& executor, const ConvertOperation<T>& operation) {
  ConversionCase entry{.matrix = subject.name,
                       .density = forms.structure().density(),
                       .precision = precision_of<T>,
                       .space = executor.space(),
                       .from = operation.from,
                       .to = operation.to};
  try {
    entry.bytes = bytes_of(forms.in(entry.from)) + bytes_of(forms.in(entry.to));
    ConversionRace<T>(lab, forms, executor, operation, entry).run();
  } catch (const std::exception& error) {
    entry.failure = error.what();
  }
  if (!entry.failure.empty()) {
    lab.failures.push_back(fmt::format("{}, {} to {} in {}, {}: {}", entry.matrix, name(entry.from),
                                       name(entry.to), name(entry.space), name(entry.precision),
                                       entry.failure));
  }
  return entry;
}

/// All conversions of one matrix in one precision.
template <Element T>
void convert_matrix(Laboratory& lab, const Subject& subject, std::vector<ConversionCase>& cases) {
  Executor& host = *lab.runtime.executors().front();
  Csr<T> csr = subject.make<T>();
  const auto reason =
      why_not_held(host, Format::Dense, structure_of(csr), precision_of<T>, lab.options);
  const auto wants_dense = [&](const auto& executor) {
    return lab.options.wants(State{executor->space(), Format::Dense});
  };
  if (!reason.empty() && std::ranges::any_of(lab.runtime.executors(), wants_dense)) {
    lab.notes.push_back(fmt::format("conversions of {} ({}) from and to dense are left out: {}",
                                    subject.name, name(precision_of<T>), reason));
  }
  Expected<T> forms(host, std::move(csr), reason.empty());
  for (const auto& executor : lab.runtime.executors()) {
    if (!executor->supports(precision_of<T>) || !lab.options.wants(executor->space())) continue;
    if (!executor->space().is_host()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (const ConvertOperation<T>& operation : convert_operations<T>()) {
      if (!is_measured(lab, forms, *executor, operation)) continue;
      cases.push_back(converted(lab, subject, forms, *executor, operation));
    }
  }
}

std::vector<Subject> subjects_to_convert(const BenchOptions& options) {
  if (!options.specs.empty() || !options.folder.empty()) return subjects_for(options);
  std::vector<Subject> subjects;
  const Index side = options.quick ? 2048 : 8192;
  for (const double density : bench_densities()) {
    subjects.push_back(uniform_subject(side, side, density));
  }
  return subjects;
}

}  // namespace

std::vector<ConversionCase> bench_conversions(Laboratory& lab) {
  std::vector<ConversionCase> cases;
  const auto subjects = subjects_to_convert(lab.options);
  const auto work = [&]<Element T>(std::size_t i) {
    if (!lab.options.wants(precision_of<T>)) return;
    lab.show_progress(i, subjects.size(), "conversions of " + subjects[i].name);
    lab.attempt(subjects[i].name, [&] { convert_matrix<T>(lab, subjects[i], cases); });
  };
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    work.template operator()<float>(i);
    work.template operator()<double>(i);
  }
  return cases;
}

}  // namespace switchyard::command::bench
