// A profile from and to a file.
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/models/profile.hpp>

#include "small_file.hpp"

namespace switchyard {

namespace {

/// A profile of a hundred models with a thousand points each has about a tenth of this.
constexpr std::size_t largest_profile = std::size_t{64} << 20U;

}  // namespace

void save_profile(const Profile& profile, const std::string& file) try {
  replace_file(file, profile_to_json(profile));
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

Profile load_profile(const std::string& file) try {
  Profile profile = profile_from_json(read_small_file(file, largest_profile), file);
  profile.file = file;
  return profile;
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
