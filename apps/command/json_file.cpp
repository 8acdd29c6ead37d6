// Reading JSON that may be hostile.
#include "json_file.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <switchyard/containers/error.hpp>

namespace switchyard::command {
namespace {

std::string contents_of(const std::filesystem::path& file, const std::string& what) {
  std::ifstream stream(file, std::ios::binary);
  // A folder opens, and only reading it fails: without the exception that iterators would let out.
  std::ostringstream contents;
  contents << stream.rdbuf();
  if (!stream.is_open() || contents.view().empty()) {
    throw Error(ErrorCode::IoError, "cannot read " + what, file.string());
  }
  return std::move(contents).str();
}

/// How many arrays and objects are open at once, at most.
int depth_of(const std::string& text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;  // whatever it escapes
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '[' || c == '{')) {
      deepest = std::max(deepest, ++depth);
    } else if (!in_string && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

Json read_json_file(const std::filesystem::path& file, const std::string& what) {
  constexpr int deepest = 64;
  const std::string text = contents_of(file, what);
  if (depth_of(text) > deepest) {
    throw Error(ErrorCode::DataCorrupt, what + " cannot be read: JSON nested too deeply",
                file.string());
  }
  Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) {
    throw Error(ErrorCode::DataCorrupt, what + " cannot be read: not JSON", file.string());
  }
  return document;
}

}  // namespace switchyard::command
