// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/metric.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex.h>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tools/measure/collective_kind.hpp"

namespace nettune::tools::measure {
namespace {

using Json = nlohmann::ordered_json;

/// The end of a command's output, for a message.
std::string end_of(const std::string& output) {
  const std::string_view text = trim(output);
  if (text.empty()) return "it printed nothing";
  const auto line = text.rfind('\n');
  std::string_view last = line == text.npos ? text : text.substr(line + 1);
  constexpr std::size_t kShown = 120;
  return cat("its last line is '", printable(last.substr(0, kShown)),
             last.size() > kShown ? "..." : "", "'");
}

Result<double> positive(const std::string& word, const std::string& metric) {
  const auto value = read_number(trim(word));
  if (!value || !std::isfinite(*value))
    return fail(Errc::invalid,
                cat("the metric ", printable(metric), " is '", printable(word), "', not a number"));
  if (*value <= 0)
    return fail(Errc::invalid, cat("the metric ", printable(metric), " is ", printable(word),
                                   "; ratios need numbers above 0"));
  return *value;
}

/// The whole output as JSON; otherwise its last line that is JSON.
std::optional<Json> document_in(const std::string& output) {
  Json whole = Json::parse(output, nullptr, false);
  if (!whole.is_discarded()) return whole;
  const auto lines = split(output, '\n');
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const std::string_view text = trim(*line);
    if (!text.starts_with('{') && !text.starts_with('[')) continue;
    Json one = Json::parse(text, nullptr, false);
    if (!one.is_discarded()) return one;
  }
  return {};
}

/// Converts ".end.sum[0]" to "/end/sum/0".
std::optional<std::string> pointer_of(std::string_view path) {
  std::string out;
  std::size_t at = 0;
  while (at < path.size()) {
    const bool index = path[at] == '[';
    if (!index && path[at] != '.') return {};
    ++at;
    const std::size_t end =
        index ? path.find(']', at) : std::min(path.find_first_of(".[", at), path.size());
    if (end == path.npos || end == at) return {};
    const std::string_view name = path.substr(at, end - at);
    if (index && !parse_int(name)) return {};
    out += '/';
    for (const char c : name) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    at = index ? end + 1 : end;
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

Result<Reading> read_json(const std::string& path, const std::string& output) {
  const auto document = document_in(output);
  if (!document)
    return fail(Errc::invalid, cat("the command printed no JSON for the metric ", printable(path),
                                   "; ", end_of(output)));
  const Json::json_pointer pointer(*pointer_of(std::string_view(path).substr(1)));
  if (!document->contains(pointer))
    return fail(Errc::invalid, cat("the JSON that the command printed has no ", printable(path)));
  const Json& found = document->at(pointer);
  const std::string word = found.is_string() ? found.get<std::string>() : found.dump();
  TRY_ASSIGN(const double value, positive(word, path));
  return Reading{value, {}};
}

std::string text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Where a line of `nettune test --json` is of a collective: what its size carries a second, from
/// the time, which has more digits than the bandwidths of nccl-tests.
std::optional<std::pair<std::string, double>> collective_in(const Json& json) {
  const auto bytes = json.find("bytes");
  const auto time = json.find("time_us");
  const std::string name = text_in(json, "test");
  if (std::ranges::find(kCollectives, name, &CollectiveKind::name) == kCollectives.end() ||
      bytes == json.end() || time == json.end() || !bytes->is_number() || !time->is_number() ||
      time->get<double>() <= 0)
    return {};
  return std::pair(cat(name, " of ", bytes->get<std::uint64_t>(), " bytes"),
                   bytes->get<double>() / time->get<double>() * 1e-3);
}

Result<Reading> read_test(const std::string& output) {
  Reading out;
  double sum = 0;
  for (const std::string_view line : split(output, '\n')) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    if (const auto found = collective_in(json)) {
      out.strata[found->first] = found->second;
      sum += std::log(found->second);
    }
    if (const std::string error = text_in(json, "error"); !error.empty())
      return fail(Errc::invalid, cat("a result is missing: ", printable(error)));
    if (text_in(json, "test") != "bandwidth") continue;
    const auto gbps = json.find("gbps");
    if (gbps == json.end() || !gbps->is_number() || gbps->get<double>() <= 0)
      return fail(Errc::invalid, "a bandwidth is not a positive number");
    const bool is_rdma = text_in(json, "transport") == "rdma";
    const auto end = [&](const char* key) {
      const auto found = json.find(key);
      if (found == json.end() || !found->is_object()) return std::string();
      const auto rdma = found->find("rdma");
      return is_rdma && rdma != found->end() && rdma->is_object() ? text_in(*rdma, "device")
                                                                  : text_in(*found, "interface");
    };
    const std::string_view memory = text_in(json, "memory") == "gpu" ? " gpu" : "";
    out.strata[cat(end("from"), " -> ", end("to"), " ", text_in(json, "direction"), memory)] =
        gbps->get<double>();
    sum += std::log(gbps->get<double>());
  }
  if (out.strata.empty())
    return fail(Errc::invalid, cat("nettune test reported no bandwidth; ", end_of(output)));
  out.value = std::exp(sum / static_cast<double>(out.strata.size()));
  return out;
}

}  // namespace

struct Metric::Compiled {
  regex_t regex{};
  bool good = false;
  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    if (good) ::regfree(&regex);
  }
};

Result<Metric> Metric::parse(const std::string& text) {
  Metric out;
  out.text_ = text;
  if (text.starts_with('$')) {
    out.kind_ = Kind::json;
    if (!pointer_of(std::string_view(text).substr(1)))
      return fail(Errc::invalid, cat("--metric ", printable(text),
                                     " is not a path in JSON; write $.name.list[0].name"));
    return out;
  }
  auto compiled = std::make_shared<Compiled>();
  const int error = ::regcomp(&compiled->regex, text.c_str(), REG_EXTENDED | REG_NEWLINE);
  if (error != 0) {
    std::array<char, 256> why{};
    (void)::regerror(error, &compiled->regex, why.data(), why.size());
    return fail(Errc::invalid,
                cat("--metric ", printable(text), " is not a regular expression: ", why.data()));
  }
  compiled->good = true;
  out.compiled_ = std::move(compiled);
  return out;
}

Metric Metric::of_test() {
  Metric out;
  out.kind_ = Kind::test;
  return out;
}

Result<Reading> Metric::read(const std::string& output) const {
  if (kind_ == Kind::json) return read_json(text_, output);
  if (kind_ == Kind::test) return read_test(output);
  std::optional<std::string> found;
  const char* at = output.c_str();
  std::array<regmatch_t, 2> match{};
  int flags = 0;
  while (::regexec(&compiled_->regex, at, match.size(), match.data(), flags) == 0) {
    const regmatch_t& one = match[1].rm_so >= 0 ? match[1] : match[0];
    found = std::string(at + one.rm_so, at + one.rm_eo);
    if (match[0].rm_eo == 0 && *at == '\0') break;
    at += std::max<regoff_t>(match[0].rm_eo, 1);
    flags = at[-1] == '\n' ? 0 : REG_NOTBOL;
  }
  if (!found)
    return fail(Errc::invalid, cat("the metric ", printable(text_),
                                   " matches nothing that the command printed; ", end_of(output)));
  TRY_ASSIGN(const double value, positive(*found, text_));
  return Reading{value, {}};
}

}  // namespace nettune::tools::measure
