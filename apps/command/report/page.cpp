// Filling in the page's template.
#include "page.hpp"

#include <algorithm>
#include <switchyard/containers/error.hpp>

#include "packed_json.hpp"

namespace switchyard::command::report {
namespace {

std::string_view file_of(std::string_view stem) {
  const auto found = std::ranges::find(page_files(), stem, &PageFile::stem);
  if (found != page_files().end()) return found->text;
  throw Error(ErrorCode::Internal, "no part of the page is named so", std::string(stem));
}

std::string safe_in_script(const Json& document) {
  const std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    // Only strings hold it, and there the escape means the same.
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string page_of(const Json& document) {
  std::string page;
  // Once over the template and never over what was put in, which may hold braces too.
  std::string_view rest = file_of("page");
  for (;;) {
    const auto open = rest.find("{{");
    page += rest.substr(0, open);
    if (open == std::string_view::npos) return page;
    const auto close = rest.find("}}", open);
    const std::string_view stem = rest.substr(open + 2, close - open - 2);
    if (stem == "data") {
      page += safe_in_script(packed(document));
    } else {
      page += file_of(stem);
    }
    rest.remove_prefix(close + 2);
  }
}

}  // namespace switchyard::command::report
