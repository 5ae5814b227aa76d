// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "json/read.hpp"

namespace nettune::tools::compare {

/// One JSON document as a flat array of its values, which can be walked without a tree. Texts are
/// views of the input.
class Document {
 public:
  enum class Kind : std::uint8_t { object, array, key, text, number, boolean, null };
  struct Token {
    Kind kind = Kind::null;
    std::uint32_t next = 0;  ///< the token after this whole value
    std::string_view text;
  };

  const Token& at(std::uint32_t index) const { return tokens_[index]; }
  bool empty() const { return tokens_.empty(); }
  /// Calls visit(name, index of the value) for each member of the object at `index`.
  template <class Visit>
  void members(std::uint32_t index, Visit&& visit) const {
    const std::uint32_t end = tokens_[index].next;
    for (std::uint32_t i = index + 1; i < end; i = tokens_[i + 1].next)
      visit(tokens_[i].text, i + 1);
  }
  /// Calls visit(index) for each element of the array at `index`.
  template <class Visit>
  void elements(std::uint32_t index, Visit&& visit) const {
    const std::uint32_t end = tokens_[index].next;
    for (std::uint32_t i = index + 1; i < end; i = tokens_[i].next) visit(i);
  }
  bool is(std::uint32_t index, Kind kind) const { return tokens_[index].kind == kind; }
  /// Whether a value is a text, a number or a boolean.
  bool is_scalar(std::uint32_t index) const {
    return tokens_[index].kind > Kind::key && tokens_[index].kind < Kind::null;
  }
  /// The value of member `name` of the object at `index`; 0 (the root) for none.
  std::uint32_t find(std::uint32_t index, std::string_view name) const {
    std::uint32_t found = 0;
    if (is(index, Kind::object))
      members(index, [&](std::string_view member, std::uint32_t value) {
        if (member == name) found = value;
      });
    return found;
  }
  /// The scalar at a member, as text; "" for none.
  std::string_view text_of(std::uint32_t index, std::string_view name) const {
    const std::uint32_t found = find(index, name);
    return found != 0 && is_scalar(found) ? tokens_[found].text : std::string_view();
  }

 private:
  friend class Recorder;
  std::vector<Token> tokens_;
};

/// Makes a Document of each JSON document, and passes it to `take`.
class Recorder : public json::Events {
 public:
  bool begin(json::Container what) override {
    open_.push_back(size());
    add(what == json::Container::object ? Document::Kind::object : Document::Kind::array, {});
    return true;
  }
  bool end(json::Container /*what*/) override {
    document_.tokens_[open_.back()].next = size();
    open_.pop_back();
    return true;
  }
  bool key(std::string_view name) override {
    add(Document::Kind::key, name);
    return true;
  }
  bool scalar(json::Scalar kind, std::string_view text) override {
    constexpr Document::Kind kKinds[] = {Document::Kind::text, Document::Kind::number,
                                         Document::Kind::boolean, Document::Kind::null};
    add(kKinds[static_cast<int>(kind)], text);
    return true;
  }
  bool document() override {
    take(document_);
    document_.tokens_.clear();
    return true;
  }
  virtual void take(const Document& document) = 0;

 protected:
  /// Discards the rest of a text that ended early.
  void reset() {
    document_.tokens_.clear();
    open_.clear();
  }
  /// What there is of a document that ended early, as if it ended there.
  const Document& close_early() {
    if (!document_.empty() && document_.tokens_.back().kind == Document::Kind::key)
      document_.tokens_.pop_back();
    for (const std::uint32_t begin : open_) document_.tokens_[begin].next = size();
    return document_;
  }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(document_.tokens_.size()); }
  void add(Document::Kind kind, std::string_view text) {
    document_.tokens_.push_back({kind, size() + 1, text});
  }

  Document document_;
  std::vector<std::uint32_t> open_;
};

}  // namespace nettune::tools::compare
