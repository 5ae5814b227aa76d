// SPDX-License-Identifier: Apache-2.0
#include "owners/module_claims.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "kinds/module/kind.hpp"
#include "kinds/module/options.hpp"

namespace nettune::owners {
namespace {

constexpr std::string_view kOurOptions = "zz-nettune.conf";
/// modprobe.d(5) of kmod 30.
constexpr std::array<std::string_view, 5> kModprobeDirectories = {
    "/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d",
    "/lib/modprobe.d"};

struct Option {
  std::string name;  ///< "mlx5_core:prof_sel"
  std::string value;
  int line = 0;
};

/// The words of a line; a quoted value is one word, without its quotes.
std::vector<std::string> option_words(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  bool quotes = false;
  for (const char c : cat(text, " ")) {
    if (c == '"') {
      quotes = !quotes;
    } else if (!quotes && (c == ' ' || c == '\t')) {
      if (!word.empty()) out.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  return out;
}

void add_option(std::string_view module, std::string_view assignment, int line,
                std::vector<Option>& out) {
  const std::size_t sign = assignment.find('=');
  auto name = kinds::module::option_name(cat(module, ':', assignment.substr(0, sign)));
  // A parameter without a value is a switch that is on (param_set_bool(), kernel/params.c).
  if (name)
    out.push_back({std::move(*name),
                   std::string(sign == assignment.npos ? "1" : assignment.substr(sign + 1)), line});
}

std::vector<Option> options_of_file(std::string_view text) {
  std::vector<Option> out;
  std::string joined;
  int number = 0;
  int begin = 1;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (joined.empty()) begin = number;
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.remove_suffix(1);
    joined += line;
    if (goes_on) continue;
    const auto all = option_words(joined);
    joined.clear();
    if (all.size() < 3 || all[0] != "options") continue;
    for (std::size_t i = 2; i < all.size(); ++i) add_option(all[1], all[i], begin, out);
  }
  return out;
}

std::vector<Option> options_of_kernel(std::string_view text) {
  std::vector<Option> out;
  for (const std::string& word : option_words(trim(text))) {
    if (word == "--") break;
    const std::size_t dot = word.find('.');
    if (dot == word.npos || dot > word.find('=')) continue;
    add_option(std::string_view(word).substr(0, dot), std::string_view(word).substr(dot + 1), 0,
               out);
  }
  return out;
}

class Finder {
 public:
  explicit Finder(std::span<const Setting> settings) : settings_(settings) {}

  void see(const std::vector<Option>& options, const std::string& file, bool later) {
    for (const Setting& setting : settings_) {
      if (!kinds::module::kModuleOptions.has(setting.address)) continue;
      const auto last = std::find_if(options.rbegin(), options.rend(), [&](const Option& option) {
        return option.name == setting.address.rest();
      });
      if (last != options.rend()) add(setting, *last, file, later);
    }
  }

  std::vector<Claim> take() { return std::move(claims_); }

 private:
  void add(const Setting& setting, const Option& option, const std::string& file, bool later) {
    const bool same = setting.want && kinds::module::is_shown_as(*setting.want, option.value);
    const std::string place = option.line > 0 ? cat(file, ':', option.line) : file;
    claims_.push_back({setting.address, "modprobe.d", file, option.line, option.value,
                       later && !same,
                       cat(printable(place), " sets ", option.name, " = ", printable(option.value),
                           same    ? "; this matches the profile"
                           : later ? cat("; it counts after ", kOurOptions, ", so remove it")
                                   : cat("; ", kOurOptions, " counts after it"))});
  }

  std::span<const Setting> settings_;
  std::vector<Claim> claims_;
};

}  // namespace

std::vector<Claim> module_claims(const conf::Files& files, std::span<const Setting> settings) {
  if (std::ranges::none_of(settings, [](const Setting& setting) {
        return kinds::module::kModuleOptions.has(setting.address);
      }))
    return {};
  Finder finder(settings);
  for (const conf::FoundFile& file : files.drop_ins(kModprobeDirectories)) {
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    if (name != kOurOptions) finder.see(options_of_file(file.text), file.path, name > kOurOptions);
  }
  if (const auto kernel = files.read("/proc/cmdline"))
    finder.see(options_of_kernel(kernel->text), "/proc/cmdline", true);
  return finder.take();
}

}  // namespace nettune::owners
