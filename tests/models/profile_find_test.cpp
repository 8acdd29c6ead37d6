// Profiles: finding a model by its key.
#include <gtest/gtest.h>

#include <vector>

#include "models/synthetic.hpp"

namespace switchyard {
namespace {

using synthetic::small_profile;

TEST(ProfileFind, FindsEveryModelByItsKeyAndNoOther) {
  const Profile profile = small_profile();
  ASSERT_EQ(profile.models().size(), 4U);
  for (const CostModel& model : profile.models()) EXPECT_EQ(profile.find(model.key), &model);
  EXPECT_EQ(profile.find(transfer_key(Space::device(0), Space::host())), nullptr);
  EXPECT_EQ(profile.find(transfer_key(Space::device(7), Space::device(9))), nullptr);
  EXPECT_EQ(Profile().find(synthetic::link_key()), nullptr);
}

TEST(ProfileFind, TellsLongNamesOfVariantsApartByAnyLetter) {
  const State state{Space::host(), Format::Csr};
  const std::string name = "rows of a team in order";
  std::vector<CostModel> models;
  for (std::size_t letter = 0; letter < name.size(); ++letter) {
    CostModel model = *small_profile().find(synthetic::link_key());
    std::string variant = name;
    variant[letter] = '?';
    model.key = multiply_key(state, Precision::Float, variant);
    models.push_back(std::move(model));
  }
  const Profile profile({}, std::move(models));
  for (const CostModel& model : profile.models()) EXPECT_EQ(profile.find(model.key), &model);
  EXPECT_EQ(profile.find(multiply_key(state, Precision::Float, name)), nullptr);
  EXPECT_EQ(profile.find(multiply_key(state, Precision::Double, "?ows of a team in order")),
            nullptr);
}

TEST(ProfileFind, KeepsEveryRequestApart) {
  const State state{Space::host(), Format::Csr};
  std::vector<CostModel> models;
  for (const Operand operand : {Operand::Matrix, Operand::Transpose}) {
    for (const Index columns : {1, 16}) {
      CostModel model = small_profile().models()[0];
      model.key = multiply_key(state, {operand, columns}, Precision::Float, "rows");
      models.push_back(model);
    }
  }
  const Profile profile(synthetic::fingerprint(), models);
  const Profile back = profile_from_json(profile_to_json(profile), "here");
  for (const CostModel& model : models) ASSERT_NE(back.find(model.key), nullptr);
  // The plain request is the default, and all numbers of columns above one are one key.
  EXPECT_EQ(multiply_key(state, Precision::Float, "rows"), models[0].key);
  EXPECT_EQ(multiply_key(state, {Operand::Matrix, 2}, Precision::Float, "rows"), models[1].key);
}

}  // namespace
}  // namespace switchyard
