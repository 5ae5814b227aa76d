// SPDX-License-Identifier: Apache-2.0
#include "owners/limits_claims.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.hpp"

namespace nettune::owners {
namespace {

constexpr std::string_view kLimitsDirectory = "/etc/security/limits.d";
constexpr std::string_view kOurLimits = "zz-nettune.conf";

struct LimitLine {
  std::string domain;
  std::string type;  ///< "soft", "hard", or "-" for both
  std::string item;
  std::string value;
  std::string file;
  int line = 0;

  bool of_everybody() const { return domain == "*" || domain == "root"; }
};

/// The fields as in parse_config_file() of modules/pam_limits/pam_limits.c: domain, type, item,
/// value.
std::vector<LimitLine> limit_lines(const conf::FoundFile& file) {
  std::vector<LimitLine> found;
  int number = 0;
  for (const std::string_view raw : split(file.text, '\n')) {
    ++number;
    const auto part = words(raw.substr(0, raw.find('#')));
    if (part.size() != 4) continue;
    found.push_back({std::string(part[0]), std::string(part[1]), std::string(part[2]),
                     std::string(part[3]), file.path, number});
  }
  return found;
}

bool is_unlimited(std::string_view value) {
  return value == "unlimited" || value == "-1" || value == "infinity";
}

bool same_limit(std::string_view left, std::string_view right) {
  return left == right || (is_unlimited(left) && is_unlimited(right));
}

class LimitsFinder {
 public:
  LimitsFinder(const conf::Files& files, const OurFile& ours, LimitsOf whose)
      : files_(files), ours_(ours), whose_(whose) {}

  std::vector<Claim> run() {
    if (whose_ == LimitsOf::special_users) read("/etc/security/limits.conf", false);
    for (const std::string& name : files_.names(std::string(kLimitsDirectory), ".conf"))
      if (name != kOurLimits && (name > kOurLimits || whose_ == LimitsOf::special_users))
        read(cat(kLimitsDirectory, "/", name), name > kOurLimits);
    for (const LimitLine& our : limit_lines(ours_.file)) judge(our);
    return std::move(claims_);
  }

 private:
  /// Of the lines for everybody, those before nettune's do not count.
  void read(const std::string& path, bool later) {
    const auto file = files_.read(path);
    if (!file) return;
    for (LimitLine& line : limit_lines(*file))
      if (line.of_everybody() ? later : whose_ == LimitsOf::special_users)
        others_.push_back(std::move(line));
  }

  /// A line for a user or group overrides '*', in any order. Of the lines for everybody, the last
  /// one counts, for the soft and the hard limit apart.
  void judge(const LimitLine& our) {
    const LimitLine* soft = nullptr;
    const LimitLine* hard = nullptr;
    for (const LimitLine& line : others_) {
      if (line.item != our.item) continue;
      if (!line.of_everybody()) add(our, line, ", which overrides the line for everybody");
      if (line.domain != our.domain) continue;
      if (line.type != "hard") soft = &line;
      if (line.type != "soft") hard = &line;
    }
    for (const LimitLine* const last : {soft, hard})
      if (last) add(our, *last, ", and is read after zz-nettune.conf; remove the line");
  }

  void add(const LimitLine& our, const LimitLine& line, std::string_view why) {
    const auto same = [&](const Claim& one) {
      return one.file == line.file && one.line == line.line;
    };
    if (same_limit(line.value, our.value) || std::ranges::any_of(claims_, same)) return;
    claims_.push_back({ours_.address, "limits.conf", line.file, line.line, line.value, true,
                       cat(line.file, ":", line.line, " sets ", printable(line.item), " = ",
                           printable(line.value), " for ", printable(line.domain), why)});
  }

  const conf::Files& files_;
  const OurFile& ours_;
  LimitsOf whose_;
  std::vector<LimitLine> others_;
  std::vector<Claim> claims_;
};

}  // namespace

bool is_limits_file(std::string_view path) {
  return path == cat(kLimitsDirectory, "/", kOurLimits);
}

std::vector<Claim> limits_claims(const conf::Files& files, std::span<const OurFile> ours,
                                 LimitsOf whose) {
  for (const OurFile& our : ours)
    if (is_limits_file(our.file.path)) return LimitsFinder(files, our, whose).run();
  return {};
}

}  // namespace nettune::owners
