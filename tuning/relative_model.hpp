// Models of formats that are measured on few matrices, from that of CSR, which is measured on all.
#pragma once

#include <optional>
#include <span>
#include <switchyard/models/cost_model.hpp>
#include <vector>

namespace switchyard {

/// A product in CSR: its model, and the samples that this was fitted to.
struct CsrProduct {
  const CostModel* model = nullptr;
  const std::vector<Sample>* samples = nullptr;
};

/// A model of the product `key` in another format by how many times as long it takes as CSR, on the
/// matrices that both were measured on: the model of CSR with the format's bytes and slots, times a
/// factor for each tier. What slows both down alike does not disturb it, and ten matrices tell a
/// factor where they do not tell a polynomial. Of several products in CSR (kernel variants) it
/// takes the one that predicts best. Its errors are those of all samples, each predicted by the
/// others: of those as well whose matrices were not measured in CSR. Nothing where no product was
/// measured on at least `fewest_usable_samples` of the same matrices. The longest row takes at
/// least `row_step_seconds` for each of its elements, about: in CSR many items share a row, and the
/// few matrices may have no long ones.
[[nodiscard]] std::optional<CostModel> relative_model(const ModelKey& key,
                                                      const std::vector<Sample>& samples,
                                                      std::span<const CsrProduct> products,
                                                      double row_step_seconds = 0);

/// Whether the first model is expected to be further off than the second, by errors held out.
[[nodiscard]] bool is_less_accurate(const CostModel& one, const CostModel& other) noexcept;

}  // namespace switchyard
