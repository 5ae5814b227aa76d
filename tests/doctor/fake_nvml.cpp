// SPDX-License-Identifier: Apache-2.0
// A libnvidia-ml.so for tests: two GPUs, and what FAKE_NVML asks for: "hang", "mismatch", "lost",
// "crash".
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unistd.h>

namespace {

std::string_view mode() {
  const char* const text = std::getenv("FAKE_NVML");
  return text ? text : "";
}

int first = 0;
int second = 1;

}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (mode() == "hang") ::pause();
  if (mode() == "crash") std::abort();
  constexpr int kMismatch = 18;
  return mode() == "mismatch" ? kMismatch : 0;
}

const char* nvmlErrorString(int code) {
  return code == 18 ? "Driver/library version mismatch" : "an error";
}

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::strncpy(text, "550.163.01", size);
  return 0;
}

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 12040;
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  constexpr int kLost = 15;
  if (index == 1 && mode() == "lost") return kLost;
  *device = index == 0 ? &first : &second;
  return 0;
}

struct FakePci {
  char legacy[16];
  unsigned numbers[5];
  char address[32];
};

int nvmlDeviceGetPciInfo_v3(void* device, FakePci* pci) {
  std::strcpy(pci->address, device == &first ? "00000000:19:00.0" : "00000000:29:00.0");
  return 0;
}

int nvmlDeviceGetName(void*, char* text, unsigned size) {
  std::strncpy(text, "NVIDIA H100 80GB HBM3", size);
  return 0;
}

int nvmlDeviceGetPerformanceState(void*, int* state) {
  *state = 0;
  return 0;
}

int nvmlDeviceGetNvLinkState(void*, unsigned link, unsigned* active) {
  constexpr int kInvalid = 2;
  if (link >= 18) return kInvalid;
  *active = link == 17 ? 0 : 1;
  return 0;
}

int nvmlDeviceGetRemappedRows(void*, unsigned* corrected, unsigned* uncorrected, unsigned* pending,
                              unsigned* failed) {
  *corrected = *uncorrected = *failed = 0;
  *pending = 1;
  return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x40 | 0x04;
  return 0;
}

}  // extern "C"
