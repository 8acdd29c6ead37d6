// Fuzzing target: any text is a profile whose models can be asked anything, or one error.
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <switchyard/containers/error.hpp>
#include <switchyard/models/profile.hpp>

#include "promise.hpp"

namespace switchyard::fuzz {
namespace {

void check_prediction(const CostModel& model, const Features& features) {
  // Infinite is "unknown", which the planner leaves out.
  promise(model.predict(features).seconds >= 0, "no prediction is negative or no number");
}

void ask(const CostModel& model) {
  for (const double value :
       {0.0, 1.0, 1e18, std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    Features features;
    features.values.fill(value);
    check_prediction(model, features);
    features[Quantity::Bytes] = 1e6;
    check_prediction(model, features);
  }
  for (const ModelTier& tier : model.tiers) {
    check_prediction(model, tier.lowest);
    check_prediction(model, tier.highest);
    Features above = tier.highest;
    above[Quantity::Bytes] = std::max(2 * above[Quantity::Bytes], 1.0);
    check_prediction(model, above);
  }
  for (const Sample& sample : model.samples) check_prediction(model, sample.features);
}

void try_text(std::string_view text) {
  try {
    const Profile profile = profile_from_json(text, "input");
    for (const CostModel& model : profile.models()) {
      promise(profile.find(model.key) == &model, "every model is found by its key");
      ask(model);
    }
    const std::string saved = profile_to_json(profile);
    promise(profile_to_json(profile_from_json(saved, "saved")) == saved,
            "what is saved is loaded and saved the same");
  } catch (const Error& error) {
    promise(error.code() == ErrorCode::DataCorrupt, "a text is refused as corrupt");
    promise(error.where() == "input", "the file is named, and what was saved is not refused");
    promise(std::string_view(error.what()).find('\n') == std::string_view::npos, "on one line");
  }
}

}  // namespace
}  // namespace switchyard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  switchyard::fuzz::try_text({reinterpret_cast<const char*>(data), size});
  return 0;
}
