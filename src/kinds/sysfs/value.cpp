// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysfs/value.hpp"

#include <algorithm>

#include "base/cpu_list.hpp"
#include "base/text.hpp"

namespace nettune::kinds::sysfs {
namespace {

constexpr std::size_t kMaxWordBytes = 64;
constexpr std::string_view kNone = "none";

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= kMaxWordBytes && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '+';
  });
}

Result<std::string> word(std::string_view text) {
  if (is_word(text)) return std::string(text);
  return fail(Errc::invalid, cat("\"", printable(text.substr(0, 80)), "\" is not one word"));
}

/// "00000000,0000000f": groups of 32 bits, the highest first (bitmap_string, lib/vsprintf.c).
Result<Cpus> parse_mask(std::string_view text) {
  Cpus cpus;
  std::size_t bit = 0;
  for (auto c = text.rbegin(); c != text.rend(); ++c) {
    if (*c == ',') continue;
    const std::string_view digits = "0123456789abcdef";
    const std::size_t value = digits.find(*c);
    if (value == digits.npos || bit >= kMostCpus)
      return fail(Errc::invalid, cat("\"", printable(text.substr(0, 80)), "\" is not a mask"));
    for (std::size_t i = 0; i < 4; ++i) {
      if ((value >> i & 1U) == 0) continue;
      cpus.resize(bit + i + 1);
      cpus[bit + i] = true;
    }
    bit += 4;
  }
  return cpus;
}

Result<Cpus> parse_list(std::string_view text) {
  if (text == kNone) return Cpus();
  auto cpus = parse_cpu_list(text);
  if (cpus && cpu_count(*cpus) != 0) return *std::move(cpus);
  return fail(Errc::invalid, cat("\"", printable(text.substr(0, 80)),
                                 "\" is not a list of CPUs such as \"0-7,16\", nor \"none\""));
}

std::string mask_text(const Cpus& cpus) {
  const std::size_t groups = cpus.empty() ? 1 : (cpus.size() - 1) / 32 + 1;
  std::vector<std::string> parts;
  for (std::size_t group = groups; group-- > 0;) {
    std::string digits;
    for (std::size_t nibble = 8; nibble-- > 0;) {
      std::size_t value = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t cpu = group * 32 + nibble * 4 + i;
        if (cpu < cpus.size() && cpus[cpu]) value |= std::size_t{1} << i;
      }
      digits += "0123456789abcdef"[value];
    }
    parts.push_back(digits);
  }
  return join(parts, ",");
}

}  // namespace

Result<std::string> sysfs_value(SysfsForm form, std::string_view file_text) {
  const std::string_view text = trim(file_text);
  if (form == SysfsForm::word) return word(text);
  if (form == SysfsForm::cpus) {
    TRY_ASSIGN(const Cpus cpus, parse_mask(text));
    return cpu_list(cpus);
  }
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', open);
  if (open == text.npos || close == text.npos)
    return fail(Errc::invalid,
                cat("\"", printable(text.substr(0, 80)), "\" has no current choice in brackets"));
  return word(text.substr(open + 1, close - open - 1));
}

std::string sysfs_file_text(SysfsForm form, std::string_view value) {
  if (form != SysfsForm::cpus) return std::string(value);
  const auto cpus = parse_list(value);
  return mask_text(cpus ? *cpus : Cpus());
}

Result<std::string> canonical_sysfs(SysfsForm form, std::string_view text) {
  std::vector<std::string> values;
  if (trim(text).empty()) return fail(Errc::invalid, "the value is empty");
  for (const std::string_view part : split(text, ';')) {
    if (form == SysfsForm::cpus) {
      TRY_ASSIGN(const Cpus cpus, parse_list(trim(part)));
      values.push_back(cpu_list(cpus));
    } else {
      TRY_ASSIGN(std::string one, word(trim(part)));
      values.push_back(std::move(one));
    }
  }
  return joined(values);
}

std::optional<std::size_t> highest_cpu(std::string_view list) {
  const auto cpus = parse_list(list);
  if (!cpus || cpus->empty()) return std::nullopt;
  return cpus->size() - 1;
}

std::string joined(const std::vector<std::string>& values) {
  const bool same = std::ranges::all_of(values, [&](const auto& v) { return v == values.front(); });
  return same && !values.empty() ? values.front() : join(values, ";");
}

Result<std::vector<std::string>> for_each_file(std::string_view value, std::size_t count) {
  std::vector<std::string> values;
  for (const std::string_view part : split(value, ';')) values.emplace_back(part);
  if (values.size() == 1) values.resize(count, values.front());
  if (values.size() == count) return values;
  return fail(Errc::conflict, cat("there are ", count, " files, but values for ", values.size()));
}

}  // namespace nettune::kinds::sysfs
