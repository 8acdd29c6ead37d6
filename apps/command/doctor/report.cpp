// Laying out findings.
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "../colour.hpp"
#include "../table.hpp"

namespace switchyard::command::doctor {
namespace {

constexpr std::size_t widest = 100;

/// The words with a line's end wherever the next word would cross the width; all lines but the
/// first begin after `indent` places. A word that is too long, a path say, stays whole.
std::string folded(const std::string& text, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t width = display_width(word);
    if (column > indent && column + 1 + width > widest) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += width;
  }
  return result;
}

Style style_of(Health health) {
  constexpr std::array styles{Style::Green, Style::Yellow, Style::Red};
  return styles[static_cast<std::size_t>(health)];
}

}  // namespace

std::string_view name(Health health) {
  constexpr std::array names{"ok", "warning", "problem"};
  return names[static_cast<std::size_t>(health)];
}

Health worst(const std::vector<Entry>& entries) {
  Health health = Health::Ok;
  for (const Entry& entry : entries) health = std::max(health, entry.finding.health);
  return health;
}

std::string report_text(const std::vector<Entry>& entries, bool coloured) {
  constexpr std::size_t status_width = 9;
  constexpr std::size_t name_width = 13;
  std::string text;
  std::vector<std::string> remedies;
  for (const auto& [check, finding] : entries) {
    const std::string_view status = name(finding.health);
    text += styled(status, style_of(finding.health), coloured) +
            std::string(status_width - status.size(), ' ');
    text += fmt::format("{:{}}{}\n", check, name_width,
                        folded(finding.message, status_width + name_width));
    const bool known = std::ranges::find(remedies, finding.remedy) != remedies.end();
    if (!finding.remedy.empty() && !known) remedies.push_back(finding.remedy);
  }
  if (remedies.empty()) return text + "\nNo problems found.\n";
  text += "\nWhat to do:\n";
  for (const std::string& remedy : remedies) text += "  - " + folded(remedy, 4) + "\n";
  return text;
}

Json report_document(const std::vector<Entry>& entries) {
  Json checks = Json::array();
  for (const auto& [check, finding] : entries) {
    checks.push_back({{"name", check},
                      {"status", name(finding.health)},
                      {"message", finding.message},
                      {"remedy", finding.remedy.empty() ? Json(nullptr) : Json(finding.remedy)}});
  }
  return {{"status", name(worst(entries))}, {"checks", checks}};
}

}  // namespace switchyard::command::doctor
