// Going through programs, matrices and precisions.
#include "programs.hpp"

#include "programs_contest.hpp"

namespace switchyard::command::bench {
namespace {

class ProgramBench {
 public:
  explicit ProgramBench(Laboratory& lab) : lab_(lab) {}

  std::vector<ProgramCase> run() {
    const bool asked = !lab_.options.specs.empty() || !lab_.options.folder.empty();
    const auto work = [&](const auto& all, const auto& about) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        lab_.show_progress(2 * i, 2 * all.size(), "programs");
        if (lab_.options.wants(Precision::Float)) about.template operator()<float>(all[i]);
        lab_.show_progress(2 * i + 1, 2 * all.size(), "programs");
        if (lab_.options.wants(Precision::Double)) about.template operator()<double>(all[i]);
      }
    };
    if (asked) {
      work(subjects_for(lab_.options), [&]<Element T>(const Subject& subject) {
        lab_.attempt(subject.name, [&] { run_all<T>(subject); });
      });
    } else {
      work(default_programs(lab_.options.quick), [&]<Element T>(const ProgramRecipe& recipe) {
        lab_.attempt(recipe.subjects.front().name, [&] { take<T>(make_program<T>(recipe)); });
      });
    }
    return std::move(cases_);
  }

 private:
  template <Element T>
  void run_all(const Subject& subject) {
    const Request& request = lab_.options.request;
    const auto programs = request == Request{}
                              ? programs_for<T>(subject, lab_.options.quick)
                              : programs_for<T>(subject, request, lab_.options.quick);
    for (const Program<T>& program : programs) take<T>(program);
  }

  template <Element T>
  void take(const Program<T>& program) {
    if (auto entry = contest_program<T>(lab_, program)) cases_.push_back(std::move(*entry));
  }

  Laboratory& lab_;
  std::vector<ProgramCase> cases_;
};

}  // namespace

std::vector<ProgramCase> bench_programs(Laboratory& lab) { return ProgramBench(lab).run(); }

}  // namespace switchyard::command::bench
