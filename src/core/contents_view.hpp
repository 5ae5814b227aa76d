// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "base/result.hpp"
#include "core/provider.hpp"
#include "core/state.hpp"

namespace nettune::inline core {

/// The sha256 in a value that names file contents ("sha256:HEX ..."); "" in any other value.
std::string content_digest(const Value& value);

/// File contents by digest: first those of the profile, then the blobs of the state directory.
class ContentsView final : public Contents {
 public:
  ContentsView(State& state, const std::map<std::string, std::string>& at_hand)
      : state_(state), at_hand_(at_hand) {}

  Result<std::string> get(const std::string& sha256_hex) const override {
    const auto found = at_hand_.find(sha256_hex);
    if (found != at_hand_.end()) return found->second;
    return state_.blob(sha256_hex);
  }

 private:
  State& state_;
  const std::map<std::string, std::string>& at_hand_;
};

}  // namespace nettune::inline core
