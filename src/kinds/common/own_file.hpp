// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/disk.hpp"
#include "core/provider.hpp"

namespace nettune::kinds::common {

/// The format of a file that is nettune's alone: a heading, and a line for each value, sorted by
/// name. With `sections` a name is SECTION.KEY, and the line of KEY is below "[SECTION]".
struct OwnFormat {
  std::string_view heading;  ///< comment lines, each with its newline
  /// The line of a value, without a newline, and back; nothing for another line.
  std::string (*line)(std::string_view name, std::string_view value);
  std::optional<std::pair<std::string, std::string>> (*parse)(std::string_view line);
  bool sections = false;
};

using OwnValues = std::map<std::string, std::string, std::less<>>;

/// The values of such a file; nothing if it is not, byte for byte, what nettune writes.
std::optional<OwnValues> parse_own(const OwnFormat& format, std::string_view text);
/// The file of these values; nothing without any: then there is none.
std::optional<std::string> own_text(const OwnFormat& format, const OwnValues& values);

/// The values in such a file, as settings KIND:NAME. A kind may have several files. The file comes
/// with the first value and goes with the last, so undo is exact. A file that somebody edited, or
/// that nettune did not write, is not permitted: nothing of it is lost.
class OwnFileProvider : public Provider {
 public:
  OwnFileProvider(Disk& disk, std::string path, const OwnFormat& format)
      : disk_(disk), path_(std::move(path)), format_(format) {}

  std::vector<Reading> read(std::span<const Address> addresses) override;
  /// All values of one file.
  std::string unit(const Address& address) const override;
  std::vector<Address> needs(const Address& address) const override {
    return {Address{"dir:" + directory(address)}};
  }
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Lifetime lifetime(const Address&) const override { return Lifetime::disk; }
  bool staged() const override { return true; }
  std::string directory(const Address& address) const override {
    return parent_path(path_of(address));
  }
  Result<> write(std::span<const Write> unit, const Contents&,
                 const std::string& transaction) override;
  Result<> place(std::span<const Write> unit, const std::string& transaction) override;
  Result<> discard(std::span<const Write> unit, const std::string& transaction) override;

 protected:
  /// The file of a value, and its name in there.
  virtual std::string path_of(const Address&) const { return path_; }
  virtual std::string_view name_of(const Address& address) const { return address.rest(); }
  /// When the file was written; nothing if there is none.
  std::optional<std::int64_t> written_ns(const Address& address) const;

 private:
  struct Present {
    std::optional<std::string> text;
    OwnValues values;
  };
  Result<Present> load(const std::string& path);
  Reading read_one(const Address& address, const Result<Present>& present) const;
  OwnValues with(OwnValues values, std::span<const Write> unit) const;

  Disk& disk_;
  std::string path_;
  const OwnFormat& format_;
};

}  // namespace nettune::kinds::common
