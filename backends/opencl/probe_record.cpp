// A record is the text that its surroundings and files make: another text, and it does not hold.
#include "probe_record.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <switchyard/containers/folder.hpp>
#include <system_error>
#include <utility>

#include "binary_cache.hpp"
#include "probe_process.hpp"

namespace switchyard::opencl {
namespace {

namespace fs = std::filesystem;

/// What tells a file from a changed one; its name comes last, since it may hold anything.
std::string stamp(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return fmt::format("- - {}\n", file);
  return fmt::format("{} {}.{:09} {}\n", status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec, file);
}

std::string file_of_stamp(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = first == line.npos ? line.npos : line.find(' ', first + 1);
  return second == line.npos ? std::string{} : std::string(line.substr(second + 1));
}

/// The folder's entries, or the file itself.
std::string stamps_in(const fs::path& place) {
  std::vector<std::string> files{place.string()};
  for (const std::string& name : names_in(place)) files.push_back((place / name).string());
  std::ranges::sort(files);
  std::string text;
  for (const std::string& file : files) text += stamp(file);
  return text;
}

/// The drivers that the loader knows.
fs::path registered_drivers() {
  for (const char* variable : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"}) {
    const char* const place = std::getenv(variable);
    if (place && *place) return place;
  }
  return "/etc/OpenCL/vendors";
}

/// Another after each start of the system.
std::string boot() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(in, id);
  return id;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += fmt::format("{}:{}", text.size(), text);
  return all;
}

}  // namespace

ProbeRecord::ProbeRecord(fs::path folder, fs::path program)
    : folder_(std::move(folder)), program_(std::move(program)) {
  // Without line ends, which variables may have and a key may not.
  key_ = fmt::format("OpenCL drivers {:016x} of {:016x}", hash(joined(driver_variables())),
                     hash(program_.string()));
}

std::string ProbeRecord::text_for(const std::vector<std::string>& files) const {
  std::error_code ignored;
  std::string text = fmt::format("{} {}\n", boot(), fs::exists("/sys/devices/system/cpu", ignored));
  text += stamp(program_.string()) + stamp("/etc/ld.so.cache") + stamps_in(registered_drivers());
  for (const char* node : {"/dev/nvidiactl", "/dev/kfd", "/dev/dri"}) {
    text += fmt::format("{} {}\n", fs::exists(node, ignored), node);
  }
  text += "files\n";
  for (const std::string& file : files) text += stamp(file);
  return text;
}

bool ProbeRecord::holds() const {
  const std::optional<Binary> kept = BinaryCache(folder_).load(key_);
  if (!kept) return false;
  const std::string text(kept->begin(), kept->end());
  constexpr std::string_view before_files = "\nfiles\n";
  const std::size_t begin = text.find(before_files);
  if (begin == text.npos) return false;
  std::vector<std::string> files;
  std::string_view rest = std::string_view(text).substr(begin + before_files.size());
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    files.push_back(file_of_stamp(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text == text_for(files);
}

void ProbeRecord::store(const std::vector<std::string>& files) const {
  const std::string text = text_for(files);
  BinaryCache(folder_).store(key_, Binary(text.begin(), text.end()));
}

}  // namespace switchyard::opencl
