// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace nettune::tools::compare {

/// Gives equal texts equal numbers; `below` separates texts of different places. Texts are copied
/// into blocks that do not move.
class Interner {
 public:
  std::uint32_t number(std::string_view text, std::uint32_t below = 0) {
    if (entries_.size() * 2 >= slots_.size()) grow();
    const std::size_t hash = hash_of(text, below);
    for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i] == kFree) {
        slots_[i] = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back({keep(text), below});
        return slots_[i];
      }
      const Entry& entry = entries_[slots_[i]];
      if (entry.below == below && entry.text == text) return slots_[i];
    }
  }
  /// The number of a text that has one; 0 if it has none.
  std::uint32_t find(std::string_view text, std::uint32_t below) const {
    if (slots_.empty()) return 0;
    for (std::size_t i = hash_of(text, below) & (slots_.size() - 1); slots_[i] != kFree;
         i = (i + 1) & (slots_.size() - 1))
      if (entries_[slots_[i]].below == below && entries_[slots_[i]].text == text) return slots_[i];
    return 0;
  }
  std::string_view text(std::uint32_t number) const { return entries_[number].text; }
  std::uint32_t below(std::uint32_t number) const { return entries_[number].below; }
  std::size_t size() const { return entries_.size(); }

  /// A copy without a number that lives as long as this.
  std::string_view keep(std::string_view text) {
    if (text.size() > left_) {
      left_ = text.size() > kBlock ? text.size() : kBlock;
      blocks_.push_back(std::make_unique<char[]>(left_));
      at_ = blocks_.back().get();
    }
    if (!text.empty()) std::memcpy(at_, text.data(), text.size());
    const std::string_view kept(at_, text.size());
    at_ += text.size();
    left_ -= text.size();
    return kept;
  }

 private:
  static constexpr std::uint32_t kFree = UINT32_MAX;
  static constexpr std::size_t kBlock = std::size_t{1} << 16;
  struct Entry {
    std::string_view text;
    std::uint32_t below = 0;
  };

  static std::size_t hash_of(std::string_view text, std::uint32_t below) {
    return std::hash<std::string_view>{}(text) + below * std::size_t{0x9e3779b97f4a7c15};
  }
  void grow() {
    slots_.assign(slots_.empty() ? 1024 : slots_.size() * 2, kFree);
    for (std::uint32_t number = 0; number < entries_.size(); ++number) {
      const Entry& entry = entries_[number];
      std::size_t i = hash_of(entry.text, entry.below) & (slots_.size() - 1);
      while (slots_[i] != kFree) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = number;
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace nettune::tools::compare
