// Comparing measured products with their models, space by space.
#include "likeness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <switchyard/core/planner.hpp>

namespace switchyard {
namespace {

/// The deviation of the logarithm of what a format that is worth having takes beside CSR.
constexpr double formats_differ = 0.3;

/// How much of the error of a measured state's model is expected of another's: all of it, or less
/// where that one is more accurate.
double shared_part(const YardNode& measured, const YardNode& other) {
  const double its = std::log1p(measured.model_error);
  const double others = std::log1p(other.model_error);
  return others < its ? others / its : 1;
}

/// How many times as long as predicted products in that state are expected to take, from the
/// measured ones of its space: at least once.
double expected_excess(const Yard& yard, const YardNode& other) {
  double sum = 0;
  int measured = 0;
  for (const YardNode& node : yard.nodes) {
    if (node.state.space != other.state.space) continue;
    if (!node.measured || node.model_seconds <= 0) continue;
    const double quiet = node.multiply_seconds * (1 - node.stalled_share);
    if (quiet <= 0) continue;
    sum += std::log(quiet / node.model_seconds) * shared_part(node, other);
    ++measured;
  }
  // The mean error of n states, n/(n+1) of which is then expected of another.
  return std::exp(std::max(sum / (measured + 1), 0.0));
}

/// Whether a matrix is given in the format, or would be were it given for this request: in CSR the
/// transpose has to scatter, which takes many times as long as gathering in CSC.
bool is_usual(Format format, const Request& request) {
  const bool transposed = request.operand == Operand::Transpose;
  return is_given(format) || (transposed && gathered_operand(format) == request.operand);
}

/// The fastest of the usual formats, or 0.
double fastest_usual(const Yard& yard, Space space) {
  double fastest = 0;
  for (const YardNode& node : yard.nodes) {
    if (node.state.space != space || !is_usual(node.state.format, yard.request)) continue;
    fastest = fastest > 0 ? std::min(fastest, node.multiply_seconds) : node.multiply_seconds;
  }
  return fastest;
}

/// How much of a logarithm is believed whose error is so large in 19 of 20 cases.
double believed_share(double relative_error) {
  const double deviation = std::log1p(relative_error) / 1.96;
  const double prior = formats_differ * formats_differ;
  return prior / (prior + deviation * deviation);
}

/// The calibrated states of one space.
class Calibrated {
 public:
  void add(const YardNode& node) {
    only_dense_ = node.state.format == Format::Dense && (only_dense_ || !any());
    dense_bytes_ = node.matrix_bytes;
    fastest_ = any() ? std::min(fastest_, node.multiply_seconds) : node.multiply_seconds;
  }
  [[nodiscard]] bool any() const { return fastest_ > 0; }
  /// What a product is expected to take at least in a state that was not calibrated.
  [[nodiscard]] double least(double matrix_bytes) const {
    if (!only_dense_ || matrix_bytes >= dense_bytes_) return fastest_;
    return fastest_ * matrix_bytes / dense_bytes_;
  }

 private:
  double fastest_ = 0;  // 0: nothing is calibrated
  bool only_dense_ = false;
  double dense_bytes_ = 0;  // where only dense is
};

}  // namespace

void expect_alike(Yard& yard) {
  // Changes nothing of the measured states, which is all that is read for others.
  for (YardNode& node : yard.nodes) {
    if (node.measured) continue;
    node.expected_factor = expected_excess(yard, node);
    node.multiply_seconds *= node.expected_factor;
  }
}

void doubt_promises(Yard& yard) {
  std::optional<Space> space;  // that the time is of: nodes come space by space
  double usual = 0;
  for (YardNode& node : yard.nodes) {
    if (node.state.space != space) {
      space = node.state.space;
      usual = fastest_usual(yard, *space);
    }
    const bool promises = !node.measured && !is_usual(node.state.format, yard.request);
    if (!promises || node.multiply_seconds >= usual) continue;
    const double gain = std::log(usual / node.multiply_seconds);
    node.multiply_seconds = usual * std::exp(-gain * believed_share(node.relative_error));
  }
}

Yard price_unmeasured(const Situation& situation, const Profile& profile) {
  Yard yard = price_yard(situation, profile);
  doubt_promises(yard);
  return yard;
}

void doubt_built_in(Yard& yard, std::span<const SpaceOutlook> spaces) {
  std::array<Calibrated, Space::most_devices + 1> known{};  // by space
  const auto in = [&](Space space) -> Calibrated& {
    return known[static_cast<std::size_t>(space.index())];
  };
  for (const YardNode& node : yard.nodes) {
    if (!node.built_in) in(node.state.space).add(node);
  }
  const Calibrated on_host = in(Space::host());
  if (!yard.calibrated) known = {};
  for (const SpaceOutlook& outlook : spaces) {
    const bool is_host_as_device = outlook.on_host_processors && !outlook.space.is_host();
    if (is_host_as_device && !in(outlook.space).any()) in(outlook.space) = on_host;
  }
  for (YardNode& node : yard.nodes) {
    if (!node.built_in) continue;
    node.multiply_seconds =
        std::max(node.multiply_seconds, in(node.state.space).least(node.matrix_bytes));
  }
}

}  // namespace switchyard
