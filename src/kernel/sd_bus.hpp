// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <systemd/sd-bus.h>

#include "base/dynamic_library.hpp"

namespace nettune::kernel {

/// The functions of libsystemd for D-Bus (sd-bus(3)) that are used here, looked up once: a node
/// without systemd has no such library, and most commands do not need it. `missing` says why they
/// are not available.
struct SdBus : DynamicLibrary {
  decltype(&::sd_bus_open_system) open_system = nullptr;
  decltype(&::sd_bus_new) create = nullptr;
  decltype(&::sd_bus_set_address) set_address = nullptr;
  decltype(&::sd_bus_start) start = nullptr;
  decltype(&::sd_bus_flush_close_unref) close = nullptr;
  decltype(&::sd_bus_match_signal) match_signal = nullptr;
  decltype(&::sd_bus_process) process = nullptr;
  decltype(&::sd_bus_wait) wait = nullptr;
  decltype(&::sd_bus_call) call = nullptr;
  decltype(&::sd_bus_call_method) call_method = nullptr;
  decltype(&::sd_bus_message_new_method_call) new_call = nullptr;
  decltype(&::sd_bus_message_set_auto_start) set_auto_start = nullptr;
  decltype(&::sd_bus_message_append) append = nullptr;
  decltype(&::sd_bus_message_append_basic) append_basic = nullptr;
  decltype(&::sd_bus_message_append_strv) append_strv = nullptr;
  decltype(&::sd_bus_message_open_container) open_container = nullptr;
  decltype(&::sd_bus_message_close_container) close_container = nullptr;
  decltype(&::sd_bus_message_enter_container) enter = nullptr;
  decltype(&::sd_bus_message_exit_container) exit = nullptr;
  decltype(&::sd_bus_message_read) read = nullptr;
  decltype(&::sd_bus_message_read_basic) read_basic = nullptr;
  decltype(&::sd_bus_message_skip) skip = nullptr;
  decltype(&::sd_bus_message_unref) unref_message = nullptr;
  decltype(&::sd_bus_error_free) free_error = nullptr;

  SdBus();
};

/// Stays loaded until the process ends.
const SdBus& sd_bus_library();

struct BusDeleter {
  void operator()(sd_bus* bus) const { sd_bus_library().close(bus); }
};
struct BusMessageDeleter {
  void operator()(sd_bus_message* message) const { sd_bus_library().unref_message(message); }
};
using Bus = std::unique_ptr<sd_bus, BusDeleter>;
using BusMessage = std::unique_ptr<sd_bus_message, BusMessageDeleter>;

/// The error of a D-Bus peer.
class BusError {
 public:
  BusError() = default;
  BusError(const BusError&) = delete;
  BusError& operator=(const BusError&) = delete;
  ~BusError() { sd_bus_library().free_error(&error_); }
  sd_bus_error* get() { return &error_; }
  std::string_view name() const { return error_.name ? error_.name : ""; }
  std::string_view message() const { return error_.message ? error_.message : ""; }
  /// Its message as one line, otherwise the meaning of the negative code of a call.
  std::string text(int code) const;

 private:
  sd_bus_error error_{};
};

}  // namespace nettune::kernel
