// SPDX-License-Identifier: Apache-2.0
#include "conf/ini.hpp"

#include <utility>

#include "base/text.hpp"

namespace nettune::conf {
namespace {

class IniReader {
 public:
  explicit IniReader(Others others) : others_(others) {}

  void take(std::string_view joined, int number) {
    const std::string_view line = trim(joined);
    if (line.empty()) return;
    if (line[0] == '[') {
      const std::size_t end = line.find(']');
      section_ = line.substr(1, end == line.npos ? end : end - 1);
      return;
    }
    const std::size_t equals = line.find('=');
    if (equals == line.npos) {
      if (others_ == Others::kept) found_.push_back({section_, {}, std::string(line), number});
      return;
    }
    found_.push_back({section_, std::string(trim(line.substr(0, equals))),
                      std::string(trim(line.substr(equals + 1))), number});
  }
  std::vector<IniLine> result() { return std::move(found_); }

 private:
  Others others_;
  std::string section_;
  std::vector<IniLine> found_;
};

}  // namespace

std::vector<IniLine> read_ini(std::string_view text, Joining joining, Others others) {
  IniReader reader(others);
  std::string joined;
  int number = 0;
  int first = 0;  // where the joined line began; 0 if there is none
  const auto end_line = [&] {
    reader.take(joined, first);
    joined.clear();
    first = 0;
  };
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    const std::string_view start = trim(raw);
    // A comment between joined lines does not end them.
    if (!start.empty() && (start[0] == '#' || start[0] == ';')) continue;
    if (joining == Joining::indented) {
      const bool goes_on = first != 0 && !start.empty() && start.data() != raw.data() &&
                           joined.find('=') != joined.npos;
      if (goes_on) {
        joined += cat(' ', start);
        continue;
      }
      end_line();
      if (start.empty()) continue;
      first = number;
      joined = start;
      continue;
    }
    if (first == 0) first = number;
    if (joining == Joining::backslash && raw.ends_with('\\') && !raw.ends_with("\\\\")) {
      joined += cat(raw.substr(0, raw.size() - 1), ' ');
      continue;
    }
    joined += raw;
    end_line();
  }
  end_line();
  return reader.result();
}

}  // namespace nettune::conf
