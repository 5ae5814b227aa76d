// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/program/annotations.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace nettune::tools::nccl::program {

namespace {

using nettune::nccl::Level;
using Document = nlohmann::ordered_json;

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

/// Each of these characters as %XX.
std::string percent(std::string_view text, const auto& is_special) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_special(byte))
      out += cat('%', kHexDigits[byte >> 4U], kHexDigits[byte & 15U]);
    else
      out += c;
  }
  return out;
}

std::string github_text(std::string_view text) {
  return percent(text, [](unsigned char c) { return c < 0x20 || c == '%' || c == 0x7F; });
}

std::string github_property(std::string_view text) {
  return percent(text, [](unsigned char c) {
    return c < 0x20 || c == '%' || c == ':' || c == ',' || c == 0x7F;
  });
}

/// A relative path stays one (RFC 3986, 2.3 and 3.3).
std::string uri_of(std::string_view path) {
  const std::string out = percent(path, [](unsigned char c) {
    const bool is_letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return !is_letter &&
           std::string_view("-._~/").find(static_cast<char>(c)) == std::string_view::npos;
  });
  return path.starts_with('/') ? cat("file://", out) : out;
}

std::string_view github_word(Level level) {
  if (level == Level::error) return "error";
  return level == Level::warning ? "warning" : "notice";
}

std::string github(const std::vector<Annotation>& annotations) {
  std::string out;
  for (const Annotation& one : annotations)
    out += cat("::", github_word(one.level), " file=", github_property(one.file),
               one.line > 0 ? cat(",line=", one.line) : "",
               ",title=", github_property(cat("nettune ", one.rule)), "::", github_text(one.text),
               "\n");
  return out;
}

std::string sarif(const std::vector<Annotation>& annotations) {
  Document results = Document::array();
  std::vector<std::string> ids;
  for (const Annotation& one : annotations) {
    if (std::ranges::find(ids, one.rule) == ids.end()) ids.push_back(one.rule);
    Document place = {{"artifactLocation", {{"uri", uri_of(one.file)}}}};
    if (one.line > 0) place["region"] = {{"startLine", one.line}};
    const std::string_view level = one.level == Level::error     ? "error"
                                   : one.level == Level::warning ? "warning"
                                                                 : "note";
    results.push_back({{"ruleId", one.rule},
                       {"level", level},
                       {"message", {{"text", one.text}}},
                       {"locations", Document::array({{{"physicalLocation", place}}})}});
  }
  Document rules = Document::array();
  for (const std::string& id : ids) rules.push_back({{"id", id}});
  const Document driver = {{"name", "nettune"}, {"version", NETTUNE_VERSION}, {"rules", rules}};
  const Document run = {{"tool", {{"driver", driver}}}, {"results", results}};
  const Document document = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                             {"version", "2.1.0"},
                             {"runs", Document::array({run})}};
  return document.dump(2, ' ', false, Document::error_handler_t::replace) + "\n";
}

}  // namespace

Result<> check_format(const std::string& format) {
  if (format.empty() || format == "github" || format == "sarif") return {};
  return fail(Errc::invalid,
              cat("--format takes github or sarif, not \"", printable(format), "\""));
}

std::string annotations_text(const std::string& format,
                             const std::vector<Annotation>& annotations) {
  return format == "github" ? github(annotations) : sarif(annotations);
}

}  // namespace nettune::tools::nccl::program
