// The page that a report is read as.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "../output.hpp"

namespace switchyard::command::report {

/// A file of page/, embedded at build time: its name without extension, and its text.
struct PageFile {
  std::string_view stem;
  std::string_view text;
};
[[nodiscard]] std::span<const PageFile> page_files() noexcept;

/// page.html with `{{STEM}}` replaced by the file of that stem, and `{{data}}` by the document in
/// its packed form.
/// It needs nothing outside of itself. No text in the document can end the element that holds it:
/// `<` is written as an escape.
[[nodiscard]] std::string page_of(const Json& document);

}  // namespace switchyard::command::report
