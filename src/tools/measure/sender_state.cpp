// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/sender_state.hpp"

#include "tools/measure/json_fields.hpp"

namespace nettune::tools::measure {

SenderState& SenderState::operator+=(const SenderState& other) {
  retransmits += other.retransmits;
  segments += other.segments;
  busy_s += other.busy_s;
  receiver_limited_s += other.receiver_limited_s;
  buffer_limited_s += other.buffer_limited_s;
  return *this;
}

nlohmann::ordered_json to_json(const SenderState& state) {
  return {{"retransmits", state.retransmits},
          {"segments", state.segments},
          {"busy_s", state.busy_s},
          {"receiver_limited_s", state.receiver_limited_s},
          {"buffer_limited_s", state.buffer_limited_s}};
}

SenderState sender_state_from(const nlohmann::ordered_json& json) {
  return {fields::count(json, "retransmits"), fields::count(json, "segments"),
          fields::number(json, "busy_s"), fields::number(json, "receiver_limited_s"),
          fields::number(json, "buffer_limited_s")};
}

}  // namespace nettune::tools::measure
