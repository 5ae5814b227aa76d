// SPDX-License-Identifier: Apache-2.0
#include "kinds/boot/argument.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/cpu_list.hpp"
#include "base/text.hpp"
#include "toml/value.hpp"

namespace nettune::kinds::boot {

namespace {

constexpr std::size_t kMostMembers = 64;
constexpr std::size_t kMostBytes = 1024;

std::string_view before_element(std::string_view name) { return name.substr(0, name.find('#')); }
std::string_view element_of(std::string_view name) {
  const std::size_t at = name.find('#');
  return at == name.npos ? std::string_view() : name.substr(at + 1);
}

Failure wrong(std::string_view name, std::string_view value, std::string_view why) {
  return fail(Errc::invalid, cat("kernel argument ", printable(name), ": \"",
                                 printable(value.substr(0, 80)), "\" ", why));
}

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/// What pci_dev_str_match() takes (drivers/pci/pci.c, 6.12): a path of devices, or IDs.
bool is_port(std::string_view text) {
  const bool of_ids = text.starts_with("pci:");
  if (of_ids) text.remove_prefix(4);
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return is_hex(c) || c == ':' || (!of_ids && (c == '.' || c == '/'));
  });
}

bool is_flagged_port(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == text.npos || at == 0 || at > 7) return false;
  return std::ranges::all_of(text.substr(0, at),
                             [](char c) { return c == '0' || c == '1' || c == 'x'; }) &&
         is_port(text.substr(at + 1));
}

/// "ttyS0,115200n8", "tty0", "uart,mmio,0x..."
bool is_console(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ',' ||
           c == '.' || c == ':' || c == '-' || c == '_';
  });
}

/// What decides which system boots is nobody's to tune; neither is what the table has parts of.
bool may_be_other(std::string_view name) {
  constexpr auto kNever = std::to_array<std::string_view>(
      {"BOOT_IMAGE", "S", "emergency", "hugepages", "hugepagesz", "init", "initrd", "pci", "rdinit",
       "rescue", "resume", "ro", "root", "rootflags", "rootfstype", "rw", "single"});
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '-';
  };
  return !name.empty() && name.size() <= 64 && name.front() != '-' && name.front() != '.' &&
         std::ranges::all_of(name, is_plain) && std::ranges::find(kNever, name) == kNever.end();
}

/// GRUB escapes quotes and backslashes in words of the kernel's line (grub-core/lib/cmdline.c,
/// 2.06), and the kernel takes them literally then: they cannot arrive.
bool arrives(std::string_view text) {
  return text == trim(text) && std::ranges::all_of(text, [](char c) {
           return c >= ' ' && c <= '~' && c != '\'' && c != '"' && c != '\\';
         });
}

template <class Good>
Result<std::string> members(std::string_view name, std::string_view value, std::string_view what,
                            Good good) {
  const auto all = words(value);
  if (has_control_characters(value)) return wrong(name, value, what);
  if (all.empty() || all.size() > kMostMembers || value.size() > kMostBytes)
    return wrong(name, value, cat("must have 1 to ", kMostMembers, " members"));
  std::vector<std::string> out;
  for (const std::string_view one : all) {
    if (!good(one)) return wrong(name, one, what);
    out.emplace_back(one);
  }
  return join(out, " ");
}

std::string value_after(std::string_view word, std::string_view name) {
  return std::string(word.substr(std::min(word.size(), name.size() + 1)));
}

/// The parts of "pci=realloc=on,disable_acs_redir=a;b".
std::vector<std::string_view> parts_of(std::string_view word) {
  const std::size_t sign = word.find('=');
  return sign == word.npos ? std::vector<std::string_view>() : split(word.substr(sign + 1), ',');
}

}  // namespace

std::optional<std::int64_t> page_bytes(std::string_view size) {
  if (size.size() < 2 || size.size() > 6) return std::nullopt;
  const std::int64_t unit = size.back() == 'K'   ? std::int64_t{1} << 10
                            : size.back() == 'M' ? std::int64_t{1} << 20
                            : size.back() == 'G' ? std::int64_t{1} << 30
                                                 : 0;
  const auto count = parse_int(size.substr(0, size.size() - 1));
  if (unit == 0 || !count || *count < 1 || *count > 1024 || size.front() == '0')
    return std::nullopt;
  if (!std::has_single_bit(static_cast<std::uint64_t>(*count))) return std::nullopt;
  return *count * unit;
}

Result<const Argument*> argument_of(std::string_view name) {
  const std::string_view base = before_element(name);
  const std::string_view element = element_of(name);
  if (const Argument* const whole = find_argument(name)) {
    if (whole->repeat != Repeat::group || !element.empty()) return whole;
    return fail(Errc::invalid, cat("kernel argument ", name, " needs the size of its pages: ", name,
                                   " = { 2M = 512 }"));
  }
  const Argument* const group = find_argument(base);
  if (group != nullptr && group->repeat == Repeat::group && !element.empty()) {
    if (page_bytes(element)) return group;
    return fail(Errc::invalid, cat("\"", printable(element.substr(0, 40)),
                                   "\" is no page size, such as 2M or 1G"));
  }
  if (may_be_other(name)) return &other_argument();
  return fail(not_in_table(name));
}

bool is_other(std::string_view name) {
  const auto row = argument_of(name);
  return row && *row == &other_argument();
}

Error not_in_table(std::string_view name) {
  std::vector<std::string> known;
  for (const Argument& each : arguments()) {
    std::string written(each.name);
    std::ranges::replace(written, '#', '.');
    known.push_back(std::move(written));
  }
  return {
      Errc::invalid,
      cat("nettune does not set the kernel argument ", printable(name.substr(0, 80)),
          toml::did_you_mean(name, known), "; it sets ", join(known, ", "),
          may_be_other(name) ? "; others, if [boot] arguments of /etc/nettune/site.toml has them"
                             : "")};
}

std::string values_text(const Argument& row) {
  switch (row.form) {
    case Form::word: {
      std::string text(row.choices);
      for (std::size_t at = 0; (at = text.find(' ', at)) != text.npos; at += 2)
        text.replace(at, 1, ", ");
      return text;
    }
    case Form::number:
      return cat(row.least, " to ", row.most);
    case Form::size:
      return "the size of a page, such as 2M or 1G";
    case Form::cpus:
      return "a list of CPUs, such as 2-15,18";
    case Form::list:
      return "a console, such as ttyS0,115200, or a list of them";
    case Form::ports:
      return "a list of PCI devices, such as 0000:3a:00.0 or pci:15b3:1979";
    case Form::flags:
      return "a list of BITS@DEVICE, such as xx111x0@0000:3a:00.0";
    case Form::any:
      return "a text without quotes and backslashes, or true for the name alone";
  }
  return {};
}

Result<std::string> canonical_value(std::string_view name, std::string_view value) {
  TRY_ASSIGN(const Argument* const row, argument_of(name));
  switch (row->form) {
    case Form::word: {
      const auto choices = words(row->choices);
      if (std::ranges::find(choices, value) == choices.end())
        return wrong(name, value, cat("is none of ", values_text(*row)));
      return std::string(value);
    }
    case Form::number: {
      const auto number = parse_int(value);
      if (!number || *number < row->least || *number > row->most)
        return wrong(name, value, cat("is no number from ", values_text(*row)));
      return cat(*number);
    }
    case Form::size:
      if (!page_bytes(value)) return wrong(name, value, cat("is not ", values_text(*row)));
      return std::string(value);
    case Form::cpus: {
      const auto cpus = parse_cpu_list(value);
      if (!cpus || cpus->empty()) return wrong(name, value, cat("is not ", values_text(*row)));
      return cpu_list(*cpus);
    }
    case Form::list:
      return members(name, value, "is no console, such as ttyS0,115200", is_console);
    case Form::ports:
      return members(name, value, "is no PCI device, such as 0000:3a:00.0 or pci:15b3:1979",
                     is_port);
    case Form::flags:
      return members(name, value, "is not BITS@DEVICE, such as xx111x0@0000:3a:00.0",
                     is_flagged_port);
    case Form::any:
      if (!arrives(value) || value.size() > kMostBytes)
        return wrong(name, value, cat("is not ", values_text(*row)));
      return std::string(value);
  }
  return fail(Errc::invalid, "this form is not known");
}

std::vector<std::string> words_of(std::string_view name, std::string_view value) {
  const std::string base(before_element(name));
  const std::string element(element_of(name));
  const auto row = argument_of(name);
  if (!row) return {};
  switch ((*row)->repeat) {
    case Repeat::last:
      if ((*row)->form == Form::any && value.empty()) return {base};
      return {cat(base, '=', value)};
    case Repeat::each: {
      std::vector<std::string> out;
      for (const std::string_view one : words(value)) out.push_back(cat(base, '=', one));
      return out;
    }
    case Repeat::group:
      return {cat("hugepagesz=", element), cat(base, '=', value)};
    case Repeat::part: {
      std::string joined(value);
      std::ranges::replace(joined, ' ', ';');
      return {cat(base, '=', element, '=', joined)};
    }
  }
  return {};
}

std::vector<std::string> split_command_line(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  bool quotes = false;
  for (const char c : cat(trim(text), " ")) {
    if (c == '"') {
      quotes = !quotes;
    } else if (!quotes && (c == ' ' || c == '\t' || c == '\n')) {
      if (word == "--") break;
      if (!word.empty()) out.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  return out;
}

std::string_view word_name(std::string_view word) { return word.substr(0, word.find('=')); }

Got got(std::string_view name, std::string_view value, const std::vector<std::string>& words) {
  const auto row = argument_of(name);
  if (!row) return {};
  const std::string_view base = before_element(name);
  const std::string_view element = element_of(name);
  Got out;
  const auto take = [&](std::string text) {
    out.found = true;
    out.is = text == value;
    out.other = std::move(text);
  };
  std::string all;
  std::string_view size;
  for (const std::string& word : words) {
    if ((*row)->repeat == Repeat::group && word_name(word) == "hugepagesz")
      size = std::string_view(word).substr(std::min(word.size(), std::size_t{11}));
    if (word_name(word) != base) continue;
    switch ((*row)->repeat) {
      case Repeat::last:
        take(value_after(word, base));
        break;
      case Repeat::each:
        all += cat(all.empty() ? "" : " ", value_after(word, base));
        // The last ones are ours: /dev/console is the last of them.
        out.found = true;
        out.is = all == value || all.ends_with(cat(' ', value));
        out.other = all;
        break;
      case Repeat::group:
        if (size == element) take(value_after(word, base));
        break;
      case Repeat::part:
        for (const std::string_view part : parts_of(word)) {
          if (word_name(part) != element) continue;
          std::string text = value_after(part, element);
          std::ranges::replace(text, ';', ' ');
          take(std::move(text));
        }
        break;
    }
  }
  if (out.is) out.other.clear();
  return out;
}

}  // namespace nettune::kinds::boot
